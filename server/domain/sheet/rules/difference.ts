/** What a corrected sheet would change, person by person. Rows that only moved are no change, nor is what nobody reads. */
import type { Difference } from '../../../contract/sheet.ts'
import type { ColumnRole } from '../../../contract/words.ts'
import { pairRows, type RowOf, sameText } from './carry.ts'
import { saidOf } from './check/problems.ts'

export type DifferColumn = { readonly key: string; readonly label: string; readonly role: ColumnRole }
export type DifferSheet = { readonly columns: readonly DifferColumn[]; readonly rows: readonly RowOf[] }

/** Of each kind in one answer. */
const most = 200

/** `keyOf`: from a column before to the same column after. */
export function differ(before: DifferSheet, after: DifferSheet, keyOf: ReadonlyMap<string, string>): Difference {
  const { pairs, gone, added } = pairRows(before.rows, after.rows, { before: before.columns, after: after.columns, keyOf })
  const newOf = new Map(after.columns.map((column) => [column.key, column]))
  const compared = before.columns.flatMap((column) => {
    const now = newOf.get(keyOf.get(column.key) ?? '')
    return now && !(column.role === 'ignore' && now.role === 'ignore') ? [{ was: column.key, now }] : []
  })
  const changed: Difference['changed'] = []
  let changed_count = 0
  for (const { before: was, after: is } of pairs.sort((a, b) => a.after.row - b.after.row)) {
    const cells = compared.flatMap(({ was: key, now }) => {
      const [from, to] = [was.cells[key], is.cells[now.key]]
      return sameText(from, to) ? [] : [{ label: now.label, from: from?.value ?? '', to: to?.value ?? '' }]
    })
    if (cells.length === 0) continue
    changed_count += 1
    if (changed.length < most) changed.push({ row: is.row, name: nameOf(is, after), cells })
  }
  const kept = new Set(keyOf.values())
  const names = (rows: readonly RowOf[], sheet: DifferSheet) =>
    rows.slice(0, most).map((row) => ({ row: row.row, name: nameOf(row, sheet) }))
  const labels = (columns: readonly DifferColumn[]) => columns.map(({ label, key }) => label || key)
  return {
    same: pairs.length - changed_count,
    changed_count,
    changed,
    added_count: added.length,
    added: names(added, after),
    gone_count: gone.length,
    gone: names(gone, before),
    columns_added: labels(after.columns.filter(({ key }) => !kept.has(key))),
    columns_gone: labels(before.columns.filter(({ key }) => !keyOf.has(key))),
  }
}

const nameOf = (row: RowOf, { columns }: DifferSheet): string => saidOf(row.cells, columns).names[0] ?? ''
