/** Roles that columns must not share. */
import { singleRoles } from '../../../contract/column-roles.ts'
import type { ColumnRole } from '../../../contract/words.ts'

/** The first role that two columns have and only one may; null where all is well. */
export function rolesTwice(columns: readonly { readonly role: ColumnRole }[]): ColumnRole | null {
  const seen = new Set<ColumnRole>()
  for (const { role } of columns) {
    if (!singleRoles.has(role)) continue
    if (seen.has(role)) return role
    seen.add(role)
  }
  return null
}
