/** 年度汇算: what a person owes or gets back after the year, with the bonus taxed the cheaper way (iit law art. 11, 2023-32). */
import { sumFen } from '../../../contract/shared/money.ts'
import { computeBracketTax } from '../bracket-tax.ts'
import { computeIllnessDeduction } from '../deductions/additional.ts'
import { clampToZero, type Quantity, toFraction } from '../fraction.ts'
import { minusTerm, plusTerm, type Step } from '../steps.ts'
import { findDatedRow, getDatedRow } from '../tables/dated-table.ts'
import { currentLaw, getAnnualBrackets, type TaxLaw } from '../tables/law.ts'
import { type BonusTax, computeSeparateBonusTax } from '../wages/bonus.ts'
import { formatYearMonth } from '../wages/employment.ts'
import { getLaborIncomeAmount, type LaborIncomeKind } from './labor.ts'

export type SettlementInput = {
  readonly year: number
  /** Wages of all employers, including merged bonuses and excluding exempt income. */
  readonly wages: number
  readonly labor: readonly { readonly item: LaborIncomeKind; readonly income: number }[]
  readonly special: number
  readonly additional: number
  readonly other: number
  readonly donation: number
  readonly reduction: number
  /** Self-paid medical costs of each family member. */
  readonly illnesses: readonly number[]
  /** 全年一次性奖金 that may be taxed separately. */
  readonly bonus: number
  /** Tax withheld on all income, including the bonus. */
  readonly withheld: number
}
type SettlementOption = { readonly tax: number; readonly steps: readonly Step[]; readonly taxable: Quantity }
export type SettlementResult = {
  readonly separate: number | null
  readonly merged: number
  readonly better: 'separate' | 'merged' | 'same'
  readonly tax: number
  /** Positive: payable; negative: refund. */
  readonly due: number
  /** Whether payment is waived because the amount or the income is small enough. */
  readonly payment_exempt: boolean
  readonly steps: readonly Step[]
}

const settlementRule = 'settlement'
/** 综合所得收入额 with all deductions, with or without the bonus. */
function computeOption(input: SettlementInput, with_bonus: boolean, law: TaxLaw): SettlementOption {
  const month = formatYearMonth(input.year, 12)
  const { year_fen } = getDatedRow(law.basic_deduction, month).value
  const labor = input.labor.map(({ item, income }) => getLaborIncomeAmount(item, income, month, law))
  const illness = input.illnesses.map((paid) => computeIllnessDeduction(paid, month, law))
  const ill = illness.map((steps) => steps.at(-1)?.result ?? 0)
  const terms = [
    plusTerm('工资', input.wages),
    ...labor.map((income) => plusTerm('劳务报酬等收入额', income)),
    ...(with_bonus ? [plusTerm('全年一次性奖金', input.bonus)] : []),
    minusTerm('减除费用', year_fen),
    minusTerm('专项扣除', input.special),
    minusTerm('专项附加扣除', input.additional),
    ...ill.map((amount) => minusTerm('大病医疗', amount)),
    minusTerm('其他扣除', input.other),
    minusTerm('准予扣除的捐赠', input.donation),
  ]
  const all = terms.reduce((left, { sign, value: amount }) => left.plus(toFraction(amount).times(sign)), toFraction(0))
  const taxable = clampToZero(all)
  const name = with_bonus ? '并入奖金后应纳税所得额' : '应纳税所得额'
  const naming = { rule: settlementRule, name: with_bonus ? '并入奖金后全年税额' : '全年税额', base_name: name } as const
  const bracketTax = computeBracketTax(getAnnualBrackets(law, month), taxable, naming)
  const relieved = Math.max(0, bracketTax.tax - input.reduction)
  const relief: Step[] = input.reduction
    ? [
        {
          rule: settlementRule,
          name: '减免后税额',
          result: relieved,
          formula: {
            kind: 'sum',
            terms: [plusTerm(bracketTax.step.name, bracketTax.tax), minusTerm('减免税额', input.reduction)],
            floor: true,
          },
        },
      ]
    : []
  const sumStep: Step = { rule: settlementRule, name, result: taxable, formula: { kind: 'sum', terms, floor: true } }
  return { tax: relieved, taxable, steps: [...illness.flat(), sumStep, bracketTax.step, ...relief] }
}

export function computeSettlement(input: SettlementInput, law: TaxLaw = currentLaw): SettlementResult {
  const month = formatYearMonth(input.year, 12)
  const merged = computeOption(input, input.bonus !== 0, law)
  const separateBonus: BonusTax | null = input.bonus === 0 ? null : computeSeparateBonusTax(input.bonus, month, false, law)
  const separateOption = separateBonus?.allowed ? computeOption(input, false, law) : null
  const separate = separateOption && separateBonus?.allowed ? separateOption.tax + separateBonus.tax : null
  const tax = separate === null ? merged.tax : Math.min(separate, merged.tax)
  const due = tax - input.withheld
  const steps: Step[] = [...merged.steps]
  if (separateOption && separateBonus?.allowed && separate !== null) {
    const terms = [plusTerm('全年税额', separateOption.tax), plusTerm('全年一次性奖金应纳税额', separateBonus.tax)]
    const both = [plusTerm('并入奖金后全年税额', merged.tax), plusTerm('奖金单独计税的合计', separate)]
    steps.push(...separateOption.steps, ...separateBonus.steps)
    steps.push({
      rule: settlementRule,
      name: '奖金单独计税的合计',
      result: separate,
      formula: { kind: 'sum', terms, floor: false },
    })
    steps.push({ rule: settlementRule, name: '较省的税额', result: tax, formula: { kind: 'least', terms: both } })
  }
  const terms = [plusTerm('应纳税额', tax), minusTerm('已预缴', input.withheld)]
  steps.push({
    rule: settlementRule,
    name: due < 0 ? '应退税额' : '应补税额',
    result: due,
    formula: { kind: 'sum', terms, floor: false },
  })
  return {
    separate,
    merged: merged.tax,
    better: compareOptions(separate, merged.tax),
    tax,
    due,
    payment_exempt: isPaymentExempt(input, due, law),
    steps,
  }
}
const compareOptions = (separate: number | null, merged: number): SettlementResult['better'] =>
  separate === null || merged < separate ? 'merged' : separate < merged ? 'separate' : 'same'

/** Returns the annual income, or the amount due, up to which payment is waived (2023-32 art. 1); null without such a rule. */
export const getExemptionLimits = (year: number, law: TaxLaw = currentLaw): { income_fen: number; due_fen: number } | null =>
  findDatedRow(law.settlement, formatYearMonth(year, 12))?.value ?? null

function isPaymentExempt(input: SettlementInput, due: number, law: TaxLaw): boolean {
  const limits = getExemptionLimits(input.year, law)
  if (!limits || due <= 0) return false
  const income = input.wages + input.bonus + sumFen(input.labor.map((one) => one.income))
  return due <= limits.due_fen || income <= limits.income_fen
}
