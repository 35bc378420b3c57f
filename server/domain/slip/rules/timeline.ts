/** The story of one slip, oldest first, from the ledger and the slip's own times. */
import { channelWords } from '../../../contract/words/states.ts'
import type { Channel, DeliveryStatus } from '../../../contract/words/words.ts'
import { purposeOf } from './outcome.ts'

export type Event = {
  readonly at: Date
  readonly what:
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
/** What became of one version. */
export type Past = {
  readonly viewed_at: Date | null
  readonly confirmed_at: Date | null
  /** By the company's rule, not by the person. */
  readonly confirmed_auto: boolean
  readonly withdrawn_at: Date | null
  readonly withdrawn_reason: string | null
}
/** The present version stands in the fields themselves, those before it in `past`. */
export type Told = Past & {
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
  readonly past: readonly Past[]
  readonly feedback: readonly { readonly at: Date; readonly side: 'employee' | 'admin' }[]
}

/** Of events at one instant the later step comes later. */
const order: Event['what'][] = [
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

export function timelineOf(told: Told): Event[] {
  const events: Event[] = []
  for (const it of told.deliveries) {
    const purpose = purposeOf(it.purpose)
    if (purpose === 'slip') events.push({ at: it.created_at, what: 'queued', text: `安排发送（${channelWords[it.channel]}）` })
    if (!it.done_at) continue
    if (it.status === 'failed')
      events.push({
        at: it.done_at,
        what: 'failed',
        // It was taken, and did not arrive: that is another word than a refusal.
        text:
          it.code === 'undelivered'
            ? (it.message ?? '短信未送达')
            : `${channelWords[it.channel]}发送失败：${it.message ?? '原因不明'}`,
      })
    else if (it.status === 'unknown')
      events.push({
        at: it.done_at,
        what: 'sent',
        text: `已发放；${channelWords[it.channel]}通知是否送达无法确认，系统不会自动重发`,
      })
    else if (it.status === 'accepted' && purpose === 'slip')
      events.push({
        at: it.done_at,
        what: 'sent',
        text:
          it.channel === 'link'
            ? '已发放，员工登录后可查看'
            : `已通过${channelWords[it.channel]}发送${it.code === 'delayed' && it.message ? `；${it.message}` : ''}`,
      })
    else if (it.status === 'accepted' && purpose === 'remind')
      events.push({ at: it.done_at, what: 'reminded', text: `已通过${channelWords[it.channel]}提醒` })
  }
  for (const { delivered_at, channel } of told.deliveries)
    if (delivered_at) events.push({ at: delivered_at, what: 'delivered', text: `${channelWords[channel]}已送达手机` })
  const seen = new Set<number>()
  for (const it of told.changes) {
    if (seen.has(it.version)) continue
    seen.add(it.version)
    events.push({ at: it.at, what: 'corrected', text: `${it.by} 更正为第 ${it.version} 版：${it.reason}` })
  }
  for (const it of [...told.past, told]) events.push(...became(it))
  for (const it of told.feedback)
    events.push({ at: it.at, what: 'feedback', text: it.side === 'employee' ? '员工提出了疑问' : '管理员回复了疑问' })
  return events.toSorted((a, b) => a.at.getTime() - b.at.getTime() || order.indexOf(a.what) - order.indexOf(b.what))
}

function became(it: Past): Event[] {
  const events: Event[] = []
  if (it.viewed_at) events.push({ at: it.viewed_at, what: 'viewed', text: '员工已查看' })
  if (it.confirmed_at)
    events.push({ at: it.confirmed_at, what: 'confirmed', text: it.confirmed_auto ? '到期自动确认' : '员工已确认' })
  if (it.withdrawn_at)
    events.push({
      at: it.withdrawn_at,
      what: 'withdrawn',
      text: it.withdrawn_reason ? `已撤回：${it.withdrawn_reason}` : '已撤回',
    })
  return events
}
