/** Opening balances from the rows of the official client's result file, or from the payslips of earlier months. Pure. */
import { formatFen } from '../../../contract/shared/money.ts'
import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import type { WithholdingAmount, WithholdingRow } from '../../../spreadsheets/rules.ts'
import type { TaxYearProfile } from './amounts.ts'
import { additionalDeductionCodes } from './compare-withholding.ts'

export type OpeningBalance = NonNullable<TaxYearProfile['opening']>

/** Without these columns a sum would be wrong for everybody, and zero must not stand for "unknown". */
const requiredColumns = [
  ['cum_income', '累计收入额'],
  ['cum_special', '累计专项扣除'],
  ['cum_withheld', '已缴税额'],
] as const satisfies readonly (readonly [WithholdingAmount, string])[]

/** Returns the labels of required columns that no row has. */
export const findMissingColumns = (rows: readonly Pick<WithholdingRow, 'fen'>[]): string[] =>
  requiredColumns.flatMap(([name, label]) => (rows.some(({ fen }) => fen[name] !== undefined) ? [] : [label]))

/** Returns the balance after the month of the row, or why it cannot be used. */
export function toOpeningBalance({ fen }: Pick<WithholdingRow, 'fen'>, through_month: number): OpeningBalance | string {
  if (fen.cum_income === undefined) return '这一行没有累计收入额，请核对'
  const sum = (names: readonly WithholdingAmount[]) => names.reduce((all, name) => all + (fen[name] ?? 0), 0)
  const opening: OpeningBalance = {
    through_month,
    income_fen: fen.cum_income,
    exempt_fen: sum(['cum_exempt']),
    special_fen: sum(['cum_special']),
    additional_fen: sum(additionalDeductionCodes),
    other_fen: sum(['cum_other', 'personal_pension']),
    donation_fen: sum(['cum_donation']),
    reduction_fen: sum(['cum_reduction']),
    // A negative amount of the month is carried forward and not paid out.
    withheld_fen: sum(['cum_withheld']) + Math.max(0, sum(['due'])),
  }
  if (Object.values(opening).some((value) => value < 0)) return '累计数里有负数，请核对'
  // The client's own taxable income proves that no sum is missing, such as a column of income elsewhere.
  if (fen.cum_basic !== undefined && fen.cum_taxable !== undefined) {
    const { income_fen, exempt_fen, special_fen, additional_fen, other_fen, donation_fen } = opening
    const taxable = Math.max(0, income_fen - exempt_fen - fen.cum_basic - special_fen - additional_fen - other_fen - donation_fen)
    if (taxable !== Math.max(0, fen.cum_taxable))
      return `各项累计数算出的应纳税所得额是 ${formatFen(taxable)}，文件里是 ${formatFen(fen.cum_taxable)}；请核对，或在计税明细里填写`
  }
  return opening
}

export type PaidMonth = { readonly month: number; readonly amounts: TaxAmounts; readonly tax_fen: number | null }
type EmploymentMonths = { readonly hire_month: string | null; readonly leave_month: string | null }

/** Adds up a member's payslips, or says why that would not be the whole year. */
export function sumPaidMonths(
  paid: readonly PaidMonth[],
  { hire_month, leave_month }: EmploymentMonths,
  { year, through_month }: { readonly year: number; readonly through_month: number },
): OpeningBalance | string {
  const first = hire_month?.slice(0, 4) === String(year) ? Number(hire_month.slice(5)) : 1
  const last = leave_month?.slice(0, 4) === String(year) ? Math.min(through_month, Number(leave_month.slice(5))) : through_month
  const missing = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at).filter(
    (month) => !paid.some((one) => one.month === month),
  )
  if (missing.length > 0) return `${missing.join('、')} 月没有工资条，累计数会偏少；请从扣缴端文件引入，或在计税明细里填写`
  const withoutTax = paid.find(({ tax_fen }) => tax_fen === null)
  if (withoutTax) return `${withoutTax.month} 月的工资表没有个税列，不知道已扣多少；请从扣缴端文件引入`
  const add = (pick: (amounts: TaxAmounts) => number) => paid.reduce((all, { amounts }) => all + pick(amounts), 0)
  return {
    through_month,
    income_fen: add(({ income_fen }) => income_fen),
    exempt_fen: add(({ exempt_fen }) => exempt_fen),
    special_fen: add(
      ({ pension_fen, medical_fen, unemployment_fen, housing_fund_fen, social_fen }) =>
        (pension_fen ?? 0) + (medical_fen ?? 0) + (unemployment_fen ?? 0) + (housing_fund_fen ?? 0) + social_fen,
    ),
    // Payslips do not state it; the first computed month deducts the year's sum of what members have entered.
    additional_fen: 0,
    other_fen: add(({ annuity_fen, health_fen, other_fen }) => annuity_fen + health_fen + other_fen),
    donation_fen: add(({ donation_fen }) => donation_fen),
    reduction_fen: add(({ reduction_fen }) => reduction_fen),
    withheld_fen: paid.reduce((all, { tax_fen }) => all + (tax_fen ?? 0), 0),
  }
}
