/** The sheet as it stands, a window at a time: rows of people from their cells, every other row from the drawing. */
import * as contract from '../../contract/sheet/sheet.ts'
import { rows_a_part } from '../../contract/words/words.ts'
import { handle, refuse } from '../../runtime/handle.ts'
import { batchFor } from './access.ts'
import { rowsAsWrittenAt, rowsBetween } from './rows/stored-rows.ts'
import { drawingOf, type Understood, understoodOf } from './understood.ts'

export const getSheetGrid = handle(contract.getSheetGrid, async (ctx, { batch_id, from, count }) => {
  const batch = await batchFor(ctx, batch_id, 'view')
  const understood = understoodOf(ctx, batch)
  const drawing = drawingOf(ctx, batch)
  const to = from + count - 1
  const headers = new Set(understood.parts.flatMap((part) => part.header_rows))
  const hidden = new Set(drawing.hidden_rows)
  const text = new Map(batch.drawing ? drawing.others : headerOf(understood))
  const people = new Map((await rowsBetween(ctx, batch.id, from, to)).map((row) => [row.row, row]))
  // The rows between the end of a sheet and the beginning of the next one are nothing.
  const drawn = Array.from({ length: count }, (_, at) => from + at).filter(
    (row) => row <= (understood.parts[Math.floor(row / rows_a_part)]?.last_row ?? 0) && row % rows_a_part > 0,
  )
  const rows = drawn.map((row) => {
    const person = people.get(row)
    if (person) {
      const cells: string[] = []
      for (const [key, index] of understood.parts[Math.floor(row / rows_a_part)]?.places ?? []) {
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

export const getSheetRow = handle(contract.getSheetRow, async (ctx, { batch_id, row }) => {
  const batch = await batchFor(ctx, batch_id, 'view')
  const [one] = await rowsAsWrittenAt(ctx, batch.id, [row])
  if (!one) throw refuse('not_found', '表里没有这一行，请刷新后重试')
  const cells = Object.entries(one.cells).map(([key, { value }]) => [key, value] as const)
  return { cells: Object.fromEntries(cells), edited: [...one.edited] }
})

/** Of a batch older than drawings only the header is known beside its people. */
function headerOf({ header, columns }: Understood): [row: number, cells: string[]][] {
  return header.rows.map((row, line) => {
    const cells: string[] = []
    for (const { key, path } of columns) cells[Number(key.slice(1))] = path[line] ?? ''
    return [row, Array.from(cells, (cell) => cell ?? '')]
  })
}
