/** Sums over the people, how many they are, what the sheet's own total row says, and which columns are sums of others. */
import { rows_a_part } from '../../../contract/sheet/row-number.ts'
import type { ReadColumn } from '../../../contract/sheet/sheet.ts'
import { filledColumns, type Grid, textAt } from '../../grid.ts'
import { monthInFootWord, readFootWord } from '../../recognise/foot-words.ts'
import { withoutUnit } from '../../recognise/label-unit.ts'
import { monthSaid } from '../../recognise/says.ts'
import { normaliseHeader } from '../../recognise/synonyms.ts'
import type { ColumnDraft } from './columns.ts'
import type { Pool } from './pool.ts'
import type { Reading } from './reading.ts'
import { fenAt, findSum, type ProvenSum } from './sums.ts'

export function sumOf(grid: Grid, people: readonly number[], column: number): { fen: number; read: number; blank: number } {
  let fen = 0
  let read = 0
  let blank = 0
  for (const row of people) {
    const value = fenAt(grid, row, column)
    if (value === null) blank++
    else if (value !== undefined) {
      fen += value
      read++
    }
  }
  return { fen, read, blank }
}

/** By number and name where there is a number, else every row is somebody: two people may share a name. */
export function countPeople(grid: Grid, people: readonly number[], columns: readonly ColumnDraft[]): number {
  const at = (role: string) => columns.find((column) => column.role === role)?.index
  const names = [at('name'), at('last_name'), at('first_name')].filter((column) => column !== undefined)
  const strong = [at('id_card'), at('employee_no'), at('mobile'), at('email'), at('bank_account')].filter(
    (column) => column !== undefined,
  )
  const seen = new Set<string>()
  for (const row of people) {
    const name = names.map((column) => textAt(grid, row, column).replace(/\s+/g, '').toLowerCase()).join('|')
    const number = strong.map((column) => textAt(grid, row, column).trim()).find((text) => text !== '')
    seen.add(number === undefined ? `row ${row}` : `${number}|${name}`)
  }
  return seen.size
}

/** The sheet's own total row, its amount under the net pay, and whether that is the sum of the people. */
export interface TotalsRow {
  row: number
  net_fen: number | null
  agrees: boolean | null
}

const totalWord = /合计|总计|共计|共\d|total|합계|tổng|итого/i

/** So many leading cells of a row may hold the word of a total. */
const leadingCells = 4

/** Rows of totals whose word says that they are sums of these rows. A total that names another month is none. */
function findTotalRows(reading: Reading): { row: number; word: string }[] {
  const { grid, rows } = reading
  const found = rows.totals.flatMap((row) => {
    const words = filledColumns(grid, row)
      .slice(0, leadingCells)
      .map((column) => readFootWord(textAt(grid, row, column)))
    const first = words.find((word) => word !== null)
    return first?.kind === 'total' ? [{ row, word: first.word }] : []
  })
  const months = new Set(found.map(({ word }) => monthInFootWord(word)))
  if (months.size < 2 && months.has(null)) return found
  const said = monthSaid(reading)
  const own = said === null ? null : Number(said.slice(-2))
  return found.filter(({ word }) => {
    const month = monthInFootWord(word)
    return month === null || (own === null ? months.size === 1 : month === own)
  })
}

/**
 * Of several tables: the row of the last one that has one; its amount over everything where it says so, else the sum of theirs where each has one.
 */
export function totalsOf(
  chosen: readonly Reading[],
  pool: Pool,
  net: ColumnDraft | undefined,
  sum: number | null,
): TotalsRow | null {
  const found = chosen.flatMap((reading, part) => {
    const { people } = reading.rows
    const { grid } = reading
    const named = findTotalRows(reading).flatMap(({ row, word }) => (totalWord.test(word) ? [row] : []))
    const column = net === undefined ? undefined : pool.places[part]?.get(net.key)
    const saidAt = (row: number) => (column === undefined ? undefined : fenAt(grid, row, column))
    // Of several over or among the people each is of its own department, unless it says the sum of all.
    const isAll = (row: number) => named.length === 1 || (sum !== null && saidAt(row) === sum)
    // 合计人民币 in words may stand under the row that says it in figures.
    const under = named.filter((at) => at > (people.at(-1) ?? -1))
    const row = under.findLast((at) => typeof saidAt(at) === 'number') ?? under.at(-1) ?? named.findLast(isAll)
    if (row === undefined) return []
    const said = saidAt(row)
    const own = column === undefined ? null : sumOf(grid, people, column).fen
    return [{ row: part * rows_a_part + row + 1, said: typeof said === 'number' ? said : null, own }]
  })
  const last = found.at(-1)
  if (!last) return null
  const judged = (net_fen: number | null) => ({
    row: last.row,
    net_fen,
    agrees: net_fen === null || sum === null ? null : net_fen === sum,
  })
  if (chosen.length === 1 || (last.said !== null && last.said === sum)) return judged(last.said)
  if (found.length === chosen.length && found.every(({ said }) => said !== null))
    return judged(found.reduce((all, { said }) => all + (said ?? 0), 0))
  const spoken = found.filter(({ said }) => said !== null)
  return { row: last.row, net_fen: null, agrees: spoken.length === 0 ? null : spoken.every(({ said, own }) => said === own) }
}

/** Rows that call themselves the total of something. */
export const totalRows = (reading: Reading): number[] => findTotalRows(reading).map(({ row }) => row)

/** The total of the rows that a filter shows, where it is not also the total of all: its 1-based row. `SUBTOTAL(109, …)` leaves hidden rows out. */
export function findVisibleTotal(reading: Reading): number | null {
  const { grid, columns } = reading
  const { people } = reading.rows
  const visible = people.filter((row) => !grid.hidden_rows.has(row))
  if (visible.length === people.length || visible.length === 0) return null
  const money = columns.filter((column) => column.money)
  const agrees = (row: number, summed: readonly number[]): boolean => {
    const amounts = money.flatMap(({ index }) => {
      const fen = fenAt(grid, row, index)
      return fen ? [fen === sumOf(grid, summed, index).fen] : []
    })
    return amounts.length > 0 && amounts.every(Boolean)
  }
  const found = findTotalRows(reading).find(({ row }) => !agrees(row, people) && agrees(row, visible))
  return found ? found.row + 1 : null
}

// Subtotals: which columns add up to the gross pay, to the sum of deductions and to others, by arithmetic -----------------------

export type Subtotal = ProvenSum & { key: string }

export const subtotalWords = /合计|小计|总计|总额|合計|小計|総額|total|계$|합계|총액|tổng|итого|всего/i
const noSubtotal = /基数|累计|标准|应税|计税|所得额|taxable|base/i
/** So many rows are tried, and so many subtotals looked for. */
const tried = 60
const mostSubtotals = 30

export function findSubtotals(grid: Grid, rows: readonly number[], columns: readonly ColumnDraft[]): Subtotal[] {
  const found: Subtotal[] = []
  const money = columns.filter((column) => column.money && column.profile.amounts > 0 && column.role !== 'net' && !column.aside)
  const targets = money.filter(({ role, path }) => {
    const leaf = normaliseHeader(path.at(-1) ?? '')
    return (role === 'gross' || subtotalWords.test(leaf)) && !noSubtotal.test(leaf)
  })
  for (const target of targets.slice(0, mostSubtotals)) {
    // Zeros add up to zero whatever the columns are.
    if (!rows.slice(0, tried).some((row) => fenAt(grid, row, target.index))) continue
    // Details follow their total in groups only; further to the right stands what is made of it.
    const group = groupOf(target)
    const items = money.filter(
      (column) =>
        column !== target &&
        column.role !== 'employer' &&
        (column.index < target.index || (group !== '' && groupOf(column) === group)),
    )
    const ways = waysTo(target, money, new Set(targets))
    const sum =
      findSum(grid, rows, target, items, ways, { most: tried, may_be_one: true }) ??
      sumBehind({ grid, rows, target, items: money.filter((column) => column.role !== 'employer' && !targets.includes(column)) })
    if (sum) found.push({ key: target.key, ...sum })
  }
  return found
}

/** Details that follow their total: all of one side, as they stand, in every row. */
function sumBehind(given: {
  readonly grid: Grid
  readonly rows: readonly number[]
  readonly target: ColumnDraft
  readonly items: readonly ColumnDraft[]
}): ProvenSum | null {
  const { grid, rows, target, items } = given
  const isTaken = ({ role }: ColumnDraft) => role === 'deduction' || role === 'tax'
  const side = target.role === 'gross' ? items.filter(({ role }) => role === 'earning') : items.filter(isTaken)
  const guesses = [new Map(side.map((item) => [item, 1] as const))]
  const sum = findSum(grid, rows, target, side, guesses, { most: tried, may_be_one: false })
  return sum?.proof === 'all' && sum.plus.length === side.length ? sum : null
}

const groupOf = ({ path }: ColumnDraft) => path.slice(0, -1).join('/')

/** The columns of its group, those between the last subtotal and itself, all earnings or deductions before it, other subtotals. */
function* waysTo(
  target: ColumnDraft,
  money: readonly ColumnDraft[],
  subtotals: ReadonlySet<ColumnDraft>,
): Generator<Map<ColumnDraft, number>> {
  const make = (plus: readonly ColumnDraft[], minus: readonly ColumnDraft[] = []) =>
    new Map([...plus.map((item) => [item, 1] as const), ...minus.map((item) => [item, -1] as const)])
  const single = money.filter((column) => column !== target && !subtotals.has(column))
  const group = groupOf(target)
  const before = single.filter(({ index }) => index < target.index)
  if (group !== '') yield make(single.filter((column) => groupOf(column) === group))
  if (group !== '') yield make(single.filter(({ path }) => path.length > 1 && path[0] === target.path[0]))
  const last = Math.max(-1, ...[...subtotals].map(({ index }) => index).filter((index) => index < target.index))
  yield make(single.filter(({ index }) => index > last && index < target.index))
  const earned = before.filter(({ role }) => role === 'earning')
  const taken = single.filter(({ role }) => role === 'deduction' || role === 'tax')
  if (target.role === 'gross') {
    yield make(earned)
    yield make(
      earned,
      taken.filter(({ index }) => index < target.index),
    )
  } else {
    yield make(taken.filter(({ index }) => index < target.index))
    yield make(taken)
    yield make(earned)
  }
  const others = [...subtotals].filter((other) => other !== target && other.index < target.index)
  if (others.length > 1) yield make(others)
  for (const other of others) yield make([other, ...before.filter(({ index }) => index > other.index)])
}

export const subtotalName = /(?:合计|小计|总计|总额|合計|小計|総額|subtotal|total)$/i
/** Whether an amount that is no item is the sum of others: every row says so, or its name does. */
function isSubtotal({ key, role, money, path }: ColumnDraft, subtotals: readonly Subtotal[]): boolean {
  if (role !== 'info' || !money) return false
  const leaf = normaliseHeader(withoutUnit(path.at(-1) ?? ''))
  if (noSubtotal.test(leaf)) return false
  const sum = subtotals.find((one) => one.key === key)
  return (sum !== undefined && sum.of >= 2 && sum.holds === sum.of) || subtotalName.test(leaf)
}

/** A column as it leaves the reader, which itself knows a subtotal as an amount that informs. */
export function told(draft: ColumnDraft, subtotals: readonly Subtotal[]): ReadColumn {
  const { index: _i, meaning: _m, profile: _p, money: _y, quote: _q, isInvisible: _v, isAside: _a, ...rest } = draft
  const { aside: _s, dispute: _d, ...column } = rest
  return isSubtotal(draft, subtotals) ? { ...column, role: 'subtotal' } : column
}

/** The people of a table and its columns. */
export type Summed = { readonly grid: Grid; readonly people: readonly number[]; readonly columns: readonly ColumnDraft[] }

/** 工资合计 on a sheet without 应发: where every row takes only the deductions behind it from it and the net pay is left, it is what was earned. */
export function grossBySums({ grid, people, columns }: Summed, subtotals: readonly Subtotal[]): void {
  const net = columns.find(({ role }) => role === 'net')
  if (!net || people.length < 2 || columns.some(({ role }) => role === 'gross')) return
  const fen = (row: number, column: ColumnDraft) => fenAt(grid, row, column.index) ?? 0
  const sum = columns.find((column) => {
    if (column.role !== 'info' || column.index > net.index || !column.meaning.weak_net) return false
    if (!isSubtotal(column, subtotals)) return false
    const taken = columns.filter(
      ({ role, index }) => (role === 'deduction' || role === 'tax') && index > column.index && index < net.index,
    )
    const left = (row: number) => fen(row, column) - taken.reduce((total, one) => total + Math.abs(fen(row, one)), 0)
    return taken.length > 0 && people.every((row) => left(row) === fen(row, net))
  })
  if (sum) Object.assign(sum, { role: 'gross', confidence: 0.9, reason: `「${sum.label}」减去后面的扣款就是「${net.label}」` })
}
