/** Which column of a sheet is which of a column_mapping: by its header, never by its letter, because columns move. */

import type { CellKind, ColumnRole } from '../../../contract/shared/schemas.ts'
import { moneyRoles, payItemRoles, uniqueRoles } from '../../../contract/sheets/column-roles.ts'
import { getLabelFingerprint } from '../../../spreadsheets/rules.ts'
import type { ColumnMapping, MappableColumn, MappingLayout, OriginalReading, SheetToMap } from './column-mapping.ts'
import { type FittedMapping, fitMapping } from './mapping-fit.ts'

/** A column as a recipe knows it. */
export type MappedColumn = {
  /** Unique in the column_mapping: the header without months, numbered where it stands there twice. */
  readonly path: string
  readonly label: string
  readonly role: ColumnRole
  readonly kind: CellKind
}
export type HeaderColumn = {
  readonly key: string
  readonly path: readonly string[]
  readonly label: string
  readonly role: ColumnRole
  readonly kind: CellKind
  readonly confidence: number
}
export type ColumnMatches = {
  /** By the key of the sheet's column. */
  readonly mapped: ReadonlyMap<string, MappedColumn>
  readonly added: readonly HeaderColumn[]
  readonly missing: readonly MappedColumn[]
  /** A missing one and a fresh one that are probably the same; in neither of the lists. */
  readonly renamed: readonly { readonly column: HeaderColumn; readonly from: MappedColumn }[]
}

/** The paths of columns, from the left; the second 备注 of a sheet is 备注#2. */
export function getColumnPaths(columns: readonly { readonly path: readonly string[] }[]): string[] {
  const countByPath = new Map<string, number>()
  return columns.map(({ path }) => {
    const labelPath = getLabelFingerprint(path)
    const count = (countByPath.get(labelPath) ?? 0) + 1
    countByPath.set(labelPath, count)
    return count === 1 ? labelPath : `${labelPath}#${count}`
  })
}

export function matchColumns(mappedColumns: readonly MappedColumn[], columns: readonly HeaderColumn[]): ColumnMatches {
  const mapped = new Map<string, MappedColumn>()
  const unmatched = new Map(mappedColumns.map((one) => [one.path, one]))
  const assign = (column: HeaderColumn, one: MappedColumn) => {
    mapped.set(column.key, one)
    unmatched.delete(one.path)
  }
  getColumnPaths(columns).forEach((path, at) => {
    const one = unmatched.get(path)
    const column = columns[at]
    if (one && column) assign(column, one)
  })
  // The heading above it was written anew: the cell that stands over the amounts still names it, where only one does.
  const getUnmatchedColumns = () => columns.filter((column) => !mapped.has(column.key))
  const byLeaf = groupBy([...unmatched.values()], (one) => getLeafLabel(one.path))
  for (const [leaf, same] of groupBy(getUnmatchedColumns(), (column) => getLabelFingerprint(column.path.slice(-1)))) {
    const [one, ...more] = byLeaf.get(leaf) ?? []
    const [column, ...others] = same
    if (leaf && one && column && more.length === 0 && others.length === 0 && !hasChangedSide(column, one)) assign(column, one)
  }
  const renamed = findRenames(mappedColumns, columns, mapped)
  const renamedPaths = new Set(renamed.map(({ from }) => from.path))
  const renamedKeys = new Set(renamed.map(({ column }) => column.key))
  return {
    mapped: mapped,
    added: getUnmatchedColumns().filter((column) => !renamedKeys.has(column.key)),
    missing: [...unmatched.values()].filter((one) => !renamedPaths.has(one.path)),
    renamed,
  }
}

/** 餐补 under 扣款 is not the 餐补 that stood under 补贴. */
const hasChangedSide = (column: HeaderColumn, one: MappedColumn): boolean =>
  column.role !== one.role && payItemRoles.has(column.role) && payItemRoles.has(one.role) && column.confidence >= minConfidence

/** The sheet as it was read; for batches older than this is kept, as it is now. */
export const getOriginalReading = ({
  read,
  columns,
  formula,
  questions,
  totals_row,
}: SheetToMap & { readonly read?: OriginalReading | undefined }): OriginalReading =>
  read ?? {
    roles: Object.fromEntries(columns.map(({ key, role }) => [key, role])),
    formula,
    questions: questions.map((question) => ({ ...question, answer: null })),
    totals_row,
  }

/** Finds which column is which, of the sheet as it was read, and hands it on to be fitted. */
export function applyMapping<C extends MappableColumn>(
  sheet: SheetToMap<C> & { readonly read?: OriginalReading | undefined },
  saved: { readonly mapping: ColumnMapping; readonly layout: MappingLayout },
  reason = '沿用上次的设置',
): FittedMapping<C> {
  const read = getOriginalReading(sheet)
  const columns = sheet.columns.map((column) => ({ ...column, role: read.roles[column.key] ?? column.role }))
  const matches = matchColumns(saved.mapping.columns, columns)
  return fitMapping({ ...sheet, columns, read }, saved, {
    matched: matches,
    like: computeSimilarity(saved.mapping.columns, columns, matches),
    reason,
  })
}

type MappingNames = {
  readonly id: string
  readonly name: string | null
  readonly title: string | null
  readonly month: string | null
}
/** What is said of a sheet that was set up as its kind was last. */
export const toRememberedMapping = (
  { id, name, title, month }: MappingNames,
  { sheet, added, missing }: FittedMapping<MappableColumn>,
) => ({
  template_id: id,
  name,
  title,
  month,
  fresh: added,
  missing,
  renamed: sheet.renames.map(({ key, from }) => ({ key, from })),
})

/** How much of both is common, 0 to 1; columns without a header count on neither side. */
export const getMappingSimilarity = (mappedColumns: readonly MappedColumn[], columns: readonly HeaderColumn[]): number =>
  computeSimilarity(mappedColumns, columns, matchColumns(mappedColumns, columns))

function computeSimilarity(
  mappedColumns: readonly MappedColumn[],
  columns: readonly HeaderColumn[],
  { mapped, renamed }: ColumnMatches,
): number {
  const hasHeader = (path: string) => path.replace(/#\d+$/, '') !== ''
  const common = [...mapped.values()].filter((one) => hasHeader(one.path)).length
  const all = Math.max(
    mappedColumns.filter((one) => hasHeader(one.path)).length,
    columns.filter((column) => hasHeader(getLabelFingerprint(column.path))).length,
  )
  // Whose pay it is and how much of it he gets must be said by the same columns; the rest may differ.
  const same = [...mapped.values(), ...renamed.flatMap(({ column, from }) => (column.role === from.role ? [from] : []))]
  const sharesRoles = (roles: readonly ColumnRole[]) =>
    !mappedColumns.some((one) => roles.includes(one.role)) || same.some((one) => roles.includes(one.role))
  return all > 0 && sharesRoles(['name', 'last_name']) && sharesRoles(['net']) ? common / all : 0
}
/** Below this a sheet is another kind of sheet. */
export const minSimilarity = 0.6

/** The recipe that is likest to a sheet, where one is like enough; of those that are alike the first. */
export function findMostSimilar<R extends { readonly mapping: ColumnMapping }>(
  mappings: readonly R[],
  columns: readonly HeaderColumn[],
): R | null {
  let best: R | null = null
  let highest = 0
  for (const one of mappings) {
    const similarity = getMappingSimilarity(one.mapping.columns, columns)
    if (similarity < minSimilarity || similarity <= highest) continue
    best = one
    highest = similarity
  }
  return best
}

const getLeafLabel = (path: string): string => path.replace(/#\d+$/, '').split('/').at(-1) ?? ''
function groupBy<T>(list: readonly T[], getKey: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) groups.set(getKey(one), [...(groups.get(getKey(one)) ?? []), one])
  return groups
}

/** Pairs of one that is gone and one that has come, at the same place, of the same kind, with a like name; the likest first. */
function findRenames(
  mappedColumns: readonly MappedColumn[],
  columns: readonly HeaderColumn[],
  mapped: ReadonlyMap<string, MappedColumn>,
): { column: HeaderColumn; from: MappedColumn }[] {
  const mappedPaths = new Set([...mapped.values()].map((one) => one.path))
  const before = getMappedNeighbours(mappedColumns, (one) => (mappedPaths.has(one.path) ? one.path : null))
  const after = getMappedNeighbours(columns, (column) => mapped.get(column.key)?.path ?? null)
  const pairs: { column: HeaderColumn; from: MappedColumn; score: number }[] = []
  for (const [at, column] of columns.entries()) {
    if (mapped.has(column.key) || column.label === '') continue
    for (const [previousIndex, from] of mappedColumns.entries()) {
      if (mappedPaths.has(from.path) || from.label === '' || !isSameKind(column, from)) continue
      const [a, b] = [before[previousIndex], after[at]]
      const sharedNeighbours = Number(a?.[0] === b?.[0]) + Number(a?.[1] === b?.[1])
      if (sharedNeighbours === 0 && Math.abs(previousIndex - at) > 2) continue
      const same = uniqueMeaningRoles.has(from.role) && from.role === column.role
      const score = (same ? 1 : getNameSimilarity(column.label, from.label)) + sharedNeighbours / 4
      if (score - sharedNeighbours / 4 >= 0.5) pairs.push({ column, from, score })
    }
  }
  const renamed: { column: HeaderColumn; from: MappedColumn }[] = []
  for (const { column, from } of pairs.sort((a, b) => b.score - a.score))
    if (!renamed.some((one) => one.column === column || one.from === from)) renamed.push({ column, from })
  return renamed
}

/** For each: the nearest one that is known, to the left and to the right. */
function getMappedNeighbours<T>(list: readonly T[], getPath: (one: T) => string | null): [string | null, string | null][] {
  const findNearest = (step: 1 | -1) => {
    const order = step === 1 ? [...list.keys()] : [...list.keys()].toReversed()
    const nearest: (string | null)[] = []
    let last: string | null = null
    for (const at of order) {
      nearest[at] = last
      const one = list[at]
      last = (one === undefined ? null : getPath(one)) ?? last
    }
    return nearest
  }
  const [left, right] = [findNearest(1), findNearest(-1)]
  return list.map((_, at) => [left[at] ?? null, right[at] ?? null])
}

/** Two columns that both are the tax are the same, whatever they are called. */
const uniqueMeaningRoles: ReadonlySet<ColumnRole> = new Set([...uniqueRoles, 'gross', 'tax'])
/** Below this a role is a guess. */
const minConfidence = 0.6

function isSameKind(column: HeaderColumn, from: MappedColumn): boolean {
  const amounts = (kind: CellKind) => kind === 'money' || kind === 'number'
  const empty = column.kind === 'empty' || from.kind === 'empty'
  if (!empty && column.kind !== from.kind && !(amounts(column.kind) && amounts(from.kind))) return false
  if (column.role === from.role) return true
  if (uniqueMeaningRoles.has(column.role) || uniqueMeaningRoles.has(from.role)) return false
  return moneyRoles.has(column.role) === moneyRoles.has(from.role) && column.confidence < minConfidence
}

/** What most items of pay are called tells nothing. */
const commonTermPattern = /工资|薪资|薪酬|奖金|补贴|津贴|补助|扣款|扣除|金额|合计|小计|个人|应发|应扣|[费款额金元()（）]/g
function getNameSimilarity(one: string, other: string): number {
  const [a, b] = [getLabelFingerprint([one]), getLabelFingerprint([other])]
  const [left, right] = [a.replace(commonTermPattern, '') || a, b.replace(commonTermPattern, '') || b]
  const characters = new Set(right)
  const shared = [...new Set(left)].filter((sign) => characters.has(sign)).length
  return shared / Math.min(new Set(left).size || 1, characters.size || 1)
}
