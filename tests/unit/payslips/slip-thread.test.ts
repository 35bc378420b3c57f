/** Feedback on payslips: the status of a thread, who is responsible, and when a reply is due. */

import { describe, expect, test } from 'vitest'
import { isWorkday } from '../../../server/modules/notifications/index.ts'
import { formatDueReminder, getDueDate, getNextDueDate, getThreadOwner } from '../../../server/modules/payslips/rules/feedback.ts'

describe('due date of a reply', () => {
  test.each([
    ['a Monday morning', '2026-11-23T09:00:00+08:00', 3, '2026-11-26'],
    ['late in the evening, still that day', '2026-11-23T23:59:00+08:00', 1, '2026-11-24'],
    ['after midnight, the next day', '2026-11-24T00:01:00+08:00', 1, '2026-11-25'],
    ['a period over a weekend', '2026-11-26T10:00:00+08:00', 3, '2026-12-01'],
    ['asked on a Saturday: Monday is the first day', '2026-11-28T10:00:00+08:00', 1, '2026-11-30'],
    ['over 国庆, whose days do not count, unlike the Saturday worked for them', '2026-09-30T10:00:00+08:00', 3, '2026-10-10'],
    ['over 春节, with its worked Saturday before', '2026-02-13T10:00:00+08:00', 2, '2026-02-24'],
  ])('%s', (_, requested, days, day) => {
    expect(getDueDate(new Date(requested), days, isWorkday)).toEqual(new Date(`${day}T23:59:59+08:00`))
  })
  test('sets no due date without a configured time, and terminates for a calendar without workdays', () => {
    expect(getDueDate(new Date('2026-11-23T09:00:00+08:00'), 0, isWorkday)).toBeNull()
    expect(getDueDate(new Date('2026-11-23T09:00:00+08:00'), 1, () => false)).toBeInstanceOf(Date)
  })
  const [before, fresh] = [new Date('2026-11-26T15:59:59Z'), new Date('2026-12-01T15:59:59Z')]
  test.each([
    ['a further message keeps the due date', 'open', before, before],
    ['a first or new question gets a due date', 'open', null, fresh],
    ['a reply ends the waiting', 'answered', before, null],
    ['已解决 ends the waiting', 'resolved', before, null],
  ] as const)('%s', (_, status, was, is) => {
    expect(getNextDueDate(status, was, () => fresh)).toBe(is)
  })
})

test.each([
  ['an unassigned thread', null, 'batch'],
  ['an assigned thread', 'other', 'other'],
  ['a thread of an assignee without payroll authority', 'gone', 'batch'],
])('returns the responsible administrator: %s', (_, provided_to, owner) => {
  expect(getThreadOwner({ given_to: provided_to, batch_owner: 'batch' }, new Set(['batch', 'other']))).toBe(owner)
})

test.each([
  [0, 0, null],
  [2, 0, '员工反馈有 2 条今天到期，请尽快回复'],
  [0, 1, '员工反馈有 1 条已超时，请尽快回复'],
  [2, 1, '员工反馈有 2 条今天到期、1 条已超时，请尽快回复'],
])('summarizes %d due today and %d late: %s', (today, late, text) => {
  expect(formatDueReminder({ today, late })).toBe(text)
})
