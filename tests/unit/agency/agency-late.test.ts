/** What an agency learns about a company it serves: what is overdue, and whether the service is still active. */
import { expect, it } from 'vitest'
import { findOverdue, getServiceStatus, type OverdueKind } from '../../../server/modules/agency/rules/overdue.ts'

const fine = { people: 10, sent: 10, failed: 0, feedback: 0, unviewed: 0 }
it.each<[what: string, seen: Partial<typeof fine> | null, until: string | null, today: string, late: OverdueKind[]]>([
  ['nothing', {}, '2027-06-30', '2026-11-23', []],
  ['nobody was sent anything by the middle of the month', { sent: 0 }, null, '2026-11-15', ['unsent']],
  ['the day before is early', { sent: 0 }, null, '2026-11-14', []],
  ['a company of nobody owes nothing', { people: 0, sent: 0 }, null, '2026-11-20', []],
  ['one did not get it', { failed: 1 }, null, '2026-11-01', ['failed']],
  ['one waits for an answer', { feedback: 1 }, null, '2026-11-01', ['feedback']],
  ['half of them have not looked', { unviewed: 5 }, null, '2026-11-01', []],
  ['more than half', { unviewed: 6 }, null, '2026-11-01', ['unviewed']],
  ['two weeks left', {}, '2026-12-07', '2026-11-23', ['ending']],
  ['a day more', {}, '2026-12-08', '2026-11-23', []],
  ['nothing may be seen yet', null, '2026-11-24', '2026-11-23', ['ending']],
])('%s', (_, viewed, until, today, late) => {
  expect(findOverdue(viewed && { ...fine, ...viewed }, until, today)).toEqual(late)
})

it('a service expires after its last day only if it was active', () => {
  expect(getServiceStatus('active', '2026-11-23', '2026-11-23')).toBe('active')
  expect(getServiceStatus('active', '2026-11-22', '2026-11-23')).toBe('expired')
  expect(getServiceStatus('ended', '2026-11-22', '2026-11-23')).toBe('ended')
  expect(getServiceStatus('waiting', null, '2026-11-23')).toBe('waiting')
})
