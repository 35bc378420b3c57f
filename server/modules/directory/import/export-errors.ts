/** Exports the roster with errors and questions next to its cells, for users who continue in Excel. */
import * as contract from '../../../contract/directory/import.ts'
import { toSheetRowNumber } from '../../../contract/sheets/row-number.ts'
import { readFile, sanitizeFileName, saveFile } from '../../../files/stored-files.ts'
import { defineHandler, fail } from '../../../http/handler.ts'
import { annotateSheet, type CellIssue, UnreadableSheetError } from '../../../spreadsheets/index.ts'
import { createTicketPath } from '../../files/index.ts'
import { loadPlan, loadReadRoster, openImportFileName, requireImport } from './import-record.ts'
import type { ImportPlan } from './plan-document.ts'
import type { ReadRoster } from './read-document.ts'

const fileLifetimeMs = 30 * 60_000

export const exportImportErrors = defineHandler(contract.exportImportErrors, { kind: 'external' }, async (ctx, { import_id }) => {
  const {
    file_name,
    bytes,
    problems: issues,
  } = await ctx.inTransaction(async (inner) => {
    const record = await requireImport(inner, import_id)
    const issues = toCellIssues(await loadPlan(inner, record), await loadReadRoster(inner, record))
    if (issues.length === 0) throw fail('wrong_state', '没有有问题或待确认的行，不用下载', { status: record.stage })
    if (!record.file_id) throw fail('not_found', '原文件已经不在了，请重新上传')
    const file = await readFile(inner, record.file_id)
    return { file_name: openImportFileName(inner, record), bytes: file.bytes, problems: issues }
  })
  const done = new AbortController()
  try {
    const annotated = await annotateSheet(ctx.noTransaction, bytes, {
      issues,
      edits: [],
      owner: ctx.me?.company_id,
      signal: AbortSignal.any([ctx.signal, done.signal]),
    })
    const name = sanitizeFileName(`${file_name.replace(/\.[a-z0-9]{1,5}$/i, '')}-问题.xlsx`)
    const oss_path = await ctx.inTransaction(async (inner) => {
      const expires_at = new Date(inner.now.getTime() + fileLifetimeMs)
      return createTicketPath(
        inner,
        await saveFile(inner, { kind: 'member', name, bytes: annotated, expires_at, source_id: import_id }),
      )
    })
    return { oss_path, file_name: name, rows: issues.length }
  } catch (error) {
    if (error instanceof UnreadableSheetError) throw fail('unreadable_sheet', error.message)
    throw error
  } finally {
    done.abort()
  }
})

function toCellIssues({ rows }: ImportPlan, read: ReadRoster): CellIssue[] {
  const { columns } = read
  const getColumnIndex = (letter: string | null) => columns.find((one) => one.letter === letter)?.index ?? null
  const roleByField = {
    name: 'name',
    id_card: 'id_card',
    employee_no: 'employee_no',
    mobile: 'mobile',
    status: 'status',
  } as const
  return rows.flatMap(({ row: number, decision }, at): CellIssue[] => {
    const row = toSheetRowNumber(number)
    const { form, sheet = form ?? read.sheet } = read.rows[at] ?? {}
    // In a form layout a column's values may be anywhere, so the error is written next to the name.
    const getCellColumn = (column: number | null) => (form === undefined ? column : null)
    if (decision.kind === 'fault')
      return [
        {
          sheet,
          row,
          column: getCellColumn(getColumnIndex(decision.column)),
          level: 'error',
          text: decision.why,
          what_to_do: '改正后重新导入',
        },
      ]
    if (decision.kind !== 'conflict') return []
    const column = getCellColumn(columns.find(({ role }) => role === roleByField[decision.field])?.index ?? null)
    return [{ sheet, row, column, level: 'warning', text: decision.why, what_to_do: '核对后改正，或在系统里指明是哪位员工' }]
  })
}
