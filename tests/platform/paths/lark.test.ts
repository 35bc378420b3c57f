/**
 * Each Lark path as its documentation describes it, called with plain HTTP: the response field by field and code by
 * code, old paths next to new ones. strangers.test.ts calls them with third-party clients; conformance.test.ts covers
 * sequences of many calls.
 */
import { describe, expect, it } from 'vitest'
import type { RegisteredApp } from '../../../platform/simulator/index.ts'
import { type Answer, usePaths } from '../../support/outside/paths.ts'

const { world, company, request, other, code } = usePaths()

describe('Lark', () => {
  const getToken = async ({ app_id, secret }: RegisteredApp) =>
    String(
      (await request('lark', { post: '/open-apis/auth/v3/tenant_access_token/internal', json: { app_id, app_secret: secret } }))
        .body.tenant_access_token,
    )
  const bearer = async (app = company('lark').app) => ({ authorization: `Bearer ${await getToken(app)}` })
  const get = async (path: string, app = company('lark').app) => request('lark', { get: `/open-apis/${path}` }, await bearer(app))
  const post = async (path: string, json: unknown, app = company('lark').app) =>
    request('lark', { post: `/open-apis/${path}`, json }, await bearer(app))
  const data = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    expect({ status, code: body.code }).toEqual({ status: 200, code: 0 })
    return body.data as Record<string, unknown>
  }
  const refused = (status: number, code: number) => ({ status, body: { code } })

  it('auth/v3: returns one token while it has half an hour left; both names; wrong secret, unknown application', async () => {
    const { app } = company('lark')
    const own = { app_id: app.app_id, app_secret: app.secret }
    const call = (path: string, json: object) => request('lark', { post: `/open-apis/auth/v3/${path}`, json })
    const first = await call('tenant_access_token/internal', own)
    expect(first).toEqual({
      status: 200,
      body: { code: 0, msg: 'ok', tenant_access_token: expect.stringMatching(/^t-/), expire: 7200 },
    })
    world.clock.now += 3_600_000
    const later = await call('app_access_token/internal', own)
    expect(later.body).toMatchObject({ app_access_token: first.body.tenant_access_token, expire: 3600 })
    world.clock.now += 1_860_000
    const fresh = await call('tenant_access_token/internal', own)
    expect(fresh.body.tenant_access_token).not.toBe(first.body.tenant_access_token)
    const old = { authorization: `Bearer ${first.body.tenant_access_token}` }
    expect((await request('lark', { get: '/open-apis/contact/v3/scopes' }, old)).body.code, 'both are good').toBe(0)
    expect((await call('tenant_access_token/internal', { ...own, app_secret: 'wrong' })).body.code).toBe(10015)
    expect((await call('tenant_access_token/internal', { app_id: 'cli_none', app_secret: 'x' })).body.code).toBe(10003)
    expect((await call('app_ticket/resend', own)).body.code).toBe(10016)
  })
  it('rejects tokens that are missing, wrong, wrongly prefixed or expired, a missing scope, a stopped application, and calls beyond the rate limit', async () => {
    const at = (authorization?: string) =>
      request('lark', { get: '/open-apis/contact/v3/scopes' }, authorization === undefined ? {} : { authorization })
    expect(await at()).toMatchObject(refused(400, 99991661))
    expect(await at('Bearer t-wrong')).toMatchObject(refused(400, 99991663))
    expect(await at('Bearer u-wrong')).toMatchObject(refused(400, 99991668))
    expect(await at('Bearer wrong')).toMatchObject(refused(400, 99991671))
    const { authorization } = await bearer()
    world.clock.now += 7_200_001
    expect(await at(authorization)).toMatchObject(refused(400, 99991663))
    const lacking = await get('contact/v3/scopes', other('lark', { permissions: ['im:message'] }))
    expect(lacking).toMatchObject({
      status: 400,
      body: {
        code: 99991672,
        error: { log_id: expect.any(String), permission_violations: [{ subject: expect.stringMatching(/^contact:/) }, {}, {}] },
      },
    })
    expect(await get('contact/v3/scopes', other('lark', { isStopped: true }))).toMatchObject(refused(400, 99991662))
    world.simulator.addError({ provider: 'lark', kind: 'too_many', path: '/scopes' })
    expect(await get('contact/v3/scopes')).toMatchObject(refused(429, 99991400))
  })
  it('contact/v3: returns departments by pages, one department, users, users by number and phone, and scopes', async () => {
    const { both } = company('lark')
    const narrow = other('lark', { range: { department_ids: ['od-3'], user_ids: [] } })
    const first = await data(get('contact/v3/departments/0/children?fetch_child=true&page_size=2'))
    expect(first).toMatchObject({
      has_more: true,
      page_token: expect.any(String),
      items: [
        {
          open_department_id: 'od-2',
          department_id: 'D-2',
          name: '研发',
          parent_department_id: '0',
          order: '10',
          leader_user_id: both.user_id,
          member_count: 1,
          status: { is_deleted: false },
          leaders: [{ leaderType: 1, leaderID: both.user_id }],
        },
        {},
      ],
    })
    const last = await data(get(`contact/v3/departments/0/children?fetch_child=true&page_size=2&page_token=${first.page_token}`))
    expect(last).toEqual({ has_more: false, items: [expect.objectContaining({ open_department_id: 'od-3' })] })
    expect(await get('contact/v3/departments/0/children?page_size=51')).toMatchObject(refused(400, 40011))
    expect(await get(`contact/v3/departments/od-2/children?page_token=${first.page_token}`)).toMatchObject(refused(400, 40012))
    expect(await get('contact/v3/departments/0/children', narrow)).toMatchObject(refused(400, 40004))
    expect((await data(get('contact/v3/departments/od-2'))).department).toMatchObject({ name: '研发' })
    const page = await data(get('contact/v3/users/find_by_department?department_id=od-4&page_size=50'))
    expect(page).toMatchObject({
      has_more: false,
      items: [
        {
          open_id: both.user_id,
          name: '张三',
          mobile: '+8613800000001',
          employee_no: 'E1',
          department_ids: ['od-2', 'od-4'],
          orders: [{ department_id: 'od-2', user_order: 7, is_primary_dept: true }, {}],
          status: { is_activated: true, is_resigned: false },
        },
        { status: { is_unjoin: true } },
        {},
      ],
    })
    expect(page).not.toHaveProperty('page_token')
    expect(await get('contact/v3/users/find_by_department?department_id=od-4', narrow)).toMatchObject(refused(400, 40014))
    expect((await data(get(`contact/v3/users/${both.user_id}?user_id_type=open_id`))).user).toMatchObject({ name: '张三' })
    expect(await get(`contact/v3/users/${both.user_id}`, narrow)).toMatchObject(refused(400, 41050))
    expect(await get('contact/v3/users/ou_none')).toMatchObject(refused(400, 99992351))
    const bare = other('lark', { permissions: ['contact:contact.base:readonly', 'contact:user.base:readonly'] })
    const user = (await data(get(`contact/v3/users/${both.user_id}`, bare))).user
    for (const hidden of ['mobile', 'employee_no', 'department_ids', 'user_id', 'email'])
      expect(user, hidden).not.toHaveProperty(hidden)
    expect((await data(get(`contact/v3/users/batch?user_ids=${both.user_id}&user_ids=ou_none`))).items).toHaveLength(1)
    const match = await data(
      post('contact/v3/users/batch_get_id?user_id_type=open_id', { mobiles: ['13800000001', '13900000000'] }),
    )
    expect(match.user_list).toEqual([
      { mobile: '13800000001', user_id: both.user_id, status: expect.any(Object) },
      { mobile: '13900000000' },
    ])
    expect(await data(get('contact/v3/scopes'))).toEqual({
      has_more: false,
      department_ids: ['od-2', 'od-4'],
      user_ids: [],
      group_ids: [],
    })
    expect((await data(get('tenant/v2/tenant/query'))).tenant).toMatchObject({
      name: '示例科技',
      tenant_key: company('lark').corp_id,
    })
  })
  it('authen: supports the current exchange and authen/v1/oidc, for page and client', async () => {
    const { app, both } = company('lark')
    const redirect_uri = 'https://pay.example.cn/entry'
    const provide = (more: object = {}) => ({
      grant_type: 'authorization_code',
      client_id: app.app_id,
      client_secret: app.secret,
      redirect_uri,
      ...more,
    })
    const exchange = (json: object) => request('lark', { post: '/oauth/v3/token', json })
    const first = await exchange(provide({ code: code('lark', app) }))
    expect(first).toEqual({
      status: 200,
      body: {
        code: 0,
        access_token: expect.stringMatching(/^u-/),
        expires_in: 7200,
        token_type: 'Bearer',
        scope: expect.any(String),
      },
    })
    const who = await request(
      'lark',
      { get: '/open-apis/authen/v1/user_info' },
      { authorization: `Bearer ${first.body.access_token}` },
    )
    expect(who.body.data).toMatchObject({
      name: '张三',
      open_id: both.user_id,
      union_id: both.union_id,
      user_id: expect.any(String),
      mobile: '+8613800000001',
      employee_no: 'E1',
      tenant_key: app.corp_id,
    })
    const once = code('lark', app)
    await exchange(provide({ code: once }))
    const why = async (json: object) => (await exchange(json)).body.code
    expect([
      await why(provide({ code: once })),
      await why(provide({ code: 'none' })),
      await why(provide({ code: code('lark', app), redirect_uri: 'https://else.example' })),
      await why(provide({ code: code('lark', other('lark', {})) })),
      await why(provide({ code: once, client_secret: 'x' })),
      await why(provide({ code: once, grant_type: 'x' })),
      await why(provide()),
    ]).toEqual([20065, 20003, 20071, 20024, 20002, 20036, 20001])
    const proof = world.simulator.state.recordConsent(
      code('lark', app),
      'offline_access',
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    )
    expect(await why(provide({ code: proof, code_verifier: 'wrong' }))).toBe(20049)
    const proven = await exchange(provide({ code: proof, code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' }))
    expect(proven.body).toMatchObject({ code: 0, refresh_token: expect.any(String), refresh_token_expires_in: 604_800 })
    const again = {
      grant_type: 'refresh_token',
      client_id: app.app_id,
      client_secret: app.secret,
      refresh_token: proven.body.refresh_token,
    }
    expect([await why(again), await why(again)]).toEqual([0, 20037])
    const inside = code('lark', app, 'client', '')
    world.clock.now += 180_001
    expect(await why({ ...provide({ code: inside }), redirect_uri: undefined }), 'of the client three minutes').toBe(20004)
    const oidc = await data(post('authen/v1/oidc/access_token', { grant_type: 'authorization_code', code: code('lark', app) }))
    expect(oidc).toMatchObject({
      access_token: expect.stringMatching(/^u-/),
      token_type: 'Bearer',
      expires_in: 7200,
      refresh_token: expect.any(String),
      open_id: both.user_id,
    })
    expect(
      (
        await data(
          post('authen/v1/oidc/refresh_access_token', { grant_type: 'refresh_token', refresh_token: oidc.refresh_token }),
        )
      ).open_id,
    ).toBe(both.user_id)
    expect(await post('authen/v1/oidc/access_token', { grant_type: 'authorization_code', code: 'none' })).toMatchObject(
      refused(400, 20003),
    )
  })
  it('passport: supports the oldest sign-in, in OAuth format', async () => {
    const { app, both } = company('lark')
    const redirect = 'https://pay.example.cn/entry'
    const own = { client_id: app.app_id, client_secret: app.secret, redirect_uri: redirect }
    const call = (json: object) => request('lark', { post: '/suite/passport/oauth/token', json })
    const provided = { ...own, grant_type: 'authorization_code', code: code('lark', app, 'page', redirect) }
    const { status, body } = await call(provided)
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^u-/),
        token_type: 'Bearer',
        expires_in: 7200,
        refresh_token: expect.any(String),
        refresh_expires_in: 604_800,
      },
    ])
    const who = await request('lark', { get: '/suite/passport/oauth/userinfo' }, { authorization: `Bearer ${body.access_token}` })
    expect(who.body).toMatchObject({
      sub: both.user_id,
      open_id: both.user_id,
      name: '张三',
      picture: '',
      tenant_key: app.corp_id,
    })
    expect(await call({ ...own, grant_type: 'refresh_token', refresh_token: body.refresh_token })).toMatchObject({ status: 200 })
    expect(await call(provided)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await call({ ...provided, client_secret: 'x' })).toMatchObject({ status: 400, body: { error: 'invalid_client' } })
    expect(await request('lark', { get: '/suite/passport/oauth/userinfo' })).toMatchObject({ status: 401 })
  })

  it('im/v1: sends, repeats under one uuid, reads, updates and recalls, and reports unreachable users', async () => {
    const { both, plain, shut } = company('lark')
    const card = JSON.stringify({
      config: { update_multi: true },
      header: { title: { tag: 'plain_text', content: '工资条' } },
      elements: [],
    })
    const send = (receive_id: string, more: object = {}) =>
      post('im/v1/messages?receive_id_type=open_id', { receive_id, msg_type: 'interactive', content: card, ...more })
    const sent = await data(send(both.user_id, { uuid: 'p-1' }))
    expect(sent).toMatchObject({
      message_id: expect.stringMatching(/^om_/),
      msg_type: 'interactive',
      create_time: expect.stringMatching(/^\d{13}$/),
      chat_id: expect.stringMatching(/^oc_/),
      sender: { id_type: 'app_id', sender_type: 'app' },
      body: { content: card },
    })
    expect((await data(send(both.user_id, { uuid: 'p-1' }))).message_id).toBe(sent.message_id)
    expect(await send('ou_none')).toMatchObject(refused(400, 99992351))
    expect(await send(shut.user_id)).toMatchObject(refused(400, 230053))
    const leaver = world.simulator.addUser({ ...plain, user_id: 'ou_leaver' })
    world.simulator.removeUser(leaver)
    expect(await send('ou_leaver')).toMatchObject(refused(400, 230029))
    expect(await send(both.user_id, { content: 'x' })).toMatchObject(refused(400, 230099))
    for (const content of ['请查收', '{"title":"请查收"}'])
      expect(await send(both.user_id, { msg_type: 'text', content })).toMatchObject(refused(400, 230001))
    expect(await send(both.user_id, { content: JSON.stringify({ elements: ['长'.repeat(10_300)] }) })).toMatchObject(
      refused(400, 230025),
    )
    expect((await data(send(both.user_id, { msg_type: 'text', content: '{"text":"请查收"}' }))).msg_type).toBe('text')
    expect(await data(get(`im/v1/messages/${sent.message_id}/read_users?user_id_type=open_id`))).toEqual({
      items: [],
      has_more: false,
    })
    const own = async (method: 'PATCH' | 'DELETE', json: object) => {
      const reply = await fetch(`${world.address('lark')}/open-apis/im/v1/messages/${sent.message_id}`, {
        method,
        headers: { ...(await bearer()), 'content-type': 'application/json' },
        body: JSON.stringify(json),
      })
      return { status: reply.status, body: await reply.json() }
    }
    expect((await own('PATCH', { content: card })).body.code).toBe(0)
    expect(await own('PATCH', { content: '{"elements":[]}' })).toMatchObject(refused(400, 230001))
    world.clock.now += 86_400_001
    expect(await own('DELETE', {})).toMatchObject(refused(400, 230009))
    world.clock.now += 13 * 86_400_000
    expect(await own('PATCH', { content: card })).toMatchObject(refused(400, 230031))
    const batch = await data(
      post('message/v4/batch_send/', { open_ids: [both.user_id, 'ou_none'], msg_type: 'interactive', card: JSON.parse(card) }),
    )
    expect(batch).toMatchObject({
      message_id: expect.stringMatching(/^bm-/),
      invalid_open_ids: ['ou_none'],
      invalid_department_ids: [],
    })
    expect(await data(get(`im/v1/batch_messages/${batch.message_id}/get_progress`))).toMatchObject({
      batch_message_send_progress: { valid_user_ids_count: 1, success_user_ids_count: 1, read_user_ids_count: 0 },
    })
    const many = Array.from({ length: 201 }, (_, at) => `ou_${at}`)
    expect(await post('message/v4/batch_send/', { open_ids: many, msg_type: 'interactive', card: {} })).toMatchObject({
      status: 200,
      body: { code: expect.any(Number) },
    })
  })
  it('issues store tokens that begin with a- and work in the old exchange', async () => {
    const suite = world.simulator.addSuite({
      provider: 'lark',
      id: 'cli_store',
      secret: 'store-secret',
      ticket: 'ticket-1',
    } as never)
    const { corp_id, both } = company('lark')
    const app = world.simulator.addApp({
      ...company('lark').app,
      app_id: 'cli_store',
      secret: '',
      suite: { id: suite.id, secret: suite.secret, ticket: 'ticket-1' },
    })
    const own = await request('lark', {
      post: '/open-apis/auth/v3/app_access_token',
      json: { app_id: 'cli_store', app_secret: 'store-secret', app_ticket: 'ticket-1' },
    })
    expect(own.body.app_access_token).toMatch(/^a-/)
    const tenant = await request('lark', {
      post: '/open-apis/auth/v3/tenant_access_token',
      json: { app_access_token: own.body.app_access_token, tenant_key: corp_id },
    })
    expect(tenant.body).toMatchObject({ code: 0, tenant_access_token: expect.stringMatching(/^t-/) })
    const json = { grant_type: 'authorization_code', code: world.simulator.issueCode(app, both, 'page', 'x') }
    const who = await request(
      'lark',
      { post: '/open-apis/authen/v1/oidc/access_token', json },
      { authorization: `Bearer ${own.body.app_access_token}` },
    )
    expect(who.body.data).toMatchObject({ open_id: both.user_id, tenant_key: corp_id })
  })
})
