/** Returns a window of the wage sheet as uploaded: member rows from their cells, all others from the stored sheet layout. */

import { rowsPerSheet } from '../../contract/shared/schemas.ts'
import * as contract from '../../contract/sheets/sheet.ts'
import { defineHandler, fail } from '../../http/handler.ts'
import { requireBatch } from './access.ts'
import { openRecognition, openSheetLayout } from './recognition.ts'
import { getRows, loadRowsBetween } from './rows/stored-rows.ts'

export const getSheetGrid = defineHandler(contract.getSheetGrid, async (ctx, { batch_id, from, count }) => {
  const batch = await requireBatch(ctx, batch_id, 'view')
  const recognition = openRecognition(ctx, batch)
  const sheetLayout = openSheetLayout(ctx, batch)
  const to = from + count - 1
  const headers = new Set(recognition.parts.flatMap((part) => part.header_rows))
  const hidden = new Set(sheetLayout.hidden_rows)
  const text = new Map(sheetLayout.others)
  const memberRows = new Map((await loadRowsBetween(ctx, batch.id, from, to)).map((row) => [row.row, row]))
  // Row numbers between the end of one sheet and the start of the next do not exist.
  const visibleRows = Array.from({ length: count }, (_, at) => from + at).filter(
    (row) => row <= (recognition.parts[Math.floor(row / rowsPerSheet)]?.last_row ?? 0) && row % rowsPerSheet > 0,
  )
  const rows = visibleRows.map((row) => {
    const memberRow = memberRows.get(row)
    if (memberRow) {
      const cells: string[] = []
      for (const [key, index] of recognition.parts[Math.floor(row / rowsPerSheet)]?.places ?? []) {
        const value = memberRow.cells[key]?.value
        if (value) cells[index] = value
      }
      return {
        row,
        hidden: hidden.has(row),
        kind: memberRow.skipped ? ('skipped' as const) : ('person' as const),
        cells: Array.from(cells, (cell) => cell ?? ''),
      }
    }
    const stored = text.get(row)
    const rowContent = typeof stored === 'number' ? text.get(stored) : stored
    const cells = Array.isArray(rowContent) ? rowContent : []
    const as = headers.has(row) ? ('header' as const) : cells.length > 0 ? ('left' as const) : ('blank' as const)
    return { row, hidden: hidden.has(row), kind: as, cells }
  })
  return { rows, merges: sheetLayout.merges.filter((merge) => merge.bottom >= from && merge.top <= to) }
})

export const getSheetRow = defineHandler(contract.getSheetRow, async (ctx, { batch_id, row }) => {
  const batch = await requireBatch(ctx, batch_id, 'view')
  const [one] = await getRows(ctx, batch.id, [row])
  if (!one) throw fail('not_found', '表里没有这一行，请刷新后重试')
  const cells = Object.entries(one.cells).map(([key, { value }]) => [key, value] as const)
  return { cells: Object.fromEntries(cells), edited: [...one.edited] }
})
