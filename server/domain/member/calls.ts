/** What answers the calls of people and departments. */

import * as file from '../../contract/people/file.ts'
import * as imports from '../../contract/people/import.ts'
import * as contract from '../../contract/people/member.ts'
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
