/**
 * Computes one payslip from its earnings to the net pay, in the order of tax-rules §12. A negative net is reported and
 * not sent.
 */
import { sumFen } from '../../server/contract/shared/money.ts'
import {
  type ContributionResult,
  computeContributions,
  type InsuredMember,
} from '../../server/rules/law/insurance/contributions.ts'
import { type InsuranceScheme, insuranceLabels } from '../../server/rules/law/insurance/scheme.ts'
import { defaultTaxSettings, type TaxSettings } from '../../server/rules/law/settings.ts'
import { minusTerm, plusTerm, type Step, type Term } from '../../server/rules/law/steps.ts'
import { currentLaw, type TaxLaw } from '../../server/rules/law/tables/law.ts'
import { type BonusTax, computeSeparateBonusTax } from '../../server/rules/law/wages/bonus.ts'
import type { Employment } from '../../server/rules/law/wages/employment.ts'
import { computeWithholding, type OpeningBalance } from '../../server/rules/law/wages/withholding.ts'
import { computeNonresidentWageTax } from './nonresident/monthly.ts'

/** `taxable`: false for reimbursements. `local_subsidy`: transport or phone, which a local rule may exempt. */
export type Earning = {
  readonly name: string
  readonly amount: number
  readonly taxable: boolean
  readonly local_subsidy?: boolean | undefined
}
export type PayslipInput = {
  readonly month: string
  readonly employment: Employment
  readonly resident: boolean
  readonly opening?: OpeningBalance | undefined
  readonly earnings: readonly Earning[]
  /** Null: not insured. */
  readonly insured: Omit<InsuredMember, 'month'> | null
  readonly schemes: readonly InsuranceScheme[]
  readonly exempt: number
  readonly additional: number
  readonly other: number
  readonly donation: number
  readonly reduction: number
  /** Without a method, it is a thirteenth month salary, or any bonus other than the annual one. */
  readonly bonus?: { readonly amount: number; readonly method: 'separate' | 'merged' | null; readonly used: boolean } | undefined
  readonly after_tax_add: number
  readonly after_tax_deduct: number
}
type PayslipInsurance = Exclude<ContributionResult, { refused: string }>
export type ComputedPayslip =
  | {
      readonly gross: number
      readonly items: PayslipInsurance['items']
      readonly employee_total: number
      readonly employer_total: number
      readonly wage_tax: number
      readonly bonus_tax: number
      readonly tax: number
      readonly net: number
      readonly total_cost: number
      readonly negative_net: boolean
      readonly steps: readonly Step[]
    }
  | { readonly refused: string; readonly message: string }

const noInsurance: Pick<PayslipInsurance, 'items' | 'employee_total' | 'employer_total' | 'steps'> = {
  items: [],
  employee_total: 0,
  employer_total: 0,
  steps: [],
}
const buildTotalStep = (name: string, result: number, terms: readonly Term[]): Step => ({
  rule: 'payslip',
  name,
  result,
  formula: { kind: 'sum', terms, floor: false },
})

type WageTaxResult = { readonly tax: number; readonly steps: readonly Step[] }
function computeWageTax(
  input: PayslipInput,
  income: number,
  insurance: typeof noInsurance,
  [settings, law]: readonly [TaxSettings, TaxLaw],
): WageTaxResult {
  const fixed = settings.fixed_medical === 'deductible' ? 0 : sumFen(insurance.items.map((one) => one.employee_fixed))
  const special = insurance.employee_total - fixed
  const subsidies = input.earnings.filter((one) => one.taxable && one.local_subsidy)
  const local = settings.local_subsidies === 'entered_as_exempt' ? sumFen(subsidies.map(({ amount }) => amount)) : 0
  const exempt = input.exempt + local
  if (!input.resident) {
    const own = settings.nonresident_insurance === 'deducted' ? special : 0
    return computeNonresidentWageTax({ income, exempt, special: own }, input.month, law)
  }
  const { additional, other, donation, reduction, opening } = input
  const month = { month: Number(input.month.slice(5)), income, exempt, special, additional, other, donation, reduction }
  const wageMonth = computeWithholding(input.employment, [month], { opening, settings, law }).at(-1)
  return { tax: wageMonth?.tax ?? 0, steps: wageMonth?.steps ?? [] }
}

export function computePayslip(
  input: PayslipInput,
  settings: TaxSettings = defaultTaxSettings,
  law: TaxLaw = currentLaw,
): ComputedPayslip {
  const insurance = input.insured
    ? computeContributions(input.schemes, { ...input.insured, month: input.month }, settings)
    : noInsurance
  if ('refused' in insurance) return insurance
  const method = input.bonus?.method ?? settings.thirteenth_month
  const separateBonus: BonusTax | null =
    input.bonus && method === 'separate' ? computeSeparateBonusTax(input.bonus.amount, input.month, input.bonus.used, law) : null
  if (separateBonus && !separateBonus.allowed)
    return { refused: separateBonus.reason, message: '全年一次性奖金不能单独计税；请改为并入工资' }
  const bonus = input.bonus?.amount ?? 0
  const gross = sumFen([...input.earnings.map(({ amount }) => amount), bonus])
  const taxable = sumFen(input.earnings.filter((one) => one.taxable).map(({ amount }) => amount))
  const wage = computeWageTax(input, separateBonus ? taxable : taxable + bonus, insurance, [settings, law])
  const bonus_tax = separateBonus?.allowed ? separateBonus.tax : 0
  const tax = wage.tax + bonus_tax
  const net = gross - insurance.employee_total - tax + input.after_tax_add - input.after_tax_deduct
  const total_cost = gross + insurance.employer_total
  const earned = input.earnings.map(({ name, amount }) => plusTerm(name, amount))
  const off = [
    plusTerm('应发', gross),
    ...insurance.items.map((one) => minusTerm(`${insuranceLabels[one.code]}（个人）`, one.employee)),
    minusTerm('个人所得税', tax),
    plusTerm('税后加项', input.after_tax_add),
    minusTerm('税后扣项', input.after_tax_deduct),
  ]
  const steps = [
    buildTotalStep('应发', gross, bonus ? [...earned, plusTerm('奖金', bonus)] : earned),
    ...insurance.steps,
    ...wage.steps,
    ...(separateBonus?.allowed ? separateBonus.steps : []),
    buildTotalStep(
      '个人所得税',
      tax,
      bonus_tax ? [plusTerm('工资税额', wage.tax), plusTerm('奖金税额', bonus_tax)] : [plusTerm('工资税额', wage.tax)],
    ),
    buildTotalStep('实发', net, off),
    buildTotalStep('人工成本', total_cost, [plusTerm('应发', gross), plusTerm('单位合计', insurance.employer_total)]),
  ]
  const { items, employee_total, employer_total } = insurance
  return {
    gross,
    items,
    employee_total,
    employer_total,
    wage_tax: wage.tax,
    bonus_tax,
    tax,
    net,
    total_cost,
    negative_net: net < 0,
    steps,
  }
}
