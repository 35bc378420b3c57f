/**
 * Wage sheets: from a file to a checked, arranged batch. What is ready to be sent has a door of its own (ready/), what others bring in another (upload/).
 * Writes title, title_share, batch, sheet_row, sheet_check, wizard, template and upload_progress.
 */
export {
  type BatchRow,
  batchFor,
  batchOfSlips,
  faceOf,
  keepOptions,
  monthOfRuns,
  paidBetween,
  type Reader,
  setBatchStatus,
  visibleBatches,
  visibleBetween,
  visibleSlips,
  wholeBatches,
} from './access.ts'
export { totalsOf } from './check/same-file.ts'
export { batchesOf, handOver, runsOf } from './hand-over.ts'
export { monthWords, runsCalled, runsInFull, titlesOfRuns } from './names/called.ts'
export { calledOf, most_searched, openFileName, openTitle, rowsCalled } from './names/words.ts'
export { rowsToSend } from './rows/stored-rows.ts'
export { sumTerms } from './rules/check/problems-amounts.ts'
export { renderSlip, signsOf } from './rules/render.ts'
export { combineRows, sectionKey, sectionsIn } from './rules/sections.ts'
export { layoutOf, understoodIn, understoodOf } from './understood.ts'
