/** Measures of a column of amounts: its middle, a rise that all share, and whom to hold people beside. */

/** A rise is common where most are no farther from it than this part of it: a new base for all, not another order. */
const rise_agrees = 0.25
/** Others that a row is held beside, to see whether it would show if it were one of theirs. */
const strangers = 12

/** Distances around the circle of all people, spread over it: always the same ones, so that a sheet is always judged alike. */
export function stepsOf(people: number): number[] {
  const steps = new Set<number>()
  for (let at = 1; at <= strangers; at++) steps.add(Math.max(1, Math.round((people * at) / (strangers + 1))))
  return people < 2 ? [] : [...steps].filter((step) => step < people)
}

/** By how much a whole column rose or fell; 0 where everybody changed by something else. */
export function commonRise(ratios: readonly number[]): number {
  const rise = middleOf(ratios)
  return middleOf(ratios.map((ratio) => Math.abs(ratio - rise))) <= Math.abs(rise) * rise_agrees ? rise : 0
}

export function middleOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).toSorted()
  return sorted[(sorted.length - 1) >> 1] ?? 0
}
