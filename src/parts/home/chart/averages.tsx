import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { getAveragewageDetail } from '../../../../server/contract/wage/chart.ts'
import { query } from '../../../api.ts'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { Tabs } from '../../../ui/page/tabs.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { Money } from '../../../ui/value/money.tsx'
import { askedOf } from './asked.ts'
import styles from './chart.module.css'
import type { ChartSearch } from './search.ts'
import { again_ms, type ChartFilter } from './use-chart.ts'

type Line = OutputOf<typeof getAveragewageDetail>['list'][number]
const kinds = { department: '按部门', person: '按员工' } as const

const amount = (title: string, field: keyof Line & `${string}_fen`) => ({
  title,
  dataIndex: field,
  align: 'right' as const,
  render: (fen: unknown) => <Money fen={typeof fen === 'number' ? fen : null} />,
})

/** Average pay by department, and for whoever may open slips by person. */
export function Averages(props: { filter: ChartFilter; search: ChartSearch; opens: boolean }) {
  const { filter, opens } = props
  const { page, pagesize, name, by: wanted } = askedOf(props.search)
  const by = opens ? wanted : 'department'
  const navigate = useNavigate()
  const go = (some: Partial<ChartSearch>) =>
    void navigate({ to: '/chars/home', search: { ...props.search, page: undefined, ...some } })
  const asked = useQuery({
    ...query(getAveragewageDetail, { ...filter, by, name, page, pagesize }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.preparing ? again_ms : false),
  })
  const byPerson = by === 'person'
  return (
    <section className={`ui-card ${styles.card}`} aria-label="平均工资明细">
      <div className={`ui-row ${styles.bar}`}>
        {opens && <Tabs label="平均工资明细" at={by} words={kinds} onGo={(next) => go({ by: next, name: undefined })} />}
        <SearchBox value={name} placeholder={byPerson ? '搜索姓名' : '搜索部门'} onSearch={(next) => go({ name: next })} />
      </div>
      <DataTable<Line>
        asked={asked}
        rowKey="id"
        label="平均工资明细"
        unit={byPerson ? '人' : '个部门'}
        empty={{ drawing: 'search', text: name ? '没有符合条件的结果。' : '这一段时间没有发过工资。' }}
        columns={[
          {
            title: byPerson ? '员工' : '部门',
            dataIndex: 'name',
            render: (_, { id, name: called, level }) =>
              byPerson ? (
                <Link to="/memberFile" search={{ id }}>
                  {called}
                </Link>
              ) : (
                <Link
                  to="/chars/home"
                  search={{ ...props.search, department: id, page: undefined }}
                  style={{ paddingLeft: level * 16 }}
                >
                  {called}
                </Link>
              ),
          },
          { title: byPerson ? '部门' : '上级部门', dataIndex: 'place', card: 'line', render: (_, { place }) => place || '—' },
          ...(byPerson ? [] : [{ title: '人数', dataIndex: 'people' as const, align: 'right' as const, card: 'named' as const }]),
          { title: '人月', dataIndex: 'months', align: 'right', card: 'named' },
          amount('应发', 'gross_fen'),
          amount('实发', 'net_fen'),
          amount('月均应发', 'average_gross_fen'),
          amount('月均实发', 'average_net_fen'),
          amount('个税', 'tax_fen'),
          amount('企业成本', 'cost_fen'),
        ]}
      />
    </section>
  )
}
