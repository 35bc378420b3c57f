/** What the rules of checking are asked with: a sheet of which nothing is known, people of a roster, a row as it is typed. */
import type { ColumnRole } from '../../server/contract/words.ts'
import { cellOfText, type RowCell, type RowCells } from '../../server/domain/sheet/rules/amounts.ts'
import type { Person } from '../../server/domain/sheet/rules/check/matching.ts'
import type { CheckSheet } from '../../server/domain/sheet/rules/check/problems.ts'

export const nothingKnown: Omit<CheckSheet, 'columns'> = {
  formula: null,
  expected: null,
  fresh: new Set(),
  subtotals: [],
  totals_row: null,
  stated: null,
  totals: [],
  isSummed: () => true,
  says_month: null,
  title_month: null,
  hidden_rows: new Set(),
  renamed: new Map(),
  accepted: [],
}

/** At work, in reach, known by name and phone: p0 13800000000, p1 13800000001 … */
export const staff = (names: readonly string[]): Person[] =>
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

/** Texts under columns c0, c1 …; what is empty is no cell. */
export function typed(columns: readonly { readonly role: ColumnRole }[], texts: readonly (string | RowCell | null)[]): RowCells {
  const cells: Record<string, RowCell> = {}
  texts.forEach((text, at) => {
    const cell = typeof text === 'string' ? cellOfText(text, columns[at]?.role ?? 'info') : text
    if (cell) cells[`c${at}`] = cell
  })
  return cells
}
