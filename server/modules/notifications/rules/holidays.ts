/**
 * Working days in mainland China: Monday to Friday, except public holidays, plus the weekend days worked in exchange.
 * The State Council announces them in November for the following year, so each year is one entry here; years without an
 * entry fall back to the week.
 */

type DateRange = readonly [first: string, last: string]
type HolidayYear = {
  readonly source: string
  /** 国办发明电〔year〕number号. */
  readonly number: readonly [year: number, number: number]
  readonly issued_on: string
  /** Month and day, with both ends included. */
  readonly days_off: readonly DateRange[]
  /** Saturdays and Sundays that are working days. */
  readonly workdays: readonly string[]
}

export const holidayCalendar: Readonly<Record<string, HolidayYear>> = {
  '2025': {
    source: '国务院办公厅关于2025年部分节假日安排的通知',
    number: [2024, 12],
    issued_on: '2024-11-12',
    days_off: [
      ['01-01', '01-01'],
      ['01-28', '02-04'],
      ['04-04', '04-06'],
      ['05-01', '05-05'],
      ['05-31', '06-02'],
      ['10-01', '10-08'],
    ],
    workdays: ['01-26', '02-08', '04-27', '09-28', '10-11'],
  },
  '2026': {
    source: '国务院办公厅关于2026年部分节假日安排的通知',
    number: [2025, 7],
    issued_on: '2025-11-04',
    days_off: [
      ['01-01', '01-03'],
      ['02-15', '02-23'],
      ['04-04', '04-06'],
      ['05-01', '05-05'],
      ['06-19', '06-21'],
      ['09-25', '09-27'],
      ['10-01', '10-07'],
    ],
    workdays: ['01-04', '02-14', '02-28', '05-09', '09-20', '10-10'],
  },
}

/** `day` has the form 2026-10-01; `weekday` is 1 for Monday to 7 for Sunday. */
export function isWorkday(day: string, weekday: number): boolean {
  const [year, date] = [day.slice(0, 4), day.slice(5)]
  const row = holidayCalendar[year]
  if (row?.workdays.includes(date)) return true
  if (row?.days_off.some(([first, last]) => first <= date && date <= last)) return false
  return weekday <= 5
}
