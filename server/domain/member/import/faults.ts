/** The roster again, with what is wrong or asked written beside its cells, for whoever goes on in Excel. */
import * as contract from '../../../contract/people/import.ts'
import { rowShown } from '../../../contract/sheet/row-number.ts'
import { cleanFileName, putFile, readFile } from '../../../runtime/files/files.ts'
import { handleOutside, refuse } from '../../../runtime/handle.ts'
import { annotateSheet, type CellProblem, SheetUnreadable } from '../../../tables/index.ts'
import { makeTicket } from '../../desk/index.ts'
import { fileNameOf, importOf, planOf, readOf } from './kept.ts'
import type { ImportPlan } from './plan-document.ts'
import type { ReadRoster } from './read-document.ts'

const lives_ms = 30 * 60_000

export const exportImportFaults = handleOutside(contract.exportImportFaults, async (ctx, { import_id }) => {
  const { file_name, bytes, problems } = await ctx.inTransaction(async (inner) => {
    const kept = await importOf(inner, import_id)
    const problems = problemsOf(await planOf(inner, kept), await readOf(inner, kept))
    if (problems.length === 0) throw refuse('wrong_state', '没有有问题或待确认的行，不用下载', { status: kept.stage })
    if (!kept.file_id) throw refuse('not_found', '原文件已经不在了，请重新上传')
    const file = await readFile(inner, kept.file_id)
    return { file_name: fileNameOf(inner, kept), bytes: file.bytes, problems }
  })
  const done = new AbortController()
  try {
    const made = await annotateSheet(ctx.outdoors, bytes, {
      problems,
      edits: [],
      owner: ctx.me?.company_id,
      signal: AbortSignal.any([ctx.signal, done.signal]),
    })
    const name = cleanFileName(`${file_name.replace(/\.[a-z0-9]{1,5}$/i, '')}-问题.xlsx`)
    const oss_path = await ctx.inTransaction(async (inner) => {
      const expires_at = new Date(inner.now.getTime() + lives_ms)
      return makeTicket(inner, await putFile(inner, { kind: 'member', name, bytes: made, expires_at, of_id: import_id }))
    })
    return { oss_path, file_name: name, rows: problems.length }
  } catch (error) {
    if (error instanceof SheetUnreadable) throw refuse('unreadable_sheet', error.message)
    throw error
  } finally {
    done.abort()
  }
})

function problemsOf({ rows }: ImportPlan, read: ReadRoster): CellProblem[] {
  const { columns } = read
  const indexOf = (letter: string | null) => columns.find((one) => one.letter === letter)?.index ?? null
  const ofField = { name: 'name', id_card: 'id_card', employee_no: 'employee_no', mobile: 'mobile', status: 'status' } as const
  return rows.flatMap(({ row: number, decision }, at): CellProblem[] => {
    const row = rowShown(number)
    const { form, sheet = form ?? read.sheet } = read.rows[at] ?? {}
    // In a form the value of a column stands anywhere: what is wrong is written beside the name.
    const placed = (column: number | null) => (form === undefined ? column : null)
    if (decision.kind === 'fault')
      return [
        {
          sheet,
          row,
          column: placed(indexOf(decision.column)),
          level: 'error',
          text: decision.why,
          what_to_do: '改正后重新导入',
        },
      ]
    if (decision.kind !== 'conflict') return []
    const column = placed(columns.find(({ role }) => role === ofField[decision.field])?.index ?? null)
    return [{ sheet, row, column, level: 'warning', text: decision.why, what_to_do: '核对后改正，或在系统里指明是哪位员工' }]
  })
}
