/** Trims a table to the extent that a wage sheet can have. */
import type { StoredValue } from '../grid.ts'
import { sheetLimits, UnreadableSheetError, unreadableMessages } from './unreadable-error.ts'

export const isBlankValue = (stored: StoredValue) =>
  stored === null || stored === undefined || (typeof stored === 'string' && stored.trim() === '')

const minNearbyRows = 3

/** Drops empty rows at the end and distant cells; rejects tables that are really too large. */
export function trimRows(rows: (StoredValue[] | undefined)[]): void {
  const filled = (row: number) => rows[row]?.some((cell) => !isBlankValue(cell)) ?? false
  // A single distant cell is an accident; a row with several cells is data.
  const isRow = (row: readonly StoredValue[] | undefined) =>
    (row?.filter((cell) => !isBlankValue(cell)).length ?? 0) >= minNearbyRows
  if (
    rows.length > sheetLimits.rows &&
    ((filled(sheetLimits.rows) && filled(sheetLimits.rows - 1)) || rows.slice(sheetLimits.rows).some(isRow))
  )
    throw new UnreadableSheetError(unreadableMessages.too_many_rows)
  rows.length = Math.min(rows.length, sheetLimits.rows)
  while (rows.length > 0 && !filled(rows.length - 1)) rows.pop()
  let wide = 0
  for (const row of rows.slice(0, 200))
    if (row && !isBlankValue(row[sheetLimits.columns]) && !isBlankValue(row[sheetLimits.columns - 1])) wide++
  if (wide > 0) throw new UnreadableSheetError(unreadableMessages.too_many_columns)
  for (const row of rows) if (row && row.length > sheetLimits.columns) row.length = sheetLimits.columns
}
