import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Select } from 'antd'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { compareMonths } from '../../../../server/contract/wage/chart.ts'
import { query } from '../../../api.ts'
import { Numbers } from '../../../ui/page/numbers.tsx'
import { SearchBox } from '../../../ui/page/search-box.tsx'
import { type Columns, DataTable } from '../../../ui/table/data-table.tsx'
import { monthName } from '../../../ui/value/dates.ts'
import { Difference, Money } from '../../../ui/value/money.tsx'
import { askedOf, compareFilters } from './asked.ts'
import styles from './chart.module.css'
import type { ChartSearch } from './search.ts'
import { again_ms } from './use-chart.ts'
import { partWords } from './words.ts'

type Answer = OutputOf<typeof compareMonths>
type Line = Answer['list'][number]
const words = { more: '变多', less: '变少', joined: '新增', left: '未再发放' } as const
const most_parts = 3

/** Why: the parts that made it, or that he was not there. */
function Why({ line }: { line: Line }) {
  if (line.change === 'joined') return '上一个月没有发放'
  if (line.change === 'left') return '这一个月没有发放'
  const shown = line.parts.slice(0, most_parts)
  return (
    <span className={styles.why}>
      {shown.map(({ part, difference_fen }) => (
        <span key={part}>
          {partWords[part]} <Difference value={difference_fen} />
        </span>
      ))}
      {line.parts.length > most_parts && <span className="ui-hint">等 {line.parts.length} 项</span>}
    </span>
  )
}

const columnsOf = (from: string, to: string): Columns<Line> => [
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
    title: monthName(from),
    dataIndex: 'before_fen',
    align: 'right',
    card: 'named',
    render: (_, line) => <Money fen={line.before_fen} />,
  },
  {
    title: monthName(to),
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
    render: (_, line) => <Difference value={line.difference_fen} />,
  },
  { title: '原因', dataIndex: 'parts', card: 'wide', render: (_, line) => <Why line={line} /> },
]

/** Two months beside each other: who was paid more or less, and by what. */
export function Compare(props: { months: readonly string[]; search: ChartSearch; department_id: string | undefined }) {
  const { months, search, department_id } = props
  const navigate = useNavigate()
  const asking = askedOf(search)
  const to = asking.to ?? months.at(-1) ?? ''
  const from = asking.from ?? months[months.indexOf(to) - 1] ?? months[0] ?? ''
  const { page, pagesize, which, name } = asking
  const go = (some: Partial<ChartSearch>) => void navigate({ to: '/chars/home', search: { ...search, page: undefined, ...some } })
  const asked = useQuery({
    ...query(compareMonths, { from, to, department_id, which, name, page, pagesize }),
    enabled: from !== '' && to !== '',
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.preparing ? again_ms : false),
  })
  const { data } = asked
  const pick = (label: string, value: string, choose: (month: string) => void) => (
    <Select
      aria-label={label}
      value={value}
      style={{ width: 140 }}
      options={months.toReversed().map((month) => ({ value: month, label: monthName(month) }))}
      onChange={choose}
    />
  )
  const change = data ? (data.after.net_fen ?? 0) - (data.before.net_fen ?? 0) : 0
  return (
    <section className={`ui-card ${styles.card}`} aria-label="两个月对比">
      <div className={`ui-row ${styles.bar}`}>
        {pick('前一个月', from, (month) => go({ from: month }))}
        <span aria-hidden="true">→</span>
        {pick('后一个月', to, (month) => go({ to: month }))}
        <SearchBox value={name} placeholder="搜索姓名" onSearch={(next) => go({ name: next })} />
      </div>
      {data && (
        <p className={styles.sum}>
          实发合计 <Money fen={data.before.net_fen} /> → <Money fen={data.after.net_fen} strong />{' '}
          {data.before.net_fen !== null && data.after.net_fen !== null && <Difference value={change} />}
          <span className="ui-hint">　原因按对实发的影响写：个税、社保等扣款变少，记为增加。</span>
        </p>
      )}
      {data && (
        <Numbers
          chosen={which ?? null}
          onChoose={(key) => go({ which: key ?? undefined })}
          items={compareFilters.map((key) => ({ key, label: words[key], value: data.counts[key].toLocaleString('zh-CN') }))}
        />
      )}
      <DataTable<Line>
        asked={asked}
        rowKey="member_id"
        label="两个月对比"
        unit="人"
        empty={{ drawing: 'people', text: from === to ? '请选择两个不同的月份。' : '没有人的实发有变化。' }}
        columns={columnsOf(from, to)}
      />
    </section>
  )
}
