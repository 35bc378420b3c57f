import { Button } from 'antd'
import type { MemberDeductions } from '../../../../server/contract/wage/deductions.ts'
import { deductionWords } from '../../../../server/contract/wage/kinds.ts'
import type { Columns } from '../../../ui/table/data-table.tsx'
import { Money } from '../../../ui/value/money.tsx'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import { PersonCell } from '../person-cell.tsx'
import { FoldedSteps } from '../steps.tsx'
import styles from '../tax.module.css'
import { standsNow } from './words.ts'

function Items({ items }: Pick<MemberDeductions, 'items'>) {
  if (items.length === 0) return <span className="ui-hint">没有填写</span>
  return (
    <div className={styles.items}>
      {items.map((item) => {
        const stands = standsNow(item)
        return (
          <div
            key={`${item.kind} ${item.whose} ${item.born ?? item.from}`}
            className={styles.itemLine}
            data-dim={item.at === 'over' || item.at === 'before' || undefined}
          >
            <b>{deductionWords[item.kind]}</b>
            {item.whose && <span title={item.whose}>{item.whose}</span>}
            {item.at === 'counts' && <Money fen={item.month_fen} />}
            {stands && <small className={stands.isSoon ? styles.soon : 'ui-hint'}>{stands.text}</small>}
          </div>
        )
      })}
    </div>
  )
}

function State({ person, confirm_year }: { person: MemberDeductions; confirm_year: number }) {
  const { refused, confirmed_year } = person
  const isOpen = (confirmed_year ?? 0) < confirm_year
  return (
    <>
      {isOpen ? (
        <StatusDot word={`待确认 ${confirm_year} 年度`} tone="warn" />
      ) : (
        <StatusDot word={`已确认 ${confirmed_year} 年度`} tone="ok" />
      )}
      {refused && <div className={styles.note}>{refused}</div>}
    </>
  )
}

export const deductionColumns = (confirm_year: number, onEdit: (person: MemberDeductions) => void): Columns<MemberDeductions> => [
  { title: '姓名', dataIndex: 'name', width: 150, fixed: 'left', render: (_, person) => <PersonCell {...person} /> },
  {
    title: '扣除项目',
    dataIndex: 'items',
    card: ({ items }) => (items.length === 0 ? 'end' : 'wide'),
    render: (_, { items }) => <Items items={items} />,
  },
  {
    title: '本月扣除',
    dataIndex: 'month_fen',
    align: 'right',
    render: (_, { items, month_fen }) => (items.length === 0 ? '—' : <Money fen={month_fen} strong />),
  },
  {
    title: '本年累计',
    dataIndex: 'year_fen',
    align: 'right',
    render: (_, { items, year_fen, steps }) =>
      items.length === 0 ? (
        '—'
      ) : (
        <>
          <Money fen={year_fen} />
          <FoldedSteps steps={steps} />
        </>
      ),
  },
  {
    title: '状态',
    key: 'state',
    width: 170,
    card: ({ refused }) => (refused ? 'pair' : 'end'),
    render: (_, person) => (person.items.length === 0 ? '—' : <State person={person} confirm_year={confirm_year} />),
  },
  {
    title: '操作',
    key: 'acts',
    width: 76,
    fixed: 'right',
    render: (_, person) => (
      <Button
        type="link"
        aria-label={`${person.items.length === 0 ? '填写' : '编辑'} ${person.name}`}
        onClick={() => onEdit(person)}
      >
        {person.items.length === 0 ? '填写' : '编辑'}
      </Button>
    ),
  },
]
