/** A sheet drawn as text, read and checked as the product does it, with a roster of everybody whom it names. */

import { type Person, Roster } from '../../../server/domain/sheet/rules/check/matching.ts'
import { Check, type Checked } from '../../../server/domain/sheet/rules/check/problems.ts'
import { saidOf } from '../../../server/domain/sheet/rules/check/problems-amounts.ts'
import { statedRows } from '../../../server/domain/sheet/rules/stated.ts'
import { getUnitPowers, inUnit } from '../../../server/domain/sheet/rules/unit.ts'
import { cellOfText, type RowCell } from '../../../server/rules/amounts.ts'
import { drawingOf } from '../../../server/tables/child/answer.ts'
import type { Grid } from '../../../server/tables/grid.ts'
import { understand } from '../../../server/tables/profiles/wage/understand.ts'
import { problemWords, rowWords } from '../../../src/parts/check/problem-words.ts'
import { nothingKnown, staff } from '../check.ts'
import { everyRow } from '../files/grid.ts'
import { sheetsOf } from './drawn.ts'

type Wish = {
  wanted?: readonly string[]
  roster?: readonly Person[]
  accepted?: readonly string[]
  /** Rows that are not sent, 1-based. */
  skipped?: readonly number[]
}

export function checkOf(grids: readonly Grid[], { wanted, roster, accepted = [], skipped = [] }: Wish = {}): Checked {
  const { understanding, grids: read } = understand(grids, wanted)
  const { columns, formula, subtotals, totals_row } = understanding
  const cells = everyRow(read, understanding).map(({ row, cells: own }) => ({
    row,
    cells: inUnit(
      Object.fromEntries(
        columns.flatMap(({ key, role }): [string, RowCell][] => {
          const cell = cellOfText(own[key]?.value ?? '', role)
          return cell ? [[key, cell]] : []
        }),
      ),
      getUnitPowers(columns, understanding.questions),
    ),
  }))
  const names = new Set(cells.flatMap((row) => saidOf(row.cells, columns).names[0] ?? []))
  const drawing = drawingOf(read, understanding)
  const check = new Check(
    {
      ...nothingKnown,
      columns,
      formula,
      subtotals,
      totals_row,
      accepted,
      hidden_in_file: new Set(drawing.hidden_rows),
      ...statedRows(understanding, drawing.others),
    },
    { roster: new Roster(roster ?? staff([...names])), last: null, already: new Set(), idCardIndex: (card) => card },
  )
  for (const row of cells) check.add({ ...row, member_id: null, skipped: skipped.includes(row.row), accepted: [] })
  return check.finish({ same_file: null, earlier: () => [], tax: [] })
}

/** What the page says of its totals: `小计对不上 第 4 行：…`. */
export const totalsSaid = (text: string, wish: Wish = {}): string[] =>
  checkOf(sheetsOf(text, {}), wish).problems.flatMap(({ kind, row, message }) =>
    kind === 'subtotal_mismatch' || kind === 'total_row_mismatch'
      ? [`${problemWords[kind].name} ${rowWords(row, undefined)}：${message}`]
      : [],
  )
