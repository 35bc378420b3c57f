/** Foreign residents: exempt allowances (财税字 1994-20) or additional deductions, one of the two for a year (2023-29). */
import { computeBracketTax } from '../../../server/rules/law/bracket-tax.ts'
import { clampToZero, toFraction } from '../../../server/rules/law/fraction.ts'
import { minusTerm, plusTerm, type Step } from '../../../server/rules/law/steps.ts'
import { findDatedRow, type PaymentMonth } from '../../../server/rules/law/tables/dated-table.ts'
import { currentLaw, getAnnualBrackets, type TaxLaw } from '../../../server/rules/law/tables/law.ts'

export type ExpatComparison =
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
export function compareExpatOptions(input: ExpatYear, month: PaymentMonth = null, law: TaxLaw = currentLaw): ExpatComparison {
  if (!findDatedRow(law.expat_allowances, month)) return { refused: 'policy_expired' }
  const rule = 'expat_choice'
  const levels = getAnnualBrackets(law, month)
  const { annual_taxable_before: taxableBefore } = input
  const before = computeBracketTax(levels, clampToZero(taxableBefore), {
    rule,
    name: '两项都不减的税额',
    base_name: '应纳税所得额',
  })
  const computeSaving = (optionName: string, amount: number) => {
    const taxable = clampToZero(toFraction(taxableBefore).minus(amount))
    const bracketTax = computeBracketTax(levels, taxable, { rule, name: `选${optionName}的税额`, base_name: '应纳税所得额' })
    const saving = before.tax - bracketTax.tax
    const left = [plusTerm('应纳税所得额', taxableBefore), minusTerm(optionName, amount)]
    const terms = [plusTerm('两项都不减的税额', before.tax), minusTerm(`选${optionName}的税额`, bracketTax.tax)]
    const steps: Step[] = [
      { rule, name: `选${optionName}的应纳税所得额`, result: taxable, formula: { kind: 'sum', terms: left, floor: true } },
      bracketTax.step,
      { rule, name: `选${optionName}可省`, result: saving, formula: { kind: 'sum', terms, floor: false } },
    ]
    return { saving, steps }
  }
  const allowance = computeSaving('津补贴免税', input.allowance)
  const special = computeSaving('专项附加扣除', input.special_additional)
  const difference = allowance.saving - special.saving
  return {
    saving_allowance: allowance.saving,
    saving_special: special.saving,
    better: difference > 0 ? 'allowance' : difference < 0 ? 'special' : 'same',
    steps: [before.step, ...allowance.steps, ...special.steps],
  }
}

/** Allowances that the rule exempts; `other` (a car, a club, tax equalization) is not exempt. */
export const expatAllowanceKinds = [
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
export type ExpatAllowanceKind = (typeof expatAllowanceKinds)[number]
export const allowanceForms = ['reimbursed', 'in_kind', 'cash'] as const
export type AllowanceForm = (typeof allowanceForms)[number]

const nonCashFormsNote = '非现金或实报实销形式'
/**
 * Forms in which the amount is exempt: not in cash, except travel at a reasonable rate; a relocation only as actually
 * paid.
 */
const exemptFormsByKind: Readonly<Record<ExpatAllowanceKind, readonly [readonly AllowanceForm[], string]>> = {
  housing: [['reimbursed', 'in_kind'], nonCashFormsNote],
  meal: [['reimbursed', 'in_kind'], nonCashFormsNote],
  laundry: [['reimbursed', 'in_kind'], nonCashFormsNote],
  relocation: [['reimbursed'], '实报实销形式'],
  travel: [['reimbursed', 'in_kind', 'cash'], '按合理标准取得'],
  home_leave: [['reimbursed', 'in_kind'], '经核定的合理部分，每年不超过两次'],
  language_training: [['reimbursed', 'in_kind'], '经核定的合理部分'],
  children_education: [['reimbursed', 'in_kind'], '经核定的合理部分'],
  other: [[], '不在免税项目内'],
}
export type ExpatAllowance = {
  readonly item: ExpatAllowanceKind
  readonly amount: number
  /** Trips home in the year, of which two are exempt. */
  readonly times?: number | undefined
}
export function computeAllowanceExemption({ item, amount, times = 0 }: ExpatAllowance, form: AllowanceForm): Step {
  const [allowed, note] = exemptFormsByKind[item]
  const isExempt = allowed.includes(form)
  const within = item === 'home_leave' && times > 2 ? toFraction(amount).times(2).dividedBy(times).rounded() : amount
  return { rule: 'expat_exempt', name: '免税额', result: isExempt ? within : 0, formula: { kind: 'given', note } }
}
