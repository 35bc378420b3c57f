/** The timeline of one payslip, oldest first, from the delivery ledger and the payslip's own timestamps. */

import type { Channel, DeliveryStatus } from '../../../contract/shared/schemas.ts'
import { channelLabels } from '../../../contract/shared/statuses.ts'
import { parsePurpose } from './dispatch.ts'

export type TimelineEvent = {
  readonly at: Date
  readonly kind:
    | 'queued'
    | 'sent'
    | 'delivered'
    | 'failed'
    | 'reminded'
    | 'viewed'
    | 'confirmed'
    | 'corrected'
    | 'feedback'
    | 'withdrawn'
  readonly text: string
}
/** The events of one version. */
export type VersionOutcome = {
  readonly viewed_at: Date | null
  readonly confirmed_at: Date | null
  /** The payslip was confirmed by the company's rule, not by the employee. */
  readonly confirmed_auto: boolean
  readonly withdrawn_at: Date | null
  readonly withdrawn_reason: string | null
}
/** The current version is in the fields themselves, earlier ones in `past`. */
export type TimelineInput = VersionOutcome & {
  readonly deliveries: readonly {
    readonly purpose: string
    readonly channel: Channel
    readonly status: DeliveryStatus
    readonly code: string | null
    readonly message: string | null
    readonly created_at: Date
    readonly done_at: Date | null
    readonly delivered_at: Date | null
  }[]
  readonly changes: readonly { readonly version: number; readonly at: Date; readonly by: string; readonly reason: string }[]
  readonly previousVersions: readonly VersionOutcome[]
  readonly feedback: readonly { readonly at: Date; readonly side: 'employee' | 'admin' }[]
}

/** Events at the same time are ordered by step. */
const eventOrder: TimelineEvent['kind'][] = [
  'queued',
  'failed',
  'sent',
  'delivered',
  'reminded',
  'viewed',
  'confirmed',
  'corrected',
  'feedback',
  'withdrawn',
]

export function buildTimeline(input: TimelineInput): TimelineEvent[] {
  const events: TimelineEvent[] = []
  for (const item of input.deliveries) {
    const purpose = parsePurpose(item.purpose)
    if (purpose === 'slip')
      events.push({ at: item.created_at, kind: 'queued', text: `安排发送（${channelLabels[item.channel]}）` })
    if (!item.done_at) continue
    if (item.status === 'failed')
      events.push({
        at: item.done_at,
        kind: 'failed',
        // Accepted by the carrier but not delivered is not the same as rejected.
        text:
          item.code === 'undelivered'
            ? (item.message ?? '短信未送达')
            : `${channelLabels[item.channel]}发送失败：${item.message ?? '原因不明'}`,
      })
    else if (item.status === 'unknown')
      events.push({
        at: item.done_at,
        kind: 'sent',
        text: `已发放；${channelLabels[item.channel]}通知是否送达无法确认，系统不会自动重发`,
      })
    else if (item.status === 'accepted' && purpose === 'slip')
      events.push({
        at: item.done_at,
        kind: 'sent',
        text:
          item.channel === 'link'
            ? '已发放，员工登录后可查看'
            : `已通过${channelLabels[item.channel]}发送${item.code === 'delayed' && item.message ? `；${item.message}` : ''}`,
      })
    else if (item.status === 'accepted' && purpose === 'remind')
      events.push({ at: item.done_at, kind: 'reminded', text: `已通过${channelLabels[item.channel]}提醒` })
  }
  for (const { delivered_at, channel } of input.deliveries)
    if (delivered_at) events.push({ at: delivered_at, kind: 'delivered', text: `${channelLabels[channel]}已送达手机` })
  const handledVersions = new Set<number>()
  for (const item of input.changes) {
    if (handledVersions.has(item.version)) continue
    handledVersions.add(item.version)
    events.push({ at: item.at, kind: 'corrected', text: `${item.by} 更正为第 ${item.version} 版：${item.reason}` })
  }
  for (const item of [...input.previousVersions, input]) events.push(...toVersionEvents(item))
  for (const item of input.feedback)
    events.push({ at: item.at, kind: 'feedback', text: item.side === 'employee' ? '员工提交了反馈' : '管理员回复了反馈' })
  return events.toSorted((a, b) => a.at.getTime() - b.at.getTime() || eventOrder.indexOf(a.kind) - eventOrder.indexOf(b.kind))
}

function toVersionEvents(item: VersionOutcome): TimelineEvent[] {
  const events: TimelineEvent[] = []
  if (item.viewed_at) events.push({ at: item.viewed_at, kind: 'viewed', text: '员工已查看' })
  if (item.confirmed_at)
    events.push({ at: item.confirmed_at, kind: 'confirmed', text: item.confirmed_auto ? '到期自动确认' : '员工已确认' })
  if (item.withdrawn_at)
    events.push({
      at: item.withdrawn_at,
      kind: 'withdrawn',
      text: item.withdrawn_reason ? `已撤回：${item.withdrawn_reason}` : '已撤回',
    })
  return events
}
