/** Six months of pay as a real payroll would compute it: whole fen, cumulative withholding, consistent sums. Pure. */
import { type Fen, multiplyByRate, sumFen, toFen } from '../contract/shared/money.ts'
import { getDatedRow } from '../rules/law/tables/dated-table.ts'
import { currentLaw } from '../rules/law/tables/law.ts'
import { computeCumulativeTax } from '../rules/law/wages/withholding.ts'
import type { SeededRandom } from './random.ts'

/** The pay components of an employee, fixed for the whole demo. */
export type PayTerms = {
  /** In yuan. */
  readonly base: number
  readonly post: number
  readonly performance: number
  /** Overtime settings: how often it is paid, and the maximum in yuan. */
  readonly overtime: number
  readonly fund_ppm: number
  /** Special additional deductions per month, in yuan. */
  readonly special: number
  /** A raise in parts per million, from this month on. */
  readonly raise: { readonly month: string; readonly ppm: number } | null
  readonly entry_month: string
}

export const wageLabels = [
  '基本工资',
  '岗位工资',
  '绩效工资',
  '加班费',
  '餐补',
  '交通补贴',
  '应发合计',
  '养老保险',
  '医疗保险',
  '失业保险',
  '住房公积金',
  '个人所得税',
  '其他扣款',
  '扣款合计',
  '实发工资',
] as const
export type Wage = { readonly amounts: readonly Fen[]; readonly gross: Fen; readonly tax: Fen; readonly net: Fen }

/** Computes the wages of one employee for each of these months (ascending, without gaps); null before the entry date. */
export function computeWages(terms: PayTerms, months: readonly string[], random: SeededRandom): (Wage | null)[] {
  let taxable = 0
  let withheld = 0
  return months.map((month, at) => {
    if (month.endsWith('-01') || at === 0) taxable = withheld = 0
    if (month < terms.entry_month) return null
    const raised = terms.raise && month >= terms.raise.month ? terms.raise.ppm : 0
    const withRaise = (yuan: number): Fen => toFen(yuan * 100 + multiplyByRate(toFen(yuan * 100), raised))
    const base = withRaise(terms.base)
    const post = withRaise(terms.post)
    // 80 to 130 %, plus 25 percentage points in June.
    const performance = multiplyByRate(
      toFen(terms.performance * 100),
      random.integer(800, 1300) * 1000 + (month.endsWith('-06') ? 250_000 : 0),
    )
    const overtime = random.chance(0.4) ? toFen(random.integer(0, terms.overtime) * 100 + random.pick([0, 33, 50, 67])) : toFen(0)
    const meals = toFen(random.integer(18, 22) * 2_000)
    const gross = sumFen([base, post, performance, overtime, meals, 30_000])
    const insured = toFen(base + post)
    const pension = multiplyByRate(insured, 80_000)
    const medical = multiplyByRate(insured, 20_000)
    const unemployment = multiplyByRate(insured, 5_000)
    const fund = multiplyByRate(insured, terms.fund_ppm)
    const employeeContributions = sumFen([pension, medical, unemployment, fund])
    taxable +=
      gross - employeeContributions - getDatedRow(currentLaw.basic_deduction, month).value.month_fen - terms.special * 100
    const tax = toFen(Math.max(0, computeCumulativeTax(Math.max(0, taxable), month).tax - withheld))
    withheld += tax
    const other = random.chance(0.06) ? toFen(random.integer(1, 20) * 1_000) : toFen(0)
    const deducted = sumFen([employeeContributions, tax, other])
    const net = toFen(gross - deducted)
    const amounts = [base, post, performance, overtime, meals, toFen(30_000), gross]
    return { amounts: [...amounts, pension, medical, unemployment, fund, tax, other, deducted, net], gross, tax, net }
  })
}

export const bonusLabels = ['季度销售额', '季度奖金', '个人所得税', '实发奖金'] as const

/** Computes a quarterly bonus, taxed at the employee's ordinary rate. */
export function computeDemoBonus(terms: PayTerms, random: SeededRandom): Wage {
  const sales = toFen(random.integer(80, 900) * 100_000)
  const bonus = toFen(multiplyByRate(sales, 12_000) + terms.performance * 50)
  const tax = multiplyByRate(bonus, terms.base > 9_000 ? 100_000 : 30_000)
  const net = toFen(bonus - tax)
  return { amounts: [sales, bonus, tax, net], gross: bonus, tax, net }
}
