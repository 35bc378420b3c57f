/** The second factor: enabling and disabling it, signing in with it, and single use of every code. */
import { TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'
import * as profile from '../../../server/contract/auth/profile.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import { codesSent, createClient, lastCode, type TestClient } from '../../support/callers/visitor.ts'
import { demo } from '../../support/demo.ts'
import { type Person, type PersonOptions } from '../../support/world.ts'

let hash = ''
const password = '孤帆远影碧空尽 1'
const { world, corp } = demo({ own: true })
beforeAll(async () => {
  hash = await hashPassword(password)
})

const { wrong_code, wrong_password, wrong_state, locked, not_permitted, signed_out } = errorCodes
const later = (seconds: number) => world.clock.advance(seconds * 1000)

async function someone(options: PersonOptions = { power: ['4'] }): Promise<Person> {
  const person = await corp.person(options)
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash: hash }).where('id', '=', person.account_id).execute(),
  )
  return person
}
const signIn = async (person: Person, browser = createClient(world)): Promise<TestClient> => {
  expect((await browser.call(account.login, { phone: person.mobile, password })).code).toBe(0)
  return browser
}
const codeNow = (secret: string, steps = 0) =>
  new TOTP({ secret }).generate({ timestamp: world.clock.now().getTime() + steps * 30_000 })

async function withFactor(person: Person) {
  const browser = await signIn(person)
  const { secret } = (await browser.call(profile.startTotp, { password })).data
  const confirmed = await browser.call(profile.confirmTotp, { code: codeNow(secret) })
  expect([confirmed.code, confirmed.message]).toEqual([0, ''])
  later(30)
  return { browser, secret, recovery: confirmed.data.recovery_codes }
}
async function halfIn(person: Person, browser = createClient(world)) {
  const { code, data } = await browser.call(account.login, { phone: person.mobile, password })
  expect([code, data.token, data.corps, data.corp_id]).toEqual([0, null, [], null])
  return { browser, factor_token: data.factor_token ?? '' }
}

describe('enabling two-factor authentication', () => {
  it('requires the password and an administrator, and asks for no second factor before the first code is confirmed', async () => {
    const person = await someone()
    const browser = await signIn(person)
    expect((await browser.call(profile.startTotp, { password: 'not this' })).code).toBe(wrong_password.code)
    expect((await browser.call(profile.confirmTotp, { code: '123456' })).code).toBe(wrong_state.code)
    const { secret, url } = (await browser.call(profile.startTotp, { password })).data
    expect(decodeURIComponent(url)).toMatch(/^otpauth:\/\/totp\/薪函:1\d\d\*{4}\d{4}\?.*issuer=薪函/)
    expect(url).not.toContain(person.mobile)
    expect((await createClient(world).call(account.login, { phone: person.mobile, password })).data.token).not.toBeNull()
    expect((await browser.call(profile.confirmTotp, { code: codeNow(secret, 5) })).code).toBe(wrong_code.code)
    const employeeOnly = await signIn(await someone({}))
    expect((await employeeOnly.call(profile.startTotp, { password })).code).toBe(not_permitted.code)
  })

  it('shows ten recovery codes once, ends the other sessions with a reason, and stores the secret encrypted', async () => {
    const person = await someone()
    const other = await signIn(person)
    const { browser, secret, recovery } = await withFactor(person)
    expect(new Set(recovery).size).toBe(10)
    expect(await other.call(account.getCurrentUser)).toMatchObject({
      code: signed_out.code,
      message: expect.stringContaining('两步验证'),
    })
    expect((await browser.call(profile.getProfile)).data).toMatchObject({ totp_on: true, recovery_codes_remaining: 10 })
    expect((await browser.call(account.getCurrentUser)).data.user.totp_on).toBe(true)
    expect((await browser.call(profile.startTotp, { password })).code).toBe(wrong_state.code)
    const row = await world.database.withoutCompany((tx) =>
      tx.selectFrom('account').selectAll().where('id', '=', person.account_id).executeTakeFirstOrThrow(),
    )
    const hashes = await world.database.withoutCompany((tx) => tx.selectFrom('recovery_code').selectAll().execute())
    const plain = JSON.stringify([row, hashes], (_, value: unknown) =>
      Buffer.isBuffer(value) ? value.toString('latin1') : value,
    )
    for (const word of [secret, ...recovery]) expect(plain).not.toContain(word)
  })
})

describe('signing in with two factors', () => {
  it('refuses the password alone and accepts each code of the current or an adjacent time step once', async () => {
    const person = await someone()
    const { secret } = await withFactor(person)
    const { browser, factor_token } = await halfIn(person)
    expect((await browser.call(account.getCurrentUser)).code).toBe(signed_out.code)
    expect((await browser.call(account.checkTotp, { factor_token, code: codeNow(secret, 3) })).code).toBe(wrong_code.code)
    const code = codeNow(secret, 1)
    expect((await browser.call(account.checkTotp, { factor_token, code })).data.corp_id).toBe(corp.company_id)
    expect((await browser.call(account.getCurrentUser)).code).toBe(0)
    const again = await halfIn(person)
    // The same code and an older one are used up, and so is the token of the first sign-in.
    for (const used of [code, codeNow(secret)])
      expect((await again.browser.call(account.checkTotp, { factor_token: again.factor_token, code: used })).code).toBe(
        wrong_code.code,
      )
    later(60)
    expect((await browser.call(account.checkTotp, { factor_token, code: codeNow(secret) })).code).toBe(wrong_code.code)
    expect((await again.browser.call(account.checkTotp, { factor_token: again.factor_token, code: codeNow(secret) })).code).toBe(
      0,
    )
  })

  it('accepts one of twenty simultaneous sign-ins with the same code', async () => {
    const person = await someone()
    const { secret } = await withFactor(person)
    const { browser, factor_token } = await halfIn(person)
    const code = codeNow(secret)
    const all = await Promise.all(Array.from({ length: 20 }, () => browser.call(account.checkTotp, { factor_token, code })))
    expect(all.filter((one) => one.code === 0)).toHaveLength(1)
  })

  it('binds the second factor token to its browser for five minutes', async () => {
    const person = await someone()
    const { secret } = await withFactor(person)
    const { browser, factor_token } = await halfIn(person)
    expect((await createClient(world).call(account.checkTotp, { factor_token, code: codeNow(secret) })).code).toBe(
      wrong_code.code,
    )
    later(301)
    expect((await browser.call(account.checkTotp, { factor_token, code: codeNow(secret) })).code).toBe(wrong_code.code)
  })

  it('allows five second factor attempts in a quarter of an hour, whichever token is used', async () => {
    const person = await someone()
    const { secret, recovery } = await withFactor(person)
    const codes: number[] = []
    for (let attempts = 0; attempts < 6; attempts += 1) {
      const { browser, factor_token } = await halfIn(person)
      codes.push((await browser.call(account.checkTotp, { factor_token, code: codeNow(secret, 7) })).code)
    }
    expect(codes).toEqual([...Array<number>(5).fill(wrong_code.code), locked.code])
    later(900)
    const { browser, factor_token } = await halfIn(person)
    expect((await browser.call(account.checkTotp, { factor_token, code: recovery[0] ?? '' })).code).toBe(0)
  })

  it('asks for the second factor after an SMS code and after a reset, and accepts a recovery code once', async () => {
    const person = await someone()
    const { recovery } = await withFactor(person)
    const browser = createClient(world)
    const proof = async (type: 'login' | 'resetpwd') => {
      later(61)
      const before = await codesSent(world, person.mobile)
      const { sms } = (await browser.call(account.getVerifyCode, { phone: person.mobile, type })).data
      return { phone: person.mobile, sms, code: await lastCode(world, person.mobile, before) }
    }
    const byCode = (await browser.call(account.loginByCode, await proof('login'))).data
    expect(byCode.token).toBeNull()
    const [code = ''] = recovery
    expect((await browser.call(account.checkTotp, { factor_token: byCode.factor_token ?? '', code })).code).toBe(0)
    const { token } = (await browser.call(account.validatePhoneCode, await proof('resetpwd'))).data
    const reset = {
      type: 'resetpwd',
      phone: person.mobile,
      token,
      newpass: '唯见长江天际流',
      confirm_password: '唯见长江天际流',
    } as const
    expect((await browser.call(account.updatePassword, reset)).code).toBe(0)
    const after = (await browser.call(account.login, { phone: person.mobile, password: '唯见长江天际流' })).data
    expect(after.token).toBeNull()
    const factor_token = after.factor_token ?? ''
    expect((await browser.call(account.checkTotp, { factor_token, code })).code).toBe(wrong_code.code)
    expect((await browser.call(account.checkTotp, { factor_token, code: recovery[1] ?? '' })).code).toBe(0)
    expect((await browser.call(profile.getProfile)).data.recovery_codes_remaining).toBe(8)
  })

  it('ends a sign-in whose password was changed meanwhile', async () => {
    const person = await someone()
    const { browser: own, secret } = await withFactor(person)
    const { browser, factor_token } = await halfIn(person)
    const change = { old_password: password, password: '天门中断楚江开', confirm_password: '天门中断楚江开' }
    expect((await own.call(account.updatePassword, change)).code).toBe(0)
    await browser.call(account.checkTotp, { factor_token, code: codeNow(secret) })
    expect((await browser.call(employee.getCurrentEmployee)).code).toBe(signed_out.code)
  })
})

it('requires the password and a code to disable the second factor', async () => {
  const person = await someone()
  const { browser, secret, recovery } = await withFactor(person)
  expect((await browser.call(profile.stopTotp, { password: 'not this', code: codeNow(secret) })).code).toBe(wrong_password.code)
  expect((await browser.call(profile.stopTotp, { password, code: codeNow(secret, 9) })).code).toBe(wrong_code.code)
  expect((await browser.call(profile.stopTotp, { password, code: recovery[9] ?? '' })).code).toBe(0)
  expect((await browser.call(profile.stopTotp, { password, code: recovery[8] ?? '' })).code).toBe(wrong_state.code)
  expect((await browser.call(profile.getProfile)).data).toMatchObject({ totp_on: false, recovery_codes_remaining: 0 })
  expect((await createClient(world).call(account.login, { phone: person.mobile, password })).data.token).not.toBeNull()
})
