/** Administrators, their powers and scopes. Writes admin and admin_department. */
import type { Handler } from '../../runtime/handle.ts'
import { getUserList } from './list.ts'

export { adminOf, headsOf, takeRightsAway } from './rights.ts'

export const roleHandlers: Handler[] = [getUserList]
