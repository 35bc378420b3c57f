/**
 * 更正申报: an earlier month was declared incorrectly, and every later month of the year changes accordingly (tax-rules
 * §5).
 */
import { sumFen } from '../../../server/contract/shared/money.ts'
import { LawError } from '../../../server/rules/law/law-error.ts'
import { minusTerm, plusTerm, type Step } from '../../../server/rules/law/steps.ts'
import type { Employment } from '../../../server/rules/law/wages/employment.ts'
import {
  computeWithholding,
  type WageMonth,
  type WageMonthInput,
  type YearOptions,
} from '../../../server/rules/law/wages/withholding.ts'

export type MonthCorrection = { readonly month: number; readonly set: Omit<WageMonthInput, 'month'> }
export type CorrectedYear = {
  readonly original: readonly WageMonth[]
  readonly corrected: readonly WageMonth[]
  /** The difference by month; negative amounts mean that less is due. */
  readonly difference: readonly number[]
  readonly total_difference: number
  readonly final_credit: number
  readonly steps: readonly Step[]
}

/** Merges the corrections of a month, regardless of their order; contradictory ones are rejected. */
function mergeCorrections(corrections: readonly MonthCorrection[]): Map<number, Omit<WageMonthInput, 'month'>> {
  const all = new Map<number, Omit<WageMonthInput, 'month'>>()
  for (const { month, set } of corrections) {
    const before = all.get(month) ?? {}
    const own = new Map<string, unknown>(Object.entries(before))
    for (const [field, value] of Object.entries(set))
      if (own.has(field) && own.get(field) !== value)
        throw new LawError(`corrections ${month} 月 ${field}`, '有两处更正，写的不一样；请只留一处')
    all.set(month, { ...before, ...set })
  }
  return all
}

/** Computes the same year with corrected months. A month without an entry was declared as zero. */
export function applyCorrections(
  employment: Employment,
  months: readonly WageMonthInput[],
  corrections: readonly MonthCorrection[],
  options: YearOptions = {},
): CorrectedYear {
  const changes = mergeCorrections(corrections)
  const missing = [...changes.keys()].filter((month) => !months.some((one) => one.month === month))
  const declared = [...months, ...missing.map((month): WageMonthInput => ({ month }))]
  for (const month of changes.keys())
    if (declared.filter((one) => one.month === month).length > 1)
      throw new LawError(`corrections ${month} 月`, '这个月有几笔发放；请先合成一笔再更正')
  const original = computeWithholding(employment, declared, options)
  const corrected = computeWithholding(
    employment,
    declared.map((one) => ({ ...one, ...changes.get(one.month) })),
    options,
  )
  const difference = corrected.map((one, at) => one.tax - (original[at]?.tax ?? 0))
  const steps = corrected.map((one, at): Step => {
    const terms = [plusTerm(`更正后 ${one.month} 月税额`, one.tax), minusTerm('原税额', original[at]?.tax ?? 0)]
    return {
      rule: 'wage_correction',
      name: `${one.month} 月差额`,
      result: difference[at] ?? 0,
      formula: { kind: 'sum', terms, floor: false },
    }
  })
  return {
    original,
    corrected,
    difference,
    total_difference: sumFen(difference),
    final_credit: corrected.at(-1)?.credit ?? 0,
    steps,
  }
}
