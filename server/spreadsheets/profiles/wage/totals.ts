/** Sums over the members, their number, the sheet's own total row, and columns that are sums of others. */
import { isDeductionOrTax, isEarning, isEmployerCost, isGross, isInfo, isNet } from '../../../contract/sheets/column-roles.ts'
import { rowsPerSheet } from '../../../contract/sheets/row-number.ts'
import type { ReadColumn } from '../../../contract/sheets/sheet.ts'
import { type Grid, getFilledColumns, getText } from '../../grid.ts'
import { findMonthInFooter, parseFooterLabel } from '../../recognise/footer-labels.ts'
import { removeUnit } from '../../recognise/label-unit.ts'
import { getDeclaredMonth } from '../../recognise/sheet-title.ts'
import { normalizeHeader } from '../../recognise/synonyms.ts'
import { findSum, getCellFen, type ProvenSum } from './sums.ts'
import type { ColumnDraft, CombinedTable, TableReading } from './types.ts'

export function sumColumn(grid: Grid, people: readonly number[], column: number): { fen: number; read: number; blank: number } {
  let fen = 0
  let read = 0
  let blank = 0
  for (const row of people) {
    const value = getCellFen(grid, row, column)
    if (value === null) blank++
    else if (value !== undefined) {
      fen += value
      read++
    }
  }
  return { fen, read, blank }
}

/** Counts by number and name if there is a number, otherwise every row is a member: two members may share a name. */
export function countSheetMembers(grid: Grid, people: readonly number[], columns: readonly ColumnDraft[]): number {
  const at = (role: string) => columns.find((column) => column.role === role)?.index
  const names = [at('name'), at('last_name'), at('first_name')].filter((column) => column !== undefined)
  const strong = [at('id_card'), at('employee_no'), at('mobile'), at('email'), at('bank_account')].filter(
    (column) => column !== undefined,
  )
  const memberKeys = new Set<string>()
  for (const row of people) {
    const name = names.map((column) => getText(grid, row, column).replace(/\s+/g, '').toLowerCase()).join('|')
    const number = strong.map((column) => getText(grid, row, column).trim()).find((text) => text !== '')
    memberKeys.add(number === undefined ? `row ${row}` : `${number}|${name}`)
  }
  return memberKeys.size
}

/** The sheet's own total row, its amount in the net column, and whether it equals the sum of the members. */
export interface TotalsRow {
  row: number
  net_fen: number | null
  agrees: boolean | null
}

const totalPattern = /合计|总计|共计|共\d|total|합계|tổng|итого/i

/** Number of leading cells that may contain the label of a total. */
const maxLeadingCells = 4

/** Finds rows labelled as totals of these rows. A total that names another month is not one. */
function findTotalRows(reading: TableReading): { row: number; word: string }[] {
  const { grid, rows } = reading
  const matches = rows.totals.flatMap((row) => {
    const labels = getFilledColumns(grid, row)
      .slice(0, maxLeadingCells)
      .map((column) => parseFooterLabel(getText(grid, row, column)))
    const first = labels.find((word) => word !== null)
    return first?.kind === 'total' ? [{ row, word: first.word }] : []
  })
  const months = new Set(matches.map(({ word }) => findMonthInFooter(word)))
  if (months.size < 2 && months.has(null)) return matches
  const message = getDeclaredMonth(reading)
  const own = message === null ? null : Number(message.slice(-2))
  return matches.filter(({ word }) => {
    const month = findMonthInFooter(word)
    return month === null || (own === null ? months.size === 1 : month === own)
  })
}

/**
 * For several tables, returns the last total row; its amount over all tables if it says so, otherwise the sum of all
 * total rows if each table has one.
 */
export function readTotalsRow(
  readings: readonly TableReading[],
  pool: CombinedTable,
  net: ColumnDraft | undefined,
  sum: number | null,
): TotalsRow | null {
  const candidateRows = readings.flatMap((reading, part) => {
    const { memberRows } = reading.rows
    const { grid } = reading
    const named = findTotalRows(reading).flatMap(({ row, word }) => (totalPattern.test(word) ? [row] : []))
    const column = net === undefined ? undefined : pool.positions[part]?.get(net.key)
    const getStatedFen = (row: number) => (column === undefined ? undefined : getCellFen(grid, row, column))
    // Of several totals above or among the members, each belongs to its department, unless it states the sum of all.
    const isAll = (row: number) => named.length === 1 || (sum !== null && getStatedFen(row) === sum)
    // The total 合计人民币 in words may be below the row that contains it in figures.
    const under = named.filter((at) => at > (memberRows.at(-1) ?? -1))
    const row = under.findLast((at) => typeof getStatedFen(at) === 'number') ?? under.at(-1) ?? named.findLast(isAll)
    if (row === undefined) return []
    const stated = getStatedFen(row)
    const own = column === undefined ? null : sumColumn(grid, memberRows, column).fen
    return [{ row: part * rowsPerSheet + row + 1, said: typeof stated === 'number' ? stated : null, own }]
  })
  const last = candidateRows.at(-1)
  if (!last) return null
  const judged = (net_fen: number | null) => ({
    row: last.row,
    net_fen,
    agrees: net_fen === null || sum === null ? null : net_fen === sum,
  })
  if (readings.length === 1 || (last.said !== null && last.said === sum)) return judged(last.said)
  if (candidateRows.length === readings.length && candidateRows.every(({ said: stated }) => stated !== null))
    return judged(candidateRows.reduce((all, { said: stated }) => all + (stated ?? 0), 0))
  const spoken = candidateRows.filter(({ said: stated }) => stated !== null)
  return {
    row: last.row,
    net_fen: null,
    agrees: spoken.length === 0 ? null : spoken.every(({ said: stated, own }) => stated === own),
  }
}

/** Lists the rows labelled as a total. */
export const listTotalRows = (reading: TableReading): number[] => findTotalRows(reading).map(({ row }) => row)

/**
 * Returns the 1-based row of a total of the filtered rows, unless it is also the total of all rows. `SUBTOTAL(109, …)`
 * excludes hidden rows.
 */
export function findVisibleTotal(reading: TableReading): number | null {
  const { grid, columns } = reading
  const { memberRows } = reading.rows
  const visible = memberRows.filter((row) => !grid.hidden_rows.has(row))
  if (visible.length === memberRows.length || visible.length === 0) return null
  const money = columns.filter((column) => column.isAmount)
  const agrees = (row: number, summed: readonly number[]): boolean => {
    const amounts = money.flatMap(({ index }) => {
      const fen = getCellFen(grid, row, index)
      return fen ? [fen === sumColumn(grid, summed, index).fen] : []
    })
    return amounts.length > 0 && amounts.every(Boolean)
  }
  const match = findTotalRows(reading).find(({ row }) => !agrees(row, memberRows) && agrees(row, visible))
  return match ? match.row + 1 : null
}

// Subtotals: columns that add up to the gross pay, to the sum of deductions and to others

export type Subtotal = ProvenSum & { key: string }

export const subtotalPattern = /合计|小计|总计|总额|合計|小計|総額|total|계$|합계|총액|tổng|итого|всего/i
const notSubtotalPattern = /基数|累计|标准|应税|计税|所得额|taxable|base/i
/** Maximum number of rows tried and of subtotals searched for. */
const maxTriedRows = 60
const maxSubtotals = 30

export function findSubtotals(grid: Grid, rows: readonly number[], columns: readonly ColumnDraft[]): Subtotal[] {
  const subtotals: Subtotal[] = []
  const money = columns.filter(
    (column) => column.isAmount && column.profile.amounts > 0 && !isNet(column.role) && !column.isAlternative,
  )
  const targets = money.filter(({ role, path, isAfterTax }) => {
    const leaf = normalizeHeader(path.at(-1) ?? '')
    return (isGross(role) || isAfterTax || subtotalPattern.test(leaf)) && !notSubtotalPattern.test(leaf)
  })
  for (const target of targets.slice(0, maxSubtotals)) {
    // Zeros add up regardless of the columns.
    if (!rows.slice(0, maxTriedRows).some((row) => getCellFen(grid, row, target.index))) continue
    // Details follow their total only within a group; otherwise columns further right are derived from it.
    const group = getGroupPath(target)
    const items = money.filter(
      (column) =>
        column !== target &&
        // An item assigned to the employer by its label alone may be part of the sum.
        (!isEmployerCost(column.role) || column.confidence <= 0.8) &&
        (column.index < target.index || (group !== '' && getGroupPath(column) === group)),
    )
    const candidates = listSumCandidates(target, money, new Set(targets))
    const sum =
      findSum(grid, rows, target, items, candidates, { most: maxTriedRows, may_be_one: true }) ??
      findSumBehind({
        grid,
        rows,
        target,
        items: money.filter((column) => !isEmployerCost(column.role) && !targets.includes(column)),
      })
    if (sum) subtotals.push({ key: target.key, ...sum })
  }
  return subtotals
}

/** Finds details that follow their total: all of one side, with their own signs, in every row. */
function findSumBehind(params: {
  readonly grid: Grid
  readonly rows: readonly number[]
  readonly target: ColumnDraft
  readonly items: readonly ColumnDraft[]
}): ProvenSum | null {
  const { grid, rows, target, items } = params
  const isAccepted = ({ role }: ColumnDraft) => isDeductionOrTax(role)
  const side = isGross(target.role) ? items.filter(({ role }) => isEarning(role)) : items.filter(isAccepted)
  const guesses = [new Map(side.map((item) => [item, 1] as const))]
  const sum = findSum(grid, rows, target, side, guesses, { most: maxTriedRows, may_be_one: false })
  return sum?.proof === 'all' && sum.plus.length === side.length ? sum : null
}

const getGroupPath = ({ path }: ColumnDraft) => path.slice(0, -1).join('/')

/**
 * Yields the columns of its group, those between the last subtotal and the target, all earnings or deductions before
 * it, and other subtotals.
 */
function* listSumCandidates(
  target: ColumnDraft,
  money: readonly ColumnDraft[],
  subtotals: ReadonlySet<ColumnDraft>,
): Generator<Map<ColumnDraft, number>> {
  const make = (plus: readonly ColumnDraft[], minus: readonly ColumnDraft[] = []) =>
    new Map([...plus.map((item) => [item, 1] as const), ...minus.map((item) => [item, -1] as const)])
  const single = money.filter((column) => column !== target && !subtotals.has(column))
  const group = getGroupPath(target)
  const before = single.filter(({ index }) => index < target.index)
  if (group !== '') yield make(single.filter((column) => getGroupPath(column) === group))
  if (group !== '') yield make(single.filter(({ path }) => path.length > 1 && path[0] === target.path[0]))
  const last = Math.max(-1, ...[...subtotals].map(({ index }) => index).filter((index) => index < target.index))
  yield make(single.filter(({ index }) => index > last && index < target.index))
  const earned = before.filter(({ role }) => isEarning(role))
  const usedColumns = single.filter(({ role }) => isDeductionOrTax(role))
  if (isGross(target.role)) {
    yield make(earned)
    yield make(
      earned,
      usedColumns.filter(({ index }) => index < target.index),
    )
  } else {
    yield make(usedColumns.filter(({ index }) => index < target.index))
    yield make(usedColumns)
    yield make(earned)
  }
  const others = [...subtotals].filter((other) => other !== target && other.index < target.index)
  if (others.length > 1) yield make(others)
  for (const other of others) yield make([other, ...before.filter(({ index }) => index > other.index)])
}

export const subtotalNamePattern = /(?:合计|小计|总计|总额|合計|小計|総額|subtotal|total)$/i
/** Returns whether an amount that is not an item is a sum of others: proven by every row, or by its label. */
function isSubtotal({ key, role, isAmount, path }: ColumnDraft, subtotals: readonly Subtotal[]): boolean {
  if (!isInfo(role) || !isAmount) return false
  const leaf = normalizeHeader(removeUnit(path.at(-1) ?? ''))
  if (notSubtotalPattern.test(leaf)) return false
  const sum = subtotals.find((one) => one.key === key)
  return (sum !== undefined && sum.of >= 2 && sum.holds === sum.of) || subtotalNamePattern.test(leaf)
}

/** Converts a column for the recognition result; internally a subtotal is an informational amount. */
export function toReadColumn(draft: ColumnDraft, subtotals: readonly Subtotal[]): ReadColumn {
  const {
    index: _i,
    meaning: _m,
    profile: _p,
    isAmount: _y,
    quote: _q,
    isInvisible: _v,
    isAside: _a,
    isAfterTax: _t,
    ...rest
  } = draft
  const { isAlternative: _s, dispute: _d, ...column } = rest
  return isSubtotal(draft, subtotals) ? { ...column, role: 'subtotal' } : column
}

/** The members of a table and its columns. */
export type SummedTable = {
  readonly grid: Grid
  readonly memberRows: readonly number[]
  readonly columns: readonly ColumnDraft[]
}

/**
 * 工资合计 on a sheet without 应发: if in every row only the deductions behind it lead from it to the net pay, it is the
 * gross pay.
 */
export function resolveGrossBySums({ grid, memberRows, columns }: SummedTable, subtotals: readonly Subtotal[]): void {
  const net = columns.find(({ role }) => isNet(role))
  if (!net || memberRows.length < 2 || columns.some(({ role }) => isGross(role))) return
  const fen = (row: number, column: ColumnDraft) => getCellFen(grid, row, column.index) ?? 0
  const sum = columns.find((column) => {
    if (!isInfo(column.role) || column.index > net.index || !column.meaning.possibleNet) return false
    if (!isSubtotal(column, subtotals)) return false
    const deductions = columns.filter(({ role, index }) => isDeductionOrTax(role) && index > column.index && index < net.index)
    const left = (row: number) => fen(row, column) - deductions.reduce((total, one) => total + Math.abs(fen(row, one)), 0)
    return deductions.length > 0 && memberRows.every((row) => left(row) === fen(row, net))
  })
  if (sum) Object.assign(sum, { role: 'gross', confidence: 0.9, reason: `「${sum.label}」减去后面的扣款就是「${net.label}」` })
}
