/**
 * Reconciles a corrected wage sheet with the previous one: matches rows, carries over decisions, and describes the
 * changes by member. Rows that only moved are no change, nor are ignored columns.
 */

import { issueKinds } from '../../../contract/shared/enums.ts'
import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import {
  identityRoles,
  isAnyName,
  isDepartment,
  isEmployeeNo,
  isIdCard,
  isIgnored,
  isMobile,
} from '../../../contract/sheets/column-roles.ts'
import type { SheetDifference } from '../../../contract/sheets/sheet.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import { type CooperativeTask, YieldTimer } from '../../../rules/cooperative-task.ts'
import { acceptanceScopes } from './check/acceptance-scopes.ts'
import { readIdentity } from './check/amount-issues.ts'
import { hashCell, isSameCell, normalizeIdentityText } from './check/cell-comparison.ts'

export type RowCellsOfSheet = { readonly row: number; readonly cells: RowCells }
export type DecidedRow = RowCellsOfSheet & {
  readonly member_id: string | null
  readonly skipped: boolean
  readonly accepted: readonly string[]
}
type Column = { readonly key: string; readonly role: ColumnRole }
/** Columns of two wage sheets and how they correspond. */
export type SheetPair<C extends Column = Column> = {
  readonly before: readonly C[]
  readonly after: readonly C[]
  /** Maps the previous column key to the key of the same column now. */
  readonly newKeyByOld: ReadonlyMap<string, string>
}

type RowStream<R> = AsyncIterable<readonly R[]>
type ReconcileOptions = {
  /** Whether to describe the changes. */
  readonly describesChanges: boolean
  readonly runTask: <T>(pieces: CooperativeTask<T>) => Promise<T>
  /** Loads the cells of rows that are described. */
  readonly loadCells: (rows: {
    readonly before: ReadonlySet<number>
    readonly after: ReadonlySet<number>
  }) => Promise<ComparedCells>
}
type ComparedCells = { readonly before: ReadonlyMap<number, RowCells>; readonly after: ReadonlyMap<number, RowCells> }

/**
 * Neither wage sheet is in memory as a whole: each is read once and compared by traces. `decisions`: by the current row
 * number.
 */
export async function reconcileSheets(
  sides: LabeledSheetPair,
  { before, after }: { readonly before: RowStream<DecidedRow>; readonly after: RowStream<RowCellsOfSheet> },
  { describesChanges, runTask, loadCells }: ReconcileOptions,
): Promise<{ decisions: Map<number, RowDecisions>; difference: SheetDifference | null }> {
  const tracer = createTracer(sides)
  const previousTraces: DecidedTrace[] = []
  for await (const rows of before)
    for (const { member_id, skipped, accepted, ...row } of rows)
      previousTraces.push({ ...tracer.before(row), member_id, skipped, accepted })
  const currentTraces: RowTrace[] = []
  for await (const rows of after) for (const row of rows) currentTraces.push(tracer.after(row))
  const paired = await runTask(alignRows(previousTraces, currentTraces, sides))
  const decisions = carryDecisions(paired, sides)
  if (!describesChanges) return { decisions, difference: null }
  const changes = findRowChanges(paired, sides)
  const cells = await loadCells({
    before: new Set([...changes.changed.map(({ was }) => was), ...changes.removed]),
    after: new Set([...changes.changed.map(({ is }) => is), ...changes.added]),
  })
  return { decisions, difference: describeChanges(changes, sides, cells) }
}

/**
 * A row without its cells: identity text, and a hash for each of the previous columns. A hundred thousand of them take
 * some ten megabytes.
 */
export type RowTrace = {
  readonly row: number
  /** Rows by the identity roles that both wage sheets have. */
  readonly identity: readonly string[]
  /** By previous column. */
  readonly cellHashes: Float64Array
  /** Identity data that no previous column contained. */
  readonly hasNewIdentity: boolean
}

const findKey = (columns: readonly Column[], role: ColumnRole) => columns.find((column) => column.role === role)?.key ?? ''
const getSharedRoles = ({ before, after }: SheetPair): ColumnRole[] =>
  [...identityRoles].filter((role) => findKey(before, role) !== '' && findKey(after, role) !== '')

/** Creates functions that compute the traces of rows in both wage sheets. */
export function createTracer(sides: SheetPair): {
  before(row: RowCellsOfSheet): RowTrace
  after(row: RowCellsOfSheet): RowTrace
} {
  const { before, after, newKeyByOld } = sides
  const roles = getSharedRoles(sides)
  const old = new Set(newKeyByOld.values())
  // The row has additional identity data: a member chosen with less data may not be the right one.
  const newIdentityKeys = after.filter(({ key, role }) => identityRoles.has(role) && !old.has(key)).map(({ key }) => key)
  const trace = ({ row, cells }: RowCellsOfSheet, columns: readonly Column[], keys: readonly string[]): RowTrace => ({
    row,
    identity: roles.map((role) => normalizeIdentityText(role, cells, findKey(columns, role))),
    cellHashes: Float64Array.from(keys, (key) => hashCell(cells[key])),
    hasNewIdentity: columns === after && newIdentityKeys.some((key) => (cells[key]?.value ?? '') !== ''),
  })
  const [previousKeys, currentKeys] = [before.map(({ key }) => key), before.map(({ key }) => newKeyByOld.get(key) ?? '')]
  return { before: (row) => trace(row, before, previousKeys), after: (row) => trace(row, after, currentKeys) }
}

export type PairedRows<B extends RowTrace, A extends RowTrace> = {
  readonly pairs: readonly { readonly before: B; readonly after: A; readonly isCertain: boolean }[]
  readonly removed: readonly B[]
  readonly added: readonly A[]
}

/**
 * Pairs rows: by all identity data, then by one number, then by name, each only where it is unique on both sides.
 * Members with several rows are paired if the number of rows is unchanged: first rows with equal cells, then the others
 * in order. `isCertain` means that it is certainly the same row; for namesakes this requires that all cells are equal.
 */
export function* alignRows<B extends RowTrace, A extends RowTrace>(
  before: readonly B[],
  after: readonly A[],
  sides: SheetPair,
): CooperativeTask<PairedRows<B, A>> {
  const yieldTimer = new YieldTimer()
  const sharedRoles = getSharedRoles(sides)
  // Row numbers do not identify an employee.
  const comparedColumns = sides.before.flatMap(({ key, role }, index) =>
    sides.newKeyByOld.has(key) && !isIgnored(role) ? [index] : [],
  )
  const unpaired = { before: new Set(before), after: new Set(after) }
  const pairs: PairedRows<B, A>['pairs'][number][] = []
  function* pair(roles: readonly ColumnRole[], inOrder: boolean): CooperativeTask<void> {
    if (roles.length === 0) return
    const roleIndexes = roles.map((role) => sharedRoles.indexOf(role))
    const getIdentityText = ({ identity }: RowTrace) => {
      const texts = roleIndexes.map((position) => identity[position] ?? '')
      return texts.some((text) => text !== '') ? texts.join('\u0000') : null
    }
    const previousGroups = yield* groupByText(unpaired.before, getIdentityText, yieldTimer)
    const currentGroups = yield* groupByText(unpaired.after, getIdentityText, yieldTimer)
    for (const [text, previousRows] of previousGroups) {
      if (yieldTimer.shouldYield(rowCost)) yield
      const currentRows = currentGroups.get(text) ?? []
      if (currentRows.length !== previousRows.length || (previousRows.length > 1 && !inOrder)) continue
      const alike =
        previousRows.length > 1 && previousRows.length <= maxIdenticalRows
          ? matchIdenticalRows(previousRows, currentRows, comparedColumns)
          : []
      const rest = alike.length > 0 ? currentRows.filter((row) => !alike.includes(row)) : [...currentRows]
      for (const [index, old] of previousRows.entries()) {
        const same = alike[index]
        const current = same ?? rest.shift()
        if (!current) continue
        pairs.push({ before: old, after: current, isCertain: inOrder && (previousRows.length === 1 || same !== undefined) })
        unpaired.before.delete(old)
        unpaired.after.delete(current)
      }
    }
  }
  yield* pair(sharedRoles, true)
  for (const matches of [isIdCard, isEmployeeNo, isMobile])
    if (sharedRoles.some(matches)) yield* pair(sharedRoles.filter(matches), false)
  yield* pair(sharedRoles.filter(isAnyName), false)
  return {
    pairs,
    removed: before.filter((row) => unpaired.before.has(row)),
    added: after.filter((row) => unpaired.after.has(row)),
  }
}

/** Maximum number of rows of one member that are distinguished; more do not belong to one member. */
const maxIdenticalRows = 50
/** Returns for each of a member's rows the one with equal cells. */
function matchIdenticalRows<A extends RowTrace>(
  previousRows: readonly RowTrace[],
  currentRows: readonly A[],
  columns: readonly number[],
): (A | undefined)[] {
  const rest = [...currentRows]
  return previousRows.map((old) => {
    const index = rest.findIndex((row) => columns.every((column) => old.cellHashes[column] === row.cellHashes[column]))
    return index < 0 ? undefined : rest.splice(index, 1)[0]
  })
}

/** Cost of processing a row; comparing one amount costs 1. */
const rowCost = 20

function* groupByText<T>(
  rows: Iterable<T>,
  getText: (row: T) => string | null,
  yieldTimer: YieldTimer,
): CooperativeTask<Map<string, T[]>> {
  const rowsByText = new Map<string, T[]>()
  for (const row of rows) {
    if (yieldTimer.shouldYield(rowCost)) yield
    const text = getText(row)
    if (text === null) continue
    const same = rowsByText.get(text)
    if (same) same.push(row)
    else rowsByText.set(text, [row])
  }
  return rowsByText
}

export type RowDecisions = { member_id: string | null; skipped: boolean; accepted: string[] }
export type DecidedTrace = RowTrace & Omit<DecidedRow, 'cells'>

/** Returns the decisions by row number in the corrected wage sheet, where the member and the amounts are unchanged. */
export function carryDecisions(paired: PairedRows<DecidedTrace, RowTrace>, sides: SheetPair): Map<number, RowDecisions> {
  const carried = new Map<number, RowDecisions>()
  const roleByKey = new Map(sides.after.map(({ key, role }) => [key, role]))
  const columnByKey = new Map(sides.before.map(({ key }, column) => [key, column]))
  const read = sides.before.flatMap(({ key }, column) =>
    isIgnored(roleByKey.get(sides.newKeyByOld.get(key) ?? '')) ? [] : [column],
  )
  // The department distinguishes namesakes where only the name identifies a member.
  const department = sides.before.findIndex(({ role }) => isDepartment(role))
  for (const { before: previous, after: current, isCertain } of paired.pairs) {
    // A row matched by one number or by name may belong to another member, for whom the decision was not made.
    if (!isCertain || !(previous.skipped || previous.member_id || previous.accepted.length > 0)) continue
    const isSame = (position: number) => previous.cellHashes[position] === current.cellHashes[position]
    const unchanged = read.every(isSame)
    const accepted = previous.accepted.flatMap((mark) => {
      const cut = mark.indexOf(':')
      const [kind, key] = [issueKinds.find((one) => one === mark.slice(0, cut)), mark.slice(cut + 1)]
      const now = sides.newKeyByOld.get(key)
      return now !== undefined && (kind && acceptanceScopes[kind] === 'cell' ? isSame(columnByKey.get(key) ?? -1) : unchanged)
        ? [`${kind}:${now}`]
        : []
    })
    const moved = department >= 0 && !isSame(department)
    carried.set(current.row, {
      member_id: current.hasNewIdentity || moved ? null : previous.member_id,
      skipped: previous.skipped,
      accepted,
    })
  }
  return carried
}

export type LabeledColumn = Column & { readonly label: string }
/** Two wage sheets with column labels. */
export type LabeledSheetPair = SheetPair<LabeledColumn>

/** Maximum number of listed rows of each kind in one response. */
const maxListed = 200

/** Counts of changed, added and removed rows, and the numbers of the rows that are described. */
export type SheetChanges = {
  readonly unchanged_count: number
  readonly changed_count: number
  readonly changed: readonly { readonly was: number; readonly is: number }[]
  readonly added_count: number
  readonly added: readonly number[]
  readonly removed_count: number
  readonly removed: readonly number[]
}

/** Returns the columns that both wage sheets have, without ignored ones. */
const getComparedColumns = ({ before, after, newKeyByOld }: LabeledSheetPair) => {
  const newColumnByKey = new Map(after.map((column) => [column.key, column]))
  return before.flatMap((column, index) => {
    const now = newColumnByKey.get(newKeyByOld.get(column.key) ?? '')
    return now && !(isIgnored(column.role) && isIgnored(now.role)) ? [{ index, was: column.key, now }] : []
  })
}

export function findRowChanges({ pairs, removed, added }: PairedRows<RowTrace, RowTrace>, sides: LabeledSheetPair): SheetChanges {
  const columns = getComparedColumns(sides).map(({ index }) => index)
  const changed = pairs
    .filter(({ before, after }) => columns.some((index) => before.cellHashes[index] !== after.cellHashes[index]))
    .map(({ before, after }) => ({ was: before.row, is: after.row }))
    .toSorted((a, b) => a.is - b.is)
  const numbers = (rows: readonly { readonly row: number }[]) => rows.slice(0, maxListed).map(({ row }) => row)
  return {
    unchanged_count: pairs.length - changed.length,
    changed_count: changed.length,
    changed: changed.slice(0, maxListed),
    added_count: added.length,
    added: numbers(added),
    removed_count: removed.length,
    removed: numbers(removed),
  }
}

/** Describes the listed rows with their cell texts. */
export function describeChanges(changes: SheetChanges, sides: LabeledSheetPair, cells: ComparedCells): SheetDifference {
  const getName = (row: RowCells | undefined, columns: readonly LabeledColumn[]) =>
    readIdentity(row ?? {}, columns).names[0] ?? ''
  const labels = (columns: readonly LabeledColumn[]) => columns.map(({ label, key }) => label || key)
  const mappedKeys = new Set(sides.newKeyByOld.values())
  const columns = getComparedColumns(sides)
  return {
    ...changes,
    changed: changes.changed.map(({ was, is }) => {
      const [old, now] = [cells.before.get(was), cells.after.get(is)]
      return {
        row: is,
        name: getName(now, sides.after),
        cells: columns.flatMap(({ was: key, now: column }) => {
          const [from, to] = [old?.[key], now?.[column.key]]
          return isSameCell(from, to) ? [] : [{ label: column.label, from: from?.value ?? '', to: to?.value ?? '' }]
        }),
      }
    }),
    added: changes.added.map((row) => ({ row, name: getName(cells.after.get(row), sides.after) })),
    removed: changes.removed.map((row) => ({ row, name: getName(cells.before.get(row), sides.before) })),
    columns_added: labels(sides.after.filter(({ key }) => !mappedKeys.has(key))),
    columns_removed: labels(sides.before.filter(({ key }) => !sides.newKeyByOld.has(key))),
  }
}
