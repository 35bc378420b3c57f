import type { RosterColumn } from './columns.ts'
import type { RosterRole } from './labels.ts'
import type { RosterRow, UnreadableCell } from './rows.ts'
/** The result of recognizing a roster. */

export interface RosterSheet {
  name: string
  member_count: number
  is_included: boolean
  /** Why it cannot be merged: columns that differ from the first one read, or terminated members. Null if it can. */
  excluded_reason: 'columns' | 'left' | null
}

export type RosterKind = 'roster' | 'template' | 'not_a_roster'

export interface RecognizedRoster {
  kind: RosterKind
  /** The reason why the table is not a roster, in Chinese. */
  reason?: string
  sheet: string
  /** 1-based row numbers. */
  header_rows: number[]
  first_data_row: number | null
  last_data_row: number | null
  /** Number of rows with a name. */
  people: number
  columns: RosterColumn[]
  rows: RosterRow[]
  bad: UnreadableCell[]
  /**
   * Number of entry dates whose month is ambiguous, so that they cannot be imported: 2020.1 may be January or October.
   */
  entries_lost: number
  /** The sheets that are rosters, in file order. Empty if the file contains forms, which are all read. */
  sheets: RosterSheet[]
}

/** Column roles chosen by the user, by column letter. */
export type RolesByLetter = Readonly<Record<string, RosterRole>>
