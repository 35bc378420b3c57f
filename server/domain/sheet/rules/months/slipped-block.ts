/** Some columns of some rows that slipped together, each too little to be told by itself. */
import type { InTurns } from '../../../../rules/turns.ts'
import type { Likeness } from './likeness.ts'
import { bestBlock, type Gained, rowsOf, type Stretch } from './stretches.ts'
import type { RowsAsked, Variation, Varied } from './variation.ts'

/**
 * Where it is nearly three times as probable that some columns of some rows slipped as that they did not, somebody looks: of 10,000 good months (every
 * figure varying by up to 30 %) six came so far.
 */
const asked_block = 1
/** Where two rows are looked at anyway, others are added to them only where it is as probable as this. */
const asked_beside = 2
/**
 * And by so much it is told and no longer left to whoever looks. Of 4,375 good months in which every figure varies by up to 30 % one came to 5.4, one
 * to 2.8 and no other beyond 0.
 */
const told_block = 6
/** A column that varies within this still tells who is who, many rows together. */
const widest_told = 0.3
/** What a row costs that is held beside another, and those after it until nothing speaks for them. */
const steps_a_row = 6
/** So many figures at least must be rather another's. */
const least_figures = 3
/** A column that alone gains less than this part of what is asked is not held beside the others. */
const worth_following = 0.25
/** One column more that slipped along is one of two possibilities. */
const one_more = Math.log(2)

/**
 * Rows in which some columns had rather be those of the row some rows on: a cell was put in or taken out, and a few below it moved. Surely so, they
 * are a stretch that is told; else somebody looks at them.
 */
export function* slippedBlock(
  variation: Variation,
  offsets: readonly number[],
  { compared, told, exchanged }: RowsAsked & { readonly exchanged: readonly number[] },
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
  const asked = exchanged.length > 0 ? asked_beside : asked_block
  let most = 0
  for (const said of own.values()) for (const one of said) most += Number.isNaN(one) ? 0 : one
  if (most < (ways + asked) * 0.99) return { rows: [], stretch: null }
  const all = columns.map((column) => new Gains(variation, column, own.get(column) ?? new Float64Array()))
  let best: Block | null = null
  for (const offset of offsets) {
    for (const gains of all) {
      if (like.turn.isOver(gains.off.length * steps_a_row)) yield
      const alone = blockOf([gains], like.rows, offset)
      if (!alone || alone.sum < (ways + asked) * worth_following) continue
      const found = yield* withOthers(alone, all, like)
      if (found.sum > (best?.sum ?? 0) && figuresOf(found) >= least_figures) best = found
    }
  }
  if (!best || best.sum < ways + asked) return { rows: [], stretch: null }
  const { from, to, offset, moved } = best
  if (best.sum >= ways + told_block)
    return { rows: [], stretch: { from, to, offset, columns: moved.map(({ column }) => column.column) } }
  return { rows: rowsOf(best).filter((row) => moved.some((gains) => gains.of(row, offset) > 0)), stretch: null }
}

/** `sum`: what is gained where these columns moved, each column but the first having been one of two possibilities. */
type Block = Gained & { readonly offset: number; readonly moved: readonly Gains[] }

function blockOf(moved: readonly Gains[], rows: number, offset: number): Block | null {
  const off =
    moved.length === 1 ? (moved[0]?.off ?? []) : [...new Set(moved.flatMap((gains) => gains.off))].toSorted((a, b) => a - b)
  const gain = (row: number): number => {
    let [sum, said] = [0, false]
    for (const gains of moved) {
      const by = gains.of(row, offset)
      if (Number.isNaN(by)) continue
      sum += by
      said = true
    }
    return said ? sum : Number.NaN
  }
  const found = bestBlock(off, rows, gain)
  return found && { ...found, sum: found.sum - (moved.length - 1) * one_more, offset, moved }
}

/** Columns that moved along, the one that adds most first; with each of them the rows are sought anew. */
function* withOthers(alone: Block, all: readonly Gains[], like: Likeness): InTurns<Block> {
  let best = alone
  for (;;) {
    let next = best
    for (const gains of all) {
      if (best.moved.includes(gains)) continue
      if (like.turn.isOver((gains.off.length + alone.to - alone.from) * steps_a_row)) yield
      const found = blockOf([...best.moved, gains], like.rows, best.offset)
      if (found && found.sum > next.sum) next = found
    }
    if (next === best) return best
    best = next
  }
}

function figuresOf({ from, to, offset, moved }: Block): number {
  return rowsOf({ from, to }).reduce((sum, row) => sum + moved.filter((gains) => gains.of(row, offset) > 0).length, 0)
}

/** What rows of a column gain with the figures of others; of each only what is asked for. */
class Gains {
  /** Rows whose own figure says something: no other can gain. */
  readonly off: readonly number[]
  readonly #variation: Variation
  readonly column: Varied
  readonly #own: Float64Array

  constructor(variation: Variation, column: Varied, own: Float64Array) {
    this.#variation = variation
    this.column = column
    this.#own = own
    const off: number[] = []
    for (let row = 0; row < own.length; row++) if ((own[row] ?? 0) > 0) off.push(row)
    this.off = off
  }

  of(row: number, offset: number): number {
    const { like } = this.#variation
    const other = row + offset
    if (other < 0 || other >= like.rows) return Number.NaN
    const own = this.#own[row] ?? Number.NaN
    const person = like.own[other] ?? -1
    // Of somebody new nothing is known: his figure may be anybody's, which is as improbable as that a stranger's is so near to one's own.
    return own - (person < 0 ? this.column.chance : this.#variation.said(this.column, row, person, [row, row]))
  }
}
