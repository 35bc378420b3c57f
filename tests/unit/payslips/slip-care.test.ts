/** When payslips are confirmed automatically, who is reminded when, and the texts about it, as tables. */
import { describe, expect, test } from 'vitest'
import { isWorkday } from '../../../server/modules/notifications/rules/holidays.ts'
import { getStatusAfterAction } from '../../../server/modules/payslips/rules/feedback.ts'
import {
  formatProgressReport,
  getAutoConfirmAt,
  getAutoConfirmCutoff,
  getReminderDays,
  getReminderSpan,
  getWeekday,
  subtractDays,
} from '../../../server/modules/payslips/rules/reminder-dates.ts'
import { getReminderPrefix, toAutomaticReminderPurpose } from '../../../server/modules/payslips/rules/reminder-purpose.ts'
import { isContactHour } from '../../../server/rules/contact-hours.ts'

describe('days in Shanghai', () => {
  test.each([
    ['2026-11-20', 1, '2026-11-19'],
    ['2026-03-01', 1, '2026-02-28'],
    ['2028-03-01', 1, '2028-02-29'],
    ['2028-03-28', 28, '2028-02-29'],
    ['2027-01-01', 1, '2026-12-31'],
    ['2026-12-31', 30, '2026-12-01'],
    ['2100-03-01', 1, '2100-02-28'],
  ])('%s, %i days before: %s', (day, count, before) => {
    expect(subtractDays(day, count)).toBe(before)
  })

  test.each([
    ['the first instant of the previous day in Shanghai', '2026-11-19T00:00:00+08:00', true],
    ['the last instant of that day', '2026-11-19T23:59:59.999+08:00', true],
    ['the same day in UTC, but the next in Shanghai', '2026-11-19T16:00:00Z', false],
    ['too early in the morning', '2026-11-18T23:59:59.999+08:00', false],
    ['today', '2026-11-20T00:00:00+08:00', false],
  ])('sends the reminder of day 1 on 20 November for a payslip provided %s', (_, provided, due) => {
    const { from, to } = getReminderSpan('2026-11-20', 1)
    expect(new Date(provided) >= from && new Date(provided) < to).toBe(due)
  })
  test.each([
    ['2028-03-03', 3, '2028-02-29T12:00:00+08:00'],
    ['2026-03-03', 3, '2026-02-28T12:00:00+08:00'],
    ['2027-01-28', 28, '2026-12-31T12:00:00+08:00'],
  ])('counts days across the end of a month: on %s, day %i covers what was provided at %s', (day, after, provided) => {
    const { from, to } = getReminderSpan(day, after)
    expect(new Date(provided) >= from && new Date(provided) < to).toBe(true)
  })
})

describe('automatic confirmation', () => {
  test.each([
    ['never', 0, null],
    ['one day', 1, '2028-02-29T09:30:00+08:00'],
    ['a leap day', 2, '2028-02-28T09:30:00+08:00'],
    ['60 days', 60, '2028-01-01T09:30:00+08:00'],
  ])('%s', (_, days, until) => {
    expect(getAutoConfirmCutoff(new Date('2028-03-01T09:30:00+08:00'), days)).toEqual(until ? new Date(until) : null)
  })
})

test.each([
  ['2026-11-20T07:59:59+08:00', false],
  ['2026-11-20T08:00:00+08:00', true],
  ['2026-11-20T09:30:00+08:00', true],
  ['2026-11-20T20:59:59+08:00', true],
  ['2026-11-20T21:00:00+08:00', false],
  ['2026-11-20T16:30:00Z', false],
])('does not notify at night: %s', (at, may) => {
  expect(isContactHour(new Date(at))).toBe(may)
})

describe('reminders on workdays', () => {
  test.each([
    ['a Friday covers itself', '2026-11-20', ['2026-11-20']],
    ['a Saturday covers no day', '2026-11-21', []],
    ['a Sunday covers no day', '2026-11-22', []],
    ['the Monday after it also covers the weekend', '2026-11-23', ['2026-11-23', '2026-11-22', '2026-11-21']],
    ['National Day, a Thursday, covers no day', '2026-10-01', []],
    [
      'the first day after National Day covers seven days',
      '2026-10-08',
      ['2026-10-08', '2026-10-07', '2026-10-06', '2026-10-05', '2026-10-04', '2026-10-03', '2026-10-02', '2026-10-01'],
    ],
    ['a Saturday worked for a holiday covers itself', '2026-10-10', ['2026-10-10']],
    ['the Monday after it covers Sunday alone', '2026-10-12', ['2026-10-12', '2026-10-11']],
    ['workdays over the end of a year', '2026-01-04', ['2026-01-04', '2026-01-03', '2026-01-02', '2026-01-01']],
    ['a year without an announced calendar follows the week', '2031-01-06', ['2031-01-06', '2031-01-05', '2031-01-04']],
  ])('%s', (_, day, days) => {
    expect(getReminderDays(day, (one) => isWorkday(one, getWeekday(one)))).toEqual(days)
  })
  test('covers every day of the year exactly once', () => {
    const all = Array.from({ length: 365 }, (_, back) => subtractDays('2026-12-31', back))
    const reminded = all.flatMap((day) => getReminderDays(day, (one) => isWorkday(one, getWeekday(one))))
    expect(new Set(reminded).size).toBe(reminded.length)
    expect(all.filter((day) => !reminded.includes(day))).toEqual([])
  })
  test('terminates for a calendar that never ends its days off', () => {
    expect(getReminderDays('2026-11-20', (day) => day === '2026-11-20').length).toBeLessThan(20)
  })
})

test('sends an automatic reminder once a day and counts it towards the limit of three', () => {
  expect(toAutomaticReminderPurpose('2026-11-20')).toBe('remind-2026-11-20-auto')
  expect(toAutomaticReminderPurpose('2026-11-20').startsWith(getReminderPrefix('2026-11-20'))).toBe(true)
})

describe('progress report', () => {
  const line = (title: string, unviewed: number, unconfirmed: number) => ({ title, unviewed, unconfirmed })
  test.each([
    [[line('十月工资', 3, 5)], '「十月工资」还有 3 人没有查看、5 人没有确认'],
    [[line('十月工资', 3, 0)], '「十月工资」还有 3 人没有查看'],
    [[line('十月工资', 0, 5)], '「十月工资」还有 5 人没有确认'],
    [[line('甲', 1, 0), line('乙', 0, 2)], '「甲」还有 1 人没有查看；「乙」还有 2 人没有确认'],
    [
      [line('甲', 1, 0), line('乙', 1, 0), line('丙', 1, 0), line('丁', 1, 0), line('戊', 1, 0)],
      '「甲」还有 1 人没有查看；「乙」还有 1 人没有查看；「丙」还有 1 人没有查看；另有 2 批',
    ],
  ])('reports progress for case %#', (lines, text) => {
    expect(formatProgressReport(lines)).toBe(text)
  })
})

describe('time of automatic confirmation', () => {
  const at = (day: number) => new Date(Date.UTC(2026, 10, day, 3))
  const provided = { sent_at: at(1), corrected_at: null }
  test.each([
    ['after the configured days', provided, { days: 3, since: null }, at(4)],
    ['never, where the company has no rule', provided, { days: 0, since: null }, null],
    ['never, for payslips older than the rule', provided, { days: 3, since: at(2) }, null],
    ['for payslips since the rule', provided, { days: 3, since: at(1) }, at(4)],
    ['again from the start after a correction', { sent_at: at(1), corrected_at: at(5) }, { days: 3, since: at(2) }, at(8)],
    ['never, for a payslip that was not provided', { sent_at: null, corrected_at: null }, { days: 3, since: null }, null],
  ])('%s', (_, slip, rule, when) => expect(getAutoConfirmAt(slip, rule)).toEqual(when))
})

test.each([
  ['open', 'reply', '好', 'answered'],
  ['answered', 'reply', '还有', 'answered'],
  ['resolved', 'reply', '补充', 'resolved'],
  ['open', 'resolve', '', 'resolved'],
  ['answered', 'resolve', '改好了', 'resolved'],
  ['resolved', 'reopen', '', 'open'],
  ['resolved', 'reopen', '再看看', 'answered'],
] as const)('a thread that is %s, after %s %j, is %s', (before, action, content, after) =>
  expect(getStatusAfterAction(before, action, content)).toBe(after),
)
