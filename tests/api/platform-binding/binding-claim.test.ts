/** A platform account that is matched to one member is signed in to with another member's phone: nobody is exchanged silently. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RegisteredApp, SimulatedUser } from '../../../platform/simulator/index.ts'
import * as contract from '../../../server/contract/auth/platform-sign-in.ts'
import * as profile from '../../../server/contract/auth/profile.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { getNotificationList } from '../../../server/contract/notifications/notifications.ts'
import * as binding from '../../../server/contract/platform-binding/binding.ts'
import { codesSent, createClient, lastCode, type TestClient } from '../../support/callers/visitor.ts'
import { origin, type PlatformWorld, startPlatformWorld } from '../../support/outside/platform.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

const app = {
  provider: 'lark' as const,
  corp_id: 'tenant-claim',
  app_id: 'cli_claim000001',
  agent_id: '',
  secret: 'secret-of-the-company',
}
let world: PlatformWorld
let corp: Corp
let head: Caller
let zheng: Person
let lin: Person
let zhengUser: SimulatedUser
let linUser: SimulatedUser
let registered: RegisteredApp

const addUser = (user_id: string, name: string, mobile: string) =>
  world.simulator.addUser({ provider: 'lark', corp_id: app.corp_id, user_id, name, mobile })

beforeAll(async () => {
  world = await startPlatformWorld()
  corp = await world.createCompany({ provider: null })
  head = await world.signIn(await corp.person({ name: '沈知遥', power: ['1'] }))
  zheng = await corp.person({ name: '郑景行' })
  lin = await corp.person({ name: '林予安' })
  registered = world.simulator.addApp({ ...app, origin })
  zhengUser = addUser('ou_zheng', '郑景行', zheng.mobile)
  linUser = addUser('ou_lin', '林予安', lin.mobile)
  await head.must(binding.bindPlatform, { ...app, agent_id: undefined })
  await sync()
})
afterAll(() => world.close())

async function sync(): Promise<void> {
  const drain = () => world.product.jobs.drain()
  await drain()
  const { sync: latest } = await head.must(binding.getSyncStatus)
  if (latest?.state === 'held') await head.must(binding.applySync, { sync_id: latest.sync_id })
  else await head.must(binding.applySync, {})
  await drain()
}

/** Signs in on the platform's page as this user. */
async function signIn(browser: TestClient, user: SimulatedUser) {
  const left = await world.product.app.inject({
    method: 'GET',
    url: contract.authorizeCalls.lark.path,
    query: { corp: app.corp_id },
    headers: Object.fromEntries([...browser.cookies].map(([name, value]) => ['cookie', `${name}=${value}`])),
  })
  for (const { name, value } of left.cookies) browser.cookies.set(name, value)
  const state = new URL(String(left.headers.location), origin).searchParams.get('state') ?? ''
  const code = world.simulator.issueCode(registered, user, 'page', `${origin}/entry`)
  return browser.call(contract.loginByPlatform, { provider: 'lark', code, state })
}

/** Signs in as the platform user and proves this member's phone. */
async function claim(user: SimulatedUser, { mobile: phone }: Person) {
  world.clock.advance(61_000)
  const browser = createClient(world)
  const { binding_token } = (await signIn(browser, user)).data as unknown as { binding_token: string }
  const before = await codesSent(world, phone)
  const { data } = await browser.call(account.getVerifyCode, { phone, type: 'login' })
  const code = await lastCode(world, phone, before)
  const answer = await browser.call(contract.bindAccount, { binding_token, phone, code, sms: data.sms })
  return { browser, answer }
}
const list = (kind: binding.CombineKind) => head.must(binding.getCorpCombineInfo, { kind })
const securityTexts = async () =>
  (await head.must(getNotificationList, {})).list.filter(({ kind }) => kind === 'security').map(({ text }) => text)

describe('a platform account that is matched to another member', () => {
  it('is refused, waits as a conflict for an administrator, and cuts nobody off', async () => {
    expect((await list('same')).counts).toMatchObject({ same: 2, conflict: 0 })
    expect((await claim(linUser, lin)).answer.code).toBe(0)

    const { answer } = await claim(zhengUser, lin)
    expect(answer).toMatchObject({ code: errorCodes.wrong_state.code, data: { status: 'claimed' } })
    expect(answer.message).toContain('人员核对')
    // The owner still signs in with the own platform account.
    expect((await signIn(createClient(world), linUser)).code).toBe(0)

    const { counts, conflicts } = await list('conflict')
    expect(counts).toMatchObject({ conflict: 1 })
    expect(conflicts).toMatchObject([
      {
        platform_user: { platform_user_id: 'ou_zheng' },
        reason: 'claimed',
        candidates: [{ name: '郑景行' }, { name: '林予安' }],
      },
    ])
    const texts = await securityTexts()
    expect(texts).toHaveLength(1)
    expect(texts[0]).toContain('郑景行')
    expect(texts[0]).toContain('林予安')
  })

  it('stays a conflict over later syncs, until an administrator decides', async () => {
    await sync()
    expect((await list('conflict')).counts).toMatchObject({ conflict: 1 })
    await head.must(binding.combinePlatform, {
      decisions: [{ platform_user_id: 'ou_zheng', member_id: zheng.member_id }],
    })
    expect((await claim(zhengUser, zheng)).answer.code).toBe(0)
    expect((await list('conflict')).counts).toMatchObject({ conflict: 0, same: 2 })
  })
})

describe('a second platform account of the same member', () => {
  it('replaces the first one, which is told', async () => {
    const second = addUser('ou_lin_new', '', '')
    expect((await claim(second, lin)).answer.code).toBe(0)
    await world.product.jobs.drain()
    const texts = world.simulator.state.inbox
      .listVisibleTo(app.corp_id, 'ou_lin')
      .map(({ card }) => card.lines.join('') + card.title)
    expect(texts.join()).toContain('换成了另一个办公平台账号')
  })
})

describe('own platform accounts', () => {
  it('are listed, and a relation that the user ends no longer signs in', async () => {
    const { browser } = await claim(addUser('ou_third', '', ''), await corp.person({ name: '何田田' }))
    const { list: own } = (await browser.call(profile.getPlatformAccounts, {})).data
    expect(own).toMatchObject([{ provider: 'lark', account: 'ou_third' }])
    expect((await browser.call(profile.unlinkPlatformAccount, { provider: 'lark', account: 'ou_third' })).code).toBe(0)
    expect((await browser.call(profile.getPlatformAccounts, {})).data.list).toEqual([])
    expect((await signIn(createClient(world), { ...linUser, user_id: 'ou_third' })).code).toBe(100_404)
  })
})
