/** A plan is frozen first (`sendPaySheet`), and set going by a second call (`doSend`). */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import * as contract from '../../../contract/slip/slip.ts'
import { can } from '../../../contract/words/states.ts'
import type { BatchStatus } from '../../../contract/words/words.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handle, must, refuse } from '../../../runtime/handle.ts'
import { newId } from '../../../runtime/ids.ts'
import { settingOf, takeSms } from '../../company/index.ts'
import { holdNamed } from '../../member/index.ts'
import { type SlipContent, sealContent } from '../../pay/index.ts'
import { type BatchRow, batchFor, keepOptions, setBatchStatus } from '../../sheet/index.ts'
import { cellsToSend } from '../../sheet/ready/index.ts'
import { startOf } from '../rules/behaviour.ts'
import { piecesFor } from '../send/claims.ts'
import { identityOf } from '../send/identity.ts'
import { askFor, startIn } from '../send/ledger.ts'
import { dropApprovals, mustBeApproved } from './approve.ts'
import { mustBeMine, mustHaveLooked } from './fit.ts'
import { usualRules, workOut } from './ways.ts'

const rows_a_statement = 300

export const sendPaySheet = handle(contract.sendPaySheet, async (ctx, input) => {
  const { db, company_id, now } = ctx
  const batch = await batchFor(ctx, input.batch_id, 'manage')
  const { status } = batch
  const { told, going, looks, setting, scheduled_at } = await workOut(ctx, batch, input, true)
  const [stopped] = told.stopped
  if (going.length === 0 && stopped) throw refuse('wrong_state', `${stopped.name}：${stopped.why}`, { status })
  if (going.length === 0 && told.without_sms.length > 0)
    throw refuse('wrong_state', '短信余额不够，选中的人又没有别的方式，请加选「只生成链接」，或请系统管理员购买短信', { status })
  if (going.length === 0) throw refuse('wrong_state', '选中的渠道联系不到任何人，请换一个渠道或检查员工的手机号', { status })

  const rules = { ...usualRules(setting), ...input.rules }
  if (!(await setBatchStatus(ctx, batch.id, ['draft', 'checked'], 'checked', { rules: JSON.stringify(rules) })))
    throw refuse('wrong_state', undefined, { status })
  // A schedule that is undone finds again what was chosen for it, whoever made the plan.
  await keepOptions(ctx, batch, {
    rows: input.rows ?? null,
    channels: [...input.channels],
    when: scheduled_at && isoOf(scheduled_at),
    rules,
  })

  await dropApprovals(ctx, batch.id)
  await voidPlans(ctx, batch.id)
  await freeze(ctx, batch, going)
  const plan_id = newId()
  await db
    .insertInto('plan')
    .values({
      company_id,
      id: plan_id,
      batch_id: batch.id,
      channels: [...input.channels],
      by_channel: JSON.stringify(told.by_channel),
      sms_needed: told.sms_needed,
      scheduled_at,
      looks: JSON.stringify(looks),
      created_by: ctx.me.account_id,
      created_at: now,
    })
    .execute()
  ctx.about({ batch_id: batch.id, plan_id, people: going.length })
  return { plan_id, ...told }
})

/** Slips that wait for their plan to be started. */
async function freeze(ctx: Ctx, batch: BatchRow, going: Awaited<ReturnType<typeof workOut>>['going']): Promise<void> {
  const { db, company_id, vault } = ctx
  const cellsOf = cellsToSend(ctx, batch)
  await holdNamed(
    ctx,
    going.map(({ row }) => row.member_id),
  )
  for (let from = 0; from < going.length; from += rows_a_statement) {
    const some = going.slice(from, from + rows_a_statement)
    const cells = await cellsOf(some.map(({ row }) => row.row))
    const values = some.map(({ row, channel, person }) => {
      const id = newId()
      const own = cells.get(row.row)
      if (!own) throw refuse('wrong_state', '确认之后工资表又有修改，请重新核对再发送', { status: batch.status })
      const content: SlipContent = { cells: own, net_fen: row.net_fen, gross_fen: row.gross_fen, tax_fen: row.tax_fen }
      return {
        company_id,
        id,
        batch_id: batch.id,
        member_id: row.member_id,
        row_no: row.row,
        channel,
        cells: sealContent(vault, id, 1, content),
        identity: JSON.stringify(identityOf(id, person)),
      }
    })
    await db.insertInto('salary').values(values).execute()
    await setImmediate()
  }
}

/** An older plan can no longer be started, and what it had frozen is forgotten. */
async function voidPlans({ db, company_id }: Ctx, batch_id: string): Promise<void> {
  await db
    .updateTable('plan')
    .set({ status: 'void' })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '<>', 'void')
    .execute()
  await db
    .deleteFrom('salary')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'waiting')
    .execute()
}

export const doSend = handle(contract.doSend, async (ctx, { plan_id, looked }) => {
  const { db, company_id, now } = ctx
  const found = await db
    .selectFrom('plan')
    .select(['batch_id', 'scheduled_at', 'created_at', 'looks', 'looked_at'])
    .where('company_id', '=', company_id)
    .where('id', '=', plan_id)
    .executeTakeFirst()
  if (!found) throw refuse('not_found')
  // Everybody who presses the button stands in line here, at the batch; the first one sends, the others read what he did.
  const batch = await batchFor(ctx, found.batch_id, 'manage')
  const { status } = batch
  const started = await db
    .updateTable('plan')
    .set({ status: 'started' })
    .where('company_id', '=', company_id)
    .where('id', '=', plan_id)
    .where('status', '=', 'planned')
    .executeTakeFirst()
  if (started.numUpdatedRows === 0n) {
    const plan = await db
      .selectFrom('plan')
      .select('status')
      .where('company_id', '=', company_id)
      .where('id', '=', plan_id)
      .executeTakeFirst()
    if (plan?.status !== 'started') throw refuse('wrong_state', '这份发送安排已经失效，请重新确认后再发送', { status })
    return { status }
  }
  must(can.send(status), { status })
  // Any other moment than the plan's own: the clocks of two servers need not agree on what is later.
  if (batch.updated_at.getTime() !== found.created_at.getTime())
    throw refuse('wrong_state', '确认之后工资表又有修改，请重新核对再发送', { status })
  await mustBeMine(ctx, batch.id, status)
  const looks = await mustHaveLooked(ctx, { ...found, plan_id, status }, looked === true)
  await mustBeApproved(ctx, { plan_id, status })

  const { at, undo_until } = startOf(found.scheduled_at, now, (await settingOf(ctx)).send_rule.undo_seconds)
  const next: BatchStatus = at > now ? 'scheduled' : 'sending'
  await db
    .updateTable('salary')
    .set({ status: 'queued' })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch.id)
    .where('status', '=', 'waiting')
    .execute()
  const asked = await askFor(ctx, batch.id, sql<boolean>`salary.status = 'queued'`, {
    purpose: sql<string>`'slip'`,
    pieces: await piecesFor(ctx, batch.id, 'slip'),
    due_at: at,
  })
  await takeSms(ctx, asked.sms, 'plan', { id: plan_id, batch_id: batch.id })
  if (!(await setBatchStatus(ctx, batch.id, ['checked'], next, { scheduled_at: at > now ? at : null, undo_until })))
    throw refuse('wrong_state', undefined, { status })
  await ctx.jobs.send('send', { company_id, batch_id: batch.id }, startIn(at.getTime() - now.getTime()))
  ctx.about({ batch_id: batch.id, people: asked.count, looked: looks })
  return { status: next }
})
