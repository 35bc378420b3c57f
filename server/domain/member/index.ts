/** People and departments. Writes department, department_gone, member, member_department, member_event, member_import and roster_recipe. */

import * as contract from '../../contract/member.ts'
import * as file from '../../contract/people/file.ts'
import * as imports from '../../contract/people/import.ts'
import { implement } from '../../runtime/handle.ts'
import { clearMember, editMemberInfo, insertMember } from './change.ts'
import { getMemberEvents } from './file/events.ts'
import { exportMembers } from './file/export.ts'
import { getMemberInfo, showIdCard } from './file/info.ts'
import { uploadMembers } from './import/apply.ts'
import { exportImportFaults } from './import/faults.ts'
import { answerImport, getImport, getImportRows } from './import/listed.ts'
import { importMemberFile } from './import/read.ts'
import { undoImport } from './import/undo.ts'
import { getMemberList } from './list.ts'
import { moveMembers } from './move.ts'
import { clearDepartment, editDepartment, insertDepartment } from './tree/change.ts'
import { getDepartList, getDepartment, getSonDepartList } from './tree/read.ts'

export { addMember, addMembers, type NewMember } from './add.ts'
export { confirmPhone, type Unconfirmed, unconfirmed, unconfirmedOfMine } from './confirm.ts'
export { cardsOf, employedOf, keptAmong, personCalled } from './file/employed.ts'
export { heldInRoster } from './file/held.ts'
export { peopleSeen, rowsOfPerson } from './file/info.ts'
export { openSpelling } from './file/spelled.ts'
export { importedPeople } from './import/apply.ts'
export { type TakenCard, takeBankCards } from './import/people.ts'
export { joinMember, joinMembers, notAddedSince, partFromPhone, rowsOfPhone } from './join.ts'
export { departmentsAt, listed as peopleShown } from './list.ts'
export { asOwner, firstMember, followPhone, nameOf, namesOf, payHide } from './own.ts'
export { roster, rosterDigest, tellPlatformLinks } from './roster.ts'
export { countPeople, departmentCondition, keepsAll, keepsDepartments, keptPerson, payable, personWithin } from './scope.ts'

export const memberHandlers = [
  ...implement(contract, {
    getDepartList,
    getSonDepartList,
    getDepartment,
    insertDepartment,
    editDepartment,
    clearDepartment,
    moveMembers,
    getMemberList,
    getMemberInfo,
    insertMember,
    editMemberInfo,
    clearMember,
  }),
  ...implement(file, { getMemberEvents, exportMembers, showIdCard }),
  ...implement(imports, {
    importMemberFile,
    getImport,
    getImportRows,
    answerImport,
    uploadMembers,
    undoImport,
    exportImportFaults,
  }),
]
