/** `npm run --silent roster -- FILE [--sheet NAME]`: prints the recognition result as JSON, for developers and tests. */
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { toSheetRowNumber } from '../contract/sheets/row-number.ts'
import { getErrorCode } from '../shared/error-code.ts'
import { readRoster } from '../spreadsheets/child/read-sheet.ts'
import type { RecognizedRoster } from '../spreadsheets/profiles/roster/result.ts'
import { sheetLimits, UnreadableSheetError, unreadableMessages } from '../spreadsheets/read/unreadable-error.ts'

/** Columns are given as letters and rows count from 1, as a spreadsheet shows them. Personal data of the rows is not printed. */
export const formatRosterInspection = ({
  kind,
  reason,
  sheet,
  header_rows,
  first_data_row,
  last_data_row,
  people,
  columns,
  bad,
  sheets,
}: RecognizedRoster) => ({
  kind,
  ...(reason !== undefined && { reason }),
  sheet,
  header_rows,
  first_data_row,
  last_data_row,
  people,
  columns: columns.map(({ letter, label, role }) => ({ letter, label, role })),
  bad: bad.map((cell) => ({ ...cell, row: toSheetRowNumber(cell.row) })),
  sheets,
})

async function main() {
  const { values, positionals } = parseArgs({ options: { sheet: { type: 'string' } }, allowPositionals: true })
  const [file] = positionals
  if (file === undefined) throw new UnreadableSheetError('用法：npm run --silent roster -- 文件 [--sheet 工作表]')
  if ((await stat(file)).size > sheetLimits.file_bytes) throw new UnreadableSheetError(unreadableMessages.too_large)
  const roster = await readRoster(await readFile(file), { file_name: basename(file), sheet: values.sheet })
  process.stdout.write(`${JSON.stringify(formatRosterInspection(roster), null, 2)}\n`)
}

if (import.meta.main)
  main().catch((error: unknown) => {
    const isMissing = getErrorCode(error) === 'ENOENT'
    const message =
      error instanceof UnreadableSheetError ? error.message : isMissing ? '找不到这个文件' : `读取失败：${String(error)}`
    process.stderr.write(`${message}\n`)
    process.exitCode = 1
  })
