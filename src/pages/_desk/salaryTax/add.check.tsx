import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { requirePower } from '../../../../server/contract/access.ts'
import { checkPeriod } from '../../../../server/contract/tax/periods.ts'
import { taxIssueKinds } from '../../../../server/contract/tax/statuses.ts'
import { callQuery } from '../../../api.ts'
import { parseEnum } from '../../../components/search-params.ts'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { TaxCheckTotals } from '../../../features/tax/check/check-totals.tsx'
import { ClientComparison } from '../../../features/tax/check/compare-client.tsx'
import { ComputeBar } from '../../../features/tax/check/compute-bar.tsx'
import { TaxIssueTable } from '../../../features/tax/check/issue-table.tsx'
import type { PeriodDetail } from '../../../features/tax/period/labels.ts'
import { PeriodPage } from '../../../features/tax/period/period-page.tsx'
import { periodQuery } from '../../../features/tax/period/queries.ts'
import { type PeriodSearch, parsePeriodSearch } from '../../../features/tax/period/search.ts'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

const taxIssuesQuery = (period_id: string, { page = 1, pagesize = 20, kind: requestedKind }: PeriodSearch) => {
  const kind = parseEnum(requestedKind, taxIssueKinds)
  return { ...callQuery(checkPeriod, { period_id, page, pagesize, ...(kind ? { kind } : {}) }), gcTime: 0 }
}

export const Route = createFileRoute('/_desk/salaryTax/add/check')({
  validateSearch: parsePeriodSearch,
  staticData: { title: '核对个税', section: 'wage', who: requirePower('2') },
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const { id, ...search } = parsePeriodSearch(location.search)
      return id && [prefetchQuery(periodQuery(id)), prefetchQuery(taxIssuesQuery(id, search))]
    }),
  component: TaxCheckPage,
})

function TaxCheckPage() {
  const { id } = Route.useSearch()
  return (
    <PeriodPage
      id={id}
      title="核对"
      renderAction={({ period_id, status }) => (
        <>
          <Link to="/salaryTax/add/update" search={{ id: period_id }}>
            <Button tabIndex={-1}>修改收入</Button>
          </Link>
          {(status === 'computed' || status === 'locked') && (
            <Link to="/salaryTax/history/detail" search={{ id: period_id }}>
              <Button type="primary" tabIndex={-1}>
                查看结果并锁定
              </Button>
            </Link>
          )}
        </>
      )}
    >
      {(period) => (
        <>
          <ComputeBar period={period} />
          {(period.status === 'computed' || period.status === 'locked') && <ClientComparison period={period} />}
          {period.status !== 'computing' && <TaxIssues period={period} />}
        </>
      )}
    </PeriodPage>
  )
}

function TaxIssues({ period }: { period: PeriodDetail }) {
  const search = Route.useSearch()
  const kind = parseEnum(search.kind, taxIssueKinds)
  const { period_id } = period
  const navigate = useNavigate()
  const issues = useQuery({
    ...taxIssuesQuery(period_id, search),
    placeholderData: (before) => before,
  })
  if (!issues.data)
    return (
      <section className="ui-card">
        {issues.error ? <ErrorState error={issues.error} retry={() => void issues.refetch()} /> : <Skeleton rows={8} />}
      </section>
    )
  return (
    <>
      <TaxCheckTotals checked={issues.data} status={period.status} />
      <TaxIssueTable
        issues={issues}
        kinds={issues.data.kinds}
        kind={kind ?? null}
        period={period}
        onKind={(next) => void navigate({ to: '/salaryTax/add/check', search: { id: period_id, kind: next ?? undefined } })}
      />
    </>
  )
}
