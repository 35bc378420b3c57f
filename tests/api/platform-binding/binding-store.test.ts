/**
 * Binding by installing our application from a platform's store: exactly the company that installed it, for exactly the
 * company that requested it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RegisteredApp, RegisteredSuite } from '../../../platform/simulator/index.ts'
import { toOpenUserId } from '../../../platform/simulator/wecom/ids.ts'
import { getCurrentUser } from '../../../server/contract/auth/sign-in.ts'
import { getDepartList } from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { getNotificationList } from '../../../server/contract/notifications/notifications.ts'
import * as binding from '../../../server/contract/platform-binding/binding.ts'
import * as installing from '../../../server/contract/platform-binding/install.ts'
import { chatCompany } from '../../support/outside/chat-company.ts'
import { origin, type PlatformWorld, startPlatformWorld } from '../../support/outside/platform.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

const keys = { token: 'token-of-the-suite', aes_key: '4g5j64qlyl3zvetqxz5jiocdr586fn2zvjpa8zls3ij' }
const own = {
  wecom: { id: 'wwsuite0001', secret: 'secret-of-the-suite-w', ...keys, page: null },
  dingtalk: {
    id: 'suitestore0001',
    secret: 'secret-of-the-suite-d',
    ...keys,
    page: 'https://appcenter.dingtalk.com/detail/16807001',
    template: 'tmpl-1',
  },
  lark: { id: 'cli_store0001', secret: 'secret-of-the-suite-l', ...keys, page: 'https://app.feishu.cn/app/cli_store0001' },
}

type Store = keyof typeof own

let world: PlatformWorld
let suites: Record<Store, RegisteredSuite>
let address: (provider: string) => string
beforeAll(async () => {
  world = await startPlatformWorld({ stores: own })
  world.simulator.callbackSender.delayScale = 0
  const base = (await world.listen()).origin
  address = (provider) => `${base}${binding.getCallbackPath(provider as 'wecom', binding.storeAppKey)}`
  const suite = (provider: Store) =>
    world.simulator.addSuite({
      provider,
      id: own[provider].id,
      secret: own[provider].secret,
      ticket: null,
      ...(provider === 'dingtalk' ? { template: own.dingtalk.template } : {}),
      callback: { url: address(provider), ...keys },
    })
  suites = { wecom: suite('wecom'), lark: suite('lark'), dingtalk: suite('dingtalk') }
})
afterAll(() => world.close())

type Head = { corp: Corp; person: Person; caller: Caller }
async function head(): Promise<Head> {
  const corp = await world.createCompany({ provider: null })
  const person = await corp.person({ power: ['1'] })
  return { corp, person, caller: await world.signIn(person) }
}
const tenant = (provider: Store, more: Partial<RegisteredApp> = {}) => {
  const built = chatCompany(world.simulator, provider, {
    app: {
      app_id: own[provider].id,
      secret: provider === 'wecom' ? `permanent-${Math.random()}` : '',
      suite: suites[provider],
      origin,
      ...more,
    },
  })
  world.simulator.changeApp(built.app, { installer: built.both.user_id })
  return built
}
/** Goes to the platform's page and back like a browser; returns the parameters of the return address. */
async function there(url: string, app: RegisteredApp): Promise<{ state: string; code: string }> {
  const page = new URL(url)
  page.searchParams.set('corp', app.corp_id)
  const answer = await fetch(page, { redirect: 'manual' })
  const back = new URL(answer.headers.get('location') ?? '')
  expect(`${back.origin}${back.pathname}`).toBe(`${origin}${installing.installReturnPath}`)
  return { state: back.searchParams.get('state') ?? '', code: back.searchParams.get('auth_code') ?? '' }
}
const go = async ({ caller }: Head, provider: Store, how: 'install' | 'claim' = 'install') =>
  (await caller.must(installing.installPlatform, { provider, mode: how })).url
const info = ({ caller }: Head) => caller.must(binding.getPlatformInfo)
const drain = () => world.product.jobs.drain()
const wrong = { code: errorCodes.wrong_state.code }
const rows = (table: 'platform_install' | 'platform_install_event') =>
  world.database.withoutCompany((tx) => tx.selectFrom(table).selectAll().execute())
async function installed(one: Head, app: RegisteredApp): Promise<void> {
  await one.caller.must(installing.finishInstall, await there(await go(one, 'wecom'), app))
}
/** Runs a sync: read, review, apply. */
async function carried({ caller }: Head): Promise<void> {
  await drain()
  const { sync } = await caller.must(binding.getSyncStatus)
  expect(sync).toMatchObject({ state: 'held', review_reason: 'first' })
  await caller.must(binding.applySync, { sync_id: sync?.sync_id ?? '' })
  await drain()
}

describe('suite tickets', () => {
  it('requires suite tickets for an installation, stores them encrypted, and does not replace them with an older one that arrives later', async () => {
    const one = await head()
    const early = await one.caller.call(installing.installPlatform, { provider: 'wecom', mode: 'install' })
    expect(early).toMatchObject({ code: errorCodes.platform_refused.code, data: { code: '40085' } })
    expect(early.message).toContain('ticket')
    const ticket = await world.simulator.issueTicket(suites.wecom)
    await world.simulator.issueTicket(suites.lark)
    const loadStored = () =>
      world.database.withoutCompany((tx) =>
        tx.selectFrom('platform_suite').selectAll().where('provider', '=', 'wecom').executeTakeFirstOrThrow(),
      )
    const before = await loadStored()
    expect(before.ticket.includes(ticket)).toBe(false)
    world.simulator.state.clockOffsetMs = -120_000
    await world.simulator.callbackSender.sendChange(suites.wecom, { kind: 'ticket', ticket: 'older' })
    world.simulator.state.clockOffsetMs = 0
    expect(await loadStored()).toEqual(before)
    expect(await go(one, 'wecom')).toContain('/3rdapp/install?suite_id=wwsuite0001')
  })
})

describe('state bound to one company, one user and one use', () => {
  it('binds exactly the company that installed the WeCom application, with hidden names and unchanged departments', async () => {
    const [one, { app, both }] = [await head(), tenant('wecom')]
    const before = await one.caller.must(getDepartList)
    const { status, corp_name } = await one.caller.must(installing.finishInstall, await there(await go(one, 'wecom'), app))
    expect([status, corp_name]).toEqual([10, '示例科技'])
    await carried(one)
    const { bound } = await info(one)
    expect(bound).toMatchObject({
      provider: 'wecom',
      mode: 'store',
      corp_id: app.corp_id,
      capabilities: { names: false, phones: false },
      users: { total: 3, linked: 0 },
      visible_range: { whole: true },
    })
    expect(await one.caller.must(getDepartList)).toEqual(before)
    const { conflicts } = await one.caller.must(binding.getCorpCombineInfo, { kind: 'new' })
    expect(conflicts.map(({ platform_user }) => [platform_user.platform_user_id, platform_user.name])).toContainEqual([
      toOpenUserId(app.corp_id, both.user_id),
      '',
    ])
    const stands = (await rows('platform_install')) as { corp_id: string; secret: Buffer | null; claimed_by: string | null }[]
    expect(stands.find((row) => row.corp_id === app.corp_id)).toMatchObject({ secret: null, claimed_by: one.corp.company_id })
    // An installation says how a company is bound, not how it was opened: its messages still go through the platform.
    expect((await one.caller.must(getCurrentUser)).corp.corp_origin).toBe(0)
    // A binding by typed credentials does not replace an installed one.
    const typed = { provider: 'wecom' as const, corp_id: app.corp_id, agent_id: app.agent_id, secret: 'typed-secret', ...keys }
    expect(await one.caller.call(binding.bindPlatform, typed)).toMatchObject({ ...wrong, data: { status: 'installed' } })
  })

  it("refuses a state of another company or user, after expiry or a second use, without affecting the user's own", async () => {
    const [one, other, { app }] = [await head(), await head(), tenant('wecom')]
    const second = await world.signIn(await one.corp.person({ power: ['1'] }))
    const url = await go(one, 'wecom')
    const came = await there(url, app)
    for (const caller of [other.caller, second])
      expect(await caller.call(installing.finishInstall, came)).toMatchObject({ ...wrong, data: { status: 'state' } })
    expect(await one.caller.call(installing.finishInstall, { ...came, state: '0'.repeat(64) })).toMatchObject(wrong)
    await one.caller.must(installing.finishInstall, came)
    expect((await info(one)).bound?.corp_id).toBe(app.corp_id)
    expect((await info(other)).bound).toBeNull()
    // The code is used again with one of another company and is used up.
    const later = { ...came, code: (await there(await go(other, 'wecom'), tenant('wecom').app)).code }
    expect(await one.caller.call(installing.finishInstall, later)).toMatchObject(wrong)
    expect(await other.caller.call(installing.finishInstall, later)).toMatchObject(wrong)
    const late = await there(await go(other, 'wecom'), tenant('wecom').app)
    world.clock.advance(21 * 60_000)
    expect(await other.caller.call(installing.finishInstall, late)).toMatchObject({ ...wrong, data: { status: 'state' } })
    await world.simulator.issueTicket(suites.wecom)
  })

  it('uses up a state even if it returned with an invalid code', async () => {
    const [one, { app }] = [await head(), tenant('wecom')]
    const came = await there(await go(one, 'wecom'), app)
    const forged = await one.caller.call(installing.finishInstall, { ...came, code: 'forged' })
    expect(forged).toMatchObject({ code: errorCodes.platform_refused.code, data: { kind: 'code_refused' } })
    expect(await one.caller.call(installing.finishInstall, came)).toMatchObject({ ...wrong, data: { status: 'state' } })
    expect((await info(one)).bound).toBeNull()
  })

  it('lets one of two simultaneous installations of the same company succeed', async () => {
    for (let round = 0; round < 3; round += 1) {
      const [heads, { app }] = [[await head(), await head()], tenant('wecom')]
      const came: { state: string; code: string }[] = []
      for (const each of heads) came.push(await there(await go(each, 'wecom'), app))
      const answers = await Promise.all(
        heads.map(({ caller }, at) => caller.call(installing.finishInstall, came[at] ?? { state: '', code: '' })),
      )
      expect(answers.map(({ code }) => code).toSorted()).toEqual([0, wrong.code].toSorted())
      const bound = await Promise.all(heads.map(async (each) => (await info(each)).bound?.corp_id))
      expect(bound.filter((corp_id) => corp_id !== undefined)).toEqual([app.corp_id])
    }
  })

  it('requires another installation after the binding ended and its code was used, and lets anyone install it', async () => {
    const [one, other, { app, both }] = [await head(), await head(), tenant('wecom')]
    await installed(one, app)
    await carried(one)
    await one.caller.must(binding.applyUnBindingPlatform, { reason: '换平台' })
    const state = new URL(await go(other, 'wecom', 'claim')).searchParams.get('state') ?? ''
    const code = world.simulator.issueCode(app, both, 'page', `${origin}${installing.installReturnPath}`)
    expect(await other.caller.call(installing.finishInstall, { state, code })).toMatchObject({
      ...wrong,
      data: { status: 'install_again' },
    })
    await installed(other, app)
    expect([(await info(one)).bound, (await info(other)).bound?.corp_id]).toEqual([null, app.corp_id])
  })

  it('stops working when the suite was replaced or removed since', async () => {
    const [one, { app }] = [await head(), tenant('wecom')]
    await installed(one, app)
    const before = own.wecom
    const stores: Partial<typeof own> = own
    try {
      for (const now of [undefined, { ...before, id: 'wwsuite0009' }]) {
        Object.assign(stores, { wecom: now })
        expect(await one.caller.call(binding.checkPlatform)).toMatchObject({
          code: errorCodes.platform_refused.code,
          data: { code: 'no_suite' },
        })
      }
    } finally {
      own.wecom = before
    }
    expect(await one.caller.must(binding.checkPlatform)).toMatchObject({ ok: true })
  })

  it('binds a platform company to one local company, refuses the second, and keeps the first working', async () => {
    const [one, other, { app }] = [await head(), await head(), tenant('wecom')]
    await installed(one, app)
    const refused = await other.caller.call(installing.finishInstall, await there(await go(other, 'wecom'), app))
    expect(refused).toMatchObject({ ...wrong, data: { status: 'elsewhere' } })
    expect((await info(other)).bound).toBeNull()
    expect(await one.caller.must(binding.checkPlatform)).toMatchObject({ ok: true })
  })
})

describe('installation without a state', () => {
  it('keeps a WeCom installation waiting until the installing user claims it, and nobody else', async () => {
    const [one, other, { app, both, plain }] = [await head(), await head(), tenant('wecom')]
    const code = world.simulator.state.createTicket('wecom auth', app.corp_id, 600_000)
    await world.simulator.callbackSender.sendChange(app, { kind: 'app', action: 'enabled', code })
    await drain()
    const waiting = (await rows('platform_install')) as { corp_id: string; secret: Buffer | null; claimed_by: string | null }[]
    const row = waiting.find(({ corp_id }) => corp_id === app.corp_id)
    expect(row).toMatchObject({ claimed_by: null })
    expect(row?.secret?.includes(app.secret)).toBe(false)
    expect([(await info(one)).bound, (await info(other)).bound]).toEqual([null, null])
    const comes = async (who: Head, person: typeof both) => {
      const state = new URL(await go(who, 'wecom', 'claim')).searchParams.get('state') ?? ''
      const signed = world.simulator.issueCode(app, person, 'page', `${origin}${installing.installReturnPath}`)
      return who.caller.call(installing.finishInstall, { state, code: signed })
    }
    expect(await comes(other, plain)).toMatchObject({ ...wrong, data: { status: 'not_installer' } })
    expect(await comes(one, both)).toMatchObject({ code: 0, data: { corp_name: '示例科技' } })
    expect(await comes(other, both)).toMatchObject({ ...wrong, data: { status: 'elsewhere' } })
    // Installed again while it is bound: the new code belongs to the bound company.
    world.simulator.changeApp(app, { secret: 'permanent-of-later' })
    world.simulator.expireTokens('wecom')
    const again = world.simulator.state.createTicket('wecom auth', app.corp_id, 600_000)
    await world.simulator.issueTicket(suites.wecom)
    await world.simulator.callbackSender.sendChange(app, { kind: 'app', action: 'enabled', code: again })
    await drain()
    const stored = (await rows('platform_install')) as typeof waiting
    expect(stored.find(({ corp_id }) => corp_id === app.corp_id)).toMatchObject({ claimed_by: one.corp.company_id, secret: null })
    expect(await one.caller.must(binding.checkPlatform)).toMatchObject({ ok: true })
  })

  it('keeps a Lark installation waiting until the administrator named in its event claims it, and again after unbinding', async () => {
    const [one, { app, both, plain }] = [await head(), tenant('lark')]
    expect(await one.caller.call(installing.installPlatform, { provider: 'lark', mode: 'install' })).toMatchObject({
      ...wrong,
      data: { status: 'store_only' },
    })
    const comes = async (person: typeof both) => {
      const url = new URL(await go(one, 'lark', 'claim'))
      expect(url.searchParams.get('client_id')).toBe(own.lark.id)
      const code = world.simulator.issueCode(app, person, 'page', url.searchParams.get('redirect_uri') ?? '')
      return one.caller.call(installing.finishInstall, { state: url.searchParams.get('state') ?? '', code })
    }
    expect(await comes(both)).toMatchObject({ ...wrong, data: { status: 'not_installed' } })
    await world.simulator.callbackSender.sendChange(app, { kind: 'app', action: 'enabled' })
    await drain()
    expect(await comes(plain)).toMatchObject({ ...wrong, data: { status: 'not_installer' } })
    expect(await comes(both)).toMatchObject({ code: 0 })
    await carried(one)
    expect((await info(one)).bound).toMatchObject({ mode: 'store', corp_id: app.corp_id, users: { total: 3 } })
    // The company has only one administrator: the binding ends at once.
    await one.caller.must(binding.applyUnBindingPlatform, { reason: '换平台' })
    expect(await comes(both)).toMatchObject({ code: 0 })
  })
})

/** Builds the typed credentials of an application for a company key, which may belong to another company. */
const typed = ({ provider, app_id, agent_id, secret }: RegisteredApp, corp_id: string) => ({
  provider,
  corp_id,
  app_id,
  ...(provider === 'dingtalk' ? { agent_id } : {}),
  secret,
})
describe('ownership of a company key', () => {
  it("passes a company key for Lark from a stranger's binding to the company whose user signs in with its own application", async () => {
    const [outsider, real, third] = [await head(), await head(), await head()]
    const unread = { app: { permissions: ['contact:contact:readonly_as_app', 'contact:contact.base:readonly'] } }
    const [theirs, ours] = [chatCompany(world.simulator, 'lark', unread), chatCompany(world.simulator, 'lark', unread)]
    for (const { app } of [theirs, ours]) world.simulator.changeApp(app, { origin })
    const key = ours.corp_id
    expect(await outsider.caller.must(binding.bindPlatform, typed(theirs.app, key))).toMatchObject({
      status: 10,
      proof_url: null,
    })
    expect((await info(outsider)).bound).toMatchObject({ corp_id: key, is_verified: false })
    // The stranger's users can never prove that they belong to that company.
    const requested = await real.caller.must(binding.bindPlatform, typed(ours.app, key))
    expect(requested).toMatchObject({ status: 0 })
    const url = new URL(requested.proof_url ?? '')
    expect([url.searchParams.get('client_id'), url.searchParams.get('redirect_uri')]).toEqual([
      ours.app.app_id,
      `${origin}${installing.installReturnPath}`,
    ])
    const back = (state: string, one: typeof ours) => ({
      state,
      code: world.simulator.issueCode(one.app, one.both, 'page', `${origin}${installing.installReturnPath}`),
    })
    const state = url.searchParams.get('state') ?? ''
    expect(await third.caller.call(installing.finishInstall, back(state, ours))).toMatchObject({
      ...wrong,
      data: { status: 'state' },
    })
    expect([(await info(real)).bound, (await info(outsider)).bound?.corp_id]).toEqual([null, key])
    const another = await third.caller.must(binding.bindPlatform, typed(theirs.app, key))
    const accepted = { state: new URL(another.proof_url ?? '').searchParams.get('state') ?? '', code: back('', theirs).code }
    expect(await third.caller.call(installing.finishInstall, accepted)).toMatchObject({ code: errorCodes.platform_refused.code })
    expect(await real.caller.must(installing.finishInstall, back(state, ours))).toMatchObject({ status: 10 })
    expect((await info(real)).bound).toMatchObject({ corp_id: key, is_verified: true })
    const parted = await info(outsider)
    expect([parted.bound, parted.history[0]]).toMatchObject([null, { kind: 'unbound', by: '', detail: { why: 'displaced' } }])
    expect((await outsider.caller.must(getNotificationList)).list[0]).toMatchObject({
      kind: 'security',
      text: expect.stringContaining(key),
    })
    // Once ownership is proven, nobody else can bind the key.
    expect(await outsider.caller.call(binding.bindPlatform, typed(theirs.app, key))).toMatchObject({
      ...wrong,
      data: { status: 'elsewhere' },
    })
    expect(await real.caller.must(binding.checkPlatform)).toMatchObject({ ok: true })
    // The same key with another application must be proven again.
    await real.caller.must(binding.bindPlatform, typed(theirs.app, key))
    expect((await info(real)).bound).toMatchObject({ app_id: theirs.app.app_id, is_verified: false })
  })

  it("proves ownership for DingTalk by a token that only the company's own application receives", async () => {
    const [outsider, second, real] = [await head(), await head(), await head()]
    const [theirs, ours] = [chatCompany(world.simulator, 'dingtalk'), chatCompany(world.simulator, 'dingtalk')]
    const key = ours.corp_id
    // A company id that gets no token is refused, be it mistyped or a stranger's.
    expect(await second.caller.call(binding.bindPlatform, typed(theirs.app, key))).toMatchObject({
      code: errorCodes.platform_refused.code,
      message: expect.stringContaining('CorpId 不正确'),
    })
    const unanswered = () => world.simulator.addError({ provider: 'dingtalk', path: `/${key}/token`, kind: 'broken' })
    unanswered()
    const notified = await outsider.caller.must(binding.bindPlatform, typed(theirs.app, key))
    expect(notified).toMatchObject({ status: 10, issues: [{ area: 'credentials', blocking: false }] })
    expect((await info(outsider)).bound?.is_verified).toBe(false)
    expect(await outsider.caller.must(binding.checkPlatform)).toMatchObject({ ok: false })
    expect((await info(outsider)).bound?.is_verified).toBe(false)
    // Another stranger cannot claim the binding either.
    unanswered()
    expect(await second.caller.call(binding.bindPlatform, typed(theirs.app, key))).toMatchObject({
      ...wrong,
      message: expect.stringContaining('没有确认'),
      data: { status: 'elsewhere' },
    })
    expect(await real.caller.must(binding.bindPlatform, typed(ours.app, key))).toMatchObject({
      status: 10,
      proof_url: null,
      issues: [],
    })
    expect([(await info(outsider)).bound, (await info(real)).bound?.is_verified]).toEqual([null, true])
  })
  it('proves ownership for DingTalk on a later check if it was not proven while binding', async () => {
    const real = await head()
    const { app, corp_id } = chatCompany(world.simulator, 'dingtalk')
    world.simulator.addError({ provider: 'dingtalk', path: `/${corp_id}/token`, kind: 'broken' })
    await real.caller.must(binding.bindPlatform, typed(app, corp_id))
    expect((await info(real)).bound?.is_verified).toBe(false)
    expect(await real.caller.must(binding.checkPlatform)).toEqual({ ok: true, issues: [] })
    expect((await info(real)).bound?.is_verified).toBe(true)
  })

  it('proves ownership for Lark by an application that may read its tenant', async () => {
    const [outsider, real] = [await head(), await head()]
    const [theirs, ours] = [
      chatCompany(world.simulator, 'lark', {
        app: { permissions: ['contact:contact:readonly_as_app', 'contact:contact.base:readonly'] },
      }),
      chatCompany(world.simulator, 'lark'),
    ]
    await outsider.caller.must(binding.bindPlatform, typed(theirs.app, ours.corp_id))
    await carried(outsider)
    expect((await info(outsider)).bound).toMatchObject({ is_verified: false, users: { total: 3 } })
    expect(await real.caller.must(binding.bindPlatform, typed(ours.app, ours.corp_id))).toMatchObject({
      status: 10,
      proof_url: null,
    })
    expect([(await info(outsider)).bound, (await info(real)).bound?.is_verified]).toEqual([null, true])
    // The data read through it is deleted.
    const left = await world.database.inCompany(outsider.corp.company_id, (tx) =>
      tx.selectFrom('platform_user').select('id').where('company_id', '=', outsider.corp.company_id).execute(),
    )
    expect(left).toEqual([])
  })

  it('keeps the key for Lark with the first binding if it is proven while a second one tries', async () => {
    const [first, second] = [await head(), await head()]
    const unread = { app: { permissions: ['contact:contact:readonly_as_app', 'contact:contact.base:readonly'], origin } }
    const ours = chatCompany(world.simulator, 'lark', unread)
    const { app_id } = ours.app
    await first.caller.must(binding.bindPlatform, typed(ours.app, ours.corp_id))
    const requested = await second.caller.must(binding.bindPlatform, typed(ours.app, ours.corp_id))
    const state = new URL(requested.proof_url ?? '').searchParams.get('state') ?? ''
    const code = world.simulator.issueCode(ours.app, ours.both, 'page', `${origin}${installing.installReturnPath}`)
    const calls = () => world.simulator.calls.length
    const before = calls()
    world.simulator.addError({ provider: 'lark', path: '/contact/v3/scopes', kind: 'slow', ms: 3_000 })
    const proving = second.caller.call(installing.finishInstall, { state, code })
    await expect.poll(() => world.simulator.calls.slice(before).some((one) => one.endsWith('/contact/v3/scopes'))).toBe(true)
    await world.database.inCompany(first.corp.company_id, (tx) =>
      tx
        .updateTable('platform_app')
        .set({ proved_at: world.clock.now() })
        .where('company_id', '=', first.corp.company_id)
        .where('app_id', '=', app_id)
        .execute(),
    )
    expect(await proving).toMatchObject({ ...wrong, data: { status: 'elsewhere' } })
    expect([(await info(first)).bound?.corp_id, (await info(second)).bound]).toEqual([ours.corp_id, null])
  })
})

describe('DingTalk store', () => {
  it("receives a DingTalk installation as data rows, activates it by its event's code, and lets its administrator claim it", async () => {
    const [one, other] = [await head(), await head()]
    const { app, both, plain } = tenant('dingtalk', { activationCode: 'permanent-of-dingtalk' })
    const early = await one.caller.call(installing.installPlatform, { provider: 'dingtalk', mode: 'install' })
    expect(early).toMatchObject({ ...wrong, data: { status: 'store_only' } })
    await world.simulator.issueTicket(suites.dingtalk)
    const comes = async (who: Head, person: typeof both) => {
      const url = new URL(await go(who, 'dingtalk', 'claim'))
      expect([url.searchParams.get('client_id'), url.searchParams.get('corpId')]).toEqual([own.dingtalk.id, null])
      const code = world.simulator.issueCode(app, person, 'page', url.searchParams.get('redirect_uri') ?? '')
      return who.caller.call(installing.finishInstall, { state: url.searchParams.get('state') ?? '', code })
    }
    // Installed, but our server has not confirmed it yet: not even the returning user can be identified.
    expect(await comes(one, both)).toMatchObject({ code: errorCodes.platform_refused.code })
    const notified = await world.simulator.callbackSender.sendChange(app, { kind: 'app', action: 'enabled' })
    expect(notified?.message.plaintext).toContain('SYNC_HTTP_PUSH_HIGH')
    await drain()
    expect(await comes(other, plain)).toMatchObject({ ...wrong, data: { status: 'not_installer' } })
    expect(await comes(one, both)).toMatchObject({ code: 0, data: { corp_name: '示例科技' } })
    expect(await comes(other, both)).toMatchObject({ ...wrong, data: { status: 'elsewhere' } })
    await carried(one)
    expect((await info(one)).bound).toMatchObject({
      provider: 'dingtalk',
      mode: 'store',
      corp_id: app.corp_id,
      capabilities: { names: true, phones: false },
      users: { total: 3 },
    })
    world.simulator.addUser({ ...both, user_id: 'newcomer', name: '新人' })
    await world.simulator.callbackSender.waitForDeliveries()
    await drain()
    expect((await one.caller.must(binding.getSyncStatus)).sync).toMatchObject({ mode: 'incremental', state: 'done', created: 1 })
    world.clock.advance(60_000)
    await world.simulator.callbackSender.sendChange(app, { kind: 'app', action: 'removed' })
    await drain()
    const parted = await info(one)
    expect([parted.bound, parted.history[0]]).toMatchObject([null, { kind: 'unbound', detail: { why: 'platform' } }])
  })
})

describe('platform events after the installation', () => {
  it('triggers another sync of users and range for platform events, and ends only the affected company, once', async () => {
    const [one, other, current, theirs] = [await head(), await head(), tenant('wecom'), tenant('wecom')]
    await installed(one, current.app)
    await installed(other, theirs.app)
    await carried(one)
    const { simulator } = world
    simulator.addUser({ ...current.both, user_id: 'newcomer', name: '新人' })
    await simulator.callbackSender.waitForDeliveries()
    await drain()
    expect((await one.caller.must(binding.getSyncStatus)).sync).toMatchObject({ mode: 'incremental', state: 'done', created: 1 })
    simulator.changeApp(current.app, { range: { department_ids: ['2'], user_ids: [] } })
    await simulator.callbackSender.waitForDeliveries()
    await drain()
    expect((await info(one)).bound?.visible_range).toMatchObject({ whole: false, departments: 1 })
    world.clock.advance(60_000)
    const message = await simulator.callbackSender.sendChange(current.app, { kind: 'app', action: 'removed' })
    await drain()
    const parted = await info(one)
    expect([parted.status, parted.bound]).toEqual([0, null])
    expect(parted.history[0]).toMatchObject({ kind: 'unbound', detail: { why: 'platform' } })
    expect((await info(other)).bound?.corp_id).toBe(theirs.app.corp_id)
    const left = await world.database.inCompany(one.corp.company_id, (tx) =>
      tx.selectFrom('platform_user').select('id').where('company_id', '=', one.corp.company_id).execute(),
    )
    expect(left).toEqual([])
    // After a new installation, the earlier end event is repeated and has no effect.
    await installed(one, current.app)
    if (!message) throw new Error('nothing was told')
    const { url, headers = {}, body = '' } = message.message
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
    world.simulator.state.clockOffsetMs = -90_000
    await simulator.callbackSender.sendChange(current.app, { kind: 'app', action: 'removed' })
    world.simulator.state.clockOffsetMs = 0
    await drain()
    expect((await info(one)).bound?.corp_id).toBe(current.app.corp_id)
  })

  it("does not end the company's own application for events that concern our store application", async () => {
    const [one, { app, corp_id }] = [await head(), tenant('wecom')]
    const typedOne = world.simulator.addApp({
      ...app,
      app_id: '1900001',
      agent_id: '1900001',
      secret: 'secret-of-its-own',
      suite: undefined,
    })
    const { agent_id, secret } = typedOne
    await one.caller.must(binding.bindPlatform, { provider: 'wecom', corp_id, agent_id, secret })
    await drain()
    const code = world.simulator.state.createTicket('wecom auth', corp_id, 600_000)
    await world.simulator.callbackSender.sendChange(app, { kind: 'app', action: 'enabled', code })
    await drain()
    world.clock.advance(60_000)
    await world.simulator.callbackSender.sendChange(app, { kind: 'app', action: 'removed' })
    await drain()
    const removed = (await rows('platform_install')) as { corp_id: string }[]
    expect(removed.find((row) => row.corp_id === corp_id)).toBeUndefined()
    expect((await info(one)).bound).toMatchObject({ mode: 'self_built', corp_id })
  })

  it('refuses platform events before anything is stored when forged, of another suite, or at another address', async () => {
    const { app } = tenant('wecom')
    const before = [await rows('platform_install'), await rows('platform_install_event')]
    const forged: [string, Partial<RegisteredSuite['callback'] & object>, string][] = [
      ['another key', { aes_key: '0'.repeat(43) }, own.wecom.id],
      ['another token', { token: 'another' }, own.wecom.id],
      ['another suite', {}, 'wwsuite0002'],
      ['a company of its own', {}, app.corp_id],
    ]
    for (const [name, change, id] of forged) {
      const callback = { url: address('wecom'), ...keys, ...change }
      const suite = { ...suites.wecom, id, callback }
      const notified = await world.simulator.callbackSender.sendChange(suite, { kind: 'ticket', ticket: 'forged' })
      expect([name, notified?.status]).toEqual([name, 403])
    }
    const end = world.simulator.callbackSender.createMessage(app, { kind: 'app', action: 'removed' })
    const post = (url: string) => fetch(url, { method: 'POST', headers: { ...end?.headers }, body: end?.body ?? '' })
    const query = new URL(end?.url ?? '').search
    expect((await post(`${address('lark')}${query}`)).status).toBe(403)
    expect((await post(`${address('dingtalk')}${query}`)).status).toBe(403)
    expect([await rows('platform_install'), await rows('platform_install_event')]).toEqual(before)
  })
})

it('deletes an installation that nobody has claimed for a month', async () => {
  const waiting = tenant('lark')
  const { simulator } = world
  await simulator.callbackSender.sendChange(waiting.app, { kind: 'app', action: 'enabled' })
  await drain()
  const loadStored = async () =>
    ((await rows('platform_install')) as { corp_id: string }[]).some(({ corp_id }) => corp_id === waiting.corp_id)
  const another = async () => {
    await simulator.callbackSender.sendChange(tenant('lark').app, { kind: 'app', action: 'enabled' })
    await drain()
  }
  world.clock.advance(29 * 86_400_000)
  await simulator.issueTicket(suites.lark)
  await another()
  expect(await loadStored()).toBe(true)
  world.clock.advance(2 * 86_400_000)
  await simulator.issueTicket(suites.lark)
  await another()
  expect(await loadStored()).toBe(false)
})
