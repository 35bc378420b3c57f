/**
 * Tables: files opened in a child process and recognised. Knows no subject: what a table is for is a profile (`profiles/`). Writes no table of
 * the database.
 */
import { requireNoTransaction } from '../database/no-transaction.ts'
import { annotateSheet as annotate } from './annotate/annotate-sheet.ts'
import {
  readDeductions as openDeductions,
  readRoster as openRoster,
  readSheet as openSheet,
  readWithheld as openWithheld,
} from './child/read-sheet.ts'

export type { CellEdit, CellIssue } from './annotate/annotate-sheet.ts'
export { prepareChild as prepareReader } from './child/children.ts'
export type { ReadOptions, ReadRosterResult, ReadSheetResult } from './child/read-sheet.ts'
export type { SheetLayout } from './child/response.ts'
export type { DeductionLists } from './profiles/deduction/deduction.ts'
export type { RecognizedRoster } from './profiles/roster/roster.ts'
export type { WithholdingResult } from './profiles/withheld/withheld.ts'
export { UnreadableSheetError } from './read/unreadable-error.ts'

/** A child is another process, and may take its time: no transaction waits for it. */
export const readWageSheetFile = requireNoTransaction(openSheet)
export const readRoster = requireNoTransaction(openRoster)
export const annotateSheet = requireNoTransaction(annotate)
export const readDeductions = requireNoTransaction(openDeductions)
export const readWithheld = requireNoTransaction(openWithheld)
