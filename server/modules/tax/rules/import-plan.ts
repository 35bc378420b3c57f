/** The rows of an import as they are shown before it is saved. Pure. */
import type { ImportChange } from '../../../contract/tax/import.ts'

const maxListedRows = 500

export function countChanges(rows: readonly { readonly change: ImportChange }[]): Record<ImportChange, number> {
  const counts = { new: 0, changed: 0, same: 0, rejected: 0 }
  for (const { change } of rows) counts[change] += 1
  return counts
}

/** Rows that need an action come first. */
export const listRejectedFirst = <T extends { readonly change: ImportChange }>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => Number(b.change === 'rejected') - Number(a.change === 'rejected')).slice(0, maxListedRows)
