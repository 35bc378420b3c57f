/** Taking slips back. From the answer on, no employee can open them and nothing that was still waiting is sent. */
import * as contract from '../../contract/slip.ts'
import { can } from '../../contract/states.ts'
import { type Ctx, handle, must, refuse } from '../../runtime/handle.ts'
import { newId } from '../../runtime/ids.ts'
import { giveBackSms } from '../company/index.ts'
import { payable } from '../member/index.ts'
import { batchOfSlips, setBatchStatus } from '../sheet/index.ts'
import { lease_ms } from './claims.ts'
import { lockedSalary, mustHaveBegun, startIn } from './ledger.ts'

export const withdrawSingleSalary = handle(contract.withdrawSingleSalary, async (ctx, { salary_id, reason }) => {
  const { salary, batch } = await lockedSalary(ctx, salary_id)
  must(can.withdraw(salary.status), { status: salary.status })
  mustHaveBegun(batch)
  await withdraw(ctx, batch.id, reason ?? null, salary_id)
  if (await isEmpty(ctx, batch.id)) await close(ctx, batch.id, reason ?? null)
  ctx.about({ batch_id: batch.id })
  return {}
})

export const withdrawBatchPaySheet = handle(contract.withdrawBatchPaySheet, async (ctx, { batch_id, reason }) => {
  const { status } = await batchOfSlips(ctx, batch_id, 'manage')
  must(can.withdrawBatch(status), { status })
  const done = await withdraw(ctx, batch_id, reason ?? null)
  // Slips of people who are out of my scope by now stay, and the batch with them.
  if ((await isEmpty(ctx, batch_id)) && !(await close(ctx, batch_id, reason ?? null)))
    throw refuse('wrong_state', undefined, { status })
  ctx.about({ withdrawn: done.withdrawn, not_sent: done.not_sent })
  return done
})

/** Whether nothing of it is left that anybody could withdraw: also nothing out of my scope. */
async function isEmpty({ db, company_id }: Ctx, batch_id: string): Promise<boolean> {
  const left = await db
    .selectFrom('salary')
    .select('id')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', 'not in', ['withdrawn', 'waiting'])
    .limit(1)
    .executeTakeFirst()
  return !left
}

const close = (ctx: Ctx, batch_id: string, reason: string | null): Promise<boolean> =>
  setBatchStatus(ctx, batch_id, ['scheduled', 'sending', 'paused', 'sent'], 'withdrawn', {
    withdrawn_at: ctx.now,
    withdrawn_reason: reason,
  })

/**
 * The batch is locked by the caller, so no sender is between asking and sending. Cancels what waits and closes the slips, in one
 * transaction. A message that is just under way (leased) still arrives, and leads to a slip that is closed; its sender, or the job
 * asked for here if that one is dead, writes down what became of it.
 */
async function withdraw(
  ctx: Ctx,
  batch_id: string,
  reason: string | null,
  salary_id?: string,
): Promise<{ withdrawn: number; not_sent: number }> {
  const { db, company_id, now } = ctx
  const mine = db
    .selectFrom('salary')
    .select('id')
    .where('salary.company_id', '=', company_id)
    .where('salary.batch_id', '=', batch_id)
    .where(payable(ctx))
    .$if(salary_id !== undefined, (query) => query.where('salary.id', '=', salary_id ?? ''))
  const open = await db
    .updateTable('delivery')
    .set({ status: 'cancelled', code: 'withdrawn', message: '工资条已撤回', done_at: now, lease_by: null })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    // Taken by a sender but not begun: it has to pass the batch's gate before it begins, and will not find the row any more.
    .where((eb) => eb.or([eb('status', '=', 'queued'), eb.and([eb('status', '=', 'leased'), eb('attempts', '=', 0)])]))
    .where('salary_id', 'in', mine)
    .returning(['channel', 'purpose', 'attempts'])
    .execute()
  const closed = await db
    .updateTable('salary')
    .set({ status: 'withdrawn', withdrawn_at: now, withdrawn_reason: reason })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', 'in', ['queued', 'sent', 'viewed', 'confirmed', 'failed'])
    .where('id', 'in', mine)
    .executeTakeFirst()
  // A message whose tries have an unclear outcome may have been paid for; only what surely never left comes back.
  await giveBackSms(ctx, open.filter((row) => row.channel === 'sms' && row.attempts === 0).length, 'unsent', newId())
  const leased = await db
    .selectFrom('delivery')
    .select('id')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'leased')
    .limit(1)
    .executeTakeFirst()
  if (leased) await ctx.jobs.send('send', { company_id, batch_id }, startIn(lease_ms + 5000))
  return { withdrawn: Number(closed.numUpdatedRows), not_sent: open.filter((row) => row.purpose === 'slip').length }
}
