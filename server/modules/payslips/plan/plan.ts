/** A plan is first frozen (`sendPaySheet`) and started by a second call (`doSend`). */

import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import * as contract from '../../../contract/payslips/send.ts'
import type { BatchStatus } from '../../../contract/shared/schemas.ts'
import { can } from '../../../contract/shared/statuses.ts'
import { assertAllowed, defineHandler, fail, type HandlerContext } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import { chargeSms } from '../../billing/index.ts'
import { loadWageSettings } from '../../company/settings/index.ts'
import { lockMembersForReference } from '../../directory/index.ts'
import { type PayslipContent, sealPayslipContent } from '../../payslip-records/index.ts'
import { type BatchRow, countUnsent, requireBatch, saveSendOptions, setBatchStatus } from '../../sheets/index.ts'
import { createCellLoader } from '../../sheets/ready/index.ts'
import { queueBatchEvent } from '../../webhooks/index.ts'
import { getSendStart, parsePayslipRules } from '../rules/payslip-rules.ts'
import { computeIdentity } from '../send/identity.ts'
import { queueDeliveries, toStartOptions } from '../send/ledger.ts'
import { getSegmentCount } from '../send/message-source.ts'
import { assertApproved, cancelApprovals } from './approve.ts'
import { computePlan, getDefaultRules } from './compute-plan.ts'
import { assertPlanInScope, assertSpotChecked } from './plan-checks.ts'

const rowsPerStatement = 300

export const sendPaySheet = defineHandler(contract.sendPaySheet, async (ctx, input) => {
  const { db, company_id, now } = ctx
  const batch = await requireBatch(ctx, input.batch_id, 'manage')
  const { status } = batch
  const { notified, going, views, setting, scheduled_at } = await computePlan(ctx, batch, input, true)
  const [firstBlocked] = notified.blocked
  if (going.length === 0 && firstBlocked) throw fail('wrong_state', `${firstBlocked.name}：${firstBlocked.reason}`, { status })
  if (going.length === 0 && notified.sms_insufficient.length > 0)
    throw fail('wrong_state', '短信余额不够，选中的人又没有别的方式，请加选「只生成链接」，或请系统管理员购买短信', { status })
  if (going.length === 0) throw fail('wrong_state', '选中的渠道联系不到任何人，请换一个渠道或检查员工的手机号', { status })

  // The rules of a batch apply to all its payslips: the rest of a batch is sent with those of the part sent before.
  const isRest = status === 'sent'
  const rules = isRest ? parsePayslipRules(batch.rules) : { ...getDefaultRules(setting), ...input.rules }
  const isPlanned = isRest
    ? await setBatchStatus(ctx, batch.id, ['sent'], 'sent')
    : await setBatchStatus(ctx, batch.id, ['draft', 'checked'], 'checked', { rules: JSON.stringify(rules) })
  if (!isPlanned) throw fail('wrong_state', undefined, { status })
  // Undoing a schedule restores its options, even if another administrator made the plan.
  await saveSendOptions(ctx, batch, {
    rows: input.rows ?? null,
    channels: [...input.channels],
    when: scheduled_at && toIsoTimestamp(scheduled_at),
    rules,
  })

  await cancelApprovals(ctx, batch.id)
  await voidPlans(ctx, batch.id)
  await createPayslips(ctx, batch, going)
  const plan_id = newId()
  await db
    .insertInto('send_plan')
    .values({
      company_id,
      id: plan_id,
      batch_id: batch.id,
      channels: [...input.channels],
      by_channel: JSON.stringify(notified.by_channel),
      sms_needed: notified.sms_needed,
      scheduled_at,
      spot_checks: JSON.stringify(views),
      created_by: ctx.currentUser.account_id,
      created_at: now,
    })
    .execute()
  ctx.addAuditDetails({ batch_id: batch.id, plan_id, people: going.length })
  return { plan_id, ...notified }
})

/** Creates payslips that wait for their plan to start. */
async function createPayslips(
  ctx: HandlerContext,
  batch: BatchRow,
  planned: Awaited<ReturnType<typeof computePlan>>['going'],
): Promise<void> {
  const { db, company_id, vault } = ctx
  const loadCells = createCellLoader(ctx, batch)
  await lockMembersForReference(
    ctx,
    planned.map(({ row }) => row.member_id),
  )
  for (let from = 0; from < planned.length; from += rowsPerStatement) {
    const chunk = planned.slice(from, from + rowsPerStatement)
    const cells = await loadCells(chunk.map(({ row }) => row.row))
    const values = chunk.map(({ row, channel, recipient }) => {
      const id = newId()
      const payslipCells = cells.get(row.row)
      if (!payslipCells) throw fail('wrong_state', '确认之后工资表又有修改，请重新核对再发送', { status: batch.status })
      const content: PayslipContent = {
        cells: payslipCells,
        net_fen: row.net_fen,
        gross_fen: row.gross_fen,
        tax_fen: row.tax_fen,
      }
      return {
        company_id,
        id,
        batch_id: batch.id,
        member_id: row.member_id,
        row_no: row.row,
        channel,
        cells: sealPayslipContent(vault, id, 1, content),
        identity: JSON.stringify(computeIdentity(id, recipient)),
      }
    })
    await db.insertInto('payslip').values(values).execute()
    await setImmediate()
  }
}

/**
 * Voids earlier plans that were not started, and deletes what they had frozen. A started plan stays the record of the
 * part of the batch that it sent.
 */
async function voidPlans({ db, company_id }: HandlerContext, batch_id: string): Promise<void> {
  await db
    .updateTable('send_plan')
    .set({ status: 'void' })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'planned')
    .execute()
  await db
    .deleteFrom('payslip')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'waiting')
    .execute()
}

/** Cancelling a schedule plans its queued payslips again, so payslips of an earlier part must not be queued beside them. */
async function assertNothingQueued({ db, company_id }: HandlerContext, batch_id: string, status: BatchStatus): Promise<void> {
  const queued = await db
    .selectFrom('payslip')
    .select('id')
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'queued')
    .limit(1)
    .executeTakeFirst()
  if (queued) throw fail('wrong_state', '这一批还有人正在重发，请等发完再发给其余的人', { status })
}

export const doSend = defineHandler(contract.doSend, async (ctx, { plan_id, looked }) => {
  const { db, company_id, now } = ctx
  const plan = await db
    .selectFrom('send_plan')
    .select(['batch_id', 'scheduled_at', 'created_at', 'spot_checks', 'spot_checked_at'])
    .where('company_id', '=', company_id)
    .where('id', '=', plan_id)
    .executeTakeFirst()
  if (!plan) throw fail('not_found')
  // Concurrent requests are serialized by the lock on the batch; the first one sends, the others return its result.
  const batch = await requireBatch(ctx, plan.batch_id, 'manage')
  const { status } = batch
  const started = await db
    .updateTable('send_plan')
    .set({ status: 'started', started_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', plan_id)
    .where('status', '=', 'planned')
    .executeTakeFirst()
  if (started.numUpdatedRows === 0n) {
    const currentPlan = await db
      .selectFrom('send_plan')
      .select('status')
      .where('company_id', '=', company_id)
      .where('id', '=', plan_id)
      .executeTakeFirst()
    if (currentPlan?.status !== 'started') throw fail('wrong_state', '这份发送安排已经失效，请重新确认后再发送', { status })
    return { status }
  }
  assertAllowed(can.send(status, await countUnsent(ctx, batch.id)), { status })
  await assertNothingQueued(ctx, batch.id, status)
  // Any time other than the plan's own: the clocks of two servers need not agree on what is later.
  if (batch.updated_at.getTime() !== plan.created_at.getTime())
    throw fail('wrong_state', '确认之后工资表又有修改，请重新核对再发送', { status })
  await assertPlanInScope(ctx, batch.id, status)
  const spotCheckCount = await assertSpotChecked(ctx, { ...plan, plan_id, status }, looked === true)
  await assertApproved(ctx, { plan_id, status })

  const { at, undo_until } = getSendStart(plan.scheduled_at, now, (await loadWageSettings(ctx)).send_rule.undo_seconds)
  const nextStatus: BatchStatus = at > now ? 'scheduled' : 'sending'
  // Only the payslips of this plan are waiting: those of a part sent before have left that status.
  const queued = await queueDeliveries(ctx, batch.id, sql<boolean>`payslip.status = 'waiting'`, {
    purpose: sql<string>`'slip'`,
    segments: await getSegmentCount(ctx, batch.id, 'slip'),
    due_at: at,
  })
  await db
    .updateTable('payslip')
    .set({ status: 'queued' })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch.id)
    .where('status', '=', 'waiting')
    .execute()
  await chargeSms(ctx, queued.sms, 'plan', { id: plan_id, batch_id: batch.id })
  if (!(await setBatchStatus(ctx, batch.id, ['checked', 'sent'], nextStatus, { scheduled_at: at > now ? at : null, undo_until })))
    throw fail('wrong_state', undefined, { status })
  if (nextStatus === 'sending') await queueBatchEvent({ db, company_id, now, batch_id: batch.id }, 'batch.sent')
  await ctx.jobs.send('send', { company_id, batch_id: batch.id }, toStartOptions(at.getTime() - now.getTime()))
  ctx.addAuditDetails({ batch_id: batch.id, people: queued.count, looked: spotCheckCount })
  return { status: nextStatus }
})
