/** DingTalk's work notifications: a task a call, success even where nobody gets anything, results afterwards (dingtalk.md §5). */
import { createHash, randomInt } from 'node:crypto'
import type { SimulatedPerson } from '../company.ts'
import type { DrawnCard, SentMessage } from '../inbox.ts'
import {
  type AskedCall,
  fields,
  listed,
  objectIn,
  type Registered,
  type Reply,
  type SimulatedCalls,
  type State,
  said,
} from '../state.ts'
import { ok, old, withApp } from './answers.ts'

const hour_ms = 3_600_000

function drawn(msg: Record<string, unknown>): DrawnCard {
  const body = fields(msg[said(msg.msgtype)])
  if (msg.msgtype === 'oa') {
    const [inner, bar] = [fields(body.body), fields(body.status_bar)]
    const rows = listed(inner.form)
      .map(fields)
      .map((row) => `${said(row.key)}${said(row.value)}`)
    return {
      title: said(inner.title) || said(fields(body.head).text),
      lines: [...rows, said(inner.content)].filter((line) => line !== ''),
      link: said(body.message_url) || null,
      button: '查看',
      ...(bar.status_value === undefined ? {} : { state: said(bar.status_value) }),
    }
  }
  const text = said(body.markdown) || said(body.text) || said(body.content)
  const title = said(body.title)
  return {
    title: title || text,
    lines: title ? text.split('\n').map((line) => line.replace(/^#+\s*/, '')) : [],
    link: said(body.single_url) || said(body.messageUrl) || null,
    button: said(body.single_title) || '查看',
  }
}

/** What an approved form makes of its variables: its own words stay, what is not given is left out. */
const byTemplate = (id: string, { title, content, url, number }: Record<string, unknown>) => ({
  msgtype: 'action_card',
  action_card: {
    title: said(title) || id,
    markdown: [said(content), said(number)].filter(Boolean).join('\n'),
    single_title: '查看',
    single_url: said(url),
  },
})

type Task = {
  readonly id: string
  readonly app: Registered
  readonly at: number
  readonly invalid: readonly string[]
  readonly forbidden: { readonly code: string; readonly userid: string }[]
}

/** What of the limits this person is over; the call succeeds all the same. */
function forbidden(state: State, app: Registered, person: SimulatedPerson, content: string): string | null {
  const day = new Date(state.now() + 28_800_000).toISOString().slice(0, 10)
  const own = `${app.corp_id} ${app.agent_id} ${person.user_id} ${day}`
  if (state.limits.take(`dingtalk person ${own}`, [{ count: app.suite ? 100 : 500, per_ms: 24 * hour_ms }]) !== null)
    return '143105'
  if (state.inbox.repeated(`dingtalk ${own} ${createHash('sha256').update(content).digest('hex')}`)) return '143106'
  if (state.limits.take(`dingtalk receivers ${app.corp_id}`, [{ count: 5000, per_ms: 60_000 }]) !== null) return '143104'
  return null
}

function meant(state: State, app: Registered, json: AskedCall['json']): { people: SimulatedPerson[]; invalid: string[] } | Reply {
  const company = state.companyOf(app)
  const ids = said(json.userid_list).split(',').filter(Boolean)
  const parts = said(json.dept_id_list).split(',').filter(Boolean)
  if (ids.length > 100 || parts.length > 20) return old(33012, '无效的USERID：超过100个')
  const everybody = json.to_all_user === true || json.to_all_user === 'true'
  if (ids.length + parts.length === 0 && !everybody) return old(400002, '参数错误：没有接收人')
  const people = new Set<SimulatedPerson>(everybody ? company.people.values() : [])
  const invalid: string[] = []
  for (const id of ids) {
    const person = company.person(id)
    if (person && company.seesPerson(app.range, person)) people.add(person)
    else invalid.push(id)
  }
  for (const part of parts)
    for (const id of [part, ...company.below(part).map((one) => one.id)])
      for (const person of company.membersOf(id)) people.add(person)
  return { people: [...people], invalid }
}

const path = '/topapi/message/corpconversation'

/** What is asked of a task once it was taken. */
function afterwards(state: State, tasks: ReadonlyMap<string, Task>): SimulatedCalls {
  const withTask = (work: (json: AskedCall['json'], task: Task, messages: readonly SentMessage[]) => Reply) =>
    withApp(state, ({ json }, app) => {
      const task = tasks.get(said(json.task_id) || said(json.msg_task_id))
      if (!task || task.app !== app || said(json.agent_id) !== app.agent_id) return old(400002, '参数错误：task_id')
      return work(json, task, state.inbox.of(task.id))
    })
  return {
    [`POST ${path}/getsendprogress`]: withTask((_json, task) => {
      const gone = state.now() - task.at >= state.task_ms
      return ok({ progress: { progress_in_percent: gone ? 100 : 50, status: gone ? 2 : 1 } })
    }),
    [`POST ${path}/getsendresult`]: withTask((_json, task, messages) => {
      if (state.now() - task.at > 24 * hour_ms) return old(400002, '参数错误：任务已过期')
      if (messages.length > 100) return old(41052, '接收人超过100')
      const there = state.now() - task.at >= state.task_ms ? messages.filter((one) => one.dropped === null) : []
      return ok({
        send_result: {
          invalid_user_id_list: task.invalid,
          forbidden_user_id_list: task.forbidden.map((one) => one.userid),
          failed_user_id_list: [],
          read_user_id_list: there.filter((one) => one.read_at !== null).map((one) => one.to),
          unread_user_id_list: there.filter((one) => one.read_at === null).map((one) => one.to),
          invalid_dept_id_list: [],
          // Whoever shut the application out has no code of his own.
          forbidden_list: task.forbidden.filter(({ code }) => code !== 'shut out').map((one) => ({ ...one, count: 1 })),
        },
      })
    }),
    [`POST ${path}/recall`]: withTask((_json, task, messages) => {
      if (state.now() - task.at > 24 * hour_ms) return old(400002, '参数错误：超过24小时')
      for (const one of messages) one.recalled = true
      return ok({})
    }),
    [`POST ${path}/status_bar/update`]: withTask((json, task, messages) => {
      if (state.now() - task.at > 7 * 24 * hour_ms || !messages.every((one) => objectIn(one.raw).msgtype === 'oa'))
        return old(400002, '参数错误：只支持7天内的oa消息')
      for (const one of messages) one.card = { ...one.card, state: said(json.status_value) }
      return ok({})
    }),
  }
}

export function dingtalkMessages(state: State): SimulatedCalls {
  const tasks = new Map<string, Task>()
  /** The only form in which an application of the store may write, where one is approved. */
  const formOf = (app: Registered): string => (app.suite && state.suite('dingtalk', app.suite.id)?.template) || ''
  const send = ({ json }: AskedCall, app: Registered): Reply => {
    if (said(json.agent_id) !== app.agent_id) return old(400002, '参数错误：agent_id')
    const found = meant(state, app, json)
    if ('status' in found) return found
    const raw = typeof json.msg === 'string' ? json.msg : JSON.stringify(json.msg ?? {})
    const msg = objectIn(raw)
    if (said(msg.msgtype) === '' || msg[said(msg.msgtype)] === undefined) return old(400002, '参数错误：msg')
    if (Buffer.byteLength(raw) > 2048) return old(40035, '消息体超过2048字节')
    const task: Task = {
      id: String(randomInt(100_000_000_000, 999_999_999_999)),
      app,
      at: state.now(),
      invalid: found.invalid,
      forbidden: [],
    }
    tasks.set(task.id, task)
    for (const person of found.people) {
      const code = person.reach ? 'shut out' : forbidden(state, app, person, raw)
      if (code) task.forbidden.push({ code, userid: person.user_id })
      state.inbox.add({
        id: task.id,
        app,
        to: person.user_id,
        card: drawn(msg),
        raw,
        shared: found.people.length > 1,
        dropped: code,
      })
    }
    return ok({ task_id: Number(task.id) })
  }
  return {
    [`POST ${path}/asyncsend_v2`]: withApp(
      state,
      (asked, app) => (formOf(app) ? old(400002, '参数错误：第三方应用请使用消息模板发送') : send(asked, app)),
      'Message.CorpConversation.AsyncSend',
    ),
    [`POST ${path}/sendbytemplate`]: withApp(state, ({ json, ...asked }, app) => {
      const id = said(json.template_id)
      if (id === '' || (formOf(app) && id !== formOf(app))) return old(400002, '参数错误：template_id')
      return send(
        {
          ...asked,
          json: { ...json, msg: byTemplate(id, typeof json.data === 'string' ? objectIn(json.data) : fields(json.data)) },
        },
        app,
      )
    }),
    ...afterwards(state, tasks),
  }
}
