/** Pure spreadsheet functions for the rules of other modules: cell contents and column labels. */
export { isPercent } from './cells.ts'
export type { MemberAmountName, MemberAmountRow } from './profiles/member-amounts/member-amounts.ts'
export { type PackedRoster, packRoster, unpackRoster } from './profiles/roster/packed-roster.ts'
export type { RosterRow, UnreadableCell } from './profiles/roster/rows.ts'
export type { WithholdingAmount, WithholdingRow } from './profiles/withheld/withheld.ts'
export { getLabelFingerprint, normalizeHeader } from './recognise/synonyms.ts'
