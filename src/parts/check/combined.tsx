import { Button } from 'antd'
import type { OutputOf } from '../../../server/contract/call.ts'
import { type checkWageData, dealWithSalaryList } from '../../../server/contract/sheet/sheet.ts'
import { useCall } from '../../api.ts'
import { toast } from '../../ui/over/toast.ts'
import { Money } from '../../ui/value/money.tsx'
import { useSheet } from '../sheet/wizard.tsx'
import cardStyles from './card/card.module.css'
import styles from './check.module.css'
import { rowWords } from './problem-words.ts'

/** People whose rows become one payslip: who they are, what they are paid together, and the way back. */
export function Combined(props: { batch_id: string; people: OutputOf<typeof checkWageData>['combined']; busy: boolean }) {
  const { batch_id, people } = props
  const deal = useCall(dealWithSalaryList)
  const parts = useSheet(batch_id).data?.parts
  const busy = props.busy || deal.isPending
  const separate = (row: number, name: string) =>
    deal.mutate(
      { batch_id, actions: [{ fix: 'separate', row }] },
      { onSuccess: () => toast.done(`${name || rowWords(row, parts)}的各行已分开`) },
    )
  if (people.length === 0) return null
  return (
    <details className={`ui-card ${styles.skipped}`}>
      <summary>已合成 {people.length} 人的工资条</summary>
      <p className="ui-hint">每人一张工资条，各行分段显示，金额相加。</p>
      <ul aria-label="已合成的人">
        {people.map(({ row, name, net_fen, rows }) => (
          <li key={row}>
            <span className={cardStyles.checkRow}>{rows.map((one) => rowWords(one, parts)).join('、')}</span>
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
