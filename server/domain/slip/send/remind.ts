/** Again to single people: what failed is sent once more, who has not looked is reminded (at most three times a day a person). */
import { type RawBuilder, sql } from 'kysely'
import * as contract from '../../../contract/slip/slip.ts'
import { can } from '../../../contract/words/states.ts'
import { dayOf } from '../../../runtime/clock.ts'
import { takeTurn } from '../../../runtime/data/turns.ts'
import { type Ctx, handle, must, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { takeSms } from '../../company/index.ts'
import { payable } from '../../member/index.ts'
import { type BatchRow, batchOfSlips, setBatchStatus } from '../../sheet/index.ts'
import { beginAgain } from '../plan/fall-back.ts'
import { automaticPurpose, most_reminders, nextReminder, reminderPrefix, reminderPurpose } from '../rules/reminder.ts'
import { sendWithdrawn } from '../salary/again.ts'
import { piecesFor } from './claims.ts'
import { recognise } from './identity.ts'
import { askFor, lockedSalary } from './ledger.ts'

export const sendSingle = handle(contract.sendSingle, async (ctx, { salary_id }) => {
  const { salary, batch } = await lockedSalary(ctx, salary_id)
  mustBeOut(batch)
  ctx.about({ batch_id: batch.id })
  if (salary.status === 'failed' || salary.status === 'sent') await recognise(ctx, salary_id)
  if (salary.status === 'failed') return { queued: await retry(ctx, batch, [salary_id]), skipped: 0 }
  must(can.remind(salary.status), { status: salary.status })
  if (salary.channel === 'link')
    throw refuse('wrong_state', '这个人没有可用的消息渠道，请把工资条链接直接发给他', { status: salary.status })
  const queued = await remind(ctx, batch, { where: some(ctx, [salary_id]), by: 'hand' })
  if (queued === 0)
    throw refuse('too_often', `今天已经提醒过 ${most_reminders} 次，请明天再提醒`, { retry_after: untilTomorrow(ctx.now) })
  return { queued, skipped: 0 }
})

export const sendBatch = handle(contract.sendBatch, async (ctx, { batch_id, salary_ids, only }) => {
  const batch = await batchOfSlips(ctx, batch_id, 'manage')
  // Only by name: whoever meant to remind somebody whose slip was taken back meanwhile does not send it once more.
  if (only === 'withdrawn') {
    for (const salary_id of salary_ids?.length === 1 ? salary_ids : []) await recognise(ctx, salary_id)
    const queued = await sendWithdrawn(ctx, batch, salary_ids)
    ctx.about({ queued })
    return { queued, skipped: Math.max(0, (salary_ids?.length ?? 0) - queued) }
  }
  mustBeOut(batch)
  const queued =
    only === 'failed'
      ? await retry(ctx, batch, salary_ids)
      : await remind(ctx, batch, { where: some(ctx, salary_ids), by: 'hand' })
  const asked =
    salary_ids?.length ?? (await countOf(ctx, batch_id, only === 'failed' ? 'failed' : 'sent')) + (only === 'failed' ? queued : 0)
  ctx.about({ queued })
  return { queued, skipped: Math.max(0, asked - queued) }
})

function mustBeOut({ status }: BatchRow): void {
  const out = ['sending', 'paused', 'sent'].includes(status)
  must(out || (status === 'withdrawn' ? '这一批已经撤回，请在工资条详情里重新发送' : '这一批还没有发送'), { status })
}

async function countOf(ctx: Ctx, batch_id: string, status: 'failed' | 'sent'): Promise<number> {
  const { db, company_id } = ctx
  const { count } = await db
    .selectFrom('salary')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', status)
    .where(payable(ctx))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** What failed was clearly refused, so it may leave once more: still one row of the ledger for a slip and a way. */
async function retry(ctx: Ctx, batch: BatchRow, salary_ids?: readonly string[]): Promise<number> {
  const where = sql<boolean>`salary.batch_id = ${batch.id} and ${some(ctx, salary_ids)}`
  const queued = await beginAgain({ ...ctx, batch_id: batch.id }, where)
  if (queued === 0) return 0
  if (batch.status === 'sent') await setBatchStatus(ctx, batch.id, ['sent'], 'sending')
  await ctx.jobs.send('send', { company_id: ctx.company_id, batch_id: batch.id })
  return queued
}

/** For queries on `salary`: these, or all where none are named, as far as my scope goes. */
const some = (ctx: Ctx, salary_ids: readonly string[] | undefined): RawBuilder<boolean> =>
  salary_ids ? sql<boolean>`(salary.id = any(${[...salary_ids]}::uuid[]) and ${payable(ctx)})` : payable(ctx)

/**
 * Of the slips that `where` names: everybody who has been sent one and has not looked; a person who was reminded three times today is
 * left alone. `by: 'day'` is the company's rule, once a day; by hand it is as often as somebody asks.
 */
export async function remind(
  ctx: Pick<Ctx, 'db' | 'company_id' | 'vault' | 'now' | 'jobs' | 'origin' | 'pieces'>,
  batch: Pick<BatchRow, 'id' | 'status'>,
  { where: which, by }: { readonly where: RawBuilder<boolean>; readonly by: 'hand' | 'day' },
): Promise<number> {
  const { company_id } = ctx
  const day = dayOf(ctx.now)
  // A person's reminders are counted over all batches, a batch is locked alone: of one company one reminds at a time, or both count the same.
  await takeTurn(ctx, 'remind')
  const today = sql<number>`(
    select count(*) from delivery as earlier
    join salary as his on his.company_id = earlier.company_id and his.id = earlier.salary_id
    where earlier.company_id = ${company_id} and his.member_id = salary.member_id and earlier.purpose like ${`${reminderPrefix(day)}%`} and earlier.status <> 'cancelled')`
  const pieces = await piecesFor(ctx, batch.id, automaticPurpose(day))
  let queued = 0
  let sms = 0
  // One statement for each number of reminders a person can have had; the number stands in the purpose, which is unique a slip.
  const numbered = Array.from({ length: most_reminders }, (_, had) => ({ had, number: nextReminder(had) }))
    .toReversed()
    .flatMap(({ had, number }) =>
      number === null ? [] : [{ may: sql<boolean>`${today} = ${had}`, purpose: reminderPurpose(day, number) }],
    )
  const steps = by === 'hand' ? numbered : [{ may: sql<boolean>`${today} < ${most_reminders}`, purpose: automaticPurpose(day) }]
  for (const { may, purpose } of steps) {
    const where = sql<boolean>`salary.status = 'sent' and salary.channel <> 'link' and ${may} and ${which}`
    const asked = await askFor(ctx, batch.id, where, { purpose: sql<string>`${purpose}::text`, pieces })
    queued += asked.count
    sms += asked.sms
  }
  if (queued === 0) return 0
  await takeSms(ctx, sms, 'remind', { id: newId(), batch_id: batch.id })
  if (batch.status !== 'paused') await ctx.jobs.send('send', { company_id, batch_id: batch.id })
  return queued
}

/** Seconds to midnight in Shanghai. */
const untilTomorrow = (now: Date): number => {
  const day_s = 86_400
  return day_s - Math.floor((now.getTime() / 1000 + 8 * 3600) % day_s)
}
