/**
 * WeCom's paths for the provider of a store application and for its picker, as documents 90593, 91844, 91846, 91882,
 * 94894 and 99310 describe them.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import type { RegisteredApp, RegisteredSuite } from '../../../platform/simulator/index.ts'
import { toOpenUserId } from '../../../platform/simulator/wecom/ids.ts'
import { chatCompany } from '../../support/outside/chat-company.ts'
import { usePaths } from '../../support/outside/paths.ts'

const { world, request, company } = usePaths()
const maker = { corp_id: 'wwmaker0001', secret: 'secret-of-the-maker' }
const fine = { errcode: 0, errmsg: 'ok' }

describe('WeCom', () => {
  let suite: RegisteredSuite
  let app: RegisteredApp
  let both: string
  beforeAll(() => {
    suite = world.simulator.addSuite({
      provider: 'wecom',
      id: 'wwsuite0001',
      secret: 'suite-secret',
      ticket: null,
      developer: maker,
    })
    const built = chatCompany(world.simulator, 'wecom', { app: { app_id: suite.id, secret: 'permanent', suite } })
    app = built.app
    both = toOpenUserId(app.corp_id, built.both.user_id)
  })
  const provide = async () =>
    String(
      (
        await request('wecom', {
          post: '/cgi-bin/service/get_provider_token',
          json: { corpid: maker.corp_id, provider_secret: maker.secret },
        })
      ).body.provider_access_token,
    )
  const post = async (path: string, json: object, token?: string) => {
    const { status, body } = await request('wecom', {
      post: `/cgi-bin/service/${path}?provider_access_token=${token ?? (await provide())}`,
      json,
    })
    expect(status, 'HTTP 200 whatever comes').toBe(200)
    return body
  }
  const upload = async (name: string, text: string, type = 'file', field = 'media') => {
    const form = new FormData()
    form.set(field, new Blob([text]), name)
    const url = `${world.address('wecom')}/cgi-bin/service/media/upload?provider_access_token=${await provide()}&type=${type}`
    return (await (await fetch(url, { method: 'POST', body: form })).json()) as Record<string, unknown>
  }

  it('service/get_provider_token: returns the same token during its life, and rejects other companies, wrong secrets and invalid tokens', async () => {
    const call = (json: object) => request('wecom', { post: '/cgi-bin/service/get_provider_token', json })
    const first = await call({ corpid: maker.corp_id, provider_secret: maker.secret })
    expect(first.body).toEqual({ ...fine, provider_access_token: expect.any(String), expires_in: 7200 })
    expect(await provide()).toBe(first.body.provider_access_token)
    expect((await call({})).body.errcode).toBe(41002)
    expect((await call({ corpid: 'nobody', provider_secret: 'x' })).body.errcode).toBe(40013)
    // The secret of an application is sent instead, a common mistake.
    expect((await call({ corpid: maker.corp_id, provider_secret: suite.secret })).body.errcode).toBe(40001)
    const search = { auth_corpid: app.corp_id, query_word: '张三' }
    expect((await post('contact/search', search, '')).errcode).toBe(41001)
    expect((await post('contact/search', search, 'wecom_maker-wrong')).errcode).toBe(40014)
    world.clock.now += 7_200_000
    expect((await post('contact/search', search, String(first.body.provider_access_token))).errcode).toBe(42001)
    expect(await provide()).not.toBe(first.body.provider_access_token)
  })
  it('service/contact/search, batchsearch: finds users, departments or both, fuzzily or exactly, within the grant', async () => {
    const search = (more: object) => post('contact/search', { auth_corpid: app.corp_id, ...more })
    expect(await search({ query_word: '张三', query_type: 1, full_match_field: 1 })).toEqual({
      ...fine,
      query_result: { user: { userid: [both], open_userid: [both] }, party: { department_id: [] } },
      is_last: true,
      next_cursor: '',
    })
    expect(await search({ query_word: '张', full_match_field: 1 })).toMatchObject({ query_result: { user: { userid: [] } } })
    expect(await search({ query_word: '张' })).toMatchObject({ query_result: { user: { userid: [both] } } })
    expect(await search({ query_word: '研发', query_type: 2 })).toMatchObject({ query_result: { party: { department_id: [2] } } })
    expect((await search({ query_word: '' })).errcode).toBe(40058)
    expect((await search({ query_word: '字'.repeat(65) })).errcode).toBe(40058)
    expect((await search({ query_word: '张三', limit: 201 })).errcode).toBe(40058)
    expect((await search({ query_word: '张三', agentid: 1 })).errcode).toBe(40056)
    expect((await search({ query_word: '张三', agentid: Number(app.agent_id) })).errcode).toBe(0)
    expect((await search({ auth_corpid: company('wecom').corp_id, query_word: '张三' })).errcode, 'has installed nothing').toBe(
      40013,
    )
    const batch = (query_request_list: object[]) => post('contact/batchsearch', { auth_corpid: app.corp_id, query_request_list })
    expect(await batch([{ query_word: '张三', full_match_field: 1 }, { query_word: '无此人' }])).toMatchObject({
      ...fine,
      query_result_list: [
        { query_request: { query_word: '张三' }, query_result: { user: { open_userid: [both] } }, is_last: true },
        { query_request: { query_word: '无此人' }, query_result: { user: { userid: [] } } },
      ],
    })
    expect((await batch([])).errcode).toBe(40058)
    expect((await batch(Array.from({ length: 51 }, () => ({ query_word: '张三' })))).errcode).toBe(40058)
  })
  it('translates files by service/media/upload, contact/id_translate, batch/getresult and the download address', async () => {
    expect(await upload('核对.csv', `账号,姓名\n${both},$userName=${both}$\n`)).toEqual({
      ...fine,
      type: 'file',
      media_id: expect.any(String),
      created_at: expect.stringMatching(/^\d{10}$/),
    })
    expect((await upload('a.txt', '12345')).errcode, 'more than five bytes').toBe(40006)
    expect((await upload('a.txt', '123456', 'paper')).errcode).toBe(40004)
    expect((await upload('a.txt', '123456', 'file', 'other')).errcode).toBe(41005)
    expect((await upload('/a.txt', '123456')).errcode).toBe(40058)
    const { media_id } = await upload('核对.csv', `$userName=${both}$ $departmentName=2$ $userName=nobody$`)
    const translate = (more: object) =>
      post('contact/id_translate', { auth_corpid: app.corp_id, media_id_list: [media_id], ...more })
    expect((await translate({ media_id_list: [] })).errcode).toBe(40058)
    expect((await translate({ media_id_list: ['wrong'] })).errcode).toBe(40007)
    expect((await translate({ auth_corpid: 'nobody' })).errcode).toBe(40013)
    world.simulator.state.taskDurationMs = 2_000
    const { jobid } = await translate({})
    const result = async (job: unknown) =>
      (await request('wecom', { get: `/cgi-bin/service/batch/getresult?provider_access_token=${await provide()}&jobid=${job}` }))
        .body
    expect(await result(jobid)).toEqual({ ...fine, status: 1, type: 'contact_id_translate' })
    world.clock.now += 1_000
    expect(await result(jobid)).toMatchObject({ status: 2 })
    world.clock.now += 1_000
    const done = await result(jobid)
    world.simulator.state.taskDurationMs = 0
    expect(done).toEqual({
      ...fine,
      status: 3,
      type: 'contact_id_translate',
      result: { contact_id_translate: { url: expect.stringContaining('/wwopen/openData/getTranslateContactOpenData?dataid=') } },
    })
    expect((await result('wrong')).errcode).toBe(40058)
    const { url } = (done.result as { contact_id_translate: { url: string } }).contact_id_translate
    // A user who has signed in on the platform's page is known to it from then on.
    const page = `${world.address('wecom')}/wwlogin/sso/login?login_type=ServiceApp&appid=${suite.id}&state=s&as=${world.simulator.company('wecom', app.corp_id).users.keys().next().value}&redirect_uri=${encodeURIComponent('https://pay.example.cn/entry')}`
    const cookie = (await fetch(page, { redirect: 'manual' })).headers.get('set-cookie')?.split(';')[0] ?? ''
    expect(await (await fetch(url, { headers: { cookie } })).text()).toBe('张三 研发 $userName=nobody$')
    expect(await (await fetch(url)).text()).toContain('参数错误')
    world.clock.now += 3 * 86_400_000
    expect((await translate({})).errcode, 'a file is kept for three days').toBe(40007)
  })
  it('user/list_selected_ticket_user: returns who picked whom and which of them are visible, only with individual consent', async () => {
    await world.simulator.issueTicket(suite)
    const built = chatCompany(world.simulator, 'wecom', {
      app: {
        app_id: suite.id,
        secret: 'permanent-2',
        suite,
        isMemberAuthorized: true,
        range: { department_ids: ['2'], user_ids: [] },
      },
    })
    const token = world.simulator.state.getToken(built.app, 'at', 0).token
    const call = async (selected_ticket: string, own = token) =>
      (await request('wecom', { post: `/cgi-bin/user/list_selected_ticket_user?access_token=${own}`, json: { selected_ticket } }))
        .body
    const { selectedTicket } = world.simulator.pickUsers(built.app, built.both, [built.both, built.plain])
    const open = (person: { user_id: string }) => toOpenUserId(built.corp_id, person.user_id)
    expect(await call(selectedTicket)).toEqual({
      ...fine,
      operator_open_userid: open(built.both),
      open_userid_list: [open(built.both)],
      unauth_open_userid_list: [open(built.plain)],
      total: 2,
    })
    expect((await call('wrong')).errcode).toBe(40058)
    expect((await call(selectedTicket, world.simulator.state.getToken(app, 'at', 0).token)).errcode).toBe(48002)
  })
})
