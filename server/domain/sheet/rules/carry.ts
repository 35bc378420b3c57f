/** Which row of a corrected sheet is which of the one before, and which decisions still stand. */
import { identityRoles } from '../../../contract/column-roles.ts'
import { problemKinds } from '../../../contract/vocabulary.ts'
import { type ColumnRole, type ProblemKind, rows_a_part } from '../../../contract/words.ts'
import { amountOf, type RowCell, type RowCells } from '../../../rules/amounts.ts'
import { readMobile } from '../../../rules/phone.ts'
import { tidy } from '../../../rules/text.ts'
import { type InTurns, Turn } from '../../../rules/turns.ts'
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

/** What a cell says, as a number: two cells have the same exactly where they say the same (`sameText`). Texts are hashed to 52 bits. */
export function sayingOf(cell: RowCells[string] | undefined): number {
  const { fen } = amountOf(cell)
  if (fen !== null) return fen
  const text = `${cell?.flaw ?? ''} ${tidy(cell?.value ?? '')}`
  let [high, low] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    high = Math.imul(high ^ sign, 2654435761)
    low = Math.imul(low ^ sign, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  // Beyond every amount.
  return 1e12 + (high & 0xfffff) * 2 ** 32 + (low >>> 0)
}

/** A row without its cells: what it says of who it is for, and of each column before. A hundred thousand of them are some ten megabytes. */
export type Trace = {
  readonly row: number
  /** By the roles that both sheets have. */
  readonly who: readonly string[]
  /** By the columns before. */
  readonly says: Float64Array
  /** Something about the person that no column said before. */
  readonly saysMore: boolean
}

const strong: readonly ColumnRole[] = ['id_card', 'employee_no', 'mobile']
const named: readonly ColumnRole[] = ['name', 'last_name', 'first_name']
const at = (columns: readonly Column[], role: ColumnRole) => columns.find((column) => column.role === role)?.key ?? ''
const inBoth = ({ before, after }: Sides): ColumnRole[] =>
  [...identityRoles].filter((role) => at(before, role) !== '' && at(after, role) !== '')

/** How rows of both sheets leave their traces. */
export function tracing(sides: Sides): { before(row: RowOf): Trace; after(row: RowOf): Trace } {
  const { before, after, keyOf } = sides
  const roles = inBoth(sides)
  const old = new Set(keyOf.values())
  // Who is said anew: a person chosen for less was perhaps not chosen for this.
  const fresh = after.filter(({ key, role }) => identityRoles.has(role) && !old.has(key)).map(({ key }) => key)
  const trace = ({ row, cells }: RowOf, columns: readonly Column[], keys: readonly string[]): Trace => ({
    row,
    who: roles.map((role) => identityText(role, cells, at(columns, role))),
    says: Float64Array.from(keys, (key) => sayingOf(cells[key])),
    saysMore: columns === after && fresh.some((key) => (cells[key]?.value ?? '') !== ''),
  })
  const [was, is] = [before.map(({ key }) => key), before.map(({ key }) => keyOf.get(key) ?? '')]
  return { before: (row) => trace(row, before, was), after: (row) => trace(row, after, is) }
}

export type Paired<B extends Trace, A extends Trace> = {
  readonly pairs: readonly { readonly before: B; readonly after: A; readonly whole: boolean }[]
  readonly gone: readonly B[]
  readonly added: readonly A[]
}

/**
 * Pairs rows: by everything that says who it is, then by one number, then by the name, each only where it is said once on both sides.
 * People who stand there several times are paired where there are as many as before: those that say the same, the others in their order.
 * `whole`: it is surely the same row; of namesakes only one that says the same in every cell is.
 */
export function* pairing<B extends Trace, A extends Trace>(
  before: readonly B[],
  after: readonly A[],
  sides: Sides,
): InTurns<Paired<B, A>> {
  const turn = new Turn()
  const both = inBoth(sides)
  // Numbers of lines say nothing of a person.
  const compared = sides.before.flatMap(({ key, role }, place) => (sides.keyOf.has(key) && role !== 'ignore' ? [place] : []))
  const left = { before: new Set(before), after: new Set(after) }
  const pairs: Paired<B, A>['pairs'][number][] = []
  function* pair(roles: readonly ColumnRole[], inOrder: boolean): InTurns<void> {
    if (roles.length === 0) return
    const places = roles.map((role) => both.indexOf(role))
    const textOf = ({ who }: Trace) => {
      const texts = places.map((place) => who[place] ?? '')
      return texts.some((text) => text !== '') ? texts.join('\u0000') : null
    }
    const were = yield* groups(left.before, textOf, turn)
    const are = yield* groups(left.after, textOf, turn)
    for (const [text, olds] of were) {
      if (turn.isOver(a_row)) yield
      const news = are.get(text) ?? []
      if (news.length !== olds.length || (olds.length > 1 && !inOrder)) continue
      const alike = olds.length > 1 && olds.length <= most_alike ? alikeOf(olds, news, compared) : []
      const rest = alike.length > 0 ? news.filter((row) => !alike.includes(row)) : [...news]
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
  yield* pair(both, true)
  for (const role of strong) if (both.includes(role)) yield* pair([role], false)
  yield* pair(
    named.filter((role) => both.includes(role)),
    false,
  )
  return { pairs, gone: before.filter((row) => left.before.has(row)), added: after.filter((row) => left.after.has(row)) }
}

/** Rows of one person that are told apart; more are no person's. */
const most_alike = 50
/** Of rows of one person: for each the one that says the same. */
function alikeOf<A extends Trace>(olds: readonly Trace[], news: readonly A[], places: readonly number[]): (A | undefined)[] {
  const rest = [...news]
  return olds.map((old) => {
    const found = rest.findIndex((row) => places.every((place) => old.says[place] === row.says[place]))
    return found < 0 ? undefined : rest.splice(found, 1)[0]
  })
}

/** What it takes to look at a row, beside one figure. */
const a_row = 20

function* groups<T>(rows: Iterable<T>, textOf: (row: T) => string | null, turn: Turn): InTurns<Map<string, T[]>> {
  const found = new Map<string, T[]>()
  for (const row of rows) {
    if (turn.isOver(a_row)) yield
    const text = textOf(row)
    if (text === null) continue
    const same = found.get(text)
    if (same) same.push(row)
    else found.set(text, [row])
  }
  return found
}

/** Of what something was accepted: of the cell alone, or of the row as it was. */
const acceptedOf: Readonly<Record<ProblemKind, 'cell' | 'row'>> = {
  no_name: 'row',
  no_contact: 'row',
  bad_mobile: 'cell',
  bad_id_card: 'cell',
  unknown_person: 'row',
  several_persons: 'row',
  name_mismatch: 'row',
  duplicate_person: 'row',
  left_person: 'row',
  out_of_scope: 'row',
  not_a_number: 'row',
  formula_error: 'row',
  damaged_number: 'cell',
  missing_net: 'row',
  sum_mismatch: 'row',
  negative_net: 'cell',
  net_outlier: 'cell',
  tax_mismatch: 'row',
  total_row_mismatch: 'row',
  subtotal_mismatch: 'row',
  empty_row: 'row',
  same_file: 'row',
  same_month: 'row',
  swapped_rows: 'row',
  shifted_rows: 'row',
  column_moved: 'row',
  item_outlier: 'cell',
  scale_changed: 'row',
  unchanged: 'row',
  other_month: 'row',
  roster_differs: 'row',
  card_moved: 'row',
  card_new: 'row',
  account_moved: 'row',
  account_other: 'row',
  hidden_row: 'row',
  same_number: 'row',
}

export type Decisions = { member_id: string | null; skipped: boolean; accepted: string[] }
export type DecidedTrace = Trace & Omit<DecidedRow, 'cells'>

/** By the row's number in the corrected sheet: what was decided for the person, where he is the same and so is what he gets. */
export function carryOver(paired: Paired<DecidedTrace, Trace>, sides: Sides): Map<number, Decisions> {
  const carried = new Map<number, Decisions>()
  const roleOf = new Map(sides.after.map(({ key, role }) => [key, role]))
  const placeOf = new Map(sides.before.map(({ key }, place) => [key, place]))
  const read = sides.before.flatMap(({ key }, place) => (roleOf.get(sides.keyOf.get(key) ?? '') === 'ignore' ? [] : [place]))
  // What tells namesakes apart where the name alone says who somebody is.
  const department = sides.before.findIndex(({ role }) => role === 'department')
  for (const { before: was, after: is, whole } of paired.pairs) {
    // Found by one number or by his name alone he is perhaps the same; what was decided for him was decided for another text.
    if (!whole || !(was.skipped || was.member_id || was.accepted.length > 0)) continue
    const isSame = (place: number) => was.says[place] === is.says[place]
    const unchanged = read.every(isSame)
    const accepted = was.accepted.flatMap((mark) => {
      const cut = mark.indexOf(':')
      const [kind, key] = [problemKinds.find((one) => one === mark.slice(0, cut)), mark.slice(cut + 1)]
      const now = sides.keyOf.get(key)
      return now !== undefined && (kind && acceptedOf[kind] === 'cell' ? isSame(placeOf.get(key) ?? -1) : unchanged)
        ? [`${kind}:${now}`]
        : []
    })
    const moved = department >= 0 && !isSame(department)
    carried.set(is.row, { member_id: is.saysMore || moved ? null : was.member_id, skipped: was.skipped, accepted })
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

/** Which row before stood where a row stands now, by its number; null where nobody knows. */
export function placing(before: readonly PartOf[], after: readonly PartOf[]): (row: number) => number | null {
  const partOf = after.map(({ sheet }) => {
    const same = (part: PartOf) => part.sheet === sheet
    return before.filter(same).length === 1 && after.filter(same).length === 1 ? before.findIndex(same) : -1
  })
  return (row) => {
    const part = partOf[Math.floor(row / rows_a_part)] ?? -1
    return part < 0 ? null : part * rows_a_part + (row % rows_a_part)
  }
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
