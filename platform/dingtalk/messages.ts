/**
 * DingTalk's work notifications. A call succeeds whatever becomes of it; who got nothing is asked for afterwards. The same content reaches a person
 * once a day, which makes a repeated try harmless and a second message of the same words impossible: each carries a number of its own (dingtalk.md §5).
 */

import { createHash } from 'node:crypto'
import type { AcceptedMessage, Carrier, OutgoingMessage, RecallOutcome, SendOutcome } from '../carrier.ts'
import { chatQuota } from '../quotas.ts'
import {
  type App,
  type ChatCard,
  type ChatReason,
  type ChatStanding,
  type ManyOutcome,
  type Messages,
  PlatformError,
} from '../types.ts'
import { inside, listOf, needed, text, textsOf } from '../wire/ask.ts'
import { amendBy, cardOf, cut, outcomeOf, piecesOf, reasonWords, refusedFor, verdictOf } from '../wire/chat.ts'
import type { DingtalkCalls } from './calls.ts'

const hour_ms = 3_600_000
const day_ms = 24 * hour_ms
const path = '/topapi/message/corpconversation'

const reasons: Readonly<Record<string, ChatReason>> = {
  143103: 'too_many_today',
  143104: 'too_many_today',
  143105: 'too_many_today',
  143106: 'repeated',
  33012: 'not_there',
  40035: 'content',
  400002: 'content',
  48004: 'app',
}
/** The day in China, which is when the same content counts as new. */
const dayOf = (at_ms: number): string => new Date(at_ms + 8 * hour_ms).toISOString().slice(0, 10)

const numberOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 8).toUpperCase()
/** What a form approved by them is filled with; its number is what makes two messages of the same words two. */
const filled = (id: string, { title, lines, link }: ChatCard) => ({
  title: cut(title, 150),
  content: cut(lines.join('\n'), 420),
  url: link ?? '',
  number: numberOf(id),
})
/** A form of theirs whose edge can be written on later. */
function msgOf(id: string, { title, lines, link }: ChatCard): object {
  return {
    msgtype: 'oa',
    oa: {
      ...(link ? { message_url: link, pc_message_url: link } : {}),
      head: { bgcolor: 'FF0F766E', text: '薪函' },
      // In the text itself: whether they compare more than that is said nowhere.
      body: { title: cut(title, 150), content: `${cut(lines.join('\n'), 420)}\n编号 ${numberOf(id)}` },
    },
  }
}

/** A task of messages, and what is known of it. */
function tasksOf({ old, withToken }: DingtalkCalls) {
  const ask = (app: App, name: string, json: object) =>
    withToken(app, (token) => old(`${path}/${name}`, token, { agent_id: Number(app.agent_id), ...json }))

  async function standingOf(app: App, ref: string, to: readonly string[]): Promise<ChatStanding[]> {
    const result = inside((await ask(app, 'getsendresult', { task_id: Number(ref) })).send_result)
    const [invalid, shut, failed, read, unread] = [
      result.invalid_user_id_list,
      result.forbidden_user_id_list,
      result.failed_user_id_list,
      result.read_user_id_list,
      result.unread_user_id_list,
    ].map((list) => new Set(textsOf(list)))
    const why = new Map(listOf(result.forbidden_list).map((one) => [text(one.userid) ?? '', text(one.code) ?? '']))
    return to.map((one): ChatStanding => {
      const no = (reason: ChatReason): ChatStanding => ({ to: one, arrived: 'no', reason, read: null })
      if (invalid?.has(one)) return no('out_of_range')
      if (shut?.has(one) || why.has(one)) return no(reasons[why.get(one) ?? ''] ?? 'blocked')
      if (failed?.has(one)) return no('other')
      if (read?.has(one)) return { to: one, arrived: 'yes', reason: null, read: true }
      return unread?.has(one)
        ? { to: one, arrived: 'yes', reason: null, read: false }
        : { to: one, arrived: 'not_yet', reason: null, read: null }
    })
  }
  /** The task, and what is known of everybody right after it. */
  async function handed(
    app: App,
    to: readonly string[],
    id: string,
    card: ChatCard,
  ): Promise<{ ref: string; told: ChatStanding[] }> {
    const [userid_list, template_id] = [to.join(','), app.suite?.template]
    const body = template_id
      ? await ask(app, 'sendbytemplate', { userid_list, template_id, data: JSON.stringify(filled(id, card)) })
      : await ask(app, 'asyncsend_v2', { userid_list, to_all_user: false, msg: msgOf(id, card) })
    const ref = needed('dingtalk', body.task_id)
    // It was taken: what cannot be read of it now is read later.
    const told = await standingOf(app, ref, to).catch(() => [])
    return { ref, told }
  }
  return { ask, standingOf, handed }
}
type Tasks = ReturnType<typeof tasksOf>

async function sendOne({ handed }: Tasks, app: App, message: OutgoingMessage): Promise<SendOutcome> {
  const { id, to } = message
  try {
    const { ref, told } = await handed(app, [to], id, cardOf(message))
    const reason = told[0]?.reason ?? null
    // A number of its own that they have seen today is this very message, sent before.
    return reason && reason !== 'repeated' ? refusedFor(id, reason, 'getsendresult') : { id, result: 'accepted', ref }
  } catch (error) {
    return outcomeOf(id, verdictOf(error, reasons))
  }
}
async function recallOne({ ask }: Tasks, app: App, { id, ref }: AcceptedMessage): Promise<RecallOutcome> {
  try {
    await ask(app, 'recall', { msg_task_id: Number(ref) })
    return { id, result: 'recalled' }
  } catch (error) {
    const unclear = error instanceof PlatformError && (error.kind === 'temporary' || error.kind === 'rate_limited')
    return { id, result: unclear ? 'unclear' : 'refused' }
  }
}
async function sendPiece(
  { handed }: Tasks,
  app: App,
  to: readonly string[],
  { id, card }: { id: string; card: ChatCard },
): Promise<ManyOutcome[]> {
  try {
    const { ref, told } = await handed(app, to, id, card)
    const whys = new Map(told.map((one) => [one.to, one.reason]))
    return to.map((one) => {
      const reason = whys.get(one)
      return reason && reason !== 'repeated'
        ? { to: one, result: 'refused', reason, code: 'getsendresult', message: reasonWords[reason] }
        : { to: one, result: 'accepted', ref }
    })
  } catch (error) {
    const verdict = verdictOf(error, reasons)
    return to.map((one) =>
      verdict.result === 'refused' ? { to: one, ...verdict, message: reasonWords[verdict.reason] } : { to: one, ...verdict },
    )
  }
}

const carrierOf = (tasks: Tasks, now: () => number): Carrier<App> => ({
  describe: () => ({
    at_once: 20,
    pace: { count: 5000, per_ms: 60_000 },
    texts: 'whole',
    signature: '薪函',
    recalls: true,
    amends: 'often',
  }),
  send: (app, messages) => Promise.all(messages.map((message) => sendOne(tasks, app, message))),
  // The same content on the same day arrives once, however often it is sent.
  lookup: async (_app, messages) =>
    messages.map(({ id, at }) => ({
      id,
      result: dayOf(at.getTime()) === dayOf(now()) && dayOf(now()) === dayOf(now() + 600_000) ? 'not_accepted' : 'never_known',
    })),
  recall: (app, messages) => Promise.all(messages.map((message) => recallOne(tasks, app, message))),
})

const messagesOf = (tasks: Tasks, now: () => number): Messages => ({
  describe: ({ suite }) => ({
    receivers: 100,
    recall_hours: 24,
    update: 'status',
    update_hours: 168,
    reads: true,
    repeat_ms: day_ms,
    quota: chatQuota('dingtalk', { store: suite !== undefined }),
  }),
  async sendMany(app, { id, to, card }) {
    const outcomes: ManyOutcome[] = []
    for (const piece of piecesOf(to, 100)) outcomes.push(...(await sendPiece(tasks, app, piece, { id, card })))
    return outcomes
  },
  async standing(app, { ref, to, sent_at }) {
    if (now() - sent_at.getTime() > day_ms) return to.map((one) => ({ to: one, arrived: 'unknown', reason: null, read: null }))
    return tasks.standingOf(app, ref, to)
  },
  async update(app, { ref, state, sent_at }) {
    if (now() - sent_at.getTime() > 7 * day_ms) return 'too_late'
    try {
      await tasks.ask(app, 'status_bar/update', { task_id: Number(ref), status_value: state, status_bg: '0xFF78716C' })
      return 'updated'
    } catch (error) {
      return verdictOf(error, reasons).result === 'refused' ? 'refused' : 'unclear'
    }
  },
  sentToday: async () => null,
})

export function dingtalkMessages(calls: DingtalkCalls, now: () => number): { carrier: Carrier<App>; messages: Messages } {
  const tasks = tasksOf(calls)
  const messages = messagesOf(tasks, now)
  return { carrier: { ...carrierOf(tasks, now), amend: amendBy(messages.update) }, messages }
}
