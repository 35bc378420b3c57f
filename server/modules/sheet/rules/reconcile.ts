/**
 * A corrected sheet beside the one before: which row is which, which decisions still stand, and what it would change, person by person. Rows that
 * only moved are no change, nor is what nobody reads.
 */

import { issueKinds } from '../../../contract/shared/enums.ts'
import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { identityRoles } from '../../../contract/sheets/column-roles.ts'
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
/** A sheet, its columns, and the columns of the other one that they are. */
export type SheetPair<C extends Column = Column> = {
  readonly before: readonly C[]
  readonly after: readonly C[]
  /** From a column before to the same column after. */
  readonly newKeyByOld: ReadonlyMap<string, string>
}

type RowStream<R> = AsyncIterable<readonly R[]>
type ReconcileOptions = {
  /** Whether it is told what would change. */
  readonly describesChanges: boolean
  readonly runTask: <T>(pieces: CooperativeTask<T>) => Promise<T>
  /** The cells of rows that are told of. */
  readonly loadCells: (rows: {
    readonly before: ReadonlySet<number>
    readonly after: ReadonlySet<number>
  }) => Promise<ComparedCells>
}
type ComparedCells = { readonly before: ReadonlyMap<number, RowCells>; readonly after: ReadonlyMap<number, RowCells> }

/** Neither sheet is in memory as a whole: both are gone through once, and compared by their traces. `decisions`: by the row's number now. */
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
  const paired = await runTask(pairing(previousTraces, currentTraces, sides))
  const decisions = carryDecisions(paired, sides)
  if (!describesChanges) return { decisions, difference: null }
  const changes = findRowChanges(paired, sides)
  const cells = await loadCells({
    before: new Set([...changes.changed.map(({ was }) => was), ...changes.removed]),
    after: new Set([...changes.changed.map(({ is }) => is), ...changes.added]),
  })
  return { decisions, difference: describeChanges(changes, sides, cells) }
}

/** A row without its cells: what it says of who it is for, and of each column before. A hundred thousand of them are some ten megabytes. */
export type RowTrace = {
  readonly row: number
  /** By the roles that both sheets have. */
  readonly identity: readonly string[]
  /** By the columns before. */
  readonly cellHashes: Float64Array
  /** Something about the person that no column said before. */
  readonly hasNewIdentity: boolean
}

const uniqueRoles: readonly ColumnRole[] = ['id_card', 'employee_no', 'mobile']
const nameRoles: readonly ColumnRole[] = ['name', 'last_name', 'first_name']
const findKey = (columns: readonly Column[], role: ColumnRole) => columns.find((column) => column.role === role)?.key ?? ''
const getSharedRoles = ({ before, after }: SheetPair): ColumnRole[] =>
  [...identityRoles].filter((role) => findKey(before, role) !== '' && findKey(after, role) !== '')

/** How rows of both sheets leave their traces. */
export function createTracer(sides: SheetPair): {
  before(row: RowCellsOfSheet): RowTrace
  after(row: RowCellsOfSheet): RowTrace
} {
  const { before, after, newKeyByOld } = sides
  const roles = getSharedRoles(sides)
  const old = new Set(newKeyByOld.values())
  // Who is said anew: a person chosen for less was perhaps not chosen for this.
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
 * Pairs rows: by everything that says who it is, then by one number, then by the name, each only where it is said once on both sides.
 * People who stand there several times are paired where there are as many as before: those that say the same, the others in their order.
 * `isCertain`: it is surely the same row; of namesakes only one that says the same in every cell is.
 */
export function* pairing<B extends RowTrace, A extends RowTrace>(
  before: readonly B[],
  after: readonly A[],
  sides: SheetPair,
): CooperativeTask<PairedRows<B, A>> {
  const yieldTimer = new YieldTimer()
  const sharedRoles = getSharedRoles(sides)
  // Numbers of lines say nothing of a person.
  const comparedColumns = sides.before.flatMap(({ key, role }, index) =>
    sides.newKeyByOld.has(key) && role !== 'ignore' ? [index] : [],
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
  for (const role of uniqueRoles) if (sharedRoles.includes(role)) yield* pair([role], false)
  yield* pair(
    nameRoles.filter((role) => sharedRoles.includes(role)),
    false,
  )
  return {
    pairs,
    removed: before.filter((row) => unpaired.before.has(row)),
    added: after.filter((row) => unpaired.after.has(row)),
  }
}

/** Rows of one person that are told apart; more are no person's. */
const maxIdenticalRows = 50
/** Of rows of one person: for each the one that says the same. */
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

/** What it takes to look at a row, beside one figure. */
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

/** By the row's number in the corrected sheet: what was decided for the person, where he is the same and so is what he gets. */
export function carryDecisions(paired: PairedRows<DecidedTrace, RowTrace>, sides: SheetPair): Map<number, RowDecisions> {
  const carried = new Map<number, RowDecisions>()
  const roleByKey = new Map(sides.after.map(({ key, role }) => [key, role]))
  const columnByKey = new Map(sides.before.map(({ key }, column) => [key, column]))
  const read = sides.before.flatMap(({ key }, column) =>
    roleByKey.get(sides.newKeyByOld.get(key) ?? '') === 'ignore' ? [] : [column],
  )
  // What tells namesakes apart where the name alone says who somebody is.
  const department = sides.before.findIndex(({ role }) => role === 'department')
  for (const { before: previous, after: current, isCertain } of paired.pairs) {
    // Found by one number or by his name alone he is perhaps the same; what was decided for him was decided for another text.
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
/** Both sheets with their labels. */
export type LabeledSheetPair = SheetPair<LabeledColumn>

/** Of each kind in one answer. */
const maxListed = 200

/** Numbers of rows: how many changed, came and went, and those of which is told how. */
export type SheetChanges = {
  readonly unchanged_count: number
  readonly changed_count: number
  readonly changed: readonly { readonly was: number; readonly is: number }[]
  readonly added_count: number
  readonly added: readonly number[]
  readonly removed_count: number
  readonly removed: readonly number[]
}

/** The columns that both sheets have, except where nobody reads them. */
const getComparedColumns = ({ before, after, newKeyByOld }: LabeledSheetPair) => {
  const newColumnByKey = new Map(after.map((column) => [column.key, column]))
  return before.flatMap((column, index) => {
    const now = newColumnByKey.get(newKeyByOld.get(column.key) ?? '')
    return now && !(column.role === 'ignore' && now.role === 'ignore') ? [{ place: index, was: column.key, now }] : []
  })
}

export function findRowChanges({ pairs, removed, added }: PairedRows<RowTrace, RowTrace>, sides: LabeledSheetPair): SheetChanges {
  const columns = getComparedColumns(sides).map(({ place: index }) => index)
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

/** The rows that are told of, in their words. */
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
