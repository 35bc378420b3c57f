/**
 * 累计预扣法: what an employer withholds from the wages of a resident, month by month (2018-61 art. 6, 2020-13, 2020-19).
 * All amounts are fen. The months are months of payment. Every month carries its sums, so that the next can go on from it, and its steps.
 */
import { fen, timesHalfUp } from '../../../contract/words/money.ts'
import { LawRefusal } from '../refused.ts'
import { defaults, type Settings } from '../settings.ts'
import type { Step } from '../steps.ts'
import { rowFor } from '../tables/dated.ts'
import { annualLevels, type Law, statutes } from '../tables/law.ts'
import type { Levels } from '../tables/shapes.ts'
import { checkEmployment, type Employment, monthOf, monthsCounted, spanOf } from './employment.ts'
import { monthSteps } from './month-steps.ts'

/** What is added in a month. `additional` too is the increase of the year's sum: a month that catches up may hold several months. */
export type Amounts = {
  readonly income: number
  readonly exempt: number
  /** Own social insurance and housing fund. */
  readonly special: number
  readonly additional: number
  readonly other: number
  readonly donation: number
  readonly reduction: number
}
export type Month = Partial<Amounts> & {
  /** 1 to 12. Two entries of one month are two payments: the second takes off what the first withheld. */
  readonly month: number
  /** What was really withheld, where that is not what comes out here. */
  readonly withheld?: number | undefined
}
/** Sums of the year up to and with a month: of a company that begins in mid-year, or carried from a month computed here. */
export type Opening = Partial<Amounts> & { readonly through_month: number; readonly withheld?: number | undefined }

/** The figures of a month; what its steps are said of. */
export type MonthFigures = {
  readonly month: number
  readonly months_counted: number
  /** 减除费用 of one month of employment, as the law of that month has it. */
  readonly month_basic: number
  /** Why the basic deduction is what it is. */
  readonly basic_rule: 'wage_months' | 'wage_first_income' | 'wage_under_60000'
  /** The year's sums up to here. */
  readonly sums: Amounts
  readonly cum_basic: number
  /** Never below zero. */
  readonly cum_taxable: number
  readonly rate_ppm: number
  readonly quick_fen: number
  /** Before relief. */
  readonly full_tax: number
  /** What a province's rule makes of it; null where relief is entered. */
  readonly province: ProvinceRelief | null
  readonly cum_tax: number
  /** Withheld in earlier months of the year. */
  readonly cum_withheld: number
}
type ProvinceRelief = { readonly rate_ppm: number; readonly year_fen: number; readonly share: number; readonly within: number }

/** A class for the sake of its steps: they are said of figures that are there, and made when somebody asks. */
export class WageMonth {
  readonly month: number
  readonly months_counted: number
  readonly month_basic: number
  readonly sums: Amounts
  readonly cum_income: number
  readonly cum_basic: number
  readonly cum_taxable: number
  readonly rate_ppm: number
  readonly quick_fen: number
  readonly cum_tax: number
  readonly cum_withheld: number
  readonly tax: number
  /** Withheld too much so far: used up by later months, else settled by the person after the year; never paid back in the month. */
  readonly credit: number
  readonly basic_rule: MonthFigures['basic_rule']
  readonly full_tax: number
  readonly province: ProvinceRelief | null

  constructor(of: MonthFigures) {
    this.month = of.month
    this.months_counted = of.months_counted
    this.month_basic = of.month_basic
    this.sums = of.sums
    this.cum_income = of.sums.income
    this.cum_basic = of.cum_basic
    this.cum_taxable = of.cum_taxable
    this.rate_ppm = of.rate_ppm
    this.quick_fen = of.quick_fen
    this.cum_tax = of.cum_tax
    this.cum_withheld = of.cum_withheld
    this.tax = Math.max(0, of.cum_tax - of.cum_withheld)
    this.credit = Math.max(0, of.cum_withheld - of.cum_tax)
    this.basic_rule = of.basic_rule
    this.full_tax = of.full_tax
    this.province = of.province
  }
  /** Made when they are asked for. */
  get steps(): readonly Step[] {
    return monthSteps(this)
  }
}

/** What a year is computed from beside its months. */
export type YearGround = {
  readonly opening?: Opening | undefined
  readonly settings?: Settings | undefined
  readonly law?: Law | undefined
}

type YearTax = { readonly tax: number; readonly rate_ppm: number; readonly quick_fen: number }
function taxIn(levels: Levels, cum_taxable: number): YearTax {
  const level = levels.find(({ up_to }) => up_to === null || cum_taxable <= up_to)
  if (!level) throw new LawRefusal('税率表', '没有最后一级')
  const { rate_ppm, quick_fen } = level
  return { tax: Math.max(0, timesHalfUp(fen(cum_taxable), rate_ppm) - quick_fen), rate_ppm, quick_fen }
}
/** Tax of a taxable sum of whole fen by the annual table. */
export const cumulativeTax = (cum_taxable: number, month: string, law: Law = statutes): YearTax =>
  taxIn(annualLevels(law, month), cum_taxable)

const nothing: Amounts = { income: 0, exempt: 0, special: 0, additional: 0, other: 0, donation: 0, reduction: 0 }
/** The sums with what a month adds. */
const together = (sum: Amounts, more: Partial<Amounts>): Amounts => ({
  income: fen(sum.income + (more.income ?? 0)),
  exempt: fen(sum.exempt + (more.exempt ?? 0)),
  special: fen(sum.special + (more.special ?? 0)),
  additional: fen(sum.additional + (more.additional ?? 0)),
  other: fen(sum.other + (more.other ?? 0)),
  donation: fen(sum.donation + (more.donation ?? 0)),
  reduction: fen(sum.reduction + (more.reduction ?? 0)),
})

/** The rows that hold for a month. */
type MonthLaw = { readonly levels: Levels; readonly month_fen: number; readonly year_fen: number; readonly when: string }
const ofLaw = new WeakMap<Law, Map<number, MonthLaw>>()
/** Looked up once for a book and a month: a book never changes, a new row makes a new one. */
function monthLaw(law: Law, year: number, month: number): MonthLaw {
  const months = ofLaw.get(law) ?? new Map<number, MonthLaw>()
  const known = months.get(year * 100 + month)
  if (known) return known
  const when = monthOf(year, month)
  const { month_fen, year_fen } = rowFor(law.basic_deduction, when).value
  const found: MonthLaw = { levels: annualLevels(law, when), month_fen, year_fen, when }
  ofLaw.set(law, months.set(year * 100 + month, found))
  return found
}

function basicRule(
  { first_income_of_year, prior_year_under_60000 }: Employment,
  { when }: MonthLaw,
  law: Law,
): MonthFigures['basic_rule'] {
  if (prior_year_under_60000) {
    rowFor(law.under_60000, when)
    return 'wage_under_60000'
  }
  if (!first_income_of_year) return 'wage_months'
  rowFor(law.first_income, when)
  return 'wage_first_income'
}

/** 减免税额 by a province's formula: a share of the tax up to its sum a year. */
function provinceOf(full_tax: number, { disabled }: Employment, { disability_relief: rule }: Settings): ProvinceRelief | null {
  if (!disabled || rule === 'entered') return null
  const share = timesHalfUp(fen(full_tax), rule.rate_ppm)
  return { rate_ppm: rule.rate_ppm, year_fen: rule.year_fen, share, within: Math.min(share, rule.year_fen) }
}

type Before = { readonly sums: Amounts; readonly withheld: number; readonly law: Law; readonly settings: Settings }
function oneMonth(employment: Employment, month: number, { sums, withheld, law, settings }: Before): WageMonth {
  const rows = monthLaw(law, employment.year, month)
  const basic_rule = basicRule(employment, rows, law)
  const months_counted = monthsCounted(employment, month, settings)
  const cum_basic = basic_rule === 'wage_under_60000' ? rows.year_fen : rows.month_fen * months_counted
  const off = sums.exempt + cum_basic + sums.special + sums.additional + sums.other + sums.donation
  const cum_taxable = fen(Math.max(0, sums.income - off))
  const { tax: full_tax, rate_ppm, quick_fen } = taxIn(rows.levels, cum_taxable)
  const province = provinceOf(full_tax, employment, settings)
  const cum_tax = Math.max(0, full_tax - sums.reduction - (province?.within ?? 0))
  const month_basic = rows.month_fen
  return new WageMonth({
    month,
    months_counted,
    month_basic,
    basic_rule,
    sums,
    cum_basic,
    cum_taxable,
    rate_ppm,
    quick_fen,
    full_tax,
    province,
    cum_tax,
    cum_withheld: withheld,
  })
}

const isInOrder = (months: readonly Month[]): boolean =>
  months.every((one, at) => at === 0 || (months[at - 1]?.month ?? 0) <= one.month)

/** Months in the order of the year; one may be missing, and one may be paid twice. */
export function withhold(employment: Employment, months: readonly Month[], ground: YearGround = {}): WageMonth[] {
  const { opening, settings = defaults, law = statutes } = ground
  checkEmployment(employment)
  const last = opening?.through_month ?? 0
  const inOrder = isInOrder(months) ? months : months.toSorted((a, b) => a.month - b.month)
  const early = inOrder[0]
  if (early && early.month <= last)
    throw new LawRefusal('months', `${early.month} 月已经包含在截至 ${last} 月的期初累计里；请删去这个月或改正期初`)
  let sums = together(nothing, opening ?? {})
  let withheld = opening?.withheld ?? 0
  let span = spanOf(employment, inOrder[0]?.month ?? 1)
  return inOrder.map((one) => {
    const now = spanOf(employment, one.month)
    if (settings.rehired === 'start_again' && now !== span) [sums, withheld] = [nothing, 0]
    span = now
    sums = together(sums, one)
    const found = oneMonth(employment, one.month, { sums, withheld, law, settings })
    withheld += one.withheld ?? found.tax
    return found
  })
}

/** What the next month goes on from; `withheld`: really, where that is not what came out. */
export const carried = ({ month, sums, cum_withheld, tax }: WageMonth, withheld: number = tax): Opening => ({
  through_month: month,
  ...sums,
  withheld: cum_withheld + withheld,
})

/** 应补(退)税额: below zero only where it is shown as the client's result file has it. Nothing is paid back in the month. */
export const dueOrBack = ({ tax, credit }: WageMonth, { refund }: Settings = defaults): number =>
  refund === 'negative' && credit > 0 ? -credit : tax
