/**
 * `npm run --silent inspect -- FILE [--sheet NAME]`: prints the recognition result of a wage sheet as JSON, for
 * developers and tests.
 */
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { isNet } from '../contract/sheets/column-roles.ts'
import { getErrorCode } from '../shared/error-code.ts'
import { readSheet, UnreadableSheetError } from '../spreadsheets/child/read-sheet.ts'
import type { RecognitionResult } from '../spreadsheets/profiles/wage/recognize-workbook.ts'
import type { WageColumn } from '../spreadsheets/profiles/wage/types.ts'
import { sheetLimits, unreadableMessages } from '../spreadsheets/read/unreadable-error.ts'

const identityRoles = {
  name: 'name',
  phone: 'mobile',
  id_card: 'id_card',
  employee_no: 'employee_no',
  department: 'department',
  email: 'email',
  bank_account: 'bank_account',
  last_name: 'last_name',
  first_name: 'first_name',
} as const

/** Columns are given as letters and rows count from 1, as Excel shows them. */
export function formatInspection({ kind, reason, sheet, header, columns, people, ignored, net_sum_fen }: RecognitionResult) {
  const identity: Record<string, { col: string; label: string }> = {}
  for (const [word, role] of Object.entries(identityRoles)) {
    const column = columns.find((one) => one.role === role)
    if (column) identity[word] = { col: column.col, label: column.label }
  }
  return {
    kind,
    ...(reason !== undefined && { reason }),
    sheet,
    header_rows: header.rows,
    first_data_row: header.first_data_row,
    last_data_row: header.last_data_row,
    people,
    identity_columns: identity,
    columns: columns.map(({ col, label, role, kind }) => ({ col, label, role, kind })),
    net_column: columns.find((column: WageColumn) => isNet(column.role))?.col ?? null,
    net_sum_fen,
    ignored,
  }
}

async function main() {
  const { values, positionals } = parseArgs({ options: { sheet: { type: 'string' } }, allowPositionals: true })
  const [file] = positionals
  if (file === undefined) throw new UnreadableSheetError('用法：npm run --silent inspect -- 文件 [--sheet 工作表]')
  if ((await stat(file)).size > sheetLimits.file_bytes) throw new UnreadableSheetError(unreadableMessages.too_large)
  const { recognition, pages } = await readSheet(await readFile(file), { file_name: basename(file), sheet: values.sheet })
  // The rows are not printed; consuming them lets the child process exit by itself.
  for await (const _ of pages);
  process.stdout.write(`${JSON.stringify(formatInspection(recognition), null, 2)}\n`)
}

if (import.meta.main)
  main().catch((error: unknown) => {
    const missing = getErrorCode(error) === 'ENOENT'
    const message =
      error instanceof UnreadableSheetError ? error.message : missing ? '找不到这个文件' : `读取失败：${String(error)}`
    process.stderr.write(`${message}\n`)
    process.exitCode = 1
  })
