import { Button } from 'antd'
import type { MemberDeductions } from '../../../../server/contract/tax/deductions.ts'
import { deductionLabels } from '../../../../server/contract/tax/kinds.ts'
import type { Columns } from '../../../components/table/data-table.tsx'
import { Money } from '../../../components/value/money.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import { MemberCell } from '../member-cell.tsx'
import { CollapsedSteps } from '../steps.tsx'
import styles from '../tax.module.css'
import { formatItemStatus } from './labels.ts'

function DeductionItems({ items }: Pick<MemberDeductions, 'items'>) {
  if (items.length === 0) return <span className="ui-hint">没有填写</span>
  return (
    <div className={styles.items}>
      {items.map((item) => {
        const status = formatItemStatus(item)
        return (
          <div
            key={`${item.kind} ${item.whose} ${item.born ?? item.from}`}
            className={styles.itemLine}
            data-dim={item.period_state === 'over' || item.period_state === 'before' || undefined}
          >
            <b>{deductionLabels[item.kind]}</b>
            {item.whose && <span title={item.whose}>{item.whose}</span>}
            {item.period_state === 'counts' && <Money fen={item.month_fen} />}
            {status && <small className={status.isSoon ? styles.soon : 'ui-hint'}>{status.text}</small>}
          </div>
        )
      })}
    </div>
  )
}

function DeductionStatus({ person: member, confirm_year }: { person: MemberDeductions; confirm_year: number }) {
  const { error_message: errorText, confirmed_year } = member
  const isOpen = (confirmed_year ?? 0) < confirm_year
  return (
    <>
      {isOpen ? (
        <StatusDot label={`待确认 ${confirm_year} 年度`} color="warn" />
      ) : (
        <StatusDot label={`已确认 ${confirmed_year} 年度`} color="ok" />
      )}
      {errorText && <div className={styles.note}>{errorText}</div>}
    </>
  )
}

export const createDeductionColumns = (
  confirm_year: number,
  onEdit: (person: MemberDeductions) => void,
): Columns<MemberDeductions> => [
  { title: '姓名', dataIndex: 'name', width: 150, fixed: 'left', render: (_, person) => <MemberCell {...person} /> },
  {
    title: '扣除项目',
    dataIndex: 'items',
    card: ({ items }) => (items.length === 0 ? 'end' : 'wide'),
    render: (_, { items }) => <DeductionItems items={items} />,
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
          <CollapsedSteps steps={steps} />
        </>
      ),
  },
  {
    title: '状态',
    key: 'state',
    width: 170,
    card: ({ error_message }) => (error_message ? 'pair' : 'end'),
    render: (_, person) => (person.items.length === 0 ? '—' : <DeductionStatus person={person} confirm_year={confirm_year} />),
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
