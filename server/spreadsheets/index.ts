/**
 * Spreadsheets: files are opened in a child process and recognized. This module knows no subject: the purpose of a
 * table is defined by a profile (`profiles/`). It writes to no database table.
 */
import { requireNoTransaction } from '../database/no-transaction.ts'
import { annotateSheet as annotate } from './annotate/annotate-sheet.ts'
import {
  readDeductions as openDeductions,
  readMemberAmounts as openMemberAmounts,
  readRoster as openRoster,
  readSheet as openSheet,
  readWithheld as openWithheld,
} from './child/read-sheet.ts'

export type { CellEdit, CellIssue } from './annotate/annotate-sheet.ts'
export { prepareChild as prepareReader } from './child/children.ts'
export type { ReadOptions, ReadRosterResult, ReadSheetResult } from './child/read-sheet.ts'
export type { SheetLayout } from './child/response.ts'
export type { DeductionLists } from './profiles/deduction/deduction.ts'
export type { MemberAmountKind, MemberAmountList } from './profiles/member-amounts/member-amounts.ts'
export type { RecognizedRoster } from './profiles/roster/result.ts'
export type { WithholdingResult } from './profiles/withheld/withheld.ts'
export { UnreadableSheetError } from './read/unreadable-error.ts'

/** A child process may take a long time, so no transaction may be open meanwhile. */
export const readWageSheetFile = requireNoTransaction(openSheet)
export const readRoster = requireNoTransaction(openRoster)
export const annotateSheet = requireNoTransaction(annotate)
export const readDeductions = requireNoTransaction(openDeductions)
export const readWithheld = requireNoTransaction(openWithheld)
export const readMemberAmounts = requireNoTransaction(openMemberAmounts)
