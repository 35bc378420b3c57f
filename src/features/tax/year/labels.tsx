import type { CallOutput } from '../../../../server/contract/call.ts'
import type { getReconciliationList } from '../../../../server/contract/tax/comparison.ts'
import { Money } from '../../../components/value/money.tsx'
import styles from '../period/period.module.css'

export type ReconciliationListItem = CallOutput<typeof getReconciliationList>['list'][number]

/** States the result in words, so that nobody has to interpret a minus sign. */
export function ReconciliationDue({
  of: { due_fen, payment_exempt },
}: {
  of: Pick<ReconciliationListItem, 'due_fen' | 'payment_exempt'>
}) {
  if (due_fen === 0) return <span className="ui-label">不补不退</span>
  return (
    <span className={due_fen > 0 ? styles.differs : undefined}>
      {due_fen > 0 ? '补 ' : '退 '}
      <Money fen={Math.abs(due_fen)} strong />
      {payment_exempt && <small className="ui-hint"> 可免补</small>}
    </span>
  )
}
export const formatBonusMethod = ({
  separate_fen,
  better_bonus_method,
}: Pick<ReconciliationListItem, 'separate_fen' | 'better_bonus_method'>): string =>
  separate_fen === null
    ? '—'
    : better_bonus_method === 'merged'
      ? '并入更省'
      : better_bonus_method === 'separate'
        ? '单独更省'
        : '两种相同'

/** Formats a statutory amount in everyday form: `12 万元`, `400 元`. */
const formatRoundAmount = (fen: number): string =>
  fen > 0 && fen % 1_000_000 === 0 ? `${fen / 1_000_000} 万元` : `${fen / 100} 元`
export const formatExemption = ({ income_fen, due_fen }: { income_fen: number; due_fen: number }): string =>
  `综合所得不超过 ${formatRoundAmount(income_fen)}或补税不超过 ${formatRoundAmount(due_fen)}，依法预缴了的可以不补。`
