/** The user's own account: phone change and its notifications, devices, name and picture; and the nightly cleanup. */
import { PNG } from 'pngjs'
import { beforeAll, describe, expect, it } from 'vitest'
import * as profile from '../../../server/contract/auth/profile.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as desk from '../../../server/contract/notifications/notifications.ts'
import { deleteExpiredAuthData } from '../../../server/modules/auth/cleanup.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import { codesSent, createClient, lastCode, type TestClient } from '../../support/callers/visitor.ts'
import { demo } from '../../support/demo.ts'
import { freshPhone } from '../../support/random.ts'
import { type Person, type PersonOptions, type World } from '../../support/world.ts'

let hash = ''
const password = '姑苏城外寒山寺 2'
const { world, corp } = demo({ own: true, company: { name: '甲公司' } })
beforeAll(async () => {
  hash = await hashPassword(password)
})

const { invalid, wrong_code, wrong_state, not_found, signed_out, too_often } = errorCodes
const later = (seconds: number) => world.clock.advance(seconds * 1000)

async function someone(options: PersonOptions = {}, where = corp): Promise<Person> {
  const person = await where.person(options)
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash: hash }).where('id', '=', person.account_id).execute(),
  )
  return person
}
async function signIn(person: Person, browser = createClient(world)): Promise<TestClient> {
  expect((await browser.call(account.login, { phone: person.mobile, password })).code).toBe(0)
  return browser
}
async function newPhone(browser: TestClient, phone: string) {
  const token = (await browser.call(profile.changePhone, { password })).data.token ?? ''
  later(61)
  const before = await codesSent(world, phone)
  const { sms } = (await browser.call(account.getVerifyCode, { phone, type: 'changephone' })).data
  return { phone, token, sms, code: await lastCode(world, phone, before) }
}
const getMobile = (member_id: string, where = corp) =>
  world.database.inCompany(
    where.company_id,
    async (tx) => (await tx.selectFrom('member').select('mobile').where('id', '=', member_id).executeTakeFirstOrThrow()).mobile,
  )
const getNotices = async (head: TestClient | Awaited<ReturnType<World['signIn']>>) =>
  (await head.call(desk.getNotificationList, {})).data.list.map(({ kind, text }) => `${kind}: ${text}`)

describe('phone change', () => {
  it('applies a phone change to every company and notifies the old phone and the system managers without the full number', async () => {
    const second = await world.createCompany({ name: '乙公司' })
    const head = await world.signIn(await corp.person({ power: ['4'] }))
    const person = await someone({ power: ['2'], name: '周敏' })
    const there = await second.person({ same_as: person })
    const browser = createClient(world)
    await browser.call(account.login, { phone: person.mobile, password })
    await browser.call(account.selectCorp, { corp_id: corp.company_id })
    const requested = freshPhone()
    const input = await newPhone(browser, requested)
    expect(await browser.call(profile.changePhone, input)).toMatchObject({ code: 0, data: { token: null } })
    expect(await browser.call(profile.getProfile)).toMatchObject({
      code: signed_out.code,
      message: expect.stringContaining('手机号已更换'),
    })
    await world.product.jobs.drain()
    expect([await getMobile(person.member_id), await getMobile(there.member_id, second)]).toEqual([requested, requested])
    const notified = (await world.outbox()).filter(
      (one) => one.mobile === person.mobile && one.text.includes(`尾号${requested.slice(-4)}`),
    )
    expect(notified).toHaveLength(1)
    const notices = await getNotices(head)
    expect(notices.filter((text) => text.startsWith('phone: 周敏'))).toHaveLength(1)
    expect(notices.join() + notified.map((one) => one.text).join()).not.toContain(requested)
    expect((await createClient(world).call(account.login, { phone: requested, password })).code).toBe(0)
  })

  it('leaves the roster row unchanged and asks the system managers to check if another member has the new number', async () => {
    const where = await world.createCompany({ name: '丙公司' })
    const head = await world.signIn(await where.person({ power: ['4'] }))
    const person = await someone({ name: '郑直' }, where)
    const outsider = await where.person({ joined: false })
    const browser = await signIn(person)
    expect((await browser.call(profile.changePhone, await newPhone(browser, outsider.mobile))).code).toBe(0)
    await world.product.jobs.drain()
    expect(await getMobile(person.member_id, where)).toBe(person.mobile)
    expect((await getNotices(head)).filter((text) => text.includes('花名册里另有一位员工'))).toHaveLength(1)
    // A phone change links no account to a row: the payslips of the other member remain inaccessible.
    const row = await world.database.inCompany(where.company_id, (tx) =>
      tx.selectFrom('member').select('account_id').where('id', '=', outsider.member_id).executeTakeFirstOrThrow(),
    )
    expect(row.account_id).toBeNull()
  })

  it('refuses a number that already has an account, even with a valid code, and changes nothing', async () => {
    const accepted = await someone()
    const browser = await signIn(await someone())
    const input = await newPhone(browser, accepted.mobile)
    expect(await browser.call(profile.changePhone, input)).toMatchObject({ code: wrong_state.code, data: { status: 'taken' } })
    expect((await browser.call(profile.getProfile)).code).toBe(0)
  })

  it('performs one of fifty simultaneous phone changes, and accepts the token for ten minutes', async () => {
    const browser = await signIn(await someone())
    const input = await newPhone(browser, freshPhone())
    const all = await Promise.all(Array.from({ length: 50 }, () => browser.call(profile.changePhone, input)))
    expect(all.filter(({ code }) => code === 0)).toHaveLength(1)
    const slow = await signIn(await someone())
    const token = (await slow.call(profile.changePhone, { password })).data.token ?? ''
    later(601)
    const proof = { ...(await newPhone(slow, freshPhone())), token }
    expect((await slow.call(profile.changePhone, proof)).code).toBe(wrong_code.code)
  })

  it.each([
    ['a missing password', {}, 'password'],
    ['a missing phone', { token: 'x' }, 'phone'],
    ['a missing code', { token: 'x', phone: '13900000001' }, 'code'],
  ])('names the invalid field for %s', async (_what, input, field) => {
    const browser = await signIn(await someone())
    expect(await browser.call(profile.changePhone, input)).toMatchObject({ code: invalid.code, data: { field } })
  })

  it('refuses a phone change without a password', async () => {
    const caller = await world.signIn(await corp.person())
    expect((await caller.call(profile.changePhone, { password })).code).toBe(wrong_state.code)
  })
})

describe('signed-in devices', () => {
  it('lists signed-in devices with their details and ends them one by one or all at once', async () => {
    const person = await someone()
    const [context, there, third] = [await signIn(person), await signIn(person), await signIn(person)]
    const { list } = (await context.call(profile.getSessionList)).data
    expect(list.map(({ current, corp_name }) => [current, corp_name])).toEqual([
      [false, '甲公司'],
      [false, '甲公司'],
      [true, '甲公司'],
    ])
    expect(new Set(list.map(({ address }) => address)).size).toBe(3)
    expect((await context.call(profile.endSession, {})).code).toBe(invalid.code)
    expect((await context.call(profile.endSession, { session_id: list[0]?.session_id ?? '' })).data.ended).toBe(1)
    expect(await third.call(profile.getProfile)).toMatchObject({
      code: signed_out.code,
      message: expect.stringContaining('另一台设备'),
    })
    expect((await context.call(profile.endSession, { session_id: list[0]?.session_id ?? '' })).code).toBe(not_found.code)
    expect((await context.call(profile.endSession, { all_others: true })).data.ended).toBe(1)
    expect((await there.call(profile.getProfile)).code).toBe(signed_out.code)
    expect((await context.call(profile.getSessionList)).data.list).toHaveLength(1)
  })

  it('lists one session per browser after signing in again, and no idle or expired sessions', async () => {
    const person = await someone()
    const old = await signIn(person)
    later(1801)
    const browser = await signIn(person)
    await signIn(person, browser)
    const used = await signIn(person)
    expect((await browser.call(profile.getSessionList)).data.list).toHaveLength(2)
    // This session was used just now but has passed its absolute limit.
    const { list } = (await used.call(profile.getSessionList)).data
    await world.database.withoutCompany((tx) =>
      tx
        .updateTable('session')
        .set({ expires_at: world.clock.now() })
        .where('id', '=', list.find(({ current }) => current)?.session_id ?? '')
        .execute(),
    )
    expect((await browser.call(profile.getSessionList)).data.list).toHaveLength(1)
    expect((await old.call(profile.getProfile)).message).toContain('长时间没有操作')
  })
})

describe('display name and picture', () => {
  it('replaces the roster name with a cleaned display name, and removes it again', async () => {
    const person = await someone({ power: ['1'], name: '沈知遥' })
    const browser = await signIn(person)
    expect((await browser.call(profile.setProfile, { display_name: ' 遥遥 👋 ' })).code).toBe(0)
    expect((await browser.call(account.getCurrentUser)).data.user.user_name).toBe('遥遥 👋')
    expect((await browser.call(profile.getProfile)).data).toMatchObject({ name: '沈知遥', display_name: '遥遥 👋' })
    expect((await browser.call(profile.setProfile, { display_name: '【】' })).code).toBe(invalid.code)
    expect((await browser.call(profile.setProfile, { display_name: '长'.repeat(21) })).code).toBe(invalid.code)
    await browser.call(profile.setProfile, { display_name: '' })
    expect((await browser.call(account.getCurrentUser)).data.user.user_name).toBe('沈知遥')
  })

  it('re-encodes a profile picture, and removes it when no file is given', async () => {
    const caller = await world.signIn(await someone({ power: ['1'] }))
    const bytes = PNG.sync.write(new PNG({ width: 96, height: 96 }))
    const { avatar } = await caller.must(profile.setAvatar, {}, { file: { name: 'me.png', bytes } })
    expect(avatar).toMatch(/^data:image\/png;base64,/)
    expect((await caller.must(account.getCurrentUser)).user.logo).toBe(avatar)
    const bad = await caller.call(profile.setAvatar, {}, { file: { name: 'me.png', bytes: Buffer.from('<svg/>') } })
    expect(bad).toMatchObject({ code: invalid.code, data: { field: 'file' } })
    expect((await caller.must(profile.getProfile)).avatar).toBe(avatar)
    expect((await caller.must(profile.setAvatar, {})).avatar).toBeNull()
  })
})

it('lets a roster member who never signed in reset the password and sign in', async () => {
  const person = await corp.person({ joined: false })
  const browser = createClient(world)
  const { sms } = (await browser.call(account.getVerifyCode, { phone: person.mobile, type: 'resetpwd' })).data
  const code = await lastCode(world, person.mobile)
  const { token } = (await browser.call(account.validatePhoneCode, { phone: person.mobile, code, sms })).data
  const reset = { type: 'resetpwd', phone: person.mobile, token, newpass: password, confirm_password: password } as const
  expect((await browser.call(account.updatePassword, reset)).code).toBe(0)
  expect((await browser.call(account.login, { phone: person.mobile, password })).data.corp_id).toBe(corp.company_id)
})

it('limits error reports from the client', async () => {
  const browser = await signIn(await someone())
  const report = { level: 'error', message: 'x', url: '/home', release: 'test' } as const
  const codes: number[] = []
  for (let at = 0; at < 22; at += 1) codes.push((await browser.call(account.logClientError, report)).code)
  expect(codes).toEqual([...Array<number>(20).fill(0), too_often.code, too_often.code])
})

it('deletes expired data in the nightly cleanup, idempotently, and nothing that is still needed', async () => {
  const browser = await signIn(await someone())
  const count = () =>
    world.database.withoutCompany(async (tx) => {
      const counts: Record<string, number> = {}
      for (const table of ['session', 'challenge', 'grant_token', 'attempt', 'device'] as const) {
        const { rows } = await tx
          .selectFrom(table as 'session')
          .select(({ fn }) => fn.countAll<number>().as('rows'))
          .executeTakeFirstOrThrow()
        counts[table] = Number(rows)
      }
      return counts
    })
  const before = await count()
  for (const rows of Object.values(before)) expect(rows).toBeGreaterThan(0)
  await deleteExpiredAuthData(world.database, world.clock.now())
  expect((await browser.call(profile.getProfile)).code).toBe(0)
  expect(await count()).toEqual(before)
  later(31 * 86_400)
  await deleteExpiredAuthData(world.database, world.clock.now())
  expect(await count()).toEqual({ session: 0, challenge: 0, grant_token: 0, attempt: 0, device: before.device })
  later(150 * 86_400)
  await deleteExpiredAuthData(world.database, world.clock.now())
  await deleteExpiredAuthData(world.database, world.clock.now())
  expect((await count()).device).toBe(0)
})
