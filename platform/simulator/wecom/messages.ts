/** WeCom's messages: one call for many, refusals beside a code of 0, what is too much dropped without a word (wecom.md §5). */
import { createHash, randomBytes } from 'node:crypto'
import type { SimulatedPerson } from '../company.ts'
import type { DrawnCard } from '../inbox.ts'
import { type AskedCall, fields, listed, type Registered, type Reply, type SimulatedCalls, type State, said } from '../state.ts'
import { ok, refuse, withApp } from './answers.ts'
import { personCalled, shownId } from './ids.ts'

const hour_ms = 3_600_000
const perMember = [
  { count: 30, per_ms: 60_000 },
  { count: 1000, per_ms: hour_ms },
]
const updatable = new Set(['button_interaction', 'vote_interaction', 'multiple_interaction'])

const plain = (html: string): string => html.replace(/<[^>]+>/g, ' ').trim()
/** As a chat draws it. */
function drawn(json: Readonly<Record<string, unknown>>): DrawnCard {
  const body = fields(json[said(json.msgtype)])
  if (json.msgtype !== 'template_card') {
    const text = said(body.content) || plain(said(body.description))
    return {
      title: said(body.title) || text,
      lines: said(body.title) ? [text] : [],
      link: said(body.url) || null,
      button: said(body.btntxt) || '详情',
    }
  }
  const main = fields(body.main_title)
  const button = fields(listed(body.button_list)[0])
  const rows = listed(body.horizontal_content_list).map(fields)
  const lines = [said(main.desc), said(body.sub_title_text), ...rows.map((row) => `${said(row.keyname)}：${said(row.value)}`)]
  return {
    title: said(main.title),
    lines: lines.filter((line) => line !== ''),
    link: said(button.url) || said(fields(body.card_action).url) || null,
    button: said(button.text),
  }
}

/** Who is meant, and who of them gets nothing. */
function meant(state: State, app: Registered, json: Readonly<Record<string, unknown>>) {
  const company = state.companyOf(app)
  const split = (value: unknown) => said(value).split('|').filter(Boolean)
  const [users, parties] = [split(json.touser), split(json.toparty)]
  const everybody = users.includes('@all')
  const named = everybody ? [] : users
  const people = new Set<SimulatedPerson>(everybody ? company.people.values() : [])
  const invalid: string[] = []
  for (const id of named) {
    const person = personCalled(state, app, id)
    if (person && company.seesPerson(app.range, person)) people.add(person)
    else invalid.push(id.toLowerCase())
  }
  const unknown = parties.filter((id) => !company.isDepartment(id) || !company.seesDepartment(app.range, id))
  for (const party of parties.filter((id) => !unknown.includes(id)))
    for (const id of [party, ...company.below(party).map((one) => one.id)])
      for (const person of company.membersOf(id)) if (company.seesPerson(app.range, person)) people.add(person)
  const unlicensed = [...people].filter((person) => person.reach === 'unlicensed')
  return { users, parties, unknown, invalid, unlicensed, reached: [...people].filter((person) => person.reach !== 'unlicensed') }
}

function sent(state: State, { json }: AskedCall, app: Registered): Reply {
  const agent_id = said(json.agentid)
  if (agent_id !== app.agent_id)
    return state.app('wecom', { corp_id: app.corp_id, agent_id })
      ? refuse(301002, 'no permission for this agentid')
      : refuse(40056, 'invalid agentid')
  const { users, parties, unknown, invalid, unlicensed, reached } = meant(state, app, json)
  if (users.length + parties.length + said(json.totag).length === 0)
    return refuse(82001, 'all of touser, toparty and totag are empty')
  if (users.length > 1000) return refuse(40032, 'invalid user list length')
  if (parties.length > 100) return refuse(82002, 'too many departments')
  const body = fields(json[said(json.msgtype)])
  if (Object.keys(body).length === 0) return refuse(40008, 'invalid message type')
  if (Buffer.byteLength(said(body.content)) > 2048) return refuse(45002, 'content size out of limit')
  if (reached.length === 0 && unlicensed.length === 0) return refuse(81013, 'user & party & tag all invalid')
  const partial = {
    invaliduser: invalid.join('|'),
    invalidparty: unknown.join('|'),
    invalidtag: said(json.totag),
    unlicenseduser: unlicensed.map((one) => shownId(app, one)).join('|'),
  }
  const raw = JSON.stringify(json)
  const key = `wecom ${app.corp_id} ${app.agent_id} ${createHash('sha256').update(raw).digest('hex')}`
  const again = json.enable_duplicate_check === 1 ? state.inbox.known(key) : null
  if (again) return ok({ ...partial, msgid: again })
  const day = new Date(state.now() + 28_800_000).toISOString().slice(0, 10)
  const cap = { count: Math.max(state.companyOf(app).people.size, 1) * 200, per_ms: 24 * hour_ms }
  for (const _ of reached)
    if (state.limits.take(`wecom day ${app.corp_id} ${app.agent_id} ${day}`, [cap]) !== null)
      return refuse(45009, 'reach max api daily quota limit')
  const msgid = randomBytes(20).toString('base64url')
  state.inbox.keep(key, msgid, Math.min(Number(json.duplicate_check_interval ?? 1800), 14_400) * 1000)
  const card = drawn(json)
  for (const person of reached) {
    const over = state.limits.take(`wecom member ${app.corp_id} ${app.agent_id} ${person.user_id}`, perMember) !== null
    state.inbox.add({
      id: msgid,
      app,
      to: person.user_id,
      card,
      raw,
      shared: reached.length > 1,
      dropped: over ? 'too many' : null,
    })
  }
  const withCode = json.msgtype === 'template_card' && (updatable.has(said(body.card_type)) || body.action_menu !== undefined)
  return ok({ ...partial, msgid, ...(withCode ? { response_code: state.give('wecom response', msgid, 72 * hour_ms) } : {}) })
}

export const wecomMessages = (state: State): SimulatedCalls => ({
  'POST /cgi-bin/message/send': withApp(state, (asked, app) => sent(state, asked, app), { counted: false }),
  'POST /cgi-bin/message/recall': withApp(state, ({ json }, app) => {
    const messages = state.inbox.of(json.msgid).filter((one) => one.app === app)
    if (messages.length === 0 || messages.some((one) => one.at < state.now() - 24 * hour_ms))
      return refuse(40058, 'invalid msgid')
    for (const one of messages) one.recalled = true
    return ok()
  }),
  'POST /cgi-bin/message/update_template_card': withApp(state, ({ json }, app) => {
    const msgid = state.about('wecom response', json.response_code, true)
    if (!msgid) return refuse(40058, 'invalid response_code')
    const ids = listed(json.userids).flatMap((id) => personCalled(state, app, id)?.user_id ?? [])
    const messages = state.inbox.of(msgid).filter((one) => one.app === app && (json.atall === 1 || ids.includes(one.to)))
    const name = said(fields(json.button).replace_name)
    for (const one of messages)
      one.card = name
        ? { ...one.card, button: name, state: name }
        : drawn({ msgtype: 'template_card', template_card: json.template_card })
    return ok({ invaliduser: [] })
  }),
  'POST /cgi-bin/message/get_statistics': withApp(state, (_asked, app) => {
    const today = new Date(state.now() + 28_800_000).toISOString().slice(0, 10)
    const count = state.inbox
      .all()
      .filter((one) => one.app === app && new Date(one.at + 28_800_000).toISOString().slice(0, 10) === today).length
    return ok({ statistics: [{ agentid: Number(app.agent_id), app_name: '薪函', count }] })
  }),
})
