import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { getAveragewageDetail } from '../../../../server/contract/reports/charts.ts'
import { callQuery } from '../../../api.ts'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { Tabs } from '../../../components/page/tabs.tsx'
import { DataTable } from '../../../components/table/data-table.tsx'
import { Money } from '../../../components/value/money.tsx'
import styles from './chart.module.css'
import { parseChartParams } from './params.ts'
import type { ChartSearch } from './search.ts'
import { type ChartFilter, chartPollMs } from './use-chart.ts'

type AverageRow = CallOutput<typeof getAveragewageDetail>['list'][number]
const groupLabels = { department: '按部门', person: '按员工' } as const

const createAmountColumn = (title: string, field: keyof AverageRow & `${string}_fen`) => ({
  title,
  dataIndex: field,
  align: 'right' as const,
  render: (fen: unknown) => <Money fen={typeof fen === 'number' ? fen : null} />,
})

/** Average pay by department, and by employee for users who may open payslips. */
export function AveragePay(props: { filter: ChartFilter; search: ChartSearch; opens: boolean }) {
  const { filter, opens: canOpenPayslips } = props
  const { page, pagesize, name, by: requestedGroup } = parseChartParams(props.search)
  const by = canOpenPayslips ? requestedGroup : 'department'
  const navigate = useNavigate()
  const navigateTo = (changes: Partial<ChartSearch>) =>
    void navigate({ to: '/chars/home', search: { ...props.search, page: undefined, ...changes } })
  const averages = useQuery({
    ...callQuery(getAveragewageDetail, { ...filter, by, name, page, pagesize }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.preparing ? chartPollMs : false),
  })
  const byPerson = by === 'person'
  return (
    <section className={`ui-card ${styles.card}`} aria-label="平均工资明细">
      <div className={`ui-row ${styles.bar}`}>
        {canOpenPayslips && (
          <Tabs label="平均工资明细" at={by} labels={groupLabels} onGo={(next) => navigateTo({ by: next, name: undefined })} />
        )}
        <SearchBox
          value={name}
          placeholder={byPerson ? '搜索姓名' : '搜索部门'}
          onSearch={(next) => navigateTo({ name: next })}
        />
      </div>
      <DataTable<AverageRow>
        requested={averages}
        rowKey="id"
        label="平均工资明细"
        unit={byPerson ? '人' : '个部门'}
        empty={{ illustration: 'search', text: name ? '没有符合条件的结果。' : '这一段时间没有发过工资。' }}
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
          createAmountColumn('应发', 'gross_fen'),
          createAmountColumn('实发', 'net_fen'),
          createAmountColumn('月均应发', 'average_gross_fen'),
          createAmountColumn('月均实发', 'average_net_fen'),
          createAmountColumn('个税', 'tax_fen'),
          createAmountColumn('企业成本', 'cost_fen'),
        ]}
      />
    </section>
  )
}
