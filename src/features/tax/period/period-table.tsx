import { Link } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { useState } from 'react'
import { clearPeriod } from '../../../../server/contract/tax/periods.ts'
import { taxPeriodLabels } from '../../../../server/contract/tax/statuses.ts'
import { createIdempotencyKey, useCallMutation } from '../../../api.ts'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { type Columns, DataTable } from '../../../components/table/data-table.tsx'
import { type RowAction, RowMenu } from '../../../components/table/row-menu.tsx'
import { formatDate, formatMonth } from '../../../components/value/dates.ts'
import { Money } from '../../../components/value/money.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import type { PeriodListItem } from './labels.ts'
import styles from './period.module.css'

type PeriodTableProps = Pick<ComponentProps<typeof DataTable<PeriodListItem>>, 'requested' | 'empty'>

/** Periods with their totals; each links to its employees, or to its computation. */
export function PeriodTable(props: PeriodTableProps) {
  const [deleted, setDeleted] = useState<PeriodListItem | null>(null)
  return (
    <section className="ui-card">
      <DataTable {...props} columns={createColumns(setDeleted)} rowKey="period_id" unit="期" label="税款期间" />
      {deleted && <DeletePeriodDialog period={deleted} onClose={() => setDeleted(null)} />}
    </section>
  )
}

const isComputed = ({ status }: PeriodListItem) => status === 'computed' || status === 'locked'

const createColumns = (onDelete: (line: PeriodListItem) => void): Columns<PeriodListItem> => [
  {
    title: '税款所属期',
    key: 'month',
    fixed: 'start',
    className: 'ui-nowrap',
    render: (_, line) => (
      <Link to={isComputed(line) ? '/salaryTax/history/detail' : '/salaryTax/add/update'} search={{ id: line.period_id }}>
        {formatMonth(line.month)}
      </Link>
    ),
  },
  {
    title: '状态',
    key: 'status',
    card: 'side',
    render: (_, { status, member_count, done, needs_recompute }) => (
      <div className={styles.state}>
        <StatusDot {...taxPeriodLabels[status]} />
        {status === 'computing' && <small>{`${done} / ${member_count}`}</small>}
        {needs_recompute.length > 0 && <small className={styles.stale}>{`${needs_recompute[0]} 改过，需要重算`}</small>}
      </div>
    ),
  },
  { title: '人数', dataIndex: 'member_count', align: 'right', card: 'named' },
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
    render: (_, { locked_at, locked_by }) => (locked_at ? `${locked_by ?? ''} ${formatDate(locked_at)}` : '—'),
  },
  {
    title: '操作',
    key: 'acts',
    fixed: 'end',
    render: (_, line) => <RowMenu label={formatMonth(line.month)} acts={getPeriodActions(line, onDelete)} />,
  },
]

const getPeriodActions = (period: PeriodListItem, onDelete: (line: PeriodListItem) => void): RowAction[] => [
  {
    key: 'clear',
    label: '删除这一期',
    danger: true,
    allowed: period.status === 'locked' ? '已经锁定的不能删除' : period.status === 'computing' ? '正在计算，请先停止' : true,
    onClick: () => onDelete(period),
  },
]

function DeletePeriodDialog({ period, onClose }: { period: PeriodListItem; onClose: () => void }) {
  const [key] = useState(createIdempotencyKey)
  const clear = useCallMutation(clearPeriod, {
    key,
    onSuccess: () => {
      toast.success(`${formatMonth(period.month)}已删除`)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title={`删除${formatMonth(period.month)}这一期？`}
      action="删除"
      busy={clear.isPending}
      onClose={onClose}
      onConfirm={() => clear.mutate({ period_id: period.period_id })}
    >
      {`里面 ${period.member_count} 人的收入和计算结果会一起删除，不能恢复；工资批次和工资条不受影响。`}
    </ConfirmDialog>
  )
}
