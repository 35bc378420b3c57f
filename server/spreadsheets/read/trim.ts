/** A table as it was read, cut to what a wage sheet can be. */
import type { StoredValue } from '../grid.ts'
import { sheetLimits, UnreadableSheetError, unreadableMessages } from './unreadable-error.ts'

export const isBlankValue = (stored: StoredValue) =>
  stored === null || stored === undefined || (typeof stored === 'string' && stored.trim() === '')

const minNearbyRows = 3

/** Drops blank rows at the end and what stands far away; refuses what really is too much. */
export function trimRows(rows: (StoredValue[] | undefined)[]): void {
  const filled = (row: number) => rows[row]?.some((cell) => !isBlankValue(cell)) ?? false
  // A cell far away is a slip of the hand; a row of several is somebody's.
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
