import type { ReactNode } from 'react'
import { type AmountSign, applySign, parseFen } from '../../../../server/contract/shared/money.ts'
import type { Cell } from '../../../../server/contract/shared/schemas.ts'
import { channelLabels } from '../../../../server/contract/shared/statuses.ts'
import type { Columns } from '../../../components/table/data-table.tsx'
import { type RowAction, RowMenu } from '../../../components/table/row-menu.tsx'
import { formatDateTime, formatShortDateTime } from '../../../components/value/dates.ts'
import { Money } from '../../../components/value/money.tsx'
import { StatusDot } from '../../../components/value/status-dot.tsx'
import styles from '../batch/batch.module.css'
import type { BatchDetail, PayslipListItem } from '../labels.ts'
import { type BuiltInColumn, builtInColumns, getSheetColumns, toSheetColumnName } from './selected-columns.tsx'

type PayslipColumn = Columns<PayslipListItem>[number]
const timeFields = ['sent_at', 'viewed_at', 'confirmed_at'] as const
type TimeField = (typeof timeFields)[number]
const createTimeColumn = (title: string, field: TimeField): PayslipColumn => ({
  title,
  key: field,
  className: 'ui-nowrap',
  render: (_, line) => (line[field] ? <time title={formatDateTime(line[field])}>{formatShortDateTime(line[field])}</time> : '—'),
})
const builtInColumnDefinitions: Record<Exclude<BuiltInColumn, 'net'>, PayslipColumn> = {
  departments: {
    title: builtInColumns.departments,
    dataIndex: 'departments',
    card: 'line',
    render: (text: string) => (text ? <TruncatedText text={text} /> : '—'),
  },
  channel: {
    title: builtInColumns.channel,
    key: 'channel',
    className: 'ui-nowrap',
    card: 'line',
    render: (_, line) => (line.channel ? channelLabels[line.channel] : '—'),
  },
  sent_at: createTimeColumn(builtInColumns.sent_at, 'sent_at'),
  viewed_at: createTimeColumn(builtInColumns.viewed_at, 'viewed_at'),
  confirmed_at: createTimeColumn(builtInColumns.confirmed_at, 'confirmed_at'),
}
const netColumn: PayslipColumn = {
  title: builtInColumns.net,
  key: 'net',
  align: 'right',
  card: 'side',
  render: (_, line) => <Money fen={line.net_fen} strong />,
}

/**
 * Renders what is known about the message while the status itself says only that it was sent: whoever viewed the payslip
 * received it. Accepted by a carrier does not mean delivered; a link needs no message.
 */
function renderDelivery({ status, delivery, channel, delivered_at, delay_message }: PayslipListItem): ReactNode {
  if (status !== 'sent' || !delivery || channel === 'link') return null
  if (delivered_at) return <Remark text="已送达" title={`${formatDateTime(delivered_at)} 收到送达回执`} />
  if (delay_message) return <Remark text="延迟" title={delay_message} />
  return delivery === 'accepted' ? <Remark text="已受理" title="渠道已受理，未收到送达回执" /> : null
}
const Remark = ({ text, title }: { text: string; title: string }) => (
  <span className={`ui-hint ${styles.cellFlag}`} title={title}>
    {text}
  </span>
)

/** Many or long departments are truncated; hovering shows all of them. */
const TruncatedText = ({ text }: { text: string }) => (
  <span className={styles.cellLong} title={text} data-cut="">
    {text}
  </span>
)

/** Formats amounts uniformly; all other values appear as in the wage sheet. */
function CellValue({ cell, sign }: { cell: Cell | undefined; sign: AmountSign }) {
  const fen = cell?.kind === 'money' ? parseFen(cell.value) : null
  if (fen === null) return cell?.value || '—'
  // A deduction is not highlighted as an alarm, as on the payslip.
  return (
    <span className={sign === 'own' ? '' : styles.cellOff}>
      <Money fen={applySign(fen, sign)} />
    </span>
  )
}

/** Creates the columns of the payslip table: name and status always, followed by net pay and the selected columns. */
export function createDetailColumns(props: {
  columns: BatchDetail['columns']
  selected: readonly string[]
  getActs: (line: PayslipListItem) => RowAction[]
  /** Every row shows this for a batch that is scheduled or can still be undone. */
  batch: Pick<BatchDetail['batch'], 'scheduled_at' | 'undo_seconds'>
  onOpen: (line: PayslipListItem) => void
}): Columns<PayslipListItem> {
  const { columns, selected, getActs: getActions, batch, onOpen } = props
  const isSelected = (name: string) => selected.includes(name)
  const visibleTimes = timeFields.filter(isSelected)
  // A card shows only the last time, next to the status that it led to.
  const getLastTime = (payslip: PayslipListItem) => visibleTimes.findLast((name) => payslip[name])
  return [
    {
      title: '姓名',
      key: 'name',
      fixed: 'start',
      render: (_, line) => (
        <button type="button" className={`ui-link ${styles.cellName}`} title={line.name} onClick={() => onOpen(line)}>
          {line.name}
        </button>
      ),
    },
    ...(isSelected('departments') ? [builtInColumnDefinitions.departments] : []),
    ...(isSelected('channel') ? [builtInColumnDefinitions.channel] : []),
    {
      title: '状态',
      key: 'status',
      card: ({ failure_message }) => (failure_message ? 'pair' : 'end'),
      render: (_, line) => (
        <>
          {batch.undo_seconds !== null && line.status === 'queued' ? (
            <StatusDot batch="scheduled" dispatchPending />
          ) : batch.scheduled_at && line.status === 'queued' ? (
            <StatusDot label={`定时 ${formatShortDateTime(batch.scheduled_at)}`} color="info" />
          ) : (
            <StatusDot salary={line.status} />
          )}
          {renderDelivery(line)}
          {line.has_feedback && line.status !== 'withdrawn' && (
            <span className={styles.cellFlag}>
              <StatusDot label="有反馈" color="warn" />
            </span>
          )}
          {line.version > 1 && <span className={`ui-hint ${styles.cellFlag}`}>第 {line.version} 版</span>}
          {line.failure_message && (
            <small className={styles.cellFailure} data-unsure={line.delivery === 'unknown' || undefined}>
              {line.failure_message}
            </small>
          )}
        </>
      ),
    },
    // Net pay comes before times and other selected columns, so that it stays visible in a small window.
    ...(isSelected('net') ? [netColumn] : []),
    ...visibleTimes.map(
      (name): PayslipColumn => ({
        ...builtInColumnDefinitions[name],
        card: (line) => (name === getLastTime(line) ? 'line' : 'none'),
      }),
    ),
    ...getSheetColumns(columns)
      .filter(({ label }) => isSelected(toSheetColumnName(label)))
      .map(
        ({ key, label, kind, sign }): PayslipColumn => ({
          title: label,
          key,
          className: 'ui-nowrap',
          ...(kind === 'money' || kind === 'number' ? { align: 'right' as const } : {}),
          render: (_, line) => <CellValue cell={line.cells[key]} sign={sign} />,
        }),
      ),
    {
      title: <span className="sr-only">操作</span>,
      key: 'acts',
      fixed: 'end',
      width: 60,
      render: (_, line) => <RowMenu label={line.name} acts={getActions(line)} />,
    },
  ]
}
