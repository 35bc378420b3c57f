/** Residence that turns out otherwise (2019-35 art. 5): payroll is not recomputed; the year is settled after it. */
import { sum } from '../../../contract/words/money.ts'
import { taxBy } from '../by-table.ts'
import { exact, floored } from '../exact.ts'
import { less, plus, type Step } from '../steps.ts'
import { rowFor } from '../tables/dated.ts'
import { annualLevels, type Law, statutes } from '../tables/law.ts'
import { monthOf } from '../wages/employment.ts'
import { nonresidentWageTax } from './monthly.ts'

export type ResidenceMonth = { readonly month: number; readonly income: number; readonly withheld: number }
export type ResidenceYear = {
  readonly year: number
  /** Days in China of the calendar year. */
  readonly days: number
  readonly months: readonly ResidenceMonth[]
  /** Deductions of a resident. */
  readonly special: number
  readonly additional: number
  readonly other: number
}

/** 183 days in the calendar year make a resident. */
export const isResident = (year: number, days: number, law: Law = statutes): boolean =>
  days >= rowFor(law.nonresident, monthOf(year, 12)).value.resident_days

/** What the year's tax is by what the person has become, against what was withheld: above zero is to be paid, below comes back. */
export function residenceSettlement(of: ResidenceYear, law: Law = statutes) {
  const rule = 'residence_change'
  const month = monthOf(of.year, 12)
  const withheld = sum(of.months.map((one) => one.withheld))
  const income = sum(of.months.map((one) => one.income))
  const resident = isResident(of.year, of.days, law)
  const own = (): { tax: number; steps: Step[] } => {
    const { year_fen } = rowFor(law.basic_deduction, month).value
    const taxable = floored(exact(income).minus(year_fen).minus(of.special).minus(of.additional).minus(of.other))
    const terms = [plus('全年收入', income), less('减除费用', year_fen), less('专项扣除', of.special)]
    terms.push(less('专项附加扣除', of.additional), less('其他扣除', of.other))
    const naming = { rule, name: '全年应纳税额', base_name: '全年应纳税所得额' } as const
    const { tax, step } = taxBy(annualLevels(law, month), taxable, naming)
    return { tax, steps: [{ rule, name: '全年应纳税所得额', result: taxable, how: { does: 'sum', terms, floor: true } }, step] }
  }
  const alone = (): { tax: number; steps: Step[] } => {
    const found = of.months.map((one) => nonresidentWageTax({ income: one.income }, monthOf(of.year, one.month), law))
    const tax = sum(found.map((one) => one.tax))
    const terms = of.months.map((one, at) => plus(`${one.month} 月`, found[at]?.tax ?? 0))
    const all: Step = { rule, name: '全年应纳税额', result: tax, how: { does: 'sum', terms, floor: false } }
    return { tax, steps: [...found.flatMap(({ steps }) => steps), all] }
  }
  const { tax, steps } = resident ? own() : alone()
  const due = tax - withheld
  const terms = [plus('全年应纳税额', tax), less('已扣缴', withheld)]
  const last: Step = { rule, name: due < 0 ? '应退税额' : '应补税额', result: due, how: { does: 'sum', terms, floor: false } }
  return { resident, tax, withheld, due, steps: [...steps, last] }
}
