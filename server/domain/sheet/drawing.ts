/** The sheet as it stands, a window at a time: rows of people from their cells, every other row from the drawing. */
import * as contract from '../../contract/sheet.ts'
import { handle } from '../../runtime/handle.ts'
import { batchFor } from './access.ts'
import { rowsBetween } from './stored-rows.ts'
import { drawingOf, understoodOf } from './understood.ts'

export const getSheetGrid = handle(contract.getSheetGrid, async (ctx, { batch_id, from, count }) => {
  const batch = await batchFor(ctx, batch_id, 'view')
  const understood = understoodOf(ctx, batch)
  const drawing = drawingOf(ctx, batch)
  const to = from + count - 1
  const places = understood.columns.map(({ key }) => [key, Number(key.slice(1))] as const)
  const headers = new Set(understood.parts.flatMap((part) => part.header_rows))
  const hidden = new Set(drawing.hidden_rows)
  const text = new Map(drawing.others)
  const people = new Map((await rowsBetween(ctx, batch.id, from, to)).map((row) => [row.row, row]))
  const last = understood.parts.at(-1)?.last_row ?? 0
  const rows = Array.from({ length: Math.max(0, Math.min(to, last) - from + 1) }, (_, at) => {
    const row = from + at
    const person = people.get(row)
    if (person) {
      const cells: string[] = []
      for (const [key, index] of places) {
        const value = person.cells[key]?.value
        if (value) cells[index] = value
      }
      return {
        row,
        hidden: hidden.has(row),
        as: person.skipped ? ('skipped' as const) : ('person' as const),
        cells: Array.from(cells, (cell) => cell ?? ''),
      }
    }
    const stored = text.get(row)
    const own = typeof stored === 'number' ? text.get(stored) : stored
    const cells = Array.isArray(own) ? own : []
    const as = headers.has(row) ? ('header' as const) : cells.length > 0 ? ('left' as const) : ('blank' as const)
    return { row, hidden: hidden.has(row), as, cells }
  })
  return { rows, merges: drawing.merges.filter((merge) => merge.bottom >= from && merge.top <= to) }
})
