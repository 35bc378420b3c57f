/** What a corrected sheet would change, person by person. Rows that only moved are no change, nor is what nobody reads. */
import type { Difference } from '../../../contract/sheet.ts'
import type { ColumnRole } from '../../../contract/words.ts'
import type { RowCells } from '../../../rules/amounts.ts'
import { type Paired, sameText, type Trace } from './carry.ts'
import { saidOf } from './check/problems-amounts.ts'

export type DifferColumn = { readonly key: string; readonly label: string; readonly role: ColumnRole }
/** Both sheets with their labels. `keyOf`: from a column before to the same column after. */
export type DifferSides = {
  readonly before: readonly DifferColumn[]
  readonly after: readonly DifferColumn[]
  readonly keyOf: ReadonlyMap<string, string>
}

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
export function differ(
  changes: Changes,
  sides: DifferSides,
  cells: { readonly before: ReadonlyMap<number, RowCells>; readonly after: ReadonlyMap<number, RowCells> },
): Difference {
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
