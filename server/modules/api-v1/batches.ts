/** Batches below /api/v1. */
import * as contract from '../../contract/api-v1/batches.ts'
import * as slip from '../../contract/payslips/send.ts'
import { getSendApproval, requestSendApproval } from '../../contract/payslips/send-approval.ts'
import { channels } from '../../contract/shared/schemas.ts'
import { bindHandlers, defineHandler, fail, type HandlerContext } from '../../http/handler.ts'
import { getPlanApproval, listBatchesAfter, listPayslipStates, sendTestByKey } from '../payslips/index.ts'
import { requireBatchForPayslips } from '../sheets/index.ts'
import { formatBatchPosition, parseBatchCursor, parseIdCursor, toPage } from './cursor.ts'
import { nameEmployees, toNames } from './employees.ts'
import { findReferenced, loadReferences } from './references.ts'
import type { CallRunner } from './run-call.ts'
import { nameBatch } from './wage-sheets.ts'

const listBatches = defineHandler(contract.listBatches, async (ctx, { external_id, month, status, cursor, limit }) => {
  const after = parseBatchCursor(cursor)
  const batch_id = external_id && (await findReferenced(ctx, 'batch_id', [external_id])).get(external_id)
  if (external_id && !batch_id) return { data: [], next_cursor: null }
  const rows = await listBatchesAfter(ctx, { ...(batch_id && { batch_id }), month, status }, { after, limit: limit + 1 })
  const { data, next_cursor } = toPage(rows, limit, formatBatchPosition)
  const references = await loadReferences(
    ctx,
    'batch_id',
    data.map((row) => row.batch_id),
  )
  return { data: data.map((row) => ({ ...row, external_id: references.get(row.batch_id) ?? null })), next_cursor }
})

const createGetBatch = ({ run }: CallRunner) =>
  defineHandler(contract.getBatch, async (ctx, { batch_id }) => {
    const info = await run(ctx, slip.getSendInfo, { batch_id })
    const { approval } = await run(ctx, getSendApproval, { batch_id })
    return {
      ...info,
      ...(await nameBatch(ctx, batch_id)),
      approval: approval && {
        plan_id: approval.plan_id,
        status: approval.status,
        requested_at: approval.requested_at,
        decided_by: approval.decided_by,
        reason: approval.reason,
      },
    }
  })

const createPlanBatch = ({ run }: CallRunner) =>
  defineHandler(contract.planBatch, async (ctx, { batch_id, channels, rows, scheduled_at }) => {
    const plan = await run(ctx, slip.sendPaySheet, {
      batch_id,
      ...(channels && { channels }),
      ...(rows && { rows }),
      ...(scheduled_at && { when: scheduled_at }),
    })
    return { ...plan, ...(await nameBatch(ctx, batch_id)), recipient_count: plan.count }
  })

const sendBatchTest = defineHandler(contract.sendBatchTest, async (ctx, { batch_id, channels: requested = channels }) => {
  const { test_send_id, member_id, deliveries, link, expires_at } = await sendTestByKey(ctx, {
    batch_id,
    channels: [...requested],
  })
  const [recipient] = await nameEmployees(ctx, [member_id])
  if (!recipient) throw fail('not_found')
  return {
    ...(await nameBatch(ctx, batch_id)),
    test_send_id,
    recipient,
    deliveries: deliveries.map(({ channel, status }) => ({ channel, delivery_status: status })),
    link,
    expires_at,
  }
})

const createSendPlannedBatch = ({ run }: CallRunner) =>
  defineHandler(contract.sendPlannedBatch, async (ctx, { batch_id, plan_id, spot_checked }) => {
    const names = await nameBatch(ctx, batch_id)
    const approval = await getPlanApproval(ctx, { batch_id, plan_id })
    if (approval === 'missing') await run(ctx, requestSendApproval, { plan_id, looked: spot_checked })
    if (approval !== 'none') return { ...names, outcome: 'pending_approval' as const, status: await getStatus(ctx, batch_id) }
    const { status } = await run(ctx, slip.doSend, { plan_id, looked: spot_checked })
    return { ...names, outcome: status === 'scheduled' ? ('scheduled' as const) : ('sent' as const), status }
  })

const getStatus = async (ctx: HandlerContext, batch_id: string) => (await requireBatchForPayslips(ctx, batch_id, 'view')).status

const createScheduleBatch = ({ run }: CallRunner) =>
  defineHandler(contract.scheduleBatch, async (ctx, { batch_id, scheduled_at }) => ({
    ...(await run(ctx, slip.setSchedule, { batch_id, when: scheduled_at })),
    ...(await nameBatch(ctx, batch_id)),
  }))

const createWithdrawBatch = ({ run, afterCommit }: CallRunner) =>
  defineHandler(
    contract.withdrawBatch,
    {
      afterCommit: async (after, input, { external_id, batch_id, ...done }) => ({
        ...(await afterCommit(after, slip.withdrawBatchPaySheet, input, done)),
        batch_id,
        external_id,
      }),
    },
    async (ctx, input) => ({
      ...(await run(ctx, slip.withdrawBatchPaySheet, input)),
      ...(await nameBatch(ctx, input.batch_id)),
    }),
  )

const listDeliveries = defineHandler(contract.listDeliveries, async (ctx, { batch_id, cursor, limit }) => {
  await requireBatchForPayslips(ctx, batch_id, 'view')
  const rows = await listPayslipStates(ctx, { batch_id, after: parseIdCursor(cursor), limit: limit + 1 })
  const { data, next_cursor } = toPage(rows, limit, ({ payslip_id }) => payslip_id)
  const references = await loadReferences(
    ctx,
    'member_id',
    data.map(({ member_id }) => member_id),
  )
  return {
    data: data.map((row) => ({
      payslip_id: row.payslip_id,
      employee: toNames({ ...row, id: row.member_id }, references),
      channel: row.channel,
      delivery_status: row.delivery,
      message: row.failure_message ?? row.delay_message,
      sent_at: row.sent_at,
      delivered_at: row.delivered_at,
    })),
    next_cursor,
  }
})

export const createBatchHandlers = (runner: CallRunner) =>
  bindHandlers(contract, {
    listBatches,
    getBatch: createGetBatch(runner),
    planBatch: createPlanBatch(runner),
    sendBatchTest,
    sendPlannedBatch: createSendPlannedBatch(runner),
    scheduleBatch: createScheduleBatch(runner),
    withdrawBatch: createWithdrawBatch(runner),
    listDeliveries,
  })
