/**
 * A corrected sheet beside the one before: which row is which, which decisions still stand, and what it would change, person by person. Rows that
 * only moved are no change, nor is what nobody reads.
 */
import { identityRoles } from '../../../contract/sheet/column-roles.ts'
import type { Difference } from '../../../contract/sheet/sheet.ts'
import { problemKinds } from '../../../contract/words/vocabulary.ts'
import type { ColumnRole } from '../../../contract/words/words.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import { type InTurns, Turn } from '../../../rules/turns.ts'
import { acceptedOf } from './check/accepted.ts'
import { saidOf } from './check/problems-amounts.ts'
import { identityText, sameText, sayingOf } from './check/saying.ts'

export type RowOf = { readonly row: number; readonly cells: RowCells }
export type DecidedRow = RowOf & {
  readonly member_id: string | null
  readonly skipped: boolean
  readonly accepted: readonly string[]
}
type Column = { readonly key: string; readonly role: ColumnRole }
/** A sheet, its columns, and the columns of the other one that they are. */
export type Sides<C extends Column = Column> = {
  readonly before: readonly C[]
  readonly after: readonly C[]
  /** From a column before to the same column after. */
  readonly keyOf: ReadonlyMap<string, string>
}

type Rows<R> = AsyncIterable<readonly R[]>
type Ways = {
  /** Whether it is told what would change. */
  readonly tells: boolean
  readonly inTurns: <T>(pieces: InTurns<T>) => Promise<T>
  /** The cells of rows that are told of. */
  readonly cellsOf: (rows: { readonly before: ReadonlySet<number>; readonly after: ReadonlySet<number> }) => Promise<Told>
}
type Told = { readonly before: ReadonlyMap<number, RowCells>; readonly after: ReadonlyMap<number, RowCells> }

/** Neither sheet is in memory as a whole: both are gone through once, and compared by their traces. `decisions`: by the row's number now. */
export async function compare(
  sides: DifferSides,
  { before, after }: { readonly before: Rows<DecidedRow>; readonly after: Rows<RowOf> },
  { tells, inTurns, cellsOf }: Ways,
): Promise<{ decisions: Map<number, Decisions>; difference: Difference | null }> {
  const traces = tracing(sides)
  const were: DecidedTrace[] = []
  for await (const rows of before)
    for (const { member_id, skipped, accepted, ...row } of rows)
      were.push({ ...traces.before(row), member_id, skipped, accepted })
  const are: Trace[] = []
  for await (const rows of after) for (const row of rows) are.push(traces.after(row))
  const paired = await inTurns(pairing(were, are, sides))
  const decisions = carryOver(paired, sides)
  if (!tells) return { decisions, difference: null }
  const changes = changesOf(paired, sides)
  const cells = await cellsOf({
    before: new Set([...changes.changed.map(({ was }) => was), ...changes.gone]),
    after: new Set([...changes.changed.map(({ is }) => is), ...changes.added]),
  })
  return { decisions, difference: differ(changes, sides, cells) }
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

export type DifferColumn = Column & { readonly label: string }
/** Both sheets with their labels. */
export type DifferSides = Sides<DifferColumn>

/** Of each kind in one answer. */
const most = 200

/** Numbers of rows: how many changed, came and went, and those of which is told how. */
export type Changes = {
  readonly same: number
  readonly changed_count: number
  readonly changed: readonly { readonly was: number; readonly is: number }[]
  readonly added_count: number
  readonly added: readonly number[]
  readonly gone_count: number
  readonly gone: readonly number[]
}

/** The columns that both sheets have, except where nobody reads them. */
const compared = ({ before, after, keyOf }: DifferSides) => {
  const newOf = new Map(after.map((column) => [column.key, column]))
  return before.flatMap((column, place) => {
    const now = newOf.get(keyOf.get(column.key) ?? '')
    return now && !(column.role === 'ignore' && now.role === 'ignore') ? [{ place, was: column.key, now }] : []
  })
}

export function changesOf({ pairs, gone, added }: Paired<Trace, Trace>, sides: DifferSides): Changes {
  const places = compared(sides).map(({ place }) => place)
  const changed = pairs
    .filter(({ before, after }) => places.some((place) => before.says[place] !== after.says[place]))
    .map(({ before, after }) => ({ was: before.row, is: after.row }))
    .toSorted((a, b) => a.is - b.is)
  const numbers = (rows: readonly { readonly row: number }[]) => rows.slice(0, most).map(({ row }) => row)
  return {
    same: pairs.length - changed.length,
    changed_count: changed.length,
    changed: changed.slice(0, most),
    added_count: added.length,
    added: numbers(added),
    gone_count: gone.length,
    gone: numbers(gone),
  }
}

/** The rows that are told of, in their words. */
export function differ(changes: Changes, sides: DifferSides, cells: Told): Difference {
  const nameOf = (row: RowCells | undefined, columns: readonly DifferColumn[]) => saidOf(row ?? {}, columns).names[0] ?? ''
  const labels = (columns: readonly DifferColumn[]) => columns.map(({ label, key }) => label || key)
  const kept = new Set(sides.keyOf.values())
  const columns = compared(sides)
  return {
    ...changes,
    changed: changes.changed.map(({ was, is }) => {
      const [old, now] = [cells.before.get(was), cells.after.get(is)]
      return {
        row: is,
        name: nameOf(now, sides.after),
        cells: columns.flatMap(({ was: key, now: column }) => {
          const [from, to] = [old?.[key], now?.[column.key]]
          return sameText(from, to) ? [] : [{ label: column.label, from: from?.value ?? '', to: to?.value ?? '' }]
        }),
      }
    }),
    added: changes.added.map((row) => ({ row, name: nameOf(cells.after.get(row), sides.after) })),
    gone: changes.gone.map((row) => ({ row, name: nameOf(cells.before.get(row), sides.before) })),
    columns_added: labels(sides.after.filter(({ key }) => !kept.has(key))),
    columns_gone: labels(sides.before.filter(({ key }) => !sides.keyOf.has(key))),
  }
}
