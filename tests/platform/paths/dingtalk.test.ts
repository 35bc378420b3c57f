/**
 * Each DingTalk path as its documentation describes it, called with plain HTTP: the response field by field and code by
 * code, old paths next to new ones. strangers.test.ts calls them with third-party clients; conformance.test.ts covers
 * sequences of many calls.
 */
import { describe, expect, it } from 'vitest'
import type { RegisteredApp } from '../../../platform/simulator/index.ts'
import { chatCompany } from '../../support/outside/chat-company.ts'
import { usePaths } from '../../support/outside/paths.ts'

const { world, company, request, other, code } = usePaths()

describe('DingTalk', () => {
  const getToken = async ({ app_id, secret }: RegisteredApp) =>
    String(
      (await request('dingtalk', { post: '/v1.0/oauth2/accessToken', json: { appKey: app_id, appSecret: secret } })).body
        .accessToken,
    )
  const old = async (path: string, json: unknown = {}, app = company('dingtalk').app) => {
    const { status, body } = await request('dingtalk', { post: `/topapi/${path}?access_token=${await getToken(app)}`, json })
    expect(status, 'HTTP 200 whatever comes').toBe(200)
    return body
  }
  const first = async (path: string) =>
    (
      await request('dingtalk', {
        get: `/${path}${path.includes('?') ? '&' : '?'}access_token=${await getToken(company('dingtalk').app)}`,
      })
    ).body
  const code_of = (body: Record<string, unknown>) => body.sub_code ?? body.errcode
  const fine = { errcode: 0, errmsg: 'ok', request_id: expect.any(String) }

  it('gettoken and v1.0/oauth2/accessToken: return one token, which is renewed', async () => {
    const { app } = company('dingtalk')
    const older = await request('dingtalk', { get: `/gettoken?appkey=${app.app_id}&appsecret=${app.secret}` })
    expect(older.body).toEqual({ ...fine, access_token: expect.any(String), expires_in: 7200 })
    world.clock.now += 7_000_000
    const newer = await request('dingtalk', {
      post: '/v1.0/oauth2/accessToken',
      json: { appKey: app.app_id, appSecret: app.secret },
    })
    expect(newer).toEqual({ status: 200, body: { accessToken: older.body.access_token, expireIn: 7200 } })
    expect((await request('dingtalk', { get: `/gettoken?appkey=${app.app_id}&appsecret=wrong` })).body.errcode).toBe(40089)
    expect(
      await request('dingtalk', { post: '/v1.0/oauth2/accessToken', json: { appKey: app.app_id, appSecret: 'wrong' } }),
    ).toMatchObject({
      status: 400,
      body: { code: 'invalidClientIdOrSecret', message: expect.any(String), requestid: expect.any(String) },
    })
  })
  it("v1.0/oauth2/{corpId}/token: works only for the application's company or one that installed it", async () => {
    const { app, corp_id } = company('dingtalk')
    const call = (corp: string, more: object = {}) =>
      request('dingtalk', {
        post: `/v1.0/oauth2/${corp}/token`,
        json: { client_id: app.app_id, client_secret: app.secret, grant_type: 'client_credentials', ...more },
      })
    const provided = await call(corp_id)
    expect(provided).toEqual({ status: 200, body: { access_token: await getToken(app), expires_in: 7200 } })
    const another = chatCompany(world.simulator, 'dingtalk')
    expect(await call(another.corp_id)).toMatchObject({ status: 401, body: { code: 'unauthorized.client' } })
    expect(await call('no_such_company')).toMatchObject({ status: 500, body: { code: 'unknownError' } })
    expect(await call(corp_id, { client_secret: 'wrong' })).toMatchObject({ status: 400, body: { code: 'invalid.client' } })
    expect(await call(corp_id, { grant_type: 'code' })).toMatchObject({ status: 400, body: { code: 'unsupported.grant.type' } })
    const suite = world.simulator.addSuite({ provider: 'dingtalk', id: 'suite0009', secret: 'suite-secret', ticket: null })
    chatCompany(world.simulator, 'dingtalk', { app: { app_id: suite.id, secret: '', suite, corp_id: another.corp_id } })
    const store = { client_id: suite.id, client_secret: suite.secret }
    expect(await call(another.corp_id, store)).toMatchObject({ status: 200, body: { access_token: expect.any(String) } })
    expect(await call(corp_id, store)).toMatchObject({ status: 401 })
  })
  it('sign-in page: lets users of several companies select any of them, whichever application asks', async () => {
    const { app, both } = company('dingtalk')
    const another = chatCompany(world.simulator, 'dingtalk')
    const twin = world.simulator.addUser({ ...another.both, union_id: both.union_id ?? '', user_id: 'twin' })
    const page = (more: string) =>
      `${world.address('dingtalk')}/oauth2/auth?client_id=${app.app_id}&scope=openid%20corpid&state=s&redirect_uri=${encodeURIComponent('https://pay.example.cn/entry')}${more}`
    expect(await (await fetch(page(''))).text()).toContain(`of=${another.corp_id}`)
    const back = await fetch(page(`&as=${twin.user_id}&of=${another.corp_id}`), { redirect: 'manual' })
    const authCode = new URL(back.headers.get('location') ?? '').searchParams.get('authCode')
    const { body } = await request('dingtalk', {
      post: '/v1.0/oauth2/userAccessToken',
      json: { clientId: app.app_id, clientSecret: app.secret, code: authCode, grantType: 'authorization_code' },
    })
    expect(body.corpId).toBe(another.corp_id)
  })
  it('tokens: rejects wrong, expired and foreign tokens in both generations, missing permissions and untrusted addresses', async () => {
    const { app, both } = company('dingtalk')
    const at = (token: string) =>
      request('dingtalk', { post: `/topapi/v2/user/get?access_token=${token}`, json: { userid: both.user_id } })
    expect((await at('at-wrong')).body).toMatchObject({ errcode: 88, sub_code: '40014', sub_msg: expect.any(String) })
    const { body } = await request('wecom', {
      get: `/cgi-bin/gettoken?corpid=${company('wecom').app.corp_id}&corpsecret=${company('wecom').app.secret}`,
    })
    expect((await at(String(body.access_token))).body.sub_code).toBe('40014')
    const token = await getToken(app)
    world.clock.now += 7_200_001
    expect((await at(token)).body.sub_code).toBe('42001')
    expect(
      await request('dingtalk', { get: '/v1.0/contact/users/me' }, { 'x-acs-dingtalk-access-token': 'u-wrong' }),
    ).toMatchObject({ status: 400, body: { code: 'InvalidAuthentication' } })
    expect(code_of(await old('v2/user/get', { userid: both.user_id }, other('dingtalk', { permissions: [] })))).toBe('60011')
    expect(code_of(await old('v2/user/get', { userid: both.user_id }, other('dingtalk', { isUntrustedAddress: true })))).toBe(
      '60020',
    )
    expect(code_of(await old('v2/user/get', { userid: both.user_id }, other('dingtalk', { isStopped: true })))).toBe(48004)
    expect(await request('dingtalk', { post: '/v1.0/no/such' })).toMatchObject({
      status: 404,
      body: { code: expect.any(String) },
    })
  })
  it('returns users by v2/user/get, list, user/listid, listsimple, getbymobile and getbyunionid', async () => {
    const { both } = company('dingtalk')
    expect(await old('v2/user/get', { userid: both.user_id })).toMatchObject({
      ...fine,
      result: {
        userid: both.user_id,
        unionid: both.union_id,
        name: '张三',
        mobile: '13800000001',
        state_code: '86',
        job_number: 'E1',
        dept_id_list: [2, 4],
        dept_order_list: [
          { dept_id: 2, order: 7 },
          { dept_id: 4, order: 7 },
        ],
        leader_in_dept: [
          { dept_id: 2, leader: true },
          { dept_id: 4, leader: false },
        ],
        active: true,
        admin: false,
        boss: false,
        hide_mobile: false,
        exclusive_account: false,
      },
    })
    expect(code_of(await old('v2/user/get', { userid: 'nobody' }))).toBe(60121)
    expect(code_of(await old('v2/user/get', {}))).toBe(33012)
    const narrow = other('dingtalk', { range: { department_ids: ['3'], user_ids: [] } })
    expect(code_of(await old('v2/user/get', { userid: both.user_id }, narrow))).toBe(50002)
    const page = await old('v2/user/list', { dept_id: 3, cursor: 0, size: 100 })
    expect(page).toMatchObject({ ...fine, result: { has_more: true, next_cursor: 100 } })
    const rest = await old('v2/user/list', { dept_id: 3, cursor: 100, size: 100 })
    expect(rest.result).toEqual({ has_more: false, list: expect.objectContaining({ length: 20 }) })
    expect((await old('v2/user/list', { dept_id: 4, cursor: 0, size: 10 })).result).toMatchObject({
      list: [{ name: '张三', dept_order: 7, leader: false }, {}, {}],
    })
    expect(code_of(await old('v2/user/list', { dept_id: 3, cursor: 0, size: 101 }))).toBe(400002)
    expect(code_of(await old('v2/user/list', { dept_id: 99, cursor: 0, size: 10 }))).toBe(60003)
    expect(code_of(await old('v2/user/list', { dept_id: 4, cursor: 0, size: 10 }, narrow))).toBe(50004)
    expect((await old('user/listid', { dept_id: 2 })).result).toEqual({ userid_list: [both.user_id] })
    expect((await old('user/listsimple', { dept_id: 2, cursor: 0, size: 10 })).result).toEqual({
      has_more: false,
      list: [{ userid: both.user_id, name: '张三' }],
    })
    expect((await old('v2/user/getbymobile', { mobile: '13800000001' })).result).toEqual({ userid: both.user_id })
    expect(code_of(await old('v2/user/getbymobile', { mobile: '13900000000' }))).toBe(60121)
    expect(code_of(await old('v2/user/getbymobile', { mobile: '138' }))).toBe(40104)
    expect((await old('user/getbyunionid', { unionid: both.union_id })).result).toEqual({ contact_type: 0, userid: both.user_id })
  })
  it('v2/department: returns one level, ids beyond the range, one department and its ancestors, also in the first generation', async () => {
    const narrow = other('dingtalk', { range: { department_ids: ['3'], user_ids: [] } })
    expect((await old('v2/department/listsub', {})).result).toEqual([
      { dept_id: 2, name: '研发', parent_id: 1, auto_add_user: true, create_dept_group: true },
      { dept_id: 4, name: '财务', parent_id: 1, auto_add_user: true, create_dept_group: true },
    ])
    expect(code_of(await old('v2/department/listsub', { dept_id: 4 }, narrow))).toBe(50004)
    expect((await old('v2/department/listsubid', { dept_id: 1 }, narrow)).result).toEqual({ dept_id_list: [2, 4] })
    expect((await old('v2/department/get', { dept_id: 2 })).result).toMatchObject({
      dept_id: 2,
      name: '研发',
      parent_id: 1,
      order: 10,
      dept_manager_userid_list: [company('dingtalk').both.user_id],
    })
    expect(code_of(await old('v2/department/get', { dept_id: 99 }))).toBe(60003)
    expect((await old('v2/department/listparentbydept', { dept_id: 3 })).result).toEqual({ parent_id_list: [3, 2, 1] })
    expect((await old('v2/department/listparentbyuser', { userid: company('dingtalk').both.user_id })).result).toEqual({
      parent_list: [{ parent_dept_id_list: [2, 1] }, { parent_dept_id_list: [4, 1] }],
    })
    expect(await first('department/list')).toMatchObject({
      errcode: 0,
      department: [{ id: 1 }, { id: 2, parentid: 1 }, { id: 4 }, { id: 3 }],
    })
    expect(await first('user/simplelist?department_id=2')).toMatchObject({
      errcode: 0,
      hasMore: false,
      userlist: [{ name: '张三' }],
    })
    expect(await first('auth/scopes')).toMatchObject({
      errcode: 0,
      auth_user_field: expect.any(Array),
      auth_org_scopes: { authed_user: [], authed_dept: [1] },
    })
  })
  it('identifies a user by v2/user/getuserinfo and by the browser sign-in', async () => {
    const { app, both } = company('dingtalk')
    const once = code('dingtalk', app, 'client')
    expect((await old('v2/user/getuserinfo', { code: once })).result).toEqual({
      userid: both.user_id,
      name: '张三',
      unionid: both.union_id,
      associated_unionid: '',
      device_id: expect.any(String),
      sys: false,
      sys_level: 0,
    })
    expect(code_of(await old('v2/user/getuserinfo', { code: once }))).toBe(40078)
    const late = code('dingtalk', app, 'client')
    world.clock.now += 300_001
    expect(code_of(await old('v2/user/getuserinfo', { code: late }))).toBe(42008)
    const json = { clientId: app.app_id, clientSecret: app.secret, code: code('dingtalk', app), grantType: 'authorization_code' }
    const { body } = await request('dingtalk', { post: '/v1.0/oauth2/userAccessToken', json })
    expect(body).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      expireIn: 7200,
      corpId: app.corp_id,
    })
    const me = await request(
      'dingtalk',
      { get: '/v1.0/contact/users/me' },
      { 'x-acs-dingtalk-access-token': String(body.accessToken) },
    )
    expect(me.body).toMatchObject({
      nick: '张三',
      unionId: both.union_id,
      openId: expect.any(String),
      mobile: '13800000001',
      stateCode: '86',
    })
    const again = await request('dingtalk', {
      post: '/v1.0/oauth2/userAccessToken',
      json: { ...json, code: undefined, grantType: 'refresh_token', refreshToken: body.refreshToken },
    })
    expect(again.status).toBe(200)
    expect((await request('dingtalk', { post: '/v1.0/oauth2/userAccessToken', json })).status).toBe(400)
  })
  it('message/corpconversation: handles a task, its progress, result, recall and failures', async () => {
    const { app, both, plain, shut } = company('dingtalk')
    const path = 'message/corpconversation'
    const agent_id = Number(app.agent_id)
    const msg = {
      msgtype: 'oa',
      oa: {
        message_url: 'https://pay.example.cn/entry',
        head: { text: '薪函', bgcolor: 'FF0F766E' },
        body: { title: '工资条', content: '请查收' },
        status_bar: { status_value: '未读' },
      },
    }
    const send = (more: object) => old(`${path}/asyncsend_v2`, { agent_id, msg, ...more })
    const { task_id, ...rest } = await send({
      userid_list: [both, plain, shut, { user_id: 'nobody' }].map((one) => one.user_id).join(),
    })
    expect([rest, task_id]).toEqual([fine, expect.any(Number)])
    expect(await old(`${path}/getsendprogress`, { agent_id, task_id })).toEqual({
      ...fine,
      progress: { progress_in_percent: 100, status: 2 },
    })
    expect((await old(`${path}/getsendresult`, { agent_id, task_id })).send_result).toEqual({
      invalid_user_id_list: ['nobody'],
      forbidden_user_id_list: [shut.user_id],
      failed_user_id_list: [],
      read_user_id_list: [],
      unread_user_id_list: [both.user_id, plain.user_id],
      invalid_dept_id_list: [],
      forbidden_list: [],
    })
    const twice = await send({ userid_list: both.user_id })
    expect((await old(`${path}/getsendresult`, { agent_id, task_id: twice.task_id })).send_result).toMatchObject({
      forbidden_list: [{ code: '143106', count: 1, userid: both.user_id }],
    })
    expect(
      await old(`${path}/status_bar/update`, { agent_id, task_id, status_value: '已撤回', status_bg: '0xFF78C06E' }),
    ).toEqual(fine)
    expect(await old(`${path}/recall`, { agent_id, msg_task_id: task_id })).toEqual(fine)
    expect(code_of(await old(`${path}/recall`, { agent_id: 1, msg_task_id: task_id }))).toBe(400002)
    world.clock.now += 86_400_001
    expect(code_of(await old(`${path}/recall`, { agent_id, msg_task_id: task_id }))).toBe(400002)
    expect(code_of(await send({ userid_list: Array.from({ length: 101 }, (_, at) => `u${at}`).join() }))).not.toBe(0)
    expect(
      code_of(await send({ userid_list: both.user_id, msg: { msgtype: 'text', text: { content: '长'.repeat(700) } } })),
    ).not.toBe(0)
  })
  it('limits page tickets to a day, lists terminated users of a year, and applies the rate limit', async () => {
    const { app } = company('dingtalk')
    const headers = async () => ({ 'x-acs-dingtalk-access-token': await getToken(app) })
    const ticket = async () => (await request('dingtalk', { post: '/v1.0/oauth2/jsapiTickets' }, await headers())).body
    const first = await ticket()
    expect(first).toEqual({ jsapiTicket: expect.any(String), expireIn: 7200 })
    for (let hour = 0; hour < 23; hour += 1) {
      world.clock.now += 3_600_000
      expect((await ticket()).jsapiTicket).toBe(first.jsapiTicket)
    }
    expect((await ticket()).expireIn).toBe(3600)
    world.clock.now += 3_600_001
    expect((await ticket()).jsapiTicket).not.toBe(first.jsapiTicket)
    const leaver = world.simulator.addUser({ ...company('dingtalk').plain, user_id: 'leaver' })
    world.simulator.removeUser(leaver)
    const from = new Date(world.clock.now - 60_000).toISOString()
    const left = await request(
      'dingtalk',
      { get: `/v1.0/contact/empLeaveRecords?startTime=${from}&nextToken=0&maxResults=50` },
      await headers(),
    )
    expect(left.body).toMatchObject({ records: [{ userId: 'leaver' }] })
    world.simulator.addError({ provider: 'dingtalk', kind: 'too_many', times: 2 })
    expect((await request('dingtalk', { post: '/topapi/v2/user/get', json: {} })).body).toMatchObject({
      errcode: 88,
      sub_code: '90002',
    })
    expect(await request('dingtalk', { post: '/v1.0/oauth2/accessToken', json: {} })).toMatchObject({
      status: 400,
      body: { code: 'qps.exceed.limit' },
    })
  })
})
