/** People and departments. Writes department, member and member_department. */
import type { Handler } from '../../runtime/handle.ts'
import { clearMember, editMemberInfo, insertMember } from './change.ts'
import { getDepartList } from './departments.ts'
import { getMemberInfo, getMemberList } from './list.ts'

export { addMember, addMembers, type NewMember } from './add.ts'
export { confirmPhone, type Unconfirmed, unconfirmed, unconfirmedOfMine } from './confirm.ts'
export { joinMember, joinMembers, partFromPhone, rowsOfPhone } from './join.ts'
export { firstMember, followPhone, nameOf } from './own.ts'
export { payHide } from './pay-hide.ts'
export { roster } from './roster.ts'
export { departmentCondition, keepsAll, keepsDepartments, payable, readable } from './scope.ts'

export const memberHandlers: Handler[] = [getDepartList, getMemberList, getMemberInfo, insertMember, editMemberInfo, clearMember]
