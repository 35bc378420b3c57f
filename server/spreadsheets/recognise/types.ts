/** The header and the rows of a recognized table, apart from the code that finds them. */
import type { LabelMeaning } from './label-meaning.ts'

export interface Header {
  /** 0-based, inclusive. */
  top: number
  bottom: number
  left: number
  right: number
  /** Labels from top to bottom for each column from `left` to `right`; empty for a column without a label. */
  paths: string[][]
  meanings: LabelMeaning[]
  /** Certainty: known labels, with identifying labels weighted most. */
  score: number
}

export interface IgnoredRow {
  /** 1-based. */
  row: number
  /** A short reason for the user who uploaded the sheet, in Chinese. */
  why: string
}

export interface ClassifiedRows {
  /** 0-based member rows. */
  memberRows: number[]
  ignoredRows: IgnoredRow[]
  /** Number of non-member rows that exceeded the limit of the list. */
  unlisted: number
  /** 0-based rows of grand totals; the last one is the sheet's own total. */
  totals: number[]
  /** Rows with amounts whose member cannot be determined by name, 0-based. */
  unclaimed: number[]
}

/** 0-based columns that identify members. */
export interface IdentityColumns {
  names: number[]
  employee_no?: number | undefined
  id_card?: number | undefined
  mobile?: number | undefined
  /** The columns that the header identifies as amounts. */
  money: number[]
  /** Columns with an unknown label: large numbers there are amounts as well. */
  unknown: number[]
}
