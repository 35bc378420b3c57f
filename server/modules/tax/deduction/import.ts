/** Importing the official lists of 专项附加扣除: a preview, then the import. Repeatable. Writes member_deduction. */
import type { CallOutput } from '../../../contract/call.ts'
import * as contract from '../../../contract/tax/deductions.ts'
import { lockCompanySubject } from '../../../database/company-lock.ts'
import { defineHandler, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { toShanghaiMonth } from '../../../shared/clock.ts'
import { type DeductionLists, readDeductions, UnreadableSheetError } from '../../../spreadsheets/index.ts'
import { loadRoster } from '../../directory/index.ts'
import { planImport } from './import-plan.ts'
import { getConfirmationYear } from './list.ts'
import { deductionStore } from './store.ts'

type ImportOutput = CallOutput<typeof contract.importDeduction>
const maxListedRows = 500

export const importDeduction = defineHandler(contract.importDeduction, { kind: 'external' }, async (ctx, { apply }) => {
  const { upload } = ctx
  if (!upload) throw invalidInput('file', '请选择专项附加扣除信息表')
  if (upload.bytes.length === 0) throw fail('unreadable_sheet', '文件是空的，请检查后重新上传')
  const read = await readDeductions(ctx.noTransaction, upload.bytes, {
    file_name: upload.file_name,
    signal: ctx.signal,
    owner: ctx.me?.company_id,
  }).catch((error: unknown) => {
    // The file reader's error messages mention wage sheets.
    throw error instanceof UnreadableSheetError ? fail('unreadable_sheet', error.message.replaceAll('工资表', '信息表')) : error
  })
  if (read.reason !== null) throw fail('unreadable_sheet', read.reason)
  const run = (tx: HandlerContext) => importRows(tx, read, apply === '1')
  return apply === '1' ? ctx.mutate(run) : ctx.inTransaction(run)
})

async function importRows(ctx: HandlerContext, read: DeductionLists, isApplied: boolean): Promise<ImportOutput> {
  const month = toShanghaiMonth(ctx.now)
  await lockCompanySubject(ctx, 'deductions')
  const people = (await loadRoster(ctx)).filter(({ in_scope, status }) => in_scope && status !== 'left')
  const membersByIdCard = new Map(people.flatMap((one) => (one.id_card_index ? [[one.id_card_index.toString('hex'), one]] : [])))
  const findByIdCard = (text: string) => membersByIdCard.get(ctx.vault.blindIndex('id_card', text).toString('hex'))
  const ids = people.map(({ id }) => id)
  const stored = new Map(
    (await deductionStore.sealed(ctx, ids)).map((row) => [
      row.member_id,
      { version: row.version, value: deductionStore.open(ctx, row) },
    ]),
  )
  const plan = planImport(read.rows, {
    members: people,
    findByIdCard,
    getStored: (id) => stored.get(id)?.value.items ?? [],
    month,
  })
  if (isApplied)
    await deductionStore.keep(
      ctx,
      plan.changed.map(({ member_id, items }) => {
        const existing = stored.get(member_id)
        const confirmed_year = Math.max(existing?.value.confirmed_year ?? 0, getConfirmationYear(month))
        return { member_id, version: existing?.version ?? 0, value: { items: [...items], confirmed_year } }
      }),
    )
  ctx.addAuditDetails({ people: plan.changed.length, applied: isApplied ? 1 : 0 })
  return toImportOutput(plan.rows, plan.changed.length, { isApplied, other_sheets: read.other_sheets })
}

function toImportOutput(
  rows: readonly contract.ImportedDeduction[],
  people: number,
  { isApplied, other_sheets }: { readonly isApplied: boolean; readonly other_sheets: readonly string[] },
): ImportOutput {
  const counts = { new: 0, changed: 0, same: 0, fault: 0 }
  for (const { what: kind } of rows) counts[kind] += 1
  // Rows that need an action come first.
  const first = [...rows.filter(({ what: kind }) => kind === 'fault'), ...rows.filter(({ what: kind }) => kind !== 'fault')]
  return { applied: isApplied, people, counts, rows: first.slice(0, maxListedRows), other_sheets: [...other_sheets] }
}
