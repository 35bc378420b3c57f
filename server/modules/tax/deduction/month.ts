/** A member's deductions in a month and cumulatively in its year. Pure. */
import type { DeductionItem } from '../../../contract/tax/deductions.ts'
import { computeAdditionalDeduction } from '../../../rules/law/deductions/additional.ts'
import { computePersonalPension } from '../../../rules/law/deductions/personal-pension.ts'
import { LawError } from '../../../rules/law/law-error.ts'
import { formatStep, type Step } from '../../../rules/law/steps.ts'
import { findDatedRow } from '../../../rules/law/tables/dated-table.ts'
import { currentLaw } from '../../../rules/law/tables/law.ts'
import { toAdditionalDeductionItem } from './items.ts'
import type { StoredDeductions } from './store.ts'

export type MonthDeductions = {
  /** 累计, from January (or entry) up to and including the month, as 累计子女教育 … in the declaration. All keys are present. */
  readonly cumulative: {
    readonly child_education: number
    readonly infant_care: number
    /** Degree and certificate. */
    readonly continuing_education: number
    readonly housing_loan: number
    readonly housing_rent: number
    readonly elderly: number
    /** The personal pension within its limit; part of 其他扣除, not of 专项附加扣除. */
    readonly personal_pension: number
  }
  /** The six kinds of 专项附加扣除 together, year to date. The month's own amount is this less those of the earlier months. */
  readonly additional_cumulative: number
  /** The explanation is in Chinese and contains the article of law of each step. */
  readonly steps: readonly string[]
  /** Why nothing is deducted; null: no problem. */
  readonly refused: string | null
}
/** Months; null: before this year, or still employed. */
export type EmploymentMonths = { readonly hire_month: string | null; readonly leave_month: string | null }

const zeroCumulative = {
  child_education: 0,
  infant_care: 0,
  continuing_education: 0,
  housing_loan: 0,
  housing_rent: 0,
  elderly: 0,
  personal_pension: 0,
} as const
const createRefusedMonth = (reason: string): MonthDeductions => ({
  cumulative: zeroCumulative,
  additional_cumulative: 0,
  steps: [],
  refused: reason,
})

/** Whether the items are confirmed for the year; items entered in a year are confirmed for it. */
export const isConfirmedForYear = ({ confirmed_year }: StoredDeductions, year: number): boolean =>
  confirmed_year !== null && year <= confirmed_year

export function computeMonthDeductions(
  stored: StoredDeductions,
  month: string,
  { hire_month: hireMonth, leave_month: leaveMonth }: EmploymentMonths,
): MonthDeductions {
  const [year, monthNumber] = [Number(month.slice(0, 4)), Number(month.slice(5, 7))]
  if (!isConfirmedForYear(stored, year)) return createRefusedMonth(`还没有确认 ${year} 年度的专项附加扣除；确认以后才扣除`)
  const items = stored.items.flatMap((item) => toAdditionalDeductionItem(item) ?? [])
  try {
    const start = hireMonth ?? `${year}-01`
    const result = computeAdditionalDeduction(
      { year, as_of_month: monthNumber, employment_start: start, employment_end: leaveMonth },
      items,
    )
    if ('refused' in result) return createRefusedMonth(result.message)
    const pension = computePensionDeduction(stored.items, year, monthNumber)
    const getCumulative = (code: Parameters<typeof result.cumulative.get>[0]) => result.cumulative.get(code) ?? 0
    return {
      cumulative: {
        child_education: getCumulative('child_education'),
        infant_care: getCumulative('infant_care'),
        continuing_education: getCumulative('continuing_degree') + getCumulative('continuing_certificate'),
        housing_loan: getCumulative('housing_loan'),
        housing_rent: getCumulative('housing_rent'),
        elderly: getCumulative('elderly'),
        personal_pension: pension.cumulative,
      },
      additional_cumulative: result.total,
      // Formatted only on access.
      get steps() {
        return [...result.steps.filter(({ result }) => result !== 0), ...pension.steps].map(formatStep)
      },
      refused: null,
    }
  } catch (error) {
    if (error instanceof LawError) return createRefusedMonth(error.message)
    throw error
  }
}

function computePensionDeduction(
  items: readonly DeductionItem[],
  year: number,
  month: number,
): { cumulative: number; steps: readonly Step[] } {
  const paid: { month: number; paid: number }[] = []
  for (let at = 1; at <= month; at += 1) {
    const currentMonth = `${year}-${String(at).padStart(2, '0')}`
    const active = items.filter(
      ({ kind, from, to }) => kind === 'personal_pension' && (from ?? '9999') <= currentMonth && currentMonth <= (to ?? '9999'),
    )
    const fen = active.reduce((sum, { amount_fen }) => sum + (amount_fen ?? 0), 0)
    if (fen > 0) paid.push({ month: at, paid: fen })
  }
  const last = `${year}-${String(month).padStart(2, '0')}`
  // There is no deduction before this kind of pension existed.
  if (paid.length === 0 || findDatedRow(currentLaw.personal_pension, last) === null) return { cumulative: 0, steps: [] }
  const results = computePersonalPension(paid, last)
  return { cumulative: results.at(-1)?.cumulative ?? 0, steps: results.flatMap(({ steps }) => steps) }
}
