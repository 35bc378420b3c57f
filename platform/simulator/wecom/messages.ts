/**
 * WeCom's messages: one call for many recipients, failures reported with a code of 0, excess messages dropped silently
 * (wecom.md §5).
 */
import { createHash, randomBytes } from 'node:crypto'
import type { SimulatedUser } from '../company.ts'
import type { RenderedCard } from '../inbox.ts'
import type { RegisteredApp } from '../registered-apps.ts'
import {
  listOrEmpty,
  objectOrEmpty,
  type Reply,
  type SimulatedCalls,
  type SimulatedRequest,
  type SimulatorState,
  textOrEmpty,
} from '../state.ts'
import { findUser, getVisibleUserId } from './ids.ts'
import { replyError, replyOk, withAppToken } from './replies.ts'

const hourMs = 3_600_000
const memberLimits = [
  { count: 30, per_ms: 60_000 },
  { count: 1000, per_ms: hourMs },
]
const updatableCardTypes = new Set(['button_interaction', 'vote_interaction', 'multiple_interaction'])

const stripHtml = (html: string): string => html.replace(/<[^>]+>/g, ' ').trim()
/** Converts a message to a card as a chat displays it. */
function toRenderedCard(json: Readonly<Record<string, unknown>>): RenderedCard {
  const body = objectOrEmpty(json[textOrEmpty(json.msgtype)])
  if (json.msgtype !== 'template_card') {
    const text = textOrEmpty(body.content) || stripHtml(textOrEmpty(body.description))
    return {
      title: textOrEmpty(body.title) || text,
      lines: textOrEmpty(body.title) ? [text] : [],
      link: textOrEmpty(body.url) || null,
      button: textOrEmpty(body.btntxt) || '详情',
    }
  }
  const main = objectOrEmpty(body.main_title)
  const button = objectOrEmpty(listOrEmpty(body.button_list)[0])
  const rows = listOrEmpty(body.horizontal_content_list).map(objectOrEmpty)
  const lines = [
    textOrEmpty(main.desc),
    textOrEmpty(body.sub_title_text),
    ...rows.map((row) => `${textOrEmpty(row.keyname)}：${textOrEmpty(row.value)}`),
  ]
  return {
    title: textOrEmpty(main.title),
    lines: lines.filter((line) => line !== ''),
    link: textOrEmpty(button.url) || textOrEmpty(objectOrEmpty(body.card_action).url) || null,
    button: textOrEmpty(button.text),
  }
}

/** Resolves the recipients, and which of them receive nothing. */
function resolveRecipients(state: SimulatorState, app: RegisteredApp, json: Readonly<Record<string, unknown>>) {
  const company = state.getCompany(app)
  const split = (value: unknown) => textOrEmpty(value).split('|').filter(Boolean)
  const [users, parties] = [split(json.touser), split(json.toparty)]
  const toAll = users.includes('@all')
  const userIds = toAll ? [] : users
  const people = new Set<SimulatedUser>(toAll ? company.users.values() : [])
  const invalid: string[] = []
  for (const id of userIds) {
    const user = findUser(state, app, id)
    if (user && company.canSeeUser(app.range, user)) people.add(user)
    else invalid.push(id.toLowerCase())
  }
  const unknown = parties.filter((id) => !company.isDepartment(id) || !company.canSeeDepartment(app.range, id))
  for (const party of parties.filter((id) => !unknown.includes(id)))
    for (const id of [party, ...company.getDescendants(party).map((one) => one.id)])
      for (const user of company.getMembers(id)) if (company.canSeeUser(app.range, user)) people.add(user)
  const unlicensed = [...people].filter((user) => user.unreachableReason === 'unlicensed')
  return {
    users,
    parties,
    unknown,
    invalid,
    unlicensed,
    reached: [...people].filter((user) => user.unreachableReason !== 'unlicensed'),
  }
}

function sendMessage(state: SimulatorState, { json }: SimulatedRequest, app: RegisteredApp): Reply {
  const agent_id = textOrEmpty(json.agentid)
  if (agent_id !== app.agent_id)
    return state.findApp('wecom', { corp_id: app.corp_id, agent_id })
      ? replyError(301002, 'no permission for this agentid')
      : replyError(40056, 'invalid agentid')
  const { users, parties, unknown, invalid, unlicensed, reached } = resolveRecipients(state, app, json)
  if (users.length + parties.length + textOrEmpty(json.totag).length === 0)
    return replyError(82001, 'all of touser, toparty and totag are empty')
  if (users.length > 1000) return replyError(40032, 'invalid user list length')
  if (parties.length > 100) return replyError(82002, 'too many departments')
  const body = objectOrEmpty(json[textOrEmpty(json.msgtype)])
  if (Object.keys(body).length === 0) return replyError(40008, 'invalid message type')
  if (Buffer.byteLength(textOrEmpty(body.content)) > 2048) return replyError(45002, 'content size out of limit')
  if (reached.length === 0 && unlicensed.length === 0) return replyError(81013, 'user & party & tag all invalid')
  const partial = {
    invaliduser: invalid.join('|'),
    invalidparty: unknown.join('|'),
    invalidtag: textOrEmpty(json.totag),
    unlicenseduser: unlicensed.map((one) => getVisibleUserId(app, one)).join('|'),
  }
  const raw = JSON.stringify(json)
  const key = `wecom ${app.corp_id} ${app.agent_id} ${createHash('sha256').update(raw).digest('hex')}`
  const previousId = json.enable_duplicate_check === 1 ? state.inbox.recall(key) : null
  if (previousId) return replyOk({ ...partial, msgid: previousId })
  const day = new Date(state.now() + 28_800_000).toISOString().slice(0, 10)
  const cap = { count: Math.max(state.getCompany(app).users.size, 1) * 200, per_ms: 24 * hourMs }
  for (const _ of reached)
    if (state.limits.tryTake(`wecom day ${app.corp_id} ${app.agent_id} ${day}`, [cap]) !== null)
      return replyError(45009, 'reach max api daily quota limit')
  const msgid = randomBytes(20).toString('base64url')
  state.inbox.remember(key, msgid, Math.min(Number(json.duplicate_check_interval ?? 1800), 14_400) * 1000)
  const card = toRenderedCard(json)
  for (const user of reached) {
    const isOverLimit = state.limits.tryTake(`wecom member ${app.corp_id} ${app.agent_id} ${user.user_id}`, memberLimits) !== null
    state.inbox.add({
      id: msgid,
      app,
      to: user.user_id,
      card,
      raw,
      isShared: reached.length > 1,
      dropReason: isOverLimit ? 'too many' : null,
    })
  }
  const hasResponseCode =
    json.msgtype === 'template_card' && (updatableCardTypes.has(textOrEmpty(body.card_type)) || body.action_menu !== undefined)
  return replyOk({
    ...partial,
    msgid,
    ...(hasResponseCode ? { response_code: state.createTicket('wecom response', msgid, 72 * hourMs) } : {}),
  })
}

export const createWecomMessageCalls = (state: SimulatorState): SimulatedCalls => ({
  'POST /cgi-bin/message/send': withAppToken(state, (request, app) => sendMessage(state, request, app), { counted: false }),
  'POST /cgi-bin/message/recall': withAppToken(state, ({ json }, app) => {
    const messages = state.inbox.getById(json.msgid).filter((one) => one.app === app)
    if (messages.length === 0 || messages.some((one) => one.at < state.now() - 24 * hourMs))
      return replyError(40058, 'invalid msgid')
    for (const one of messages) one.isRecalled = true
    return replyOk()
  }),
  'POST /cgi-bin/message/update_template_card': withAppToken(state, ({ json }, app) => {
    const msgid = state.getTicketSubject('wecom response', json.response_code, true)
    if (!msgid) return replyError(40058, 'invalid response_code')
    const ids = listOrEmpty(json.userids).flatMap((id) => findUser(state, app, id)?.user_id ?? [])
    const messages = state.inbox.getById(msgid).filter((one) => one.app === app && (json.atall === 1 || ids.includes(one.to)))
    const name = textOrEmpty(objectOrEmpty(json.button).replace_name)
    for (const one of messages)
      one.card = name
        ? { ...one.card, button: name, statusText: name }
        : toRenderedCard({ msgtype: 'template_card', template_card: json.template_card })
    return replyOk({ invaliduser: [] })
  }),
  'POST /cgi-bin/message/get_statistics': withAppToken(state, (_request, app) => {
    const today = new Date(state.now() + 28_800_000).toISOString().slice(0, 10)
    const count = state.inbox
      .all()
      .filter((one) => one.app === app && new Date(one.at + 28_800_000).toISOString().slice(0, 10) === today).length
    return replyOk({ statistics: [{ agentid: Number(app.agent_id), app_name: '薪函', count }] })
  }),
})
