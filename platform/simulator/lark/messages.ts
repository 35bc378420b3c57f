/**
 * Lark's messages: single ones with an idempotency id for one hour, batches without, cards that can be updated for 14
 * days (lark.md §5).
 */
import { randomBytes } from 'node:crypto'
import type { SimulatedUser } from '../company.ts'
import type { RenderedCard, SimulatedMessage } from '../inbox.ts'
import type { RegisteredApp } from '../registered-apps.ts'
import {
  listOrEmpty,
  objectOrEmpty,
  parseObjectOrEmpty,
  type Reply,
  type SimulatedCall,
  type SimulatedCalls,
  type SimulatedRequest,
  type SimulatorState,
  textOrEmpty,
} from '../state.ts'
import { formatUserId } from './directory.ts'
import { replyError, replyLegacyError, replyOk, withTenantToken } from './replies.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const sendScopes = ['im:message', 'im:message:send_as_bot']

/** Converts a card in either schema, or a text. */
export function toRenderedCard(type: string, content: Record<string, unknown>): RenderedCard {
  const header = objectOrEmpty(objectOrEmpty(content.header).title)
  const elements = [...listOrEmpty(content.elements), ...listOrEmpty(objectOrEmpty(content.body).elements)].map(objectOrEmpty)
  const buttons = elements.flatMap((one) => (one.tag === 'button' ? [one] : listOrEmpty(one.actions).map(objectOrEmpty)))
  const [button = {}] = buttons
  const lines = elements
    .map((one) => textOrEmpty(objectOrEmpty(one.text).content) || textOrEmpty(one.content))
    .filter((line) => line !== '')
  const behaviour = objectOrEmpty(listOrEmpty(button.behaviors)[0])
  if (type === 'text') return { title: textOrEmpty(content.text), lines: [], link: null, button: '' }
  return {
    title: textOrEmpty(header.content),
    lines: lines.filter((line) => line !== textOrEmpty(objectOrEmpty(button.text).content)),
    link: textOrEmpty(button.url) || textOrEmpty(behaviour.default_url) || null,
    button: textOrEmpty(objectOrEmpty(button.text).content),
  }
}
export const isSharedCard = (content: Record<string, unknown>): boolean => objectOrEmpty(content.config).update_multi === true

function findRecipient(state: SimulatorState, app: RegisteredApp, type: string, id: string): SimulatedUser | Reply {
  const company = state.getCompany(app)
  const all = [...company.users.values()]
  const user =
    type === 'open_id' ? company.findUser(id) : all.find((one) => (type === 'email' ? one.email : formatUserId(type, one)) === id)
  if (!user && type === 'open_id' && company.terminatedUsers.has(company.getKey(id)))
    return replyError(230029, 'The user has resigned.')
  if (!user) return replyError(type === 'open_id' ? 99992351 : 230034, 'The receive_id is invalid.')
  if (!company.canSeeUser(app.range, user)) return replyError(230013, 'Bot has NO availability to this user.')
  if (user.unreachableReason) return replyError(230053, 'The user has stopped the bot from sending messages.')
  return user
}

function sendMessage(state: SimulatorState, request: SimulatedRequest, app: RegisteredApp): Reply {
  const { json, query } = request
  const [type, text, uuid] = [textOrEmpty(json.msg_type), textOrEmpty(json.content), textOrEmpty(json.uuid)]
  if (text === '' || uuid.length > 50) return replyError(230001, 'Your request contains an invalid request parameter.')
  if (Buffer.byteLength(text) > (type === 'text' ? 153_600 : 30_720))
    return replyError(230025, 'The length of the message content reaches its limit.')
  const content = parseObjectOrEmpty(text)
  if (type === 'text' && textOrEmpty(content.text) === '')
    return replyError(230001, 'Your request contains an invalid request parameter.')
  if (type === 'interactive' && Object.keys(content).length === 0) return replyError(230099, 'Failed to create card content.')
  const previousId = uuid === '' ? null : state.inbox.recall(`lark ${app.app_id} ${uuid}`)
  const [existingMessage] = previousId === null ? [] : state.inbox.getById(previousId)
  if (existingMessage) return replyOk(toMessageRecord(existingMessage, app))
  const user = findRecipient(state, app, query.get('receive_id_type') ?? 'open_id', textOrEmpty(json.receive_id))
  if ('status' in user && 'body' in user) return user
  if (state.limits.tryTake(`lark user ${app.app_id} ${user.user_id}`, [{ count: 5, per_ms: 1000 }]) !== null)
    return replyError(230020, 'This operation triggers the frequency limit.')
  const id = `om_${randomBytes(16).toString('hex')}`
  const message = state.inbox.add({ id, app, to: user.user_id, card: toRenderedCard(type, content), raw: text, type })
  if (uuid !== '') state.inbox.remember(`lark ${app.app_id} ${uuid}`, id, hourMs)
  return replyOk(toMessageRecord(message, app))
}
const toMessageRecord = (message: SimulatedMessage, app: RegisteredApp) => ({
  message_id: message.id,
  msg_type: message.type ?? 'interactive',
  create_time: String(message.at),
  update_time: String(message.at),
  deleted: message.isRecalled,
  updated: false,
  chat_id: `oc_${message.to}`,
  sender: { id: app.app_id, id_type: 'app_id', sender_type: 'app', tenant_key: app.corp_id },
  body: { content: message.raw },
})

function messageCalls(state: SimulatorState): SimulatedCalls {
  const withOwnMessage = (
    handle: (request: SimulatedRequest, message: SimulatedMessage, app: RegisteredApp) => Reply,
  ): SimulatedCall =>
    withTenantToken(state, (request, app) => {
      const [message] = state.inbox.getById(request.params.id)
      if (!message) return replyError(230001, 'invalid message_id')
      if (message.app !== app) return replyError(230026, 'No permission to recall the message.')
      return handle(request, message, app)
    })
  return {
    'POST /open-apis/im/v1/messages': withTenantToken(state, (request, app) => sendMessage(state, request, app), {
      scopes: sendScopes,
      counted: 'level4',
    }),
    'GET /open-apis/im/v1/messages/:id': withOwnMessage((_request, message, app) =>
      replyOk({ items: [toMessageRecord(message, app)] }),
    ),
    'PUT /open-apis/im/v1/messages/:id': withOwnMessage(({ json }, message, app) => {
      const kind = textOrEmpty(json.msg_type)
      if (message.isRecalled) return replyError(230011, 'The message was recalled.')
      // Cards are updated by PATCH; other messages keep their type.
      if (!['text', 'post'].includes(kind)) return replyError(230001, 'only text and post messages can be edited')
      message.card = toRenderedCard(kind, parseObjectOrEmpty(textOrEmpty(json.content)))
      return replyOk(toMessageRecord(message, app))
    }),
    'PATCH /open-apis/im/v1/messages/:id': withOwnMessage(({ json }, message) => {
      const content = parseObjectOrEmpty(textOrEmpty(json.content))
      if (message.isRecalled) return replyError(230011, 'The message was recalled.')
      if (message.at < state.now() - 14 * dayMs) return replyError(230031, 'The message has expired.')
      if (!isSharedCard(parseObjectOrEmpty(message.raw)) || !isSharedCard(content))
        return replyError(230001, 'update_multi must be true')
      if (message.isShared) return replyError(230001, 'a batch message cannot be updated')
      message.card = toRenderedCard('interactive', content)
      return replyOk()
    }),
    'DELETE /open-apis/im/v1/messages/:id': withOwnMessage((_request, message) => {
      if (message.isRecalled) return replyError(230011, 'The message was recalled.')
      if (message.at < state.now() - dayMs) return replyError(230009, 'The message has exceeded the time limit for recall.')
      message.isRecalled = true
      return replyOk()
    }),
    'GET /open-apis/im/v1/messages/:id/read_users': withOwnMessage((_request, message) => {
      if (message.at < state.now() - 7 * dayMs) return replyError(230033, 'The message is too old.')
      const items =
        message.read_at === null
          ? []
          : [
              {
                user_id_type: 'open_id',
                user_id: message.to,
                timestamp: String(message.read_at),
                tenant_key: message.app.corp_id,
              },
            ]
      return replyOk({ items, has_more: false })
    }),
  }
}

function batchCalls(state: SimulatorState): SimulatedCalls {
  const send = withTenantToken(
    state,
    ({ json }, app) => {
      const company = state.getCompany(app)
      const [ids, departmentIds] = [
        listOrEmpty(json.open_ids).map(textOrEmpty),
        listOrEmpty(json.department_ids).map(textOrEmpty),
      ]
      if (ids.length > 200 || departmentIds.length > 200) return replyLegacyError(11203, 'too many receivers')
      if (ids.length + departmentIds.length === 0) return replyLegacyError(10003, 'invalid param')
      const content = json.msg_type === 'interactive' ? objectOrEmpty(json.card) : objectOrEmpty(json.content)
      const users = new Set<SimulatedUser>()
      const invalid: string[] = []
      for (const id of ids) {
        const user = company.findUser(id)
        if (user && company.canSeeUser(app.range, user) && !user.unreachableReason) users.add(user)
        else invalid.push(id)
      }
      for (const departmentId of departmentIds)
        for (const id of [departmentId, ...company.getDescendants(departmentId).map((one) => one.id)])
          for (const one of company.getMembers(id)) users.add(one)
      for (const _ of users)
        if (state.limits.tryTake(`lark batch ${app.app_id}`, [{ count: 500_000, per_ms: dayMs }]) !== null)
          return replyLegacyError(11247, 'daily cap')
      const id = `bm-${randomBytes(16).toString('hex')}`
      const card = toRenderedCard(textOrEmpty(json.msg_type), content)
      for (const user of users) state.inbox.add({ id, app, to: user.user_id, card, raw: JSON.stringify(content), isShared: true })
      return replyOk({
        message_id: id,
        invalid_open_ids: invalid,
        invalid_department_ids: [],
        invalid_user_ids: [],
        invalid_union_ids: [],
      })
    },
    { scopes: ['im:message:send_multi_users', 'im:message:send_as_bot', 'im:message'], counted: 'level4' },
  )
  const withOwnBatch = (handle: (messages: readonly SimulatedMessage[]) => Reply): SimulatedCall =>
    withTenantToken(state, ({ params }, app) => {
      const messages = state.inbox.getById(params.id).filter((one) => one.app === app)
      return messages.length > 0 ? handle(messages) : replyError(230001, 'invalid batch message id')
    })
  return {
    'POST /open-apis/message/v4/batch_send': send,
    'POST /open-apis/message/v4/batch_send/': send,
    'GET /open-apis/im/v1/batch_messages/:id/get_progress': withOwnBatch((messages) =>
      replyOk({
        batch_message_send_progress: {
          valid_user_ids_count: messages.length,
          success_user_ids_count: messages.length,
          read_user_ids_count: messages.filter((one) => one.read_at !== null).length,
        },
        batch_message_recall_progress: {
          recall: messages.some((one) => one.isRecalled),
          recall_count: messages.filter((one) => one.isRecalled).length,
        },
      }),
    ),
    'GET /open-apis/im/v1/batch_messages/:id/read_user': withOwnBatch((messages) =>
      replyOk({
        read_user: {
          read_count: String(messages.filter((one) => one.read_at !== null).length),
          total_count: String(messages.length),
        },
      }),
    ),
    'DELETE /open-apis/im/v1/batch_messages/:id': withOwnBatch((messages) => {
      for (const one of messages) one.isRecalled = true
      return replyOk()
    }),
  }
}

export const createLarkMessageCalls = (state: SimulatorState): SimulatedCalls => ({
  ...messageCalls(state),
  ...batchCalls(state),
  'GET /open-apis/bot/v3/info': withTenantToken(state, (_request, app) => {
    const bot = {
      activate_status: app.permissions && !sendScopes.some((one) => app.permissions?.includes(one)) ? 0 : 2,
      app_name: '薪函',
      open_id: `ou_bot_${app.app_id}`,
    }
    const reply = replyOk()
    return { ...reply, body: JSON.stringify({ code: 0, msg: 'ok', bot }) }
  }),
})
