/** Administrators, their powers and scopes. Writes admin and admin_department. */
import * as contract from '../../contract/role.ts'
import { implement } from '../../runtime/handle.ts'
import { addAmin, insertRole } from './give.ts'
import { getManagerMemberList, getManagerUserIdList, getRoleMemberList, getUserList } from './list.ts'
import { clearHrManager, clearRole, editUserScope, endUserSessions } from './take.ts'

export { firstHead, putTrialAway } from './found.ts'
export { handSystemPowerOver, handWagePowerOver } from './hand-over.ts'
export { adminMembers, adminOf, headsOf, takeRightsAway } from './rights.ts'
export { isHead, joinedPeople, whoManages } from './rows.ts'

export const roleHandlers = implement(contract, {
  getUserList,
  getRoleMemberList,
  getManagerUserIdList,
  getManagerMemberList,
  insertRole,
  addAmin,
  editUserScope,
  clearHrManager,
  clearRole,
  endUserSessions,
})
