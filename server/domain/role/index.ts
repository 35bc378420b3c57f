/** Administrators, their powers and scopes. Writes admin and admin_department. */
import type { Handler } from '../../runtime/handle.ts'

export { takeRightsAway } from './rights.ts'

export const roleHandlers: Handler[] = []
