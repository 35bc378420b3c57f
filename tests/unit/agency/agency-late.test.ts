/** What an agency learns about a company it serves: what is overdue, and whether the service is still active. */
import { expect, it } from 'vitest'
import { findOverdue, getServiceStatus, type OverdueKind } from '../../../server/modules/agency/rules/overdue.ts'

const fine = { people: 10, sent: 10, failed: 0, feedback: 0, unviewed: 0 }
it.each<[what: string, seen: Partial<typeof fine> | null, until: string | null, today: string, late: OverdueKind[]]>([
  ['nothing', {}, '2027-06-30', '2026-11-23', []],
  ['payslips not sent by the middle of the month are late', { sent: 0 }, null, '2026-11-15', ['unsent']],
  ['the day before is not late', { sent: 0 }, null, '2026-11-14', []],
  ['a company without members is not late', { people: 0, sent: 0 }, null, '2026-11-20', []],
  ['one undelivered payslip is reported', { failed: 1 }, null, '2026-11-01', ['failed']],
  ['one unanswered question is reported', { feedback: 1 }, null, '2026-11-01', ['feedback']],
  ['half of the payslips not viewed are not reported', { unviewed: 5 }, null, '2026-11-01', []],
  ['more than half of the payslips not viewed are reported', { unviewed: 6 }, null, '2026-11-01', ['unviewed']],
  ['a service that ends in two weeks is reported', {}, '2026-12-07', '2026-11-23', ['ending']],
  ['a service that ends a day later is not reported', {}, '2026-12-08', '2026-11-23', []],
  ['an agency without granted access is not reported', null, '2026-11-24', '2026-11-23', ['ending']],
])('%s', (_, viewed, until, today, late) => {
  expect(findOverdue(viewed && { ...fine, ...viewed }, until, today)).toEqual(late)
})

it('expires a service after its last day only if it was active', () => {
  expect(getServiceStatus('active', '2026-11-23', '2026-11-23')).toBe('active')
  expect(getServiceStatus('active', '2026-11-22', '2026-11-23')).toBe('expired')
  expect(getServiceStatus('ended', '2026-11-22', '2026-11-23')).toBe('ended')
  expect(getServiceStatus('waiting', null, '2026-11-23')).toBe('waiting')
})
