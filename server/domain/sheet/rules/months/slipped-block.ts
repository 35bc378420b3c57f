/** Some columns of some rows that slipped together, each too little to be told by itself. */
import type { InTurns } from '../../../../rules/turns.ts'
import { bestBlock, type RowRange, rowsOf, type Stretch } from './stretches.ts'
import type { RowsAsked, Variation, Varied } from './variation.ts'

/**
 * Some columns of some rows must have slipped more surely than two rows were exchanged: more is tried that is no mistake (a team that rose by a
 * step has what others had).
 */
const asked_block = 2
/**
 * And by so much it is told and no longer left to whoever looks. Of 4,375 good months in which every figure varies by up to 30 % one came to 5.4, one
 * to 2.8 and no other beyond 0.
 */
const told_block = 6
/** A column that varies within this still tells who is who, many rows together. */
const widest_told = 0.3
/** What a row costs that is held beside another, and those after it until nothing speaks for them. */
const steps_a_row = 6
/** One column more that slipped along is one of two possibilities. */
const one_more = Math.log(2)

/**
 * Rows in which some columns had rather be those of the row some rows on: a cell was put in or taken out, and a few below it moved. Surely so, they
 * are a stretch that is told; else somebody looks at them.
 */
export function* slippedBlock(
  variation: Variation,
  offsets: readonly number[],
  { compared, told }: RowsAsked,
  isUsuallyFixed: (column: number) => boolean,
): InTurns<{ readonly rows: readonly number[]; readonly stretch: Stretch | null }> {
  const { like } = variation
  const columns = variation.columns.filter(({ edge, column }) => edge < widest_told && isUsuallyFixed(column))
  const own = new Map<Varied, Float64Array>()
  for (const column of columns) {
    if (like.turn.isOver(like.rows)) yield
    own.set(
      column,
      Float64Array.from(like.own, (person, row) =>
        person < 0 || told.has(row) || like.skipped[row]
          ? Number.NaN
          : // Within the edge it says nothing.
            column.own[row] === 0
            ? 0
            : variation.said(column, row, person, [row, row]),
      ),
    )
  }
  const ways = Math.log(Math.max(1, (compared.length ** 2 / 2) * offsets.length * columns.length))
  // No block gains more than all its rows lose with their own.
  let most = 0
  for (const said of own.values()) for (const one of said) most += Number.isNaN(one) ? 0 : one
  if (most < (ways + asked_block) * 0.99) return { rows: [], stretch: null }
  const all = columns.map((column) => new Gains(variation, column, own.get(column) ?? new Float64Array()))
  let best: { readonly sum: number; readonly stretch: Stretch; readonly gains: readonly ((row: number) => number)[] } | null =
    null
  for (const offset of offsets) {
    for (const [at, gains] of all.entries()) {
      if (like.turn.isOver(gains.off.length * steps_a_row)) yield
      const block = bestBlock(gains.off, like.rows, (row) => gains.of(row, offset))
      if (!block || block.sum <= 0) continue
      if (like.turn.isOver((block.to - block.from) * columns.length)) yield
      const sumAt = (other: number): number => all[other]?.sum(block, offset) ?? 0
      const along = [...all.keys()].filter((other) => other !== at && sumAt(other) > one_more)
      const sum = along.reduce((sums, other) => sums + sumAt(other) - one_more, block.sum)
      if (sum <= (best?.sum ?? 0)) continue
      const moved = [at, ...along]
      const { from, to } = block
      best = {
        sum,
        stretch: { from, to, offset, columns: moved.map((one) => columns[one]?.column ?? 0) },
        gains: moved.map((one) => (row) => all[one]?.of(row, offset) ?? 0),
      }
    }
  }
  if (!best || best.sum < ways + asked_block) return { rows: [], stretch: null }
  if (best.sum >= ways + told_block) return { rows: [], stretch: best.stretch }
  const { stretch: block, gains } = best
  return { rows: rowsOf(block).filter((row) => gains.some((gain) => gain(row) > 0)), stretch: null }
}

/** What rows of a column gain with the figures of others; of each only what is asked for. */
class Gains {
  /** Rows whose own figure says something: no other can gain. */
  readonly off: readonly number[]
  readonly #variation: Variation
  readonly #column: Varied
  readonly #own: Float64Array

  constructor(variation: Variation, column: Varied, own: Float64Array) {
    this.#variation = variation
    this.#column = column
    this.#own = own
    const off: number[] = []
    for (let row = 0; row < own.length; row++) if ((own[row] ?? 0) > 0) off.push(row)
    this.off = off
  }

  of(row: number, offset: number): number {
    const person = row + offset < 0 ? -1 : (this.#variation.like.own[row + offset] ?? -1)
    return person < 0 ? Number.NaN : (this.#own[row] ?? Number.NaN) - this.#variation.said(this.#column, row, person, [row, row])
  }
  sum({ from, to }: RowRange, offset: number): number {
    let sum = 0
    for (let row = from; row <= to; row++) {
      const gain = this.of(row, offset)
      if (!Number.isNaN(gain)) sum += gain
    }
    return sum
  }
}
