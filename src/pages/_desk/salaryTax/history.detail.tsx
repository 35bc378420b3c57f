import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { holders } from '../../../../server/contract/who.ts'
import styles from '../../../parts/tax/period/period.module.css'
import { PeriodActs } from '../../../parts/tax/period/period-acts.tsx'
import { PeriodEvents } from '../../../parts/tax/period/period-events.tsx'
import { PeriodPage } from '../../../parts/tax/period/period-page.tsx'
import { PersonDrawer } from '../../../parts/tax/period/person-drawer.tsx'
import { peopleQuery, periodQuery } from '../../../parts/tax/period/queries.ts'
import { resultColumns } from '../../../parts/tax/period/result-columns.tsx'
import { type PeriodSearch, periodSearch } from '../../../parts/tax/period/search.ts'
import type { PeriodHead } from '../../../parts/tax/period/words.ts'
import { begin, first } from '../../../routed/first.ts'
import { Numbers } from '../../../ui/page/numbers.tsx'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { Money } from '../../../ui/value/money.tsx'

export const Route = createFileRoute('/_desk/salaryTax/history/detail')({
  validateSearch: periodSearch,
  staticData: { title: '个税明细', section: 'wage', who: holders('2') },
  loader: ({ route, location }) =>
    first(route, () => {
      const { id, ...search } = periodSearch(location.search)
      return id && [begin(periodQuery(id)), begin(peopleQuery(id, search))]
    }),
  component: HistoryDetail,
})

function HistoryDetail() {
  const { id } = Route.useSearch()
  return (
    <PeriodPage id={id} title="个税" renderAction={(period) => <PeriodActs period={period} />}>
      {(period) => <People key={period.period_id} period={period} />}
    </PeriodPage>
  )
}

function People({ period }: { period: PeriodHead }) {
  const search = Route.useSearch()
  const { name, member } = search
  const navigate = useNavigate()
  const { period_id } = period
  const go = (change: Partial<PeriodSearch>) =>
    void navigate({ to: '/salaryTax/history/detail', search: { ...search, ...change }, replace: 'member' in change })
  const asked = useQuery({ ...peopleQuery(period_id, search), placeholderData: keepPreviousData })
  const totals = asked.data?.totals
  return (
    <>
      {totals && (
        <Numbers
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
        {(totals || asked.isFetched) && (
          <div className={`ui-row ${styles.tools}`}>
            <SearchBox value={name} placeholder="搜索姓名、工号" onSearch={(text) => go({ name: text, page: undefined })} />
          </div>
        )}
        <DataTable
          asked={asked}
          columns={resultColumns((member_id) => go({ member: member_id }))}
          rowKey="member_id"
          unit="人"
          label="个税明细"
          empty={
            name
              ? { drawing: 'search', text: '没有找到这个人，换个姓名或工号试试。' }
              : {
                  drawing: 'people',
                  text: '这一期里还没有人。',
                  action: (
                    <Link to="/salaryTax/add/update" search={{ id: period_id }} className="ant-btn ant-btn-primary">
                      取入收入
                    </Link>
                  ),
                }
          }
        />
      </section>
      <PeriodEvents period={period} />
      <PersonDrawer period={period} member_id={member} onClose={() => go({ member: undefined })} />
    </>
  )
}
