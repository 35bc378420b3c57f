/**
 * Months of a year for which the basic deduction counts: calendar months of employment, paid or not (2018-61 art. 6,
 * 2020-13, 2020-19).
 */
import { LawError } from '../law-error.ts'
import type { TaxSettings } from '../settings.ts'

/** Months as `2026-07`; null: hired before this year, or not terminated. */
type EmploymentSpan = { readonly hire_month: string | null; readonly leave_month?: string | null | undefined }
export type Employment = EmploymentSpan & {
  readonly year: number
  /** Earlier employments with the same company in the year, before leaving and being hired again. */
  readonly earlier?: readonly EmploymentSpan[] | undefined
  /** 当年首次取得工资: the months before the hire count as well. */
  readonly first_income_of_year?: boolean | undefined
  /** 上年不超过 6 万元: the annual basic deduction applies from January. */
  readonly prior_year_under_60000?: boolean | undefined
  /** Whether the employee is entitled to relief by a province's formula. */
  readonly disabled?: boolean | undefined
}

export const formatYearMonth = (year: number, month: number): string => `${year}-${String(month).padStart(2, '0')}`

/** Returns the number of a month in the year: 0 before the year, 13 after it. */
function toMonthOfYear(year: number, month: string): number {
  const monthYear = Number(month.slice(0, 4))
  return monthYear < year ? 0 : monthYear > year ? 13 : Number(month.slice(5, 7))
}
const countMonths = (from: number, to: number): number => Math.max(0, to - Math.max(1, from) + 1)

/** Returns the employment that contains a month: the latest one that had begun. */
export function getSpanIndex({ year, earlier }: Employment, month: number): number {
  if (!earlier || earlier.length === 0) return 0
  const endedSpans = earlier.filter(
    ({ leave_month }) => leave_month !== undefined && leave_month !== null && toMonthOfYear(year, leave_month) < month,
  )
  return endedSpans.length
}

/** Counts the calendar months of employment in the year up to and including this one, with or without pay. */
export function countEmploymentMonths(employment: Employment, month: number, settings: TaxSettings): number {
  const { year, earlier, first_income_of_year } = employment
  const countsOn = settings.after_leaving === 'counts_on'
  const countSpan = ({ hire_month, leave_month }: EmploymentSpan, isFirst: boolean) => {
    const from = hire_month === null || (isFirst && first_income_of_year) ? 1 : toMonthOfYear(year, hire_month)
    const end =
      countsOn || leave_month === undefined || leave_month === null ? month : Math.min(month, toMonthOfYear(year, leave_month))
    return countMonths(from, end)
  }
  if (!earlier || earlier.length === 0) return countSpan(employment, true)
  const spans: readonly EmploymentSpan[] = [
    ...earlier,
    { hire_month: employment.hire_month, leave_month: employment.leave_month },
  ]
  if (settings.rehired === 'start_again') {
    const at = getSpanIndex(employment, month)
    const span = spans[at]
    return span ? countSpan(span, at === 0) : 0
  }
  // A month with both a leave and a rehire counts once.
  const months = new Set<number>()
  for (const [at, { hire_month, leave_month }] of spans.entries()) {
    const from = hire_month === null || (at === 0 && first_income_of_year) ? 1 : Math.max(1, toMonthOfYear(year, hire_month))
    const isLast = at === spans.length - 1
    const to = leave_month && !(isLast && countsOn) ? Math.min(month, toMonthOfYear(year, leave_month)) : month
    for (let one = from; one <= to; one++) months.add(one)
  }
  return months.size
}

/** The two flags exclude each other: an employee without earlier wages this year was not employed here all last year. */
export function validateEmployment({ first_income_of_year, prior_year_under_60000, hire_month, leave_month }: Employment): void {
  if (first_income_of_year && prior_year_under_60000)
    throw new LawError('employee', '「当年首次取得工资」和「上年收入不超过六万元」不能同时适用；请只选一项')
  if (hire_month !== null && leave_month && leave_month < hire_month)
    throw new LawError('employee.leave', `离职月份 ${leave_month} 早于入职月份 ${hire_month}；请核对`)
}
