/**
 * 累计预扣法: the tax that an employer withholds from the wages of a resident, month by month (2018-61 art. 6, 2020-13,
 * 2020-19). All amounts are in fen. Months are months of payment. Every month carries its totals, so that the next one
 * can continue from it, and its steps.
 */
import { multiplyByRate, toFen } from '../../../contract/shared/money.ts'
import { LawError } from '../law-error.ts'
import { defaultTaxSettings, type TaxSettings } from '../settings.ts'
import type { Step } from '../steps.ts'
import { getDatedRow } from '../tables/dated-table.ts'
import { currentLaw, getAnnualBrackets, type TaxLaw } from '../tables/law.ts'
import type { TaxBrackets } from '../tables/readers.ts'
import { countEmploymentMonths, type Employment, formatYearMonth, getSpanIndex, validateEmployment } from './employment.ts'
import { buildMonthSteps } from './month-steps.ts'
import type { ProvinceRelief, WageAmounts, WageMonthData } from './month-values.ts'

export type WageMonthInput = Partial<WageAmounts> & {
  /** 1 to 12. Two entries of one month are two payments: the second deducts what the first withheld. */
  readonly month: number
  /** The amount actually withheld, if it differs from the computed one. */
  readonly withheld?: number | undefined
}
/** Totals of the year up to and including a month: of a start in mid-year, or carried over from a computed month. */
export type OpeningBalance = Partial<WageAmounts> & { readonly through_month: number; readonly withheld?: number | undefined }

/** A class so that steps can be built lazily from the computed values. */
export class WageMonth {
  readonly month: number
  readonly months_counted: number
  readonly month_basic: number
  readonly sums: WageAmounts
  readonly cum_income: number
  readonly cum_basic: number
  readonly cum_taxable: number
  readonly rate_ppm: number
  readonly quick_fen: number
  readonly cum_tax: number
  readonly cum_withheld: number
  readonly tax: number
  /** Excess withholding so far: consumed by later months, otherwise settled after the year; never refunded in the month. */
  readonly credit: number
  readonly basic_rule: WageMonthData['basic_rule']
  readonly full_tax: number
  readonly province: ProvinceRelief | null

  constructor(of: WageMonthData) {
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
  /** Built on access. */
  get steps(): readonly Step[] {
    return buildMonthSteps(this)
  }
}

/** Inputs for computing a year, in addition to its months. */
export type YearOptions = {
  readonly opening?: OpeningBalance | undefined
  readonly settings?: TaxSettings | undefined
  readonly law?: TaxLaw | undefined
}

type YearTax = { readonly tax: number; readonly rate_ppm: number; readonly quick_fen: number }
function computeTax(levels: TaxBrackets, cum_taxable: number): YearTax {
  const level = levels.find(({ up_to }) => up_to === null || cum_taxable <= up_to)
  if (!level) throw new LawError('税率表', '没有最后一级')
  const { rate_ppm, quick_fen } = level
  return { tax: Math.max(0, multiplyByRate(toFen(cum_taxable), rate_ppm) - quick_fen), rate_ppm, quick_fen }
}
/** Computes the tax of a taxable amount in whole fen by the annual table. */
export const computeCumulativeTax = (cum_taxable: number, month: string, law: TaxLaw = currentLaw): YearTax =>
  computeTax(getAnnualBrackets(law, month), cum_taxable)

const zeroAmounts: WageAmounts = { income: 0, exempt: 0, special: 0, additional: 0, other: 0, donation: 0, reduction: 0 }
const addAmounts = (sum: WageAmounts, more: Partial<WageAmounts>): WageAmounts => ({
  income: toFen(sum.income + (more.income ?? 0)),
  exempt: toFen(sum.exempt + (more.exempt ?? 0)),
  special: toFen(sum.special + (more.special ?? 0)),
  additional: toFen(sum.additional + (more.additional ?? 0)),
  other: toFen(sum.other + (more.other ?? 0)),
  donation: toFen(sum.donation + (more.donation ?? 0)),
  reduction: toFen(sum.reduction + (more.reduction ?? 0)),
})

/** The table rows that apply to a month. */
type MonthLaw = { readonly levels: TaxBrackets; readonly month_fen: number; readonly year_fen: number; readonly when: string }
const monthLawCache = new WeakMap<TaxLaw, Map<number, MonthLaw>>()
/** Cached per law book and month: a law book never changes, and a new row creates a new one. */
function getMonthLaw(law: TaxLaw, year: number, month: number): MonthLaw {
  const months = monthLawCache.get(law) ?? new Map<number, MonthLaw>()
  const cached = months.get(year * 100 + month)
  if (cached) return cached
  const when = formatYearMonth(year, month)
  const { month_fen, year_fen } = getDatedRow(law.basic_deduction, when).value
  const monthLaw: MonthLaw = { levels: getAnnualBrackets(law, when), month_fen, year_fen, when }
  monthLawCache.set(law, months.set(year * 100 + month, monthLaw))
  return monthLaw
}

function getBasicDeductionRule(
  { first_income_of_year, prior_year_under_60000 }: Employment,
  { when }: MonthLaw,
  law: TaxLaw,
): WageMonthData['basic_rule'] {
  if (prior_year_under_60000) {
    getDatedRow(law.under_60000, when)
    return 'wage_under_60000'
  }
  if (!first_income_of_year) return 'wage_months'
  getDatedRow(law.first_income, when)
  return 'wage_first_income'
}

/** 减免税额 by a province's formula: a share of the tax up to its annual amount. */
function computeProvinceRelief(
  full_tax: number,
  { disabled }: Employment,
  { disability_relief: rule }: TaxSettings,
): ProvinceRelief | null {
  if (!disabled || rule === 'entered') return null
  const share = multiplyByRate(toFen(full_tax), rule.rate_ppm)
  return { rate_ppm: rule.rate_ppm, year_fen: rule.year_fen, share, within: Math.min(share, rule.year_fen) }
}

type YearState = { readonly sums: WageAmounts; readonly withheld: number; readonly law: TaxLaw; readonly settings: TaxSettings }
function computeMonth(employment: Employment, month: number, { sums, withheld, law, settings }: YearState): WageMonth {
  const rows = getMonthLaw(law, employment.year, month)
  const basic_rule = getBasicDeductionRule(employment, rows, law)
  const months_counted = countEmploymentMonths(employment, month, settings)
  const cum_basic = basic_rule === 'wage_under_60000' ? rows.year_fen : rows.month_fen * months_counted
  const off = sums.exempt + cum_basic + sums.special + sums.additional + sums.other + sums.donation
  const cum_taxable = toFen(Math.max(0, sums.income - off))
  const { tax: full_tax, rate_ppm, quick_fen } = computeTax(rows.levels, cum_taxable)
  const province = computeProvinceRelief(full_tax, employment, settings)
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

const isSorted = (months: readonly WageMonthInput[]): boolean =>
  months.every((one, at) => at === 0 || (months[at - 1]?.month ?? 0) <= one.month)

/** Computes the months in chronological order; a month may be missing or be paid twice. */
export function computeWithholding(
  employment: Employment,
  months: readonly WageMonthInput[],
  options: YearOptions = {},
): WageMonth[] {
  const { opening, settings = defaultTaxSettings, law = currentLaw } = options
  validateEmployment(employment)
  const last = opening?.through_month ?? 0
  const inOrder = isSorted(months) ? months : months.toSorted((a, b) => a.month - b.month)
  const early = inOrder[0]
  if (early && early.month <= last)
    throw new LawError('months', `${early.month} 月已经包含在截至 ${last} 月的期初累计里；请删去这个月或改正期初`)
  let sums = addAmounts(zeroAmounts, opening ?? {})
  let withheld = opening?.withheld ?? 0
  let span = getSpanIndex(employment, inOrder[0]?.month ?? 1)
  return inOrder.map((one) => {
    const currentSpan = getSpanIndex(employment, one.month)
    if (settings.rehired === 'start_again' && currentSpan !== span) [sums, withheld] = [zeroAmounts, 0]
    span = currentSpan
    sums = addAmounts(sums, one)
    const wageMonth = computeMonth(employment, one.month, { sums, withheld, law, settings })
    withheld += one.withheld ?? wageMonth.tax
    return wageMonth
  })
}

/** Returns the opening balance for the next month; `withheld`: the actual amount, if it differs from the computed one. */
export const toOpeningBalance = ({ month, sums, cum_withheld, tax }: WageMonth, withheld: number = tax): OpeningBalance => ({
  through_month: month,
  ...sums,
  withheld: cum_withheld + withheld,
})

/** Returns 应补(退)税额: negative only if it is displayed as in the client's result file. Nothing is refunded in the month. */
export const getDueOrRefund = ({ tax, credit }: WageMonth, { refund }: TaxSettings = defaultTaxSettings): number =>
  refund === 'negative' && credit > 0 ? -credit : tax
