/**
 * Cumulative withholding, like for wages, for interns in full-time education (2020-13 art. 2), insurance agents and
 * securities brokers (财税 2018-164 art. 3), and workers of internet platforms (2025-16 art. 1).
 */
import { toFen } from '../../../server/contract/shared/money.ts'
import { computeBracketTax } from '../../../server/rules/law/bracket-tax.ts'
import { clampToZero, type Fraction, toFraction } from '../../../server/rules/law/fraction.ts'
import { LawError } from '../../../server/rules/law/law-error.ts'
import { minusTerm, plusTerm, type Step } from '../../../server/rules/law/steps.ts'
import { getDatedRow } from '../../../server/rules/law/tables/dated-table.ts'
import { currentLaw, getAnnualBrackets, type TaxLaw } from '../../../server/rules/law/tables/law.ts'
import { formatYearMonth } from '../../../server/rules/law/wages/employment.ts'

export const laborPersonTypes = ['intern', 'insurance_agent', 'securities_broker', 'platform_worker'] as const
export type LaborPerson = {
  readonly person_type: (typeof laborPersonTypes)[number]
  readonly year: number
  /**
   * The month in which the work for this company began; 1 if it began before this year. For platform workers, it is the
   * first of the consecutive months. It defaults to January, or for platform workers to the first given month.
   */
  readonly start_month?: number | undefined
  readonly prior_year_under_60000?: boolean | undefined
}
/** `surtax` is 附加税费, for agents and brokers. `withheld` is the actual amount, if it differs from the computed one. */
export type LaborMonth = {
  readonly month: number
  readonly income: number
  readonly surtax?: number | undefined
  readonly withheld?: number | undefined
}
export type LaborMonthTax = {
  readonly month: number
  readonly months_counted: number
  readonly cum_amount: Fraction
  readonly cum_taxable: Fraction
  readonly rate_ppm: number
  readonly quick_fen: number
  readonly cum_tax: number
  readonly tax: number
  readonly steps: readonly Step[]
}

type LaborSums = { readonly income: number; readonly surtax: number; readonly withheld: number }
type LaborMonthRule = {
  readonly person: LaborPerson
  readonly start_month: number
  readonly rule: 'labor_cumulative' | 'labor_platform'
}
/** Types of persons whose formula deducts no surtax. */
const personsWithoutSurtax: Partial<Record<LaborPerson['person_type'], string>> = {
  intern: '实习学生',
  platform_worker: '平台从业人员',
}

function buildAmountSteps(
  { person: { person_type }, rule }: LaborMonthRule,
  { income, surtax }: LaborSums,
  month: string,
  law: TaxLaw,
): Step[] {
  const part = (name: string, base: ReturnType<typeof plusTerm>, rate_ppm: number): Step => {
    const how = { kind: 'part', base, rate_ppm, unit_fen: null, mode: 'half_up' } as const
    return { rule, name, result: toFraction(base.value).timesPpm(rate_ppm), formula: how }
  }
  const income_term = plusTerm('累计收入', income)
  if (person_type === 'platform_worker')
    return [part('累计收入额', income_term, getDatedRow(law.labor_platform, month).value.share_ppm)]
  const { share_ppm, agent_ppm } = getDatedRow(law.labor_cumulative, month).value
  const share = part(person_type === 'intern' ? '累计收入额' : '减除费用后的累计收入', income_term, share_ppm)
  if (person_type === 'intern') return [share]
  const left = part('扣除展业成本后', plusTerm(share.name, share.result), agent_ppm)
  const terms = [plusTerm('扣除展业成本后', left.result), minusTerm('累计附加税费', surtax)]
  const how = { kind: 'sum', terms, floor: false } as const
  return [share, left, { rule, name: '累计收入额', result: toFraction(left.result).minus(surtax), formula: how }]
}

function computeLaborMonth(month_rule: LaborMonthRule, number: number, sums: LaborSums, law: TaxLaw): LaborMonthTax {
  const { person, start_month, rule } = month_rule
  const month = formatYearMonth(person.year, number)
  const months_counted = Math.max(0, number - start_month + 1)
  const { month_fen, year_fen } = getDatedRow(law.basic_deduction, month).value
  if (person.prior_year_under_60000) getDatedRow(law.under_60000, month)
  const basic = person.prior_year_under_60000 ? year_fen : month_fen * months_counted
  const amounts = buildAmountSteps(month_rule, sums, month, law)
  const cum_amount = toFraction(amounts.at(-1)?.result ?? 0)
  const cum_taxable = clampToZero(cum_amount.minus(basic))
  const naming = { rule, name: '累计应纳税额', base_name: '累计应纳税所得额' } as const
  const { rate_ppm, quick_fen, tax: cum_tax, step } = computeBracketTax(getAnnualBrackets(law, month), cum_taxable, naming)
  const tax = Math.max(0, cum_tax - sums.withheld)
  const terms = [plusTerm('累计收入额', cum_amount), minusTerm('累计减除费用', basic)]
  const due = [plusTerm('累计应纳税额', cum_tax), minusTerm('累计已预扣预缴', sums.withheld)]
  const steps: Step[] = [
    ...amounts,
    { rule, name: '累计应纳税所得额', result: cum_taxable, formula: { kind: 'sum', terms, floor: true } },
    step,
    { rule, name: '本期应预扣预缴税额', result: tax, formula: { kind: 'sum', terms: due, floor: true } },
  ]
  return { month: number, months_counted, cum_amount, cum_taxable, rate_ppm, quick_fen, cum_tax, tax, steps }
}

/**
 * Rejects gaps: the announcement deducts 5,000 for each consecutive month and does not say how income before a gap
 * counts after it, so any interpretation would be a guess.
 */
function assertConsecutiveMonths(start_month: number, sorted: readonly LaborMonth[]): void {
  const paid = new Set(sorted.filter(({ income }) => income > 0).map(({ month }) => month))
  const last = Math.max(...paid)
  for (let month = start_month; month <= last; month += 1)
    if (!paid.has(month))
      throw new LawError(
        'months',
        `${month} 月没有劳务报酬，中断后不再是连续取得；请从中断后的月份另起一个案例，start_month 写再次取得的第一个月`,
      )
}

export function computeCumulativeLaborTax(
  person: LaborPerson,
  months: readonly LaborMonth[],
  law: TaxLaw = currentLaw,
): LaborMonthTax[] {
  let sums: LaborSums = { income: 0, surtax: 0, withheld: 0 }
  const sorted = months.toSorted((a, b) => a.month - b.month)
  const isPlatform = person.person_type === 'platform_worker'
  const start_month = person.start_month ?? (isPlatform ? (sorted[0]?.month ?? 1) : 1)
  const month_rule = { person, start_month, rule: isPlatform ? 'labor_platform' : 'labor_cumulative' } as const
  if (isPlatform) assertConsecutiveMonths(start_month, sorted)
  return sorted.map(({ month, income, surtax = 0, withheld }) => {
    const typeWithoutSurtax = personsWithoutSurtax[person.person_type]
    if (typeWithoutSurtax !== undefined && surtax !== 0)
      throw new LawError(`months ${month} 月 surtax`, `${typeWithoutSurtax}没有附加税费；请删去，或改正人员类型`)
    sums = { ...sums, income: toFen(sums.income + income), surtax: toFen(sums.surtax + surtax) }
    const result = computeLaborMonth(month_rule, month, sums, law)
    sums = { ...sums, withheld: sums.withheld + (withheld ?? result.tax) }
    return result
  })
}
