/** What somebody has written into cells, where the same file is read again, with more or fewer of its sheets. */
import { rows_a_part } from '../../../../contract/words/words.ts'
import type { RowCell } from '../../../../rules/amounts.ts'
import type { RowOf } from '../carry.ts'

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

/** What somebody has written into a cell stays in it. */
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
