/** One slip from its earnings to what is paid out, in the order of tax-rules §12. A net below zero is told, not sent. */
import { sum } from '../../contract/words/money.ts'
import { type Contributions, contributions, type Insured } from './insurance/contributions.ts'
import { insuranceNames, type Scheme } from './insurance/scheme.ts'
import { nonresidentWageTax } from './nonresident/monthly.ts'
import { defaults, type Settings } from './settings.ts'
import { less, plus, type Step, type Term } from './steps.ts'
import { type Law, statutes } from './tables/law.ts'
import { type Bonus, bonusApart } from './wages/bonus.ts'
import type { Employment } from './wages/employment.ts'
import { type Opening, withhold } from './wages/withholding.ts'

/** `taxable`: false for what is repaid. `local_subsidy`: transport or phone, which a local rule may exempt. */
export type Earning = {
  readonly name: string
  readonly amount: number
  readonly taxable: boolean
  readonly local_subsidy?: boolean | undefined
}
export type SlipInput = {
  readonly month: string
  readonly employment: Employment
  readonly resident: boolean
  readonly opening?: Opening | undefined
  readonly earnings: readonly Earning[]
  /** Null: not insured. */
  readonly insured: Omit<Insured, 'month'> | null
  readonly schemes: readonly Scheme[]
  readonly exempt: number
  readonly additional: number
  readonly other: number
  readonly donation: number
  readonly reduction: number
  /** Without a method it is a thirteenth month, or any other bonus that is not that of the year. */
  readonly bonus?: { readonly amount: number; readonly method: 'separate' | 'merged' | null; readonly used: boolean } | undefined
  readonly after_tax_add: number
  readonly after_tax_deduct: number
}
type Insurance = Exclude<Contributions, { refused: string }>
export type ComputedSlip =
  | {
      readonly gross: number
      readonly items: Insurance['items']
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

const none: Pick<Insurance, 'items' | 'employee_total' | 'employer_total' | 'steps'> = {
  items: [],
  employee_total: 0,
  employer_total: 0,
  steps: [],
}
const total = (name: string, result: number, terms: readonly Term[]): Step => ({
  rule: 'payslip',
  name,
  result,
  how: { does: 'sum', terms, floor: false },
})

type WageTax = { readonly tax: number; readonly steps: readonly Step[] }
function wageTax(of: SlipInput, income: number, paid: typeof none, [settings, law]: readonly [Settings, Law]): WageTax {
  const fixed = settings.fixed_medical === 'deductible' ? 0 : sum(paid.items.map((one) => one.employee_fixed))
  const special = paid.employee_total - fixed
  const subsidies = of.earnings.filter((one) => one.taxable && one.local_subsidy)
  const local = settings.local_subsidies === 'entered_as_exempt' ? sum(subsidies.map(({ amount }) => amount)) : 0
  const exempt = of.exempt + local
  if (!of.resident) {
    const own = settings.nonresident_insurance === 'deducted' ? special : 0
    return nonresidentWageTax({ income, exempt, special: own }, of.month, law)
  }
  const { additional, other, donation, reduction, opening } = of
  const month = { month: Number(of.month.slice(5)), income, exempt, special, additional, other, donation, reduction }
  const found = withhold(of.employment, [month], { opening, settings, law }).at(-1)
  return { tax: found?.tax ?? 0, steps: found?.steps ?? [] }
}

export function payslip(of: SlipInput, settings: Settings = defaults, law: Law = statutes): ComputedSlip {
  const paid = of.insured ? contributions(of.schemes, { ...of.insured, month: of.month }, settings) : none
  if ('refused' in paid) return paid
  const method = of.bonus?.method ?? settings.thirteenth_month
  const apart: Bonus | null = of.bonus && method === 'separate' ? bonusApart(of.bonus.amount, of.month, of.bonus.used, law) : null
  if (apart && !apart.allowed) return { refused: apart.reason, message: '全年一次性奖金不能单独计税；请改为并入工资' }
  const bonus = of.bonus?.amount ?? 0
  const gross = sum([...of.earnings.map(({ amount }) => amount), bonus])
  const taxable = sum(of.earnings.filter((one) => one.taxable).map(({ amount }) => amount))
  const wage = wageTax(of, apart ? taxable : taxable + bonus, paid, [settings, law])
  const bonus_tax = apart?.allowed ? apart.tax : 0
  const tax = wage.tax + bonus_tax
  const net = gross - paid.employee_total - tax + of.after_tax_add - of.after_tax_deduct
  const total_cost = gross + paid.employer_total
  const earned = of.earnings.map(({ name, amount }) => plus(name, amount))
  const off = [
    plus('应发', gross),
    ...paid.items.map((one) => less(`${insuranceNames[one.code]}（个人）`, one.employee)),
    less('个人所得税', tax),
    plus('税后加项', of.after_tax_add),
    less('税后扣项', of.after_tax_deduct),
  ]
  const steps = [
    total('应发', gross, bonus ? [...earned, plus('奖金', bonus)] : earned),
    ...paid.steps,
    ...wage.steps,
    ...(apart?.allowed ? apart.steps : []),
    total(
      '个人所得税',
      tax,
      bonus_tax ? [plus('工资税额', wage.tax), plus('奖金税额', bonus_tax)] : [plus('工资税额', wage.tax)],
    ),
    total('实发', net, off),
    total('人工成本', total_cost, [plus('应发', gross), plus('单位合计', paid.employer_total)]),
  ]
  const { items, employee_total, employer_total } = paid
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
