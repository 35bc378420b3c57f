/** Inputs for tests of the check rules: an unknown wage sheet, members of a roster, a typed row. */

import type { ColumnRole } from '../../server/contract/shared/schemas.ts'
import type { SheetDifference } from '../../server/contract/sheets/sheet.ts'
import type { CheckSheet } from '../../server/modules/sheets/rules/check/check-input.ts'
import type { PayrollMember } from '../../server/modules/sheets/rules/check/member-match.ts'
import {
  alignRows,
  carryDecisions,
  createTracer,
  type DecidedRow,
  describeChanges,
  findRowChanges,
  type LabeledColumn,
  type PairedRows,
  type RowCellsOfSheet,
  type RowDecisions,
  type RowTrace,
  type SheetPair,
} from '../../server/modules/sheets/rules/reconcile.ts'
import { parseTypedCell, type RowCell, type RowCells } from '../../server/rules/amounts.ts'
import { runToCompletion } from '../../server/rules/cooperative-task.ts'

export const nothingStored: Omit<CheckSheet, 'columns'> = {
  formula: null,
  expected: null,
  newColumns: new Set(),
  subtotals: [],
  totals_row: null,
  declared: null,
  totals: [],
  isInTotals: () => true,
  declared_month: null,
  title_month: null,
  merged_names: new Map(),
  hidden_rows: new Set(),
  hidden_in_file: new Set(),
  renamed: new Map(),
  accepted: [],
}

/** Returns active members in scope, known by name and phone: p0 13800000000, p1 13800000001 … */
export const staff = (names: readonly string[]): PayrollMember[] =>
  names.map((name, at) => ({
    id: `p${at}`,
    name,
    mobile: String(13_800_000_000 + at),
    employee_no: '',
    id_card_index: null,
    status: 'active',
    departments: '',
    in_scope: true,
  }))

/** Returns the texts as cells of the columns c0, c1 …; an empty text is no cell. */
export function typed(columns: readonly { readonly role: ColumnRole }[], texts: readonly (string | RowCell | null)[]): RowCells {
  const cells: Record<string, RowCell> = {}
  texts.forEach((text, at) => {
    const cell = typeof text === 'string' ? parseTypedCell(text, columns[at]?.role ?? 'info') : text
    if (cell) cells[`c${at}`] = cell
  })
  return cells
}

/** Pairs the full rows of two wage sheets by their traces. */
export function pairRows<B extends RowCellsOfSheet, A extends RowCellsOfSheet>(
  before: readonly B[],
  after: readonly A[],
  sides: SheetPair,
): PairedRows<B & RowTrace, A & RowTrace> {
  const traces = createTracer(sides)
  return runToCompletion(
    alignRows(
      before.map((row) => ({ ...row, ...traces.before(row) })),
      after.map((row) => ({ ...row, ...traces.after(row) })),
      sides,
    ),
  )
}
export const carried = (
  before: readonly DecidedRow[],
  after: readonly RowCellsOfSheet[],
  sides: SheetPair,
): Map<number, RowDecisions> => carryDecisions(pairRows(before, after, sides), sides)

type Side = { readonly columns: readonly LabeledColumn[]; readonly rows: readonly RowCellsOfSheet[] }
export function getDifference(before: Side, after: Side, keyMap: ReadonlyMap<string, string>): SheetDifference {
  const sides = { before: before.columns, after: after.columns, newKeyByOld: keyMap }
  const cells = ({ rows }: Side) => new Map(rows.map((row) => [row.row, row.cells]))
  const changes = findRowChanges(pairRows(before.rows, after.rows, sides), sides)
  return describeChanges(changes, sides, { before: cells(before), after: cells(after) })
}
