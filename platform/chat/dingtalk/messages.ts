/**
 * DingTalk's work notifications. A call succeeds regardless of delivery; failed recipients are queried afterwards. The
 * same content reaches a user only once a day, which makes a retry harmless but a second message with the same text
 * impossible: each message therefore carries a unique number (dingtalk.md §5).
 */

import { createHash } from 'node:crypto'
import type { AcceptedMessage, Carrier, OutgoingMessage, RecallOutcome, SendOutcome } from '../../carrier.ts'
import {
  type ChatApp,
  type ChatCard,
  type ChatDeliveryStatus,
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
import { requireText, toObject, toObjectList, toText, toTextList } from '../../wire/request.ts'
import type { DingtalkApi } from './api.ts'
import { dingtalkRules } from './descriptor.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const conversationPath = '/topapi/message/corpconversation'

const reasonByCode: Readonly<Record<string, ChatFailureReason>> = {
  143103: 'too_many_today',
  143104: 'too_many_today',
  143105: 'too_many_today',
  143106: 'repeated',
  33012: 'not_there',
  40035: 'content',
  400002: 'content',
  48004: 'app',
}
/** Returns the date in China, which decides when the same content counts as new. */
const toShanghaiDate = (at_ms: number): string => new Date(at_ms + 8 * hourMs).toISOString().slice(0, 10)

const getMessageNumber = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 8).toUpperCase()
/** Builds the values for an approved template; the number makes two messages with the same text distinct. */
const fillTemplate = (id: string, { title, lines, link }: ChatCard) => ({
  title: truncateBytes(title, 150),
  content: truncateBytes(lines.join('\n'), 420),
  url: link ?? '',
  number: getMessageNumber(id),
})
/** Builds a message of the type whose status bar can be updated later. */
function buildMessage(id: string, { title, lines, link }: ChatCard): object {
  return {
    msgtype: 'oa',
    oa: {
      ...(link ? { message_url: link, pc_message_url: link } : {}),
      head: { bgcolor: 'FF0F766E', text: '薪函' },
      // The number is in the text itself: it is not documented whether anything else is compared.
      body: {
        title: truncateBytes(title, 150),
        content: `${truncateBytes(lines.join('\n'), 420)}\n编号 ${getMessageNumber(id)}`,
      },
    },
  }
}

/** API for message tasks and their delivery status. */
function createTaskApi({ requestLegacy, withToken }: DingtalkApi) {
  const request = (app: ChatApp, name: string, json: object) =>
    withToken(app, (token) => requestLegacy(`${conversationPath}/${name}`, token, { agent_id: Number(app.agent_id), ...json }))

  async function getDeliveryStatus(app: ChatApp, ref: string, to: readonly string[]): Promise<ChatDeliveryStatus[]> {
    const result = toObject((await request(app, 'getsendresult', { task_id: Number(ref) })).send_result)
    const [invalid, blocked, failed, read, unread] = [
      result.invalid_user_id_list,
      result.forbidden_user_id_list,
      result.failed_user_id_list,
      result.read_user_id_list,
      result.unread_user_id_list,
    ].map((list) => new Set(toTextList(list)))
    const codeByUser = new Map(
      toObjectList(result.forbidden_list).map((one) => [toText(one.userid) ?? '', toText(one.code) ?? '']),
    )
    return to.map((one): ChatDeliveryStatus => {
      const toNotDelivered = (reason: ChatFailureReason): ChatDeliveryStatus => ({ to: one, delivered: 'no', reason, read: null })
      if (invalid?.has(one)) return toNotDelivered('out_of_range')
      if (blocked?.has(one) || codeByUser.has(one)) return toNotDelivered(reasonByCode[codeByUser.get(one) ?? ''] ?? 'blocked')
      if (failed?.has(one)) return toNotDelivered('other')
      if (read?.has(one)) return { to: one, delivered: 'yes', reason: null, read: true }
      return unread?.has(one)
        ? { to: one, delivered: 'yes', reason: null, read: false }
        : { to: one, delivered: 'not_yet', reason: null, read: null }
    })
  }
  /** Sends the task and reads the delivery status of all recipients right afterwards. */
  async function sendTask(
    app: ChatApp,
    to: readonly string[],
    id: string,
    card: ChatCard,
  ): Promise<{ ref: string; notified: ChatDeliveryStatus[] }> {
    const [userid_list, template_id] = [to.join(','), app.suite?.template]
    const body = template_id
      ? await request(app, 'sendbytemplate', { userid_list, template_id, data: JSON.stringify(fillTemplate(id, card)) })
      : await request(app, 'asyncsend_v2', { userid_list, to_all_user: false, msg: buildMessage(id, card) })
    const ref = requireText('dingtalk', body.task_id)
    // The task was accepted; a status that cannot be read now is read later.
    const statuses = await getDeliveryStatus(app, ref, to).catch(() => [])
    return { ref, notified: statuses }
  }
  return { send: request, getStatus: getDeliveryStatus, handed: sendTask }
}
type TaskApi = ReturnType<typeof createTaskApi>

async function sendMessage({ handed: sendTask }: TaskApi, app: ChatApp, message: OutgoingMessage): Promise<SendOutcome> {
  const { id, to } = message
  try {
    const { ref, notified: statuses } = await sendTask(app, [to], id, toChatCard(message))
    const reason = statuses[0]?.reason ?? null
    // If the number was already delivered today, it is this very message, sent before.
    return reason && reason !== 'repeated' ? toRejectedOutcome(id, reason, 'getsendresult') : { id, result: 'accepted', ref }
  } catch (error) {
    return toSendOutcome(id, toSendFailure(error, reasonByCode))
  }
}
async function recallMessage({ send: request }: TaskApi, app: ChatApp, { id, ref }: AcceptedMessage): Promise<RecallOutcome> {
  try {
    await request(app, 'recall', { msg_task_id: Number(ref) })
    return { id, result: 'recalled' }
  } catch (error) {
    const isUnclear = error instanceof PlatformError && (error.kind === 'temporary' || error.kind === 'rate_limited')
    return { id, result: isUnclear ? 'unclear' : 'refused' }
  }
}
async function sendChunk(
  { handed: sendTask }: TaskApi,
  app: ChatApp,
  to: readonly string[],
  { id, card }: { id: string; card: ChatCard },
): Promise<RecipientOutcome[]> {
  try {
    const { ref, notified: statuses } = await sendTask(app, to, id, card)
    const reasonsByUser = new Map(statuses.map((one) => [one.to, one.reason]))
    return to.map((one) => {
      const reason = reasonsByUser.get(one)
      return reason && reason !== 'repeated'
        ? { to: one, result: 'refused', reason, code: 'getsendresult', message: failureMessages[reason] }
        : { to: one, result: 'accepted', ref }
    })
  } catch (error) {
    const failure = toSendFailure(error, reasonByCode)
    return to.map((one) =>
      failure.result === 'refused' ? { to: one, ...failure, message: failureMessages[failure.reason] } : { to: one, ...failure },
    )
  }
}

const createCarrier = (tasks: TaskApi, now: () => number): Carrier<ChatApp> => ({
  describe: () => ({
    maxPerCall: 20,
    rateLimit: { count: 5000, perMs: 60_000 },
    style: 'whole',
    signature: '薪函',
    canRecall: true,
    updateSupport: 'often',
  }),
  send: (app, messages) => Promise.all(messages.map((message) => sendMessage(tasks, app, message))),
  // The same content on the same day is delivered once, however often it is sent.
  find: async (_app, messages) =>
    messages.map(({ id, attemptedAt }) => ({
      id,
      result:
        toShanghaiDate(attemptedAt.getTime()) === toShanghaiDate(now()) &&
        toShanghaiDate(now()) === toShanghaiDate(now() + 600_000)
          ? 'not_accepted'
          : 'never_known',
    })),
  recall: (app, messages) => Promise.all(messages.map((message) => recallMessage(tasks, app, message))),
})

const createMessages = (tasks: TaskApi, now: () => number): ChatMessages => ({
  describe: ({ suite }) => ({
    maxRecipients: 100,
    recallHours: 24,
    updateSupport: 'status',
    updateHours: 168,
    reportsReads: true,
    deduplicationMs: dayMs,
    // Messages of store applications have a lower limit (dingtalk.md §5).
    quota: suite ? { ...dingtalkRules.quota, perPersonPerDay: 100 } : dingtalkRules.quota,
  }),
  async sendMany(app, { id, to, card }) {
    const outcomes: RecipientOutcome[] = []
    for (const piece of splitIntoChunks(to, 100)) outcomes.push(...(await sendChunk(tasks, app, piece, { id, card })))
    return outcomes
  },
  async getDeliveryStatus(app, { ref, to, sent_at }) {
    if (now() - sent_at.getTime() > dayMs) return to.map((one) => ({ to: one, delivered: 'unknown', reason: null, read: null }))
    return tasks.getStatus(app, ref, to)
  },
  async update(app, { ref, state, sent_at }) {
    if (now() - sent_at.getTime() > 7 * dayMs) return 'too_late'
    try {
      await tasks.send(app, 'status_bar/update', { task_id: Number(ref), status_value: state, status_bg: '0xFF78716C' })
      return 'updated'
    } catch (error) {
      return toSendFailure(error, reasonByCode).result === 'refused' ? 'refused' : 'unclear'
    }
  },
  countSentToday: async () => null,
})

export function createDingtalkMessages(
  calls: DingtalkApi,
  now: () => number,
): { carrier: Carrier<ChatApp>; messages: ChatMessages } {
  const tasks = createTaskApi(calls)
  const messages = createMessages(tasks, now)
  return { carrier: { ...createCarrier(tasks, now), updateMessages: createMessageUpdater(messages.update) }, messages }
}
