/** Which columns add up to the net pay. Found by trying, over the rows themselves; says in how many rows it holds. */
import { fenOfStored } from '../../cells.ts'
import { cellAt, type Grid } from '../../grid.ts'
import type { ColumnDraft } from './columns.ts'

export interface SumFormula {
  /** Column keys. */
  plus: string[]
  minus: string[]
  /** The column they add up to: the net pay, or the gross pay where the sheet has no net. */
  net: string
  /** In this many rows to the fen … */
  holds: number
  /** … of these, the rows with an amount in the net column. */
  of: number
}

/** Fen at a place; null for an empty cell, undefined for one that cannot be read. */
export function fenAt(grid: Grid, row: number, column: number): number | null | undefined {
  const stored = grid.rows[row]?.[column]
  if (typeof stored === 'number' && grid.marks.size === 0) return fenOfStored(stored) ?? undefined
  const cell = cellAt(grid, row, column)
  if (cell.kind === 'empty') return null
  return cell.decimal === null ? undefined : (fenOfStored(stored) ?? undefined)
}

/** Rows tried while searching; the answer is counted over all. */
const tried = 200

export interface Sum {
  /** Column keys. */
  plus: string[]
  minus: string[]
  holds: number
  of: number
}

export function findFormula(grid: Grid, rows: readonly number[], drafts: readonly ColumnDraft[]): SumFormula | null {
  const target = drafts.find((draft) => draft.role === 'net') ?? drafts.find((draft) => draft.role === 'gross')
  if (!target) return null
  const items = drafts.filter((draft) => draft.money && draft !== target && draft.profile.amounts > 0)
  const found = findSum(grid, rows, target, items, guesses(items, target), { most: tried, may_be_one: false })
  return found && { ...found, net: target.key }
}

/**
 * The best of the guesses, repaired where little is missing; null where none holds in four rows of five. `most`: rows that are tried. `may_be_one`: the target calls itself a sum, so
 * that a guess of a single column which every row confirms is one.
 */
export function findSum(
  grid: Grid,
  rows: readonly number[],
  target: ColumnDraft,
  items: readonly ColumnDraft[],
  guesses: Iterable<Map<ColumnDraft, number>>,
  { most, may_be_one }: { readonly most: number; readonly may_be_one: boolean },
): Sum | null {
  const paid = rows.filter((row) => typeof fenAt(grid, row, target.index) === 'number')
  const sample = paid.slice(0, most)
  if (sample.length === 0 || items.length === 0) return null
  const values = new Map<ColumnDraft, number[]>()
  for (const item of [...items, target])
    values.set(
      item,
      sample.map((row) => fenAt(grid, row, item.index) ?? 0),
    )
  const goal = values.get(target) ?? []

  let best: { signs: Map<ColumnDraft, number>; holds: number; repairs: number } | null = null
  for (const any of guesses) {
    // What a guess names beyond the items has no values here and would count as nothing.
    const guess = new Map([...any].filter(([item]) => values.has(item)))
    const found = repair(guess, goal, values, items)
    // One column equal to another explains nothing, unless it was said.
    const terms = [...found.signs.values()].filter((sign) => sign !== 0).length
    const isOne = may_be_one && terms === 1 && found.repairs === 0 && found.holds === sample.length
    if (terms < 2 && !isOne) continue
    if (!best || found.holds > best.holds || (found.holds === best.holds && found.repairs < best.repairs)) best = found
    if (best.holds === sample.length && best.repairs === 0) break
  }
  // A single row agrees with many sums, and so do rows that are all the same; there only the plain ones count.
  const different = new Set(sample.map((_, at) => [...values.values()].map((column) => column[at]).join()))
  if (!best || best.holds * 10 < sample.length * 8 || best.repairs * 3 > different.size) return null
  const parts = [...best.signs].filter(([, sign]) => sign !== 0)
  let holds = 0
  for (const row of paid) {
    let sum = 0
    for (const [item, sign] of parts) sum += sign * (fenAt(grid, row, item.index) ?? 0)
    if (sum === fenAt(grid, row, target.index)) holds++
  }
  const keys = (sign: number) => parts.filter(([, of]) => of === sign).map(([item]) => item.key)
  return { plus: keys(1), minus: keys(-1), holds, of: paid.length }
}

/** The usual ways to the net pay. A deduction written with a minus sign is added. */
function* guesses(items: ColumnDraft[], target: ColumnDraft): Generator<Map<ColumnDraft, number>> {
  const less = (item: ColumnDraft) => (item.profile.negatives * 2 > item.profile.amounts ? 1 : -1)
  const of = (...roles: string[]) => items.filter((item) => roles.includes(item.role))
  const gross = of('gross')[0]
  const taken = of('deduction', 'tax')
  const totals = items.filter(
    (item) => item.role === 'info' && /扣.*(?:合计|小计|总)|(?:total )?deduction|控除|공제/i.test(item.label),
  )
  const make = (plus: ColumnDraft[], minus: ColumnDraft[]) =>
    new Map<ColumnDraft, number>([...plus.map((item) => [item, 1] as const), ...minus.map((item) => [item, less(item)] as const)])
  if (target.role === 'gross') {
    yield make(of('earning'), [])
    yield make(
      of('earning'),
      taken.filter((item) => item.index < target.index),
    )
    return
  }
  if (gross) {
    for (const total of totals) yield make([gross], [total])
    yield make([gross], taken)
    yield make(
      [gross],
      taken.filter((item) => item.index > gross.index),
    )
    yield make([gross], of('tax'))
  }
  yield make(of('earning'), taken)
  yield make(of('earning'), [])
  for (const total of totals) yield make(of('earning'), [total])
  for (const sub of items.filter((item) => item.role === 'info'))
    if (sub.index < target.index) {
      yield make(
        [sub],
        taken.filter((item) => item.index > sub.index),
      )
      yield make([sub], [])
    }
}

/** Adds, drops or turns single columns as long as that brings the sum nearer to the goal. */
function repair(
  guess: Map<ColumnDraft, number>,
  goal: readonly number[],
  values: Map<ColumnDraft, number[]>,
  items: readonly ColumnDraft[],
) {
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
  while (now > 0 && repairs < 4) {
    let change: { item: ColumnDraft; by: number; to: number } | null = null
    for (const item of items) {
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
  return { signs, holds: rest.filter((value) => value === 0).length, repairs }
}
