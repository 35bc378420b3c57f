/** Computes what would be sent: each recipient's channel, the cost, and who cannot be reached. The same for preview and plan. */

import type { CallInput } from '../../../contract/call.ts'
import type * as contract from '../../../contract/payslips/send.ts'
import type { Channel } from '../../../contract/shared/schemas.ts'
import { can } from '../../../contract/shared/statuses.ts'
import { assertAllowed, fail, type HandlerContext, invalidInput } from '../../../http/handler.ts'
import { getDeliveryMeans } from '../../billing/index.ts'
import { loadWageSettings, type WageSettings } from '../../company/settings/index.ts'
import { type BatchRow, countUnsent } from '../../sheets/index.ts'
import { loadReadyRows, type ReadyRow } from '../../sheets/ready/index.ts'
import { assignChannels, type EnabledChannels } from '../rules/channel.ts'
import { getSendBlock } from '../rules/identity.ts'
import { type SpotCheck, selectSpotChecks } from '../rules/spot-checks.ts'
import { formatSendBlock, getCurrentIdentity, loadRecipients, type RecipientRow } from '../send/identity.ts'
import { getSegmentCount, previewMessages } from '../send/message-source.ts'
import { getPlatformQuota } from './platform-quota.ts'
import { formatApprovalReason, getApprovalNeed } from './recipients-of-day.ts'

const maxScheduleDelayMs = 92 * 86_400_000

type PlanMember = Awaited<ReturnType<typeof loadRecipients>> extends Map<string, infer P> ? P : never
type PlanRow = { row: number; name: string }
type PlannedPayslip = { readonly row: ReadyRow; readonly channel: Channel; readonly recipient: RecipientRow }

export function parseScheduleTime(when: string, now: Date): Date {
  const at = new Date(when)
  if (at <= now) throw invalidInput('when', '定时发送的时间要晚于现在')
  if (at.getTime() - now.getTime() > maxScheduleDelayMs) throw invalidInput('when', '定时发送最多提前三个月')
  return at
}

/** Splits recipients from those left out, with the reason. */
function splitRecipients(
  selectedRows: readonly ReadyRow[],
  recipientById: ReadonlyMap<string, PlanMember>,
  assignPlanChannels: (people: PlanMember[]) => ReturnType<typeof assignChannels>,
) {
  const by_channel: Record<Channel, number> = { platform: 0, sms: 0, email: 0, link: 0 }
  const unreachable: PlanRow[] = []
  const without_sms: PlanRow[] = []
  const stopped: (PlanRow & { reason: string })[] = []
  const planned: PlannedPayslip[] = []
  const candidates: { row: ReadyRow; person: PlanMember }[] = []
  for (const row of selectedRows) {
    const recipient = recipientById.get(row.member_id)
    const block = recipient ? getSendBlock(null, getCurrentIdentity('', recipient)) : null
    if (!recipient) unreachable.push({ row: row.row, name: '' })
    else if (block) stopped.push({ row: row.row, name: recipient.name, reason: formatSendBlock(block) })
    else candidates.push({ row, person: recipient })
  }
  const assignedChannels = assignPlanChannels(candidates.map(({ person: recipient }) => recipient))
  for (const [at, { row, person: recipient }] of candidates.entries()) {
    const channel = assignedChannels[at] ?? null
    if (channel === null || channel === 'short')
      (channel ? without_sms : unreachable).push({ row: row.row, name: recipient.name })
    else {
      by_channel[channel] += 1
      planned.push({ row, channel, recipient })
    }
  }
  return { by_channel, unreachable, sms_insufficient: without_sms, blocked: stopped, going: planned }
}

type PlanParams = CallInput<typeof contract.getSendPlan>

/** Throws if nothing can be sent. `saveDecisions`: the batch is about to be sent, so decisions about the sheet are remembered. */
export async function computePlan(
  ctx: HandlerContext,
  batch: BatchRow,
  { rows, channels, when }: PlanParams,
  saveDecisions: boolean,
) {
  const { status } = batch
  assertAllowed(can.send(status, await countUnsent(ctx, batch.id)), { status })
  if (!batch.title_id) throw fail('wrong_state', '请先填写这一批的标题和月份', { status, field: 'title' })
  const scheduled_at = when === undefined ? null : parseScheduleTime(when, ctx.now)
  const allRows = await loadReadyRows(ctx, batch, saveDecisions)
  const requestedRows = rows ? new Set(rows) : null
  const selectedRows = requestedRows ? allRows.filter((one) => requestedRows.has(one.row)) : allRows
  if (requestedRows && selectedRows.length !== requestedRows.size)
    throw invalidInput('rows', '选中的人里有的不在这张工资表中，请刷新后重新选择')

  const setting = await loadWageSettings(ctx)
  const { provider, sms_left } = await getDeliveryMeans(ctx)
  const sms_each = await getSegmentCount(ctx, batch.id, 'slip')
  const recipientById = await loadRecipients(
    ctx,
    selectedRows.map((one) => one.member_id),
  )
  const {
    going: planned,
    by_channel,
    ...unsent
  } = splitRecipients(selectedRows, recipientById, (candidates) =>
    assignChannels(
      candidates.map((recipient) => ({
        mobile: recipient.mobile,
        email: recipient.email,
        isTerminated: recipient.status === 'left',
        platform_user_id: provider ? recipient.platform_user_id : null,
      })),
      channels,
      setting.send_rule,
      { remaining: sms_left ?? Number.POSITIVE_INFINITY, segmentsPerMessage: sms_each },
    ),
  )
  const spotChecks = selectSpotChecks(planned.map(({ row }) => row))
  const fallbackSegments = countSmsFallbacks(planned, channels, setting.send_rule) * sms_each
  const previewChannels = channels
    .filter((candidate) => candidate !== 'link')
    .filter((candidate) => by_channel[candidate] > 0 || (candidate === 'sms' && fallbackSegments > 0))
  const { approve_from } = setting.send_rule
  const approvalNeed = await getApprovalNeed(
    ctx,
    approve_from,
    planned.map(({ row }) => row.member_id),
  )
  const summary = {
    count: planned.length,
    by_channel,
    sms_needed: by_channel.sms * sms_each,
    sms_per_recipient: sms_each,
    sms_left,
    sms_fallback_max: fallbackSegments,
    previews: await previewMessages(ctx, batch.id, previewChannels),
    ...unsent,
    spot_checks: toSpotCheckViews(spotChecks, planned, recipientById),
    platform_quota: await getPlatformQuota(
      ctx,
      provider,
      planned.filter(({ channel }) => channel === 'platform').map(({ row }) => row.member_id),
    ),
    matched_by_name_count: planned.filter(({ row }) => row.matchedByNameOnly).length,
    undo_seconds: scheduled_at ? 0 : setting.send_rule.undo_seconds,
    needs_approval: approvalNeed.isNeeded,
    approval_reason: formatApprovalReason(approve_from, planned.length, approvalNeed),
  }
  return { notified: summary, all: allRows, going: planned, views: spotChecks, setting, scheduled_at }
}

/** Counts the payslips that would fall back to SMS if the preceding channel failed. */
function countSmsFallbacks(
  planned: readonly PlannedPayslip[],
  order: readonly Channel[],
  enabledChannels: EnabledChannels,
): number {
  const smsIndex = order.indexOf('sms')
  if (smsIndex < 0 || !enabledChannels.sms) return 0
  // The link channel cannot fail, so payslips that reach it have no further fallback.
  const canReachSms = (from: number) => from < smsIndex && !order.slice(from, smsIndex).includes('link')
  return planned.filter(({ channel, recipient }) => canReachSms(order.indexOf(channel)) && recipient.mobile !== '').length
}

/** Returns the company's default payslip rules, used where the plan has none. */
export const getDefaultRules = ({ confirm, feedback, send_rule }: WageSettings) => ({
  confirm,
  feedback,
  view_password: send_rule.view_password,
  burn_after_minutes: send_rule.burn_after_minutes,
  watermark: send_rule.watermark,
})

/** Returns the members who must be spot-checked, with their roster data. */
function toSpotCheckViews(
  spotChecks: readonly SpotCheck[],
  planned: readonly PlannedPayslip[],
  recipientById: ReadonlyMap<string, { readonly name: string; readonly mobile: string }>,
) {
  const rows = new Map(planned.map(({ row }) => [row.row, row]))
  return spotChecks.map(({ row, reason }) => {
    const readyRow = rows.get(row)
    const { name = '', mobile = '' } = recipientById.get(readyRow?.member_id ?? '') ?? {}
    return {
      row,
      reason,
      name,
      mobile_masked: `${mobile.slice(0, 3)}****${mobile.slice(-4)}`,
      departments: readyRow?.departments ?? '',
      net_fen: readyRow?.net_fen ?? null,
    }
  })
}

/** Groups rows by department; a member of two departments is in both. */
export function groupByDepartment(allRows: readonly ReadyRow[]): { name: string; rows: number[] }[] {
  const rows = new Map<string, number[]>()
  for (const { row, departments } of allRows)
    for (const name of departments ? departments.split('、') : ['']) {
      const existing = rows.get(name)
      if (existing) existing.push(row)
      else rows.set(name, [row])
    }
  return [...rows]
    .map(([name, departmentRows]) => ({ name, rows: departmentRows }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
