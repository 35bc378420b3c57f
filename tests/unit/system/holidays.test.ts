/** Workdays according to the notices of the State Council. */
import { describe, expect, it } from 'vitest'
import { holidayCalendar, isWorkday } from '../../../server/modules/notifications/rules/holidays.ts'
import { toShanghaiDate, toShanghaiWeekday } from '../../../server/shared/clock.ts'

const noon = (day: string) => new Date(`${day}T12:00:00+08:00`)
const works = (day: string): boolean => isWorkday(toShanghaiDate(noon(day)), toShanghaiWeekday(noon(day)))
const getDays = (year: number): string[] =>
  Array.from({ length: 366 }, (_, at) => toShanghaiDate(new Date(Date.UTC(year, 0, 1 + at)))).filter((day) =>
    day.startsWith(String(year)),
  )

it.each([
  ['2025-01-01', false, 'New Year, a Wednesday'],
  ['2025-01-26', true, 'a Sunday, for the Spring Festival'],
  ['2025-01-27', true, 'the Monday before'],
  ['2025-01-28', false, 'New Year’s Eve by the moon'],
  ['2025-02-04', false, 'its last day'],
  ['2025-02-05', true, 'the day after'],
  ['2025-10-08', false, 'the eighth day, as the Mid-Autumn Festival falls into it'],
  ['2025-10-11', true, 'a Saturday, for it'],
  ['2026-01-02', false, 'a Friday between'],
  ['2026-01-04', true, 'a Sunday, for it'],
  ['2026-02-16', false, 'the Spring Festival'],
  ['2026-02-28', true, 'a Saturday, for it'],
  ['2026-09-25', false, 'Mid-Autumn, a Friday'],
  ['2026-10-07', false, 'the last day of October’s week'],
  ['2026-10-08', true, 'the day after'],
  ['2026-11-21', false, 'a Saturday'],
  ['2026-11-23', true, 'a Monday'],
  ['2031-10-01', true, 'a year without a notice: the week alone'],
])('knows whether %s is a workday: %s (%s)', (day, expected) => expect(works(day)).toBe(expected))

describe.each(Object.entries(holidayCalendar))('%s', (year, { source, number, issued_on, days_off, workdays }) => {
  it('names the notice, issued the year before', () => {
    expect(source).toContain(`关于${year}年部分节假日安排的通知`)
    expect([number[0], Number(issued_on.slice(0, 4))]).toEqual([Number(year) - 1, Number(year) - 1])
  })
  it('contains no workday among the days off, and extra workdays only on weekends', () => {
    for (const day of workdays) {
      expect(toShanghaiWeekday(noon(`${year}-${day}`)), day).toBeGreaterThan(5)
      expect(
        days_off.some(([first, last]) => first <= day && day <= last),
        day,
      ).toBe(false)
    }
  })
  it('counts 248 workdays: 365 days less 104 weekend days and 13 statutory holidays', () => {
    expect(getDays(Number(year)).filter(works)).toHaveLength(248)
  })
})

/**
 * `休` and `班` as in the calendars of the notices, one character per day around each holiday; errors show at the first
 * and last day.
 */
describe.each([
  ['元旦 2025', '2024-12-31', '班休班班休休'],
  ['春节 2025', '2025-01-25', '休班班休休休休休休休休班班班班'],
  ['清明 2025', '2025-04-03', '班休休休班'],
  ['劳动节 2025', '2025-04-26', '休班班班班休休休休休班'],
  ['端午 2025', '2025-05-30', '班休休休班'],
  ['国庆 2025', '2025-09-27', '休班班班休休休休休休休休班班班休'],
  ['元旦 2026', '2025-12-31', '班休休休班班'],
  ['春节 2026', '2026-02-13', '班班休休休休休休休休休班班班班班休'],
  ['清明 2026', '2026-04-03', '班休休休班'],
  ['劳动节 2026', '2026-04-30', '班休休休休休班班班班休'],
  ['端午 2026', '2026-06-18', '班休休休班'],
  ['中秋 2026', '2026-09-19', '休班班班班班休休休班'],
  ['国庆 2026', '2026-09-30', '班休休休休休休休班班班休'],
  ['a year without a notice', '2031-10-01', '班班班休休班'],
  ['a leap day', '2028-02-28', '班班班'],
])('%s from %s', (_, first, signs) => {
  it(signs, () => {
    const days = [...signs].map((_sign, at) => toShanghaiDate(new Date(Date.parse(`${first}T12:00:00+08:00`) + at * 86_400_000)))
    expect(days.map((day) => (works(day) ? '班' : '休')).join('')).toBe(signs)
  })
})

it.each([
  ['a minute before midnight in China on the eve of the holiday', '2026-09-30T15:59:00Z', true],
  ['midnight in China, still the previous day in London', '2026-09-30T16:00:00Z', false],
  ['the last minute of the holiday', '2026-10-07T15:59:00Z', false],
  ['the first minute of the workday', '2026-10-07T16:00:00Z', true],
])('%s', (_, at, expected) => expect(isWorkday(toShanghaiDate(new Date(at)), toShanghaiWeekday(new Date(at)))).toBe(expected))
