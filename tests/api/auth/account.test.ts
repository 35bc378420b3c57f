/** Signing in and out, two-part session tokens, codes, passwords. Refusals first. */
import { beforeAll, describe, expect, it } from 'vitest'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as member from '../../../server/contract/directory/members.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import { demo } from '../../support/demo.ts'
import { type Answer, type Person, type World } from '../../support/world.ts'

let boss: Person
const password = '春江花月夜 7'

const { world, corp } = demo({ own: true })
beforeAll(async () => {
  boss = await corp.person({ power: ['4'] })
  await setPassword(boss)
})

async function setPassword(person: Person): Promise<void> {
  const password_hash = await hashPassword(password)
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash }).where('id', '=', person.account_id).execute(),
  )
}
async function someone(): Promise<Person> {
  const person = await corp.person({ power: ['4'] })
  await setPassword(person)
  return person
}
const getCaller = (answer: Answer<{ token: string | null }>) => world.caller(answer.data.token ?? '', answer.cookies)
const later = (seconds: number) => world.clock.advance(seconds * 1000)
async function codeFor(mobile: string): Promise<string> {
  // The call does not wait for the gateway to receive the code.
  for (let attempts = 0; attempts < 1_500; attempts += 1) {
    const match = (await world.outbox()).findLast((one) => one.mobile === mobile && one.text.includes('验证码'))
    if (match) return /验证码 (\d{6})/.exec(match.text)?.[1] ?? ''
    await new Promise((go) => setTimeout(go, 20))
  }
  throw new Error('no code was sent')
}

describe('sign-in', () => {
  it.each([
    ['an invalid phone', { phone: '123', password: 'x' }, 100001, 'phone'],
    ['a missing password', { phone: '13900000000', password: '' }, 100001, 'password'],
    ['an array as a phone', { phone: ['13900000000'], password: 'x' }, 100001, 'phone'],
  ])('names the invalid field for %s', async (_what, input, code, field) => {
    expect(await world.anybody.call(account.login, input as never)).toMatchObject({ code, data: { field } })
  })

  it('never reveals whether the phone or the password was wrong', async () => {
    const unknown = await world.anybody.call(account.login, { phone: '13700000001', password })
    const wrong = await world.anybody.call(account.login, { phone: boss.mobile, password: 'wrong' })
    expect([unknown.code, unknown.message, unknown.data]).toEqual([wrong.code, wrong.message, wrong.data])
    expect(wrong.code).toBe(100101)
  })

  it('returns a token and an HttpOnly half, and requires both with the XSRF header', async () => {
    const answer = await world.anybody.call(account.login, { phone: boss.mobile, password })
    expect(answer).toMatchObject({ code: 0, data: { corp_id: corp.company_id, corps: [{ as: ['admin', 'employee'] }] } })
    const token = answer.data.token ?? ''
    const { sid, 'XSRF-TOKEN': xsrf } = answer.cookies
    const other = await world.anybody.call(account.login, { phone: boss.mobile, password })
    const ways: [string, ReturnType<World['caller']>, number][] = [
      ['both halves', world.caller(token, { sid: sid ?? '', 'XSRF-TOKEN': xsrf ?? '' }), 0],
      ['the token alone', world.caller(token, {}), 100018],
      ['the cookie alone', world.caller('', { sid: sid ?? '', 'XSRF-TOKEN': xsrf ?? '' }), 100018],
      ["another session's cookie", world.caller(token, { sid: other.cookies.sid ?? '', 'XSRF-TOKEN': xsrf ?? '' }), 100018],
      ['no XSRF header', world.caller(token, { sid: sid ?? '' }), 100018],
      [
        "another session's XSRF header",
        world.caller(token, { sid: sid ?? '', 'XSRF-TOKEN': other.cookies['XSRF-TOKEN'] ?? '' }),
        100018,
      ],
    ]
    for (const [what, caller, code] of ways)
      expect([what, (await caller.call(account.getCurrentUser)).code]).toEqual([what, code])
  })

  it('locks after ten failed attempts, even for the correct password, and unlocks in time', async () => {
    const person = await someone()
    for (let attempts = 0; attempts < 10; attempts += 1)
      expect((await world.anybody.call(account.login, { phone: person.mobile, password: `wrong ${attempts}` })).code).toBe(100101)
    const locked = await world.anybody.call(account.login, { phone: person.mobile, password })
    expect(locked).toMatchObject({ code: 100103, data: { retry_after: expect.any(Number) } })
    later(901)
    expect((await world.anybody.call(account.login, { phone: person.mobile, password })).code).toBe(0)
  })

  it('ends the session on sign-out, after half an hour idle, or after eight hours for an administrator, with a reason', async () => {
    const person = await someone()
    const signIn = async () => getCaller(await world.anybody.call(account.login, { phone: person.mobile, password }))
    const out = await signIn()
    await out.must(account.logout)
    expect((await out.call(account.getCurrentUser)).code).toBe(100018)
    const idle = await signIn()
    later(1790)
    expect((await idle.call(account.getCurrentUser)).code).toBe(0)
    later(1810)
    expect(await idle.call(account.getCurrentUser)).toMatchObject({
      code: 100018,
      message: expect.stringContaining('长时间没有操作'),
    })
    const long = await signIn()
    for (let quarters = 0; quarters < 31; quarters += 1) {
      later(900)
      expect((await long.call(account.getCurrentUser)).code).toBe(0)
    }
    later(901)
    expect(await long.call(account.getCurrentUser)).toMatchObject({ code: 100018, message: '登录已到期，请重新登录' })
  })

  it('asks for the company if there are several, opens the chosen one, and invalidates the previous token pair', async () => {
    const second = await world.createCompany()
    const person = await someone()
    await second.person({ same_as: person })
    const answer = await world.anybody.call(account.login, { phone: person.mobile, password })
    expect(answer.data.corp_id).toBeNull()
    expect(answer.data.corps.map((one) => one.corp_id).toSorted()).toEqual([corp.company_id, second.company_id].toSorted())
    const half = getCaller(answer)
    expect((await half.call(account.getCurrentUser)).code).toBe(100018)
    expect((await half.call(account.selectCorp, { corp_id: (await world.createCompany()).company_id })).code).toBe(100404)
    const selected = await half.call(account.selectCorp, { corp_id: second.company_id })
    const inside = getCaller(selected)
    expect((await inside.must(employee.getCurrentEmployee)).corp_id).toBe(second.company_id)
    expect((await inside.call(account.getCurrentUser)).code).toBe(100403)
    expect((await half.call(account.selectCorp, { corp_id: second.company_id })).code).toBe(100018)
  })
})

it('treats an administrator whose powers were revoked as an employee', async () => {
  const person = await someone()
  await world.database.inCompany(corp.company_id, (tx) =>
    tx.updateTable('admin').set({ power: [] }).where('id', '=', person.admin_id).execute(),
  )
  const answer = await world.anybody.call(account.login, { phone: person.mobile, password })
  expect(answer.data.corps).toMatchObject([{ as: ['employee'] }])
  const caller = getCaller(answer)
  expect((await caller.call(account.getCurrentUser)).code).toBe(100403)
  expect((await caller.must(employee.getCurrentEmployee)).is_admin).toBe(false)
})

describe('verification codes', () => {
  it('answers a code request for an unknown phone identically and sends nothing', async () => {
    const existing = await corp.person()
    const answers = []
    for (const phone of [existing.mobile, '13700000002'])
      answers.push(await world.anybody.call(account.getVerifyCode, { phone, type: 'login' }))
    expect(answers.map((one) => [one.code, Object.keys(one.data), one.data.expires_in])).toEqual([
      [0, ['sms', 'expires_in', 'resend_after'], 300],
      [0, ['sms', 'expires_in', 'resend_after'], 300],
    ])
    await codeFor(existing.mobile)
    expect((await world.outbox()).filter((one) => one.mobile === '13700000002')).toEqual([])
  })

  it('signs in a member without an account and links them to their company', async () => {
    const person = await corp.person({ joined: false })
    const { sms } = await world.anybody.must(account.getVerifyCode, { phone: person.mobile, type: 'login' })
    const code = await codeFor(person.mobile)
    expect((await world.anybody.call(account.loginByCode, { phone: '13700000003', code, sms })).code).toBe(100102)
    const answer = await world.anybody.call(account.loginByCode, { phone: person.mobile, code, sms })
    expect(answer).toMatchObject({ code: 0, data: { corp_id: corp.company_id, corps: [{ as: ['employee'] }] } })
    expect((await getCaller(answer).must(employee.getCurrentEmployee)).name).toBe(person.name)
    expect((await world.anybody.call(account.loginByCode, { phone: person.mobile, code, sms })).code).toBe(100102)
  })

  it('never links a member by password alone, because the number may have been reassigned', async () => {
    const person = await someone()
    const second = await world.createCompany()
    await second.person({ mobile: person.mobile, joined: false })
    const answer = await world.anybody.call(account.login, { phone: person.mobile, password })
    expect(answer.data.corps.map((one) => one.corp_id)).toEqual([corp.company_id])
  })

  it('accepts a code once within five minutes and five attempts, only the newest one, even with a hundred parallel attempts', async () => {
    const person = await corp.person()
    const first = await world.anybody.must(account.getVerifyCode, { phone: person.mobile, type: 'login' })
    const code = await codeFor(person.mobile)
    const wrong = code === '000000' ? '000001' : '000000'
    const burst = await Promise.all(
      Array.from({ length: 100 }, () =>
        world.anybody.call(account.loginByCode, { phone: person.mobile, code: wrong, sms: first.sms }),
      ),
    )
    expect(new Set(burst.map((one) => one.code))).toEqual(new Set([100102]))
    expect((await world.anybody.call(account.loginByCode, { phone: person.mobile, code, sms: first.sms })).code).toBe(100102)
    expect((await world.anybody.call(account.getVerifyCode, { phone: person.mobile, type: 'login' })).code).toBe(100429)
    later(61)
    const second = await world.anybody.must(account.getVerifyCode, { phone: person.mobile, type: 'login' })
    later(301)
    const late = await codeFor(person.mobile)
    expect((await world.anybody.call(account.loginByCode, { phone: person.mobile, code: late, sms: second.sms })).code).toBe(
      100102,
    )
  })

  it('limits each phone to five codes an hour for all purposes together', async () => {
    const person = await corp.person()
    const codes: number[] = []
    for (const type of ['login', 'resetpwd', 'view', 'login', 'resetpwd', 'login'] as const) {
      later(61)
      codes.push((await world.anybody.call(account.getVerifyCode, { phone: person.mobile, type })).code)
    }
    expect(codes.filter((code) => code === 0).length).toBeLessThanOrEqual(5)
    expect(codes.at(-1)).toBe(100103)
  })
})

describe('passwords', () => {
  it('ends other sessions and keeps the current one when the password is changed with the old one', async () => {
    const person = await someone()
    const context = getCaller(await world.anybody.call(account.login, { phone: person.mobile, password }))
    const there = getCaller(await world.anybody.call(account.login, { phone: person.mobile, password }))
    const change = { old_password: password, password: '一个新的密码', confirm_password: '一个新的密码' }
    expect(await context.call(account.updatePassword, { ...change, old_password: 'wrong' })).toMatchObject({
      code: 100101,
      data: { field: 'old_password' },
    })
    expect(await context.call(account.updatePassword, { ...change, confirm_password: '另一个密码' })).toMatchObject({
      code: 100001,
      data: { field: 'confirm_password' },
      message: '两次输入的新密码不一致，请重新输入',
    })
    expect(
      await context.call(account.updatePassword, { ...change, password: '123456', confirm_password: '123456' }),
    ).toMatchObject({
      code: 100001,
      data: { field: 'password' },
    })
    await context.must(account.updatePassword, change)
    expect((await context.call(account.getCurrentUser)).code).toBe(0)
    expect((await there.call(account.getCurrentUser)).code).toBe(100018)
    expect((await world.anybody.call(account.login, { phone: person.mobile, password })).code).toBe(100101)
  })

  it('resets the password by a code with a single-use token for this phone', async () => {
    const person = await someone()
    const { sms } = await world.anybody.must(account.getVerifyCode, { phone: person.mobile, type: 'resetpwd' })
    const { token } = await world.anybody.must(account.validatePhoneCode, {
      phone: person.mobile,
      code: await codeFor(person.mobile),
      sms,
    })
    const reset = {
      type: 'resetpwd' as const,
      phone: person.mobile,
      token,
      newpass: '又一个新的密码',
      confirm_password: '又一个新的密码',
    }
    expect((await world.anybody.call(account.updatePassword, { ...reset, phone: boss.mobile })).code).toBe(100102)
    await world.anybody.must(account.updatePassword, reset)
    expect((await world.anybody.call(account.updatePassword, reset)).code).toBe(100102)
    expect((await world.anybody.call(account.login, { phone: person.mobile, password: '又一个新的密码' })).code).toBe(0)
  })

  it('sets the first password only once', async () => {
    const caller = await world.signIn(await corp.person({ power: ['1'] }))
    expect((await caller.must(account.getCurrentUser)).user.pass_status).toBe(10)
    await caller.must(account.setEarlyPassword, { password: '第一个新密码', confirm_password: '第一个新密码' })
    expect((await caller.must(account.getCurrentUser)).user.pass_status).toBe(20)
    expect(
      (await caller.call(account.setEarlyPassword, { password: '第二个新密码', confirm_password: '第二个新密码' })).code,
    ).toBe(100409)
  })
})

describe('request handling', () => {
  it('returns the first response for a repeated idempotency key without repeating the action, and refuses another body', async () => {
    const caller = await world.signIn(boss)
    const input = { name: '一次', mobile: '13611110000' }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => caller.call(member.insertMember, input, { key: 'the-same-key' })),
    )
    expect(new Set(answers.map((one) => JSON.stringify([one.code, one.data]))).size).toBe(1)
    expect(answers[0]?.code).toBe(0)
    const people = await caller.must(member.getMemberList, { name: '13611110000' })
    expect(people.page.total).toBe(1)
    expect((await caller.call(member.insertMember, { ...input, name: '两次' }, { key: 'the-same-key' })).code).toBe(100001)
  })

  it('writes audit log entries for executed and refused calls, without values', async () => {
    const caller = await world.signIn(boss)
    await caller.call(member.editMemberInfo, { id: boss.member_id, position: '总经理' })
    await caller.call(member.clearMember, { id: '00000000-0000-7000-8000-000000000000' })
    const lines = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('audit_log_entry').select(['call', 'outcome', 'details']).orderBy('id', 'desc').limit(2).execute(),
    )
    expect(lines.map((one) => [one.call.split('/').at(-1), one.outcome])).toEqual([
      ['clearMember', 'not_found'],
      ['editMemberInfo', 'done'],
    ])
    expect(JSON.stringify(lines)).not.toContain('总经理')
  })

  it('allows audit log entries to be inserted but not changed', async () => {
    for (const table of ['audit_log_entry', 'payslip_change'] as const) {
      await expect(world.database.inCompany(corp.company_id, (tx) => tx.deleteFrom(table).execute())).rejects.toThrow(
        /permission denied/,
      )
      await expect(
        world.database.inCompany(corp.company_id, (tx) => tx.updateTable(table).set({ id: corp.company_id }).execute()),
      ).rejects.toThrow(/permission denied/)
    }
  })

  it("returns only the company's own rows for a query without a company filter, and none without a company", async () => {
    const foreign = await world.createCompany()
    await foreign.people(3)
    const viewed = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('member').select('company_id').distinct().execute(),
    )
    expect(viewed).toEqual([{ company_id: corp.company_id }])
    for (const table of ['member', 'admin', 'batch', 'payslip', 'delivery', 'audit_log_entry', 'company_key'] as const) {
      expect(await world.database.withoutCompany((tx) => tx.selectFrom(table).selectAll().execute())).toEqual([])
      expect(await world.database.asSystem((tx) => tx.selectFrom(table).selectAll().execute())).toEqual([])
    }
    await expect(
      world.database.inCompany(corp.company_id, (tx) =>
        tx.insertInto('department').values({ company_id: foreign.company_id, id: foreign.company_id, name: 'x' }).execute(),
      ),
    ).rejects.toThrow(/row-level security/)
  })
})
