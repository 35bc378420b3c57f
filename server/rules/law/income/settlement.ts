/** 年度汇算: what a person will owe or get back after the year, with the better way to tax the bonus (iit law art. 11, 2023-32). */
import { sum } from '../../../contract/words/money.ts'
import { taxBy } from '../by-table.ts'
import { illnessDeduction } from '../deductions/additional.ts'
import { exact, floored, type Quantity } from '../exact.ts'
import { less, plus, type Step } from '../steps.ts'
import { rowFor, rowIn } from '../tables/dated.ts'
import { annualLevels, type Law, statutes } from '../tables/law.ts'
import { type Bonus, bonusApart } from '../wages/bonus.ts'
import { monthOf } from '../wages/employment.ts'
import { type LaborItem, laborIncome } from './labor.ts'

export type SettlementYear = {
  readonly year: number
  /** Wages of all employers, bonuses that were merged among them; exempt income left out. */
  readonly wages: number
  readonly labor: readonly { readonly item: LaborItem; readonly income: number }[]
  readonly special: number
  readonly additional: number
  readonly other: number
  readonly donation: number
  readonly reduction: number
  /** What each person of the family paid of illnesses oneself. */
  readonly illnesses: readonly number[]
  /** 全年一次性奖金 that may be taxed apart. */
  readonly bonus: number
  /** Withheld of everything, the bonus too. */
  readonly withheld: number
}
type Way = { readonly tax: number; readonly steps: readonly Step[]; readonly taxable: Quantity }
export type Settlement = {
  readonly separate: number | null
  readonly merged: number
  readonly better: 'separate' | 'merged' | 'same'
  readonly tax: number
  /** Above zero is to be paid, below comes back. */
  readonly due: number
  /** Little enough, or owed by somebody with little enough, that it need not be paid. */
  readonly may_stay: boolean
  readonly steps: readonly Step[]
}

const rule = 'settlement'
/** 综合所得收入额 with everything taken off, with or without the bonus. */
function way(of: SettlementYear, with_bonus: boolean, law: Law): Way {
  const month = monthOf(of.year, 12)
  const { year_fen } = rowFor(law.basic_deduction, month).value
  const labor = of.labor.map(({ item, income }) => laborIncome(item, income, month, law))
  const illness = of.illnesses.map((paid) => illnessDeduction(paid, month, law))
  const ill = illness.map((steps) => steps.at(-1)?.result ?? 0)
  const terms = [
    plus('工资', of.wages),
    ...labor.map((income) => plus('劳务报酬等收入额', income)),
    ...(with_bonus ? [plus('全年一次性奖金', of.bonus)] : []),
    less('减除费用', year_fen),
    less('专项扣除', of.special),
    less('专项附加扣除', of.additional),
    ...ill.map((amount) => less('大病医疗', amount)),
    less('其他扣除', of.other),
    less('准予扣除的捐赠', of.donation),
  ]
  const all = terms.reduce((left, { sign, of: amount }) => left.plus(exact(amount).times(sign)), exact(0))
  const taxable = floored(all)
  const name = with_bonus ? '并入奖金后应纳税所得额' : '应纳税所得额'
  const naming = { rule, name: with_bonus ? '并入奖金后全年税额' : '全年税额', base_name: name } as const
  const found = taxBy(annualLevels(law, month), taxable, naming)
  const relieved = Math.max(0, found.tax - of.reduction)
  const relief: Step[] = of.reduction
    ? [
        {
          rule,
          name: '减免后税额',
          result: relieved,
          how: { does: 'sum', terms: [plus(found.step.name, found.tax), less('减免税额', of.reduction)], floor: true },
        },
      ]
    : []
  const sumStep: Step = { rule, name, result: taxable, how: { does: 'sum', terms, floor: true } }
  return { tax: relieved, taxable, steps: [...illness.flat(), sumStep, found.step, ...relief] }
}

export function settle(of: SettlementYear, law: Law = statutes): Settlement {
  const month = monthOf(of.year, 12)
  const merged = way(of, of.bonus !== 0, law)
  const apart: Bonus | null = of.bonus === 0 ? null : bonusApart(of.bonus, month, false, law)
  const alone = apart?.allowed ? way(of, false, law) : null
  const separate = alone && apart?.allowed ? alone.tax + apart.tax : null
  const tax = separate === null ? merged.tax : Math.min(separate, merged.tax)
  const due = tax - of.withheld
  const steps: Step[] = [...merged.steps]
  if (alone && apart?.allowed && separate !== null) {
    const terms = [plus('全年税额', alone.tax), plus('全年一次性奖金应纳税额', apart.tax)]
    const both = [plus('并入奖金后全年税额', merged.tax), plus('奖金单独计税的合计', separate)]
    steps.push(...alone.steps, ...apart.steps)
    steps.push({ rule, name: '奖金单独计税的合计', result: separate, how: { does: 'sum', terms, floor: false } })
    steps.push({ rule, name: '较省的税额', result: tax, how: { does: 'least', terms: both } })
  }
  const terms = [plus('应纳税额', tax), less('已预缴', of.withheld)]
  steps.push({ rule, name: due < 0 ? '应退税额' : '应补税额', result: due, how: { does: 'sum', terms, floor: false } })
  return {
    separate,
    merged: merged.tax,
    better: betterOf(separate, merged.tax),
    tax,
    due,
    may_stay: mayStay(of, due, law),
    steps,
  }
}
const betterOf = (separate: number | null, merged: number): Settlement['better'] =>
  separate === null || merged < separate ? 'merged' : separate < merged ? 'separate' : 'same'

/** Up to which year's income, or up to what due, nothing need be paid (2023-32 art. 1); null in years that have no such rule. */
export const stayLimits = (year: number, law: Law = statutes): { income_fen: number; due_fen: number } | null =>
  rowIn(law.settlement, monthOf(year, 12))?.value ?? null

function mayStay(of: SettlementYear, due: number, law: Law): boolean {
  const limits = stayLimits(of.year, law)
  if (!limits || due <= 0) return false
  const income = of.wages + of.bonus + sum(of.labor.map((one) => one.income))
  return due <= limits.due_fen || income <= limits.income_fen
}

/** The better way for everybody at once. */
export const settleAll = (people: ReadonlyMap<string, SettlementYear>, law: Law = statutes): Map<string, Settlement> =>
  new Map([...people].map(([id, of]) => [id, settle(of, law)]))
