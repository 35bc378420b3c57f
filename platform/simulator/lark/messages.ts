/** Lark's messages: one a call with an own id for an hour, batches without, cards that can be written anew for 14 days (lark.md §5). */
import { randomBytes } from 'node:crypto'
import type { SimulatedPerson } from '../company.ts'
import type { DrawnCard, SentMessage } from '../inbox.ts'
import {
  type AskedCall,
  fields,
  listed,
  objectIn,
  type Registered,
  type Reply,
  type SimulatedCall,
  type SimulatedCalls,
  type State,
  said,
} from '../state.ts'
import { ok, refuse, refuseOld, withTenant } from './answers.ts'
import { idAs } from './directory.ts'

const hour_ms = 3_600_000
const day_ms = 24 * hour_ms
const may_send = ['im:message', 'im:message:send_as_bot']

/** A card of either schema, or a text. */
export function drawn(type: string, content: Record<string, unknown>): DrawnCard {
  const header = fields(fields(content.header).title)
  const elements = [...listed(content.elements), ...listed(fields(content.body).elements)].map(fields)
  const buttons = elements.flatMap((one) => (one.tag === 'button' ? [one] : listed(one.actions).map(fields)))
  const [button = {}] = buttons
  const lines = elements.map((one) => said(fields(one.text).content) || said(one.content)).filter((line) => line !== '')
  const behaviour = fields(listed(button.behaviors)[0])
  if (type === 'text') return { title: said(content.text), lines: [], link: null, button: '' }
  return {
    title: said(header.content),
    lines: lines.filter((line) => line !== said(fields(button.text).content)),
    link: said(button.url) || said(behaviour.default_url) || null,
    button: said(fields(button.text).content),
  }
}
export const isShared = (content: Record<string, unknown>): boolean => fields(content.config).update_multi === true

function receiver(state: State, app: Registered, type: string, id: string): SimulatedPerson | Reply {
  const company = state.companyOf(app)
  const all = [...company.people.values()]
  const person =
    type === 'open_id' ? company.person(id) : all.find((one) => (type === 'email' ? one.email : idAs(type, one)) === id)
  if (!person && type === 'open_id' && company.left.has(company.keyOf(id))) return refuse(230029, 'The user has resigned.')
  if (!person) return refuse(type === 'open_id' ? 99992351 : 230034, 'The receive_id is invalid.')
  if (!company.seesPerson(app.range, person)) return refuse(230013, 'Bot has NO availability to this user.')
  if (person.reach) return refuse(230053, 'The user has stopped the bot from sending messages.')
  return person
}

function sent(state: State, asked: AskedCall, app: Registered): Reply {
  const { json, query } = asked
  const [type, text, uuid] = [said(json.msg_type), said(json.content), said(json.uuid)]
  if (text === '' || uuid.length > 50) return refuse(230001, 'Your request contains an invalid request parameter.')
  if (Buffer.byteLength(text) > (type === 'text' ? 153_600 : 30_720))
    return refuse(230025, 'The length of the message content reaches its limit.')
  const content = objectIn(text)
  if (type === 'interactive' && Object.keys(content).length === 0) return refuse(230099, 'Failed to create card content.')
  const known = uuid === '' ? null : state.inbox.known(`lark ${app.app_id} ${uuid}`)
  const [first] = known === null ? [] : state.inbox.of(known)
  if (first) return ok(messageOf(first, app))
  const person = receiver(state, app, query.get('receive_id_type') ?? 'open_id', said(json.receive_id))
  if ('status' in person && 'body' in person) return person
  if (state.limits.take(`lark user ${app.app_id} ${person.user_id}`, [{ count: 5, per_ms: 1000 }]) !== null)
    return refuse(230020, 'This operation triggers the frequency limit.')
  const id = `om_${randomBytes(16).toString('hex')}`
  const message = state.inbox.add({ id, app, to: person.user_id, card: drawn(type, content), raw: text, type })
  if (uuid !== '') state.inbox.keep(`lark ${app.app_id} ${uuid}`, id, hour_ms)
  return ok(messageOf(message, app))
}
const messageOf = (message: SentMessage, app: Registered) => ({
  message_id: message.id,
  msg_type: message.type ?? 'interactive',
  create_time: String(message.at),
  update_time: String(message.at),
  deleted: message.recalled,
  updated: false,
  chat_id: `oc_${message.to}`,
  sender: { id: app.app_id, id_type: 'app_id', sender_type: 'app', tenant_key: app.corp_id },
  body: { content: message.raw },
})

function single(state: State): SimulatedCalls {
  const own = (work: (asked: AskedCall, message: SentMessage, app: Registered) => Reply): SimulatedCall =>
    withTenant(state, (asked, app) => {
      const [message] = state.inbox.of(asked.params.id)
      if (!message) return refuse(230001, 'invalid message_id')
      if (message.app !== app) return refuse(230026, 'No permission to recall the message.')
      return work(asked, message, app)
    })
  return {
    'POST /open-apis/im/v1/messages': withTenant(state, (asked, app) => sent(state, asked, app), {
      scopes: may_send,
      counted: 'level4',
    }),
    'GET /open-apis/im/v1/messages/:id': own((_asked, message, app) => ok({ items: [messageOf(message, app)] })),
    'PUT /open-apis/im/v1/messages/:id': own(({ json }, message, app) => {
      const kind = said(json.msg_type)
      if (message.recalled) return refuse(230011, 'The message was recalled.')
      // Cards are updated by PATCH; what else there is keeps its kind.
      if (!['text', 'post'].includes(kind)) return refuse(230001, 'only text and post messages can be edited')
      message.card = drawn(kind, objectIn(said(json.content)))
      return ok(messageOf(message, app))
    }),
    'PATCH /open-apis/im/v1/messages/:id': own(({ json }, message) => {
      const content = objectIn(said(json.content))
      if (message.recalled) return refuse(230011, 'The message was recalled.')
      if (message.at < state.now() - 14 * day_ms) return refuse(230031, 'The message has expired.')
      if (!isShared(objectIn(message.raw)) || !isShared(content)) return refuse(230001, 'update_multi must be true')
      if (message.shared) return refuse(230001, 'a batch message cannot be updated')
      message.card = drawn('interactive', content)
      return ok()
    }),
    'DELETE /open-apis/im/v1/messages/:id': own((_asked, message) => {
      if (message.recalled) return refuse(230011, 'The message was recalled.')
      if (message.at < state.now() - day_ms) return refuse(230009, 'The message has exceeded the time limit for recall.')
      message.recalled = true
      return ok()
    }),
    'GET /open-apis/im/v1/messages/:id/read_users': own((_asked, message) => {
      if (message.at < state.now() - 7 * day_ms) return refuse(230033, 'The message is too old.')
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
      return ok({ items, has_more: false })
    }),
  }
}

function batches(state: State): SimulatedCalls {
  const send = withTenant(
    state,
    ({ json }, app) => {
      const company = state.companyOf(app)
      const [ids, parts] = [listed(json.open_ids).map(said), listed(json.department_ids).map(said)]
      if (ids.length > 200 || parts.length > 200) return refuseOld(11203, 'too many receivers')
      if (ids.length + parts.length === 0) return refuseOld(10003, 'invalid param')
      const content = json.msg_type === 'interactive' ? fields(json.card) : fields(json.content)
      const people = new Set<SimulatedPerson>()
      const invalid: string[] = []
      for (const id of ids) {
        const person = company.person(id)
        if (person && company.seesPerson(app.range, person) && !person.reach) people.add(person)
        else invalid.push(id)
      }
      for (const part of parts)
        for (const id of [part, ...company.below(part).map((one) => one.id)])
          for (const one of company.membersOf(id)) people.add(one)
      for (const _ of people)
        if (state.limits.take(`lark batch ${app.app_id}`, [{ count: 500_000, per_ms: day_ms }]) !== null)
          return refuseOld(11247, 'daily cap')
      const id = `bm-${randomBytes(16).toString('hex')}`
      const card = drawn(said(json.msg_type), content)
      for (const person of people)
        state.inbox.add({ id, app, to: person.user_id, card, raw: JSON.stringify(content), shared: true })
      return ok({
        message_id: id,
        invalid_open_ids: invalid,
        invalid_department_ids: [],
        invalid_user_ids: [],
        invalid_union_ids: [],
      })
    },
    { scopes: ['im:message:send_multi_users', 'im:message:send_as_bot', 'im:message'], counted: 'level4' },
  )
  const own = (work: (messages: readonly SentMessage[]) => Reply): SimulatedCall =>
    withTenant(state, ({ params }, app) => {
      const messages = state.inbox.of(params.id).filter((one) => one.app === app)
      return messages.length > 0 ? work(messages) : refuse(230001, 'invalid batch message id')
    })
  return {
    'POST /open-apis/message/v4/batch_send': send,
    'POST /open-apis/message/v4/batch_send/': send,
    'GET /open-apis/im/v1/batch_messages/:id/get_progress': own((messages) =>
      ok({
        batch_message_send_progress: {
          valid_user_ids_count: messages.length,
          success_user_ids_count: messages.length,
          read_user_ids_count: messages.filter((one) => one.read_at !== null).length,
        },
        batch_message_recall_progress: {
          recall: messages.some((one) => one.recalled),
          recall_count: messages.filter((one) => one.recalled).length,
        },
      }),
    ),
    'GET /open-apis/im/v1/batch_messages/:id/read_user': own((messages) =>
      ok({
        read_user: {
          read_count: String(messages.filter((one) => one.read_at !== null).length),
          total_count: String(messages.length),
        },
      }),
    ),
    'DELETE /open-apis/im/v1/batch_messages/:id': own((messages) => {
      for (const one of messages) one.recalled = true
      return ok()
    }),
  }
}

export const larkMessages = (state: State): SimulatedCalls => ({
  ...single(state),
  ...batches(state),
  'GET /open-apis/bot/v3/info': withTenant(state, (_asked, app) => {
    const bot = {
      activate_status: app.permissions && !may_send.some((one) => app.permissions?.includes(one)) ? 0 : 2,
      app_name: '薪函',
      open_id: `ou_bot_${app.app_id}`,
    }
    const reply = ok()
    return { ...reply, body: JSON.stringify({ code: 0, msg: 'ok', bot }) }
  }),
})
