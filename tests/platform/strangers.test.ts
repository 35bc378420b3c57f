/** Unmodified third-party clients use the simulators and must read what the real platforms would return. */

import * as older from '@larksuiteoapi/allcore'
import { Client, LoggerLevel, withUserAccessToken } from '@larksuiteoapi/node-sdk'
import { decrypt, getSignature } from '@wecom/crypto'
import DingTalkEncryptor from 'dingtalk-encrypt'
import DingTalk from 'node-dingtalk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WecomApi from 'wechat-enterprise-api'
import type { CallbackMessage } from '../../platform/simulator/callbacks.ts'
import type { Provider } from '../../platform/types.ts'
import { type ChatCompany, chatCompany, chatWorld, departmentId, providers } from '../support/outside/chat-company.ts'

const silent = { error() {}, warn() {}, info() {}, debug() {}, trace() {} }
let world: Awaited<ReturnType<typeof chatWorld>>
const address = new Map<Provider, string>()
const companies = new Map<Provider, ChatCompany>()
const company = (provider: Provider): ChatCompany => {
  const match = companies.get(provider)
  if (!match) throw new Error('not built')
  return match
}
beforeAll(async () => {
  world = await chatWorld()
  for (const provider of providers) {
    companies.set(provider, chatCompany(world.simulator, provider, { many: 120 }))
    // Each simulator has its own address, as the platforms do.
    address.set(provider, await world.simulator.listen({ only: provider }))
  }
})
afterAll(() => world.close())
const at = (provider: Provider): string => address.get(provider) ?? ''
const card = { config: { update_multi: true }, header: { title: { tag: 'plain_text', content: '工资条' } }, elements: [] }

describe('Lark', () => {
  const client = () => {
    const { app } = company('lark')
    return new Client({
      appId: app.app_id,
      appSecret: app.secret,
      domain: at('lark'),
      oauthBaseUrl: at('lark'),
      logger: silent,
      loggerLevel: LoggerLevel.error,
    })
  }
  it('the Lark SDK reads tree, pages, one user, phones and range', async () => {
    const { both } = company('lark')
    const { contact } = client()
    const children = await contact.v3.department.children({
      path: { department_id: '0' },
      params: { fetch_child: true, page_size: 2, department_id_type: 'open_department_id' },
    })
    expect(children).toMatchObject({
      code: 0,
      data: { has_more: true, items: [{ open_department_id: 'od-2' }, { open_department_id: 'od-4' }] },
    })
    const matches: string[] = []
    for await (const page of await contact.v3.user.findByDepartmentWithIterator({
      params: { department_id: 'od-3', page_size: 50 },
    }))
      matches.push(...(page?.items ?? []).map((one) => one.open_id ?? ''))
    expect(new Set(matches).size).toBe(120)
    const one = await contact.v3.user.get({ path: { user_id: both.user_id }, params: { user_id_type: 'open_id' } })
    expect(one.data?.user).toMatchObject({ name: '张三', mobile: '+8613800000001', employee_no: 'E1' })
    const ids = await contact.v3.user.batchGetId({
      params: { user_id_type: 'open_id' },
      data: { mobiles: ['13800000001', '13900000000'] },
    })
    expect(ids.data?.user_list?.map((row) => row.user_id)).toEqual([both.user_id, undefined])
    expect((await contact.v3.scope.list({ params: { page_size: 100 } })).data).toMatchObject({
      department_ids: ['od-2', 'od-4'],
      has_more: false,
    })
  })
  it('the Lark SDK sends a card twice under one uuid, updates, reads and recalls it', async () => {
    const { both } = company('lark')
    const { im } = client()
    const data = { receive_id: both.user_id, msg_type: 'interactive', content: JSON.stringify(card), uuid: 'u-1' }
    const send = () => im.v1.message.create({ params: { receive_id_type: 'open_id' }, data })
    const [first, second] = [await send(), await send()]
    expect(second.data?.message_id).toBe(first.data?.message_id)
    const path = { message_id: first.data?.message_id ?? '' }
    expect((await im.v1.message.patch({ path, data: { content: JSON.stringify(card) } })).code).toBe(0)
    expect((await im.v1.message.readUsers({ path, params: { user_id_type: 'open_id' } })).data?.items).toEqual([])
    expect((await im.v1.message.delete({ path })).code).toBe(0)
    await expect(im.v1.message.delete({ path })).rejects.toMatchObject({ response: { data: { code: 230011 } } })
  })
  it('the Lark SDK exchanges a code by the new and the oldest exchange', async () => {
    const { app, both } = company('lark')
    const sdk = client()
    const code = world.simulator.issueCode(app, both, 'page', 'https://pay.example.cn/entry')
    const { accessToken } = await sdk.accessToken.retrieveByAuthorizationCode({
      code,
      redirectUri: 'https://pay.example.cn/entry',
    })
    const who = await sdk.authen.v1.userInfo.get({}, withUserAccessToken(accessToken))
    expect(who.data).toMatchObject({ open_id: both.user_id, tenant_key: app.corp_id })
    const old = await sdk.authen.v1.oidcAccessToken.create({
      data: { grant_type: 'authorization_code', code: world.simulator.issueCode(app, both, 'page', 'x') },
    })
    expect(old).toMatchObject({ code: 0, data: { token_type: 'Bearer' } })
  })
  it('the older Lark SDK with another code base works', async () => {
    const { app, both } = company('lark')
    const settings = older.newInternalAppSettings({ appID: app.app_id, appSecret: app.secret })
    const config = older.newConfig(at('lark') as older.core.Domain, settings, { loggerLevel: older.LoggerLevel.ERROR })
    const call = (path: string, method: string, body?: object) =>
      older.api.sendRequest(config, older.api.newRequest(path, method, older.api.AccessTokenType.Tenant, body))
    expect(await call(`/open-apis/contact/v3/users/${both.user_id}`, 'GET')).toMatchObject({
      code: 0,
      data: { user: { name: '张三' } },
    })
    const content = JSON.stringify({ text: '请查收' })
    const sent = await call('/open-apis/im/v1/messages?receive_id_type=open_id', 'POST', {
      receive_id: both.user_id,
      msg_type: 'text',
      content,
    })
    expect(sent).toMatchObject({ code: 0, data: { message_id: expect.stringMatching(/^om_/) } })
  })
})

describe('WeCom', () => {
  const client = () => {
    const { app } = company('wecom')
    const api = new WecomApi(app.corp_id, app.secret, app.agent_id)
    api.prefix = `${at('wecom')}/cgi-bin/`
    return api
  }
  type Heard = Parameters<WecomApi['getDepartments']>[0]
  const heard = (call: (told: Heard) => void): Promise<Record<string, unknown>> =>
    new Promise((done, fail) => call((error, answer) => (error ? fail(error) : done(answer))))

  it('wechat-enterprise-api reads token, tree, users of a department, and one user in any letter case', async () => {
    const { both } = company('wecom')
    const api = client()
    expect(await heard((notify) => api.getDepartments(notify))).toMatchObject({
      errcode: 0,
      department: [{ id: 1, name: '示例科技' }, { id: 2 }, { id: 4 }, { id: 3 }],
    })
    expect((await heard((notify) => api.getDepartmentUsersDetail(3, 0, 0, notify))).userlist).toHaveLength(120)
    expect((await heard((notify) => api.getDepartmentUsers(1, 1, 0, notify))).userlist).toHaveLength(123)
    const shouted = both.user_id.toUpperCase()
    expect(await heard((notify) => api.getUser(shouted, notify))).toMatchObject({
      name: '张三',
      mobile: '13800000001',
      department: [2, 4],
      is_leader_in_dept: [1, 0],
    })
    await expect(heard((notify) => api.getUser('nobody', notify))).rejects.toMatchObject({ code: 60111 })
  })
  it('wechat-enterprise-api sends a message to three users, of whom one is unreachable, and exchanges a code by the old name', async () => {
    const { app, both, plain } = company('wecom')
    const api = client()
    const message = { msgtype: 'text', text: { content: '请查收' }, safe: '0' }
    const to = { touser: `${both.user_id}|${plain.user_id}|Nobody` }
    expect(await heard((notify) => api.send(to, message, notify))).toMatchObject({
      errcode: 0,
      invaliduser: 'nobody',
      msgid: expect.any(String),
    })
    const code = world.simulator.issueCode(app, both, 'page', 'https://pay.example.cn/entry')
    expect(await heard((notify) => api.getUserIdByCode(code, notify))).toMatchObject({ UserId: both.user_id })
  })
  it('reports an expired token by its code', async () => {
    const { both } = company('wecom')
    const api = client()
    await heard((notify) => api.getUser(both.user_id, notify))
    world.simulator.expireTokens('wecom')
    await expect(heard((notify) => api.getUser(both.user_id, notify))).rejects.toMatchObject({ code: 40014 })
  })
})

describe('DingTalk', () => {
  const client = () => {
    const { app } = company('dingtalk')
    return new DingTalk({ corpid: app.corp_id, corpsecret: app.secret, host: at('dingtalk') })
  }
  it('node-dingtalk uses token, departments, users and a code of the first generation', async () => {
    const { app, both } = company('dingtalk')
    expect((await client().department.list()).department.map(({ name }) => name)).toEqual(['示例科技', '研发', '财务', '后端'])
    expect((await client().user.list('3', false)).userlist).toHaveLength(100)
    expect(await client().user.get(both.user_id)).toMatchObject({ userid: both.user_id, name: '张三', mobile: '13800000001' })
    expect(await client().user.getUserInfoByCode(world.simulator.issueCode(app, both, 'client'))).toMatchObject({
      userid: both.user_id,
    })
  })
  it('node-dingtalk uses topapi/v2 and a work notification with its result', async () => {
    const { app, both } = company('dingtalk')
    const { client: http } = client()
    expect(await http.post('topapi/v2/department/listsub', { dept_id: 1 })).toMatchObject({
      result: [{ dept_id: 2, name: '研发' }, { dept_id: 4 }],
    })
    const page = await http.post('topapi/v2/user/list', { dept_id: 3, cursor: 0, size: 100 })
    expect(page).toMatchObject({ result: { has_more: true, next_cursor: 100 } })
    expect(await http.post('topapi/v2/user/get', { userid: both.user_id })).toMatchObject({
      result: { job_number: 'E1', leader_in_dept: [{ dept_id: 2, leader: true }, {}] },
    })
    const msg = { msgtype: 'text', text: { content: '请查收' } }
    const path = 'topapi/message/corpconversation'
    const sent = await http.post(`${path}/asyncsend_v2`, {
      agent_id: Number(app.agent_id),
      userid_list: `${both.user_id},nobody`,
      msg,
    })
    const result = await http.post(`${path}/getsendresult`, { agent_id: Number(app.agent_id), task_id: sent.task_id })
    expect(result).toMatchObject({ send_result: { invalid_user_id_list: ['nobody'], unread_user_id_list: [both.user_id] } })
    await expect(http.post('topapi/v2/user/get', { userid: 'nobody' })).rejects.toMatchObject({ code: 60121 })
  })
})

describe('third-party libraries decrypt what the simulators push', () => {
  const target = { url: 'http://127.0.0.1:1/hook', token: 'QDG6eK', aes_key: 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C' }
  const pushed = async (provider: Provider): Promise<CallbackMessage> => {
    const { app } = company(provider)
    world.simulator.changeApp(app, { callback: target })
    const delivery = await world.simulator.callbackSender.sendChange(app, {
      kind: 'department',
      action: 'removed',
      id: departmentId(provider, 3),
    })
    if (!delivery) throw new Error('nothing was said')
    return delivery.message
  }
  it('@wecom/crypto', async () => {
    const { url, body = '', plaintext } = await pushed('wecom')
    const query = new URL(url).searchParams
    const cipher = /<Encrypt><!\[CDATA\[(.+?)\]\]>/.exec(body)?.[1] ?? ''
    expect(getSignature(target.token, query.get('timestamp') ?? '', query.get('nonce') ?? '', cipher)).toBe(
      query.get('msg_signature'),
    )
    expect(decrypt(target.aes_key, cipher)).toMatchObject({ message: plaintext, id: company('wecom').corp_id })
  })
  it('dingtalk-encrypt', async () => {
    const { url, body = '', plaintext } = await pushed('dingtalk')
    const query = new URL(url).searchParams
    const theirs = new DingTalkEncryptor(target.token, target.aes_key, company('dingtalk').app.app_id)
    const [signature, timestamp, nonce] = ['signature', 'timestamp', 'nonce'].map((name) => query.get(name) ?? '')
    expect(theirs.getDecryptMsg(signature ?? '', timestamp ?? '', nonce ?? '', JSON.parse(body).encrypt)).toBe(plaintext)
  })
  it("the Lark SDK's dispatcher", async () => {
    const { EventDispatcher } = await import('@larksuiteoapi/node-sdk')
    const { body = '', headers = {} } = await pushed('lark')
    const heard: unknown[] = []
    const dispatcher = new EventDispatcher({
      encryptKey: target.aes_key,
      verificationToken: target.token,
      logger: silent,
    }).register({
      'contact.department.deleted_v3': (data) => void heard.push(data.object?.open_department_id),
    })
    await dispatcher.invoke(Object.assign(Object.create({ headers }), JSON.parse(body)))
    expect(heard).toEqual([departmentId('lark', 3)])
  })
})
