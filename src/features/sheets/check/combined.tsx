import { Button } from 'antd'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { type checkWageData, dealWithSalaryList } from '../../../../server/contract/sheets/sheet.ts'
import { useCallMutation } from '../../../api.ts'
import { toast } from '../../../components/overlay/toast.ts'
import { formatCount } from '../../../components/value/counts.ts'
import { Money } from '../../../components/value/money.tsx'
import { useSheetQuery } from '../wizard.tsx'
import cardStyles from './card/card.module.css'
import styles from './check.module.css'
import { formatRowLabel } from './issue-labels.ts'

/** Employees whose rows are combined into one payslip: who they are, their total pay, and a button to undo it. */
export function CombinedRows(props: { batch_id: string; people: CallOutput<typeof checkWageData>['combined']; busy: boolean }) {
  const { batch_id, people: combinedPayslips } = props
  const applyFixes = useCallMutation(dealWithSalaryList)
  const sections = useSheetQuery(batch_id).data?.parts
  const busy = props.busy || applyFixes.isPending
  const separate = (row: number, name: string) =>
    applyFixes.mutate(
      { batch_id, actions: [{ fix: 'separate', row }] },
      { onSuccess: () => toast.success(`${name || formatRowLabel(row, sections)}的各行已分开`) },
    )
  if (combinedPayslips.length === 0) return null
  return (
    <details className={`ui-card ${styles.skipped}`}>
      <summary>已合成 {formatCount(combinedPayslips.length)} 人的工资条</summary>
      <p className="ui-hint">每人一张工资条，各行分段显示，金额相加。</p>
      <ul aria-label="已合成的人">
        {combinedPayslips.map(({ row, name, net_fen, rows }) => (
          <li key={row}>
            <span className={cardStyles.checkRow}>{rows.map((rowNumber) => formatRowLabel(rowNumber, sections)).join('、')}</span>
            <strong>{name || '没有姓名'}</strong>
            {net_fen !== null && (
              <span className={cardStyles.checkPay}>
                <span>
                  <small>实发</small> <Money fen={net_fen} strong />
                </span>
              </span>
            )}
            <Button size="small" disabled={busy} aria-label={`分开${name}的各行`} onClick={() => separate(row, name)}>
              分开
            </Button>
          </li>
        ))}
      </ul>
    </details>
  )
}
