/** Signing in through a chat platform: the six misuses of A15, joining to a phone (A16), who lands where. Refusals first. */
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SimulatedUser as Colleague, RegisteredApp } from '../../platform/simulator/index.ts'
import type { Provider } from '../../platform/types.ts'
import * as contract from '../../server/contract/auth/platform-sign-in.ts'
import * as profile from '../../server/contract/auth/profile.ts'
import * as account from '../../server/contract/auth/sign-in.ts'
import { hashPassword } from '../../server/modules/account/index.ts'
import { newId } from '../../server/shared/ids.ts'
import { codesSent, lastCode, type Visitor, visitor } from '../support/callers/visitor.ts'
import { origin, type PlatformWorld, startPlatformWorld } from '../support/outside/platform.ts'
import type { Corp, Person } from '../support/world.ts'

let world: PlatformWorld
/** Two companies, each with an application of its own; people of both have the same id there. */
let here: Corp
let there: Corp
let app: RegisteredApp
let otherApp: RegisteredApp
let known: Person
let colleague: Colleague

const add = (corp_id: string, user_id: string, more: Partial<Colleague> = {}): Colleague =>
  world.simulator.addUser({ provider: 'lark', corp_id, user_id, name: '张三', ...more })

beforeAll(async () => {
  world = await startPlatformWorld()
  here = await world.found({ name: '甲公司' })
  there = await world.found({ name: '乙公司' })
  app = await world.bind(here, 'lark', 'tenant-a')
  otherApp = await world.bind(there, 'lark', 'tenant-b')
  known = await here.person({ power: ['2'] })
  colleague = add('tenant-a', 'ou_known')
  await world.join(colleague, known)
})
afterAll(() => world.close())

/** The browser goes to the platform; answers the state that the platform would give back. */
async function leave(browser: Visitor, corp = 'tenant-a', provider: Provider = 'lark'): Promise<URL> {
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
const stateOf = (url: URL): string => url.searchParams.get('state') ?? ''
const redirect = `${origin}/entry`
const codeFor = (one: Colleague, of: RegisteredApp = app): string => world.simulator.issueCode(of, one, 'page', redirect)
const back = (browser: Visitor, code: string, state: string, provider: Provider = 'lark') =>
  browser.ask(contract.loginByPlatform, { provider, code, state })

async function comeIn(browser: Visitor, one: Colleague = colleague, of: RegisteredApp = app) {
  const state = stateOf(await leave(browser, of.corp_id, of.provider))
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

describe('what is no sign-in (A15)', () => {
  it.each([
    [
      'a code that has been redeemed',
      async (browser: Visitor) => {
        const code = codeFor(colleague)
        expect((await back(visitor(world), code, 'lark'.padEnd(93, '0'))).code).toBe(100409)
        const first = visitor(world)
        expect((await back(first, code, stateOf(await leave(first)))).code).toBe(0)
        return back(browser, code, stateOf(await leave(browser)))
      },
      100502,
    ],
    [
      "a code of another of the company's applications",
      async (browser: Visitor) => {
        const second = world.simulator.addApp({ ...app, app_id: 'app-second', secret: 'another' })
        return back(browser, codeFor(colleague, second), stateOf(await leave(browser)))
      },
      100502,
    ],
    [
      "a code of another company, brought to this one's application",
      async (browser: Visitor) => {
        const stranger = add('tenant-b', 'ou_known')
        return back(browser, codeFor(stranger, otherApp), stateOf(await leave(browser)))
      },
      100502,
    ],
    [
      'no state, or one that nobody signed',
      async (browser: Visitor) => {
        const state = stateOf(await leave(browser))
        const without = await browser.ask(contract.loginByPlatform, { provider: 'lark', code: codeFor(colleague) } as never)
        expect([without.code, without.data]).toEqual([100001, { field: 'state' }])
        const forged = `${state.slice(0, -1)}${state.endsWith('0') ? '1' : '0'}`
        return back(browser, codeFor(colleague), forged)
      },
      100409,
    ],
    [
      "a link with somebody else's code and state in it",
      async (browser: Visitor) => {
        const attacker = visitor(world)
        const state = stateOf(await leave(attacker))
        await leave(browser)
        return back(browser, codeFor(colleague), state)
      },
      100409,
    ],
    [
      'a state that came back before',
      async (browser: Visitor) => {
        const state = stateOf(await leave(browser))
        expect((await back(browser, codeFor(colleague), state)).code).toBe(0)
        browser.token = null
        return back(browser, codeFor(colleague), state)
      },
      100409,
    ],
    [
      'a state after ten minutes',
      async (browser: Visitor) => {
        const state = stateOf(await leave(browser))
        world.clock.advance(600_000)
        return back(browser, codeFor(colleague), state)
      },
      100409,
    ],
    [
      'a state of another platform, or another company than is said',
      async (browser: Visitor) => {
        const state = stateOf(await leave(browser))
        const other = await back(browser, codeFor(colleague), state, 'wecom')
        expect(other.code).toBe(100409)
        const again = stateOf(await leave(browser))
        return browser.ask(contract.loginByPlatform, {
          provider: 'lark',
          code: codeFor(colleague),
          state: again,
          corp: 'tenant-b',
        })
      },
      100409,
    ],
  ] as const)('%s', async (_what, misuse, code) => {
    const browser = visitor(world)
    const before = Number((await sessions()).count)
    const answer = await misuse(browser)
    expect([answer.code, answer.data?.token]).toEqual([code, undefined])
    expect(answer.cookies.sid).toBeUndefined()
    // At most the one that the case itself opened, rightly.
    expect(Number((await sessions()).count) - before).toBeLessThanOrEqual(1)
  })

  it('one state and one code, twenty times at once: one gets in', async () => {
    const browser = visitor(world)
    const state = stateOf(await leave(browser))
    const code = codeFor(colleague)
    const answers = await Promise.all(Array.from({ length: 20 }, () => back(browser, code, state)))
    expect(answers.filter((one) => one.code === 0).length).toBe(1)
  })

  it('a lost answer of the platform opens nothing and says to try again', async () => {
    world.simulator.addFault({ provider: 'lark', path: '/oauth/v3/token', kind: 'lose' })
    const answer = await comeIn(visitor(world))
    expect(answer).toMatchObject({ code: 100502, data: { provider: 'lark', kind: 'temporary' } })
    expect(answer.message).toContain('稍后再试')
  })
})

describe('who comes in', () => {
  it('somebody known lands in the company whose application it is, and in no other of his', async () => {
    const both = await here.person({ power: ['1'] })
    await there.person({ same_as: both, power: ['2'] })
    const one = add('tenant-a', 'ou_both')
    await world.join(one, both)
    const browser = visitor(world)
    const answer = await comeIn(browser, one)
    expect(answer).toMatchObject({ code: 0, data: { corp_id: here.company_id, corps: [{ name: '甲公司' }] } })
    expect(answer.data.corps.length).toBe(1)
    expect((await browser.ask(account.getCurrentUser)).data.corp.name).toBe('甲公司')
    // The first company's platform decides who he is there; it must not decide who he is elsewhere.
    expect(await browser.ask(account.getAvailableCorps)).toMatchObject({ code: 0, data: { corps: [{ name: '甲公司' }] } })
    expect((await browser.ask(account.selectCorp, { corp_id: there.company_id })).code).toBe(100404)
    const first = await browser.ask(account.setEarlyPassword, { password: '春江花月夜 7', confirm_password: '春江花月夜 7' })
    expect([first.code, first.data]).toEqual([100409, { status: 10 }])
    const again = await browser.ask(account.selectCorp, { corp_id: here.company_id })
    expect(again.code).toBe(0)
    expect((await browser.ask(account.selectCorp, { corp_id: there.company_id })).code).toBe(100404)
  })

  it('whoever has turned on the second factor is asked for it here as well', async () => {
    const careful = await here.person({ power: ['4'] })
    const one = add('tenant-a', 'ou_careful')
    await world.join(one, careful)
    await world.database.withoutCompany((tx) =>
      tx.updateTable('account').set({ totp_on: world.clock.now() }).where('id', '=', careful.account_id).execute(),
    )
    const answer = await comeIn(visitor(world), one)
    expect(answer.data).toEqual({ token: null, corps: [], corp_id: null, factor_token: expect.any(String) })
    expect(answer.cookies.sid).toBeUndefined()
  })

  it('after the second factor, too, he is in the company whose application it is, and in no other of his', async () => {
    const careful = await here.person({ power: ['4'] })
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
    const desk = visitor(world)
    expect((await desk.ask(account.login, { phone: careful.mobile, password })).data.corps.length).toBe(2)
    await desk.ask(account.selectCorp, { corp_id: here.company_id })
    const { secret } = (await desk.ask(profile.startTotp, { password })).data
    const codeAt = (steps: number) => new TOTP({ secret }).generate({ timestamp: world.clock.now().getTime() + steps * 30_000 })
    expect((await desk.ask(profile.confirmTotp, { code: codeAt(0) })).code).toBe(0)

    const browser = visitor(world)
    const { factor_token } = (await comeIn(browser, one)).data
    const answer = await browser.ask(account.checkTotp, { factor_token: factor_token ?? '', code: codeAt(1) })
    expect(answer).toMatchObject({ code: 0, data: { corp_id: here.company_id, corps: [{ name: '甲公司' }] } })
    expect(answer.data.corps.length).toBe(1)
    expect((await browser.ask(account.selectCorp, { corp_id: there.company_id })).code).toBe(100404)
  })

  it('equal ids of two companies are two people', async () => {
    const twin = await there.person()
    const one = add('tenant-b', 'ou_known')
    await world.join(one, twin)
    const browser = visitor(world)
    expect((await comeIn(browser, one, otherApp)).data.corp_id).toBe(there.company_id)
    expect((await comeIn(visitor(world), colleague)).data.corp_id).toBe(here.company_id)
    const ended = await world.database.withoutCompany((tx) =>
      tx.selectFrom('session').select('account_id').orderBy('created_at', 'desc').orderBy('id', 'desc').limit(2).execute(),
    )
    expect(new Set(ended.map((row) => row.account_id))).toEqual(new Set([known.account_id, twin.account_id]))
  })

  it('somebody who has left is a stranger', async () => {
    const left = await here.person()
    const one = add('tenant-a', 'ou_left')
    await world.join(one, left)
    expect((await comeIn(visitor(world), one)).code).toBe(0)
    await world.database.inCompany(here.company_id, (tx) =>
      tx.updateTable('member').set({ status: 'left' }).where('id', '=', left.member_id).execute(),
    )
    expect(await comeIn(visitor(world), one)).toMatchObject({ code: 100404, data: { bind_token: expect.any(String) } })
  })

  it.each([
    ['wecom', 'page'],
    ['dingtalk', 'page'],
    ['dingtalk', 'client'],
    ['lark', 'client'],
  ] as const)('%s, with a code of the %s', async (provider, way) => {
    const corp = await world.found()
    const corp_id = `corp-${provider}-${way}`
    const application = await world.bind(corp, provider, corp_id)
    const person = await corp.person()
    const one = world.simulator.addUser({ provider, corp_id, user_id: 'ZhangSan', name: '张三' })
    await world.join(provider === 'wecom' ? one : { ...one, user_id: 'ZhangSan' }, person)
    // Only WeCom's ids have no case.
    if (provider !== 'wecom')
      await world.database.withoutCompany((tx) =>
        tx.updateTable('platform_identity').set({ user_id: 'ZhangSan' }).where('corp_id', '=', corp_id).execute(),
      )
    const browser = visitor(world)
    let state: string
    if (way === 'client') {
      const config = await browser.ask(contract.jsConfigCalls[provider], { url: `${origin}/entry`, corp: corp_id })
      expect(config.data).toMatchObject({ corp_id, app_id: application.app_id, config: { signature: expect.any(String) } })
      state = config.data.state
    } else state = stateOf(await leave(browser, corp_id, provider))
    const code = world.simulator.issueCode(application, one, way, way === 'page' ? redirect : '')
    expect(await back(browser, code, state, provider)).toMatchObject({ code: 0, data: { corp_id: corp.company_id } })
    expect(state).toMatch(/^[a-z0-9]{60,128}$/)
  })
})

describe('joining to a phone (A16)', () => {
  const stranger = (mobile?: string) => add('tenant-a', `ou_${newId()}`, mobile ? { mobile } : {})
  async function unknown(browser: Visitor, one: Colleague): Promise<string> {
    const answer = await comeIn(browser, one)
    expect(answer.code).toBe(100404)
    return (answer.data as unknown as { bind_token: string }).bind_token
  }
  async function proof(browser: Visitor, phone: string): Promise<{ phone: string; code: string; sms: string }> {
    world.clock.advance(61_000)
    const before = await codesSent(world, phone)
    const { data } = await browser.ask(account.getVerifyCode, { phone, type: 'login' })
    return { phone, sms: data.sms, code: await lastCode(world, phone, before) }
  }

  it("a profile that carries a victim's phone links nothing", async () => {
    const before = await identities()
    const browser = visitor(world)
    const answer = await comeIn(browser, stranger(known.mobile))
    expect(Object.keys(answer.data)).toEqual(['bind_token'])
    expect(answer.cookies.sid).toBeUndefined()
    expect(await identities()).toEqual(before)
  })

  it('without a code, with a wrong one, or with one of another phone: nothing', async () => {
    const victim = await here.person()
    const browser = visitor(world)
    const bind_token = await unknown(browser, stranger(victim.mobile))
    const before = await identities()
    const phone = victim.mobile
    expect(await browser.ask(contract.bindAccount, { bind_token, phone })).toMatchObject({
      code: 100001,
      data: { field: 'code' },
    })
    const own = await here.person()
    const mine = await proof(browser, own.mobile)
    expect((await browser.ask(contract.bindAccount, { bind_token, ...mine, phone })).code).toBe(100102)
    const wrong = mine.code === '000000' ? '000001' : '000000'
    expect((await browser.ask(contract.bindAccount, { bind_token, ...mine, code: wrong })).code).toBe(100102)
    expect(await identities()).toEqual(before)
  })

  it('in another browser than the one that came from the platform: nothing', async () => {
    const person = await here.person()
    const bind_token = await unknown(visitor(world), stranger())
    const other = visitor(world)
    await leave(other)
    const answer = await other.ask(contract.bindAccount, { bind_token, ...(await proof(other, person.mobile)) })
    expect(answer.code).toBe(100409)
  })

  it('an account with a password asks for it as well, and the code is asked for once', async () => {
    const person = await here.person()
    const password_hash = await hashPassword('春江花月夜 7')
    await world.database.withoutCompany((tx) =>
      tx.updateTable('account').set({ password_hash }).where('id', '=', person.account_id).execute(),
    )
    const browser = visitor(world)
    const one = stranger()
    const bind_token = await unknown(browser, one)
    const proven = await proof(browser, person.mobile)
    const asked = await browser.ask(contract.bindAccount, { bind_token, ...proven })
    expect(asked).toMatchObject({ code: 100001, data: { field: 'password' } })
    const { phone } = proven
    expect((await browser.ask(contract.bindAccount, { bind_token, phone, password: 'falsch' })).code).toBe(100101)
    expect((await comeIn(visitor(world), one)).code).toBe(100404)
    const joined = await browser.ask(contract.bindAccount, { bind_token, phone, password: '春江花月夜 7' })
    expect(joined).toMatchObject({ code: 0, data: { corp_id: here.company_id } })
    expect((await comeIn(visitor(world), one)).code).toBe(0)
  })

  it('a phone that is on the roster and has no account yet gets one; a second use of the token does nothing', async () => {
    const person = await here.person({ joined: false })
    const browser = visitor(world)
    const one = stranger()
    const bind_token = await unknown(browser, one)
    expect((await browser.ask(contract.bindAccount, { bind_token, ...(await proof(browser, person.mobile)) })).code).toBe(0)
    expect((await browser.ask(contract.bindAccount, { bind_token, phone: person.mobile })).code).toBe(100409)
    expect((await comeIn(visitor(world), one)).data.corp_id).toBe(here.company_id)
  })

  it("a phone that is not on this company's roster is joined to nothing", async () => {
    const elsewhere = await there.person()
    const browser = visitor(world)
    const before = await identities()
    const bind_token = await unknown(browser, stranger())
    const answer = await browser.ask(contract.bindAccount, { bind_token, ...(await proof(browser, elsewhere.mobile)) })
    expect(answer.code).toBe(100404)
    expect(await identities()).toEqual(before)
  })

  it('the newest proof counts: a second person of the platform takes the place of the first', async () => {
    const person = await here.person()
    const [first, second] = [stranger(), stranger()]
    for (const one of [first, second]) {
      const browser = visitor(world)
      const bind_token = await unknown(browser, one)
      expect((await browser.ask(contract.bindAccount, { bind_token, ...(await proof(browser, person.mobile)) })).code).toBe(0)
    }
    expect((await comeIn(visitor(world), first)).code).toBe(100404)
    expect((await comeIn(visitor(world), second)).code).toBe(0)
  })

  it('after ten minutes the token is over', async () => {
    const person = await here.person()
    const browser = visitor(world)
    const bind_token = await unknown(browser, stranger())
    world.clock.advance(541_000)
    const proven = await proof(browser, person.mobile)
    expect((await browser.ask(contract.bindAccount, { bind_token, ...proven })).code).toBe(100409)
  })
})

describe('what strangers learn', () => {
  it('the sign-in page offers a platform only where one company is meant', async () => {
    const { data } = await visitor(world).ask(account.getPublicInfo)
    // Several companies of these tests are on Lark; listing them would tell who they are.
    expect(data.providers.map((one) => one.provider)).not.toContain('lark')
  })
  it('a platform that nobody bound leads back to our own page, with a word', async () => {
    const url = await leave(visitor(world), 'tenant-nobody')
    expect(url.pathname + url.search).toBe('/pc/page/login/login.html?why=no_app')
  })
  it('signs our own pages only, and only for a company that is there', async () => {
    const ask = (url: string, corp: string) => visitor(world).ask(contract.larkJsConfig, { url, corp })
    for (const url of ['https://evil.example/entry', `${origin}.evil.example/`, 'javascript:alert(1)', '//x', ''])
      expect((await ask(url, 'tenant-a')).code).toBe(100001)
    expect((await ask(`${origin}/entry`, 'tenant-nobody')).code).toBe(100404)
  })
  it('a visit to the sign-in page leaves no row', async () => {
    const count = () =>
      world.database.withoutCompany((tx) =>
        tx
          .selectFrom('login_state')
          .select(({ fn }) => fn.countAll<string>().as('count'))
          .executeTakeFirstOrThrow(),
      )
    const before = await count()
    for (let times = 0; times < 5; times += 1) await leave(visitor(world))
    expect(await count()).toEqual(before)
  })
  it("neither a code nor the application's secret is in an answer", async () => {
    const answer = await comeIn(visitor(world), add('tenant-a', 'ou_canary'))
    expect(JSON.stringify(answer)).not.toContain(app.secret)
  })
})

it.each([
  ['lark', 'page', true],
  ['dingtalk', 'page', false],
  ['dingtalk', 'client', false],
] as const)('%s, by the %s: whether it proves that the application is of that company', async (provider, way, is_proved) => {
  const corp = await world.found()
  const own = await world.bind(corp, provider, `tenant-${provider}-${way}`)
  const one = world.simulator.addUser({ provider, corp_id: own.corp_id, user_id: 'u1', union_id: `un-${way}`, name: '张三' })
  const browser = visitor(world)
  if (way === 'page') await comeIn(browser, one, own)
  else {
    const { data } = await browser.ask(contract.jsConfigCalls[provider], { url: `${origin}/entry`, corp: own.corp_id })
    const { state } = data as { state: string }
    await back(browser, world.simulator.issueCode(own, one, 'client'), state, provider)
  }
  const row = await world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('platform_app').select('proved_at').where('corp_id', '=', own.corp_id).executeTakeFirstOrThrow(),
  )
  expect(row.proved_at !== null).toBe(is_proved)
})

it('DingTalk: a stranger’s application, and somebody of the company who is in the stranger’s as well and chooses the company on its page: proves nothing', async () => {
  const corp = await world.found()
  // The stranger's application is of his own organisation; bound by another company's key.
  const bound = await world.bind(corp, 'dingtalk', 'ding-of-others', 'ding-strangers-app')
  world.simulator.changeApp(bound, { corp_id: 'ding-stranger' })
  const at = (corp_id: string) =>
    world.simulator.addUser({ provider: 'dingtalk', corp_id, user_id: `in-${corp_id}`, union_id: 'un-both', name: '张三' })
  const [employee] = [at('ding-of-others'), at('ding-stranger')]
  const browser = visitor(world)
  const state = stateOf(await leave(browser, 'ding-of-others', 'dingtalk'))
  const answer = await back(browser, world.simulator.issueCode(bound, employee, 'page', redirect), state, 'dingtalk')
  expect(answer).toMatchObject({ code: 100404, data: { bind_token: expect.any(String) } })
  const row = await world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('platform_app').select('proved_at').where('corp_id', '=', 'ding-of-others').executeTakeFirstOrThrow(),
  )
  expect(row.proved_at).toBeNull()
})
