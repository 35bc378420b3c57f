/**
 * Tables: files opened in a child process and recognised. Knows no subject: what a table is for is a profile (`profiles/`). Writes no table of
 * the database.
 */
export { annotateSheet, type CellEdit, type CellProblem } from './annotate/annotate-sheet.ts'
export type { Drawing, SheetCell } from './child/answer.ts'
export { prepare as prepareReader } from './child/children.ts'
export { type ReadOptions, readDeductions, readRoster, readSheet, type SheetRead } from './child/read-sheet.ts'
export type { DeductionsRead } from './profiles/deduction/deduction.ts'
export type { RosterRead } from './profiles/roster/roster.ts'
export { SheetUnreadable } from './read/unreadable.ts'
