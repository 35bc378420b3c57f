/** Six months of pay as a real payroll would compute it: whole fen, cumulative withholding, everything adds up. Pure. */
import { type Fen, fen, sum, timesHalfUp } from '../contract/words/money.ts'
import { rowFor } from '../rules/law/tables/dated.ts'
import { statutes } from '../rules/law/tables/law.ts'
import { cumulativeTax } from '../rules/law/wages/withholding.ts'
import type { Chance } from './chance.ts'

/** What a person's pay is made of, fixed for the whole demo. */
export type Terms = {
  /** Yuan. */
  readonly base: number
  readonly post: number
  readonly performance: number
  /** How often overtime is paid, and how much in yuan at most. */
  readonly overtime: number
  readonly fund_ppm: number
  /** Special additional deductions a month, yuan. */
  readonly special: number
  /** From this month on, parts per million more. */
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

/** The wages of one person in each of these months (ascending, without gaps); null before he came. */
export function wagesOf(terms: Terms, months: readonly string[], chance: Chance): (Wage | null)[] {
  let taxable = 0
  let withheld = 0
  return months.map((month, at) => {
    if (month.endsWith('-01') || at === 0) taxable = withheld = 0
    if (month < terms.entry_month) return null
    const raised = terms.raise && month >= terms.raise.month ? terms.raise.ppm : 0
    const up = (yuan: number): Fen => fen(yuan * 100 + timesHalfUp(fen(yuan * 100), raised))
    const base = up(terms.base)
    const post = up(terms.post)
    // 80 to 130 %, and a good half-year's end.
    const performance = timesHalfUp(
      fen(terms.performance * 100),
      chance.whole(800, 1300) * 1000 + (month.endsWith('-06') ? 250_000 : 0),
    )
    const overtime = chance.often(0.4) ? fen(chance.whole(0, terms.overtime) * 100 + chance.pick([0, 33, 50, 67])) : fen(0)
    const meals = fen(chance.whole(18, 22) * 2_000)
    const gross = sum([base, post, performance, overtime, meals, 30_000])
    const insured = fen(base + post)
    const pension = timesHalfUp(insured, 80_000)
    const medical = timesHalfUp(insured, 20_000)
    const unemployment = timesHalfUp(insured, 5_000)
    const fund = timesHalfUp(insured, terms.fund_ppm)
    const own = sum([pension, medical, unemployment, fund])
    taxable += gross - own - rowFor(statutes.basic_deduction, month).value.month_fen - terms.special * 100
    const tax = fen(Math.max(0, cumulativeTax(Math.max(0, taxable), month).tax - withheld))
    withheld += tax
    const other = chance.often(0.06) ? fen(chance.whole(1, 20) * 1_000) : fen(0)
    const deducted = sum([own, tax, other])
    const net = fen(gross - deducted)
    const amounts = [base, post, performance, overtime, meals, fen(30_000), gross]
    return { amounts: [...amounts, pension, medical, unemployment, fund, tax, other, deducted, net], gross, tax, net }
  })
}

export const bonusLabels = ['季度销售额', '季度奖金', '个人所得税', '实发奖金'] as const

/** A quarter's bonus; the tax at the person's ordinary rate. */
export function bonusOf(terms: Terms, chance: Chance): Wage {
  const sales = fen(chance.whole(80, 900) * 100_000)
  const bonus = fen(timesHalfUp(sales, 12_000) + terms.performance * 50)
  const tax = timesHalfUp(bonus, terms.base > 9_000 ? 100_000 : 30_000)
  const net = fen(bonus - tax)
  return { amounts: [sales, bonus, tax, net], gross: bonus, tax, net }
}
