/** Handlers of the wage sheet calls. */
import * as contract from '../../contract/sheets/sheet.ts'
import { bindHandlers } from '../../http/handler.ts'
import { checkWageData, getDetailUpload } from './check/check.ts'
import { exportIssues } from './check/export-issues.ts'
import { dealWithSalaryList } from './check/fix-issues.ts'
import { undoEdit } from './check/undo.ts'
import { clearTemplate, getTemplateList, insertTemplate, updateTemplate } from './mapping/template.ts'
import { clearBatchTitle, getLastBatchTitleInfo, insertBatchTitle } from './names/title.ts'
import { clearTitle, getShareUserList, getTitleList, shareTitle } from './names/titles.ts'
import { getPreview, getPreviewMember } from './ready/preview.ts'
import { getSheetGrid, getSheetRow } from './sheet-grid.ts'
import { clearUpload, getUploadProgress } from './upload/pending-uploads.ts'
import { uploadWageExcel } from './upload/upload.ts'
import { checkRequireColumnData, getTitleInfo } from './wizard/columns.ts'
import { clearClassify, editPaySheetTitle, getLayout, insertClassify, updateClassify } from './wizard/layout.ts'
import { fetchCache, insertCache } from './wizard/wizard.ts'

export const sheetHandlers = bindHandlers(contract, {
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
  exportIssues,
  insertTemplate,
  updateTemplate,
  clearTemplate,
  getTemplateList,
  getTitleList,
  clearTitle,
  shareTitle,
  getShareUserList,
})
