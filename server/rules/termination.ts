/** Whether a terminated employee can still open a payslip sent now: by the company's rule, and as owner of their phone. */
import { getTerminatedAccessEnd } from '../contract/shared/statuses.ts'
import { numberReuseDelayMs } from './phone.ts'

/**
 * `reads` means that the employee can open it with a code sent to their phone. `closed`: the company gives no access
 * after termination. `over`: the access period has ended. `unproven`: the employee never signed in, and so long ago
 * that the number may have been reassigned; or the phone was in doubt at termination.
 */
export type TerminatedAccess = 'reads' | 'closed' | 'over' | 'unproven'
export type Termination = { readonly on: string; readonly until: string | null; readonly access: TerminatedAccess }

type TerminationInput = {
  /** The last day of employment, such as `2026-11-20`. */
  readonly on: string
  /** Number of months for which the company keeps access open. */
  readonly months: number
  readonly today: string
  /** The employee has signed in to this company with their phone. */
  readonly hasJoined: boolean
  /** The phone was entered by others and not confirmed before the termination. */
  readonly isDoubted: boolean
}

export function getTermination({ on, months, today, hasJoined, isDoubted }: TerminationInput): Termination {
  const until = getTerminatedAccessEnd(on, months)
  if (until === null) return { on, until, access: 'closed' }
  if (until < today) return { on, until, access: 'over' }
  const isTrusted = !isDoubted && (hasJoined || canStillJoin(on, today))
  return { on, until, access: isTrusted ? 'reads' : 'unproven' }
}

/** Returns whether an employee who never signed in may still do so: until carriers may have reassigned the number. */
export const canStillJoin = (on: string, today: string): boolean => Date.parse(today) - Date.parse(on) < numberReuseDelayMs
