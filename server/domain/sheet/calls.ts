/** What answers the calls of wage sheets. */
import * as contract from '../../contract/sheet/sheet.ts'
import { implement } from '../../runtime/handle.ts'
import { checkWageData, getDetailUpload } from './check/check.ts'
import { dealWithSalaryList } from './check/deal.ts'
import { exportProblems } from './check/problems-sheet.ts'
import { undoEdit } from './check/undo.ts'
import { getSheetGrid, getSheetRow } from './drawing.ts'
import { clearBatchTitle, getLastBatchTitleInfo, insertBatchTitle } from './names/title.ts'
import { clearTitle, getShareUserList, getTitleList, shareTitle } from './names/titles.ts'
import { getPreview, getPreviewMember } from './ready/preview.ts'
import { clearTemplate, getTemplateList, insertTemplate, updateTemplate } from './recipe/template.ts'
import { uploadWageExcel } from './upload/upload.ts'
import { clearUpload, getUploadProgress } from './upload/waiting.ts'
import { clearClassify, editPaySheetTitle, getLayout, insertClassify, updateClassify } from './wizard/arrange.ts'
import { checkRequireColumnData, getTitleInfo } from './wizard/columns.ts'
import { fetchCache, insertCache } from './wizard/wizard.ts'

export const sheetHandlers = implement(contract, {
  uploadWageExcel,
  getTitleInfo,
  getSheetGrid,
  getSheetRow,
  getDetailUpload,
  insertBatchTitle,
  clearBatchTitle,
  getLastBatchTitleInfo,
  checkRequireColumnData,
  checkWageData,
  dealWithSalaryList,
  undoEdit,
  getLayout,
  editPaySheetTitle,
  insertClassify,
  updateClassify,
  clearClassify,
  getPreview,
  getPreviewMember,
  insertCache,
  fetchCache,
  getUploadProgress,
  clearUpload,
  exportProblems,
  insertTemplate,
  updateTemplate,
  clearTemplate,
  getTemplateList,
  getTitleList,
  clearTitle,
  shareTitle,
  getShareUserList,
})
