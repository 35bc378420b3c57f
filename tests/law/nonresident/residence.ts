/**
 * A residence status that turns out differently (2019-35 art. 5): payroll is not recomputed; the year is settled after
 * its end.
 */
import { sumFen } from '../../../server/contract/shared/money.ts'
import { computeBracketTax } from '../../../server/rules/law/bracket-tax.ts'
import { clampToZero, toFraction } from '../../../server/rules/law/fraction.ts'
import { minusTerm, plusTerm, type Step } from '../../../server/rules/law/steps.ts'
import { getDatedRow } from '../../../server/rules/law/tables/dated-table.ts'
import { currentLaw, getAnnualBrackets, type TaxLaw } from '../../../server/rules/law/tables/law.ts'
import { formatYearMonth } from '../../../server/rules/law/wages/employment.ts'
import { computeNonresidentWageTax } from './monthly.ts'

export type ResidenceMonth = { readonly month: number; readonly income: number; readonly withheld: number }
export type ResidenceYear = {
  readonly year: number
  /** Days in China in the calendar year. */
  readonly days: number
  readonly months: readonly ResidenceMonth[]
  /** Deductions as a resident. */
  readonly special: number
  readonly additional: number
  readonly other: number
}

/** A person with 183 days in the calendar year is a resident. */
export const isResident = (year: number, days: number, law: TaxLaw = currentLaw): boolean =>
  days >= getDatedRow(law.nonresident, formatYearMonth(year, 12)).value.resident_days

/** Compares the year's tax under the final status with the tax withheld; positive: payable, negative: refund. */
export function computeResidenceSettlement(input: ResidenceYear, law: TaxLaw = currentLaw) {
  const rule = 'residence_change'
  const month = formatYearMonth(input.year, 12)
  const withheld = sumFen(input.months.map((one) => one.withheld))
  const income = sumFen(input.months.map((one) => one.income))
  const resident = isResident(input.year, input.days, law)
  const computeAsResident = (): { tax: number; steps: Step[] } => {
    const { year_fen } = getDatedRow(law.basic_deduction, month).value
    const taxable = clampToZero(
      toFraction(income).minus(year_fen).minus(input.special).minus(input.additional).minus(input.other),
    )
    const terms = [plusTerm('全年收入', income), minusTerm('减除费用', year_fen), minusTerm('专项扣除', input.special)]
    terms.push(minusTerm('专项附加扣除', input.additional), minusTerm('其他扣除', input.other))
    const naming = { rule, name: '全年应纳税额', base_name: '全年应纳税所得额' } as const
    const { tax, step } = computeBracketTax(getAnnualBrackets(law, month), taxable, naming)
    return {
      tax,
      steps: [{ rule, name: '全年应纳税所得额', result: taxable, formula: { kind: 'sum', terms, floor: true } }, step],
    }
  }
  const computeAsNonresident = (): { tax: number; steps: Step[] } => {
    const monthTaxes = input.months.map((one) =>
      computeNonresidentWageTax({ income: one.income }, formatYearMonth(input.year, one.month), law),
    )
    const tax = sumFen(monthTaxes.map((one) => one.tax))
    const terms = input.months.map((one, at) => plusTerm(`${one.month} 月`, monthTaxes[at]?.tax ?? 0))
    const all: Step = { rule, name: '全年应纳税额', result: tax, formula: { kind: 'sum', terms, floor: false } }
    return { tax, steps: [...monthTaxes.flatMap(({ steps }) => steps), all] }
  }
  const { tax, steps } = resident ? computeAsResident() : computeAsNonresident()
  const due = tax - withheld
  const terms = [plusTerm('全年应纳税额', tax), minusTerm('已扣缴', withheld)]
  const last: Step = { rule, name: due < 0 ? '应退税额' : '应补税额', result: due, formula: { kind: 'sum', terms, floor: false } }
  return { resident, tax, withheld, due, steps: [...steps, last] }
}
