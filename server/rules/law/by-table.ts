/** Tax of an amount by a table: the first level whose end is not below it, amount × rate − quick deduction, rounded once. */
import { type Fen, fen } from '../../contract/words/money.ts'
import { exact, type Quantity } from './exact.ts'
import { LawRefusal } from './refused.ts'
import type { RuleName } from './rules.ts'
import { plus, type Step } from './steps.ts'
import type { Level, Levels } from './tables/shapes.ts'

export type ByTable = { readonly rate_ppm: number; readonly quick_fen: number; readonly tax: Fen; readonly step: Step }
/** `name`: of the tax; `base_name`: of what it is taken of; `times`: where a part was looked up, how many parts. */
type Naming = { readonly rule: RuleName; readonly name: string; readonly base_name: string; readonly times?: number }

/** What is compared is exact, not rounded; nothing and less than nothing are of the first level. */
export function levelFor(levels: Levels, amount: Quantity): Level {
  const of = exact(amount)
  const found = levels.find(({ up_to }) => up_to === null || !of.exceeds(up_to))
  if (!found) throw new LawRefusal('税率表', '没有最后一级')
  return found
}

/** (base × rate − quick) × times. The level is that of `looked_up`, where that is not the base itself. */
export function taxBy(levels: Levels, base: Quantity, naming: Naming, looked_up: Quantity = base): ByTable {
  const { rate_ppm, quick_fen } = levelFor(levels, looked_up)
  const { rule, name, base_name, times = 1 } = naming
  const tax = fen(Math.max(0, exact(base).part(rate_ppm).minus(quick_fen).times(times).rounded()))
  return {
    rate_ppm,
    quick_fen,
    tax,
    step: { rule, name, result: tax, how: { does: 'tax', base: plus(base_name, base), rate_ppm, quick_fen, times } },
  }
}
