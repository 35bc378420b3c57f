/** Sign-in through a chat platform: the six misuses of A15, linking to a phone (A16), target company. Refusals first. */
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SimulatedUser as Colleague, RegisteredApp } from '../../../platform/simulator/index.ts'
import type { Provider } from '../../../platform/types.ts'
import * as contract from '../../../server/contract/auth/platform-sign-in.ts'
import * as profile from '../../../server/contract/auth/profile.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import { newId } from '../../../server/shared/ids.ts'
import { codesSent, createClient, lastCode, type TestClient } from '../../support/callers/visitor.ts'
import { origin, type PlatformWorld, startPlatformWorld } from '../../support/outside/platform.ts'
import type { Corp, Person } from '../../support/world.ts'

let world: PlatformWorld
/** Two companies, each with its own application; members of both have the same platform id. */
let context: Corp
let there: Corp
let app: RegisteredApp
let otherApp: RegisteredApp
let existing: Person
let colleague: Colleague

const add = (corp_id: string, user_id: string, more: Partial<Colleague> = {}): Colleague =>
  world.simulator.addUser({ provider: 'lark', corp_id, user_id, name: '张三', ...more })

beforeAll(async () => {
  world = await startPlatformWorld()
  context = await world.createCompany({ name: '甲公司' })
  there = await world.createCompany({ name: '乙公司' })
  app = await world.bind(context, 'lark', 'tenant-a')
  otherApp = await world.bind(there, 'lark', 'tenant-b')
  existing = await context.person({ power: ['2'] })
  colleague = add('tenant-a', 'ou_known')
  await world.join(colleague, existing)
})
afterAll(() => world.close())

/** Sends the browser to the platform and returns the state that the platform would send back. */
async function leave(browser: TestClient, corp = 'tenant-a', provider: Provider = 'lark'): Promise<URL> {
  const headers = Object.fromEntries([...browser.cookies].map(([name, value]) => ['cookie', `${name}=${value}`]))
  const answer = await world.product.app.inject({
    method: 'GET',
    url: contract.authorizeCalls[provider].path,
    query: { corp },
    headers,
  })
  for (const { name, value } of answer.cookies) browser.cookies.set(name, value)
  return new URL(String(answer.headers.location), origin)
}
const getState = (url: URL): string => url.searchParams.get('state') ?? ''
const redirect = `${origin}/entry`
const codeFor = (one: Colleague, of: RegisteredApp = app): string => world.simulator.issueCode(of, one, 'page', redirect)
const back = (browser: TestClient, code: string, state: string, provider: Provider = 'lark') =>
  browser.call(contract.loginByPlatform, { provider, code, state })

async function comeIn(browser: TestClient, one: Colleague = colleague, of: RegisteredApp = app) {
  const state = getState(await leave(browser, of.corp_id, of.provider))
  return back(browser, codeFor(one, of), state, of.provider)
}
const sessions = () =>
  world.database.withoutCompany((tx) =>
    tx
      .selectFrom('session')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow(),
  )
const identities = () =>
  world.database.withoutCompany((tx) => tx.selectFrom('platform_identity').selectAll().orderBy('user_id').execute())

describe('rejected platform sign-ins (A15)', () => {
  it.each([
    [
      'a code that was already redeemed',
      async (browser: TestClient) => {
        const code = codeFor(colleague)
        expect((await back(createClient(world), code, 'lark'.padEnd(93, '0'))).code).toBe(100409)
        const first = createClient(world)
        expect((await back(first, code, getState(await leave(first)))).code).toBe(0)
        return back(browser, code, getState(await leave(browser)))
      },
      100502,
    ],
    [
      'a code of another application of the company',
      async (browser: TestClient) => {
        const second = world.simulator.addApp({ ...app, app_id: 'app-second', secret: 'another' })
        return back(browser, codeFor(colleague, second), getState(await leave(browser)))
      },
      100502,
    ],
    [
      'a code of another company',
      async (browser: TestClient) => {
        const outsider = add('tenant-b', 'ou_known')
        return back(browser, codeFor(outsider, otherApp), getState(await leave(browser)))
      },
      100502,
    ],
    [
      'a missing or unsigned state',
      async (browser: TestClient) => {
        const state = getState(await leave(browser))
        const without = await browser.call(contract.loginByPlatform, { provider: 'lark', code: codeFor(colleague) } as never)
        expect([without.code, without.data]).toEqual([100001, { field: 'state' }])
        const forged = `${state.slice(0, -1)}${state.endsWith('0') ? '1' : '0'}`
        return back(browser, codeFor(colleague), forged)
      },
      100409,
    ],
    [
      "a link with another user's code and state",
      async (browser: TestClient) => {
        const attacker = createClient(world)
        const state = getState(await leave(attacker))
        await leave(browser)
        return back(browser, codeFor(colleague), state)
      },
      100409,
    ],
    [
      'a state that was already used',
      async (browser: TestClient) => {
        const state = getState(await leave(browser))
        expect((await back(browser, codeFor(colleague), state)).code).toBe(0)
        browser.token = null
        return back(browser, codeFor(colleague), state)
      },
      100409,
    ],
    [
      'a state older than ten minutes',
      async (browser: TestClient) => {
        const state = getState(await leave(browser))
        world.clock.advance(600_000)
        return back(browser, codeFor(colleague), state)
      },
      100409,
    ],
    [
      'a state of another platform or company',
      async (browser: TestClient) => {
        const state = getState(await leave(browser))
        const other = await back(browser, codeFor(colleague), state, 'wecom')
        expect(other.code).toBe(100409)
        const again = getState(await leave(browser))
        return browser.call(contract.loginByPlatform, {
          provider: 'lark',
          code: codeFor(colleague),
          state: again,
          corp: 'tenant-b',
        })
      },
      100409,
    ],
  ] as const)('%s', async (_what, misuse, code) => {
    const browser = createClient(world)
    const before = Number((await sessions()).count)
    const answer = await misuse(browser)
    expect([answer.code, answer.data?.token]).toEqual([code, undefined])
    expect(answer.cookies.sid).toBeUndefined()
    // Only the session that the case itself opened correctly exists.
    expect(Number((await sessions()).count) - before).toBeLessThanOrEqual(1)
  })

  it('accepts one of twenty concurrent uses of the same platform state and code', async () => {
    const browser = createClient(world)
    const state = getState(await leave(browser))
    const code = codeFor(colleague)
    const answers = await Promise.all(Array.from({ length: 20 }, () => back(browser, code, state)))
    expect(answers.filter((one) => one.code === 0).length).toBe(1)
  })

  it('opens no session after a lost platform response and asks the user to try again', async () => {
    world.simulator.addError({ provider: 'lark', path: '/oauth/v3/token', kind: 'lose' })
    const answer = await comeIn(createClient(world))
    expect(answer).toMatchObject({ code: 100502, data: { provider: 'lark', kind: 'temporary' } })
    expect(answer.message).toContain('稍后再试')
  })
})

describe('successful platform sign-in', () => {
  it('signs a known platform user in to the company of the application and to no other', async () => {
    const both = await context.person({ power: ['1'] })
    await there.person({ same_as: both, power: ['2'] })
    const one = add('tenant-a', 'ou_both')
    await world.join(one, both)
    const browser = createClient(world)
    const answer = await comeIn(browser, one)
    expect(answer).toMatchObject({ code: 0, data: { corp_id: context.company_id, corps: [{ name: '甲公司' }] } })
    expect(answer.data.corps.length).toBe(1)
    expect((await browser.call(account.getCurrentUser)).data.corp.name).toBe('甲公司')
    // The first company's platform identifies users in that company only, not in others.
    expect(await browser.call(account.getAvailableCorps)).toMatchObject({ code: 0, data: { corps: [{ name: '甲公司' }] } })
    expect((await browser.call(account.selectCorp, { corp_id: there.company_id })).code).toBe(100404)
    const first = await browser.call(account.setEarlyPassword, { password: '春江花月夜 7', confirm_password: '春江花月夜 7' })
    expect([first.code, first.data]).toEqual([100409, { status: 10 }])
    const again = await browser.call(account.selectCorp, { corp_id: context.company_id })
    expect(again.code).toBe(0)
    expect((await browser.call(account.selectCorp, { corp_id: there.company_id })).code).toBe(100404)
  })

  it('asks a platform user for the second factor if it is enabled', async () => {
    const careful = await context.person({ power: ['4'] })
    const one = add('tenant-a', 'ou_careful')
    await world.join(one, careful)
    await world.database.withoutCompany((tx) =>
      tx.updateTable('account').set({ totp_on: world.clock.now() }).where('id', '=', careful.account_id).execute(),
    )
    const answer = await comeIn(createClient(world), one)
    expect(answer.data).toEqual({ token: null, corps: [], corp_id: null, factor_token: expect.any(String) })
    expect(answer.cookies.sid).toBeUndefined()
  })

  it('signs in to the company of the application only, also after the second factor', async () => {
    const careful = await context.person({ power: ['4'] })
    await there.person({ same_as: careful, power: ['4'] })
    const one = add('tenant-a', 'ou_careful_both')
    await world.join(one, careful)
    const password = '孤帆远影碧空尽 1'
    await world.database.withoutCompany(async (tx) =>
      tx
        .updateTable('account')
        .set({ password_hash: await hashPassword(password) })
        .where('id', '=', careful.account_id)
        .execute(),
    )
    const desk = createClient(world)
    expect((await desk.call(account.login, { phone: careful.mobile, password })).data.corps.length).toBe(2)
    await desk.call(account.selectCorp, { corp_id: context.company_id })
    const { secret } = (await desk.call(profile.startTotp, { password })).data
    const codeAt = (steps: number) => new TOTP({ secret }).generate({ timestamp: world.clock.now().getTime() + steps * 30_000 })
    expect((await desk.call(profile.confirmTotp, { code: codeAt(0) })).code).toBe(0)

    const browser = createClient(world)
    const { factor_token } = (await comeIn(browser, one)).data
    const answer = await browser.call(account.checkTotp, { factor_token: factor_token ?? '', code: codeAt(1) })
    expect(answer).toMatchObject({ code: 0, data: { corp_id: context.company_id, corps: [{ name: '甲公司' }] } })
    expect(answer.data.corps.length).toBe(1)
    expect((await browser.call(account.selectCorp, { corp_id: there.company_id })).code).toBe(100404)
  })

  it('treats equal platform ids of two companies as two users', async () => {
    const twin = await there.person()
    const one = add('tenant-b', 'ou_known')
    await world.join(one, twin)
    const browser = createClient(world)
    expect((await comeIn(browser, one, otherApp)).data.corp_id).toBe(there.company_id)
    expect((await comeIn(createClient(world), colleague)).data.corp_id).toBe(context.company_id)
    const ended = await world.database.withoutCompany((tx) =>
      tx.selectFrom('session').select('account_id').orderBy('created_at', 'desc').orderBy('id', 'desc').limit(2).execute(),
    )
    expect(new Set(ended.map((row) => row.account_id))).toEqual(new Set([existing.account_id, twin.account_id]))
  })

  it('treats a terminated member as unknown', async () => {
    const left = await context.person()
    const one = add('tenant-a', 'ou_left')
    await world.join(one, left)
    expect((await comeIn(createClient(world), one)).code).toBe(0)
    await world.database.inCompany(context.company_id, (tx) =>
      tx.updateTable('member').set({ status: 'left' }).where('id', '=', left.member_id).execute(),
    )
    expect(await comeIn(createClient(world), one)).toMatchObject({ code: 100404, data: { binding_token: expect.any(String) } })
  })

  it.each([
    ['wecom', 'page'],
    ['dingtalk', 'page'],
    ['dingtalk', 'client'],
    ['lark', 'client'],
  ] as const)('%s: signs in with a code of the %s', async (provider, channel) => {
    const corp = await world.createCompany()
    const corp_id = `corp-${provider}-${channel}`
    const application = await world.bind(corp, provider, corp_id)
    const person = await corp.person()
    const one = world.simulator.addUser({ provider, corp_id, user_id: 'ZhangSan', name: '张三' })
    await world.join(provider === 'wecom' ? one : { ...one, user_id: 'ZhangSan' }, person)
    // Only WeCom ids are case-insensitive.
    if (provider !== 'wecom')
      await world.database.withoutCompany((tx) =>
        tx.updateTable('platform_identity').set({ user_id: 'ZhangSan' }).where('corp_id', '=', corp_id).execute(),
      )
    const browser = createClient(world)
    let state: string
    if (channel === 'client') {
      const config = await browser.call(contract.jsConfigCalls[provider], { url: `${origin}/entry`, corp: corp_id })
      expect(config.data).toMatchObject({ corp_id, app_id: application.app_id, config: { signature: expect.any(String) } })
      state = config.data.state
    } else state = getState(await leave(browser, corp_id, provider))
    const code = world.simulator.issueCode(application, one, channel, channel === 'page' ? redirect : '')
    expect(await back(browser, code, state, provider)).toMatchObject({ code: 0, data: { corp_id: corp.company_id } })
    expect(state).toMatch(/^[a-z0-9]{60,128}$/)
  })
})

describe('linking to a phone (A16)', () => {
  const createOutsider = (mobile?: string) => add('tenant-a', `ou_${newId()}`, mobile ? { mobile } : {})
  async function unknown(browser: TestClient, one: Colleague): Promise<string> {
    const answer = await comeIn(browser, one)
    expect(answer.code).toBe(100404)
    return (answer.data as unknown as { binding_token: string }).binding_token
  }
  async function proof(browser: TestClient, phone: string): Promise<{ phone: string; code: string; sms: string }> {
    world.clock.advance(61_000)
    const before = await codesSent(world, phone)
    const { data } = await browser.call(account.getVerifyCode, { phone, type: 'login' })
    return { phone, sms: data.sms, code: await lastCode(world, phone, before) }
  }

  it("links no phone for a platform profile with somebody else's phone", async () => {
    const before = await identities()
    const browser = createClient(world)
    const answer = await comeIn(browser, createOutsider(existing.mobile))
    expect(Object.keys(answer.data)).toEqual(['binding_token'])
    expect(answer.cookies.sid).toBeUndefined()
    expect(await identities()).toEqual(before)
  })

  it('links no phone without a code, with a wrong code, or with a code for another phone', async () => {
    const victim = await context.person()
    const browser = createClient(world)
    const binding_token = await unknown(browser, createOutsider(victim.mobile))
    const before = await identities()
    const phone = victim.mobile
    expect(await browser.call(contract.bindAccount, { binding_token, phone })).toMatchObject({
      code: 100001,
      data: { field: 'code' },
    })
    const own = await context.person()
    const current = await proof(browser, own.mobile)
    expect((await browser.call(contract.bindAccount, { binding_token, ...current, phone })).code).toBe(100102)
    const wrong = current.code === '000000' ? '000001' : '000000'
    expect((await browser.call(contract.bindAccount, { binding_token, ...current, code: wrong })).code).toBe(100102)
    expect(await identities()).toEqual(before)
  })

  it('links no phone in a browser other than the one that came from the platform', async () => {
    const person = await context.person()
    const binding_token = await unknown(createClient(world), createOutsider())
    const other = createClient(world)
    await leave(other)
    const answer = await other.call(contract.bindAccount, { binding_token, ...(await proof(other, person.mobile)) })
    expect(answer.code).toBe(100409)
  })

  it('also asks for the password of an existing account once, and for the code', async () => {
    const person = await context.person()
    const password_hash = await hashPassword('春江花月夜 7')
    await world.database.withoutCompany((tx) =>
      tx.updateTable('account').set({ password_hash }).where('id', '=', person.account_id).execute(),
    )
    const browser = createClient(world)
    const one = createOutsider()
    const binding_token = await unknown(browser, one)
    const proven = await proof(browser, person.mobile)
    const requested = await browser.call(contract.bindAccount, { binding_token, ...proven })
    expect(requested).toMatchObject({ code: 100001, data: { field: 'password' } })
    const { phone } = proven
    expect((await browser.call(contract.bindAccount, { binding_token, phone, password: 'falsch' })).code).toBe(100101)
    expect((await comeIn(createClient(world), one)).code).toBe(100404)
    const joined = await browser.call(contract.bindAccount, { binding_token, phone, password: '春江花月夜 7' })
    expect(joined).toMatchObject({ code: 0, data: { corp_id: context.company_id } })
    expect((await comeIn(createClient(world), one)).code).toBe(0)
  })

  it('creates an account for a roster phone without one, and ignores a second use of the token', async () => {
    const person = await context.person({ joined: false })
    const browser = createClient(world)
    const one = createOutsider()
    const binding_token = await unknown(browser, one)
    expect((await browser.call(contract.bindAccount, { binding_token, ...(await proof(browser, person.mobile)) })).code).toBe(0)
    expect((await browser.call(contract.bindAccount, { binding_token, phone: person.mobile })).code).toBe(100409)
    expect((await comeIn(createClient(world), one)).data.corp_id).toBe(context.company_id)
  })

  it('links nothing for a phone that is not on the roster of this company', async () => {
    const elsewhere = await there.person()
    const browser = createClient(world)
    const before = await identities()
    const binding_token = await unknown(browser, createOutsider())
    const answer = await browser.call(contract.bindAccount, { binding_token, ...(await proof(browser, elsewhere.mobile)) })
    expect(answer.code).toBe(100404)
    expect(await identities()).toEqual(before)
  })

  it('replaces the former platform user with the last one that proved the phone', async () => {
    const person = await context.person()
    const [first, second] = [createOutsider(), createOutsider()]
    for (const one of [first, second]) {
      const browser = createClient(world)
      const binding_token = await unknown(browser, one)
      expect((await browser.call(contract.bindAccount, { binding_token, ...(await proof(browser, person.mobile)) })).code).toBe(0)
    }
    expect((await comeIn(createClient(world), first)).code).toBe(100404)
    expect((await comeIn(createClient(world), second)).code).toBe(0)
  })

  it('expires the phone link token after ten minutes', async () => {
    const person = await context.person()
    const browser = createClient(world)
    const binding_token = await unknown(browser, createOutsider())
    world.clock.advance(541_000)
    const proven = await proof(browser, person.mobile)
    expect((await browser.call(contract.bindAccount, { binding_token, ...proven })).code).toBe(100409)
  })
})

describe('information for unknown users', () => {
  it('offers a platform on the sign-in page only if the request identifies one company', async () => {
    const { data } = await createClient(world).call(account.getPublicInfo)
    // Several companies of these tests use Lark; listing them would disclose who they are.
    expect(data.providers.map((one) => one.provider)).not.toContain('lark')
  })
  it('redirects from an unbound platform to our own page with a message', async () => {
    const url = await leave(createClient(world), 'tenant-nobody')
    expect(url.pathname + url.search).toBe('/pc/page/login/login.html?why=no_app')
  })
  it('signs only our own pages, and only for an existing company', async () => {
    const call = (url: string, corp: string) => createClient(world).call(contract.jsConfigCalls.lark, { url, corp })
    for (const url of ['https://evil.example/entry', `${origin}.evil.example/`, 'javascript:alert(1)', '//x', ''])
      expect((await call(url, 'tenant-a')).code).toBe(100001)
    expect((await call(`${origin}/entry`, 'tenant-nobody')).code).toBe(100404)
  })
  it('stores nothing on a visit to the sign-in page', async () => {
    const count = () =>
      world.database.withoutCompany((tx) =>
        tx
          .selectFrom('login_state')
          .select(({ fn }) => fn.countAll<string>().as('count'))
          .executeTakeFirstOrThrow(),
      )
    const before = await count()
    for (let times = 0; times < 5; times += 1) await leave(createClient(world))
    expect(await count()).toEqual(before)
  })
  it('returns neither the platform code nor the application secret', async () => {
    const answer = await comeIn(createClient(world), add('tenant-a', 'ou_canary'))
    expect(JSON.stringify(answer)).not.toContain(app.secret)
  })
})

it.each([
  ['lark', 'page', true],
  ['dingtalk', 'page', false],
  ['dingtalk', 'client', false],
] as const)(
  '%s, by the %s: decides whether the application is proven to belong to the company',
  async (provider, channel, is_proved) => {
    const corp = await world.createCompany()
    const own = await world.bind(corp, provider, `tenant-${provider}-${channel}`)
    const one = world.simulator.addUser({
      provider,
      corp_id: own.corp_id,
      user_id: 'u1',
      union_id: `un-${channel}`,
      name: '张三',
    })
    const browser = createClient(world)
    if (channel === 'page') await comeIn(browser, one, own)
    else {
      const { data } = await browser.call(contract.jsConfigCalls[provider], { url: `${origin}/entry`, corp: own.corp_id })
      const { state } = data as { state: string }
      await back(browser, world.simulator.issueCode(own, one, 'client'), state, provider)
    }
    const row = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('platform_app').select('proved_at').where('corp_id', '=', own.corp_id).executeTakeFirstOrThrow(),
    )
    expect(row.proved_at !== null).toBe(is_proved)
  },
)

it('DingTalk: accepts no ownership proof from a foreign application, nor from a member of both organizations who chooses the company on its page', async () => {
  const corp = await world.createCompany()
  // The foreign application belongs to its own organization and is bound with another company's key.
  const bound = await world.bind(corp, 'dingtalk', 'ding-of-others', 'ding-strangers-app')
  world.simulator.changeApp(bound, { corp_id: 'ding-stranger' })
  const at = (corp_id: string) =>
    world.simulator.addUser({ provider: 'dingtalk', corp_id, user_id: `in-${corp_id}`, union_id: 'un-both', name: '张三' })
  const [employee] = [at('ding-of-others'), at('ding-stranger')]
  const browser = createClient(world)
  const state = getState(await leave(browser, 'ding-of-others', 'dingtalk'))
  const answer = await back(browser, world.simulator.issueCode(bound, employee, 'page', redirect), state, 'dingtalk')
  expect(answer).toMatchObject({ code: 100404, data: { binding_token: expect.any(String) } })
  const row = await world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('platform_app').select('proved_at').where('corp_id', '=', 'ding-of-others').executeTakeFirstOrThrow(),
  )
  expect(row.proved_at).toBeNull()
})
