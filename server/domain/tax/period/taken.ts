/** What a pay run says for a month of withholding: of one that was sent what its slips say, of one that was not what its checked sheet says. */
import { type Ctx, refuse } from '../../../runtime/handle.ts'
import { payable } from '../../member/index.ts'
import { paidWith } from '../../pay/index.ts'
import { type BatchRow, batchFor, batchOfSlips, understoodOf } from '../../sheet/index.ts'
import { besideGross, cellsToSend, leavesOf, readyRows, type SheetTaxAmounts, taxAmountsReader } from '../../sheet/ready/index.ts'
import { asBonus, type TakenIncome, together } from '../rules/amounts.ts'

type Way = TakenIncome['way']
const rows_at_once = 300

/** By person; of people out of my scope nothing is read. A person with two slips of one run is paid both. */
export async function takenFrom(ctx: Ctx, batch_id: string, way: Way): Promise<Map<string, TakenIncome>> {
  const batch = await batchOfSlips(ctx, batch_id, 'view')
  if (batch.status === 'withdrawn') throw refuse('wrong_state', '这一批工资条已经撤回，不能取入收入', { status: batch.status })
  const understood = understoodOf(ctx, batch)
  const reader = taxAmountsReader(understood.columns, leavesOf(understood), besideGross(understood))
  if (!reader)
    throw refuse(
      'wrong_state',
      '这张工资表里没有应发合计，也没有应发项，取不出收入；请在「核对」里指定列的含义，或手工填写收入',
      {
        status: batch.status,
      },
    )
  const found = new Map<string, TakenIncome>()
  const take = (member_id: string, { tax_fen, ...said }: SheetTaxAmounts) => {
    const amounts = way === 'bonus' ? asBonus(said) : said
    const before = found.get(member_id)
    found.set(member_id, {
      batch_id,
      way,
      amounts: before ? together([before.amounts, amounts]) : amounts,
      tax_fen: before?.tax_fen == null ? tax_fen : before.tax_fen + (tax_fen ?? 0),
    })
  }
  const isSent = batch.status !== 'draft' && batch.status !== 'checked' && batch.status !== 'scheduled'
  if (isSent) {
    for await (const page of paidWith(ctx, batch_id, payable(ctx)))
      for (const { member_id, content } of page) take(member_id, reader(content.cells))
    return found
  }
  const whole = await batchFor(ctx, batch_id, 'view')
  for await (const { member_id, said } of sheetRows(ctx, whole, reader)) take(member_id, said)
  return found
}

/** The rows of a sheet that is checked and has no error left. */
async function* sheetRows(
  ctx: Ctx,
  batch: BatchRow,
  reader: (
    cells: Awaited<ReturnType<ReturnType<typeof cellsToSend>>> extends ReadonlyMap<number, infer C> ? C : never,
  ) => SheetTaxAmounts,
) {
  const rows = await readyRows(ctx, batch, false)
  const cellsOf = cellsToSend(ctx, batch)
  for (let from = 0; from < rows.length; from += rows_at_once) {
    const some = rows.slice(from, from + rows_at_once)
    const cells = await cellsOf(some.map(({ row }) => row))
    for (const { row, member_id } of some) {
      const own = cells.get(row)
      if (own) yield { member_id, said: reader(own) }
    }
  }
}
