/** What is overdue in a served company, and the status of its service. Pure. */
export type OverdueKind = 'unsent' | 'failed' | 'feedback' | 'unviewed' | 'ending'
export type AgencyServiceStatus = 'waiting' | 'active' | 'refused' | 'ended' | 'expired'

/** Wages of a month are expected by this day of the next month. */
const expectedPayDay = 15
const endingSoonDays = 14

type ServiceSummary = {
  readonly sent: number
  readonly people: number
  readonly failed: number
  readonly feedback: number
  readonly unviewed: number
}

/** `today` and `until` have the form `2026-11-23`. `summary` is null without access. */
export function findOverdue(summary: ServiceSummary | null, until: string | null, today: string): OverdueKind[] {
  const includeIf = (kind: OverdueKind, condition: boolean): OverdueKind[] => (condition ? [kind] : [])
  return [
    ...includeIf(
      'unsent',
      summary !== null && summary.people > 0 && summary.sent === 0 && Number(today.slice(8)) >= expectedPayDay,
    ),
    ...includeIf('failed', summary !== null && summary.failed > 0),
    ...includeIf('feedback', summary !== null && summary.feedback > 0),
    // A few employees always read late; more than half unread is a reason to remind.
    ...includeIf('unviewed', summary !== null && summary.sent > 0 && summary.unviewed * 2 > summary.sent),
    ...includeIf('ending', until !== null && daysBetween(today, until) <= endingSoonDays),
  ]
}

const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)

/** A service expires automatically after its last day. */
export const getServiceStatus = (
  status: Exclude<AgencyServiceStatus, 'expired'>,
  until: string | null,
  today: string,
): AgencyServiceStatus => (status === 'active' && until !== null && until < today ? 'expired' : status)
