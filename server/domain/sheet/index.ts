/** Wage sheets: from a file to a checked, arranged batch. Writes title, title_share, batch, sheet_row, sheet_check, wizard, template and upload_progress. */
import * as contract from '../../contract/sheet.ts'
import { implement } from '../../runtime/handle.ts'
import { clearClassify, editPaySheetTitle, getLayout, insertClassify, updateClassify } from './arrange.ts'
import { checkWageData, getDetailUpload } from './check/check.ts'
import { dealWithSalaryList } from './check/deal.ts'
import { exportProblems } from './check/problems-sheet.ts'
import { undoEdit } from './check/undo.ts'
import { checkRequireColumnData, getTitleInfo } from './columns.ts'
import { getSheetGrid, getSheetRow } from './drawing.ts'
import { clearBatchTitle, getLastBatchTitleInfo, insertBatchTitle } from './names/title.ts'
import { clearTitle, getShareUserList, getTitleList, shareTitle } from './names/titles.ts'
import { getPreview, getPreviewMember } from './preview.ts'
import { clearTemplate, getTemplateList, insertTemplate, updateTemplate } from './recipe/template.ts'
import { uploadWageExcel } from './upload/upload.ts'
import { clearUpload, getUploadProgress } from './upload/waiting.ts'
import { fetchCache, insertCache } from './wizard.ts'

export {
  type BatchRow,
  batchFor,
  batchOfSlips,
  keepOptions,
  setBatchStatus,
  visibleBatches,
  visibleBetween,
  visibleSlips,
  wholeBatches,
} from './access.ts'
export { totalsOf } from './check/same-file.ts'
export { batchesOf, handOver, runsOf } from './hand-over.ts'
export { calledOf, most_searched, openFileName, openTitle, rowsCalled } from './names/words.ts'
export { cellsToSend, type ReadyRow, readyRows } from './preview.ts'
export { renderSlip, signsOf } from './rules/render.ts'
export { leavesOf } from './rules/tax-figures.ts'
export { rowsToSend } from './stored-rows.ts'
export { layoutOf, understoodOf } from './understood.ts'

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
