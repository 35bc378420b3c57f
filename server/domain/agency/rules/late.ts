/** What is late in a served company, and how its service stands. Pure. */
export type Late = 'unsent' | 'failed' | 'feedback' | 'unviewed' | 'ending'
export type ServiceState = 'waiting' | 'active' | 'refused' | 'ended' | 'expired'

/** Wages of a month are looked for by this day of the next one. */
const pay_day = 15
const ending_days = 14

type Seen = {
  readonly sent: number
  readonly people: number
  readonly failed: number
  readonly feedback: number
  readonly unviewed: number
}

/** `today` and `until` as `2026-11-23`. `seen` is null where nothing may be seen. */
export function lateOf(seen: Seen | null, until: string | null, today: string): Late[] {
  const is = (late: Late, holds: boolean): Late[] => (holds ? [late] : [])
  return [
    ...is('unsent', seen !== null && seen.people > 0 && seen.sent === 0 && Number(today.slice(8)) >= pay_day),
    ...is('failed', seen !== null && seen.failed > 0),
    ...is('feedback', seen !== null && seen.feedback > 0),
    // A few are always late with reading; half of them is a reason to remind.
    ...is('unviewed', seen !== null && seen.sent > 0 && seen.unviewed * 2 > seen.sent),
    ...is('ending', until !== null && daysBetween(today, until) <= ending_days),
  ]
}

const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)

/** A service ends by itself after its last day. */
export const stateOf = (status: Exclude<ServiceState, 'expired'>, until: string | null, today: string): ServiceState =>
  status === 'active' && until !== null && until < today ? 'expired' : status
