/** Working days, from the notices of the State Council. */
import { describe, expect, it } from 'vitest'
import { holidays, isWorkday } from '../../server/domain/desk/rules/holidays.ts'
import { dayOf, weekdayOf } from '../../server/runtime/clock.ts'

const noon = (day: string) => new Date(`${day}T12:00:00+08:00`)
const works = (day: string): boolean => isWorkday(dayOf(noon(day)), weekdayOf(noon(day)))
const daysOf = (year: number): string[] =>
  Array.from({ length: 366 }, (_, at) => dayOf(new Date(Date.UTC(year, 0, 1 + at)))).filter((day) => day.startsWith(String(year)))

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
])('%s works: %s (%s)', (day, expected) => expect(works(day)).toBe(expected))

describe.each(Object.entries(holidays))('%s', (year, { source, number, issued_on, off, worked }) => {
  it('has its notice, of the year before', () => {
    expect(source).toContain(`关于${year}年部分节假日安排的通知`)
    expect([number[0], Number(issued_on.slice(0, 4))]).toEqual([Number(year) - 1, Number(year) - 1])
  })
  it('works no day that is off, and for others only on weekends', () => {
    for (const day of worked) {
      expect(weekdayOf(noon(`${year}-${day}`)), day).toBeGreaterThan(5)
      expect(
        off.some(([first, last]) => first <= day && day <= last),
        day,
      ).toBe(false)
    }
  })
  it('has the 248 working days that 365 days leave without 104 of weekends and the 13 of the law', () => {
    expect(daysOf(Number(year)).filter(works)).toHaveLength(248)
  })
})
