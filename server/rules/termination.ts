/** Whether somebody who has left can still open a payslip that is sent to them now: by the company's own rule, and as the person of their phone. */
import { getTerminatedAccessEnd } from '../contract/shared/statuses.ts'
import { numberReuseDelayMs } from './phone.ts'

/**
 * `reads`: a code to their phone opens it. `closed`: the company lets nobody who has left. `over`: their time has passed. `unproven`: they never signed
 * in, and so long ago that their number may be somebody else's by now; or the phone was in doubt when they left.
 */
export type TerminatedAccess = 'reads' | 'closed' | 'over' | 'unproven'
export type Termination = { readonly on: string; readonly until: string | null; readonly access: TerminatedAccess }

type TerminationInput = {
  /** The last day, `2026-11-20`. */
  readonly on: string
  /** For how many months the company lets them read. */
  readonly months: number
  readonly today: string
  /** They have signed in to this company with their phone. */
  readonly hasJoined: boolean
  /** Others gave the phone, and nobody had confirmed it when they left. */
  readonly isDoubted: boolean
}

export function getTermination({ on, months, today, hasJoined, isDoubted }: TerminationInput): Termination {
  const until = getTerminatedAccessEnd(on, months)
  if (until === null) return { on, until, access: 'closed' }
  if (until < today) return { on, until, access: 'over' }
  const isTrusted = !isDoubted && (hasJoined || canStillJoin(on, today))
  return { on, until, access: isTrusted ? 'reads' : 'unproven' }
}

/** Who never signed in may do so for the first time as long as carriers keep a number back: until then nobody else has it. */
export const canStillJoin = (on: string, today: string): boolean => Date.parse(today) - Date.parse(on) < numberReuseDelayMs
