import type { ReactNode } from 'react'
import { parseFen, type Sign, signed } from '../../../../server/contract/words/money.ts'
import { channelWords } from '../../../../server/contract/words/states.ts'
import type { Cell } from '../../../../server/contract/words/words.ts'
import type { Tone } from '../../../theme.ts'
import type { Columns } from '../../../ui/table/data-table.tsx'
import { type RowAct, RowMenu } from '../../../ui/table/row-menu.tsx'
import { dayAndTime, shortTime } from '../../../ui/value/dates.ts'
import { Money } from '../../../ui/value/money.tsx'
import { StatusDot } from '../../../ui/value/status-dot.tsx'
import styles from '../batch/batch.module.css'
import type { Detail, SlipLine } from '../words.ts'
import { type OwnColumn, ownColumns, sheetColumn, sheetColumnsOf } from './chosen-columns.tsx'

type Column = Columns<SlipLine>[number]
const times = ['sent_at', 'viewed_at', 'confirmed_at'] as const
type Time = (typeof times)[number]
const time = (title: string, field: Time): Column => ({
  title,
  key: field,
  className: 'ui-nowrap',
  render: (_, line) => (line[field] ? <time title={dayAndTime(line[field])}>{shortTime(line[field])}</time> : '—'),
})
const own: Record<Exclude<OwnColumn, 'net'>, Column> = {
  departments: {
    title: ownColumns.departments,
    dataIndex: 'departments',
    card: 'line',
    render: (text: string) => (text ? <LongText text={text} /> : '—'),
  },
  channel: {
    title: ownColumns.channel,
    key: 'channel',
    className: 'ui-nowrap',
    card: 'line',
    render: (_, line) => (line.channel ? channelWords[line.channel] : '—'),
  },
  arrived: {
    title: ownColumns.arrived,
    key: 'arrived',
    className: 'ui-nowrap',
    // Who has looked has it.
    card: ({ viewed_at }) => (viewed_at ? 'none' : 'line'),
    render: (_, line) => arrivedOf(line),
  },
  sent_at: time(ownColumns.sent_at, 'sent_at'),
  viewed_at: time(ownColumns.viewed_at, 'viewed_at'),
  confirmed_at: time(ownColumns.confirmed_at, 'confirmed_at'),
}
const net: Column = {
  title: ownColumns.net,
  key: 'net',
  align: 'right',
  card: 'side',
  render: (_, line) => <Money fen={line.net_fen} strong />,
}

/** What is known of the message itself. Taken by a carrier is not arrived; a link needs no message. */
function arrivedOf(line: SlipLine): ReactNode {
  const { delivery, channel, delivered_at, delayed } = line
  if (!delivery || channel === 'link') return '—'
  const [word, tone, why] = ((): [string, Tone, string] => {
    if (delivered_at) return ['已送达', 'ok', `${dayAndTime(delivered_at)} 收到送达回执`]
    if (delivery === 'failed') return ['没有送达', 'danger', line.failure ?? '']
    if (delivery === 'unknown') return ['不确定', 'warn', line.failure ?? '是否送达无法确认']
    if (delayed) return ['延迟', 'warn', delayed]
    return delivery === 'accepted' ? ['已受理', 'ink3', '渠道已收下，还没有送达回执'] : ['—', 'ink3', '']
  })()
  return word === '—' ? (
    word
  ) : (
    <span title={why}>
      <StatusDot word={word} tone={tone} />
    </span>
  )
}

/** Many departments, or long ones, are cut; pointing at them tells the rest. */
const LongText = ({ text }: { text: string }) => (
  <span className={styles.cellLong} title={text} data-cut="">
    {text}
  </span>
)

/** Amounts in one spelling; everything else, and what is no plain amount, as the sheet had it. */
function CellValue({ cell, sign }: { cell: Cell | undefined; sign: Sign }) {
  const fen = cell?.kind === 'money' ? parseFen(cell.value) : null
  if (fen === null) return cell?.value || '—'
  // What is taken off is no alarm, as on the slip.
  return (
    <span className={sign === 'own' ? '' : styles.cellOff}>
      <Money fen={signed(fen, sign)} />
    </span>
  )
}

/** The table of slips: name and state always, the net pay beside them, the rest as chosen. */
export function detailColumns(props: {
  columns: Detail['columns']
  chosen: readonly string[]
  actsOf: (line: SlipLine) => RowAct[]
  /** Of a batch that waits for its time, or to be undone: every row says so. */
  batch: Pick<Detail['batch'], 'scheduled_at' | 'undo_seconds'>
  onOpen: (line: SlipLine) => void
}): Columns<SlipLine> {
  const { columns, chosen, actsOf, batch, onOpen } = props
  const wants = (name: string) => chosen.includes(name)
  const shownTimes = times.filter(wants)
  // A card tells the last of them, beside the state that it led to.
  const lastOf = (line: SlipLine) => shownTimes.findLast((name) => line[name])
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
    ...(wants('departments') ? [own.departments] : []),
    ...(wants('channel') ? [own.channel] : []),
    ...(wants('arrived') ? [own.arrived] : []),
    {
      title: '状态',
      key: 'status',
      card: ({ failure }) => (failure ? 'pair' : 'end'),
      render: (_, line) => (
        <>
          {batch.undo_seconds !== null && line.status === 'queued' ? (
            <StatusDot batch="scheduled" soon />
          ) : batch.scheduled_at && line.status === 'queued' ? (
            <StatusDot word={`定时 ${shortTime(batch.scheduled_at)}`} tone="info" />
          ) : (
            <StatusDot salary={line.status} />
          )}
          {line.has_feedback && line.status !== 'withdrawn' && (
            <span className={styles.cellFlag}>
              <StatusDot word="有反馈" tone="warn" />
            </span>
          )}
          {line.version > 1 && <span className={`ui-hint ${styles.cellFlag}`}>第 {line.version} 版</span>}
          {line.failure && (
            <small className={styles.cellFailure} data-unsure={line.delivery === 'unknown' || undefined}>
              {line.failure}
            </small>
          )}
        </>
      ),
    },
    // Before times and whatever else was chosen: nothing pushes the pay out of a small window.
    ...(wants('net') ? [net] : []),
    ...shownTimes.map((name): Column => ({ ...own[name], card: (line) => (name === lastOf(line) ? 'line' : 'none') })),
    ...sheetColumnsOf(columns)
      .filter(({ label }) => wants(sheetColumn(label)))
      .map(
        ({ key, label, kind, sign }): Column => ({
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
      render: (_, line) => <RowMenu label={line.name} acts={actsOf(line)} />,
    },
  ]
}
