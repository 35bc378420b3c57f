/** The input of a check. */
import type { WageSheetInfo } from '../../../../contract/sheets/sheet.ts'
import type { RowCells } from '../../../../rules/amounts.ts'
import type { MemberAmounts } from './member-amounts.ts'
import type { Roster } from './member-match.ts'
import type { SheetDetails } from './sheet-issues.ts'

export type CheckRow = {
  /** Row number as in Excel. */
  readonly row: number
  readonly cells: RowCells
  /** The member that an administrator selected. */
  readonly member_id: string | null
  readonly skipped: boolean
  /** Accepted warnings as `kind:column`. */
  readonly accepted: readonly string[]
}

/** Properties of the whole wage sheet. */
export type CheckSheet = SheetDetails & {
  readonly subtotals: WageSheetInfo['subtotals']
  /** Rows hidden in the file, while it is undecided whether they count. */
  readonly hidden_rows: ReadonlySet<number>
  /** Maps rows whose name cell is merged with a row above to that row. */
  readonly merged_names: ReadonlyMap<number, number>
  /** Rows hidden in the file, regardless of the answer to the question about them. */
  readonly hidden_in_file: ReadonlySet<number>
  /** Whether the total row counts a row: it is in the same sheet of the file. */
  isInTotals(row: number): boolean
  /** Last month's labels of renamed columns, by key. */
  readonly renamed: ReadonlyMap<string, string>
  /** Warnings accepted for the whole wage sheet, as `kind:column`. */
  readonly accepted: readonly string[]
}

export type SheetCheckContext = {
  readonly roster: Roster
  /** The last pay run of this kind. */
  readonly lastMonth: MemberAmounts | null
  /** Members who already have a payslip in the same title and month. */
  readonly alreadyPaid: ReadonlySet<string>
  getIdCardIndex(id_card: string): string
  /** Keyed hash of a bank card; without it no cards are compared. */
  getBankCardIndex?(card: string): string
}
