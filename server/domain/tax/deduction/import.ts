/** The official lists of 专项附加扣除, brought as a file: looked at first, then written. A second time changes nothing. Writes member_deduction. */
import type { OutputOf } from '../../../contract/call.ts'
import * as contract from '../../../contract/wage/deductions.ts'
import { monthOf } from '../../../runtime/clock.ts'
import { takeTurn } from '../../../runtime/data/turns.ts'
import { type Ctx, handleOutside, invalid, refuse } from '../../../runtime/handle.ts'
import { type DeductionsRead, readDeductions, SheetUnreadable } from '../../../tables/index.ts'
import { roster } from '../../member/index.ts'
import { deductionsKept } from './document.ts'
import { planImport } from './import-plan.ts'
import { confirmYear } from './list.ts'

type Told = OutputOf<typeof contract.importDeduction>
const rows_told = 500

export const importDeduction = handleOutside(contract.importDeduction, async (ctx, { apply }) => {
  const { upload } = ctx
  if (!upload) throw invalid('file', '请选择专项附加扣除信息表')
  if (upload.bytes.length === 0) throw refuse('unreadable_sheet', '文件是空的，请检查后重新上传')
  const read = await readDeductions(ctx.outdoors, upload.bytes, {
    file_name: upload.file_name,
    signal: ctx.signal,
    owner: ctx.me?.company_id,
  }).catch((error: unknown) => {
    // The sentences of whoever opens files speak of wage sheets.
    throw error instanceof SheetUnreadable ? refuse('unreadable_sheet', error.message.replaceAll('工资表', '信息表')) : error
  })
  if (read.reason !== null) throw refuse('unreadable_sheet', read.reason)
  const work = (inner: Ctx) => importRead(inner, read, apply === '1')
  return apply === '1' ? ctx.deed(work) : ctx.inTransaction(work)
})

async function importRead(ctx: Ctx, read: DeductionsRead, isApplied: boolean): Promise<Told> {
  const month = monthOf(ctx.now)
  await takeTurn(ctx, 'deductions')
  const people = (await roster(ctx)).filter(({ in_scope, status }) => in_scope && status !== 'left')
  const cards = new Map(people.flatMap((one) => (one.id_card_index ? [[one.id_card_index.toString('hex'), one]] : [])))
  const cardOf = (text: string) => cards.get(ctx.vault.index('id_card', text).toString('hex'))
  const ids = people.map(({ id }) => id)
  const kept = new Map(
    (await deductionsKept.sealed(ctx, ids)).map((row) => [
      row.member_id,
      { version: row.version, value: deductionsKept.open(ctx, row) },
    ]),
  )
  const plan = planImport(read.rows, { people, cardOf, kept: (id) => kept.get(id)?.value.items ?? [], month })
  if (isApplied)
    await deductionsKept.keep(
      ctx,
      plan.changed.map(({ member_id, items }) => {
        const before = kept.get(member_id)
        const confirmed_year = Math.max(before?.value.confirmed_year ?? 0, confirmYear(month))
        return { member_id, version: before?.version ?? 0, value: { items: [...items], confirmed_year } }
      }),
    )
  ctx.about({ people: plan.changed.length, applied: isApplied ? 1 : 0 })
  return told(plan.rows, plan.changed.length, { isApplied, other_sheets: read.other_sheets })
}

function told(
  rows: readonly contract.ImportedDeduction[],
  people: number,
  { isApplied, other_sheets }: { readonly isApplied: boolean; readonly other_sheets: readonly string[] },
): Told {
  const counts = { new: 0, changed: 0, same: 0, fault: 0 }
  for (const { what } of rows) counts[what] += 1
  // What somebody has to do something about comes first.
  const first = [...rows.filter(({ what }) => what === 'fault'), ...rows.filter(({ what }) => what !== 'fault')]
  return { applied: isApplied, people, counts, rows: first.slice(0, rows_told), other_sheets: [...other_sheets] }
}
