/** Reads and checks a wage sheet drawn as text as the product does, with a roster of all its names. */

import { readIdentity } from '../../../server/modules/sheets/rules/check/amount-issues.ts'
import { type PayrollMember, Roster } from '../../../server/modules/sheets/rules/check/member-match.ts'
import { SheetCheck, type SheetCheckResult } from '../../../server/modules/sheets/rules/check/sheet-check.ts'
import { getDeclaredTotals } from '../../../server/modules/sheets/rules/declared-totals.ts'
import { applyUnitPowers, getUnitPowers } from '../../../server/modules/sheets/rules/unit.ts'
import { parseTypedCell, type RowCell } from '../../../server/rules/amounts.ts'
import { toSheetLayout } from '../../../server/spreadsheets/child/response.ts'
import type { Grid } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { formatRowLabel, issueLabels } from '../../../src/features/sheets/check/issue-labels.ts'
import { nothingStored, staff } from '../check.ts'
import { everyRow } from '../files/grid.ts'
import { getSheets } from './drawn.ts'

type Options = {
  requested?: readonly string[]
  roster?: readonly PayrollMember[]
  accepted?: readonly string[]
  /** Rows that are not sent, 1-based. */
  skipped?: readonly number[]
}

export function getCheck(
  grids: readonly Grid[],
  { requested, roster, accepted = [], skipped = [] }: Options = {},
): SheetCheckResult {
  const { recognition, grids: read } = recognizeWorkbook(grids, requested)
  const { columns, formula, subtotals, totals_row } = recognition
  const cells = everyRow(read, recognition).map(({ row, cells: own }) => ({
    row,
    cells: applyUnitPowers(
      Object.fromEntries(
        columns.flatMap(({ key, role }): [string, RowCell][] => {
          const cell = parseTypedCell(own[key]?.value ?? '', role)
          return cell ? [[key, cell]] : []
        }),
      ),
      getUnitPowers(columns, recognition.questions),
    ),
  }))
  const names = new Set(cells.flatMap((row) => readIdentity(row.cells, columns).names[0] ?? []))
  const layout = toSheetLayout(read, recognition)
  const check = new SheetCheck(
    {
      ...nothingStored,
      columns,
      formula,
      subtotals,
      totals_row,
      accepted,
      hidden_in_file: new Set(layout.hidden_rows),
      ...getDeclaredTotals(recognition, layout.others),
    },
    { roster: new Roster(roster ?? staff([...names])), lastMonth: null, alreadyPaid: new Set(), getIdCardIndex: (card) => card },
  )
  for (const row of cells) check.add({ ...row, member_id: null, skipped: skipped.includes(row.row), accepted: [] })
  return check.finish({ same_file: null, getEarlierAmounts: () => [], taxIssues: [] })
}

/** Returns the page's messages about its totals: `小计对不上 第 4 行：…`. */
export const totalsMessage = (text: string, options: Options = {}): string[] =>
  getCheck(getSheets(text, {}), options).issues.flatMap(({ kind, row, message }) =>
    kind === 'subtotal_mismatch' || kind === 'total_row_mismatch'
      ? [`${issueLabels[kind].name} ${formatRowLabel(row, undefined)}：${message}`]
      : [],
  )
