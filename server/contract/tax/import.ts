/** What imports of amounts for many members have in common: a plan to look at, then the same call with `apply`. */
import * as z from 'zod/mini'

const count = z.int()
export const importChanges = ['new', 'changed', 'same', 'rejected'] as const
export type ImportChange = (typeof importChanges)[number]

export const importedRow = {
  /** The position in the file; null where the amounts come from payslips. */
  row: z.nullable(count),
  sheet: z.string(),
  name: z.string(),
  change: z.enum(importChanges),
  /** Why the row cannot be imported; empty if it can. */
  reason: z.string(),
}
export const importSummary = {
  applied: z.boolean(),
  /** Number of members whose data changes or would change. */
  people: count,
  counts: z.object({ new: count, changed: count, same: count, rejected: count }),
  /** Sheets that are not read. */
  other_sheets: z.array(z.string()),
}
/** Of lists that the company keeps itself. */
export const listedSummary = {
  ...importSummary,
  /** Labels of columns that are not read. */
  unread_columns: z.array(z.string()),
  /** Members in scope whom no row of the file names: they stay as they are. */
  not_listed: count,
}
