/** A table as it was read, cut to what a wage sheet can be. */
import type { Stored } from '../grid.ts'
import { limits, SheetUnreadable, sentences } from './unreadable.ts'

export const isBlank = (stored: Stored) =>
  stored === null || stored === undefined || (typeof stored === 'string' && stored.trim() === '')

const several = 3

/** Drops blank rows at the end and what stands far away; refuses what really is too much. */
export function trim(rows: (Stored[] | undefined)[]): void {
  const filled = (row: number) => rows[row]?.some((cell) => !isBlank(cell)) ?? false
  // A cell far away is a slip of the hand; a row of several is somebody's.
  const isRow = (row: readonly Stored[] | undefined) => (row?.filter((cell) => !isBlank(cell)).length ?? 0) >= several
  if (rows.length > limits.rows && ((filled(limits.rows) && filled(limits.rows - 1)) || rows.slice(limits.rows).some(isRow)))
    throw new SheetUnreadable(sentences.too_many_rows)
  rows.length = Math.min(rows.length, limits.rows)
  while (rows.length > 0 && !filled(rows.length - 1)) rows.pop()
  let wide = 0
  for (const row of rows.slice(0, 200)) if (row && !isBlank(row[limits.columns]) && !isBlank(row[limits.columns - 1])) wide++
  if (wide > 0) throw new SheetUnreadable(sentences.too_many_columns)
  for (const row of rows) if (row && row.length > limits.columns) row.length = limits.columns
}
