/** A corrected sheet beside the one it replaces. calls.md §5. */
import * as z from 'zod/mini'

/** What a corrected sheet would change, person by person; amounts as the sheets show them. */
export const difference = z.object({
  same: z.int(),
  changed_count: z.int(),
  /** The first 200 of each. */
  changed: z.array(
    z.object({
      row: z.int(),
      name: z.string(),
      cells: z.array(z.object({ label: z.string(), from: z.string(), to: z.string() })),
    }),
  ),
  added_count: z.int(),
  added: z.array(z.object({ row: z.int(), name: z.string() })),
  gone_count: z.int(),
  gone: z.array(z.object({ row: z.int(), name: z.string() })),
  columns_added: z.array(z.string()),
  columns_gone: z.array(z.string()),
})
export type Difference = z.infer<typeof difference>
