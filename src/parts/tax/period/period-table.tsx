import { Link } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { useState } from 'react'
import { clearPeriod } from '../../../../server/contract/wage/periods.ts'
import { taxPeriodWords } from '../../../../server/contract/wage/tax/tax-states.ts'
import { intent, useCall } from '../../../api.ts'
import { ConfirmDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { type Columns, DataTable } from '../../../ui/table/data-table.tsx'
import { type RowAct, RowMenu } from '../../../ui/table/row-menu.tsx'
import { day, monthName } from '../../../ui/value/dates.ts'
import { Money } from '../../../ui/value/money.tsx'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import styles from './period.module.css'
import type { PeriodLine } from './words.ts'

type Props = Pick<ComponentProps<typeof DataTable<PeriodLine>>, 'asked' | 'empty'>

/** Months with what they came to; one leads to its people, or to where it is being made. */
export function PeriodTable(props: Props) {
  const [leaving, setLeaving] = useState<PeriodLine | null>(null)
  return (
    <section className="ui-card">
      <DataTable {...props} columns={columnsFor(setLeaving)} rowKey="period_id" unit="期" label="税款期间" />
      {leaving && <ClearPeriod period={leaving} onClose={() => setLeaving(null)} />}
    </section>
  )
}

const isMade = ({ status }: PeriodLine) => status === 'computed' || status === 'locked'

const columnsFor = (clear: (line: PeriodLine) => void): Columns<PeriodLine> => [
  {
    title: '税款所属期',
    key: 'month',
    fixed: 'start',
    className: 'ui-nowrap',
    render: (_, line) => (
      <Link to={isMade(line) ? '/salaryTax/history/detail' : '/salaryTax/add/update'} search={{ id: line.period_id }}>
        {monthName(line.month)}
      </Link>
    ),
  },
  {
    title: '状态',
    key: 'status',
    card: 'side',
    render: (_, { status, people, done, stale }) => (
      <div className={styles.state}>
        <StatusDot {...taxPeriodWords[status]} />
        {status === 'computing' && <small>{`${done} / ${people}`}</small>}
        {stale.length > 0 && <small className={styles.stale}>{`${stale[0]} 改过，需要重算`}</small>}
      </div>
    ),
  },
  { title: '人数', dataIndex: 'people', align: 'right', card: 'named' },
  { title: '本期收入', key: 'income', align: 'right', render: (_, { totals }) => <Money fen={totals?.income_fen ?? null} /> },
  {
    title: '应扣个税',
    key: 'tax',
    align: 'right',
    render: (_, { totals }) => <Money strong fen={totals ? totals.tax_fen + totals.bonus_tax_fen : null} />,
  },
  {
    title: '锁定',
    key: 'locked',
    className: 'ui-nowrap',
    from: 'lg',
    card: 'named',
    render: (_, { locked_at, locked_by }) => (locked_at ? `${locked_by ?? ''} ${day(locked_at)}` : '—'),
  },
  {
    title: '操作',
    key: 'acts',
    fixed: 'end',
    render: (_, line) => <RowMenu label={monthName(line.month)} acts={actsOf(line, clear)} />,
  },
]

const actsOf = (line: PeriodLine, clear: (line: PeriodLine) => void): RowAct[] => [
  {
    key: 'clear',
    label: '删除这一期',
    danger: true,
    verdict: line.status === 'locked' ? '已经锁定的不能删除' : line.status === 'computing' ? '正在计算，请先停止' : true,
    onClick: () => clear(line),
  },
]

function ClearPeriod({ period, onClose }: { period: PeriodLine; onClose: () => void }) {
  const [key] = useState(intent)
  const clear = useCall(clearPeriod, {
    key,
    onSuccess: () => {
      toast.done(`${monthName(period.month)}已删除`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title={`删除${monthName(period.month)}这一期？`}
      action="删除"
      busy={clear.isPending}
      onClose={onClose}
      onConfirm={() => clear.mutate({ period_id: period.period_id })}
    >
      {`里面 ${period.people} 人的收入和计算结果会一起删除，不能恢复；工资批次和工资条不受影响。`}
    </ConfirmDialog>
  )
}
