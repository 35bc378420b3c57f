/** One sign-in suite for every adapter, against the simulators: codes, tokens, rejections, failures. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPlatforms, getSimulatorHosts } from '../../platform/index.ts'
import { type RegisteredApp, type SimulatedUser, Simulator } from '../../platform/simulator/index.ts'
import { simulatedProviders } from '../../platform/simulator/profiles.ts'
import type { AuthCodeSource, ChatApp, PlatformError, Platforms, Provider } from '../../platform/types.ts'
import { computeJsSignature } from '../../platform/wire/js-signature.ts'

const redirect = 'https://pay.example.cn/entry'
let now = Date.parse('2026-11-21T10:00:00+08:00')
const clock = () => now
let simulator: Simulator
let address = ''
let platforms: Platforms

/** Two companies with an application each, and one with a second; in both a user has the same id. */
type Cast = { one: RegisteredApp; second: RegisteredApp; other: RegisteredApp; person: SimulatedUser; outsider: SimulatedUser }
const casts = new Map<Provider, Cast>()
const cast = (provider: Provider): Cast => casts.get(provider) as Cast
const makeCast = (provider: Provider): Cast => {
  const app = (corp_id: string, app_id: string): RegisteredApp =>
    simulator.addApp({
      provider,
      corp_id,
      app_id,
      agent_id: app_id,
      secret: `secret-${corp_id}-${app_id}`,
      origin: 'https://pay.example.cn',
    })
  const person = (corp_id: string, name: string): SimulatedUser =>
    simulator.addUser({ provider, corp_id, user_id: 'user-7', union_id: `union-${corp_id}`, name, mobile: '13800000001' })
  return {
    one: app('corp-a', '1000001'),
    second: app('corp-a', '1000002'),
    other: app('corp-b', '1000003'),
    person: person('corp-a', '张三'),
    outsider: person('corp-b', '李四'),
  }
}

beforeAll(async () => {
  simulator = new Simulator(clock)
  for (const provider of simulatedProviders) casts.set(provider, makeCast(provider))
  address = await simulator.listen()
})
afterAll(() => simulator.close())
beforeEach(() => {
  platforms = createPlatforms({ hosts: getSimulatorHosts(address), now: clock })
  simulator.calls.length = 0
})

const exchange = (app: ChatApp, code: string, channel: AuthCodeSource = 'page') =>
  platforms[app.provider].exchangeCode(app, { code, source: channel, redirect: channel === 'page' ? redirect : '' })
/** Returns the kind of the error and the platform's own code. */
const getError = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown as PlatformError,
  )
  expect(error?.name, 'was not refused').toBe('PlatformError')
  return `${error?.kind} ${error?.code}`
}
const request = (path: string): number => simulator.calls.filter((one) => one.endsWith(path)).length

const ways: [Provider, AuthCodeSource][] = [
  ['lark', 'page'],
  ['lark', 'client'],
  ['wecom', 'page'],
  ['dingtalk', 'page'],
  ['dingtalk', 'client'],
]
const exchangePath = { lark: '/oauth/v3/token', wecom: '/cgi-bin/auth/getuserinfo', dingtalk: '/v2/user/getuserinfo' } as const

describe.each(ways)('%s, a code of the %s', (provider, channel) => {
  const issue = (app: RegisteredApp, person: SimulatedUser) =>
    simulator.issueCode(app, person, channel, channel === 'page' ? redirect : '')

  it('is exchanged for platform, company and user', async () => {
    const { one, person } = cast(provider)
    expect(await exchange(one, issue(one, person), channel)).toMatchObject({ provider, corp_id: 'corp-a', user_id: 'user-7' })
  })
  it('is valid once', async () => {
    const { one, person } = cast(provider)
    const code = issue(one, person)
    await exchange(one, code, channel)
    expect(await getError(exchange(one, code, channel))).toMatch(/^code_refused (20065|40029|40078|invalidParameter)/)
  })
  it('is valid for at most five minutes', async () => {
    const { one, person } = cast(provider)
    const code = issue(one, person)
    now += 301_000
    expect(await getError(exchange(one, code, channel))).toMatch(/^code_refused (20004|42003|42008|invalidParameter)/)
  })
  it("is invalid in another company's application and in another application of the same company", async () => {
    const { one, second, other, person } = cast(provider)
    for (const app of [second, other])
      expect(await getError(exchange(app, issue(one, person), channel))).toMatch(
        /^code_refused (20024|40029|40078|invalidParameter)/,
      )
  })
  it('reports a wrong secret', async () => {
    const { one, person } = cast(provider)
    const wrong = { ...one, secret: 'another' }
    expect(await getError(exchange(wrong, issue(one, person), channel))).toMatch(/^not_permitted /)
  })
})

// DingTalk's client script runs in the company of the page that asked, so a user of another company cannot have such a
// code.
it.each(ways.filter(([provider, channel]) => provider !== 'dingtalk' || channel === 'page'))(
  '%s, a code of the %s: rejects a user of another company, whatever the platform accepted',
  async (provider, channel) => {
    const { one, outsider } = cast(provider)
    const code = simulator.issueCode(one, outsider, channel, channel === 'page' ? redirect : '')
    expect(await getError(exchange(one, code, channel))).toMatch(/^out_of_scope /)
  },
)

describe.each(simulatedProviders)('%s: external failures', (provider) => {
  const channel: AuthCodeSource = provider === 'dingtalk' ? 'client' : 'page'
  const path = exchangePath[provider]
  const tryOnce = () => {
    const { one, person } = cast(provider)
    return exchange(one, simulator.issueCode(one, person, channel, channel === 'page' ? redirect : ''), channel)
  }

  it('tells a lost response from a rejection, and does not send the code a second time', async () => {
    simulator.addError({ provider, path, kind: 'lose' })
    expect(await getError(tryOnce())).toBe('temporary network')
    expect(request(path)).toBe(1)
  })
  it('reports a rate limit', async () => {
    simulator.addError({ provider, path, kind: 'too_many' })
    expect(await getError(tryOnce())).toMatch(/^rate_limited (99991400|45009|90002)$/)
  })
  it('accepts a slow response', async () => {
    simulator.addError({ provider, path, kind: 'slow', ms: 120 })
    expect(await tryOnce()).toMatchObject({ user_id: 'user-7' })
  })
  it('keeps the code of an unknown error and contains no secrets', async () => {
    simulator.addError({ provider, path, kind: 'refuse', code: 777 })
    const { one, person } = cast(provider)
    const error = await exchange(
      one,
      simulator.issueCode(one, person, channel, channel === 'page' ? redirect : ''),
      channel,
    ).catch((thrown: unknown) => thrown as PlatformError)
    expect(error).toMatchObject({ kind: 'unknown', code: '777', provider })
    expect((error as PlatformError).message).not.toMatch(/hint|203\.0\.113/)
  })
})

describe('application tokens', () => {
  it.each([
    ['wecom', '/cgi-bin/gettoken'],
    ['dingtalk', '/v1.0/oauth2/accessToken'],
  ] as const)('%s: are requested once for concurrent calls, and again after expiry', async (provider, path) => {
    const { one, person } = cast(provider)
    const channel: AuthCodeSource = provider === 'dingtalk' ? 'client' : 'page'
    const come = () => exchange(one, simulator.issueCode(one, person, channel, channel === 'page' ? redirect : ''), channel)
    await Promise.all(Array.from({ length: 20 }, come))
    expect(request(path)).toBe(1)
    now += 7_000_000
    await come()
    expect(request(path)).toBe(2)
  })
  it.each(['wecom', 'dingtalk'] as const)(
    '%s: are replaced after an early expiry, and the code stays valid',
    async (provider) => {
      const { one, person } = cast(provider)
      const channel: AuthCodeSource = provider === 'dingtalk' ? 'client' : 'page'
      const code = () => simulator.issueCode(one, person, channel, channel === 'page' ? redirect : '')
      await exchange(one, code(), channel)
      simulator.expireTokens(provider)
      expect(await exchange(one, code(), channel)).toMatchObject({ user_id: 'user-7' })
    },
  )
  it('are not reused after the secret has changed', async () => {
    const { one, person } = cast('wecom')
    await exchange(one, simulator.issueCode(one, person, 'page', redirect))
    const code = simulator.issueCode(one, person, 'page', redirect)
    expect(await getError(exchange({ ...one, secret: 'stale' }, code))).toBe('not_permitted 40001')
  })
})

describe('user identity', () => {
  it('WeCom: user ids are case-insensitive', async () => {
    const { one } = cast('wecom')
    const loud = simulator.addUser({ provider: 'wecom', corp_id: 'corp-a', user_id: 'ZhangSan', name: '张三' })
    expect(await exchange(one, simulator.issueCode(one, loud, 'page', redirect))).toMatchObject({ user_id: 'zhangsan' })
  })
  it("WeCom: a linked company's user is unknown", async () => {
    const { one } = cast('wecom')
    const linked = simulator.addUser({ provider: 'wecom', corp_id: 'corp-a', user_id: 'ww99/zhangsan', name: '张三' })
    expect(await getError(exchange(one, simulator.issueCode(one, linked, 'page', redirect)))).toMatch(/^out_of_scope /)
  })
  it.each(simulatedProviders)('%s: one id in two companies means two users', async (provider) => {
    const { one, other, person, outsider } = cast(provider)
    const context = await exchange(one, simulator.issueCode(one, person, 'page', redirect))
    const there = await exchange(other, simulator.issueCode(other, outsider, 'page', redirect))
    expect([context.user_id, context.corp_id, there.user_id, there.corp_id]).toEqual(['user-7', 'corp-a', 'user-7', 'corp-b'])
  })
})

describe('the sign-in page', () => {
  const open = (provider: Provider, inside = false) =>
    new URL(platforms[provider].buildAuthorizeUrl(cast(provider).one, { redirect, state: 'abc123', inside }))

  it.each([
    ['lark', false, '/open-apis/authen/v1/authorize'],
    ['wecom', false, '/wwlogin/sso/login'],
    ['wecom', true, '/connect/oauth2/authorize'],
    ['dingtalk', false, '/oauth2/auth'],
  ] as const)('%s (inside the client: %s) leads there and back with a valid code', async (provider, within, path) => {
    const url = open(provider, within)
    expect(url.pathname).toBe(`/${provider}${path}`)
    expect(url.hash).toBe(within ? '#wechat_redirect' : '')
    expect(await (await fetch(url)).text()).toContain('张三')
    url.searchParams.set('as', 'user-7')
    const answer = await fetch(url, { redirect: 'manual' })
    const back = new URL(answer.headers.get('location') ?? '')
    expect([back.origin + back.pathname, back.searchParams.get('state')]).toEqual([redirect, 'abc123'])
    const code = back.searchParams.get(provider === 'dingtalk' ? 'authCode' : 'code') ?? ''
    expect(await exchange(cast(provider).one, code)).toMatchObject({ user_id: 'user-7', corp_id: 'corp-a' })
  })
  it('redirects only to the application', async () => {
    const url = open('lark')
    url.searchParams.set('redirect_uri', 'https://evil.example/entry')
    expect((await fetch(url)).status).toBe(400)
  })
  it("uses the vendors' own addresses when no simulator is configured", () => {
    const url = createPlatforms().lark.buildAuthorizeUrl(cast('lark').one, { redirect, state: 's', inside: false })
    expect(url.startsWith('https://accounts.feishu.cn/open-apis/authen/v1/authorize?client_id=1000001&')).toBe(true)
  })
})

describe('the signature of the client script', () => {
  it.each([
    [
      "Lark's worked example",
      'ticket-lark-0560604568baf296731aa37f0c8ebe3e049c19d7',
      'Y7a8KkqX041bsSwT',
      '1767225600000',
      'https://wage.example.com/entry?corp=1',
      'sha1',
      '8d234282a651385f9d523ac49fac608aaf51a3e3',
    ],
    [
      "WeCom's published one",
      'sM4AOVdWfPE4DxkXGEs8VMCPGGVi4C3VM0P37wVUCFvkVAy_90u5h9nbSlYy3-Sl-HhTdfl2fzFy1AOcHKP7qg',
      'Wm3WZYTPz0wzccnW',
      '1414587457',
      'http://mp.weixin.qq.com?params=value',
      'sha1',
      '0f9de62fce790f9a083d5c99e95740ceb90c27ed',
    ],
    [
      'DingTalk, SHA-1',
      'asjdgTicket001',
      'abcDEF123',
      '1767225600000',
      'https://wage.example.com/entry?corpId=ding0a1b2c3d4e5f6071#x',
      'sha1',
      '981eff498784dd5b26a013cea561defd40bbda39',
    ],
    [
      'DingTalk, SHA-256',
      'asjdgTicket001',
      'abcDEF123',
      '1767225600000',
      'https://wage.example.com/entry?corpId=ding0a1b2c3d4e5f6071',
      'sha256',
      '3f24b9d915ecfaa2880994367769201bdb5263e0c174260ed560bbbd91706484',
    ],
  ] as const)('%s', (_what, ticket, nonce, timestamp, url, hash, expected) => {
    expect(computeJsSignature({ ticket, nonce, timestamp, url }, hash)).toBe(expected)
  })
  it.each(simulatedProviders)('%s: uses one ticket for many pages', async (provider) => {
    const { one } = cast(provider)
    const sign = (url: string) => platforms[provider].signPage(one, { url, nonce: 'n', now: new Date(now) })
    const [first, second] = [await sign('https://pay.example.cn/entry'), await sign('https://pay.example.cn/home')]
    expect(first.signature).not.toBe(second.signature)
    expect(first.timestamp).toBe(provider === 'wecom' ? String(now / 1000) : String(now))
    expect(simulator.calls.filter((path) => /ticket/i.test(path)).length).toBe(1)
  })
})
