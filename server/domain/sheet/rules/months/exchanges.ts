/** Rows that had rather be each other's, by how much figures usually vary. */
import type { InTurns } from '../../../../rules/turns.ts'
import { beyond_edge, only_once, type RowsAsked, type Two, type Variation, type Varied, weightOf } from './variation.ts'

/** `Variation.against` of rows and their own people, for many pairs of few rows: how far a figure is off is worked out once, and what it says is added up for each pair. */
class AsItIs {
  readonly #variation: Variation
  readonly #kept = new Map<number, readonly Saying[]>()

  constructor(variation: Variation) {
    this.#variation = variation
  }

  /** At most, whoever is left out of account. */
  most(row: number): number {
    let sum = 0
    for (const { varied, apart } of this.#of(row))
      sum += Math.max(...[0, 1, 2].map((less) => weightOf(varied, apart, less, this.#variation.most_lean)))
    return sum
  }
  against(row: number, two: Two): number {
    const [one, other] = two
    const { rose, fell } = this.#variation.leanWithout(two)
    let sum = 0
    for (const { varied, kind, apart, isRisen } of this.#of(row)) {
      const less = Number(varied.own[one] === kind) + Number(varied.own[other] === kind)
      sum += weightOf(varied, apart, less, isRisen ? rose : fell)
    }
    return sum
  }

  #of(row: number): readonly Saying[] {
    const known = this.#kept.get(row)
    if (known) return known
    const { like, columns } = this.#variation
    const person = like.own[row] ?? -1
    const made: Saying[] = []
    for (const varied of columns) {
      const apart = person < 0 ? 0 : like.apart(row, person, varied.column) / varied.edge
      if (apart <= 1) continue
      const isRisen = like.differs(row, person, varied.column) > 0
      const kind = Number.isNaN(apart) ? only_once : beyond_edge
      made.push({ varied, kind, apart, isRisen })
    }
    this.#kept.set(row, made)
    return made
  }
}
/** A figure that says something, and which rows of its column are like it. */
type Saying = { readonly varied: Varied; readonly kind: number; readonly apart: number; readonly isRisen: boolean }

/**
 * Where figures vary by a tenth, the sheet is nearly three times as probable with two of its rows exchanged as it is, all pairs that could have been
 * counted against it: with 0 (as probable either way) 21 of 1,000 good sheets were asked about. Where they vary little, hardly any good sheet comes
 * near, and as probable is enough.
 */
const asked_exchange = { little: 0, much: 1 }
const little = 0.06
/** Of several pairs, those nearly as probable as the most probable one. */
const as_probable = 2
/** Rows that are held beside each other: those that are farthest from their people, and so many more. */
const most_exchanged = 400
/** Without the two rows in question what they are usually says a little more against them. */
const leave_share = 1.5
const leave_odds = 2

type Pair = { readonly one: number; readonly other: number; readonly gain: number }

/** Rows that had rather be each other's, the likeliest two first. */
export function* exchangedRows(variation: Variation, { compared, told }: RowsAsked): InTurns<readonly number[]> {
  const { like, columns } = variation
  const alone = new Float64Array(like.rows)
  for (const row of compared) {
    if (like.turn.isOver(columns.length)) yield
    if (!told.has(row)) alone[row] = variation.alone(row)
  }
  const asked = compared.filter((row) => !told.has(row))
  const said = asked.filter((row) => alone[row] !== 0).toSorted((a, b) => (alone[b] ?? 0) - (alone[a] ?? 0))
  const far = [...said, ...asked.filter((row) => alone[row] === 0)]
  const off = far.slice(0, most_exchanged).filter((row) => (alone[row] ?? 0) > 0)
  // Somebody new has nothing to be held against: who changed places with him is told by what he himself has not got.
  const fresh = [...like.own.keys()].filter((row) => (like.own[row] ?? -1) < 0 && !like.skipped[row]).slice(0, most_exchanged)
  const rivals = [...far.slice(0, most_exchanged * 2), ...fresh]
  const rows = compared.length + fresh.length
  const asked_by = variation.usual < little ? asked_exchange.little : asked_exchange.much
  const needed = asked_by + Math.log((rows * (rows - 1)) / 2)
  const pairs = yield* pairsOf(variation, { off: off.length, rivals, alone, needed })
  const most = pairs.reduce((best, { gain }) => Math.max(best, gain), 0)
  const all = pairs.reduce((sum, { gain }) => sum + Math.exp(gain - most), 0)
  if (pairs.length === 0 || most + Math.log(all) < needed) return []
  const likeliest = pairs.filter(({ gain }) => gain >= most - as_probable).toSorted((a, b) => b.gain - a.gain)
  return [...new Set(likeliest.flatMap(({ one, other }) => [one, other]))]
}

type Rivals = {
  /** As many of them, the first ones, are held beside all that follow. */
  readonly off: number
  readonly rivals: readonly number[]
  /** By row. */
  readonly alone: Float64Array
  readonly needed: number
}

function* pairsOf(variation: Variation, { off, rivals, alone, needed }: Rivals): InTurns<Pair[]> {
  const pairs: Pair[] = []
  const own = new AsItIs(variation)
  const most = Float64Array.from(rivals, (row) => own.most(row))
  for (let at = 0; at < off; at++) {
    const one = rivals[at] ?? 0
    for (let next = at + 1; next < rivals.length; next++) {
      const other = rivals[next] ?? 0
      // What is gained is what speaks against them as they are: where that is little, they are no pair.
      // Whoever follows is nearer still.
      if (((alone[one] ?? 0) + (alone[other] ?? 0)) * leave_share + leave_odds < needed) break
      if (variation.like.turn.isOver(variation.columns.length)) yield
      // Most pairs speak more against each other in the columns that tell most than anything can against them as they are.
      if (variation.isSurelyAgainst(one, other, (most[at] ?? 0) + (most[next] ?? 0))) continue
      if (variation.like.turn.isOver(variation.columns.length * 4)) yield
      const two = [one, other] as const
      const asIs = own.against(one, two) + own.against(other, two)
      const left = asIs - variation.against(one, other, two, asIs)
      const gain = left > 0 ? left - variation.against(other, one, two, left) : left
      if (gain > 0) pairs.push({ one, other, gain })
    }
  }
  return pairs
}
