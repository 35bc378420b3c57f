/**
 * DingTalk's work notifications: one task per call, success even if nobody receives anything, results afterwards
 * (dingtalk.md §5).
 */
import { createHash, randomInt } from 'node:crypto'
import type { SimulatedUser } from '../company.ts'
import type { RenderedCard, SimulatedMessage } from '../inbox.ts'
import type { RegisteredApp } from '../registered-apps.ts'
import {
  listOrEmpty,
  objectOrEmpty,
  parseObjectOrEmpty,
  type Reply,
  type SimulatedCalls,
  type SimulatedRequest,
  type SimulatorState,
  textOrEmpty,
} from '../state.ts'
import { replyLegacyError, replyOk, withAppToken } from './replies.ts'

const hourMs = 3_600_000

function toRenderedCard(msg: Record<string, unknown>): RenderedCard {
  const body = objectOrEmpty(msg[textOrEmpty(msg.msgtype)])
  if (msg.msgtype === 'oa') {
    const [inner, bar] = [objectOrEmpty(body.body), objectOrEmpty(body.status_bar)]
    const rows = listOrEmpty(inner.form)
      .map(objectOrEmpty)
      .map((row) => `${textOrEmpty(row.key)}${textOrEmpty(row.value)}`)
    return {
      title: textOrEmpty(inner.title) || textOrEmpty(objectOrEmpty(body.head).text),
      lines: [...rows, textOrEmpty(inner.content)].filter((line) => line !== ''),
      link: textOrEmpty(body.message_url) || null,
      button: '查看',
      ...(bar.status_value === undefined ? {} : { statusText: textOrEmpty(bar.status_value) }),
    }
  }
  const text = textOrEmpty(body.markdown) || textOrEmpty(body.text) || textOrEmpty(body.content)
  const title = textOrEmpty(body.title)
  return {
    title: title || text,
    lines: title ? text.split('\n').map((line) => line.replace(/^#+\s*/, '')) : [],
    link: textOrEmpty(body.single_url) || textOrEmpty(body.messageUrl) || null,
    button: textOrEmpty(body.single_title) || '查看',
  }
}

/** Fills an approved template with its variables: its fixed text stays, missing values are omitted. */
const fillTemplate = (id: string, { title, content, url, number }: Record<string, unknown>) => ({
  msgtype: 'action_card',
  action_card: {
    title: textOrEmpty(title) || id,
    markdown: [textOrEmpty(content), textOrEmpty(number)].filter(Boolean).join('\n'),
    single_title: '查看',
    single_url: textOrEmpty(url),
  },
})

type MessageTask = {
  readonly id: string
  readonly app: RegisteredApp
  readonly at: number
  readonly invalid: readonly string[]
  readonly forbidden: { readonly code: string; readonly userid: string }[]
}

/** Returns which limit this user has exceeded; the call succeeds nevertheless. */
function checkMessageLimits(state: SimulatorState, app: RegisteredApp, user: SimulatedUser, content: string): string | null {
  const day = new Date(state.now() + 28_800_000).toISOString().slice(0, 10)
  const limitKey = `${app.corp_id} ${app.agent_id} ${user.user_id} ${day}`
  if (state.limits.tryTake(`dingtalk person ${limitKey}`, [{ count: app.suite ? 100 : 500, per_ms: 24 * hourMs }]) !== null)
    return '143105'
  if (state.inbox.isRepeated(`dingtalk ${limitKey} ${createHash('sha256').update(content).digest('hex')}`)) return '143106'
  if (state.limits.tryTake(`dingtalk receivers ${app.corp_id}`, [{ count: 5000, per_ms: 60_000 }]) !== null) return '143104'
  return null
}

function resolveRecipients(
  state: SimulatorState,
  app: RegisteredApp,
  json: SimulatedRequest['json'],
): { people: SimulatedUser[]; invalid: string[] } | Reply {
  const company = state.getCompany(app)
  const ids = textOrEmpty(json.userid_list).split(',').filter(Boolean)
  const departmentIds = textOrEmpty(json.dept_id_list).split(',').filter(Boolean)
  if (ids.length > 100 || departmentIds.length > 20) return replyLegacyError(33012, '无效的USERID：超过100个')
  const toAll = json.to_all_user === true || json.to_all_user === 'true'
  if (ids.length + departmentIds.length === 0 && !toAll) return replyLegacyError(400002, '参数错误：没有接收人')
  const users = new Set<SimulatedUser>(toAll ? company.users.values() : [])
  const invalid: string[] = []
  for (const id of ids) {
    const user = company.findUser(id)
    if (user && company.canSeeUser(app.range, user)) users.add(user)
    else invalid.push(id)
  }
  for (const departmentId of departmentIds)
    for (const id of [departmentId, ...company.getDescendants(departmentId).map((one) => one.id)])
      for (const user of company.getMembers(id)) users.add(user)
  return { people: [...users], invalid }
}

const conversationPath = '/topapi/message/corpconversation'

/** Calls about a task that was accepted. */
function taskCalls(state: SimulatorState, tasks: ReadonlyMap<string, MessageTask>): SimulatedCalls {
  const withMessageTask = (
    handle: (json: SimulatedRequest['json'], task: MessageTask, messages: readonly SimulatedMessage[]) => Reply,
  ) =>
    withAppToken(state, ({ json }, app) => {
      const task = tasks.get(textOrEmpty(json.task_id) || textOrEmpty(json.msg_task_id))
      if (!task || task.app !== app || textOrEmpty(json.agent_id) !== app.agent_id)
        return replyLegacyError(400002, '参数错误：task_id')
      return handle(json, task, state.inbox.getById(task.id))
    })
  return {
    [`POST ${conversationPath}/getsendprogress`]: withMessageTask((_json, task) => {
      const isFinished = state.now() - task.at >= state.taskDurationMs
      return replyOk({ progress: { progress_in_percent: isFinished ? 100 : 50, status: isFinished ? 2 : 1 } })
    }),
    [`POST ${conversationPath}/getsendresult`]: withMessageTask((_json, task, messages) => {
      if (state.now() - task.at > 24 * hourMs) return replyLegacyError(400002, '参数错误：任务已过期')
      if (messages.length > 100) return replyLegacyError(41052, '接收人超过100')
      const delivered = state.now() - task.at >= state.taskDurationMs ? messages.filter((one) => one.dropReason === null) : []
      return replyOk({
        send_result: {
          invalid_user_id_list: task.invalid,
          forbidden_user_id_list: task.forbidden.map((one) => one.userid),
          failed_user_id_list: [],
          read_user_id_list: delivered.filter((one) => one.read_at !== null).map((one) => one.to),
          unread_user_id_list: delivered.filter((one) => one.read_at === null).map((one) => one.to),
          invalid_dept_id_list: [],
          // There is no separate code for users who blocked the application.
          forbidden_list: task.forbidden.filter(({ code }) => code !== 'shut out').map((one) => ({ ...one, count: 1 })),
        },
      })
    }),
    [`POST ${conversationPath}/recall`]: withMessageTask((_json, task, messages) => {
      if (state.now() - task.at > 24 * hourMs) return replyLegacyError(400002, '参数错误：超过24小时')
      for (const one of messages) one.isRecalled = true
      return replyOk({})
    }),
    [`POST ${conversationPath}/status_bar/update`]: withMessageTask((json, task, messages) => {
      if (state.now() - task.at > 7 * 24 * hourMs || !messages.every((one) => parseObjectOrEmpty(one.raw).msgtype === 'oa'))
        return replyLegacyError(400002, '参数错误：只支持7天内的oa消息')
      for (const one of messages) one.card = { ...one.card, statusText: textOrEmpty(json.status_value) }
      return replyOk({})
    }),
  }
}

export function createDingtalkMessageCalls(state: SimulatorState): SimulatedCalls {
  const tasks = new Map<string, MessageTask>()
  /** Returns the template, which is the only message type available to a store application once it is approved. */
  const getTemplate = (app: RegisteredApp): string => (app.suite && state.findSuite('dingtalk', app.suite.id)?.template) || ''
  const send = ({ json }: SimulatedRequest, app: RegisteredApp): Reply => {
    if (textOrEmpty(json.agent_id) !== app.agent_id) return replyLegacyError(400002, '参数错误：agent_id')
    const recipients = resolveRecipients(state, app, json)
    if ('status' in recipients) return recipients
    const raw = typeof json.msg === 'string' ? json.msg : JSON.stringify(json.msg ?? {})
    const msg = parseObjectOrEmpty(raw)
    if (textOrEmpty(msg.msgtype) === '' || msg[textOrEmpty(msg.msgtype)] === undefined)
      return replyLegacyError(400002, '参数错误：msg')
    if (Buffer.byteLength(raw) > 2048) return replyLegacyError(40035, '消息体超过2048字节')
    const task: MessageTask = {
      id: String(randomInt(100_000_000_000, 999_999_999_999)),
      app,
      at: state.now(),
      invalid: recipients.invalid,
      forbidden: [],
    }
    tasks.set(task.id, task)
    for (const user of recipients.people) {
      const code = user.unreachableReason ? 'shut out' : checkMessageLimits(state, app, user, raw)
      if (code) task.forbidden.push({ code, userid: user.user_id })
      state.inbox.add({
        id: task.id,
        app,
        to: user.user_id,
        card: toRenderedCard(msg),
        raw,
        isShared: recipients.people.length > 1,
        dropReason: code,
      })
    }
    return replyOk({ task_id: Number(task.id) })
  }
  return {
    [`POST ${conversationPath}/asyncsend_v2`]: withAppToken(
      state,
      (request, app) =>
        getTemplate(app) ? replyLegacyError(400002, '参数错误：第三方应用请使用消息模板发送') : send(request, app),
      'Message.CorpConversation.AsyncSend',
    ),
    [`POST ${conversationPath}/sendbytemplate`]: withAppToken(state, ({ json, ...request }, app) => {
      const id = textOrEmpty(json.template_id)
      if (id === '' || (getTemplate(app) && id !== getTemplate(app))) return replyLegacyError(400002, '参数错误：template_id')
      return send(
        {
          ...request,
          json: {
            ...json,
            msg: fillTemplate(id, typeof json.data === 'string' ? parseObjectOrEmpty(json.data) : objectOrEmpty(json.data)),
          },
        },
        app,
      )
    }),
    ...taskCalls(state, tasks),
  }
}
