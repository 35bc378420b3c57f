/** The uploaded sheet again, as it was corrected here and with what is wrong written into its cells, for whoever goes on in Excel. */
import type { Problem } from '../../../contract/sheet/sheet.ts'
import * as contract from '../../../contract/sheet/sheet.ts'
import { type Fix, rows_a_part } from '../../../contract/words/words.ts'
import { cleanFileName, putFile, readFile } from '../../../runtime/files/files.ts'
import { handleOutside, refuse } from '../../../runtime/handle.ts'
import { annotateSheet, type CellEdit, type CellProblem, SheetUnreadable } from '../../../tables/index.ts'
import { makeTicket } from '../../desk/index.ts'
import { batchFor } from '../access.ts'
import { editedRows, type StoredRow } from '../rows/stored-rows.ts'
import { saidOf } from '../rules/check/problems-amounts.ts'
import { type Understood, understoodOf } from '../understood.ts'
import { checkOf } from './kept.ts'

const lives_ms = 30 * 60_000

export const exportProblems = handleOutside(contract.exportProblems, async (ctx, { batch_id }) => {
  const { file_name, bytes, problems, edits } = await ctx.inTransaction(async (inner) => {
    const batch = await batchFor(inner, batch_id, 'view')
    const { checked } = await checkOf(inner, batch)
    const understood = understoodOf(inner, batch)
    const edits = editsOf(await editedRows(inner, batch.id), understood)
    if (checked.problems.length === 0 && edits.length === 0)
      throw refuse('wrong_state', '这一批没有需要处理的问题，也没有在这里改过，不用下载', { status: batch.status })
    if (!batch.file_id) throw refuse('not_found', '原文件已经不在了，请重新上传')
    const file = await readFile(inner, batch.file_id)
    return { file_name: batch.file_name, bytes: file.bytes, problems: placed(checked.problems, understood), edits }
  })
  const done = new AbortController()
  try {
    const made = await annotateSheet(ctx.outdoors, bytes, {
      problems,
      edits,
      owner: ctx.me?.company_id,
      signal: AbortSignal.any([ctx.signal, done.signal]),
    })
    const name = cleanFileName(`${file_name.replace(/\.[a-z0-9]{1,5}$/i, '')}-${problems.length > 0 ? '问题' : '已改正'}.xlsx`)
    ctx.about({ problems: problems.length, edited: edits.length })
    const oss_path = await ctx.deed(async (inner) => {
      // Whoever lost the batch meanwhile does not get its sheet.
      await batchFor(inner, batch_id, 'view')
      const expires_at = new Date(inner.now.getTime() + lives_ms)
      return makeTicket(inner, await putFile(inner, { kind: 'export', name, bytes: made, expires_at, of_id: batch_id }))
    })
    return { oss_path, file_name: name, problems: problems.length, edited: edits.length }
  } catch (error) {
    if (error instanceof SheetUnreadable) throw refuse('unreadable_sheet', error.message)
    throw error
  } finally {
    done.abort()
  }
})

const todo: Record<Fix, string> = {
  combine: '在系统里合成一张工资条',
  separate: '在系统里分开处理',
  edit: '改正这一格',
  swap: '在系统里把两行的金额换回来',
  take: '在系统里让花名册改用此卡号',
  match: '在系统里指定是哪位员工',
  create: '在系统里新建这位员工',
  skip: '不发就跳过这一行',
  accept: '核对无误可以确认',
  restore: '恢复这一行',
}

/** Where each corrected cell stands in the file. */
function editsOf(rows: readonly StoredRow[], { parts, columns }: Understood): CellEdit[] {
  const places = parts.map((part) => new Map(part.places))
  const columnOf = new Map(columns.map((column) => [column.key, column]))
  return rows.flatMap(({ row, cells, edited }) => {
    const at = Math.floor(row / rows_a_part)
    const part = parts[at]
    if (!part) return []
    return edited.flatMap((key): CellEdit[] => {
      const column = columnOf.get(key)
      if (!column) return []
      const { value = '', kind } = cells[key] ?? {}
      const index = part.turned ? undefined : places[at]?.get(key)
      return [
        {
          sheet: part.sheet,
          row: index === undefined ? null : row - at * rows_a_part,
          column: index ?? null,
          value,
          isAmount: kind === 'money',
          what: `「${saidOf(cells, columns).names[0] ?? ''}」的「${column.label}」`,
        },
      ]
    })
  })
}

/**
 * Where each problem stands in the file. What is said of the whole sheet stands at its header. Slips were turned into a table whose rows the
 * file does not have: their problems are listed with the person's name, and no cell bears them.
 */
function placed(problems: readonly Problem[], { parts }: Understood): CellProblem[] {
  const places = parts.map((part) => new Map(part.places))
  return problems.flatMap(({ row, name, column, level, message, fix }) => {
    const at = Math.floor(row / rows_a_part)
    const part = parts[at]
    if (!part) return []
    const own = (row === 0 ? (part.header_rows.at(-1) ?? 1) : row) - at * rows_a_part
    const where = part.turned
      ? { row: null, column: null, text: name ? `「${name}」${message}` : message }
      : { row: own, column: column === null ? null : (places[at]?.get(column) ?? null), text: message }
    const what_to_do = fix.map((one) => todo[one]).join('，或')
    return [{ sheet: part.sheet, ...where, level, ...(what_to_do ? { what_to_do } : {}) }]
  })
}
