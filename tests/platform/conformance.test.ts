/** One suite for every adapter: directory, messages, callbacks, installations, tokens, all against the simulators. */

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import type { OutgoingMessage } from '../../platform/carrier.ts'
import { chatProviders } from '../../platform/chat/providers.ts'
import { createChatSender, createPlatforms } from '../../platform/index.ts'
import type { RegisteredApp, RegisteredSuite } from '../../platform/simulator/index.ts'
import type { SimulatedProvider } from '../../platform/simulator/profiles.ts'
import { toOpenUserId } from '../../platform/simulator/wecom/ids.ts'
import type { CachedToken, CallbackOutcome, TokenStore } from '../../platform/types.ts'
import { chatCompany, chatWorld, departmentId, providers, readAll } from '../support/outside/chat-company.ts'
import { abilities } from './abilities.ts'

type World = Awaited<ReturnType<typeof chatWorld>>
let world: World
beforeAll(async () => void (world = await chatWorld()))
afterAll(() => world.close())

let messages = 0
const message = (to: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  id: `slip-${(messages += 1)}`,
  to,
  kind: 'slip',
  text: `【薪函】示例科技：标题一句，正文一句：https://pay.example.cn/s/9f2c${messages}`,
  variables: [],
  link: `https://pay.example.cn/s/9f2c${messages}`,
  name: '张*',
  ...more,
})
const request = (path: string): number => world.simulator.calls.filter((one) => one.includes(path)).length
/** Returns the messages that a user has and still sees. */
const has = (corp_id: string, to: string) =>
  world.simulator
    .messages()
    .filter((one) => one.app.corp_id === corp_id && one.to === to && one.dropReason === null && !one.isRecalled)
const sendPath: Record<SimulatedProvider, string> = { lark: '/im/v1/messages', wecom: '/message/send', dingtalk: '/asyncsend_v2' }

it('has a simulator for every provider', () => expect(providers).toEqual(Object.keys(chatProviders)))
it('the table of platform features is up to date (npm run abilities writes it)', () => {
  expect(readFileSync('docs/chat-platforms/abilities.zh-CN.md', 'utf8')).toBe(abilities())
})

describe.each(providers)('%s: directory', (provider) => {
  const directory = () => world.platforms[provider].directory

  it('tests credentials, permissions and range at once', async () => {
    const { app } = chatCompany(world.simulator, provider)
    expect(await directory().check(app)).toEqual({
      ok: true,
      company_name: '示例科技',
      isVerified: true,
      range: { isFull: true, department_ids: [departmentId(provider, 1)], user_ids: [] },
      issues: [],
    })
  })
  it("does not accept another company's application", async () => {
    const { app } = chatCompany(world.simulator, provider)
    const { ok, isVerified, issues } = await directory().check({ ...app, corp_id: 'another_company' })
    expect(issues.some((one) => one.area === 'credentials')).toBe(true)
    // WeCom's token names the company already.
    expect([ok, isVerified]).toEqual([false, provider === 'wecom' ? expect.any(Boolean) : false])
  })

  it('reports a wrong secret distinctly, in Chinese', async () => {
    const { app } = chatCompany(world.simulator, provider)
    const { ok, issues } = await directory().check({ ...app, secret: 'wrong' })
    expect([ok, issues.map(({ area, blocking }) => [area, blocking])]).toEqual([false, [['credentials', true]]])
    expect(issues[0]?.message).toMatch(/不正确.*复制/)
  })
  it.each(
    {
      lark: [
        [{ permissions: ['im:message:send_as_bot'] }, 'directory', true, 'contact:contact:readonly_as_app'],
        [
          {
            permissions: ['contact:contact.base:readonly', 'contact:user.base:readonly', 'im:message', 'tenant:tenant:readonly'],
          },
          'phones',
          false,
          'contact:user.phone:readonly',
        ],
        [{ isStopped: true }, 'app', true, null],
      ],
      wecom: [
        [{ isUntrustedAddress: true }, 'address', true, null],
        [{ kind: 'new' }, 'phones', false, '敏感信息 · 手机号'],
        [{ isStopped: true }, 'app', true, null],
        [{ range: { department_ids: [], user_ids: [] } }, 'range', true, '可见范围'],
      ],
      dingtalk: [
        [{ permissions: ['qyapi_get_department_list', 'fieldMobile'] }, 'directory', true, 'qyapi_get_department_member'],
        [{ permissions: ['qyapi_get_department_list', 'qyapi_get_department_member'] }, 'phones', false, 'fieldMobile'],
        [{ isStopped: true }, 'app', true, null],
        [{ isUntrustedAddress: true }, 'address', true, null],
      ],
    }[provider] as [Partial<RegisteredApp>, string, boolean, string | null][],
  )('names what is missing: %o → %s', async (more, about, blocking, permission) => {
    const { app } = chatCompany(world.simulator, provider, { app: more })
    const { ok, issues } = await directory().check(app)
    expect(ok).toBe(!blocking)
    expect(issues.find((one) => one.area === about)).toMatchObject({
      blocking,
      permission,
      message: expect.stringMatching(/[\u4e00-\u9fff]{4}/),
    })
  })
  it('reads the whole directory: levels, pages, users in two departments', async () => {
    const { app, both, corp_id } = chatCompany(world.simulator, provider, { many: 120 })
    const { departments, people } = await readAll(world.platforms[provider], app)
    const [root, dev, back, money] = [1, 2, 3, 4].map((number) => departmentId(provider, number))
    expect([...departments.values()].map(({ id, parent_id, name }) => [id, parent_id, name])).toEqual(
      expect.arrayContaining([
        [root, null, '示例科技'],
        [dev, root, '研发'],
        [back, dev, '后端'],
        [money, root, '财务'],
      ]),
    )
    expect(people.size).toBe(world.simulator.company(provider, corp_id).users.size)
    expect(people.get(both.user_id)?.length).toBe(2)
    expect(people.get(both.user_id)?.[0]).toMatchObject({
      name: '张三',
      mobile: '13800000001',
      employee_no: 'E1',
      department_ids: [dev, money],
      status: 'active',
    })
    expect([...people.values()].flat().find((one) => one.name === '李四')?.status).toBe('not_joined')
  })
  it('reads one user: names, phone, number, led departments, sorted smaller first', async () => {
    const { app, both } = chatCompany(world.simulator, provider)
    const [dev, money] = [departmentId(provider, 2), departmentId(provider, 4)]
    const one = await directory().getUser(app, both.user_id)
    expect(one).toMatchObject({ user_id: both.user_id, main_department_id: dev, sort: { [dev]: -7, [money]: -7 } })
    expect(one?.leads).toEqual(provider === 'lark' ? null : [dev])
    expect((await directory().getDepartment(app, dev))?.leader_ids).toEqual([both.user_id])
    expect(await directory().getUser(app, 'nobody')).toBeNull()
    expect(await directory().getDepartment(app, departmentId(provider, 99))).toBeNull()
  })
  it('reads only the granted part: departments with their subtrees, and single users', async () => {
    const { app, both, plain } = chatCompany(world.simulator, provider, { many: 3 })
    world.simulator.changeApp(app, { range: { department_ids: [departmentId(provider, 2)], user_ids: [plain.user_id] } })
    const { range, departments, people } = await readAll(world.platforms[provider], app)
    expect(range).toEqual({ isFull: false, department_ids: [departmentId(provider, 2)], user_ids: [plain.user_id] })
    expect([...departments.keys()].sort()).toEqual([departmentId(provider, 2), departmentId(provider, 3)])
    expect(people.size).toBe(5)
    expect([...people.keys()]).toEqual(expect.arrayContaining([both.user_id, plain.user_id]))
    const outsider = [...world.simulator.company(provider, app.corp_id).users.values()].find((one) => one.name === '王五')
    expect(await directory().getUser(app, outsider?.user_id ?? '')).toBeNull()
  })
  it('finds users by phone', async () => {
    const { app, both } = chatCompany(world.simulator, provider)
    expect(await directory().findByMobile(app, ['13800000001', '13900000000'])).toEqual(
      new Map([
        ['13800000001', both.user_id],
        ['13900000000', null],
      ]),
    )
  })
  it.each(['broken', 'unreadable', 'cut', 'too_many'] as const)(
    'throws for a page that comes back %s, and can request the same page again',
    async (does) => {
      const { app } = chatCompany(world.simulator, provider, { many: 120 })
      const back = departmentId(provider, 3)
      const first = await directory().listUsers(app, back, null)
      const path = { lark: 'find_by_department', wecom: '/user/list', dingtalk: '/user/list' }[provider]
      world.simulator.addError({ provider, path, kind: does })
      const kind = does === 'too_many' ? 'rate_limited' : 'temporary'
      await expect(directory().listUsers(app, back, first.next)).rejects.toMatchObject({ name: 'PlatformError', kind })
      const again = await directory().listUsers(app, back, first.next)
      expect(again.items.length).toBeGreaterThan(0)
    },
  )
})

it.each([
  ['wecom', '企业可信IP'],
  ['dingtalk', '服务器出口 IP'],
] as const)('%s: names the address that has to be added to %s', async (provider, list) => {
  const { app } = chatCompany(world.simulator, provider, { app: { isUntrustedAddress: true } })
  const { issues } = await world.platforms[provider].directory.check(app)
  expect(issues[0]?.message).toMatch(new RegExp(`${list}.*：203\\.0\\.113\\.7$`))
})

it.each(['broken', 'cut', 'too_many'] as const)(
  'DingTalk: leaves unknown whether an application belongs to this company when the response comes back %s, and blocks nobody',
  async (does) => {
    const { app } = chatCompany(world.simulator, 'dingtalk')
    world.simulator.addError({ provider: 'dingtalk', path: `/${app.corp_id}/token`, kind: does })
    const { ok, isVerified, issues } = await world.platforms.dingtalk.directory.check(app)
    expect([ok, isVerified, issues.map(({ area }) => area)]).toEqual([true, false, ['credentials']])
  },
)

describe('errors are classified by their code, with any HTTP status', () => {
  it.each<[SimulatedProvider, number, object, string]>([
    ['lark', 200, { code: 10014, msg: 'app secret invalid' }, 'credentials'],
    ['lark', 400, { code: 10014, msg: 'app secret invalid' }, 'credentials'],
    ['lark', 200, { code: 10015, msg: 'app secret invalid' }, 'credentials'],
    ['lark', 400, { code: 10015, msg: 'app secret invalid' }, 'credentials'],
    ['lark', 200, { code: 10003, msg: 'invalid param' }, 'credentials'],
    ['lark', 400, { code: 99991543, msg: 'app_id or app_secret is invalid' }, 'credentials'],
    ['lark', 401, { code: 99991401, msg: 'ip denied' }, 'address'],
    ['lark', 403, { code: 99991662, msg: 'app not in use' }, 'app'],
    ['wecom', 200, { errcode: 40001, errmsg: 'invalid credential' }, 'credentials'],
    ['wecom', 400, { errcode: 40013, errmsg: 'invalid corpid' }, 'credentials'],
    ['wecom', 500, { errcode: 60020, errmsg: 'not allow to access from your ip' }, 'address'],
    ['dingtalk', 400, { code: 'invalidClientIdOrSecret', message: 'wrong' }, 'credentials'],
    ['dingtalk', 403, { code: 'invalidClientIdOrSecret', message: 'wrong' }, 'credentials'],
    ['dingtalk', 200, { errcode: 88, sub_code: '60020', sub_msg: 'ip' }, 'address'],
  ])('%s, %d %o: %s', async (provider, status, body, about) => {
    const text = JSON.stringify(body)
    const server = createServer((_request, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(text),
    )
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const bound = server.address()
    const hosts = hostsAt(`http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`)
    const { app } = chatCompany(world.simulator, provider)
    const { ok, issues } = await world.open({ hosts })[provider].directory.check(app)
    expect([ok, issues.map((one) => [one.area, one.blocking])]).toEqual([false, [[about, true]]])
    await new Promise((done) => server.close(done))
  })
})

test.each<[SimulatedProvider, sent: string, asked: string, 'not_accepted' | 'never_known']>([
  ['lark', '10:00', '10:49', 'not_accepted'],
  ['lark', '10:00', '10:51', 'never_known'],
  ['wecom', '10:00', '13:49', 'not_accepted'],
  ['wecom', '10:00', '13:51', 'never_known'],
  ['dingtalk', '10:00', '23:49', 'not_accepted'],
  // Ten minutes later it is another day, and the same text would arrive a second time.
  ['dingtalk', '23:48', '23:51', 'never_known'],
])('%s: an unanswered message sent at %s is at %s classified as %s', async (provider, sent, at, result) => {
  const clock = (time: string) => Date.parse(`2026-01-05T${time}:00+08:00`)
  const { carrier } = createPlatforms({ now: () => clock(at) })[provider]
  const { app } = chatCompany(world.simulator, provider)
  expect(await carrier.find(app, [{ id: 'a', to: 'b', attemptedAt: new Date(clock(sent)) }])).toEqual([{ id: 'a', result }])
})

describe.each(providers)('%s: messages', (provider) => {
  const carrier = () => world.platforms[provider].carrier
  const chat = () => world.platforms[provider].messages

  it('delivers a card with title, text and link, and with no address twice', async () => {
    const { app, both } = chatCompany(world.simulator, provider)
    const one = message(both.user_id)
    expect(await carrier().send(app, [one])).toMatchObject([{ id: one.id, result: 'accepted' }])
    const [got] = has(app.corp_id, both.user_id)
    expect(got?.card).toMatchObject({ title: '标题一句', link: one.link })
    expect(got?.card.lines.join(' ')).toContain('示例科技')
    expect(got?.card.lines.join(' ')).not.toContain('http')
  })
  it('delivers a repeated message once, and another message with the same text as well', async () => {
    const { app, both } = chatCompany(world.simulator, provider)
    const one = message(both.user_id)
    for (let at = 0; at < 3; at += 1) expect(await carrier().send(app, [one])).toMatchObject([{ result: 'accepted' }])
    expect(has(app.corp_id, both.user_id).length).toBe(1)
    await carrier().send(app, [{ ...one, id: `${one.id}-again` }])
    expect(has(app.corp_id, both.user_id).length).toBe(2)
  })
  it('treats a lost response as unclear: a retry within the allowed hours arrives once, later the outcome is unknown', async () => {
    const { app, both } = chatCompany(world.simulator, provider)
    const one = message(both.user_id)
    await carrier().send(app, [message(both.user_id)])
    world.simulator.addError({ provider, path: sendPath[provider], kind: 'lose' })
    expect(await carrier().send(app, [one])).toEqual([{ id: one.id, result: 'unclear' }])
    const tried = { id: one.id, to: one.to, attemptedAt: new Date(world.clock.now) }
    expect(await carrier().find(app, [tried])).toEqual([{ id: one.id, result: 'not_accepted' }])
    await carrier().send(app, [one])
    expect(has(app.corp_id, both.user_id).length).toBe(2)
    const late = { ...tried, attemptedAt: new Date(world.clock.now - 25 * 3_600_000) }
    expect(await carrier().find(app, [late])).toEqual([{ id: one.id, result: 'never_known' }])
  })
  it('reports unknown, out-of-range and unreachable users with a remedy each', async () => {
    const { app, both, plain, shut } = chatCompany(world.simulator, provider)
    world.simulator.changeApp(app, { range: { department_ids: [departmentId(provider, 2)], user_ids: [shut.user_id] } })
    const outcomes = await carrier().send(app, [
      message(both.user_id),
      message(plain.user_id),
      message(shut.user_id),
      message('nobody'),
    ])
    const messages = outcomes.map((one) => (one.result === 'refused' ? one.code.split(' ')[0] : one.result))
    expect(messages).toEqual([
      'accepted',
      'out_of_range',
      provider === 'wecom' ? 'unlicensed' : 'blocked',
      provider === 'lark' ? 'not_there' : 'out_of_range',
    ])
    for (const one of outcomes) if (one.result === 'refused') expect(one.message).toMatch(/请.*(重发|渠道)/)
  })
  it('retries later what surely did not leave (rate limit, closed, disabled), but not what was rejected', async () => {
    const { app, both } = chatCompany(world.simulator, provider)
    await carrier().send(app, [message(both.user_id)])
    world.simulator.addError({ provider, path: sendPath[provider], kind: 'too_many' })
    expect(await carrier().send(app, [message(both.user_id)])).toMatchObject([{ result: 'put_off', recipientOnly: false }])
    const away = world.open({ hosts: hostsAt('http://127.0.0.1:1') })
    expect(await away[provider].carrier.send(app, [message(both.user_id)])).toMatchObject([{ result: 'put_off' }])
    world.simulator.changeApp(app, { isStopped: true })
    expect(await carrier().send(app, [message(both.user_id)])).toMatchObject([
      { result: 'refused', code: expect.stringContaining('app ') },
    ])
    expect(has(app.corp_id, both.user_id).length).toBe(1)
  })
  it('can be recalled within a day and no later', async () => {
    const { app, both, plain } = chatCompany(world.simulator, provider)
    const [one, two] = [message(both.user_id), message(plain.user_id)]
    const sent = await carrier().send(app, [one, two])
    const refs = sent.map((each) => (each.result === 'accepted' ? each.ref : ''))
    expect(await carrier().recall(app, [{ id: one.id, to: one.to, ref: refs[0] ?? '' }])).toEqual([
      { id: one.id, result: 'recalled' },
    ])
    expect([has(app.corp_id, both.user_id).length, has(app.corp_id, plain.user_id).length]).toEqual([0, 1])
    world.clock.now += 25 * 3_600_000
    expect(await carrier().recall(app, [{ id: two.id, to: two.to, ref: refs[1] ?? '' }])).toEqual([
      { id: two.id, result: 'refused' },
    ])
  })
  it('can be updated afterwards as far as the platform allows, and reports read status where available', async () => {
    const { app, both } = chatCompany(world.simulator, provider)
    const one = message(both.user_id)
    const [sent] = await carrier().send(app, [one])
    const ref = sent?.result === 'accepted' ? sent.ref : ''
    const about = { ref, to: one.to, sent_at: new Date(world.clock.now) }
    const reads = chat().describe(app).reportsReads
    const getStatus = async () => (await chat().getDeliveryStatus(app, { ref, to: [one.to], sent_at: about.sent_at }))[0]?.read
    expect(await getStatus()).toBe(reads ? false : null)
    for (const got of has(app.corp_id, both.user_id)) world.simulator.state.inbox.markRead(got)
    expect(await getStatus()).toBe(reads ? true : null)
    const card = { title: '这份工资条已撤回', lines: [], link: null, button: '' }
    expect(await chat().update(app, { ...about, card, state: '已撤回' })).toBe('updated')
    const [marked] = has(app.corp_id, both.user_id)
    if (provider === 'lark') expect(marked?.card.title).toBe('【已撤回】这份工资条已撤回')
    else expect(marked?.card.statusText).toBe('已撤回')
    expect(await chat().update(app, { ...about, card, state: '已撤回' })).toBe(provider === 'wecom' ? 'refused' : 'updated')
    const last = { lark: 336, wecom: 72, dingtalk: 168 }[provider]
    world.clock.now = about.sent_at.getTime() + (last - 1) * 3_600_000
    expect(await chat().update(app, { ...about, card, state: '已撤回' })).not.toBe('too_late')
    world.clock.now += 2 * 3_600_000
    expect(await chat().update(app, { ...about, card, state: '已撤回' })).toBe('too_late')
  })
  it('sends one text to many in chunks within the limits, with an outcome for each user', async () => {
    const { app, shut } = chatCompany(world.simulator, provider, { many: 450 })
    const people = [...world.simulator.company(provider, app.corp_id).users.keys()]
    const to = [...people, 'nobody', 'nobody-2']
    const before = request(sendPath[provider]) + request('batch_send')
    const card = { title: '提醒', lines: ['正文一句'], link: 'https://pay.example.cn/m', button: '查看' }
    const outcomes = await chat().sendMany(app, { id: 'reminder', to, card })
    expect(request(sendPath[provider]) + request('batch_send') - before).toBe(
      Math.ceil(to.length / chat().describe(app).maxRecipients),
    )
    const refused = outcomes.filter((one) => one.result === 'refused').map((one) => one.to)
    expect(refused.sort()).toEqual([shut.user_id, 'nobody', 'nobody-2'].sort())
    expect(outcomes.filter((one) => one.result === 'accepted').length).toBe(people.length - 1)
    expect(has(app.corp_id, people[0] ?? '').length).toBe(1)
  })
})

it.each(providers)(
  "%s: the delivery ledger's sender is named by the application and keeps the documented rate",
  async (provider) => {
    const { app, both } = chatCompany(world.simulator, provider)
    const line = createChatSender(world.platforms, app)
    expect(line.key).toBe(`chat:${provider}:${app.corp_id}:${app.app_id}:${app.agent_id}`)
    expect(line.description.rateLimit).toEqual(
      { lark: { count: 1000, perMs: 60_000 }, wecom: null, dingtalk: { count: 5000, perMs: 60_000 } }[provider],
    )
    expect(await line.send([message(both.user_id)])).toMatchObject([{ result: 'accepted' }])
  },
)

it('WeCom reports how many messages are left today', async () => {
  const { app, both, plain } = chatCompany(world.simulator, 'wecom')
  await world.platforms.wecom.carrier.send(app, [message(both.user_id), message(plain.user_id)])
  expect(await world.platforms.wecom.messages.countSentToday(app)).toBe(2)
})
it('DingTalk reports late outcomes of a finished task', async () => {
  const { app, both, shut } = chatCompany(world.simulator, 'dingtalk')
  world.simulator.state.taskDurationMs = 5000
  const [first, second] = await world.platforms.dingtalk.carrier.send(app, [message(both.user_id), message(shut.user_id)])
  expect([first?.result, second?.result]).toEqual(['accepted', 'refused'])
  const asking = { ref: first?.result === 'accepted' ? first.ref : '', to: [both.user_id], sent_at: new Date(world.clock.now) }
  expect(await world.platforms.dingtalk.messages.getDeliveryStatus(app, asking)).toMatchObject([{ delivered: 'not_yet' }])
  world.clock.now += 5000
  expect(await world.platforms.dingtalk.messages.getDeliveryStatus(app, asking)).toMatchObject([
    { delivered: 'yes', read: false },
  ])
  world.simulator.state.taskDurationMs = 0
})

/**
 * Starts a callback address that records events and responds as the adapter does; `down` is the number of first
 * requests that fail.
 */
async function listener(
  provider: SimulatedProvider,
  keys: () => { token: string; aes_key: string; receivers: string[]; corp_id: string | null },
) {
  const outcomes: CallbackOutcome[] = []
  const state = { down: 0 }
  const server = createServer((request, response) => {
    const sections: Buffer[] = []
    request.on('data', (part: Buffer) => void sections.push(part))
    request.on('end', () => {
      if (state.down-- > 0) return void response.writeHead(500).end()
      const url = new URL(request.url ?? '/', 'http://ours.invalid')
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const provided = {
        method: request.method ?? '',
        query: Object.fromEntries(url.searchParams),
        headers,
        body: Buffer.concat(sections),
      }
      const outcome = world.platforms[provider].callbacks.receive(keys(), provided, new Date(world.clock.now))
      outcomes.push(outcome)
      if (outcome.result === 'refused') return void response.writeHead(403).end()
      response.writeHead(outcome.reply.status, { 'content-type': outcome.reply.type }).end(outcome.reply.body)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const bound = server.address()
  const url = `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}/hook`
  const listEvents = () => outcomes.flatMap((one) => (one.result === 'event' ? [one.event.update] : []))
  return { url, outcomes, listEvents, state, close: () => new Promise((done) => server.close(done)) }
}
const aes_key = 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C'
const token = 'QDG6eK'

describe.each(providers)('%s: callbacks of the simulator', (provider) => {
  it('checks the address, sends readable events, and repeats them with one key until accepted', async () => {
    const { app, plain, corp_id } = chatCompany(world.simulator, provider)
    const receiver = provider === 'wecom' ? corp_id : app.app_id
    const ours = await listener(provider, () => ({ token, aes_key, receivers: [receiver], corp_id }))
    world.simulator.changeApp(app, { callback: { url: ours.url, token, aes_key } })
    await world.simulator.callbackSender.waitForDeliveries()
    ours.outcomes.length = 0
    expect(await world.simulator.callbackSender.checkUrl(app)).toBe(true)
    expect(ours.outcomes.map((one) => one.result)).toEqual(['check'])
    world.simulator.addUser({ ...plain, name: '李四四' })
    world.simulator.saveDepartment({
      provider,
      corp_id,
      id: departmentId(provider, 5),
      parent_id: departmentId(provider, 1),
      name: '新',
    })
    world.simulator.removeUser(plain)
    await world.simulator.callbackSender.waitForDeliveries()
    expect(ours.listEvents()).toEqual(
      expect.arrayContaining([
        { kind: 'person', change: 'changed', ids: [plain.user_id] },
        { kind: 'department', change: 'added', ids: [departmentId(provider, 5)] },
        { kind: 'person', change: 'removed', ids: [plain.user_id] },
      ]),
    )
    ours.outcomes.length = 0
    ours.state.down = 2
    const delivery = await world.simulator.callbackSender.sendChange(app, { kind: 'person', action: 'changed', id: 'u9' })
    expect(delivery).toMatchObject({ isAccepted: true, attempts: 3 })
    const notified = world.simulator.callbackSender.getRecipient(app)
    if (delivery && notified) await world.simulator.callbackSender.deliver(provider, notified, delivery.message)
    const keys = ours.outcomes.flatMap((one) => (one.result === 'event' ? [one.event.key] : []))
    expect([keys.length, new Set(keys).size]).toEqual([2, 1])
    await ours.close()
  })
  it("rejects callbacks encrypted for another application, and limits the simulator's retries", async () => {
    const { app } = chatCompany(world.simulator, provider)
    const ours = await listener(provider, () => ({ token, aes_key, receivers: ['another'], corp_id: null }))
    world.simulator.changeApp(app, { callback: { url: ours.url, token, aes_key } })
    await world.simulator.callbackSender.waitForDeliveries()
    ours.outcomes.length = 0
    const delivery = await world.simulator.callbackSender.sendChange(app, {
      kind: 'department',
      action: 'removed',
      id: departmentId(provider, 2),
    })
    expect(delivery).toMatchObject({ isAccepted: false, attempts: { lark: 5, wecom: 4, dingtalk: 3 }[provider] })
    expect(new Set(ours.outcomes.map((one) => (one.result === 'refused' ? one.reason : one.result)))).toEqual(
      new Set(['receiver']),
    )
    await ours.close()
  })
})

describe.each(providers)('%s: store application', (provider) => {
  it('supports ticket, installation, directory, message, sign-in and removal', async () => {
    const own: RegisteredSuite = { provider, id: `suite-${provider}`, secret: 'suite-secret', ticket: null }
    const ours = await listener(provider, () => ({ token, aes_key, receivers: [own.id], corp_id: null }))
    const suite = world.simulator.addSuite({ ...own, callback: { url: ours.url, token, aes_key } })
    const { app, both } = chatCompany(world.simulator, provider, {
      app: { app_id: own.id, secret: provider === 'wecom' ? 'permanent' : '', suite },
    })
    // User ids are encrypted for WeCom store applications and case-sensitive.
    const called = ({ user_id }: { user_id: string }) => (provider === 'wecom' ? toOpenUserId(app.corp_id, user_id) : user_id)
    world.simulator.changeApp(app, {
      installer: both.user_id,
      ...(provider === 'dingtalk' ? { activationCode: 'permanent-1' } : {}),
    })
    const { installs, directory, carrier } = world.platforms[provider]
    await expect(installs.completeInstall(own, { code: 'x', corp_id: app.corp_id })).rejects.toMatchObject({ kind: 'temporary' })
    await world.simulator.issueTicket(suite)
    const newest = () =>
      ours
        .listEvents()
        .flatMap((one) => (one.kind === 'ticket' ? [one.ticket] : []))
        .at(-1) ?? null
    const existing = { ...own, ticket: newest() }
    /** DingTalk sends the code only in its event, and issues no token before a response. */
    const notifiedCode = async () => {
      if (provider !== 'dingtalk') return null
      await world.simulator.callbackSender.sendChange(app, { kind: 'app', action: 'enabled' })
      const notified = ours.listEvents().at(-1)
      return notified?.kind === 'app' ? notified.code : null
    }
    const url = await installs.getInstallUrl(existing, { redirect: 'https://pay.example.cn/back', state: 's1' })
    const back = url ? await fetch(`${url}&corp=${app.corp_id}`, { redirect: 'manual' }) : null
    const code = back ? new URL(back.headers.get('location') ?? '').searchParams.get('auth_code') : await notifiedCode()
    const { app: installed, company_name, installers } = await installs.completeInstall(existing, { code, corp_id: app.corp_id })
    // Lark reports it only in its event.
    expect(installers).toEqual(provider === 'lark' ? [] : [called(both)])
    expect(installed).toMatchObject({ provider, corp_id: app.corp_id, app_id: own.id })
    expect(company_name).toBe('示例科技')
    const check = await directory.check(installed)
    expect([check.ok, check.range?.isFull]).toEqual([true, true])
    const person = await directory.getUser(installed, called(both))
    if (provider === 'wecom') expect(await directory.getUser(installed, called(both).toLowerCase())).toBeNull()
    // Fields that store applications do not receive.
    expect([person?.name, person?.mobile]).toEqual(
      { lark: ['张三', '13800000001'], wecom: [null, null], dingtalk: ['张三', null] }[provider],
    )
    expect(await carrier.send(installed, [message(called(both))])).toMatchObject([{ result: 'accepted' }])
    const cameBy = world.simulator.issueCode(app, both, 'page', 'https://pay.example.cn/back')
    expect(await installs.getIdentity(existing, { code: cameBy, redirect: 'https://pay.example.cn/back' })).toMatchObject({
      corp_id: app.corp_id,
      user_id: called(both),
    })
    const signIn = world.simulator.issueCode(app, both, 'page', 'https://pay.example.cn/entry')
    const asking = { code: signIn, source: 'page' as const, redirect: 'https://pay.example.cn/entry' }
    expect(await world.platforms[provider].exchangeCode(installed, asking)).toMatchObject({
      corp_id: app.corp_id,
      user_id: called(both),
    })
    // A user of another company that has installed it is unknown here.
    const { app: elsewhere, both: foreign } = chatCompany(world.simulator, provider, {
      app: { app_id: own.id, secret: 'other', suite },
    })
    const theirs = world.simulator.issueCode(elsewhere, foreign, 'page', 'https://pay.example.cn/entry')
    const refused = { kind: expect.stringMatching(/^(out_of_scope|code_refused)$/) }
    await expect(world.platforms[provider].exchangeCode(installed, { ...asking, code: theirs })).rejects.toMatchObject(refused)
    await world.simulator.callbackSender.sendChange(app, { kind: 'person', action: 'changed', id: both.user_id })
    expect(ours.listEvents().at(-1)).toMatchObject({ kind: 'person', ids: [called(both)] })
    await world.simulator.callbackSender.sendChange(app, { kind: 'app', action: 'enabled', code: 'code' })
    expect(ours.listEvents().at(-1)).toMatchObject({
      kind: 'app',
      change: 'enabled',
      ...(provider === 'wecom' ? {} : { by: both.user_id }),
    })
    world.simulator.changeApp(app, { isStopped: true })
    world.simulator.expireTokens(provider)
    if (provider === 'wecom') await world.simulator.issueTicket(suite)
    const renewed = { ...installed, suite: { ...existing, ticket: newest() } }
    await expect(directory.getVisibleRange(renewed)).rejects.toMatchObject({
      kind: provider === 'lark' ? 'app_disabled' : 'unauthorised',
    })
    await world.simulator.callbackSender.sendChange(app, { kind: 'app', action: 'removed' })
    expect(ours.listEvents().at(-1)).toEqual({ kind: 'app', change: 'removed', code: null })
    await ours.close()
  })
})

describe.each(providers)('%s: tokens of two nodes with a shared store', (provider) => {
  const path = { lark: 'tenant_access_token', wecom: '/gettoken', dingtalk: '/accessToken' }[provider]
  it('are requested once, and once more when a token expires early', async () => {
    const { app, both } = chatCompany(world.simulator, provider)
    const store = sharedStore()
    const nodes = [world.open({ store }), world.open({ store })]
    const before = request(path)
    const all = () =>
      Promise.all(nodes.flatMap((node) => Array.from({ length: 10 }, () => node[provider].directory.getUser(app, both.user_id))))
    await all()
    expect(request(path) - before).toBe(1)
    world.simulator.expireTokens(provider)
    expect((await all()).every((one) => one?.user_id === both.user_id)).toBe(true)
    expect(request(path) - before).toBe(2)
    for (const [key] of store.stored) expect(key).not.toContain(app.secret)
  })
})

/** Stores tokens like a database: one at a time by key. */
function sharedStore(): TokenStore & { stored: Map<string, CachedToken> } {
  const stored = new Map<string, CachedToken>()
  const waiting = new Map<string, Promise<unknown>>()
  return {
    stored,
    read: async (key) => stored.get(key) ?? null,
    write: async (key, one) => void stored.set(key, one),
    forget: async (key, dead) => {
      if (stored.get(key)?.token === dead) stored.delete(key)
    },
    withLock: <T>(key: string, work: () => Promise<T>): Promise<T> => {
      const next = (waiting.get(key) ?? Promise.resolve()).then(work, work)
      waiting.set(key, next)
      return next
    },
  }
}
const hostsAt = (address: string) => ({
  lark: { api: address, accounts: address, pages: address },
  wecom: { api: address, open: address, login: address, install: address },
  dingtalk: { oapi: address, api: address, login: address },
})
