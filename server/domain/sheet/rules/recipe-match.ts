/** Which column of a sheet is which of a recipe: by its header, never by its letter, because columns move. */
import { itemRoles, moneyRoles, singleRoles } from '../../../contract/sheet/column-roles.ts'
import type { CellKind, ColumnRole } from '../../../contract/words/words.ts'
import { fingerprintOf } from '../../../tables/rules.ts'
import type { FirstRead, Recipe, RecipeColumn, RecipeLayout, SheetToFit } from './recipe.ts'
import { type Fitted, fit } from './recipe-fit.ts'

/** A column as a recipe knows it. */
export type KnownColumn = {
  /** Unique in the recipe: the header without months, numbered where it stands there twice. */
  readonly path: string
  readonly label: string
  readonly role: ColumnRole
  readonly kind: CellKind
}
export type HeadedColumn = {
  readonly key: string
  readonly path: readonly string[]
  readonly label: string
  readonly role: ColumnRole
  readonly kind: CellKind
  readonly confidence: number
}
export type Matched = {
  /** By the key of the sheet's column. */
  readonly known: ReadonlyMap<string, KnownColumn>
  readonly fresh: readonly HeadedColumn[]
  readonly missing: readonly KnownColumn[]
  /** A missing one and a fresh one that are probably the same; in neither of the lists. */
  readonly renamed: readonly { readonly column: HeadedColumn; readonly from: KnownColumn }[]
}

/** The paths of columns, from the left; the second 备注 of a sheet is 备注#2. */
export function pathsOf(columns: readonly { readonly path: readonly string[] }[]): string[] {
  const seen = new Map<string, number>()
  return columns.map(({ path }) => {
    const same = fingerprintOf(path)
    const count = (seen.get(same) ?? 0) + 1
    seen.set(same, count)
    return count === 1 ? same : `${same}#${count}`
  })
}

export function matchColumns(recipe: readonly KnownColumn[], columns: readonly HeadedColumn[]): Matched {
  const known = new Map<string, KnownColumn>()
  const left = new Map(recipe.map((one) => [one.path, one]))
  const take = (column: HeadedColumn, one: KnownColumn) => {
    known.set(column.key, one)
    left.delete(one.path)
  }
  pathsOf(columns).forEach((path, at) => {
    const one = left.get(path)
    const column = columns[at]
    if (one && column) take(column, one)
  })
  // The heading above it was written anew: the cell that stands over the amounts still names it, where only one does.
  const open = () => columns.filter((column) => !known.has(column.key))
  const byLeaf = groupBy([...left.values()], (one) => leafOf(one.path))
  for (const [leaf, same] of groupBy(open(), (column) => fingerprintOf(column.path.slice(-1)))) {
    const [one, ...more] = byLeaf.get(leaf) ?? []
    const [column, ...others] = same
    if (leaf && one && column && more.length === 0 && others.length === 0 && !turned(column, one)) take(column, one)
  }
  const renamed = renames(recipe, columns, known)
  const gone = new Set(renamed.map(({ from }) => from.path))
  const come = new Set(renamed.map(({ column }) => column.key))
  return {
    known,
    fresh: open().filter((column) => !come.has(column.key)),
    missing: [...left.values()].filter((one) => !gone.has(one.path)),
    renamed,
  }
}

/** 餐补 under 扣款 is not the 餐补 that stood under 补贴. */
const turned = (column: HeadedColumn, one: KnownColumn): boolean =>
  column.role !== one.role && itemRoles.has(column.role) && itemRoles.has(one.role) && column.confidence >= sure

/** The sheet as it was read; for batches older than this is kept, as it is now. */
export const readOf = ({
  read,
  columns,
  formula,
  questions,
  totals_row,
}: SheetToFit & { readonly read?: FirstRead | undefined }): FirstRead =>
  read ?? {
    roles: Object.fromEntries(columns.map(({ key, role }) => [key, role])),
    formula,
    questions: questions.map((question) => ({ ...question, answer: null })),
    totals_row,
  }

/** Finds which column is which, of the sheet as it was read, and hands it on to be fitted. */
export function applyRecipe<C extends RecipeColumn>(
  sheet: SheetToFit<C> & { readonly read?: FirstRead | undefined },
  kept: { readonly recipe: Recipe; readonly layout: RecipeLayout },
  reason = '沿用上次的设置',
): Fitted<C> {
  const read = readOf(sheet)
  const columns = sheet.columns.map((column) => ({ ...column, role: read.roles[column.key] ?? column.role }))
  const matched = matchColumns(kept.recipe.columns, columns)
  return fit({ ...sheet, columns, read }, kept, { matched, like: likenessOf(kept.recipe.columns, columns, matched), reason })
}

type KeptNames = {
  readonly id: string
  readonly name: string | null
  readonly title: string | null
  readonly month: string | null
}
/** What is said of a sheet that was set up as its kind was last. */
export const rememberedOf = ({ id, name, title, month }: KeptNames, { sheet, fresh, missing }: Fitted<RecipeColumn>) => ({
  template_id: id,
  name,
  title,
  month,
  fresh,
  missing,
  renamed: sheet.renames.map(({ key, from }) => ({ key, from })),
})

/** How much of both is common, 0 to 1; columns without a header count on neither side. */
export const likeness = (recipe: readonly KnownColumn[], columns: readonly HeadedColumn[]): number =>
  likenessOf(recipe, columns, matchColumns(recipe, columns))

function likenessOf(recipe: readonly KnownColumn[], columns: readonly HeadedColumn[], { known, renamed }: Matched): number {
  const headed = (path: string) => path.replace(/#\d+$/, '') !== ''
  const common = [...known.values()].filter((one) => headed(one.path)).length
  const all = Math.max(
    recipe.filter((one) => headed(one.path)).length,
    columns.filter((column) => headed(fingerprintOf(column.path))).length,
  )
  // Whose pay it is and how much of it he gets must be said by the same columns; the rest may differ.
  const same = [...known.values(), ...renamed.flatMap(({ column, from }) => (column.role === from.role ? [from] : []))]
  const says = (roles: readonly ColumnRole[]) =>
    !recipe.some((one) => roles.includes(one.role)) || same.some((one) => roles.includes(one.role))
  return all > 0 && says(['name', 'last_name']) && says(['net']) ? common / all : 0
}
/** Below this a sheet is another kind of sheet. */
export const like_enough = 0.6

/** The recipe that is likest to a sheet, where one is like enough; of those that are alike the first. */
export function likest<R extends { readonly recipe: Recipe }>(recipes: readonly R[], columns: readonly HeadedColumn[]): R | null {
  let best: R | null = null
  let most = 0
  for (const one of recipes) {
    const like = likeness(one.recipe.columns, columns)
    if (like < like_enough || like <= most) continue
    best = one
    most = like
  }
  return best
}

const leafOf = (path: string): string => path.replace(/#\d+$/, '').split('/').at(-1) ?? ''
function groupBy<T>(list: readonly T[], of: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) groups.set(of(one), [...(groups.get(of(one)) ?? []), one])
  return groups
}

/** Pairs of one that is gone and one that has come, at the same place, of the same kind, with a like name; the likest first. */
function renames(
  recipe: readonly KnownColumn[],
  columns: readonly HeadedColumn[],
  known: ReadonlyMap<string, KnownColumn>,
): { column: HeadedColumn; from: KnownColumn }[] {
  const taken = new Set([...known.values()].map((one) => one.path))
  const before = neighbours(recipe, (one) => (taken.has(one.path) ? one.path : null))
  const after = neighbours(columns, (column) => known.get(column.key)?.path ?? null)
  const pairs: { column: HeadedColumn; from: KnownColumn; score: number }[] = []
  for (const [at, column] of columns.entries()) {
    if (known.has(column.key) || column.label === '') continue
    for (const [was, from] of recipe.entries()) {
      if (taken.has(from.path) || from.label === '' || !sameSort(column, from)) continue
      const [a, b] = [before[was], after[at]]
      const beside = Number(a?.[0] === b?.[0]) + Number(a?.[1] === b?.[1])
      if (beside === 0 && Math.abs(was - at) > 2) continue
      const same = meaningful.has(from.role) && from.role === column.role
      const score = (same ? 1 : nameLikeness(column.label, from.label)) + beside / 4
      if (score - beside / 4 >= 0.5) pairs.push({ column, from, score })
    }
  }
  const found: { column: HeadedColumn; from: KnownColumn }[] = []
  for (const { column, from } of pairs.sort((a, b) => b.score - a.score))
    if (!found.some((one) => one.column === column || one.from === from)) found.push({ column, from })
  return found
}

/** For each: the nearest one that is known, to the left and to the right. */
function neighbours<T>(list: readonly T[], pathOf: (one: T) => string | null): [string | null, string | null][] {
  const near = (step: 1 | -1) => {
    const order = step === 1 ? [...list.keys()] : [...list.keys()].toReversed()
    const found: (string | null)[] = []
    let last: string | null = null
    for (const at of order) {
      found[at] = last
      const one = list[at]
      last = (one === undefined ? null : pathOf(one)) ?? last
    }
    return found
  }
  const [left, right] = [near(1), near(-1)]
  return list.map((_, at) => [left[at] ?? null, right[at] ?? null])
}

/** Two columns that both are the tax are the same, whatever they are called. */
const meaningful: ReadonlySet<ColumnRole> = new Set([...singleRoles, 'gross', 'tax'])
/** Below this a role is a guess. */
const sure = 0.6

function sameSort(column: HeadedColumn, from: KnownColumn): boolean {
  const amounts = (kind: CellKind) => kind === 'money' || kind === 'number'
  const empty = column.kind === 'empty' || from.kind === 'empty'
  if (!empty && column.kind !== from.kind && !(amounts(column.kind) && amounts(from.kind))) return false
  if (column.role === from.role) return true
  if (meaningful.has(column.role) || meaningful.has(from.role)) return false
  return moneyRoles.has(column.role) === moneyRoles.has(from.role) && column.confidence < sure
}

/** What most items of pay are called tells nothing. */
const common = /工资|薪资|薪酬|奖金|补贴|津贴|补助|扣款|扣除|金额|合计|小计|个人|应发|应扣|[费款额金元()（）]/g
function nameLikeness(one: string, other: string): number {
  const [a, b] = [fingerprintOf([one]), fingerprintOf([other])]
  const [left, right] = [a.replace(common, '') || a, b.replace(common, '') || b]
  const signs = new Set(right)
  const shared = [...new Set(left)].filter((sign) => signs.has(sign)).length
  return shared / Math.min(new Set(left).size || 1, signs.size || 1)
}
