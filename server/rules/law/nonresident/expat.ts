/** Foreign residents: exempt allowances (财税字 1994-20) or additional deductions, one of them for a year (2023-29). */
import { taxBy } from '../by-table.ts'
import { exact, floored } from '../exact.ts'
import { less, plus, type Step } from '../steps.ts'
import { rowIn, type When } from '../tables/dated.ts'
import { annualLevels, type Law, statutes } from '../tables/law.ts'

export type ExpatChoice =
  | {
      readonly saving_allowance: number
      readonly saving_special: number
      readonly better: 'allowance' | 'special' | 'same'
      readonly steps: readonly Step[]
    }
  | { readonly refused: 'policy_expired' }

export type ExpatYear = {
  readonly annual_taxable_before: number
  readonly allowance: number
  readonly special_additional: number
}
export function expatChoice(of: ExpatYear, month: When = null, law: Law = statutes): ExpatChoice {
  if (!rowIn(law.expat_allowances, month)) return { refused: 'policy_expired' }
  const rule = 'expat_choice'
  const levels = annualLevels(law, month)
  const { annual_taxable_before: whole } = of
  const before = taxBy(levels, floored(whole), { rule, name: '两项都不减的税额', base_name: '应纳税所得额' })
  const saved = (what: string, amount: number) => {
    const taxable = floored(exact(whole).minus(amount))
    const found = taxBy(levels, taxable, { rule, name: `选${what}的税额`, base_name: '应纳税所得额' })
    const saving = before.tax - found.tax
    const left = [plus('应纳税所得额', whole), less(what, amount)]
    const terms = [plus('两项都不减的税额', before.tax), less(`选${what}的税额`, found.tax)]
    const steps: Step[] = [
      { rule, name: `选${what}的应纳税所得额`, result: taxable, how: { does: 'sum', terms: left, floor: true } },
      found.step,
      { rule, name: `选${what}可省`, result: saving, how: { does: 'sum', terms, floor: false } },
    ]
    return { saving, steps }
  }
  const allowance = saved('津补贴免税', of.allowance)
  const special = saved('专项附加扣除', of.special_additional)
  const ahead = allowance.saving - special.saving
  return {
    saving_allowance: allowance.saving,
    saving_special: special.saving,
    better: ahead > 0 ? 'allowance' : ahead < 0 ? 'special' : 'same',
    steps: [before.step, ...allowance.steps, ...special.steps],
  }
}

/** What the rule exempts; `other` (a car, a club, tax equalisation) is none of it. */
export const expatItems = [
  'housing',
  'meal',
  'laundry',
  'relocation',
  'travel',
  'home_leave',
  'language_training',
  'children_education',
  'other',
] as const
export type ExpatItem = (typeof expatItems)[number]
export const expatForms = ['reimbursed', 'in_kind', 'cash'] as const
export type ExpatForm = (typeof expatForms)[number]

const forms = '非现金或实报实销形式'
/** In which forms the amount is exempt: not in cash, but for travel at a reasonable rate; a removal only as it was paid. */
const exemptIn: Readonly<Record<ExpatItem, readonly [readonly ExpatForm[], string]>> = {
  housing: [['reimbursed', 'in_kind'], forms],
  meal: [['reimbursed', 'in_kind'], forms],
  laundry: [['reimbursed', 'in_kind'], forms],
  relocation: [['reimbursed'], '实报实销形式'],
  travel: [['reimbursed', 'in_kind', 'cash'], '按合理标准取得'],
  home_leave: [['reimbursed', 'in_kind'], '经核定的合理部分，每年不超过两次'],
  language_training: [['reimbursed', 'in_kind'], '经核定的合理部分'],
  children_education: [['reimbursed', 'in_kind'], '经核定的合理部分'],
  other: [[], '不在免税项目内'],
}
export type ExpatExempt = {
  readonly item: ExpatItem
  readonly amount: number
  /** Journeys home in the year, of which two are exempt. */
  readonly times?: number | undefined
}
export function expatExempt({ item, amount, times = 0 }: ExpatExempt, form: ExpatForm): Step {
  const [allowed, note] = exemptIn[item]
  const isExempt = allowed.includes(form)
  const within = item === 'home_leave' && times > 2 ? exact(amount).times(2).over(times).rounded() : amount
  return { rule: 'expat_exempt', name: '免税额', result: isExempt ? within : 0, how: { does: 'given', note } }
}
