import { Button } from 'antd'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { type checkWageData, dealWithSalaryList } from '../../../../server/contract/sheets/sheet.ts'
import { useCallMutation } from '../../../api.ts'
import { toast } from '../../../components/overlay/toast.ts'
import { formatCount } from '../../../components/value/counts.ts'
import { useSheetQuery } from '../wizard.tsx'
import cardStyles from './card/card.module.css'
import styles from './check.module.css'
import { formatRowLabel } from './issue-labels.ts'

/** Skipped employees, with a button to undo it. */
export function SkippedRows(props: {
  batch_id: string
  /** The number of all skipped rows; the server lists the first 200. */
  count: number
  rows: CallOutput<typeof checkWageData>['skipped']
  busy: boolean
}) {
  const { batch_id, count, rows } = props
  const applyFixes = useCallMutation(dealWithSalaryList)
  const sections = useSheetQuery(batch_id).data?.parts
  const busy = props.busy || applyFixes.isPending
  const restore = (row?: number) =>
    applyFixes.mutate(
      { batch_id, actions: [{ fix: 'restore', ...(row === undefined ? {} : { row }) }] },
      { onSuccess: ({ done }) => toast.success(`恢复了 ${formatCount(done)} 人`) },
    )
  if (count === 0) return null
  return (
    <details className={`ui-card ${styles.skipped}`}>
      <summary>已跳过 {formatCount(count)} 人</summary>
      <p className="ui-hint">他们不会收到这次的工资条，合计也不算他们。</p>
      <ul aria-label="已跳过的人">
        {rows.map(({ row, name }) => (
          <li key={row}>
            <span className={cardStyles.checkRow}>{formatRowLabel(row, sections)}</span>
            <strong>{name || '没有姓名'}</strong>
            <Button
              size="small"
              disabled={busy}
              aria-label={`恢复${formatRowLabel(row, sections)}${name}`}
              onClick={() => restore(row)}
            >
              恢复
            </Button>
          </li>
        ))}
      </ul>
      {count > rows.length && <p className="ui-hint">先列出 {formatCount(rows.length)} 人，恢复后会继续列出</p>}
      <Button disabled={busy} onClick={() => restore()}>
        全部恢复
      </Button>
    </details>
  )
}
