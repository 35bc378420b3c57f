/**
 * Wage sheets: from an uploaded file to a checked batch with a layout. Batches ready to be sent are exported by ready/,
 * uploads by upload/. Writes title, title_share, batch, sheet_row, sheet_check, wizard, template and upload_progress.
 */
export {
  type BatchRow,
  batchesInFullScope,
  countUnsent,
  getBatchDigest,
  getMonthBatches,
  listPaidBatches,
  listVisibleBatches,
  requireBatch,
  requireBatchForPayslips,
  saveSendOptions,
  selectUnsentCount,
  setBatchStatus,
  type ViewerAccess,
  visibleBatches,
  visiblePayslips,
} from './access.ts'
export { listIssuesAfter } from './check/check.ts'
export { deleteOldestPayslips, deleteSheetFilesBefore } from './delete-files.ts'
export {
  filterByName,
  getBatchName,
  maxSearchedRows,
  openFileName,
  openNewestTemplate,
  openNewestTitle,
} from './names/sealed-names.ts'
export { getBatchTitles, getMonthSearchText, loadBatchesWithLayout, searchBatches } from './names/search.ts'
export { computePaidTotals, loadPaidTotals } from './paid-totals.ts'
export { loadRecognition, openNewestRecognition } from './recognition.ts'
export { filterUnskippedRows } from './rows/stored-rows.ts'
export { getSumTerms } from './rules/check/amount-issues.ts'
export { combineRows, getSectionKey, getSections } from './rules/sections.ts'
export { countOwned, listOwnedBatchIds, transferOwnership } from './transfer.ts'
