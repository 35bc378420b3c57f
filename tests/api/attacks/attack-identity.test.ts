/**
 * Misidentification: reassigned phones, phones written into the roster by others, a roster that changes between plan
 * and send.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import * as role from '../../../server/contract/access/administrators.ts'
import * as approval from '../../../server/contract/approvals/approvals.ts'
import * as profile from '../../../server/contract/auth/profile.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as invite from '../../../server/contract/invites/invite.ts'
import * as notifications from '../../../server/contract/notifications/notifications.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import { codesSent, createClient, lastCode, type TestClient } from '../../support/callers/visitor.ts'
import { demoWorld } from '../../support/demo.ts'
import { deliveries, makeBatch, salaries, send, slip_segments, smsLeft } from '../../support/slips.ts'
import { type Caller, type Corp, type Person } from '../../support/world.ts'

let hash = ''
const old_password = '姑苏城外寒山寺 2'
const new_password = '夜半钟声到客船 3'
const world = demoWorld(true)
beforeAll(async () => {
  hash = await hashPassword(old_password)
})

const { not_found, other_holder, signed_out, unconfirmed_holder, wrong_code, wrong_password, wrong_state, not_permitted } =
  errorCodes
let number = 0
const mobile = () => `1390000${String(++number).padStart(4, '0')}`
const later = (seconds: number) => world.clock.advance(seconds * 1000)

async function withPassword(person: Person): Promise<Person> {
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash: hash }).where('id', '=', person.account_id).execute(),
  )
  return person
}
async function codeFor(browser: TestClient, phone: string, type: 'login' | 'invite' | 'resetpwd' | 'view' | 'changephone') {
  later(61)
  const before = await codesSent(world, phone)
  const { sms } = (await browser.call(account.getVerifyCode, { phone, type })).data
  return { sms, code: await lastCode(world, phone, before) }
}
async function byCode(
  phone: string,
  more: { password?: string; is_new_owner?: boolean; holder_name?: string } = {},
  browser = createClient(world),
) {
  const answer = await browser.call(account.loginByCode, { phone, ...(await codeFor(browser, phone, 'login')), ...more })
  return { browser, answer, corps: answer.code === 0 ? answer.data.corps.map((corp) => corp.name) : [] }
}
async function invited(keeper: Caller, member_id: string, phone: string, more: { password?: string; next_holder?: boolean }) {
  await keeper.must(invite.sendInviteCode, { member_ids: [member_id] })
  await world.product.jobs.drain()
  const text = (await world.outbox()).filter((one) => one.mobile === phone && one.text.includes('code=')).at(-1)?.text ?? ''
  const link = /code=([\w-]+)/.exec(text)?.[1] ?? ''
  const browser = createClient(world)
  const { sms, code } = await codeFor(browser, phone, 'invite')
  const request = { code: link, phone, sms, verify_code: code }
  return { browser, request, answer: await browser.call(invite.acceptInvite, { ...request, ...more }) }
}
const getRow = (corp: Corp, id: string) =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx
      .selectFrom('member')
      .select(['account_id', 'status', 'unconfirmed_at', 'mobile'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow(),
  )
/** Sends this member a payslip in a batch of a payroll administrator of their company. */
async function paid(corp: Corp, person: Person) {
  const payer = await corp.person({ power: ['2'] })
  const caller = await world.signIn(payer)
  const batch_id = await makeBatch(world, payer, [person])
  await send(caller, batch_id)
  await world.product.jobs.drain()
  return { payer, caller, batch_id, slip_id: (await salaries(world, corp, batch_id))[0]?.id ?? '' }
}
/** Returns whether a message concerns a payslip of any kind. */
const isSlip = ({ text }: { text: string }): boolean => text.includes('/s/') || text.includes('/m/slip/')
const getSlips = async (browser: TestClient) => {
  const answer = await browser.call(employee.getSlipList, {})
  return answer.code === 0 ? answer.data.list.map((one) => one.slip_id) : answer.code
}

describe('reassigned phone number', () => {
  /** 老赵 works at 旧东家 and at 另一家; he leaves the first one, whose next clerk 小钱 gets his phone. */
  async function passedOn(options: { both: boolean }) {
    const [context, there] = [await world.createCompany({ name: '旧东家' }), await world.createCompany({ name: '另一家' })]
    const keeper = await world.signIn(await context.person({ power: ['4'] }))
    const person = await withPassword(await context.person({ name: '老赵', mobile: mobile() }))
    const second = options.both ? await there.person({ name: '老赵', same_as: person }) : null
    const run = second ? await paid(there, second) : null
    const own = createClient(world)
    await own.call(account.login, { phone: person.mobile, password: old_password })
    await keeper.must(member.clearMember, { id: person.member_id })
    const { id } = await keeper.must(member.insertMember, { name: '小钱', mobile: person.mobile })
    return { context, there, keeper, person, second, run, next_id: id, phone: person.mobile, own }
  }

  it("accepts the new hire's password, opens none of the former owner's data, and keeps the other company closed", async () => {
    const { context, there, keeper, person, second, run, next_id, phone } = await passedOn({ both: true })
    const head = await world.signIn(await there.person({ power: ['4'] }))
    const first = await invited(keeper, next_id, phone, { password: new_password })
    expect(first.answer).toMatchObject({ code: other_holder.code, data: { field: 'password' } })
    expect(await getRow(context, next_id)).toMatchObject({ account_id: null, status: 'invited' })
    const answer = await first.browser.call(invite.acceptInvite, { ...first.request, password: new_password, next_holder: true })
    expect([answer.code, answer.data.corps.map((corp) => corp.name)]).toEqual([0, ['旧东家']])
    expect((await first.browser.call(employee.getCurrentEmployee)).data).toMatchObject({
      name: '小钱',
      corps: [{ name: '旧东家' }],
    })
    await world.product.jobs.drain()

    const current = await paid(context, { ...person, member_id: next_id, name: '小钱' })
    expect(await getSlips(first.browser)).toEqual([current.slip_id])
    expect((await createClient(world).call(account.login, { phone, password: old_password })).code).toBe(wrong_password.code)
    expect(
      (await createClient(world).call(account.login, { phone, password: new_password })).data.corps.map((one) => one.name),
    ).toEqual(['旧东家'])
    // The new owner never learns of the other company or sees anything of it, neither now nor with another code.
    expect((await byCode(phone)).corps).toEqual(['旧东家'])
    expect((await first.browser.call(employee.getSlip, { slip_id: run?.slip_id ?? '' })).code).toBe(not_found.code)
    expect(await getRow(there, second?.member_id ?? '')).toMatchObject({ account_id: null, unconfirmed_at: expect.any(Date) })
    const again = await makeBatch(world, run?.payer ?? person, [second as Person], { month: '2026-11' })
    expect(await run?.caller.call(slip.sendPaySheet, { batch_id: again })).toMatchObject({ code: wrong_state.code })
    expect((await head.must(notifications.getNotificationList, {})).list[0]?.text).toContain('已换人使用')
  })

  it('asks no extra question about a reassigned phone if nothing can be lost', async () => {
    const { keeper, next_id, phone } = await passedOn({ both: false })
    const { answer, browser } = await invited(keeper, next_id, phone, { password: new_password })
    expect([answer.code, answer.data.corps.length]).toEqual([0, 1])
    expect((await browser.call(employee.getCurrentEmployee)).data.name).toBe('小钱')
    expect((await createClient(world).call(account.login, { phone, password: old_password })).code).toBe(wrong_password.code)
    expect((await createClient(world).call(account.login, { phone, password: new_password })).code).toBe(0)
  })

  it('opens nothing by a code, a new password or a registration before the new hire has registered', async () => {
    const { phone, person } = await passedOn({ both: true })
    expect((await byCode(phone)).answer.code).toBe(other_holder.code)
    expect((await byCode(phone, { password: '不是这个密码 9' })).answer.code).toBe(other_holder.code)
    const browser = createClient(world)
    const proof = await codeFor(browser, phone, 'resetpwd')
    const { token } = (await browser.call(account.validatePhoneCode, { phone, ...proof })).data
    const reset = { type: 'resetpwd' as const, phone, token, newpass: new_password, confirm_password: new_password }
    expect((await browser.call(account.updatePassword, reset)).code).toBe(other_holder.code)
    expect((await createClient(world).call(account.login, { phone, password: new_password })).code).toBe(wrong_password.code)
    // Until the user states that they are the new owner, the account remains with the previous one.
    expect((await createClient(world).call(account.login, { phone, password: old_password })).code).toBe(0)
    expect((await browser.call(account.updatePassword, { ...reset, is_new_owner: true })).code).toBe(0)
    expect((await createClient(world).call(account.login, { phone, password: old_password })).code).toBe(wrong_password.code)
    expect(
      (await createClient(world).call(account.login, { phone, password: new_password })).data.corps.map((one) => one.name),
    ).toEqual(['旧东家'])
    const parted = await world.database.withoutCompany((tx) =>
      tx
        .selectFrom('account')
        .select(['mobile', 'former_mobile', 'generation'])
        .where('id', '=', person.account_id)
        .executeTakeFirstOrThrow(),
    )
    expect(parted).toEqual({ mobile: null, former_mobile: phone, generation: 1 })
  })

  it('leaves the sessions, second factor and chat account with the former owner of the phone', async () => {
    const { phone, person, own, next_id, context } = await passedOn({ both: true })
    await world.database.withoutCompany(async (tx) => {
      const identity = { provider: 'lark', corp_id: `c-${phone}`, user_id: 'ou_1', account_id: person.account_id }
      await tx
        .insertInto('platform_identity')
        .values({ ...identity, created_at: world.clock.now() })
        .execute()
    })
    const half = world.caller(own.token ?? '', Object.fromEntries(own.cookies))
    expect((await half.call(account.getAvailableCorps)).code).toBe(0)
    const { corps } = await byCode(phone, { is_new_owner: true })
    expect(corps).toEqual(['旧东家'])
    expect(await half.call(account.getAvailableCorps)).toMatchObject({
      code: signed_out.code,
      message: expect.stringContaining('已换人使用'),
    })
    const next = (await getRow(context, next_id)).account_id
    const all = await world.database.withoutCompany((tx) =>
      tx.selectFrom('platform_identity').select('account_id').where('corp_id', '=', `c-${phone}`).execute(),
    )
    expect(all).toEqual([{ account_id: person.account_id }])
    const fresh = await world.database.withoutCompany((tx) =>
      tx
        .selectFrom('account')
        .select(['password_hash', 'totp_on', 'generation'])
        .where('id', '=', next)
        .executeTakeFirstOrThrow(),
    )
    expect(fresh).toEqual({ password_hash: null, totp_on: null, generation: 2 })
  })

  it("treats a user with the former owner's password as the former owner, without access to the successor's row", async () => {
    const { context, next_id, phone } = await passedOn({ both: false })
    await byCode(phone, { password: old_password })
    expect(await getRow(context, next_id)).toMatchObject({ account_id: null, status: 'invited' })
  })

  it('reveals nothing about a reassigned phone without a code', async () => {
    const { phone } = await passedOn({ both: true })
    const browser = createClient(world)
    const { sms, code } = await codeFor(browser, phone, 'login')
    const wrong = code === '000000' ? '000001' : '000000'
    expect((await browser.call(account.loginByCode, { phone, sms, code: wrong })).code).toBe(wrong_code.code)
    expect((await browser.call(account.loginByCode, { phone, sms, code: wrong, is_new_owner: true })).code).toBe(wrong_code.code)
    expect((await createClient(world).call(account.loginByCode, { phone, sms, code, is_new_owner: true })).code).toBe(
      wrong_code.code,
    )
    expect((await createClient(world).call(account.login, { phone, password: old_password })).code).toBe(0)
  })

  it('returns everything to the rightful owner with a new phone entered by the company and the previous password', async () => {
    const { there, phone, second, run } = await passedOn({ both: true })
    await byCode(phone, { is_new_owner: true })
    await world.product.jobs.drain()
    const keeper = await world.signIn(await there.person({ power: ['3'] }))
    // The current owner of the phone is not contacted about another person's company.
    expect(await keeper.must(invite.sendInviteCode, { member_ids: [second?.member_id ?? ''] })).toEqual({
      queued: { platform: 0, sms: 0 },
      skipped: 1,
    })
    const fresh = mobile()
    await keeper.must(member.editMemberInfo, { id: second?.member_id ?? '', mobile: fresh })
    const { browser, corps } = await byCode(fresh)
    expect(corps).toEqual(['另一家'])
    expect(await getSlips(browser)).toBe(unconfirmed_holder.code)
    // The old phone belongs to another user by now: its codes confirm nobody.
    const proof = { phone, ...(await codeFor(browser, phone, 'view')) }
    expect(await browser.call(employee.confirmPhoneOwner, proof)).toMatchObject({
      code: wrong_state.code,
      data: { status: 'passed_on' },
    })
    expect((await browser.call(employee.confirmPhoneOwner, { password: old_password })).code).toBe(0)
    expect(await getSlips(browser)).toEqual([run?.slip_id])
  })
})

describe('user who changes employers or has two', () => {
  it('keeps the account of a user with an existing password at a new employer', async () => {
    const [old, next] = [await world.createCompany({ name: '甲厂' }), await world.createCompany({ name: '乙厂' })]
    const person = await withPassword(await old.person({ name: '孙工', mobile: mobile() }))
    await (await world.signIn(await old.person({ power: ['4'] }))).must(member.clearMember, { id: person.member_id })
    const keeper = await world.signIn(await next.person({ power: ['4'] }))
    const { id } = await keeper.must(member.insertMember, { name: '孙工', mobile: person.mobile })
    const { answer } = await invited(keeper, id, person.mobile, { password: old_password })
    // The former company shows the earlier payslips; the session starts in the new one.
    const both = ['甲厂', '乙厂']
    expect([answer.code, answer.data.corps.map((corp) => corp.name)]).toEqual([0, both])
    expect(answer.data.corp_id).toBe(next.company_id)
    expect((await getRow(next, id)).account_id).toBe(person.account_id)
    expect((await byCode(person.mobile)).corps).toEqual(both)
  })

  it('signs in by code with the password once after leaving one of two companies, then by codes alone', async () => {
    const [one, two] = [await world.createCompany({ name: '甲店' }), await world.createCompany({ name: '乙店' })]
    const person = await withPassword(await one.person({ name: '周姐', mobile: mobile() }))
    await two.person({ name: '周姐', same_as: person })
    later(1)
    await (await world.signIn(await one.person({ power: ['4'] }))).must(member.clearMember, { id: person.member_id })
    expect((await byCode(person.mobile)).answer.code).toBe(other_holder.code)
    expect((await byCode(person.mobile, { password: old_password })).corps).toEqual(['甲店', '乙店'])
    expect((await byCode(person.mobile)).corps).toEqual(['甲店', '乙店'])
  })

  it('joins a user to a second company that knows the same name without a question', async () => {
    const [one, two] = [await world.createCompany({ name: '甲行' }), await world.createCompany({ name: '乙行' })]
    const person = await one.person({ name: '吴姐', mobile: mobile() })
    await two.person({ name: '吴姐', mobile: person.mobile, joined: false })
    expect((await byCode(person.mobile)).corps).toEqual(['甲行', '乙行'])
  })

  it('tells the user that the account already has another password, instead of ignoring the new one', async () => {
    const [one, two] = [await world.createCompany({ name: '甲馆' }), await world.createCompany({ name: '乙馆' })]
    const person = await withPassword(await one.person({ name: '吴叔', mobile: mobile() }))
    const keeper = await world.signIn(await two.person({ power: ['4'] }))
    const { id } = await keeper.must(member.insertMember, { name: '吴叔', mobile: person.mobile })
    const { answer, browser, request } = await invited(keeper, id, person.mobile, { password: new_password })
    expect(answer).toMatchObject({ code: other_holder.code, data: { field: 'password' } })
    expect(await getRow(two, id)).toMatchObject({ account_id: null })
    later(61)
    expect((await browser.call(invite.acceptInvite, { ...request, password: old_password })).code).toBe(0)
    expect(await getRow(two, id)).toMatchObject({ account_id: person.account_id })
  })

  it('lets a user return to the former company with the same phone', async () => {
    const corp = await world.createCompany({ name: '回头客' })
    const keeper = await world.signIn(await corp.person({ power: ['4'] }))
    const person = await corp.person({ name: '郑姐', mobile: mobile() })
    await paid(corp, person)
    await keeper.must(member.clearMember, { id: person.member_id })
    const { id } = await keeper.must(member.insertMember, { name: '郑姐', mobile: person.mobile })
    const { browser, corps } = await byCode(person.mobile)
    expect(corps).toEqual(['回头客'])
    const run = await paid(corp, { ...person, member_id: id })
    expect(await getSlips(browser)).toEqual([run.slip_id])
  })

  it('sets a new password by a code if nothing contradicts the identity', async () => {
    const corp = await world.createCompany()
    const person = await withPassword(await corp.person({ mobile: mobile() }))
    const browser = createClient(world)
    const proof = await codeFor(browser, person.mobile, 'resetpwd')
    const { token } = (await browser.call(account.validatePhoneCode, { phone: person.mobile, ...proof })).data
    const reset = {
      type: 'resetpwd' as const,
      phone: person.mobile,
      token,
      newpass: new_password,
      confirm_password: new_password,
    }
    expect((await browser.call(account.updatePassword, reset)).code).toBe(0)
    expect((await createClient(world).call(account.login, { phone: person.mobile, password: new_password })).code).toBe(0)
  })
})

describe('a number reassigned by the carrier that a roster still lists', () => {
  const season = 91 * 86_400
  /** 冯姐 signs in once. Then she loses her number, and nobody informs the company. */
  async function forgotten(options: { password?: true; power?: ['4'] } = {}) {
    const corp = await world.createCompany({ name: '没更新' })
    const made = await corp.person({ name: '冯 姐', mobile: mobile(), ...(options.power ? { power: options.power } : {}) })
    const person = options.password ? await withPassword(made) : made
    const run = await paid(corp, person)
    const own = await byCode(person.mobile)
    expect(own.corps).toEqual(['没更新'])
    later(season)
    return { corp, person, run, own, phone: person.mobile }
  }

  it("opens nothing with a code alone for a reassigned number, and counts guesses at the owner's name", async () => {
    const { corp, person, phone, run } = await forgotten()
    const outsider = createClient(world)
    const proof = { phone, ...(await codeFor(outsider, phone, 'login')) }
    const requested = await outsider.call(account.loginByCode, proof)
    expect(requested).toMatchObject({ code: other_holder.code, data: { field: 'holder_name' } })
    expect(JSON.stringify(requested)).not.toMatch(/没更新|冯/)
    for (const holder_name of ['张三', '冯', '姐', '冯大姐', '冯妈'])
      expect((await outsider.call(account.loginByCode, { ...proof, holder_name })).code).toBe(other_holder.code)
    expect((await outsider.call(account.loginByCode, { ...proof, holder_name: '冯姐' })).code).toBe(errorCodes.locked.code)
    // The new owner starts with nothing; the row waits for its member, and the company is notified.
    const head = await world.signIn(await corp.person({ power: ['4'] }))
    const next = await byCode(phone, { is_new_owner: true })
    expect(next.answer.code).toBe(not_found.code)
    await world.product.jobs.drain()
    expect(await getRow(corp, person.member_id)).toMatchObject({ account_id: null, unconfirmed_at: expect.any(Date) })
    expect((await head.must(notifications.getNotificationList, {})).list[0]?.text).toContain('已换人使用')
    expect((await byCode(phone)).answer.code).toBe(not_found.code)
    expect((await next.browser.call(employee.getSlip, { slip_id: run.slip_id })).code).not.toBe(0)
  })

  it('asks the owner of a number for their name once, unless the browser is known', async () => {
    const { phone, run, own } = await forgotten()
    expect((await byCode(phone, {}, own.browser)).corps).toEqual(['没更新'])
    later(season)
    const retry = await byCode(phone, { holder_name: '冯姐' })
    expect([retry.corps, await getSlips(retry.browser)]).toEqual([['没更新'], [run.slip_id]])
    later(3600)
    expect((await byCode(phone)).corps).toEqual(['没更新'])
  })

  it('asks for the password if the account has one, and allows a reset by name except for administrators', async () => {
    const reset = async (phone: string, more: object = {}) => {
      const browser = createClient(world)
      const { token } = (await browser.call(account.validatePhoneCode, { phone, ...(await codeFor(browser, phone, 'resetpwd')) }))
        .data
      const requested = { type: 'resetpwd' as const, phone, token, newpass: new_password, confirm_password: new_password }
      return browser.call(account.updatePassword, { ...requested, ...more })
    }
    const { phone } = await forgotten({ password: true })
    expect((await byCode(phone, { holder_name: '冯姐' })).answer).toMatchObject({ data: { field: 'password' } })
    expect((await byCode(phone, { password: new_password })).answer.code).toBe(other_holder.code)
    expect((await byCode(phone, { password: old_password })).corps).toEqual(['没更新'])
    later(season)
    expect(await reset(phone)).toMatchObject({ code: other_holder.code, data: { field: 'holder_name' } })
    expect((await reset(phone, { holder_name: '冯姐' })).code).toBe(0)
    expect((await createClient(world).call(account.login, { phone, password: new_password })).code).toBe(0)

    const head = await forgotten({ password: true, power: ['4'] })
    const refused = await reset(head.phone, { holder_name: '冯姐' })
    expect([refused.code, Object.keys(refused.data)]).toEqual([other_holder.code, []])
    expect((await createClient(world).call(account.login, { phone: head.phone, password: old_password })).code).toBe(0)
  })
})

describe('a phone that someone else entered in the roster', () => {
  async function changed(by: 'keeper' | 'friend' = 'keeper') {
    const corp = await world.createCompany({ name: '换号公司' })
    const head = await world.signIn(await corp.person({ power: ['4'], name: '系统管理员' }))
    const boss = await world.signIn(await corp.person({ power: ['1'] }))
    const keeperPerson = await corp.person({ power: ['3'] })
    const keeper = await world.signIn(keeperPerson)
    const person = await withPassword(
      await corp.person({ name: '冯会计', mobile: mobile(), ...(by === 'friend' ? { power: ['2'] } : {}) }),
    )
    const run = await paid(corp, person)
    const fresh = mobile()
    if (by === 'friend') await boss.must(role.clearRole, { user_id: person.admin_id ?? '', power: '2' })
    await keeper.must(member.editMemberInfo, { id: person.member_id, mobile: fresh })
    return { corp, head, boss, keeper, person, run, fresh }
  }

  it.each(['keeper', 'friend'] as const)(
    'gives no access to payslips through a phone that somebody else entered (%s)',
    async (by) => {
      const { corp, keeper, person, run, fresh } = await changed(by)
      const { browser } = await byCode(fresh)
      expect(await getSlips(browser)).toBe(unconfirmed_holder.code)
      for (const call of [employee.getSlip, employee.getFeedback])
        expect((await browser.call(call, { slip_id: run.slip_id })).code).toBe(unconfirmed_holder.code)
      expect((await browser.call(employee.confirmSlip, { slip_id: run.slip_id, version: 1 })).code).toBe(unconfirmed_holder.code)
      expect((await browser.call(employee.feedbackSlip, { slip_id: run.slip_id, content: '问' })).code).toBe(
        unconfirmed_holder.code,
      )
      expect((await browser.call(employee.getCurrentEmployee)).data.phone_unconfirmed).toEqual({
        former_phone_masked: `${person.mobile.slice(0, 3)}****${person.mobile.slice(-4)}`,
      })
      expect(await keeper.must(member.getMemberInfo, { id: person.member_id })).toMatchObject({ PHONE_UNCONFIRMED: true })

      // The next batch reaches all other members and states why this one is excluded.
      const other = await corp.person()
      const batch_id = await makeBatch(world, run.payer, [{ ...person, mobile: fresh }, other], { month: '2026-11' })
      const caller = await world.signIn(run.payer)
      const { plan } = await send(caller, batch_id)
      expect(plan).toMatchObject({ count: 1, blocked: [{ name: '冯会计', reason: expect.stringContaining('还没有确认是本人') }] })
      expect((await caller.call(slip.sendSingle, { salary_id: run.slip_id })).message).toContain('还没有确认是本人')
      await world.product.jobs.drain()
      expect((await world.outbox()).filter((one) => one.mobile === fresh && isSlip(one))).toEqual([])
    },
  )

  it('confirms a new phone by the previous password and by nothing else the user could know', async () => {
    const { run, fresh } = await changed()
    const { browser } = await byCode(fresh)
    expect((await browser.call(employee.confirmPhoneOwner, {})).code).toBe(errorCodes.invalid.code)
    expect((await browser.call(employee.confirmPhoneOwner, { password: new_password })).code).toBe(wrong_password.code)
    const proof = { phone: fresh, ...(await codeFor(browser, fresh, 'view')) }
    expect((await browser.call(employee.confirmPhoneOwner, proof)).code).toBe(wrong_code.code)
    expect(await getSlips(browser)).toBe(unconfirmed_holder.code)
    expect((await browser.call(employee.confirmPhoneOwner, { password: old_password })).code).toBe(0)
    expect(await getSlips(browser)).toEqual([run.slip_id])
    expect((await browser.call(employee.confirmPhoneOwner, { password: old_password })).code).toBe(wrong_state.code)
  })

  it('confirms a new phone by a code to the previous phone, and counts guesses', async () => {
    const { keeper, person, run } = await changed()
    // However often the phone is changed, the previous one is the last that the member used.
    const again = mobile()
    await keeper.must(member.editMemberInfo, { id: person.member_id, mobile: again })
    const { browser } = await byCode(again)
    const proof = { phone: person.mobile, ...(await codeFor(browser, person.mobile, 'view')) }
    expect((await browser.call(employee.confirmPhoneOwner, proof)).code).toBe(0)
    expect(await getSlips(browser)).toEqual([run.slip_id])

    const next = await changed()
    const guesser = (await byCode(next.fresh)).browser
    const codes = []
    for (let at = 0; at < 7; at += 1)
      codes.push((await guesser.call(employee.confirmPhoneOwner, { password: `wrong ${at} 你好` })).code)
    expect(codes.slice(-2)).toEqual([errorCodes.locked.code, errorCodes.locked.code])
  })

  it('confirms a new phone by a second administrator, who is neither its author nor the applicant', async () => {
    const { head, boss, keeper, person, run, fresh } = await changed()
    const { approval_no } = await keeper.must(approval.applyConfirmPhone, { member_id: person.member_id })
    expect((await keeper.call(approval.applyConfirmPhone, { member_id: person.member_id })).code).toBe(wrong_state.code)
    expect((await keeper.call(approval.setApprovalStatusByApprovalNo, { approval_no, status: 1 })).code).toBe(not_permitted.code)
    expect((await boss.call(approval.setApprovalStatusByApprovalNo, { approval_no, status: 1 })).code).toBe(not_found.code)
    const line = (await head.must(approval.getApprovalList, {})).list[0]
    expect(line).toMatchObject({ kind: 'phone', can_decide: true, summary: '申请确认 冯会计 登记的新手机号是本人的' })
    await head.must(approval.setApprovalStatusByApprovalNo, { approval_no, status: 1 })
    expect(await getSlips((await byCode(fresh)).browser)).toEqual([run.slip_id])
    expect((await head.call(approval.applyConfirmPhone, { member_id: person.member_id })).code).toBe(wrong_state.code)
  })

  it('requires a new application after another change of the phone', async () => {
    const { head, keeper, person } = await changed()
    const { approval_no } = await keeper.must(approval.applyConfirmPhone, { member_id: person.member_id })
    later(5)
    await keeper.must(member.editMemberInfo, { id: person.member_id, mobile: mobile() })
    expect(await head.call(approval.setApprovalStatusByApprovalNo, { approval_no, status: 1 })).toMatchObject({
      code: wrong_state.code,
      data: { status: 'changed' },
    })
    await head.must(approval.setApprovalStatusByApprovalNo, { approval_no, status: 2, reason: '号码又改了' })
  })

  it('confirms the phone again when it is changed back to the previous one', async () => {
    const { corp, keeper, person, run } = await changed()
    await keeper.must(member.editMemberInfo, { id: person.member_id, mobile: person.mobile })
    expect(await getRow(corp, person.member_id)).toEqual({
      account_id: person.account_id,
      status: 'active',
      unconfirmed_at: null,
      mobile: person.mobile,
    })
    expect(await getSlips((await byCode(person.mobile)).browser)).toEqual([run.slip_id])
  })

  it("keeps a phone unconfirmed when the member is terminated and added again, and corrects a newcomer's wrong number at once", async () => {
    const { corp, keeper, person } = await changed()
    const second = await withPassword(await corp.person({ name: '陈出纳', mobile: mobile(), employee_no: 'E77' }))
    await paid(corp, second)
    await keeper.must(member.clearMember, { id: second.member_id })
    const named = await keeper.must(member.insertMember, { name: '陈出纳', mobile: mobile() })
    const numbered = await keeper.must(member.insertMember, { name: '别的名字', employee_no: 'E77', mobile: mobile() })
    const outsider = await keeper.must(member.insertMember, { name: '新来的', mobile: mobile() })
    const viewed = []
    for (const { id } of [named, numbered, outsider])
      viewed.push((await keeper.must(member.getMemberInfo, { id })).PHONE_UNCONFIRMED)
    expect(viewed).toEqual([true, true, false])
    await keeper.must(member.editMemberInfo, { id: outsider.id, mobile: mobile() })
    expect((await keeper.must(member.getMemberInfo, { id: outsider.id })).PHONE_UNCONFIRMED).toBe(false)
    expect((await keeper.must(member.getMemberList, { name: person.name })).list[0]?.PHONE_UNCONFIRMED).toBe(true)
  })

  it.each([
    [99, true],
    [101, false],
  ])('marks a member added under another phone %i days after a namesake left as unconfirmed: %s', async (days, isRequested) => {
    const corp = await world.createCompany()
    const head = await corp.person({ power: ['4'] })
    const second = await corp.person({ name: '陈出纳', mobile: mobile() })
    await (await world.signIn(head)).must(member.clearMember, { id: second.member_id })
    later(days * 86_400)
    const keeper = await world.signIn(head)
    const { id } = await keeper.must(member.insertMember, { name: '陈出纳', mobile: mobile() })
    expect((await keeper.must(member.getMemberInfo, { id })).PHONE_UNCONFIRMED).toBe(isRequested)
  })

  it('requires no confirmation when the member changes the phone with their password', async () => {
    const corp = await world.createCompany()
    const person = await withPassword(await corp.person({ mobile: mobile() }))
    const run = await paid(corp, person)
    const browser = createClient(world)
    await browser.call(account.login, { phone: person.mobile, password: old_password })
    const token = (await browser.call(profile.changePhone, { password: old_password })).data.token ?? ''
    const fresh = mobile()
    expect(
      (await browser.call(profile.changePhone, { phone: fresh, token, ...(await codeFor(browser, fresh, 'changephone')) })).code,
    ).toBe(0)
    await world.product.jobs.drain()
    expect(await getSlips((await byCode(fresh)).browser)).toEqual([run.slip_id])
  })
})

describe('roster changes between plan and send', () => {
  async function planned(when?: string, channels: ('sms' | 'link')[] = ['sms']) {
    const corp = await world.createCompany()
    const keeper = await world.signIn(await corp.person({ power: ['4'] }))
    const payer = await corp.person({ power: ['2'] })
    const caller = await world.signIn(payer)
    const people: Person[] = []
    for (const name of ['甲', '乙', '丙'])
      people.push(await corp.person({ name, mobile: mobile(), joined: false, employee_no: `N${name}` }))
    const batch_id = await makeBatch(world, payer, people)
    const plan = await caller.must(slip.sendPaySheet, { batch_id, channels, ...(when ? { when } : {}) })
    return { corp, keeper, payer, caller, people: people as [Person, Person, Person], batch_id, plan_id: plan.plan_id }
  }
  const became = async (corp: Corp, batch_id: string) => (await salaries(world, corp, batch_id)).map((one) => one.status)

  it.each([
    ['sms', undefined],
    ['sms', 3600],
    ['link', undefined],
    ['link', 3600],
  ] as const)('stops sending to exactly the changed members, with reason and remedy (%s, in %s s)', async (channel, wait) => {
    const when = wait ? new Date(world.clock.now().getTime() + wait * 1000).toISOString() : undefined
    const { corp, keeper, payer, caller: before, people, batch_id, plan_id } = await planned(when, [channel])
    const left = await smsLeft(world, corp)
    if (wait) await before.must(slip.doSend, { plan_id, looked: true })
    const [first, second, third] = people
    await keeper.must(member.editMemberInfo, { id: first.member_id, name: '另一个人' })
    const to = mobile()
    await keeper.must(member.editMemberInfo, { id: second.member_id, mobile: to })
    if (wait) later(wait + 5)
    else await before.must(slip.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    if (wait) await sendNow(corp, batch_id)
    const caller = await world.signIn(payer)

    expect(await became(corp, batch_id)).toEqual(['failed', 'failed', 'sent'])
    const { failures } = await caller.must(slip.getSendInfo, { batch_id })
    expect(failures.map((one) => one.code)).toEqual(['identity', 'identity'])
    expect(failures.map((one) => one.message)).toEqual([
      expect.stringMatching(/^姓名在确认发送之后改过，没有发送；.*撤回/),
      expect.stringMatching(/还没有确认是本人/),
    ])
    const texts = (await world.outbox()).filter((one) => [to, first.mobile, second.mobile].includes(one.mobile) && isSlip(one))
    expect(texts).toEqual([])
    if (channel === 'sms') expect(await smsLeft(world, corp)).toBe(left - slip_segments)
    // Sending again manually is refused as well.
    const [a, b] = await salaries(world, corp, batch_id)
    expect((await caller.call(slip.sendSingle, { salary_id: a?.id ?? '' })).message).toContain('姓名在确认发送之后改过')
    expect((await caller.call(slip.sendSingle, { salary_id: b?.id ?? '' })).message).toContain('还没有确认是本人')
    await caller.must(slip.sendBatch, { batch_id, only: 'failed' })
    await world.product.jobs.drain()
    expect(await became(corp, batch_id)).toEqual(['failed', 'failed', 'sent'])
    expect(third.name).toBe('丙')
  })

  /** The queue's clock is not the application's: the scheduled job is created here. */
  async function sendNow(corp: Corp, batch_id: string) {
    await world.database.inCompany(corp.company_id, (tx) =>
      world.product.jobs.send(tx, 'send', { company_id: corp.company_id, batch_id }),
    )
    await world.product.jobs.drain()
  }

  it('sends to a corrected number after a manual check, and to a newly entered one without a question', async () => {
    const { corp, keeper, caller, people, batch_id, plan_id } = await planned()
    await keeper.must(member.editMemberInfo, { id: people[0].member_id, employee_no: 'N9' })
    await caller.must(slip.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    expect(await became(corp, batch_id)).toEqual(['failed', 'sent', 'sent'])
    const [line] = (await caller.must(slip.getSendInfo, { batch_id })).failures
    expect(line?.message).toMatch(/^工号在确认发送之后改过，没有发送；.*重发/)
    await caller.must(slip.sendSingle, { salary_id: line?.salary_id ?? '' })
    await world.product.jobs.drain()
    expect(await became(corp, batch_id)).toEqual(['sent', 'sent', 'sent'])
    expect((await deliveries(world, corp, batch_id)).filter((one) => one.status === 'accepted')).toHaveLength(3)
  })

  it('keeps the identity of members who join or change their own phone', async () => {
    const corp = await world.createCompany()
    const payer = await corp.person({ power: ['2'] })
    const caller = await world.signIn(payer)
    const fresh = await corp.person({ name: '还没来', mobile: mobile(), joined: false })
    const own = await withPassword(await corp.person({ name: '自己换', mobile: mobile() }))
    const batch_id = await makeBatch(world, payer, [fresh, own])
    const { plan_id } = await caller.must(slip.sendPaySheet, { batch_id, channels: ['sms'] })
    expect((await byCode(fresh.mobile)).corps).toHaveLength(1)
    const browser = createClient(world)
    await browser.call(account.login, { phone: own.mobile, password: old_password })
    const token = (await browser.call(profile.changePhone, { password: old_password })).data.token ?? ''
    const to = mobile()
    await browser.call(profile.changePhone, { phone: to, token, ...(await codeFor(browser, to, 'changephone')) })
    await world.product.jobs.drain()
    const again = await world.signIn(payer)
    await again.must(slip.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    expect(await became(corp, batch_id)).toEqual(['sent', 'sent'])
    expect((await world.outbox()).some((one) => one.mobile === to && isSlip(one))).toBe(true)
  })

  it("does not remind a new recipient of another member's payslip after a roster change", async () => {
    const { corp, keeper, caller, people, batch_id, plan_id } = await planned()
    await caller.must(slip.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    expect(await became(corp, batch_id)).toEqual(['sent', 'sent', 'sent'])
    const to = mobile()
    await keeper.must(member.editMemberInfo, { id: people[0].member_id, mobile: to })
    await caller.must(slip.sendBatch, { batch_id, only: 'unviewed' })
    await world.product.jobs.drain()
    const reminders = (await deliveries(world, corp, batch_id)).filter((one) => one.purpose.startsWith('remind'))
    expect(reminders.map((one) => one.status).sort()).toEqual(['accepted', 'accepted', 'failed'])
    expect((await world.outbox()).filter((one) => one.mobile === to && isSlip(one))).toEqual([])
  })
})
