import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { checkPeriod } from '../../../../server/contract/wage/periods.ts'
import { taxProblemKinds } from '../../../../server/contract/wage/tax/tax-states.ts'
import { holders } from '../../../../server/contract/who.ts'
import { query } from '../../../api.ts'
import { CheckTotals } from '../../../parts/tax/check/check-totals.tsx'
import { CompareClient } from '../../../parts/tax/check/compare-client.tsx'
import { ComputeBar } from '../../../parts/tax/check/compute-bar.tsx'
import { ProblemTable } from '../../../parts/tax/check/problem-table.tsx'
import { PeriodPage } from '../../../parts/tax/period/period-page.tsx'
import { periodQuery } from '../../../parts/tax/period/queries.ts'
import { type PeriodSearch, periodSearch } from '../../../parts/tax/period/search.ts'
import type { PeriodHead } from '../../../parts/tax/period/words.ts'
import { begin, first } from '../../../routed/first.ts'
import { oneOf } from '../../../ui/search.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'

const problemsQuery = (period_id: string, { page = 1, pagesize = 20, kind: asked }: PeriodSearch) => {
  const kind = oneOf(asked, taxProblemKinds)
  return { ...query(checkPeriod, { period_id, page, pagesize, ...(kind ? { kind } : {}) }), gcTime: 0 }
}

export const Route = createFileRoute('/_desk/salaryTax/add/check')({
  validateSearch: periodSearch,
  staticData: { title: '核对个税', section: 'wage', who: holders('2') },
  loader: ({ route, location }) =>
    first(route, () => {
      const { id, ...search } = periodSearch(location.search)
      return id && [begin(periodQuery(id)), begin(problemsQuery(id, search))]
    }),
  component: Check,
})

function Check() {
  const { id } = Route.useSearch()
  return (
    <PeriodPage
      id={id}
      title="核对"
      renderAction={({ period_id, status }) => (
        <>
          <Link to="/salaryTax/add/update" search={{ id: period_id }}>
            <Button tabIndex={-1}>改收入</Button>
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
          {(period.status === 'computed' || period.status === 'locked') && <CompareClient period={period} />}
          {period.status !== 'computing' && <Problems period={period} />}
        </>
      )}
    </PeriodPage>
  )
}

function Problems({ period }: { period: PeriodHead }) {
  const search = Route.useSearch()
  const kind = oneOf(search.kind, taxProblemKinds)
  const { period_id } = period
  const navigate = useNavigate()
  const asked = useQuery({
    ...problemsQuery(period_id, search),
    placeholderData: (before) => before,
  })
  if (!asked.data)
    return (
      <section className="ui-card">
        {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={8} />}
      </section>
    )
  return (
    <>
      <CheckTotals checked={asked.data} />
      <ProblemTable
        asked={asked}
        kinds={asked.data.kinds}
        kind={kind ?? null}
        period={period}
        onKind={(next) => void navigate({ to: '/salaryTax/add/check', search: { id: period_id, kind: next ?? undefined } })}
      />
    </>
  )
}
