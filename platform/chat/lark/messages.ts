/**
 * Lark's messages: one per user, each with our own id, which prevents duplicates on a retry for one hour; the batch
 * call for messages with the same content to many users (platform/lark.md §5).
 */

import { createHash } from 'node:crypto'
import type { AcceptedMessage, Carrier, OutgoingMessage, RecallOutcome, SendOutcome, UpdateResult } from '../../carrier.ts'
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
  toSendFailure,
  toSendOutcome,
} from '../../wire/chat.ts'
import { requireText, toObjectList, toText, toTextList } from '../../wire/request.ts'
import type { LarkApi } from './api.ts'
import { larkRules } from './descriptor.ts'

const hourMs = 3_600_000
const batchSize = 20
const imPath = '/open-apis/im/v1'

const reasonByCode: Readonly<Record<string, ChatFailureReason>> = {
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

const plainText = (content: string) => ({ tag: 'plain_text', content })
/** Builds a card that can be updated later; `statusText` is its current status. */
export const buildLarkCard = ({ title, lines, link, button }: ChatCard, statusText: string | null = null) => ({
  config: { update_multi: true, wide_screen_mode: true },
  header: {
    template: statusText === null ? 'turquoise' : 'grey',
    title: plainText(statusText === null ? title : `【${statusText}】${title}`),
  },
  elements: [
    ...lines.map((line) => ({ tag: 'div', text: plainText(line) })),
    ...(link ? [{ tag: 'action', actions: [{ tag: 'button', type: 'primary', text: plainText(button), url: link }] }] : []),
  ],
})
/** Returns an id of at most 50 characters, the same for every attempt. */
const toUuid = (id: string): string => (id.length <= 50 ? id : createHash('sha256').update(id).digest('base64url'))

const recalledCodes = new Set(['230011', '230110'])
const expiredCodes = new Set(['230009', '230031', '230033'])

async function recallMessage({ request }: LarkApi, app: ChatApp, { id, ref }: AcceptedMessage): Promise<RecallOutcome> {
  const resource = ref.startsWith('bm-') ? 'batch_messages' : 'messages'
  try {
    await request(app, { method: 'DELETE', path: `${imPath}/${resource}/${encodeURIComponent(ref)}` })
    return { id, result: 'recalled' }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (recalledCodes.has(error.code)) return { id, result: 'recalled' }
    return { id, result: error.kind === 'temporary' || error.kind === 'rate_limited' ? 'unclear' : 'refused' }
  }
}
async function sendMessage({ requestData }: LarkApi, app: ChatApp, message: OutgoingMessage): Promise<SendOutcome> {
  const { id, to } = message
  const body = {
    receive_id: to,
    msg_type: 'interactive',
    content: JSON.stringify(buildLarkCard(toChatCard(message))),
    uuid: toUuid(id),
  }
  try {
    const response = await requestData(app, {
      method: 'POST',
      path: `${imPath}/messages`,
      params: { receive_id_type: 'open_id' },
      data: body,
    })
    return { id, result: 'accepted', ref: requireText('lark', response.message_id) }
  } catch (error) {
    // The limit concerns this one user; others are not affected.
    if (error instanceof PlatformError && error.code === '230020')
      return { id, result: 'put_off', retryAfterSeconds: 1, recipientOnly: true }
    return toSendOutcome(id, toSendFailure(error, reasonByCode))
  }
}

const createCarrier = (calls: LarkApi, now: () => number): Carrier<ChatApp> => ({
  describe: () => ({
    maxPerCall: batchSize,
    rateLimit: { count: 1000, perMs: 60_000 },
    style: 'whole',
    signature: '薪函',
    canRecall: true,
    updateSupport: 'often',
  }),
  send: (app, messages) => Promise.all(messages.map((message) => sendMessage(calls, app, message))),
  // Within one hour our id makes a retry harmless; after that the outcome cannot be determined.
  find: async (_app, messages) =>
    messages.map(({ id, attemptedAt }) => ({
      id,
      result: now() - attemptedAt.getTime() < hourMs - 600_000 ? 'not_accepted' : 'never_known',
    })),
  recall: (app, messages) => Promise.all(messages.map((message) => recallMessage(calls, app, message))),
})

async function sendChunk(
  { requestData }: LarkApi,
  app: ChatApp,
  to: readonly string[],
  card: ChatCard,
): Promise<RecipientOutcome[]> {
  try {
    const body = { open_ids: to, msg_type: 'interactive', card: buildLarkCard(card) }
    const response = await requestData(app, { method: 'POST', path: '/open-apis/message/v4/batch_send/', data: body })
    const ref = requireText('lark', response.message_id)
    const invalid = new Set(toTextList(response.invalid_open_ids))
    return to.map((one) =>
      invalid.has(one)
        ? { to: one, result: 'refused', reason: 'out_of_range', code: '0', message: failureMessages.out_of_range }
        : { to: one, result: 'accepted', ref },
    )
  } catch (error) {
    const failure = toSendFailure(error, reasonByCode)
    return to.map((one) =>
      failure.result === 'refused' ? { to: one, ...failure, message: failureMessages[failure.reason] } : { to: one, ...failure },
    )
  }
}

function toUpdateResult(error: unknown): UpdateResult {
  if (!(error instanceof PlatformError)) throw error
  if (expiredCodes.has(error.code)) return 'too_late'
  if (recalledCodes.has(error.code)) return 'gone'
  return error.kind === 'temporary' || error.kind === 'rate_limited' ? 'unclear' : 'refused'
}

export function createLarkMessages(calls: LarkApi, now: () => number): { carrier: Carrier<ChatApp>; messages: ChatMessages } {
  const { request, requestData } = calls
  const messages: ChatMessages = {
    describe: () => ({
      maxRecipients: 200,
      recallHours: 24,
      updateSupport: 'card',
      updateHours: 336,
      reportsReads: true,
      deduplicationMs: hourMs,
      quota: larkRules.quota,
    }),
    async sendMany(app, { to, card }) {
      const outcomes: RecipientOutcome[] = []
      for (const piece of splitIntoChunks(to, 200)) outcomes.push(...(await sendChunk(calls, app, piece, card)))
      return outcomes
    },
    async getDeliveryStatus(app, { ref, to, sent_at }) {
      // For a batch message only totals are reported, and nothing for messages older than a week.
      if (ref.startsWith('bm-') || now() - sent_at.getTime() > 168 * hourMs)
        return to.map((one) => ({ to: one, delivered: 'unknown', reason: null, read: null }))
      const path = `${imPath}/messages/${encodeURIComponent(ref)}/read_users`
      const provided = await requestData(app, { method: 'GET', path, params: { user_id_type: 'open_id', page_size: 100 } })
      const readers = new Set(toObjectList(provided.items).flatMap(({ user_id }) => toText(user_id) ?? []))
      return to.map((one) => ({ to: one, delivered: 'yes', reason: null, read: readers.has(one) }))
    },
    async update(app, { ref, card, state }) {
      if (ref.startsWith('bm-')) return 'unsupported'
      try {
        const content = JSON.stringify(buildLarkCard(card, state))
        await request(app, { method: 'PATCH', path: `${imPath}/messages/${encodeURIComponent(ref)}`, data: { content } })
        return 'updated'
      } catch (error) {
        return toUpdateResult(error)
      }
    },
    countSentToday: async () => null,
  }
  return { carrier: { ...createCarrier(calls, now), updateMessages: createMessageUpdater(messages.update) }, messages }
}
