/**
 * Each WeCom path as its documentation describes it, called with plain HTTP: the response field by field and code by
 * code, old paths next to new ones. strangers.test.ts calls them with third-party clients; conformance.test.ts covers
 * sequences of many calls.
 */
import { describe, expect, it } from 'vitest'
import type { RegisteredApp } from '../../../platform/simulator/index.ts'
import { chatCompany } from '../../support/outside/chat-company.ts'
import { usePaths } from '../../support/outside/paths.ts'

const { world, company, request, other, code } = usePaths()

describe('WeCom', () => {
  const getToken = async ({ corp_id, secret }: RegisteredApp) =>
    String((await request('wecom', { get: `/cgi-bin/gettoken?corpid=${corp_id}&corpsecret=${secret}` })).body.access_token)
  const get = async (path: string, app = company('wecom').app) => {
    const { status, body } = await request('wecom', {
      get: `/cgi-bin/${path}${path.includes('?') ? '&' : '?'}access_token=${await getToken(app)}`,
    })
    expect(status, 'HTTP 200 whatever comes').toBe(200)
    return body
  }
  const post = async (path: string, json: unknown, app = company('wecom').app) => {
    const asking = typeof json === 'string' ? { raw: json } : { json }
    const { status, body } = await request('wecom', { post: `/cgi-bin/${path}?access_token=${await getToken(app)}`, ...asking })
    expect(status, 'HTTP 200 whatever comes').toBe(200)
    return body
  }
  const fine = { errcode: 0, errmsg: 'ok' }

  it("gettoken: returns the same token during its life, and distinguishes a wrong company, a wrong secret and another company's secret", async () => {
    const { app } = company('wecom')
    const call = (corpid: string, secret: string) =>
      request('wecom', { get: `/cgi-bin/gettoken?corpid=${corpid}&corpsecret=${secret}` })
    const [first, again] = [await call(app.corp_id, app.secret), await call(app.corp_id, app.secret)]
    expect(first.body).toEqual({ ...fine, access_token: expect.any(String), expires_in: 7200 })
    expect(again.body.access_token).toBe(first.body.access_token)
    const outsider = chatCompany(world.simulator, 'wecom').app
    expect((await call('nobody', app.secret)).body.errcode).toBe(40013)
    expect((await call(app.corp_id, 'wrong')).body.errcode).toBe(40001)
    expect((await call(app.corp_id, outsider.secret)).body.errcode).toBe(40091)
  })
  it('rejects tokens that are missing, wrong, expired or of another platform, a stopped application, and an untrusted address', async () => {
    const at = (token: string) => request('wecom', { get: `/cgi-bin/user/get?userid=x&access_token=${token}` })
    expect((await at('')).body).toMatchObject({ errcode: 41001 })
    expect((await at('at-wrong')).body).toMatchObject({
      errcode: 40014,
      errmsg: expect.stringMatching(/^invalid access_token, hint: \[.+\], from ip: .+, more info at https:/),
    })
    const { app: ding } = company('dingtalk')
    const { body } = await request('dingtalk', { get: `/gettoken?appkey=${ding.app_id}&appsecret=${ding.secret}` })
    expect((await at(String(body.access_token))).body.errcode).toBe(40014)
    const own = other('wecom', {})
    const token = await getToken(own)
    world.clock.now += 7_200_000
    expect((await at(token)).body.errcode).toBe(42001)
    expect((await get('user/get?userid=x', other('wecom', { isStopped: true }))).errcode).toBe(50003)
    expect((await get('user/get?userid=x', other('wecom', { isUntrustedAddress: true }))).errcode).toBe(60020)
  })
  it("answers unknown paths and other methods with WeCom's own errors", async () => {
    expect((await get('no/such/call')).errcode).toBe(40066)
    expect((await get('message/send')).errcode).toBe(43002)
    expect((await post('user/get', {})).errcode).toBe(43001)
  })
  it('user/get: returns every field to an old application and fewer to a new one', async () => {
    const { both } = company('wecom')
    const notified = await get(`user/get?userid=${both.user_id}`)
    const fields = [
      'department',
      'order',
      'is_leader_in_dept',
      'direct_leader',
      'position',
      'alias',
      'telephone',
      'extattr',
      'status',
      'main_department',
      'open_userid',
    ]
    const hidden = ['mobile', 'gender', 'email', 'biz_mail', 'avatar', 'qr_code', 'address']
    expect(Object.keys(notified)).toEqual(expect.arrayContaining(['userid', 'name', ...fields, ...hidden]))
    expect(notified).toMatchObject({
      userid: both.user_id,
      name: '张三',
      department: [2, 4],
      order: [7, 7],
      is_leader_in_dept: [1, 0],
      main_department: 2,
      status: 1,
      mobile: '13800000001',
      extattr: { attrs: [{ type: 0, name: '工号', text: { value: 'E1' } }] },
    })
    const fresh = await get(`user/get?userid=${both.user_id}`, other('wecom', { kind: 'new' }))
    expect(fresh).toMatchObject({ name: '张三', department: [2, 4] })
    for (const name of hidden) expect(fresh, name).not.toHaveProperty(name)
    expect((await get('user/get?userid=nobody')).errcode).toBe(60111)
    const narrow = other('wecom', { range: { department_ids: ['3'], user_ids: [] } })
    expect((await get(`user/get?userid=${both.user_id}`, narrow)).errcode).toBe(50002)
    expect((await get(`user/get?userid=${both.user_id}`, other('wecom', { kind: 'contacts' }))).errcode).toBe(48002)
  })
  it('returns users by user/list, user/simplelist, user/list_id and user/getuserid', async () => {
    const contacts = other('wecom', { kind: 'contacts' })
    const rows = await get('user/list?department_id=4')
    expect(rows).toMatchObject({
      ...fine,
      userlist: [{ name: '张三', department: [2, 4] }, { name: '李四', status: 4 }, { name: '王五' }],
    })
    expect((await get('user/simplelist?department_id=3')).userlist).toHaveLength(120)
    expect((await get('user/simplelist?department_id=2&fetch_child=1')).userlist).toHaveLength(121)
    const [brief] = (await get('user/simplelist?department_id=2')).userlist as object[]
    expect(Object.keys(brief ?? {}).sort()).toEqual(['department', 'name', 'open_userid', 'userid'])
    expect((await get('user/list?department_id=99')).errcode).toBe(60003)
    expect(
      (await get('user/list?department_id=4', other('wecom', { range: { department_ids: ['3'], user_ids: [] } }))).errcode,
    ).toBe(60011)
    const first = await post('user/list_id', { cursor: '', limit: 100 }, contacts)
    expect(first.dept_user).toHaveLength(100)
    const last = await post('user/list_id', { cursor: first.next_cursor, limit: 100 }, contacts)
    // There is one row for each membership: one user is in two departments.
    expect([(last.dept_user as object[]).length, last.next_cursor]).toEqual([24, ''])
    expect((await post('user/list_id', {})).errcode).toBe(48002)
    expect(await post('user/getuserid', { mobile: '13800000001' })).toEqual({ ...fine, userid: company('wecom').both.user_id })
    expect((await post('user/getuserid', { mobile: '13900000000' })).errcode).toBe(46004)
  })
  it('returns departments by department/list, simplelist and get', async () => {
    expect(await get('department/list')).toEqual({
      ...fine,
      department: [
        { id: 1, name: '示例科技', name_en: '', department_leader: [], parentid: 0, order: 0 },
        { id: 2, name: '研发', name_en: '', department_leader: [company('wecom').both.user_id], parentid: 1, order: 10 },
        { id: 4, name: '财务', name_en: '', department_leader: [], parentid: 1, order: 30 },
        { id: 3, name: '后端', name_en: '', department_leader: [], parentid: 2, order: 20 },
      ],
    })
    expect((await get('department/list?id=2')).department).toMatchObject([{ id: 2 }, { id: 3 }])
    expect(await get('department/simplelist?id=2')).toEqual({
      ...fine,
      department_id: [
        { id: 2, parentid: 1, order: 10 },
        { id: 3, parentid: 2, order: 20 },
      ],
    })
    expect(await get('department/get?id=2')).toMatchObject({ ...fine, department: { id: 2, name: '研发', parentid: 1 } })
    expect((await get('department/list?id=99')).errcode).toBe(60003)
    const narrow = other('wecom', { range: { department_ids: ['3'], user_ids: [] } })
    expect((await get('department/list', narrow)).department).toMatchObject([{ id: 3 }])
    expect((await get('department/list?id=4', narrow)).errcode).toBe(60011)
    expect((await get('department/get?id=4', narrow)).errcode).toBe(60011)
  })
  it('identifies a user by auth/getuserinfo and the old user/getuserinfo, with consent', async () => {
    const { app, both } = company('wecom')
    expect(await get(`auth/getuserinfo?code=${code('wecom', app)}`)).toEqual({ ...fine, userid: both.user_id })
    expect(await get(`user/getuserinfo?code=${code('wecom', app)}`)).toEqual({ ...fine, UserId: both.user_id, DeviceId: '' })
    const once = code('wecom', app)
    await get(`auth/getuserinfo?code=${once}`)
    expect((await get(`auth/getuserinfo?code=${once}`)).errcode).toBe(40029)
    const late = code('wecom', app)
    world.clock.now += 300_001
    expect((await get(`auth/getuserinfo?code=${late}`)).errcode).toBe(42003)
    const outsider = world.simulator.issueCode(app, chatCompany(world.simulator, 'wecom').both, 'page')
    expect(Object.keys(await get(`auth/getuserinfo?code=${outsider}`))).toContain('openid')
    const { user_ticket } = await get(
      `auth/getuserinfo?code=${world.simulator.state.recordConsent(code('wecom', app), 'snsapi_privateinfo')}`,
    )
    expect(await post('auth/getuserdetail', { user_ticket })).toMatchObject({
      ...fine,
      userid: both.user_id,
      mobile: '13800000001',
      avatar: '',
      qr_code: '',
    })
    world.clock.now += 1_800_001
    expect((await post('auth/getuserdetail', { user_ticket })).errcode).toBe(84014)
    expect((await post('auth/getuserdetail', { user_ticket: 'wrong' })).errcode).toBe(84015)
  })
  it('sends, recalls and updates messages by message/send, recall and update_template_card', async () => {
    const { app, both, plain, shut } = company('wecom')
    const card = { title: '工资条', description: '请查收', url: 'https://pay.example.cn/entry', btntxt: '查看' }
    const send = (more: object, change: RegisteredApp = app) =>
      post('message/send', { agentid: Number(app.agent_id), msgtype: 'textcard', textcard: card, ...more }, change)
    const sent = await send({ touser: `${both.user_id.toUpperCase()}|${shut.user_id}|Nobody`, toparty: '99' })
    expect(sent).toEqual({
      ...fine,
      invaliduser: 'nobody',
      invalidparty: '99',
      invalidtag: '',
      unlicenseduser: shut.user_id,
      msgid: expect.any(String),
    })
    expect((await send({ touser: 'nobody' })).errcode).toBe(81013)
    expect((await send({ touser: '' })).errcode).toBe(82001)
    expect((await send({ touser: Array.from({ length: 1001 }, (_, at) => `u${at}`).join('|') })).errcode).toBe(40032)
    expect((await send({ toparty: Array.from({ length: 101 }, (_, at) => at).join('|') })).errcode).toBe(82002)
    expect((await send({ touser: plain.user_id, agentid: 1 })).errcode).toBe(40056)
    expect((await send({ touser: plain.user_id, agentid: Number(other('wecom', {}).agent_id) })).errcode).toBe(301002)
    expect((await send({ touser: plain.user_id, msgtype: 'text', text: { content: '长'.repeat(683) } })).errcode).toBe(45002)
    const twice = { touser: plain.user_id, enable_duplicate_check: 1 }
    expect((await send(twice)).msgid).toBe((await send(twice)).msgid)
    const hasty = `{"touser":"${plain.user_id}","agentid":${app.agent_id},"msgtype":"text","text":{"content":"请查收"},}`
    expect(await post('message/send', hasty)).toMatchObject({
      errcode: 0,
      errmsg: expect.stringMatching(/^ok\. Warning: wrong json format\./),
    })
    expect(await post('message/recall', { msgid: sent.msgid })).toEqual(fine)
    expect((await post('message/recall', { msgid: 'wrong' })).errcode).not.toBe(0)
    const button = {
      card_type: 'button_interaction',
      main_title: { title: '工资条' },
      task_id: 't-1',
      button_list: [{ text: '查看', key: 'k' }],
    }
    const { response_code } = await send({ touser: plain.user_id, msgtype: 'template_card', template_card: button })
    const change = { userids: [plain.user_id], agentid: Number(app.agent_id), response_code, button: { replace_name: '已确认' } }
    expect(await post('message/update_template_card', change)).toEqual({ ...fine, invaliduser: [] })
    expect((await post('message/update_template_card', change)).errcode, 'once').not.toBe(0)
  })
  it('issues one ticket for the company and another for an application', async () => {
    const [of, again, agent] = [
      await get('get_jsapi_ticket'),
      await get('get_jsapi_ticket', other('wecom', {})),
      await get('ticket/get?type=agent_config'),
    ]
    expect(of).toEqual({ ...fine, ticket: expect.any(String), expires_in: expect.any(Number) })
    expect([again.ticket === of.ticket, agent.ticket === of.ticket]).toEqual([true, false])
    expect((await get('ticket/get')).errcode).toBe(40058)
  })
  it('applies the rate limit to every call', async () => {
    world.simulator.addError({ provider: 'wecom', kind: 'too_many', path: '/user/get' })
    expect((await get('user/get?userid=x')).errcode).toBe(45009)
  })
})
