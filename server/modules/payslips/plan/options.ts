/** Stores the send options before sending and computes their preview; changes the time of a scheduled batch. */
import * as z from 'zod/mini'
import * as contract from '../../../contract/payslips/send.ts'
import { can } from '../../../contract/shared/statuses.ts'
import type { CompanyTx } from '../../../database/company-tx.ts'
import { assertAllowed, defineHandler, fail } from '../../../http/handler.ts'
import { toIsoTimestamp } from '../../../shared/clock.ts'
import { loadWageSettings, type WageSettings } from '../../company/settings/index.ts'
import {
  type BatchRow,
  countUnsent,
  filterUnskippedRows,
  requireBatch,
  requireBatchForPayslips,
  saveSendOptions,
  setBatchStatus,
} from '../../sheets/index.ts'
import { queueBatchEvent } from '../../webhooks/index.ts'
import { selectLatestStartedPlan, toStartOptions } from '../send/ledger.ts'
import { assertScheduleNotApproved } from './approve.ts'
import { computePlan, getDefaultRules, groupByDepartment, parseScheduleTime } from './compute-plan.ts'

export const getSendPlan = defineHandler(contract.getSendPlan, async (ctx, input) => {
  const batch = await requireBatch(ctx, input.batch_id, 'view')
  ctx.addAuditDetails({ batch_id: batch.id })
  const { notified: summary, all: allRows } = await computePlan(ctx, batch, input, false)
  return { ...summary, ...(input.departments ? { departments: groupByDepartment(allRows) } : {}) }
})

const parseSavedOptions = ({ send_options }: BatchRow) => z.nullable(contract.sendOptions).parse(send_options)

/** Returns the channels enabled by the company, in the default order. */
const getDefaultChannels = ({ send_rule }: WageSettings) => [
  ...(send_rule.weChat ? (['platform'] as const) : []),
  ...(send_rule.sms ? (['sms'] as const) : []),
  ...(send_rule.email ? (['email'] as const) : []),
  ...(send_rule.link ? (['link'] as const) : []),
]

export const getSendOptions = defineHandler(contract.getSendOptions, async (ctx, { batch_id }) => {
  const batch = await requireBatch(ctx, batch_id, 'view')
  const setting = await loadWageSettings(ctx)
  const options = parseSavedOptions(batch) ?? {
    rows: null,
    channels: getDefaultChannels(setting),
    when: null,
    rules: getDefaultRules(setting),
  }
  // Rows skipped, removed or sent since then are omitted; after a part was sent, the rest is preselected.
  const rows = options.rows && (await filterUnskippedRows(ctx, batch_id, options.rows))
  const isRestSelected = batch.status === 'sent' && rows?.length === 0
  return {
    options: { ...options, rows: isRestSelected ? null : rows, ...(isRestSelected ? { when: null } : {}) },
    version: batch.options_version,
  }
})

export const setSendOptions = defineHandler(contract.setSendOptions, async (ctx, { batch_id, version, options }) => {
  const batch = await requireBatch(ctx, batch_id, 'manage')
  assertAllowed(can.send(batch.status, await countUnsent(ctx, batch_id)), { status: batch.status })
  // The time has a uniform format, so that choosing the same time again is not a change.
  const when = options.when && toIsoTimestamp(new Date(options.when))
  return { version: await saveSendOptions(ctx, batch, { ...options, when }, version) }
})

/** Changes the start time of a waiting batch. */
async function updateStartTime({ db, company_id }: CompanyTx, batch_id: string, at: Date): Promise<void> {
  await db
    .updateTable('delivery')
    .set({ due_at: at })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('purpose', '=', 'slip')
    .where('status', '=', 'queued')
    .execute()
  await db
    .updateTable('send_plan')
    .set({ scheduled_at: at })
    .where('company_id', '=', company_id)
    .where('id', '=', selectLatestStartedPlan({ db, company_id }, batch_id))
    .execute()
}

export const setSchedule = defineHandler(contract.setSchedule, async (ctx, { batch_id, when }) => {
  const { company_id, now } = ctx
  const batch = await requireBatchForPayslips(ctx, batch_id, 'manage')
  const { status } = batch
  assertAllowed(status === 'scheduled' || '这一批没有在等定时发送，不能改时间', { status })
  await assertScheduleNotApproved(ctx, batch_id, status)
  const at = parseScheduleTime(when, now)
  await updateStartTime(ctx, batch_id, at)
  if (!(await setBatchStatus(ctx, batch_id, ['scheduled'], 'scheduled', { scheduled_at: at, undo_until: null })))
    throw fail('wrong_state', undefined, { status })
  const savedOptions = parseSavedOptions(batch)
  if (savedOptions) await saveSendOptions(ctx, batch, { ...savedOptions, when: toIsoTimestamp(at) })
  // The job queued for the old time ends if it runs before the new time; if it runs later, the batch is already sent.
  await ctx.jobs.send('send', { company_id, batch_id }, toStartOptions(at.getTime() - now.getTime()))
  return { scheduled_at: toIsoTimestamp(at) }
})

export const sendNow = defineHandler(contract.sendNow, async (ctx, { batch_id }) => {
  const { company_id, now } = ctx
  const { status, undo_until } = await requireBatchForPayslips(ctx, batch_id, 'manage')
  assertAllowed(status === 'scheduled' || '这一批没有在等，不用立即发送', { status })
  // A batch that only waits for the undo period has no scheduled time.
  if (undo_until === null) await assertScheduleNotApproved(ctx, batch_id, status)
  await updateStartTime(ctx, batch_id, now)
  if (!(await setBatchStatus(ctx, batch_id, ['scheduled'], 'sending', { scheduled_at: null, undo_until: null })))
    throw fail('wrong_state', undefined, { status })
  await queueBatchEvent({ db: ctx.db, company_id, now, batch_id }, 'batch.sent')
  // The job queued for the old time finds the batch being sent, or already sent.
  await ctx.jobs.send('send', { company_id, batch_id })
  return { status: 'sending' as const }
})
