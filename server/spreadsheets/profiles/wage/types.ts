/** Columns and tables of a wage sheet while it is being read. */

import type { CellKind, ColumnRole } from '../../../contract/shared/schemas.ts'
import type { Grid } from '../../grid.ts'
import type { ColumnProfile } from '../../recognise/column-profile.ts'
import type { LabelMeaning } from '../../recognise/label-meaning.ts'
import type { ClassifiedRows, Header } from '../../recognise/types.ts'

export interface WageColumn {
  /** The key is stable within the sheet: `c` and the 0-based column index. */
  key: string
  /** The letter shown by Excel. */
  col: string
  /** Header cells from top to bottom, e.g. 应发 → 基本工资. */
  path: string[]
  /** The path in one line, such as `应发 / 基本工资`. */
  label: string
  role: ColumnRole
  kind: CellKind
  /** Sample texts from the rows, up to three. */
  samples: string[]
  /** The confidence, 0 to 1; below 0.6 the user should be asked. */
  confidence: number
  /** In Chinese: a short reason. */
  reason: string
  hidden: boolean
}

export interface ColumnDraft extends WageColumn {
  /** 0-based. */
  index: number
  meaning: LabelMeaning
  profile: ColumnProfile
  isAmount: boolean
  /**
   * The name by which questions refer to the column: its shortest name, with its letter if several columns have that
   * name.
   */
  quote: string
  /** The number format hides the amounts. */
  isInvisible: boolean
  /** The column is next to the table and concerns no employee. */
  isAside: boolean
  /** Labelled like the gross pay, but tax is already deducted in every row. */
  isAfterTax?: true
  /** The total pay in another form, or a part of it, which is therefore not a term of a sum. */
  isAlternative?: true
  /** The contradiction between the label and the sums of the rows, as a question. */
  dispute?: string
}

export type SheetKind = 'wage' | 'template' | 'member_list' | 'not_a_wage_sheet'

export interface TableReading {
  /** The name of its sheet; the second table of a sheet adds its number. */
  name: string
  /** The sheet that contains it. */
  sheet: string
  grid: Grid
  kind: SheetKind
  /** The reason why the table is not a wage sheet, in Chinese. */
  reason?: string
  header: Header | null
  rows: ClassifiedRows
  columns: ColumnDraft[]
  /** Rows with amounts that belong to no member, 0-based. */
  unassignedRows: number[]
  /** The table was transposed from payslips or from a sideways table. */
  isTransposed?: true
  /** The month of one of several tables in a sheet, such as `2026-10`. */
  month?: string
}

export interface CombinedTable {
  grid: Grid
  /** Member rows of the grid, 0-based. */
  memberRows: number[]
  columns: ColumnDraft[]
  /** Returns the 1-based number of a row in the batch. */
  getRowNumber(row: number): number
  /** No table of another month is included. */
  isOneMonth: boolean
  /** The 0-based position of each column in each table by key; a table without the column has no entry. */
  positions: Map<string, number>[]
}
