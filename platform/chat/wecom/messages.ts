/**
 * WeCom's messages. There is no idempotency key: identical JSON within four hours is not delivered twice, so everything
 * that identifies a message is part of it, and each message has one recipient so that it can be recalled individually
 * (platform/wecom.md §5).
 */

import type { AcceptedMessage, Carrier, OutgoingMessage, RecallOutcome, SendOutcome } from '../../carrier.ts'
import {
  type ChatApp,
  type ChatCard,
  type ChatFailureReason,
  type ChatMessages,
  PlatformError,
  type RecipientOutcome,
} from '../../types.ts'
import {
  createMessageUpdater,
  failureMessages,
  splitIntoChunks,
  toChatCard,
  toRejectedOutcome,
  toSendFailure,
  toSendOutcome,
  truncateBytes,
} from '../../wire/chat.ts'
import { toObjectList, toText, toTextList } from '../../wire/request.ts'
import type { WecomApi } from './api.ts'
import { wecomRules } from './descriptor.ts'

const hourMs = 3_600_000
const deduplicationMs = 4 * hourMs
const batchSize = 20

const reasonByCode: Readonly<Record<string, ChatFailureReason>> = {
  81013: 'out_of_range',
  60111: 'not_there',
  701008: 'unlicensed',
  45002: 'content',
  40058: 'content',
  301002: 'app',
  50003: 'app',
}

/** Builds a card with one button that links to a page: only such a card can be updated later. */
const buildTemplateCard = (id: string, { title, lines, link, button }: ChatCard) => ({
  card_type: link ? 'button_interaction' : 'text_notice',
  source: { desc: '薪函' },
  main_title: { title: truncateBytes(title, 108), desc: truncateBytes(lines.join(' '), 120) },
  task_id: id.replace(/[^\w@-]/g, '-').slice(0, 128),
  ...(link
    ? {
        card_action: { type: 1, url: link },
        button_list: [{ text: truncateBytes(button, 30), style: 1, type: 1, url: link, key: 'open' }],
      }
    : {}),
})
const buildMessageBody = (app: ChatApp, to: readonly string[], id: string, card: ChatCard) => ({
  touser: to.join('|'),
  msgtype: 'template_card',
  agentid: Number(app.agent_id),
  template_card: buildTemplateCard(id, card),
  enable_id_trans: 0,
  enable_duplicate_check: 1,
  duplicate_check_interval: deduplicationMs / 1000,
})

type SendReceipt = { readonly ref: string; getReason(to: string): ChatFailureReason | undefined }
async function postMessage({ post, withToken }: WecomApi, app: ChatApp, body: object): Promise<SendReceipt> {
  const response = await withToken(app, (access_token) => post('/cgi-bin/message/send', { access_token }, body))
  const ids = (value: unknown) => (toText(value) ?? '').split('|').filter(Boolean)
  const reasons = new Map<string, ChatFailureReason>()
  // Failures are reported with a code of 0 and in lower case, even for encrypted ids.
  for (const id of ids(response.invaliduser)) reasons.set(id, 'out_of_range')
  for (const id of ids(response.unlicenseduser)) reasons.set(id, 'unlicensed')
  const code = toText(response.response_code)
  return {
    ref: `${toText(response.msgid) ?? ''}${code ? `|${code}` : ''}`,
    getReason: (to) => reasons.get(to) ?? reasons.get(to.toLowerCase()),
  }
}

async function sendMessage(calls: WecomApi, app: ChatApp, message: OutgoingMessage): Promise<SendOutcome> {
  const { id, to } = message
  try {
    const { ref, getReason } = await postMessage(calls, app, buildMessageBody(app, [to], id, toChatCard(message)))
    const reason = getReason(to)
    return reason ? toRejectedOutcome(id, reason, '0') : { id, result: 'accepted', ref }
  } catch (error) {
    return toSendOutcome(id, toSendFailure(error, reasonByCode))
  }
}

async function recallMessage({ post, withToken }: WecomApi, app: ChatApp, { id, ref }: AcceptedMessage): Promise<RecallOutcome> {
  const [msgid = ''] = ref.split('|')
  try {
    await withToken(app, (access_token) => post('/cgi-bin/message/recall', { access_token }, { msgid }))
    return { id, result: 'recalled' }
  } catch (error) {
    const isUnclear = error instanceof PlatformError && (error.kind === 'temporary' || error.kind === 'rate_limited')
    return { id, result: isUnclear ? 'unclear' : 'refused' }
  }
}

const createCarrier = (calls: WecomApi, now: () => number): Carrier<ChatApp> => ({
  describe: () => ({
    maxPerCall: batchSize,
    rateLimit: null,
    style: 'whole',
    signature: '薪函',
    canRecall: true,
    updateSupport: 'once',
  }),
  send: (app, messages) => Promise.all(messages.map((message) => sendMessage(calls, app, message))),
  // Identical JSON can safely be sent again for four hours; after that the outcome cannot be determined.
  find: async (_app, messages) =>
    messages.map(({ id, attemptedAt }) => ({
      id,
      result: now() - attemptedAt.getTime() < deduplicationMs - 600_000 ? 'not_accepted' : 'never_known',
    })),
  recall: (app, messages) => Promise.all(messages.map((message) => recallMessage(calls, app, message))),
})

async function sendChunk(
  calls: WecomApi,
  app: ChatApp,
  to: readonly string[],
  message: { id: string; card: ChatCard },
): Promise<RecipientOutcome[]> {
  try {
    const { ref, getReason } = await postMessage(calls, app, buildMessageBody(app, to, message.id, message.card))
    return to.map((one) => {
      const reason = getReason(one)
      return reason
        ? { to: one, result: 'refused', reason, code: '0', message: failureMessages[reason] }
        : { to: one, result: 'accepted', ref }
    })
  } catch (error) {
    const failure = toSendFailure(error, reasonByCode)
    return to.map((one) =>
      failure.result === 'refused' ? { to: one, ...failure, message: failureMessages[failure.reason] } : { to: one, ...failure },
    )
  }
}

export function createWecomMessages(calls: WecomApi, now: () => number): { carrier: Carrier<ChatApp>; messages: ChatMessages } {
  const { post, withToken } = calls
  const messages: ChatMessages = {
    describe: () => ({
      maxRecipients: 1000,
      recallHours: 24,
      updateSupport: 'once',
      updateHours: 72,
      reportsReads: false,
      deduplicationMs,
      quota: wecomRules.quota,
    }),
    async sendMany(app, { id, to, card }) {
      const outcomes: RecipientOutcome[] = []
      for (const [at, piece] of splitIntoChunks(to, 1000).entries())
        outcomes.push(...(await sendChunk(calls, app, piece, { id: `${id}-${at}`, card })))
      return outcomes
    },
    getDeliveryStatus: async (_app, { to }) => to.map((one) => ({ to: one, delivered: 'unknown', reason: null, read: null })),
    async update(app, { ref, to, state, sent_at }) {
      const [, response_code] = ref.split('|')
      if (!response_code) return 'unsupported'
      if (now() - sent_at.getTime() > 72 * hourMs) return 'too_late'
      const whom = to === '' ? { atall: 1 } : { userids: [to] }
      const asking = { ...whom, agentid: Number(app.agent_id), response_code, button: { replace_name: state } }
      try {
        const body = await withToken(app, (access_token) =>
          post('/cgi-bin/message/update_template_card', { access_token }, asking),
        )
        return toTextList(body.invaliduser).length > 0 ? 'gone' : 'updated'
      } catch (error) {
        return toSendFailure(error, {}).result === 'refused' ? 'refused' : 'unclear'
      }
    },
    async countSentToday(app) {
      const body = await withToken(app, (access_token) =>
        post('/cgi-bin/message/get_statistics', { access_token }, { time_type: 0 }),
      )
      const own = toObjectList(body.statistics).find(({ agentid }) => toText(agentid) === app.agent_id)
      return own ? Number(own.count) : null
    },
  }
  return { carrier: { ...createCarrier(calls, now), updateMessages: createMessageUpdater(messages.update) }, messages }
}
