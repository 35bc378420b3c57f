/** A staff list drawn as text, and a summary of its recognition result in a few lines. */
import { toSheetRowNumber } from '../../../../server/contract/sheets/row-number.ts'
import { recognizeRoster } from '../../../../server/spreadsheets/profiles/roster/roster.ts'
import { grid } from '../../files/grid.ts'
import { getCells, getLines } from '../drawn.ts'

/** A case: its name, the sheet, the expected messages, the names of the worksheets, and the requested ones. */
export type RosterCase = [what: string, sheet: string, expected: string, names?: string[], wanted?: string[]]

const separate = { columns: ' 列不同', left: ' 离职' } as const

function messageOf(sheet: string, names: readonly string[], requested: readonly string[] | undefined): Record<string, string> {
  const read = recognizeRoster(
    sheet.split(/\n\s*-{4,}\s*\n/).map((text, at) => {
      const { rows, merges } = getCells(getLines(text).join('\n'))
      return grid(rows, { name: names[at] ?? 'Sheet1', merges })
    }),
    requested,
  )
  const setPosition = ({ row, sheet }: (typeof read.rows)[number]) =>
    sheet === undefined ? String(row) : `${sheet}!${toSheetRowNumber(row)}`
  const person = ({ name, mobile, employee_no, departments, position, entry_on, status }: (typeof read.rows)[number]) =>
    [
      name,
      mobile,
      employee_no,
      departments.map((channel) => channel.join('/')).join('+'),
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
    人员: read.rows.map(setPosition).join(' '),
    张: read.sheets
      .map(
        (one) =>
          `${one.name} ${one.member_count}${one.is_included ? ' 读' : ''}${one.excluded_reason === null ? '' : separate[one.excluded_reason]}`,
      )
      .join('；'),
    因: read.reason ?? '',
    列: read.columns.flatMap(({ letter, role }) => (role === 'info' ? [] : [`${letter}=${role}`])).join(' '),
    人: read.rows.map(person).join('；'),
    错: read.bad.map(({ row, column }) => `${row}${column}`).join(' '),
  }
}

/** Returns the expected messages and those of the result. Messages about unreadable cells must be expected. */
export function rosterMessage(
  sheet: string,
  expected: string,
  names: readonly string[] = [],
  request?: readonly string[],
): { messages: string[]; requested: string[] } {
  const message = messageOf(sheet, names, request)
  const target = getLines(expected.includes('错') ? expected : `${expected}\n错`)
  return {
    messages: target.map((line) => `${line.split(' ', 1)[0]} ${message[line.split(' ', 1)[0] ?? '']}`.trim()),
    requested: target,
  }
}
