import type { OpeningPlan } from '../../../../server/contract/tax/opening.ts'
import { toast } from '../../../components/overlay/toast.ts'

/** Says how many balances were imported and which months wait for a new computation. */
export function reportOpeningImport({ people, months_to_recompute }: OpeningPlan, onDone: () => void): void {
  const waiting = months_to_recompute.length > 0 ? `；${months_to_recompute.join('、')} 需要重新计算` : ''
  toast.success(`已引入 ${people} 人的期初累计${waiting}`)
  onDone()
}
