/** What answers the calls of administrators. */
import * as contract from '../../contract/corp/role.ts'
import { implement } from '../../runtime/handle.ts'
import { addAmin, insertRole } from './give.ts'
import { getManagerMemberList, getManagerUserIdList, getRoleMemberList, getUserList } from './list.ts'
import { clearHrManager, clearRole, editUserScope, endUserSessions } from './take.ts'

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
