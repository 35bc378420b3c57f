import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Select } from 'antd'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { compareMonths } from '../../../../server/contract/reports/charts.ts'
import { callQuery } from '../../../api.ts'
import { SearchBox } from '../../../components/page/search-box.tsx'
import { StatisticCards } from '../../../components/page/statistic-cards.tsx'
import { type Columns, DataTable } from '../../../components/table/data-table.tsx'
import { formatMonth } from '../../../components/value/dates.ts'
import { AmountChange, Money } from '../../../components/value/money.tsx'
import styles from './chart.module.css'
import { payComponentLabels } from './labels.ts'
import { compareFilters, parseChartParams } from './params.ts'
import type { ChartSearch } from './search.ts'
import { chartPollMs } from './use-chart.ts'

type MonthComparison = CallOutput<typeof compareMonths>
type ComparisonRow = MonthComparison['list'][number]
const changeLabels = { more: '增加', less: '减少', joined: '新增', left: '本月未发' } as const
const maxComponents = 3

/** The reasons for a change: the pay items that caused it, or that the employee was not paid in one of the months. */
function ChangeReasons({ line: row }: { line: ComparisonRow }) {
  if (row.change === 'joined') return '前一个月未发放'
  if (row.change === 'left') return '后一个月未发放'
  const components = row.components.slice(0, maxComponents)
  return (
    <span className={styles.why}>
      {components.map(({ part: component, difference_fen }) => (
        <span key={component}>
          {payComponentLabels[component]} <AmountChange value={difference_fen} />
        </span>
      ))}
      {row.components.length > maxComponents && <span className="ui-hint">等 {row.components.length} 项</span>}
    </span>
  )
}

const createColumns = (from: string, to: string): Columns<ComparisonRow> => [
  {
    title: '员工',
    dataIndex: 'name',
    render: (_, line) => (
      <Link to="/memberFile" search={{ id: line.member_id }}>
        {line.name}
      </Link>
    ),
  },
  { title: '部门', dataIndex: 'place', card: 'line', render: (_, { place }) => place || '—' },
  {
    title: formatMonth(from),
    dataIndex: 'before_fen',
    align: 'right',
    card: 'named',
    render: (_, line) => <Money fen={line.before_fen} />,
  },
  {
    title: formatMonth(to),
    dataIndex: 'after_fen',
    align: 'right',
    card: 'named',
    render: (_, line) => <Money fen={line.after_fen} />,
  },
  {
    title: '变化',
    dataIndex: 'difference_fen',
    align: 'right',
    card: 'side',
    render: (_, line) => <AmountChange value={line.difference_fen} />,
  },
  { title: '原因', dataIndex: 'components', card: 'wide', render: (_, line) => <ChangeReasons line={line} /> },
]

/** Compares two months: whose pay rose or fell, and which items caused it. */
export function MonthComparisonCard(props: {
  months: readonly string[]
  search: ChartSearch
  department_id: string | undefined
}) {
  const { months, search, department_id } = props
  const navigate = useNavigate()
  const params = parseChartParams(search)
  const to = params.to ?? months.at(-1) ?? ''
  const from = params.from ?? months[months.indexOf(to) - 1] ?? months[0] ?? ''
  const { page, pagesize, which, name } = params
  const navigateTo = (changes: Partial<ChartSearch>) =>
    void navigate({ to: '/chars/home', search: { ...search, page: undefined, ...changes } })
  const comparison = useQuery({
    ...callQuery(compareMonths, { from, to, department_id, filter: which, name, page, pagesize }),
    enabled: from !== '' && to !== '',
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.preparing ? chartPollMs : false),
  })
  const { data } = comparison
  const renderMonthSelect = (label: string, value: string, onSelect: (month: string) => void) => (
    <Select
      aria-label={label}
      value={value}
      style={{ width: 140 }}
      options={months.toReversed().map((month) => ({ value: month, label: formatMonth(month) }))}
      onChange={onSelect}
    />
  )
  const change = data ? (data.after.net_fen ?? 0) - (data.before.net_fen ?? 0) : 0
  return (
    <section className={`ui-card ${styles.card}`} aria-label="两个月对比">
      <div className={`ui-row ${styles.bar}`}>
        {renderMonthSelect('前一个月', from, (month) => navigateTo({ from: month }))}
        <span aria-hidden="true">→</span>
        {renderMonthSelect('后一个月', to, (month) => navigateTo({ to: month }))}
        <SearchBox value={name} placeholder="搜索姓名" onSearch={(next) => navigateTo({ name: next })} />
      </div>
      {data && (
        <p className={styles.sum}>
          实发合计 <Money fen={data.before.net_fen} /> → <Money fen={data.after.net_fen} strong />{' '}
          {data.before.net_fen !== null && data.after.net_fen !== null && <AmountChange value={change} />}
          <span className="ui-hint">　原因按对实发的影响计：扣款减少计为增加。</span>
        </p>
      )}
      {data && (
        <StatisticCards
          selected={which ?? null}
          onChoose={(key) => navigateTo({ which: key ?? undefined })}
          items={compareFilters.map((key) => ({
            key,
            label: changeLabels[key],
            value: data.counts[key].toLocaleString('zh-CN'),
          }))}
        />
      )}
      <DataTable<ComparisonRow>
        requested={comparison}
        rowKey="member_id"
        label="两个月对比"
        unit="人"
        empty={{ illustration: 'people', text: from === to ? '请选择两个不同的月份。' : '实发没有变化。' }}
        columns={createColumns(from, to)}
      />
    </section>
  )
}
