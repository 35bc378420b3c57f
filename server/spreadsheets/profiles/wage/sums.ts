/** Finds the columns that add up to the net pay by trying over the rows, and counts the rows in which the sum holds. */
import {
  isDeductionOrTax,
  isEarning,
  isEmployerCost,
  isGross,
  isInfo,
  isNet,
  isTax,
} from '../../../contract/sheets/column-roles.ts'
import { getRoundingTolerance } from '../../../rules/rounding.ts'
import { storedValueToFen } from '../../cells.ts'
import { type Grid, getCell } from '../../grid.ts'
import type { ColumnDraft } from './types.ts'

export interface SumFormula {
  /** Column keys. */
  plus: string[]
  minus: string[]
  /** The column they add up to: the net pay, or the gross pay if the sheet has no net. */
  net: string
  /** Number of rows in which the sum holds to the fen … */
  holds: number
  /** The number of rows with an amount in the net column, out of which they are counted. */
  of: number
}

/** Returns the fen of a cell; null if empty, undefined if unreadable. */
export function getCellFen(grid: Grid, row: number, column: number): number | null | undefined {
  const stored = grid.rows[row]?.[column]
  if (typeof stored === 'number' && grid.marks.size === 0) return storedValueToFen(stored) ?? undefined
  const cell = getCell(grid, row, column)
  if (cell.kind === 'empty') return null
  return cell.decimal === null ? undefined : (storedValueToFen(stored) ?? undefined)
}

/** Number of rows used for the search; the result is counted over all rows. */
const maxSearchedRows = 200

export interface Sum {
  /** Column keys. */
  plus: string[]
  minus: string[]
  holds: number
  of: number
}

/**
 * Strength of the proof: `all` rows satisfy the sum and differ enough to be conclusive; `most` rows satisfy it; `weak`:
 * it is the only simple sum that the rows satisfy, but they are too few or too similar to be conclusive.
 */
export type Proof = 'all' | 'most' | 'weak'
export type ProvenSum = Sum & { readonly proof: Proof }
export type ProvenFormula = SumFormula & { readonly proof: Proof }

/** Removes the proof, which only the recognition needs. */
export const removeProof = ({ plus, minus, net, holds, of }: SumFormula): SumFormula => ({ plus, minus, net, holds, of })
export const toPlainSum = ({ plus, minus, holds, of }: Sum): Sum => ({ plus, minus, holds, of })

/** `before`: an earlier net candidate that this one may be derived from. */
export function findFormula(
  grid: Grid,
  rows: readonly number[],
  drafts: readonly ColumnDraft[],
  before?: ColumnDraft,
): ProvenFormula | null {
  const target = drafts.find((draft) => isNet(draft.role)) ?? drafts.find((draft) => isGross(draft.role))
  if (!target) return null
  const items = drafts.filter(
    (draft) => draft.isAmount && draft !== target && draft.profile.amounts > 0 && (!draft.isAlternative || draft === before),
  )
  const best = findSum(grid, rows, target, items, listGuesses(items, target, before), {
    most: maxSearchedRows,
    may_be_one: false,
    may_be_weak: true,
  })
  return best && { ...best, net: target.key }
}

/**
 * Returns the best guess, repaired if little is missing; null if none holds in four of five rows. `most`: number of
 * rows tried. `may_be_one`: the target is labelled as a sum, so that a single equal column is accepted if every row
 * confirms it. `may_be_weak`: a guess with one repair counts if every row satisfies it, however few rows there are.
 */
export function findSum(
  grid: Grid,
  rows: readonly number[],
  target: ColumnDraft,
  items: readonly ColumnDraft[],
  guesses: Iterable<Map<ColumnDraft, number>>,
  {
    most,
    may_be_one,
    may_be_weak = false,
  }: { readonly most: number; readonly may_be_one: boolean; readonly may_be_weak?: boolean },
): ProvenSum | null {
  const paid = rows.filter((row) => typeof getCellFen(grid, row, target.index) === 'number')
  const sample = paid.slice(0, most)
  if (sample.length === 0 || items.length === 0) return null
  const values = new Map<ColumnDraft, number[]>()
  for (const item of [...items, target])
    values.set(
      item,
      sample.map((row) => getCellFen(grid, row, item.index) ?? 0),
    )
  const goal = values.get(target) ?? []

  let best: RepairedSum | null = null
  for (const any of guesses) {
    // Columns of a guess outside the items have no values here and would count as zero.
    const guess = new Map([...any].filter(([item]) => values.has(item)))
    const repaired = repairSum(guess, goal, values, items)
    // A column that equals another explains nothing unless the label declares a sum.
    const terms = termCount(repaired.signs)
    const isOne = may_be_one && terms === 1 && repaired.repairs === 0 && repaired.holds === sample.length
    if (terms < 2 && !isOne) continue
    if (!best || isBetter(repaired, best)) best = repaired
    if (best.exact === sample.length && best.repairs === 0) break
  }
  if (!best || best.holds * 10 < sample.length * 8) return null
  // A single row satisfies many sums, and so do identical rows; only simple sums count there.
  const different = new Set(sample.map((_, at) => [...values.values()].map((column) => column[at]).join()))
  const isWeak = best.repairs * 3 > different.size
  // With one additional column the rows would match any overpayment.
  if (isWeak && !(may_be_weak && best.repairs === 1 && !best.adds && best.holds === sample.length)) return null
  const candidates = [...best.signs].filter(([, sign]) => sign !== 0)
  const allowance = getRoundingTolerance(candidates.length)
  let holds = 0
  for (const row of paid) {
    let sum = 0
    for (const [item, sign] of candidates) sum += sign * (getCellFen(grid, row, item.index) ?? 0)
    if (Math.abs(sum - (getCellFen(grid, row, target.index) ?? 0)) <= allowance) holds++
  }
  const keys = (sign: number) => candidates.filter(([, of]) => of === sign).map(([item]) => item.key)
  const proof = isWeak || paid.length < 2 ? 'weak' : holds === paid.length ? 'all' : 'most'
  return { plus: keys(1), minus: keys(-1), holds, of: paid.length, proof }
}

interface RepairedSum {
  signs: Map<ColumnDraft, number>
  /** Number of rows that satisfy the sum within rounding, and to the fen. */
  holds: number
  exact: number
  repairs: number
  /** A repair added a column that was not guessed. */
  adds: boolean
}

const termCount = (signs: ReadonlyMap<ColumnDraft, number>): number => [...signs.values()].filter((sign) => sign !== 0).length

const isBetter = (one: RepairedSum, other: RepairedSum): boolean =>
  (one.holds - other.holds || other.repairs - one.repairs || one.exact - other.exact) > 0

/** Yields the usual formulas of the net pay. A deduction written with a minus sign is added. */
function* listGuesses(items: ColumnDraft[], target: ColumnDraft, before?: ColumnDraft): Generator<Map<ColumnDraft, number>> {
  const less = (item: ColumnDraft) => (item.profile.negatives * 2 > item.profile.amounts ? 1 : -1)
  const gross = items.find((item) => isGross(item.role))
  const earnings = items.filter((item) => isEarning(item.role))
  const deductions = items.filter((item) => isDeductionOrTax(item.role))
  const totals = items.filter(
    (item) => isInfo(item.role) && /扣.*(?:合计|小计|总)|(?:total )?deduction|total ded|控除|공제/i.test(item.label),
  )
  const left = (list: readonly ColumnDraft[]) => list.filter((item) => item.index < target.index)
  const make = (plus: ColumnDraft[], minus: ColumnDraft[]) =>
    new Map<ColumnDraft, number>([...plus.map((item) => [item, 1] as const), ...minus.map((item) => [item, less(item)] as const)])
  if (isGross(target.role)) {
    yield make(earnings, [])
    yield make(
      earnings,
      deductions.filter((item) => item.index < target.index),
    )
    return
  }
  if (before) yield* listGuessesFrom(before, items, target, less)
  if (gross) {
    for (const total of totals) yield make([gross], [total])
    yield make([gross], deductions)
    yield make([gross], left(deductions))
    // Columns between the earnings and the net pay are deductions, regardless of their labels.
    const between = items.filter((item) => item.index > gross.index && item.index < target.index)
    yield make(
      [gross],
      between.filter((item) => !isInfo(item.role) && !isEmployerCost(item.role)),
    )
    yield make(
      [gross],
      deductions.filter((item) => item.index > gross.index),
    )
    yield make(
      [gross],
      items.filter((item) => isTax(item.role)),
    )
  }
  yield make(earnings, deductions)
  yield make(left(earnings), left(deductions))
  // Agreed amounts are shown next to the amounts earned.
  const earned = left(earnings).filter((item) => !isReferenceAmount(item))
  yield make(earned, left(deductions))
  yield make(earnings, [])
  for (const total of totals) yield make(earnings, [total])
  for (const sub of items.filter((item) => isInfo(item.role)))
    if (sub.index < target.index) {
      yield make(
        [sub],
        deductions.filter((item) => item.index > sub.index),
      )
      yield make([sub], [])
    }
}

/** Starts from an earlier net candidate: the columns in between are added or subtracted, by label or all alike. */
function* listGuessesFrom(
  before: ColumnDraft,
  items: readonly ColumnDraft[],
  target: ColumnDraft,
  less: (item: ColumnDraft) => number,
): Generator<Map<ColumnDraft, number>> {
  const [from, to] = [Math.min(before.index, target.index), Math.max(before.index, target.index)]
  const between = items.filter((item) => item !== before && item.index > from && item.index < to)
  const behind = items.filter((item) => item !== before && item.index > from)
  for (const list of [between, behind])
    for (const getSign of [(item: ColumnDraft) => (isDeductionOrTax(item.role) ? less(item) : 1), () => 1, () => -1])
      yield new Map([[before, 1], ...list.map((item) => [item, getSign(item)] as const)])
}

const referencePattern = /合同|约定|协议|档案|标准|定薪|参考|目标/
/** Returns whether it is an agreed amount, which may differ from the amount earned. */
const isReferenceAmount = ({ path }: ColumnDraft): boolean => referencePattern.test(path.at(-1) ?? '')

/** Adds, removes or negates single columns as long as this brings the sum closer to the target. */
function repairSum(
  guess: Map<ColumnDraft, number>,
  goal: readonly number[],
  values: Map<ColumnDraft, number[]>,
  items: readonly ColumnDraft[],
): RepairedSum {
  const signs = new Map(guess)
  const rest = goal.map((want, at) => {
    let sum = 0
    for (const [item, sign] of signs) sum += sign * (values.get(item)?.[at] ?? 0)
    return want - sum
  })
  const distance = (change: readonly number[] | undefined, by: number) => {
    let total = 0
    for (let at = 0; at < rest.length; at++) total += Math.abs((rest[at] ?? 0) - by * (change?.[at] ?? 0))
    return total
  }
  let repairs = 0
  let now = distance(undefined, 0)
  const rounded = () => rest.filter((value) => Math.abs(value) <= getRoundingTolerance(termCount(signs))).length
  // Agreed amounts are removed first if another column has the same amount.
  const inSequence = [...items.filter(isReferenceAmount), ...items.filter((item) => !isReferenceAmount(item))]
  while (now > 0 && repairs < 4 && rounded() < rest.length) {
    let change: { item: ColumnDraft; by: number; to: number } | null = null
    for (const item of inSequence) {
      const sign = signs.get(item) ?? 0
      for (const to of [-1, 0, 1]) {
        if (to === sign) continue
        const reached = distance(values.get(item), to - sign)
        if (reached < (change?.to ?? now)) change = { item, by: to - sign, to: reached }
      }
    }
    if (!change) break
    signs.set(change.item, (signs.get(change.item) ?? 0) + change.by)
    const moved = values.get(change.item)
    for (let at = 0; at < rest.length; at++) rest[at] = (rest[at] ?? 0) - change.by * (moved?.[at] ?? 0)
    now = change.to
    repairs++
  }
  const adds = [...signs].some(([item, sign]) => sign !== 0 && !guess.has(item))
  return { signs, holds: rounded(), exact: rest.filter((value) => value === 0).length, repairs, adds }
}
