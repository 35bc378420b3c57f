/** What the rules of a subject may ask of tables: what a cell says, and what stands over a column. Pure. */
export { isPercent } from './cells.ts'
export { type PackedRoster, packRoster, unpackRoster } from './profiles/roster/packed-roster.ts'
export type { RosterRow, UnreadableCell } from './profiles/roster/rows.ts'
export type { WithholdingRow } from './profiles/withheld/withheld.ts'
export { getLabelFingerprint, normalizeHeader } from './recognise/synonyms.ts'
