/** Exports the uploaded wage sheet with corrections and issues written into its cells, for further work in Excel. */

import { type IssueFix, rowsPerSheet } from '../../../contract/shared/schemas.ts'
import type { Issue } from '../../../contract/sheets/sheet.ts'
import * as contract from '../../../contract/sheets/sheet.ts'
import { readFile, sanitizeFileName, saveFile } from '../../../files/stored-files.ts'
import { defineHandler, fail } from '../../../http/handler.ts'
import { annotateSheet, type CellEdit, type CellIssue, UnreadableSheetError } from '../../../spreadsheets/index.ts'
import { createTicketPath } from '../../files/index.ts'
import { requireBatch } from '../access.ts'
import { openRecognition, type RecognizedSheet } from '../recognition.ts'
import { loadEditedRows, type StoredRow } from '../rows/stored-rows.ts'
import { readIdentity } from '../rules/check/amount-issues.ts'
import { getCheckOutcome } from './stored-check.ts'

const fileLifetimeMs = 30 * 60_000

export const exportIssues = defineHandler(contract.exportIssues, { kind: 'external' }, async (ctx, { batch_id }) => {
  const {
    file_name,
    bytes,
    problems: issues,
    edits,
  } = await ctx.inTransaction(async (inner) => {
    const batch = await requireBatch(inner, batch_id, 'view')
    const { checked } = await getCheckOutcome(inner, batch)
    const recognition = openRecognition(inner, batch)
    const edits = toCellEdits(await loadEditedRows(inner, batch.id), recognition)
    if (checked.issues.length === 0 && edits.length === 0)
      throw fail('wrong_state', '这一批没有需要处理的问题，也没有在这里改过，不用下载', { status: batch.status })
    if (!batch.file_id) throw fail('not_found', '原文件已经不在了，请重新上传')
    const file = await readFile(inner, batch.file_id)
    return { file_name: batch.file_name, bytes: file.bytes, problems: toCellIssues(checked.issues, recognition), edits }
  })
  const done = new AbortController()
  try {
    const annotated = await annotateSheet(ctx.noTransaction, bytes, {
      issues,
      edits,
      owner: ctx.me?.company_id,
      signal: AbortSignal.any([ctx.signal, done.signal]),
    })
    const name = sanitizeFileName(`${file_name.replace(/\.[a-z0-9]{1,5}$/i, '')}-${issues.length > 0 ? '问题' : '已改正'}.xlsx`)
    ctx.addAuditDetails({ problems: issues.length, edited: edits.length })
    const oss_path = await ctx.mutate(async (inner) => {
      // A user who has lost access to the batch meanwhile does not get its wage sheet.
      await requireBatch(inner, batch_id, 'view')
      const expires_at = new Date(inner.now.getTime() + fileLifetimeMs)
      return createTicketPath(
        inner,
        await saveFile(inner, { kind: 'export', name, bytes: annotated, expires_at, source_id: batch_id }),
      )
    })
    return { oss_path, file_name: name, problems: issues.length, edited_cell_count: edits.length }
  } catch (error) {
    if (error instanceof UnreadableSheetError) throw fail('unreadable_sheet', error.message)
    throw error
  } finally {
    done.abort()
  }
})

const fixLabels: Record<IssueFix, string> = {
  combine: '在系统里合成一张工资条',
  separate: '在系统里分开处理',
  edit: '改正这一格',
  swap: '在系统里把两行的金额换回',
  take: '在系统里让花名册改用此卡号',
  match: '在系统里指定是哪位员工',
  create: '在系统里新建这位员工',
  skip: '不发就跳过这一行',
  accept: '核对无误可以确认',
  restore: '恢复这一行',
}

/** Maps each corrected cell to its position in the file. */
function toCellEdits(rows: readonly StoredRow[], { parts: sourceTables, columns }: RecognizedSheet): CellEdit[] {
  const positions = sourceTables.map((part) => new Map(part.places))
  const columnByKey = new Map(columns.map((column) => [column.key, column]))
  return rows.flatMap(({ row, cells, edited }) => {
    const at = Math.floor(row / rowsPerSheet)
    const part = sourceTables[at]
    if (!part) return []
    return edited.flatMap((key): CellEdit[] => {
      const column = columnByKey.get(key)
      if (!column) return []
      const { value = '', kind } = cells[key] ?? {}
      const index = part.turned ? undefined : positions[at]?.get(key)
      return [
        {
          sheet: part.sheet,
          row: index === undefined ? null : row - at * rowsPerSheet,
          column: index ?? null,
          value,
          isAmount: kind === 'money',
          description: `「${readIdentity(cells, columns).names[0] ?? ''}」的「${column.label}」`,
        },
      ]
    })
  })
}

/**
 * Maps each issue to its position in the file. Issues of the whole wage sheet are placed at the header. If the upload
 * consisted of payslips that were converted to a table, the rows do not exist in the file: issues are then listed with
 * the name of the employee and not attached to a cell.
 */
function toCellIssues(issues: readonly Issue[], { parts: sourceTables }: RecognizedSheet): CellIssue[] {
  const positions = sourceTables.map((part) => new Map(part.places))
  return issues.flatMap(({ row, name, column, level, message, fix }) => {
    const at = Math.floor(row / rowsPerSheet)
    const part = sourceTables[at]
    if (!part) return []
    const sheetRow = (row === 0 ? (part.header_rows.at(-1) ?? 1) : row) - at * rowsPerSheet
    const location = part.turned
      ? { row: null, column: null, text: name ? `「${name}」${message}` : message }
      : { row: sheetRow, column: column === null ? null : (positions[at]?.get(column) ?? null), text: message }
    const advice = fix.map((one) => fixLabels[one]).join('，或')
    return [{ sheet: part.sheet, ...location, level, ...(advice ? { what_to_do: advice } : {}) }]
  })
}
