/** How slips of a batch behave, as the plan froze it. */
import type { OutputOf } from '../../../contract/call.ts'
import type { getWageDetail } from '../../../contract/slip.ts'

export type Rules = OutputOf<typeof getWageDetail>['batch']['rules']

const quiet: Rules = { confirm: false, feedback: false, view_password: false, burn_after_minutes: 0, watermark: false }

/** The rules kept with a batch; one that was never planned has none. */
export const rulesOf = (kept: unknown): Rules => ({ ...quiet, ...(kept as Partial<Rules> | null) })

/** When a slip closes for good after its first look; null when it never does. */
export const burnsAt = (rules: Rules, viewed_at: Date | null): Date | null =>
  viewed_at && rules.burn_after_minutes > 0 ? new Date(viewed_at.getTime() + rules.burn_after_minutes * 60_000) : null
