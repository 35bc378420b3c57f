/** Taking slips back. From the answer on, no employee can open them and nothing that was still waiting is sent. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import * as contract from '../../../contract/slip/slip.ts'
import { can } from '../../../contract/words/states.ts'
import { type AfterCtx, type Ctx, handle, must, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { lease_ms } from '../../../runtime/post/index.ts'
import { giveBackSms, tellWebhooks } from '../../company/index.ts'
import { payable } from '../../member/index.ts'
import { batchOfSlips, setBatchStatus } from '../../sheet/index.ts'
import { wantOnCards } from '../care/cards.ts'
import { smsPieces } from '../rules/message.ts'
import { waitBefore } from '../rules/outcome.ts'
import { lockedSalary, mustHaveBegun, startIn, withdrawnPlace } from './ledger.ts'

/** Longer than a gateway usually takes, shorter than whoever presses the button believes that something hangs. */
const patience_ms = 5_000

export const withdrawSingleSalary = handle(
  contract.withdrawSingleSalary,
  async (ctx, { salary_id, reason }) => {
    const { salary, batch } = await lockedSalary(ctx, salary_id)
    must(can.withdraw(salary.status), { status: salary.status })
    mustHaveBegun(batch)
    await withdraw(ctx, batch.id, sealedReason(ctx, batch.id, reason), salary_id)
    if (await isEmpty(ctx, batch.id)) await close(ctx, batch.id, sealedReason(ctx, batch.id, reason))
    ctx.about({ batch_id: batch.id })
    return { under_way: 0 }
  },
  async (after, { salary_id }) => ({ under_way: await underWay(after, sql`salary.id = ${salary_id}`) }),
)

export const withdrawBatchPaySheet = handle(
  contract.withdrawBatchPaySheet,
  async (ctx, { batch_id, reason }) => {
    const { status } = await batchOfSlips(ctx, batch_id, 'manage')
    must(can.withdrawBatch(status), { status })
    await mustHaveRoomFor(ctx, batch_id)
    const done = await withdraw(ctx, batch_id, sealedReason(ctx, batch_id, reason))
    // Slips of people who are out of my scope by now stay, and the batch with them.
    if ((await isEmpty(ctx, batch_id)) && !(await close(ctx, batch_id, sealedReason(ctx, batch_id, reason))))
      throw refuse('wrong_state', undefined, { status })
    ctx.about({ withdrawn: done.withdrawn, not_sent: done.not_sent })
    return { ...done, under_way: 0 }
  },
  async (after, { batch_id }, done) => ({ ...done, under_way: await underWay(after, sql`delivery.batch_id = ${batch_id}`) }),
)

/** What a slip that is taken back writes at most: its row, its message, and both in the database's log (measured: docs/decisions). */
export const bytes_a_slip = 8 * 1024

/** A disk that is nearly full has room for a withdrawal, not for one of any size. */
async function mustHaveRoomFor({ db, company_id, spare }: Ctx, batch_id: string): Promise<void> {
  if (spare === null) return
  const most = Math.floor(spare / bytes_a_slip)
  const { count } = await db
    .selectFrom('salary')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .executeTakeFirstOrThrow()
  if (Number(count) > most)
    throw refuse('no_room', `服务器磁盘空间不足，一次最多只能撤回 ${most} 人；请先暂停发送、逐个撤回，并联系系统运维清理磁盘`, {
      retry_after: 30,
    })
}

/**
 * Waits, with no transaction open, until the messages that were begun before the withdrawal have arrived or surely will not: handed to a
 * gateway by a sender, in whatever process, they cannot be called back, and the ledger says which they are (a try is counted before it
 * begins). Answers how many may still arrive after that: those under way even now, and those of which the gateway has not said what became.
 */
async function underWay({ database, company_id, signal }: AfterCtx, which: RawBuilder<unknown>): Promise<number> {
  const ends = performance.now() + patience_ms
  for (let looked = 0; ; looked += 1) {
    const { rows } = await database.inCompany(company_id, (tx) =>
      sql<{ status: string; count: number }>`
        select delivery.status, count(*)::int as count
        from delivery
        join salary on salary.company_id = delivery.company_id and salary.id = delivery.salary_id
        where delivery.company_id = ${company_id} and ${which} and salary.status = 'withdrawn' and delivery.attempts > 0
          and (delivery.status in ('leased', 'queued') or (delivery.status = 'unknown' and delivery.done_at >= salary.withdrawn_at))
        group by delivery.status`.execute(tx),
    )
    if (!rows.some((row) => row.status === 'leased') || performance.now() >= ends || signal.aborted)
      return rows.reduce((sum, row) => sum + row.count, 0)
    await sleep(waitBefore(looked))
  }
}

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

const sealedReason = ({ vault }: Ctx, batch_id: string, reason: string | undefined): Buffer | null =>
  reason ? vault.seal(withdrawnPlace(batch_id), reason) : null

const close = (ctx: Ctx, batch_id: string, reason: Buffer | null): Promise<boolean> =>
  setBatchStatus(ctx, batch_id, ['scheduled', 'sending', 'paused', 'sent'], 'withdrawn', {
    withdrawn_at: ctx.now,
    withdrawn_reason: reason,
  })

/**
 * The batch is locked by the caller, so no sender is between asking and sending. Cancels what waits and closes the slips, in one
 * transaction. A message that is just under way (leased) still arrives, and leads to a slip that is closed: the answer waits for it. Its
 * sender, or the job asked for here if that one is dead, writes down what became of it.
 */
async function withdraw(
  ctx: Ctx,
  batch_id: string,
  reason: Buffer | null,
  salary_id?: string,
): Promise<{ withdrawn: number; not_sent: number }> {
  const { db, company_id, now } = ctx
  const mine = slipsOf(ctx, batch_id, salary_id)
  const open = await cancelWaiting(ctx, batch_id, mine)
  const closed = await db
    .updateTable('salary')
    .set({ status: 'withdrawn', withdrawn_at: now, withdrawn_reason: reason })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', 'in', ['queued', 'sent', 'viewed', 'confirmed', 'failed'])
    .where('id', 'in', mine)
    .returning(['id as salary_id', 'batch_id'])
    .execute()
  await tellWebhooks({ db, company_id, now }, 'slip.withdrawn', closed)
  await wantOnCards(
    ctx,
    'withdrawn',
    closed.map(({ salary_id: id }) => id),
  )
  // A message whose tries have an unclear outcome may have been paid for; only what surely never left comes back.
  await giveBackSms(ctx, smsPieces(open.filter((row) => row.attempts === 0)), 'unsent', { id: newId(), batch_id })
  const leased = await db
    .selectFrom('delivery')
    .select('id')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'leased')
    .limit(1)
    .executeTakeFirst()
  if (leased) await ctx.jobs.send('send', { company_id, batch_id }, startIn(lease_ms + 5000))
  return {
    withdrawn: closed.length,
    not_sent: open.filter((row) => row.purpose === 'slip' && row.attempts === 0).length,
  }
}

/** Those of a batch that he may withdraw; or one of them. */
const slipsOf = (ctx: Ctx, batch_id: string, salary_id: string | undefined) =>
  ctx.db
    .selectFrom('salary')
    .select('id')
    .where('salary.company_id', '=', ctx.company_id)
    .where('salary.batch_id', '=', batch_id)
    .where(payable(ctx))
    .$if(salary_id !== undefined, (query) => query.where('salary.id', '=', salary_id ?? ''))

const cancelWaiting = ({ db, company_id, now }: Ctx, batch_id: string, mine: ReturnType<typeof slipsOf>) =>
  db
    .updateTable('delivery')
    // An earlier try with an unclear outcome may have left, and may still arrive: it is told, and never tried again.
    .set({
      status: sql`case when attempts > 0 then 'unknown' else 'cancelled' end`,
      message: sql`case when attempts > 0 then '撤回前已经尝试发送，不能确认是否送达' else '工资条已撤回' end`,
      code: 'withdrawn',
      done_at: now,
      lease_by: null,
    })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    // Taken by a sender but not begun: it has to pass the batch's gate before it begins, and will not find the row any more.
    .where((eb) => eb.or([eb('status', '=', 'queued'), eb.and([eb('status', '=', 'leased'), eb('attempts', '=', 0)])]))
    .where('salary_id', 'in', mine)
    .returning(['channel', 'pieces', 'purpose', 'attempts'])
    .execute()
