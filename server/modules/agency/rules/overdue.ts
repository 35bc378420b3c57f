/** What is late in a served company, and how its service stands. Pure. */
export type OverdueKind = 'unsent' | 'failed' | 'feedback' | 'unviewed' | 'ending'
export type AgencyServiceStatus = 'waiting' | 'active' | 'refused' | 'ended' | 'expired'

/** Wages of a month are looked for by this day of the next one. */
const expectedPayDay = 15
const endingSoonDays = 14

type ServiceSummary = {
  readonly sent: number
  readonly people: number
  readonly failed: number
  readonly feedback: number
  readonly unviewed: number
}

/** `today` and `until` as `2026-11-23`. `summary` is null where nothing may be seen. */
export function findOverdue(summary: ServiceSummary | null, until: string | null, today: string): OverdueKind[] {
  const includeIf = (kind: OverdueKind, condition: boolean): OverdueKind[] => (condition ? [kind] : [])
  return [
    ...includeIf(
      'unsent',
      summary !== null && summary.people > 0 && summary.sent === 0 && Number(today.slice(8)) >= expectedPayDay,
    ),
    ...includeIf('failed', summary !== null && summary.failed > 0),
    ...includeIf('feedback', summary !== null && summary.feedback > 0),
    // A few are always late with reading; half of them is a reason to remind.
    ...includeIf('unviewed', summary !== null && summary.sent > 0 && summary.unviewed * 2 > summary.sent),
    ...includeIf('ending', until !== null && daysBetween(today, until) <= endingSoonDays),
  ]
}

const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)

/** A service ends by itself after its last day. */
export const getServiceStatus = (
  status: Exclude<AgencyServiceStatus, 'expired'>,
  until: string | null,
  today: string,
): AgencyServiceStatus => (status === 'active' && until !== null && until < today ? 'expired' : status)
