/** Tax by a bracket table: the first bracket whose upper end is not below the amount, amount × rate − quick, rounded once. */
import { type Fen, toFen } from '../../contract/shared/money.ts'
import { type Quantity, toFraction } from './fraction.ts'
import { LawError } from './law-error.ts'
import type { LawRuleName } from './rules.ts'
import { plusTerm, type Step } from './steps.ts'
import type { TaxBracket, TaxBrackets } from './tables/readers.ts'

export type BracketTax = { readonly rate_ppm: number; readonly quick_fen: number; readonly tax: Fen; readonly step: Step }
/** `name`: name of the tax; `base_name`: name of the tax base; `times`: number of parts if the bracket was found by one part. */
type StepNaming = { readonly rule: LawRuleName; readonly name: string; readonly base_name: string; readonly times?: number }

/** Compares exact, unrounded amounts; zero and negative amounts belong to the first bracket. */
export function findBracket(levels: TaxBrackets, amount: Quantity): TaxBracket {
  const fraction = toFraction(amount)
  const bracket = levels.find(({ up_to }) => up_to === null || !fraction.exceeds(up_to))
  if (!bracket) throw new LawError('税率表', '没有最后一级')
  return bracket
}

/** Computes (base × rate − quick) × times. The bracket is that of `lookupAmount` if it differs from the base. */
export function computeBracketTax(
  levels: TaxBrackets,
  base: Quantity,
  naming: StepNaming,
  lookupAmount: Quantity = base,
): BracketTax {
  const { rate_ppm, quick_fen } = findBracket(levels, lookupAmount)
  const { rule, name, base_name, times = 1 } = naming
  const tax = toFen(Math.max(0, toFraction(base).timesPpm(rate_ppm).minus(quick_fen).times(times).rounded()))
  return {
    rate_ppm,
    quick_fen,
    tax,
    step: { rule, name, result: tax, formula: { kind: 'tax', base: plusTerm(base_name, base), rate_ppm, quick_fen, times } },
  }
}
