/**
 * Lark's messages: one a person, each under our own id, which keeps a repeated try from arriving twice for an hour; the batch call for
 * what many get alike (platform/lark.md §5).
 */

import { createHash } from 'node:crypto'
import type { AcceptedMessage, AmendResult, Carrier, OutgoingMessage, RecallOutcome, SendOutcome } from '../carrier.ts'
import { chatQuota } from '../quotas.ts'
import { type App, type ChatCard, type ChatReason, type ManyOutcome, type Messages, PlatformError } from '../types.ts'
import { listOf, needed, text, textsOf } from '../wire/ask.ts'
import { amendBy, cardOf, outcomeOf, piecesOf, reasonWords, verdictOf } from '../wire/chat.ts'
import type { LarkCalls } from './calls.ts'

const hour_ms = 3_600_000
const at_once = 20
const im = '/open-apis/im/v1'

const reasons: Readonly<Record<string, ChatReason>> = {
  230013: 'out_of_range',
  230038: 'out_of_range',
  41050: 'out_of_range',
  230029: 'not_there',
  230034: 'not_there',
  99992351: 'not_there',
  99992361: 'not_there',
  230053: 'blocked',
  230035: 'blocked',
  230022: 'content',
  230025: 'content',
  230028: 'content',
  230099: 'content',
  230001: 'content',
  230006: 'app',
  230027: 'app',
  11205: 'app',
  11207: 'app',
  11210: 'app',
  11247: 'too_many_today',
}

const plain = (content: string) => ({ tag: 'plain_text', content })
/** A card that may be written anew; `state` is what became of it since. */
export const larkCard = ({ title, lines, link, button }: ChatCard, state: string | null = null) => ({
  config: { update_multi: true, wide_screen_mode: true },
  header: { template: state === null ? 'turquoise' : 'grey', title: plain(state === null ? title : `【${state}】${title}`) },
  elements: [
    ...lines.map((line) => ({ tag: 'div', text: plain(line) })),
    ...(link ? [{ tag: 'action', actions: [{ tag: 'button', type: 'primary', text: plain(button), url: link }] }] : []),
  ],
})
/** At most 50 characters, the same for every try. */
const uuidOf = (id: string): string => (id.length <= 50 ? id : createHash('sha256').update(id).digest('base64url'))

const goneCodes = new Set(['230011', '230110'])
const lateCodes = new Set(['230009', '230031', '230033'])

async function recallOne({ call }: LarkCalls, app: App, { id, ref }: AcceptedMessage): Promise<RecallOutcome> {
  const what = ref.startsWith('bm-') ? 'batch_messages' : 'messages'
  try {
    await call(app, { method: 'DELETE', path: `${im}/${what}/${encodeURIComponent(ref)}` })
    return { id, result: 'recalled' }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (goneCodes.has(error.code)) return { id, result: 'recalled' }
    return { id, result: error.kind === 'temporary' || error.kind === 'rate_limited' ? 'unclear' : 'refused' }
  }
}
async function sendOne({ data }: LarkCalls, app: App, message: OutgoingMessage): Promise<SendOutcome> {
  const { id, to } = message
  const body = { receive_id: to, msg_type: 'interactive', content: JSON.stringify(larkCard(cardOf(message))), uuid: uuidOf(id) }
  try {
    const given = await data(app, { method: 'POST', path: `${im}/messages`, params: { receive_id_type: 'open_id' }, data: body })
    return { id, result: 'accepted', ref: needed('lark', given.message_id) }
  } catch (error) {
    // Too much for this one person; others are served meanwhile.
    if (error instanceof PlatformError && error.code === '230020') return { id, result: 'put_off', wait_s: 1, one_address: true }
    return outcomeOf(id, verdictOf(error, reasons))
  }
}

const carrierOf = (calls: LarkCalls, now: () => number): Carrier<App> => ({
  describe: () => ({
    at_once,
    pace: { count: 1000, per_ms: 60_000 },
    texts: 'whole',
    signature: '薪函',
    recalls: true,
    amends: 'often',
  }),
  send: (app, messages) => Promise.all(messages.map((message) => sendOne(calls, app, message))),
  // Within the hour our id makes another try harmless; after that nobody can tell.
  lookup: async (_app, messages) =>
    messages.map(({ id, at }) => ({ id, result: now() - at.getTime() < hour_ms - 600_000 ? 'not_accepted' : 'never_known' })),
  recall: (app, messages) => Promise.all(messages.map((message) => recallOne(calls, app, message))),
})

async function sendPiece({ data }: LarkCalls, app: App, to: readonly string[], card: ChatCard): Promise<ManyOutcome[]> {
  try {
    const body = { open_ids: to, msg_type: 'interactive', card: larkCard(card) }
    const given = await data(app, { method: 'POST', path: '/open-apis/message/v4/batch_send/', data: body })
    const ref = needed('lark', given.message_id)
    const invalid = new Set(textsOf(given.invalid_open_ids))
    return to.map((one) =>
      invalid.has(one)
        ? { to: one, result: 'refused', reason: 'out_of_range', code: '0', message: reasonWords.out_of_range }
        : { to: one, result: 'accepted', ref },
    )
  } catch (error) {
    const verdict = verdictOf(error, reasons)
    return to.map((one) =>
      verdict.result === 'refused' ? { to: one, ...verdict, message: reasonWords[verdict.reason] } : { to: one, ...verdict },
    )
  }
}

function updateError(error: unknown): AmendResult {
  if (!(error instanceof PlatformError)) throw error
  if (lateCodes.has(error.code)) return 'too_late'
  if (goneCodes.has(error.code)) return 'gone'
  return error.kind === 'temporary' || error.kind === 'rate_limited' ? 'unclear' : 'refused'
}

export function larkMessages(calls: LarkCalls, now: () => number): { carrier: Carrier<App>; messages: Messages } {
  const { call, data } = calls
  const messages: Messages = {
    describe: () => ({
      receivers: 200,
      recall_hours: 24,
      update: 'card',
      update_hours: 336,
      reads: true,
      repeat_ms: hour_ms,
      quota: chatQuota('lark'),
    }),
    async sendMany(app, { to, card }) {
      const outcomes: ManyOutcome[] = []
      for (const piece of piecesOf(to, 200)) outcomes.push(...(await sendPiece(calls, app, piece, card)))
      return outcomes
    },
    async standing(app, { ref, to, sent_at }) {
      // Of a batch only numbers are told, and of what is older than a week nothing.
      if (ref.startsWith('bm-') || now() - sent_at.getTime() > 168 * hour_ms)
        return to.map((one) => ({ to: one, arrived: 'unknown', reason: null, read: null }))
      const path = `${im}/messages/${encodeURIComponent(ref)}/read_users`
      const given = await data(app, { method: 'GET', path, params: { user_id_type: 'open_id', page_size: 100 } })
      const readers = new Set(listOf(given.items).flatMap(({ user_id }) => text(user_id) ?? []))
      return to.map((one) => ({ to: one, arrived: 'yes', reason: null, read: readers.has(one) }))
    },
    async update(app, { ref, card, state }) {
      if (ref.startsWith('bm-')) return 'unsupported'
      try {
        const content = JSON.stringify(larkCard(card, state))
        await call(app, { method: 'PATCH', path: `${im}/messages/${encodeURIComponent(ref)}`, data: { content } })
        return 'updated'
      } catch (error) {
        return updateError(error)
      }
    },
    sentToday: async () => null,
  }
  return { carrier: { ...carrierOf(calls, now), amend: amendBy(messages.update) }, messages }
}
