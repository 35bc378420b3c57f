/** Handlers of the member and department calls. */

import * as imports from '../../contract/directory/import.ts'
import * as file from '../../contract/directory/member-history.ts'
import * as contract from '../../contract/directory/members.ts'
import { bindHandlers } from '../../http/handler.ts'
import { clearMember, editMemberInfo, insertMember } from './change.ts'
import { getMemberEvents } from './file/events.ts'
import { exportMembers } from './file/export.ts'
import { getMemberInfo, revealIdCard } from './file/info.ts'
import { uploadMembers } from './import/apply.ts'
import { exportImportErrors } from './import/export-errors.ts'
import { answerImport, getImport, getImportRows } from './import/import-view.ts'
import { importMemberFile } from './import/read.ts'
import { undoImport } from './import/undo.ts'
import { getMemberList } from './list.ts'
import { moveMembers } from './move.ts'
import { clearDepartment, editDepartment, insertDepartment } from './tree/change.ts'
import { getDepartList, getDepartment, getSonDepartList } from './tree/read.ts'

export const memberHandlers = [
  ...bindHandlers(contract, {
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
  ...bindHandlers(file, { getMemberEvents, exportMembers, revealIdCard }),
  ...bindHandlers(imports, {
    importMemberFile,
    getImport,
    getImportRows,
    answerImport,
    uploadMembers,
    undoImport,
    exportImportErrors,
  }),
]
