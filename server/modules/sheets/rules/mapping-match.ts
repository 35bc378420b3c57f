/** Matches the columns of a wage sheet to those of a column mapping: by header, never by letter, because columns move. */

import type { CellKind, ColumnRole } from '../../../contract/shared/schemas.ts'
import {
  comparedRoles,
  getGeneralRole,
  isLeadingName,
  isNet,
  moneyRoles,
  usuallyUniqueRoles,
} from '../../../contract/sheets/column-roles.ts'
import { getLabelFingerprint } from '../../../spreadsheets/rules.ts'
import { type FittedMapping, fitMapping } from './mapping-fit.ts'
import type {
  ColumnMapping,
  ColumnMatches,
  HeaderColumn,
  MappableColumn,
  MappedColumn,
  MappingLayout,
  OriginalReading,
  SheetToMap,
} from './mapping-types.ts'

/** Returns the paths of columns from left to right; the second 备注 of a wage sheet is 备注#2. */
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
  // If the heading above was changed, the cell directly above the amounts still identifies the column, if it is unique.
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
    mapped,
    added: getUnmatchedColumns().filter((column) => !renamedKeys.has(column.key)),
    missing: [...unmatched.values()].filter((one) => !renamedPaths.has(one.path)),
    renamed,
  }
}

/** 餐补 under 扣款 is a different column from the 餐补 that was under 补贴. */
const hasChangedSide = (column: HeaderColumn, one: MappedColumn): boolean =>
  getGeneralRole(column.role) !== getGeneralRole(one.role) &&
  comparedRoles.has(column.role) &&
  comparedRoles.has(one.role) &&
  column.confidence >= minConfidence

/** Matches the columns of the original reading and applies the mapping. */
export function applyMapping<C extends MappableColumn>(
  sheet: SheetToMap<C> & { readonly read: OriginalReading },
  saved: { readonly mapping: ColumnMapping; readonly layout: MappingLayout },
  reason = '沿用上次的设置',
): FittedMapping<C> {
  const columns = sheet.columns.map((column) => ({ ...column, role: sheet.read.roles[column.key] ?? column.role }))
  const matches = matchColumns(saved.mapping.columns, columns)
  return fitMapping({ ...sheet, columns }, saved, {
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
/** Returns what is shown for a wage sheet that was set up like the last one of its kind. */
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

/** Returns the share of common columns, 0 to 1; columns without a header do not count on either side. */
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
  // Identity and amounts must come from the same columns; the others may differ.
  const same = [...mapped.values(), ...renamed.flatMap(({ column, from }) => (column.role === from.role ? [from] : []))]
  const sharesRole = (isRequested: (role: ColumnRole) => boolean) =>
    !mappedColumns.some((one) => isRequested(one.role)) || same.some((one) => isRequested(one.role))
  return all > 0 && sharesRole(isLeadingName) && sharesRole(isNet) ? common / all : 0
}
/** Below this similarity it is a different kind of wage sheet. */
export const minSimilarity = 0.6

/** Returns the most similar mapping if it is similar enough; of equal ones the first. */
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

/**
 * Finds pairs of a missing and a new column at the same position, of the same kind and with a similar name; the most
 * similar first.
 */
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
      const same = usuallyUniqueRoles.has(from.role) && from.role === column.role
      const score = (same ? 1 : getNameSimilarity(column.label, from.label)) + sharedNeighbours / 4
      if (score - sharedNeighbours / 4 >= 0.5) pairs.push({ column, from, score })
    }
  }
  const renamed: { column: HeaderColumn; from: MappedColumn }[] = []
  for (const { column, from } of pairs.sort((a, b) => b.score - a.score))
    if (!renamed.some((one) => one.column === column || one.from === from)) renamed.push({ column, from })
  return renamed
}

/** Returns for each entry the nearest known one to the left and to the right. */
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

/** Below this confidence a role is a guess. */
const minConfidence = 0.6

function isSameKind(column: HeaderColumn, from: MappedColumn): boolean {
  const amounts = (kind: CellKind) => kind === 'money' || kind === 'number'
  const empty = column.kind === 'empty' || from.kind === 'empty'
  if (!empty && column.kind !== from.kind && !(amounts(column.kind) && amounts(from.kind))) return false
  if (getGeneralRole(column.role) === getGeneralRole(from.role)) return true
  if (usuallyUniqueRoles.has(column.role) || usuallyUniqueRoles.has(from.role)) return false
  return moneyRoles.has(column.role) === moneyRoles.has(from.role) && column.confidence < minConfidence
}

/** Words that occur in most labels and do not distinguish them. */
const commonTermPattern = /工资|薪资|薪酬|奖金|补贴|津贴|补助|扣款|扣除|金额|合计|小计|个人|应发|应扣|[费款额金元()（）]/g
function getNameSimilarity(one: string, other: string): number {
  const [a, b] = [getLabelFingerprint([one]), getLabelFingerprint([other])]
  const [left, right] = [a.replace(commonTermPattern, '') || a, b.replace(commonTermPattern, '') || b]
  const characters = new Set(right)
  const shared = [...new Set(left)].filter((sign) => characters.has(sign)).length
  return shared / Math.min(new Set(left).size || 1, characters.size || 1)
}
