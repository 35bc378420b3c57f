import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { requirePower } from '../../../../server/contract/access.ts'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { DataTable } from '../../../components/table/data-table.tsx'
import { Money } from '../../../components/value/money.tsx'
import type { PeriodDetail } from '../../../features/tax/period/labels.ts'
import { MemberTaxDrawer } from '../../../features/tax/period/member-drawer.tsx'
import styles from '../../../features/tax/period/period.module.css'
import { PeriodActions } from '../../../features/tax/period/period-actions.tsx'
import { PeriodEvents } from '../../../features/tax/period/period-events.tsx'
import { PeriodPage } from '../../../features/tax/period/period-page.tsx'
import { periodMembersQuery, periodQuery } from '../../../features/tax/period/queries.ts'
import { createResultColumns } from '../../../features/tax/period/result-columns.tsx'
import { type PeriodSearch, parsePeriodSearch } from '../../../features/tax/period/search.ts'
import { prefetchPage, prefetchQuery } from '../../../routed/prefetch.ts'

export const Route = createFileRoute('/_desk/salaryTax/history/detail')({
  validateSearch: parsePeriodSearch,
  staticData: { title: '个税明细', section: 'wage', who: requirePower('2') },
  loader: ({ route, location }) =>
    prefetchPage(route, () => {
      const { id, ...search } = parsePeriodSearch(location.search)
      return id && [prefetchQuery(periodQuery(id)), prefetchQuery(periodMembersQuery(id, search))]
    }),
  component: HistoryDetail,
})

function HistoryDetail() {
  const { id } = Route.useSearch()
  return (
    <PeriodPage id={id} title="个税" renderAction={(period) => <PeriodActions period={period} />}>
      {(period) => <PeriodMembers key={period.period_id} period={period} />}
    </PeriodPage>
  )
}

function PeriodMembers({ period }: { period: PeriodDetail }) {
  const search = Route.useSearch()
  const { name, member } = search
  const navigate = useNavigate()
  const { period_id } = period
  const navigateTo = (change: Partial<PeriodSearch>) =>
    void navigate({ to: '/salaryTax/history/detail', search: { ...search, ...change }, replace: 'member' in change })
  const members = useQuery({ ...periodMembersQuery(period_id, search), placeholderData: keepPreviousData })
  const totals = members.data?.totals
  return (
    <>
      {totals && (
        <StatisticCards
          items={[
            { key: 'people', label: '人数', value: totals.people },
            { key: 'income', label: '本期收入', value: <Money fen={totals.income_fen} /> },
            { key: 'tax', label: '工资应扣个税', value: <Money fen={totals.tax_fen} /> },
            ...(totals.bonus_fen !== 0
              ? [
                  {
                    key: 'bonus',
                    label: '奖金应扣个税',
                    value: <Money fen={totals.bonus_tax_fen} />,
                    note: '全年一次性奖金单独计税',
                  },
                ]
              : []),
            { key: 'credit', label: '留抵', value: <Money fen={totals.credit_fen} />, note: '多扣的，以后月份抵用' },
          ]}
        />
      )}
      <section className="ui-card">
        {(totals || members.isFetched) && (
          <div className={`ui-row ${styles.tools}`}>
            <SearchBox
              value={name}
              placeholder="搜索姓名、工号"
              onSearch={(text) => navigateTo({ name: text, page: undefined })}
            />
          </div>
        )}
        <DataTable
          requested={members}
          columns={createResultColumns(
            (member_id) => navigateTo({ member: member_id }),
            members.data?.list.some(({ bonus_fen }) => bonus_fen !== 0) ?? false,
          )}
          rowKey="member_id"
          unit="人"
          label="个税明细"
          empty={
            name
              ? { illustration: 'search', text: '没有找到这个人，换个姓名或工号试试。' }
              : {
                  illustration: 'people',
                  text: '这一期里还没有人。',
                  action: (
                    <Link to="/salaryTax/add/update" search={{ id: period_id }} className="ant-btn ant-btn-primary">
                      引入收入
                    </Link>
                  ),
                }
          }
        />
      </section>
      <PeriodEvents period={period} />
      <MemberTaxDrawer period={period} member_id={member} onClose={() => navigateTo({ member: undefined })} />
    </>
  )
}
