/**
 * Tables: files opened in a child process and recognised. Knows no subject: what a table is for is a profile (`profiles/`). Writes no table of
 * the database.
 */
import { onlyOutdoors } from '../runtime/data/outdoors.ts'
import { annotateSheet as annotate } from './annotate/annotate-sheet.ts'
import {
  readDeductions as openDeductions,
  readRoster as openRoster,
  readSheet as openSheet,
  readWithheld as openWithheld,
} from './child/read-sheet.ts'

export type { CellEdit, CellProblem } from './annotate/annotate-sheet.ts'
export type { DrawnSheet } from './child/answer.ts'
export { prepare as prepareReader } from './child/children.ts'
export type { ReadOptions, RosterFile, SheetRead } from './child/read-sheet.ts'
export type { DeductionsRead } from './profiles/deduction/deduction.ts'
export type { RosterRead } from './profiles/roster/roster.ts'
export type { WithheldRead } from './profiles/withheld/withheld.ts'
export { SheetUnreadable } from './read/unreadable.ts'

/** A child is another process, and may take its time: no transaction waits for it. */
export const readSheet = onlyOutdoors(openSheet)
export const readRoster = onlyOutdoors(openRoster)
export const annotateSheet = onlyOutdoors(annotate)
export const readDeductions = onlyOutdoors(openDeductions)
export const readWithheld = onlyOutdoors(openWithheld)
