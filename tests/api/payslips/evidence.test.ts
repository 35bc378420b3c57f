/**
 * The access log: sign-ins, failed attempts and sign-outs of every kind; who read employees' questions about their pay.
 * Refusals first.
 */
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SimulatedUser as Colleague } from '../../../platform/simulator/index.ts'
import * as platform from '../../../server/contract/auth/platform-sign-in.ts'
import * as profile from '../../../server/contract/auth/profile.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import type { Call } from '../../../server/contract/call.ts'
import * as invite from '../../../server/contract/invites/invite.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as feedback from '../../../server/contract/payslips/feedback.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import { createClient, lastCode, type TestClient } from '../../support/callers/visitor.ts'
import { origin, type PlatformWorld, startPlatformWorld } from '../../support/outside/platform.ts'
import { asOwner } from '../../support/run/database.ts'
import type { Corp, Person, PersonOptions } from '../../support/world.ts'

let world: PlatformWorld
let corp: Corp
let hash = ''
const password = '白日依山尽 2026'
beforeAll(async () => {
  world = await startPlatformWorld()
  corp = await world.createCompany()
  hash = await hashPassword(password)
})
afterAll(() => world.close())

async function someone(options: PersonOptions = { power: ['4'] }): Promise<Person> {
  const person = await corp.person(options)
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash: hash }).where('id', '=', person.account_id).execute(),
  )
  return person
}
type Line = {
  call: string
  outcome: string
  account_id: string | null
  company_id: string | null
  details: object
  device: string
}
/** Returns the entries of this account or phone, oldest first. */
async function getLines({ account_id, mobile }: { account_id?: string; mobile?: string }): Promise<Line[]> {
  const mac = mobile ? world.secrets.mac('sign-in line', mobile) : null
  const text = `select call, outcome, account_id, company_id, details, device from sign_in_log_entry
    where account_id = $1 or phone_mac = $2 order by id`
  return asOwner({ owner: world.owner }, async (client) => (await client.query<Line>(text, [account_id ?? null, mac])).rows)
}
const format = (lines: readonly Line[]) => lines.map((one) => `${one.call.split('/').at(-1)} ${one.outcome}`)
async function codeFor(from: TestClient, phone: string, type: 'login' | 'invite'): Promise<{ sms: string; code: string }> {
  const requested = await from.call(account.getVerifyCode, { phone, type })
  return { sms: requested.data.sms, code: await lastCode(world, phone) }
}

describe('a log entry for every sign-in attempt', () => {
  it('writes a log entry for a password sign-in that is refused, of an unknown phone, or successful', async () => {
    const person = await someone()
    const [browser, outsider] = [createClient(world), '13700009911']
    await browser.call(account.login, { phone: outsider, password })
    await browser.call(account.login, { phone: person.mobile, password: 'wrong' })
    await browser.call(account.login, { phone: person.mobile, password }, { 'user-agent': 'a browser' })
    expect(format(await getLines({ mobile: outsider }))).toEqual(['login wrong_password'])
    const lines = await getLines(person)
    expect(format(lines)).toEqual(['login wrong_password', 'login done'])
    expect(lines[1]).toMatchObject({ account_id: person.account_id, company_id: corp.company_id, device: 'a browser' })
    expect(JSON.stringify([lines, await getLines({ mobile: outsider })])).not.toMatch(/13700009911|wrong"|2026/)
  })

  it('writes no log entries beyond the rate limit, so that a flood does not fill the log', async () => {
    const person = await someone()
    for (let attempts = 0; attempts < 13; attempts += 1)
      await createClient(world).call(account.login, { phone: person.mobile, password: `wrong ${attempts}` })
    expect(format(await getLines(person))).toEqual(Array.from({ length: 10 }, () => 'login wrong_password'))
  })

  it('writes a log entry for a sign-in with a code, and for the sign-out', async () => {
    const [person, browser] = [await someone({}), createClient(world)]
    const { sms, code } = await codeFor(browser, person.mobile, 'login')
    const wrong = code === '000000' ? '000001' : '000000'
    await browser.call(account.loginByCode, { phone: person.mobile, code: wrong, sms })
    expect((await browser.call(account.loginByCode, { phone: person.mobile, code, sms })).code).toBe(0)
    await browser.call(account.logout)
    const lines = await getLines(person)
    expect(format(lines)).toEqual(['loginByCode wrong_code', 'loginByCode done', 'logout done'])
    expect(lines.map((one) => one.account_id)).toEqual([null, person.account_id, person.account_id])
  })

  it('writes a log entry for a second factor that is requested, refused or verified', async () => {
    const [person, browser] = [await someone(), createClient(world)]
    const now = () => world.clock.now().getTime()
    await browser.call(account.login, { phone: person.mobile, password })
    const { secret } = (await browser.call(profile.startTotp, { password })).data
    await browser.call(profile.confirmTotp, { code: new TOTP({ secret }).generate({ timestamp: now() }) })
    world.clock.advance(30_000)
    const other = createClient(world)
    const factor_token = (await other.call(account.login, { phone: person.mobile, password })).data.factor_token ?? ''
    const far = new TOTP({ secret }).generate({ timestamp: now() + 300_000 })
    await other.call(account.checkTotp, { factor_token, code: far })
    await other.call(account.checkTotp, { factor_token, code: new TOTP({ secret }).generate({ timestamp: now() }) })
    await other.call(profile.endSession, { all_others: true })
    const lines = (await getLines(person)).slice(1)
    expect(format(lines)).toEqual(['login done', 'checkTotp wrong_code', 'checkTotp done', 'endSession done'])
    expect(lines.map((one) => 'asked' in one.details)).toEqual([true, false, false, false])
  })

  it('writes a log entry for a chat platform sign-in of an unknown and a known user', async () => {
    const person = await someone({})
    const app = await world.bind(corp, 'lark', 'tenant-evidence')
    const add = (user_id: string): Colleague =>
      world.simulator.addUser({ provider: 'lark', corp_id: 'tenant-evidence', user_id, name: '张三' })
    const [existing, unknown] = [add('ou_known'), add('ou_unknown')]
    await world.join(existing, person)
    const comeIn = async (one: Colleague) => {
      const browser = createClient(world)
      const left = await world.product.app.inject({ url: platform.authorizeCalls.lark.path, query: { corp: 'tenant-evidence' } })
      for (const { name, value } of left.cookies) browser.cookies.set(name, value)
      const state = new URL(String(left.headers.location), origin).searchParams.get('state') ?? ''
      const code = world.simulator.issueCode(app, one, 'page', `${origin}/entry`)
      return browser.call(platform.loginByPlatform, { provider: 'lark', code, state })
    }
    expect((await comeIn(unknown)).code).toBe(100404)
    expect((await comeIn(existing)).code).toBe(0)
    expect(format(await getLines(person))).toEqual(['loginByPlatform done'])
    const all = await asOwner({ owner: world.owner }, (client) =>
      client.query<Line>(`select outcome, details from sign_in_log_entry where call like '%loginByPlatform' order by id`),
    )
    expect(all.rows.map((one) => [one.outcome, one.details])).toMatchObject([
      ['not_found', { provider: 'lark' }],
      ['done', { provider: 'lark' }],
    ])
  })

  it('writes a log entry for an invite', async () => {
    const keeper = await world.signIn(await corp.person({ power: ['3'] }))
    const person = await corp.person({ joined: false })
    await keeper.must(invite.sendInviteCode, { member_ids: [person.member_id] })
    await world.product.jobs.drain()
    const sent = (await world.outbox()).findLast((one) => one.mobile === person.mobile)
    const code = /code=([\w-]+)/.exec(sent?.text ?? '')?.[1] ?? ''
    const browser = createClient(world)
    const { sms, code: verify_code } = await codeFor(browser, person.mobile, 'invite')
    const proof = { phone: person.mobile, sms, verify_code, password }
    expect((await browser.call(invite.acceptInvite, { ...proof, code: `${code.slice(0, -2)}xx` })).code).toBe(100404)
    expect((await browser.call(invite.acceptInvite, { ...proof, code })).code).toBe(0)
    expect(format(await getLines({ mobile: person.mobile }))).toEqual(['acceptInvite not_found', 'acceptInvite done'])
  })

  it('writes a log entry for the selection among several companies', async () => {
    const [person, second, browser] = [await someone(), await world.createCompany(), createClient(world)]
    await second.person({ same_as: person })
    await browser.call(account.login, { phone: person.mobile, password })
    await browser.call(account.selectCorp, { corp_id: (await world.createCompany()).company_id })
    await browser.call(account.selectCorp, { corp_id: second.company_id })
    const lines = await getLines(person)
    expect(format(lines)).toEqual(['login done', 'selectCorp not_found', 'selectCorp done'])
    expect(lines.map((one) => one.company_id)).toEqual([null, null, second.company_id])
  })

  it('lets the application insert access log entries but not read, change or remove them', async () => {
    const attempts = [
      () => world.database.withoutCompany((tx) => tx.selectFrom('sign_in_log_entry').select('id').execute()),
      () => world.database.withoutCompany((tx) => tx.updateTable('sign_in_log_entry').set({ outcome: 'done' }).execute()),
      () => world.database.withoutCompany((tx) => tx.deleteFrom('sign_in_log_entry').execute()),
    ]
    for (const one of attempts) await expect(one()).rejects.toThrow(/permission denied/)
  })
})

describe('a log entry for every access', () => {
  const getAudit = (person: Person, call: Call) =>
    world.database.inCompany(corp.company_id, (tx) =>
      tx
        .selectFrom('audit_log_entry')
        .select('outcome')
        .where('account_id', '=', person.account_id)
        .where('call', '=', call.route)
        .orderBy('id')
        .execute(),
    )
  it('writes a log entry for the feedback list, which shows amounts, allowed or refused', async () => {
    const [payer, other] = [await corp.person({ power: ['2'] }), await corp.person({ power: ['3'] })]
    await (await world.signIn(payer)).must(feedback.getFeedBackList)
    expect(await getAudit(payer, feedback.getFeedBackList)).toEqual([{ outcome: 'done' }])
    await (await world.signIn(payer)).call(feedback.getFeedBackDetail, { id: payer.member_id })
    expect(await getAudit(payer, feedback.getFeedBackDetail)).toEqual([{ outcome: 'not_found' }])
    await (await world.signIn(other)).call(feedback.getFeedBackList)
    expect(await getAudit(other, feedback.getFeedBackList)).toEqual([{ outcome: 'not_permitted' }])
  })

  it('writes a log entry when an employee opens payslips with a password, refused or successful', async () => {
    const person = await someone({})
    const caller = await world.signIn(person)
    await caller.call(employee.unlock, { password: 'wrong' })
    await caller.must(employee.unlock, { password })
    expect(await getAudit(person, employee.unlock)).toEqual([{ outcome: 'wrong_password' }, { outcome: 'done' }])
  })
})
