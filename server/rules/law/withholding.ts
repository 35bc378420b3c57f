/**
 * 累计预扣法: what an employer withholds from the wages of a resident, month by month (国家税务总局公告2018年第61号 art. 6, 2020-13, 2020-19).
 * All amounts are fen. The months are months of payment. What comes out are steps, so that a page can show how a figure came about.
 */
import { fen, timesHalfUp } from '../../contract/money.ts'
import { rowFor } from './dated.ts'
import { annualRates, basicDeduction, levelOf } from './rates.ts'

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
  /** 1 to 12. */
  readonly month: number
  /** What was really withheld, where that is not what comes out here. */
  readonly withheld?: number | undefined
}
/** Sums of the year up to and with a month, of a company that begins in mid-year. */
export type Opening = Partial<Amounts> & { readonly through_month: number; readonly withheld?: number | undefined }

export type Employment = {
  readonly year: number
  /** The month of hire as `2026-07`; null: before this year. */
  readonly hired: string | null
  /** The month of leaving: later payments add no further basic deduction. */
  readonly left?: string | null | undefined
  /** 当年首次取得工资: the months before the hire count too. */
  readonly first_income_of_year?: boolean | undefined
  /** 上年不超过 6 万元: the whole year's basic deduction from January on. */
  readonly prior_year_under_60000?: boolean | undefined
}

export type Step = {
  readonly month: number
  readonly months_counted: number
  /** 减除费用 of one month of employment, as the law of that month has it. */
  readonly month_basic: number
  readonly cum_income: number
  readonly cum_basic: number
  /** Never below zero. */
  readonly cum_taxable: number
  readonly rate_ppm: number
  readonly quick_fen: number
  readonly cum_tax: number
  /** Withheld in earlier months of the year. */
  readonly cum_withheld: number
  readonly tax: number
  /** Withheld too much so far: used up by later months, else settled by the person after the year; never paid back in the month. */
  readonly credit: number
}

const monthOf = (year: number, month: number): string => `${year}-${String(month).padStart(2, '0')}`

/** Calendar months of employment in the year up to this one; with or without pay. */
export function monthsCounted({ year, hired, left, first_income_of_year }: Employment, month: number): number {
  const inYear = (text: string) => Number(text.slice(5, 7))
  const first = hired === null || first_income_of_year || hired.slice(0, 4) < String(year) ? 1 : inYear(hired)
  const last = left && left.slice(0, 4) === String(year) ? Math.min(month, inYear(left)) : month
  return Math.max(0, last - first + 1)
}

/** Tax of a taxable sum by the annual table. */
export function cumulativeTax(cum_taxable: number, month: string): { tax: number; rate_ppm: number; quick_fen: number } {
  const { rate_ppm, quick_fen } = levelOf(rowFor(annualRates, month).value, cum_taxable)
  return { tax: timesHalfUp(fen(cum_taxable), rate_ppm) - quick_fen, rate_ppm, quick_fen }
}

const nothing: Amounts = { income: 0, exempt: 0, special: 0, additional: 0, other: 0, donation: 0, reduction: 0 }
/** The sums with what a month adds. */
const plus = (sum: Amounts, more: Partial<Amounts>): Amounts => ({
  income: sum.income + (more.income ?? 0),
  exempt: sum.exempt + (more.exempt ?? 0),
  special: sum.special + (more.special ?? 0),
  additional: sum.additional + (more.additional ?? 0),
  other: sum.other + (more.other ?? 0),
  donation: sum.donation + (more.donation ?? 0),
  reduction: sum.reduction + (more.reduction ?? 0),
})

/** Months in the order of the year. */
export function withhold(employment: Employment, months: readonly Month[], opening?: Opening): Step[] {
  let sum = plus(nothing, opening ?? {})
  let cum_withheld = opening?.withheld ?? 0
  return months.map((one) => {
    sum = plus(sum, one)
    const month = monthOf(employment.year, one.month)
    const months_counted = monthsCounted(employment, one.month)
    const basic = rowFor(basicDeduction, month).value
    const cum_basic = employment.prior_year_under_60000 ? basic.year_fen : basic.month_fen * months_counted
    const less = sum.exempt + cum_basic + sum.special + sum.additional + sum.other + sum.donation
    const cum_taxable = Math.max(0, sum.income - less)
    const { tax: full, rate_ppm, quick_fen } = cumulativeTax(cum_taxable, month)
    const cum_tax = Math.max(0, full - sum.reduction)
    const tax = Math.max(0, cum_tax - cum_withheld)
    const step: Step = {
      month: one.month,
      months_counted,
      month_basic: basic.month_fen,
      cum_income: sum.income,
      cum_basic,
      cum_taxable,
      rate_ppm,
      quick_fen,
      cum_tax,
      cum_withheld,
      tax,
      credit: Math.max(0, cum_withheld - cum_tax),
    }
    cum_withheld += one.withheld ?? tax
    return step
  })
}

/** The same year with months declared anew: every later month follows, each from what is withheld now. */
export function correct(
  employment: Employment,
  months: readonly Month[],
  corrections: readonly Month[],
  opening?: Opening,
): { original: Step[]; corrected: Step[] } {
  const changed = new Map(corrections.map((one) => [one.month, one]))
  return {
    original: withhold(employment, months, opening),
    corrected: withhold(
      employment,
      months.map((one) => ({ ...one, ...changed.get(one.month) })),
      opening,
    ),
  }
}
