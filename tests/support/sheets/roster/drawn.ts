/** A list of staff drawn as text, and what is recognised of it in a few lines. */
import { toSheetRowNumber } from '../../../../server/contract/sheets/row-number.ts'
import { recognizeRoster } from '../../../../server/spreadsheets/profiles/roster/roster.ts'
import { grid } from '../../files/grid.ts'
import { cellsOf, linesOf } from '../drawn.ts'

/** What it is, how it is drawn, what is said of it; the names of its sheets, and those that are asked for. */
export type RosterCase = [what: string, sheet: string, expected: string, names?: string[], wanted?: string[]]

const apart = { columns: ' 列不同', left: ' 离职' } as const

function saidOf(sheet: string, names: readonly string[], asked: readonly string[] | undefined): Record<string, string> {
  const read = recognizeRoster(
    sheet.split(/\n\s*-{4,}\s*\n/).map((text, at) => {
      const { rows, merges } = cellsOf(linesOf(text).join('\n'))
      return grid(rows, { name: names[at] ?? 'Sheet1', merges })
    }),
    asked,
  )
  const place = ({ row, sheet }: (typeof read.rows)[number]) =>
    sheet === undefined ? String(row) : `${sheet}!${toSheetRowNumber(row)}`
  const person = ({ name, mobile, employee_no, departments, position, entry_on, status }: (typeof read.rows)[number]) =>
    [
      name,
      mobile,
      employee_no,
      departments.map((way) => way.join('/')).join('+'),
      position,
      entry_on,
      status === 'left' && '离职',
    ]
      .filter(Boolean)
      .join(' ')
  return {
    是: read.kind,
    表: read.sheet,
    表头: read.header_rows.join(' '),
    人员: read.rows.map(place).join(' '),
    张: read.sheets
      .map((one) => `${one.name} ${one.member_count}${one.is_included ? ' 读' : ''}${one.excluded_reason === null ? '' : apart[one.excluded_reason]}`)
      .join('；'),
    因: read.reason ?? '',
    列: read.columns.flatMap(({ letter, role }) => (role === 'info' ? [] : [`${letter}=${role}`])).join(' '),
    人: read.rows.map(person).join('；'),
    错: read.bad.map(({ row, column }) => `${row}${column}`).join(' '),
  }
}

/** What was expected, and as much of what is said. Cells that cannot be taken are said, or there are none. */
export function rosterSaid(
  sheet: string,
  expected: string,
  names: readonly string[] = [],
  asked?: readonly string[],
): { said: string[]; wanted: string[] } {
  const said = saidOf(sheet, names, asked)
  const wanted = linesOf(expected.includes('错') ? expected : `${expected}\n错`)
  return { said: wanted.map((line) => `${line.split(' ', 1)[0]} ${said[line.split(' ', 1)[0] ?? '']}`.trim()), wanted }
}
