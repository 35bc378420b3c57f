/** Handlers of the administrator calls. */
import * as contract from '../../contract/access/administrators.ts'
import { bindHandlers } from '../../http/handler.ts'
import { addAmin, insertRole } from './grant-powers.ts'
import { getManagerMemberList, getManagerUserIdList, getRoleMemberList, getUserList } from './list.ts'
import { clearHrManager, clearRole, editUserScope, endUserSessions } from './revoke-powers.ts'

export const roleHandlers = bindHandlers(contract, {
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
