/** Monthly contributions of employee and employer: each item with its own base and rounding (tax-rules §11, §12). */
import { sumFen } from '../../../contract/shared/money.ts'
import { toFraction } from '../fraction.ts'
import { LawError } from '../law-error.ts'
import { defaultTaxSettings, type TaxSettings } from '../settings.ts'
import { plusTerm, type Step } from '../steps.ts'
import { findScheme, type InsuranceCode, type InsuranceScheme, type InsuranceSchemeItem, insuranceLabels } from './scheme.ts'

export type InsuredMember = {
  /** In the format `2025-12`. */
  readonly month: string
  /** Declared bases by the key that the items name; an undeclared base counts as zero, so that the minimum base applies. */
  readonly bases: ReadonlyMap<string, number>
  /** The rate is the same for both sides; a fund without a rate is skipped. */
  readonly housing_fund_ppm: number | null
  readonly supplementary_ppm: number | null
  readonly not_enrolled: readonly InsuranceCode[]
}
export type Contribution = {
  readonly code: InsuranceCode
  readonly base: number
  readonly employee: number
  readonly employer: number
  /** The fixed amount in the employee's part, such as the three yuan of Beijing. */
  readonly employee_fixed: number
}
export type ContributionResult =
  | {
      readonly scheme: InsuranceScheme
      readonly items: readonly Contribution[]
      readonly employee_total: number
      readonly employer_total: number
      readonly steps: readonly Step[]
    }
  | { readonly refused: 'no_config_for_month' | 'housing_fund_rate_out_of_range'; readonly message: string }

/** Limits the declared base to the range between floor and ceiling. */
function computeBase(
  item: InsuranceSchemeItem,
  { bases }: InsuredMember,
  { insurance_base }: TaxSettings,
): { base: number; steps: Step[] } {
  const name = `${insuranceLabels[item.code]}缴费基数`
  const declared = bases.get(item.base_key) ?? 0
  const own = insurance_base === 'whole_yuan' ? toFraction(declared).rounded('half_up', 100) : declared
  const above = Math.max(own, item.floor)
  const floor: Step = {
    rule: 'insurance_base',
    name,
    result: above,
    formula: { kind: 'most', terms: [plusTerm('申报基数', own), plusTerm('下限', item.floor)] },
  }
  if (item.ceiling === null || above <= item.ceiling) return { base: above, steps: [floor] }
  const how = { kind: 'least', terms: [plusTerm(name, above), plusTerm('上限', item.ceiling)] } as const
  return { base: item.ceiling, steps: [floor, { rule: 'insurance_base', name, result: item.ceiling, formula: how }] }
}

type ContributionSide = { readonly name: string; readonly rate_ppm: number; readonly fixed: number }
function computeContribution(
  item: InsuranceSchemeItem,
  base: number,
  { name, rate_ppm, fixed }: ContributionSide,
): { amount: number; steps: Step[] } {
  const { unit_fen, mode, code } = item
  const title = `${insuranceLabels[code]}${name}`
  const share = toFraction(base).timesPpm(rate_ppm).rounded(mode, unit_fen)
  const of = plusTerm(`${insuranceLabels[code]}缴费基数`, base)
  const step: Step = {
    rule: 'insurance_amount',
    name: title,
    result: share,
    formula: { kind: 'part', base: of, rate_ppm, unit_fen, mode },
  }
  if (fixed === 0) return { amount: share, steps: [step] }
  const terms = [plusTerm('按比例', share), plusTerm('定额', fixed)]
  const amount = share + fixed
  return {
    amount,
    steps: [step, { rule: 'insurance_amount', name: title, result: amount, formula: { kind: 'sum', terms, floor: false } }],
  }
}

/** Returns the rates of both sides for an item; null if it is skipped. */
function getRates(
  { code, rates }: InsuranceSchemeItem,
  member: InsuredMember,
): { employee_ppm: number; employer_ppm: number } | null | 'out_of_range' {
  if ('employee_ppm' in rates) return rates
  const selectedPpm = code === 'housing_fund_supplementary' ? member.supplementary_ppm : member.housing_fund_ppm
  if (selectedPpm === null) return null
  if (selectedPpm < rates.from_ppm || selectedPpm > rates.to_ppm) return 'out_of_range'
  return { employee_ppm: selectedPpm, employer_ppm: selectedPpm }
}

export function computeContributions(
  schemes: readonly InsuranceScheme[],
  member: InsuredMember,
  settings: TaxSettings = defaultTaxSettings,
): ContributionResult {
  const scheme = findScheme(schemes, member.month)
  if (!scheme) return { refused: 'no_config_for_month', message: `没有适用于 ${member.month} 的参保方案；请先录入该月份的方案` }
  const unknown = member.not_enrolled.find((code) => !(code in insuranceLabels))
  if (unknown !== undefined) throw new LawError('not_enrolled', `没有险种「${unknown}」`)
  const items: Contribution[] = []
  const steps: Step[] = []
  for (const item of scheme.items) {
    if (member.not_enrolled.includes(item.code)) continue
    const rates = getRates(item, member)
    if (rates === null) continue
    if (rates === 'out_of_range') {
      const message = `${insuranceLabels[item.code]}的比例不在${scheme.city}方案的范围内；请改正比例`
      return { refused: 'housing_fund_rate_out_of_range', message }
    }
    const { base, steps: baseSteps } = computeBase(item, member, settings)
    const employee = computeContribution(item, base, {
      name: '（个人）',
      rate_ppm: rates.employee_ppm,
      fixed: item.employee_fixed,
    })
    const employer = computeContribution(item, base, {
      name: '（单位）',
      rate_ppm: rates.employer_ppm,
      fixed: item.employer_fixed,
    })
    const { code, employee_fixed } = item
    items.push({ code, base, employee: employee.amount, employer: employer.amount, employee_fixed })
    steps.push(...baseSteps, ...employee.steps, ...employer.steps)
  }
  const totals = (['employee', 'employer'] as const).map((side): Step => {
    const terms = items.map((one) => plusTerm(insuranceLabels[one.code], one[side]))
    const name = side === 'employee' ? '个人合计' : '单位合计'
    return {
      rule: 'insurance_amount',
      name,
      result: sumFen(items.map((one) => one[side])),
      formula: { kind: 'sum', terms, floor: false },
    }
  })
  const employee_total = sumFen(items.map(({ employee }) => employee))
  const employer_total = sumFen(items.map(({ employer }) => employer))
  return { scheme, items, employee_total, employer_total, steps: [...steps, ...totals] }
}
