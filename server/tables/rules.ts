/** What the rules of a subject may ask of tables: what a cell says, and what stands over a column. Pure. */
export { isPercent } from './cells.ts'
export { type PackedPeople, packPeople, unpackPeople } from './profiles/roster/packed.ts'
export type { BadCell, RosterRow } from './profiles/roster/rows.ts'
export type { WithheldRow } from './profiles/withheld/withheld.ts'
export { fingerprintOf, normaliseHeader } from './recognise/synonyms.ts'
