/**
 * 累计预扣法: what an employer withholds from the wages of a resident, month by month (2018-61 art. 6, 2020-13, 2020-19).
 * All amounts are fen. The months are months of payment. Every month carries its sums, so that the next can go on from it, and its steps.
 */
import { fen, timesHalfUp } from '../../../contract/money.ts'
import { LawRefusal } from '../refused.ts'
import { defaults, type Settings } from '../settings.ts'
import { less, plus, type Step, type Term } from '../steps.ts'
import { rowFor } from '../tables/dated.ts'
import { annualLevels, type Law, statutes } from '../tables/law.ts'
import { checkEmployment, type Employment, monthOf, monthsCounted, spanOf } from './employment.ts'

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

export type WageMonth = {
  readonly month: number
  readonly months_counted: number
  /** 减除费用 of one month of employment, as the law of that month has it. */
  readonly month_basic: number
  /** The year's sums up to here. */
  readonly sums: Amounts
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
  readonly steps: readonly Step[]
}
/** What a year is computed from beside its months. */
export type YearGround = {
  readonly opening?: Opening | undefined
  readonly settings?: Settings | undefined
  readonly law?: Law | undefined
}

type YearTax = { readonly tax: number; readonly rate_ppm: number; readonly quick_fen: number }
/** Tax of a taxable sum of whole fen by the annual table. */
export function cumulativeTax(cum_taxable: number, month: string, law: Law = statutes): YearTax {
  const level = annualLevels(law, month).find(({ up_to }) => up_to === null || cum_taxable <= up_to)
  if (!level) throw new LawRefusal('税率表', '没有最后一级')
  const { rate_ppm, quick_fen } = level
  return { tax: Math.max(0, timesHalfUp(fen(cum_taxable), rate_ppm) - quick_fen), rate_ppm, quick_fen }
}

export const nothing: Amounts = { income: 0, exempt: 0, special: 0, additional: 0, other: 0, donation: 0, reduction: 0 }
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

type Basic = { readonly amount: number; readonly month_fen: number; readonly counted: number; readonly step: Step }
function basicOf(employment: Employment, month: string, law: Law, settings: Settings): Basic {
  const { month_fen, year_fen } = rowFor(law.basic_deduction, month).value
  const counted = monthsCounted(employment, Number(month.slice(5)), settings)
  const { first_income_of_year, prior_year_under_60000 } = employment
  if (prior_year_under_60000) {
    rowFor(law.under_60000, month)
    const how = { does: 'given', note: '全年减除费用一次减' } as const
    return {
      amount: year_fen,
      month_fen,
      counted,
      step: { rule: 'wage_under_60000', name: '累计减除费用', result: year_fen, how },
    }
  }
  if (first_income_of_year) rowFor(law.first_income, month)
  const amount = month_fen * counted
  const base = plus('每月减除费用', month_fen)
  const rule = first_income_of_year ? 'wage_first_income' : 'wage_months'
  const how = { does: 'times', base, by: counted, over: 1 } as const
  return { amount, month_fen, counted, step: { rule, name: '累计减除费用', result: amount, how } }
}

function taxableStep(sums: Amounts, basic: number, taxable: number): Step {
  const terms: Term[] = [plus('累计收入', sums.income)]
  if (sums.exempt) terms.push(less('累计免税收入', sums.exempt))
  terms.push(less('累计减除费用', basic))
  if (sums.special) terms.push(less('累计专项扣除', sums.special))
  if (sums.additional) terms.push(less('累计专项附加扣除', sums.additional))
  if (sums.other) terms.push(less('累计其他扣除', sums.other))
  if (sums.donation) terms.push(less('累计准予扣除的捐赠', sums.donation))
  return { rule: 'wage_sums', name: '累计应纳税所得额', result: taxable, how: { does: 'sum', terms, floor: true } }
}

type Relieved = { readonly cum_tax: number; readonly steps: readonly Step[] }
/** 减免税额: what was entered, or a share of the tax up to the province's sum a year. */
function relieved(full: number, sums: Amounts, { disabled }: Employment, { disability_relief: rule }: Settings): Relieved {
  const steps: Step[] = []
  let relief = sums.reduction
  if (disabled && rule !== 'entered') {
    const share = timesHalfUp(fen(full), rule.rate_ppm)
    const base = plus('减免前累计税额', full)
    const how = { does: 'part', base, rate_ppm: rule.rate_ppm, unit_fen: 1, mode: 'half_up' } as const
    const within = Math.min(share, rule.year_fen)
    relief += within
    steps.push({ rule: 'wage_relief', name: '减征比例计算的税额', result: share, how })
    const terms = [plus('减征比例计算的税额', share), plus('全年减征限额', rule.year_fen)]
    steps.push({ rule: 'wage_relief', name: '按比例减征', result: within, how: { does: 'least', terms } })
  }
  if (relief === 0) return { cum_tax: full, steps }
  const cum_tax = Math.max(0, full - relief)
  const terms = [plus('减免前累计税额', full), less('累计减免税额', relief)]
  steps.push({ rule: 'wage_relief', name: '累计应纳税额', result: cum_tax, how: { does: 'sum', terms, floor: true } })
  return { cum_tax, steps }
}

type Before = { readonly sums: Amounts; readonly withheld: number }
function oneMonth(employment: Employment, month: number, { sums, withheld }: Before, [law, settings]: readonly [Law, Settings]) {
  const when = monthOf(employment.year, month)
  const basic = basicOf(employment, when, law, settings)
  const off = sums.exempt + basic.amount + sums.special + sums.additional + sums.other + sums.donation
  const cum_taxable = fen(Math.max(0, sums.income - off))
  const { tax: full, rate_ppm, quick_fen } = cumulativeTax(cum_taxable, when, law)
  const relief = relieved(full, sums, employment, settings)
  const { cum_tax } = relief
  const tax = Math.max(0, cum_tax - withheld)
  const base = plus('累计应纳税所得额', cum_taxable)
  const name = relief.steps.length > 0 ? '减免前累计税额' : '累计应纳税额'
  const steps: Step[] = [
    basic.step,
    taxableStep(sums, basic.amount, cum_taxable),
    { rule: 'wage_tax', name, result: full, how: { does: 'tax', base, rate_ppm, quick_fen, times: 1 } },
    ...relief.steps,
    {
      rule: 'wage_withheld',
      name: '本期应预扣预缴税额',
      result: tax,
      how: { does: 'sum', terms: [plus('累计应纳税额', cum_tax), less('累计已预扣预缴', withheld)], floor: true },
    },
  ]
  const { amount: cum_basic, counted: months_counted, month_fen: month_basic } = basic
  const credit = Math.max(0, withheld - cum_tax)
  const cumulative = { sums, cum_income: sums.income, cum_basic, cum_taxable, rate_ppm, quick_fen, cum_tax }
  return { month, months_counted, month_basic, ...cumulative, cum_withheld: withheld, tax, credit, steps }
}

/** Months in the order of the year; one may be missing, and one may be paid twice. */
export function withhold(employment: Employment, months: readonly Month[], ground: YearGround = {}): WageMonth[] {
  const { opening, settings = defaults, law = statutes } = ground
  checkEmployment(employment)
  const last = opening?.through_month ?? 0
  const inOrder = months.toSorted((a, b) => a.month - b.month)
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
    const found = oneMonth(employment, one.month, { sums, withheld }, [law, settings])
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
