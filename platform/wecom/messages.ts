/**
 * WeCom's messages. There is no key of one's own: the same JSON within four hours is not delivered twice, so everything about a message stands in it,
 * and a message is for one person, so that it can be taken back from him alone (platform/wecom.md §5).
 */

import type { AcceptedMessage, Carrier, OutgoingMessage, RecallOutcome, SendOutcome } from '../carrier.ts'
import { chatQuota } from '../quotas.ts'
import { type App, type ChatCard, type ChatReason, type ManyOutcome, type Messages, PlatformError } from '../types.ts'
import { listOf, text, textsOf } from '../wire/ask.ts'
import { amendBy, cardOf, cut, outcomeOf, piecesOf, reasonWords, refusedFor, verdictOf } from '../wire/chat.ts'
import type { WecomCalls } from './calls.ts'

const hour_ms = 3_600_000
const repeat_ms = 4 * hour_ms
const at_once = 20

const reasons: Readonly<Record<string, ChatReason>> = {
  81013: 'out_of_range',
  60111: 'not_there',
  701008: 'unlicensed',
  45002: 'content',
  40058: 'content',
  301002: 'app',
  50003: 'app',
}

/** One button that leads to a page: such a card, and only such a one, can be marked later. */
const templateOf = (id: string, { title, lines, link, button }: ChatCard) => ({
  card_type: link ? 'button_interaction' : 'text_notice',
  source: { desc: '薪函' },
  main_title: { title: cut(title, 108), desc: cut(lines.join(' '), 120) },
  task_id: id.replace(/[^\w@-]/g, '-').slice(0, 128),
  ...(link
    ? { card_action: { type: 1, url: link }, button_list: [{ text: cut(button, 30), style: 1, type: 1, url: link, key: 'open' }] }
    : {}),
})
const bodyOf = (app: App, to: readonly string[], id: string, card: ChatCard) => ({
  touser: to.join('|'),
  msgtype: 'template_card',
  agentid: Number(app.agent_id),
  template_card: templateOf(id, card),
  enable_id_trans: 0,
  enable_duplicate_check: 1,
  duplicate_check_interval: repeat_ms / 1000,
})

type Sent = { readonly ref: string; reasonOf(to: string): ChatReason | undefined }
async function handed({ post, withToken }: WecomCalls, app: App, body: object): Promise<Sent> {
  const answer = await withToken(app, (access_token) => post('/cgi-bin/message/send', { access_token }, body))
  const ids = (value: unknown) => (text(value) ?? '').split('|').filter(Boolean)
  const refused = new Map<string, ChatReason>()
  // Told beside a code of 0, and in small letters, of enciphered ids too.
  for (const id of ids(answer.invaliduser)) refused.set(id, 'out_of_range')
  for (const id of ids(answer.unlicenseduser)) refused.set(id, 'unlicensed')
  const code = text(answer.response_code)
  return {
    ref: `${text(answer.msgid) ?? ''}${code ? `|${code}` : ''}`,
    reasonOf: (to) => refused.get(to) ?? refused.get(to.toLowerCase()),
  }
}

async function sendOne(calls: WecomCalls, app: App, message: OutgoingMessage): Promise<SendOutcome> {
  const { id, to } = message
  try {
    const { ref, reasonOf } = await handed(calls, app, bodyOf(app, [to], id, cardOf(message)))
    const reason = reasonOf(to)
    return reason ? refusedFor(id, reason, '0') : { id, result: 'accepted', ref }
  } catch (error) {
    return outcomeOf(id, verdictOf(error, reasons))
  }
}

async function recallOne({ post, withToken }: WecomCalls, app: App, { id, ref }: AcceptedMessage): Promise<RecallOutcome> {
  const [msgid = ''] = ref.split('|')
  try {
    await withToken(app, (access_token) => post('/cgi-bin/message/recall', { access_token }, { msgid }))
    return { id, result: 'recalled' }
  } catch (error) {
    const unclear = error instanceof PlatformError && (error.kind === 'temporary' || error.kind === 'rate_limited')
    return { id, result: unclear ? 'unclear' : 'refused' }
  }
}

const carrierOf = (calls: WecomCalls, now: () => number): Carrier<App> => ({
  describe: () => ({ at_once, pace: null, texts: 'whole', signature: '薪函', recalls: true, amends: 'once' }),
  send: (app, messages) => Promise.all(messages.map((message) => sendOne(calls, app, message))),
  // The same JSON again is safe for four hours; after that nobody can tell.
  lookup: async (_app, messages) =>
    messages.map(({ id, at }) => ({
      id,
      result: now() - at.getTime() < repeat_ms - 600_000 ? 'not_accepted' : 'never_known',
    })),
  recall: (app, messages) => Promise.all(messages.map((message) => recallOne(calls, app, message))),
})

async function sendPiece(
  calls: WecomCalls,
  app: App,
  to: readonly string[],
  ask: { id: string; card: ChatCard },
): Promise<ManyOutcome[]> {
  try {
    const { ref, reasonOf } = await handed(calls, app, bodyOf(app, to, ask.id, ask.card))
    return to.map((one) => {
      const reason = reasonOf(one)
      return reason
        ? { to: one, result: 'refused', reason, code: '0', message: reasonWords[reason] }
        : { to: one, result: 'accepted', ref }
    })
  } catch (error) {
    const verdict = verdictOf(error, reasons)
    return to.map((one) =>
      verdict.result === 'refused' ? { to: one, ...verdict, message: reasonWords[verdict.reason] } : { to: one, ...verdict },
    )
  }
}

export function wecomMessages(calls: WecomCalls, now: () => number): { carrier: Carrier<App>; messages: Messages } {
  const { post, withToken } = calls
  const messages: Messages = {
    describe: () => ({
      receivers: 1000,
      recall_hours: 24,
      update: 'once',
      update_hours: 72,
      reads: false,
      repeat_ms,
      quota: chatQuota('wecom'),
    }),
    async sendMany(app, { id, to, card }) {
      const outcomes: ManyOutcome[] = []
      for (const [at, piece] of piecesOf(to, 1000).entries())
        outcomes.push(...(await sendPiece(calls, app, piece, { id: `${id}-${at}`, card })))
      return outcomes
    },
    standing: async (_app, { to }) => to.map((one) => ({ to: one, arrived: 'unknown', reason: null, read: null })),
    async update(app, { ref, to, state, sent_at }) {
      const [, response_code] = ref.split('|')
      if (!response_code) return 'unsupported'
      if (now() - sent_at.getTime() > 72 * hour_ms) return 'too_late'
      const whom = to === '' ? { atall: 1 } : { userids: [to] }
      const asking = { ...whom, agentid: Number(app.agent_id), response_code, button: { replace_name: state } }
      try {
        const body = await withToken(app, (access_token) =>
          post('/cgi-bin/message/update_template_card', { access_token }, asking),
        )
        return textsOf(body.invaliduser).length > 0 ? 'gone' : 'updated'
      } catch (error) {
        return verdictOf(error, {}).result === 'refused' ? 'refused' : 'unclear'
      }
    },
    async sentToday(app) {
      const body = await withToken(app, (access_token) =>
        post('/cgi-bin/message/get_statistics', { access_token }, { time_type: 0 }),
      )
      const own = listOf(body.statistics).find(({ agentid }) => text(agentid) === app.agent_id)
      return own ? Number(own.count) : null
    },
  }
  return { carrier: { ...carrierOf(calls, now), amend: amendBy(messages.update) }, messages }
}
