import { useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { Button } from 'antd'
import { useState } from 'react'
import { requirePower } from '../../../../server/contract/access.ts'
import { canTaxPeriod } from '../../../../server/contract/tax/statuses.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { lazyDialog } from '../../../components/lazy.tsx'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { DataTable } from '../../../components/table/data-table.tsx'
import { AddIncomeMemberDialog } from '../../../features/tax/income/add-member.tsx'
import { createIncomeColumns } from '../../../features/tax/income/income-columns.tsx'
import { IncomeDialog } from '../../../features/tax/income/income-dialog.tsx'
import { RemoveIncomeMemberDialog } from '../../../features/tax/income/remove-member.tsx'
import { IncomeSources } from '../../../features/tax/income/sources.tsx'
import { OpeningCard } from '../../../features/tax/opening/opening-card.tsx'
import type { PeriodDetail, TaxMember } from '../../../features/tax/period/labels.ts'
import styles from '../../../features/tax/period/period.module.css'
import { PeriodPage } from '../../../features/tax/period/period-page.tsx'
import { periodMembersQuery, periodQuery } from '../../../features/tax/period/queries.ts'
import { parsePeriodSearch } from '../../../features/tax/period/search.ts'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

const ImportIncomeDialog = lazyDialog(
  async () => (await import('../../../features/tax/income/import-dialog.tsx')).ImportIncomeDialog,
)

export const Route = createFileRoute('/_desk/salaryTax/add/update')({
  validateSearch: parsePeriodSearch,
  staticData: { title: '本期收入', section: 'wage', who: requirePower('2') },
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const { id, ...search } = parsePeriodSearch(location.search)
      return id && [prefetchQuery(periodQuery(id)), prefetchQuery(periodMembersQuery(id, search))]
    }),
  component: IncomePage,
})

function IncomePage() {
  const { id } = Route.useSearch()
  return (
    <PeriodPage
      id={id}
      title="收入"
      renderAction={({ period_id, member_count }) =>
        member_count > 0 && (
          <Link to="/salaryTax/add/check" search={{ id: period_id }}>
            <Button type="primary" tabIndex={-1}>{`核对 ${member_count} 人`}</Button>
          </Link>
        )
      }
    >
      {(period) => (
        <>
          <IncomeSources period={period} />
          <OpeningCard period={period} />
          <IncomeTable period={period} />
        </>
      )}
    </PeriodPage>
  )
}

type IncomeAction = { kind: 'edit' | 'remove'; member: TaxMember } | { kind: 'add' | 'import' } | null

function IncomeTable({ period }: { period: PeriodDetail }) {
  const search = Route.useSearch()
  const { name } = search
  const { period_id, status } = period
  const navigate = useNavigate()
  const [action, setAction] = useState<IncomeAction>(null)
  const close = () => setAction(null)
  const members = useQuery(periodMembersQuery(period_id, search))
  const allowed = canTaxPeriod.edit(status)
  return (
    <section className="ui-card" aria-labelledby="period-incomes">
      <h2 id="period-incomes">人员收入</h2>
      <div className={`ui-row ${styles.tools}`}>
        <SearchBox
          value={name}
          placeholder="搜索姓名、工号"
          onSearch={(text) => void navigate({ to: '/salaryTax/add/update', search: { id: period_id, name: text } })}
        />
        <ActionButton allowed={allowed} onClick={() => setAction({ kind: 'add' })}>
          手工添加
        </ActionButton>
        <ActionButton allowed={allowed} onClick={() => setAction({ kind: 'import' })}>
          导入收入
        </ActionButton>
      </div>
      <DataTable
        requested={members}
        columns={createIncomeColumns(allowed, (kind, member) => setAction({ kind, member }))}
        rowKey="member_id"
        unit="人"
        label="人员收入"
        empty={
          name
            ? { illustration: 'search', text: '没有找到这个人，换个姓名或工号试试。' }
            : { illustration: 'people', text: '还没有人。从上面引入一批工资，或导入收入表。' }
        }
      />
      {action?.kind === 'edit' && <IncomeDialog period={period} member={action.member} onClose={close} />}
      {action?.kind === 'remove' && <RemoveIncomeMemberDialog period={period} person={action.member} onClose={close} />}
      {action?.kind === 'import' && <ImportIncomeDialog period={period} onClose={close} />}
      {action?.kind === 'add' && <AddIncomeMemberDialog period={period} onClose={close} />}
    </section>
  )
}
