/** Which row of a corrected sheet is which of the one before, and which decisions still stand. */
import { identityRoles } from '../../../contract/column-roles.ts'
import { type ColumnRole, type ProblemKind, rows_a_part } from '../../../contract/words.ts'
import { amountOf, type RowCell, type RowCells } from './amounts.ts'
import { readMobile, tidy } from './cells.ts'
import { sameName, sameNumber } from './check/matching.ts'

export type RowOf = { readonly row: number; readonly cells: RowCells }
export type DecidedRow = RowOf & {
  readonly member_id: string | null
  readonly skipped: boolean
  readonly accepted: readonly string[]
}
type Column = { readonly key: string; readonly role: ColumnRole }
/** A sheet, its columns, and the columns of the other one that they are. */
export type Sides = {
  readonly before: readonly Column[]
  readonly after: readonly Column[]
  /** From a column before to the same column after. */
  readonly keyOf: ReadonlyMap<string, string>
}

/** Two texts that say the same: amounts to the fen, whatever unit they are counted in; all else without blanks at the ends. */
export function sameText(one: RowCells[string] | undefined, other: RowCells[string] | undefined): boolean {
  const [a, b] = [tidy(one?.value ?? ''), tidy(other?.value ?? '')]
  if (a === b) return one?.flaw === other?.flaw && (one?.fen === undefined || other?.fen === undefined || one.fen === other.fen)
  const [left, right] = [amountOf(one), amountOf(other)]
  return left.fen !== null && left.fen === right.fen
}

/** What a cell says about who the row is for, in one spelling. */
function identityText(role: ColumnRole, cells: RowCells, key: string): string {
  const text = cells[key]?.value ?? ''
  if (role === 'mobile') return readMobile(text) ?? tidy(text)
  return role === 'name' || role === 'last_name' || role === 'first_name' ? sameName(text) : sameNumber(text)
}

const strong: readonly ColumnRole[] = ['id_card', 'employee_no', 'mobile']
const named: readonly ColumnRole[] = ['name', 'last_name', 'first_name']

/**
 * Pairs rows: by everything that says who it is, then by one number, then by the name, each only where it is said once on both sides.
 * People who stand there several times are paired where there are as many as before: those that say the same, the others in their order.
 * `whole`: it is surely the same row; of namesakes only one that says the same in every cell is.
 */
export function pairRows<B extends RowOf, A extends RowOf>(
  before: readonly B[],
  after: readonly A[],
  { before: columnsBefore, after: columnsAfter, keyOf }: Sides,
): { pairs: { before: B; after: A; whole: boolean }[]; gone: B[]; added: A[] } {
  const at = (columns: readonly Column[], role: ColumnRole) => columns.find((column) => column.role === role)?.key
  const both = [...identityRoles].filter((role) => at(columnsBefore, role) && at(columnsAfter, role))
  const textOf = (row: RowOf, columns: readonly Column[], roles: readonly ColumnRole[]) => {
    const texts = roles.map((role) => identityText(role, row.cells, at(columns, role) ?? ''))
    return texts.some((text) => text !== '') ? texts.join('\u0000') : null
  }
  // Numbers of lines say nothing of a person.
  const compared = columnsBefore.flatMap(({ key, role }): [string, string][] => {
    const now = keyOf.get(key)
    return now === undefined || role === 'ignore' ? [] : [[key, now]]
  })
  const left = { before: new Set(before), after: new Set(after) }
  const pairs: { before: B; after: A; whole: boolean }[] = []
  const pair = (roles: readonly ColumnRole[], inOrder: boolean) => {
    if (roles.length === 0) return
    const [were, are] = [
      groups(left.before, (row) => textOf(row, columnsBefore, roles)),
      groups(left.after, (row) => textOf(row, columnsAfter, roles)),
    ]
    for (const [text, olds] of were) {
      const news = are.get(text) ?? []
      if (news.length !== olds.length || (olds.length > 1 && !inOrder)) continue
      const alike = olds.length > 1 && olds.length <= most_alike ? alikeOf(olds, news, compared) : []
      const rest = news.filter((row) => !alike.includes(row))
      for (const [place, old] of olds.entries()) {
        const same = alike[place]
        const fresh = same ?? rest.shift()
        if (!fresh) continue
        pairs.push({ before: old, after: fresh, whole: inOrder && (olds.length === 1 || same !== undefined) })
        left.before.delete(old)
        left.after.delete(fresh)
      }
    }
  }
  pair(both, true)
  for (const role of strong) if (both.includes(role)) pair([role], false)
  pair(
    named.filter((role) => both.includes(role)),
    false,
  )
  return { pairs, gone: before.filter((row) => left.before.has(row)), added: after.filter((row) => left.after.has(row)) }
}

/** Rows of one person that are told apart; more are no person's. */
const most_alike = 50
/** Of rows of one person: for each the one that says the same. */
function alikeOf<A extends RowOf>(
  olds: readonly RowOf[],
  news: readonly A[],
  keys: readonly [was: string, is: string][],
): (A | undefined)[] {
  const rest = [...news]
  return olds.map((old) => {
    const at = rest.findIndex((row) => keys.every(([was, is]) => sameText(old.cells[was], row.cells[is])))
    return at < 0 ? undefined : rest.splice(at, 1)[0]
  })
}

function groups<T>(rows: Iterable<T>, textOf: (row: T) => string | null): Map<string, T[]> {
  const found = new Map<string, T[]>()
  for (const row of rows) {
    const text = textOf(row)
    if (text === null) continue
    const same = found.get(text)
    if (same) same.push(row)
    else found.set(text, [row])
  }
  return found
}

/** What was accepted of these is said of the cell alone; of all else, of the row as it was. */
const ofCell: ReadonlySet<ProblemKind> = new Set([
  'negative_net',
  'net_outlier',
  'item_outlier',
  'bad_mobile',
  'bad_id_card',
  'damaged_number',
])

export type Decisions = { member_id: string | null; skipped: boolean; accepted: string[] }

/** By the row's number in the corrected sheet: what was decided for the person, where he is the same and so is what he gets. */
export function carryOver(before: readonly DecidedRow[], after: readonly RowOf[], sides: Sides): Map<number, Decisions> {
  const carried = new Map<number, Decisions>()
  const roleOf = new Map(sides.after.map(({ key, role }) => [key, role]))
  const old = new Set(sides.keyOf.values())
  // Who is said anew: a person chosen for less was perhaps not chosen for this.
  const newIdentity = sides.after.filter(({ key, role }) => identityRoles.has(role) && !old.has(key)).map(({ key }) => key)
  // What tells namesakes apart where the name alone says who somebody is.
  const department = sides.before.find(({ role }) => role === 'department')?.key
  for (const { before: was, after: is, whole } of pairRows(before, after, sides).pairs) {
    // Found by one number or by his name alone he is perhaps the same; what was decided for him was decided for another text.
    if (!whole || !(was.skipped || was.member_id || was.accepted.length > 0)) continue
    const isSame = (key: string) => sameText(was.cells[key], is.cells[sides.keyOf.get(key) ?? ''])
    const unchanged = sides.before.every(({ key }) => roleOf.get(sides.keyOf.get(key) ?? '') === 'ignore' || isSame(key))
    const accepted = was.accepted.flatMap((mark) => {
      const cut = mark.indexOf(':')
      const [kind, key] = [mark.slice(0, cut) as ProblemKind, mark.slice(cut + 1)]
      const now = sides.keyOf.get(key)
      return now !== undefined && (ofCell.has(kind) ? isSame(key) : unchanged) ? [`${kind}:${now}`] : []
    })
    const saysMore = newIdentity.some((key) => (is.cells[key]?.value ?? '') !== '')
    const moved = department !== undefined && !isSame(department)
    carried.set(is.row, { member_id: saysMore || moved ? null : was.member_id, skipped: was.skipped, accepted })
  }
  return carried
}

type PartOf = { readonly sheet: string }
type Place = { readonly parts: readonly PartOf[]; readonly rows: readonly RowOf[] }
/** The sheet of a row and its number there; null where two tables stand on that sheet, side by side perhaps. */
const placeOf = (parts: readonly PartOf[], row: number): string | null => {
  const sheet = parts[Math.floor(row / rows_a_part)]?.sheet
  return sheet === undefined || parts.filter((part) => part.sheet === sheet).length > 1 ? null : `${row % rows_a_part} ${sheet}`
}

/** The same file read again, with more or fewer of its sheets: what somebody has written into a cell stays in it. */
export function keepEdits<R extends RowOf & { readonly edited?: readonly string[] }>(
  before: Place,
  after: { readonly parts: readonly PartOf[]; readonly rows: readonly R[] },
  keyOf: ReadonlyMap<string, string>,
): R[] {
  const was = new Map(before.rows.map((row) => [placeOf(before.parts, row.row), row.cells]))
  return after.rows.map((row) => {
    const place = placeOf(after.parts, row.row)
    const old = place === null ? undefined : was.get(place)
    if (!old) return row
    const written = [...keyOf].filter(([key, now]) => (old[key]?.value ?? '') !== (row.cells[now]?.value ?? ''))
    if (written.length === 0) return row
    const cells: Record<string, RowCell> = { ...row.cells }
    for (const [key, now] of written) {
      const cell = old[key]
      if (cell) cells[now] = cell
      else delete cells[now]
    }
    return { ...row, cells, edited: written.map(([, now]) => now) }
  })
}
