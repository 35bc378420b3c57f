/** Before the sending: what one chooses is kept and worked out; what is scheduled gets another time. */
import * as z from 'zod/mini'
import * as contract from '../../../contract/slip/slip.ts'
import { can } from '../../../contract/words/states.ts'
import { isoOf } from '../../../runtime/clock.ts'
import { type Ctx, handle, must, refuse } from '../../../runtime/handle.ts'
import { type Setting, settingOf } from '../../company/index.ts'
import { type BatchRow, batchFor, batchOfSlips, keepOptions, rowsToSend, setBatchStatus } from '../../sheet/index.ts'
import { startIn } from '../send/ledger.ts'
import { mustKeepItsTime } from './approve.ts'
import { departmentsOf, timeOf, usualRules, workOut } from './ways.ts'

export const getSendPlan = handle(contract.getSendPlan, async (ctx, input) => {
  const batch = await batchFor(ctx, input.batch_id, 'view')
  ctx.about({ batch_id: batch.id })
  const { told, all } = await workOut(ctx, batch, input, false)
  return { ...told, ...(input.departments ? { departments: departmentsOf(all) } : {}) }
})

const keptIn = ({ send_options }: BatchRow) => z.nullable(contract.sendOptions).parse(send_options)

/** The ways that the company uses, in the usual order. */
const usualChannels = ({ send_rule }: Setting) => [
  ...(send_rule.weChat ? (['platform'] as const) : []),
  ...(send_rule.sms ? (['sms'] as const) : []),
  ...(send_rule.email ? (['email'] as const) : []),
  ...(send_rule.link ? (['link'] as const) : []),
]

export const getSendOptions = handle(contract.getSendOptions, async (ctx, { batch_id }) => {
  const batch = await batchFor(ctx, batch_id, 'view')
  const setting = await settingOf(ctx)
  const options = keptIn(batch) ?? { rows: null, channels: usualChannels(setting), when: null, rules: usualRules(setting) }
  return {
    // Whoever was skipped or is gone since then is not sent to.
    options: { ...options, rows: options.rows && (await rowsToSend(ctx, batch_id, options.rows)) },
    version: batch.options_version,
  }
})

export const setSendOptions = handle(contract.setSendOptions, async (ctx, { batch_id, version, options }) => {
  const batch = await batchFor(ctx, batch_id, 'manage')
  must(can.send(batch.status), { status: batch.status })
  // One spelling of an instant: what is chosen again as it was is no change.
  const when = options.when && isoOf(new Date(options.when))
  return { version: await keepOptions(ctx, batch, { ...options, when }, version) }
})

/** What waits leaves at this time instead. */
async function moveStart({ db, company_id }: Pick<Ctx, 'db' | 'company_id'>, batch_id: string, at: Date): Promise<void> {
  await db
    .updateTable('delivery')
    .set({ due_at: at })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'queued')
    .execute()
  await db
    .updateTable('plan')
    .set({ scheduled_at: at })
    .where('company_id', '=', company_id)
    .where('batch_id', '=', batch_id)
    .where('status', '=', 'started')
    .execute()
}

export const setSchedule = handle(contract.setSchedule, async (ctx, { batch_id, when }) => {
  const { company_id, now } = ctx
  const batch = await batchOfSlips(ctx, batch_id, 'manage')
  const { status } = batch
  must(status === 'scheduled' || '这一批没有在等定时发送，不能改时间', { status })
  await mustKeepItsTime(ctx, batch_id, status)
  const at = timeOf(when, now)
  await moveStart(ctx, batch_id, at)
  if (!(await setBatchStatus(ctx, batch_id, ['scheduled'], 'scheduled', { scheduled_at: at, undo_until: null })))
    throw refuse('wrong_state', undefined, { status })
  const kept = keptIn(batch)
  if (kept) await keepOptions(ctx, batch, { ...kept, when: isoOf(at) })
  // The turn that was asked for the old time finds it too early and goes; one that comes too late finds it done.
  await ctx.jobs.send('send', { company_id, batch_id }, startIn(at.getTime() - now.getTime()))
  return { scheduled_at: isoOf(at) }
})

export const sendNow = handle(contract.sendNow, async (ctx, { batch_id }) => {
  const { company_id, now } = ctx
  const { status, undo_until } = await batchOfSlips(ctx, batch_id, 'manage')
  must(status === 'scheduled' || '这一批没有在等，不用立即发送', { status })
  // What only waits to be undone has no time of its own.
  if (undo_until === null) await mustKeepItsTime(ctx, batch_id, status)
  await moveStart(ctx, batch_id, now)
  if (!(await setBatchStatus(ctx, batch_id, ['scheduled'], 'sending', { scheduled_at: null, undo_until: null })))
    throw refuse('wrong_state', undefined, { status })
  // The turn that was asked for the old time finds it under way, or done.
  await ctx.jobs.send('send', { company_id, batch_id })
  return { status: 'sending' as const }
})
