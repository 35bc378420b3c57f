/**
 * Attacks on SMS codes (trust.md S1–S5): pumping, bombing, guessing, codes in the wrong place, races. Sent messages are
 * counted at the gateway; the clock is set.
 */
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import * as profile from '../../../server/contract/auth/profile.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as invite from '../../../server/contract/invites/invite.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { codeLimits } from '../../../server/http/limits/config.ts'
import { cheapHash, createClient, freshAddress, type TestClient } from '../../support/callers/visitor.ts'
import { demo } from '../../support/demo.ts'
import { freshPhone } from '../../support/random.ts'
import { trial } from '../../support/run/trial.ts'
import { getGateway } from '../../support/slips.ts'
import type { Person } from '../../support/world.ts'

let keeper: Person
const gateway = getGateway()
const { world, corp } = demo({ own: { sms: () => gateway } })
beforeAll(async () => {
  keeper = await corp.person({ power: ['4'] })
})

const { wrong_code, locked, too_often, signed_out } = errorCodes
const secret = '月落乌啼霜满天 9'
const later = (seconds: number) => world.clock.advance(seconds * 1000)
const day = 86_400
/**
 * An idle machine needs a tenth of this time. A test that timed out would keep advancing the clock during the next one.
 */
vi.setConfig({ testTimeout: 300_000 })
const types = ['login', 'register', 'resetpwd', 'changephone', 'invite', 'view'] as const
type Type = (typeof types)[number]
const sentTo = (mobile: string) => gateway.accepted.filter((one) => one.mobile === mobile && one.text.includes('验证码'))

/** Requests a code and reads it at the gateway; the call does not wait for the delivery. */
async function codeOn(browser: TestClient, phone: string, type: Type): Promise<{ sms: string; code: string }> {
  const before = sentTo(phone).length
  const requested = await browser.call(account.getVerifyCode, { phone, type })
  expect([type, requested.code, requested.message]).toEqual([type, 0, ''])
  await expect.poll(() => sentTo(phone).length, patient).toBeGreaterThan(before)
  return { sms: requested.data.sms, code: /\d{6}/.exec(sentTo(phone).at(-1)?.text ?? '')?.[0] ?? '' }
}
const other = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
const attemptsOf = async (sms: string): Promise<number> =>
  (
    await world.database.withoutCompany((tx) =>
      tx.selectFrom('challenge').select('attempts').where('id', '=', sms).executeTakeFirstOrThrow(),
    )
  ).attempts

async function withPassword(person: Person): Promise<Person> {
  const password_hash = await cheapHash(secret)
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash }).where('id', '=', person.account_id).execute(),
  )
  return person
}

/** Waiting for a message allows for a busy machine. */
const patient = { timeout: 30_000, interval: 20 }

describe('SMS pumping (S1)', () => {
  const flood = { full: 4_800, sample: 600, of: 'codes', goal: 'S1' }
  const fresh =
    'fresh phones from 300 addresses within a day: two each, few more; an address gets 10 an hour, and who comes new is served'
  trial('code-flood', fresh, flood, async ({ size, says }) => {
    const rounds = size / 300
    const before = gateway.accepted.length
    const one = freshAddress()
    const verdicts: number[] = []
    for (let at = 0; at < 30; at += 1)
      verdicts.push((await createClient(world, one).call(account.getVerifyCode, { phone: freshPhone(), type: 'register' })).code)
    expect(verdicts).toEqual([...Array.from({ length: 10 }, () => 0), ...Array.from({ length: 20 }, () => locked.code)])
    const addresses = Array.from({ length: 300 }, () => freshAddress())
    let accepted = 0
    for (let round = 0; round < rounds; round += 1) {
      for (let from = 0; from < 300; from += 50) {
        const answers = await Promise.all(
          addresses
            .slice(from, from + 50)
            .map((address) =>
              createClient(world, address).call(account.getVerifyCode, { phone: freshPhone(), type: 'register' }),
            ),
        )
        expect(answers.every(({ code }) => code === 0 || code === locked.code)).toBe(true)
        accepted += answers.filter(({ code }) => code === 0).length
      }
      // A first-time user during the attack.
      await codeOn(createClient(world), freshPhone(), 'register')
      later(day / (rounds + 1))
    }
    const { first_of_peer, repeats } = codeLimits
    expect(accepted).toBeGreaterThanOrEqual(300 * first_of_peer)
    expect(accepted).toBeLessThanOrEqual(
      300 * first_of_peer + repeats.holds + (day * (rounds - 1)) / (rounds + 1) / repeats.refill_s,
    )
    await expect.poll(() => gateway.accepted.length - before, patient).toBe(10 + accepted + rounds)
    says(`${accepted} of ${size} messages; ${rounds} newcomers served at once`)
    later(day)
    await codeOn(createClient(world), freshPhone(), 'register')
  })

  it('sends an unknown phone nothing for purposes of known users, with an identical response', async () => {
    const before = gateway.accepted.length
    const existing = await corp.person()
    for (const type of ['login', 'resetpwd', 'view'] as const) {
      later(61)
      const strange = await createClient(world).call(account.getVerifyCode, { phone: freshPhone(), type })
      const own = await createClient(world).call(account.getVerifyCode, { phone: existing.mobile, type })
      expect([strange.code, Object.keys(strange.data)]).toEqual([own.code, Object.keys(own.data)])
    }
    await expect.poll(() => gateway.accepted.length - before, patient).toBe(3)
    expect(gateway.accepted.slice(before).every((one) => one.mobile === existing.mobile)).toBe(true)
    expect((await createClient(world).call(account.getVerifyCode, { phone: freshPhone(), type: 'changephone' })).code).toBe(
      signed_out.code,
    )
  })

  it('does not reveal roster phones through join codes, even when the limit for unknown phones is used up', async () => {
    later(day)
    const address = freshAddress()
    const call = (phone: string) => createClient(world, address).call(account.getVerifyCode, { phone, type: 'invite' })
    for (let at = 0; at < 10; at += 1) expect((await call(freshPhone())).code).toBe(0)
    const before = gateway.accepted.length
    const existing = await corp.person({ joined: false })
    const [strange, own] = [await call(freshPhone()), await call(existing.mobile)]
    expect([strange.code, strange.message, Object.keys(strange.data)]).toEqual([own.code, own.message, Object.keys(own.data)])
    expect(own.code).toBe(0)
    await expect.poll(() => gateway.accepted.length - before, patient).toBe(1)
    expect(gateway.accepted.at(-1)?.mobile).toBe(existing.mobile)
  })

  it.each([
    '13800',
    '+8613800138000',
    '008613800138000',
    '23800138000',
    '1380013800a',
    '１３８００１３８０００',
    '138001380001',
    '',
  ])('refuses to send a code to a phone outside mainland China: %s', async (phone) => {
    const before = gateway.accepted.length
    for (const type of types)
      expect((await createClient(world).call(account.getVerifyCode, { phone, type })).code).toBe(errorCodes.invalid.code)
    expect(gateway.accepted.length).toBe(before)
  })
})

describe('SMS bombing of one user (S2)', () => {
  const bombing = { full: 960, sample: 180, of: 'calls', goal: 'S2' }
  const allDay =
    'limits a phone to nine codes a day for all six purposes and 100 addresses, reserves one for the owner, and waits a minute between codes'
  trial('code-bombing', allDay, bombing, async ({ size: calls }) => {
    later(day)
    const victim = await withPassword(await corp.person())
    const attacker = await withPassword(await corp.person())
    const signedIn = createClient(world)
    await signedIn.call(account.login, { phone: attacker.mobile, password: secret })
    const home = freshAddress()
    const own = createClient(world, home)
    expect((await own.call(account.login, { phone: victim.mobile, password: secret })).code).toBe(0)
    const crowd = Array.from({ length: 100 }, () => createClient(world))
    const messages = new Set<number>()
    for (let at = 0; at < calls; at += 1) {
      later(Math.floor(day / calls) - 1)
      const type = types[at % 6] as Type
      // The attacker's session idles out now and then, so they sign in again.
      const by = type === 'changephone' ? signedIn : (crowd[at % 100] as TestClient)
      if (type === 'changephone' && at % 12 === 3) await by.call(account.login, { phone: attacker.mobile, password: secret })
      messages.add((await by.call(account.getVerifyCode, { phone: victim.mobile, type })).code)
    }
    expect([...messages].every((code) => [0, locked.code, too_often.code, signed_out.code].includes(code))).toBe(true)
    await expect.poll(() => sentTo(victim.mobile).length, patient).toBe(codeLimits.phone_day.anybody)
    // Refused requests do not block the owner's one-minute interval.
    const call = (by: TestClient) => by.call(account.getVerifyCode, { phone: victim.mobile, type: 'login' })
    for (let at = 0; at < 20; at += 1) expect((await call(createClient(world))).code).toBe(locked.code)
    // The browser in which the owner is signed in.
    await codeOn(own, victim.mobile, 'login')
    later(61)
    expect((await call(createClient(world, home))).code).toBe(locked.code)
    expect((await call(own)).code).toBe(locked.code)
    expect(sentTo(victim.mobile)).toHaveLength(10)
    later(day)
    const burst = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        createClient(world).call(account.getVerifyCode, {
          phone: victim.mobile,
          type: types[[0, 1, 2, 4, 5][at % 5] ?? 0] as Type,
        }),
      ),
    )
    expect(burst.filter(({ code }) => code === 0)).toHaveLength(1)
    expect(burst.filter(({ code }) => code === too_often.code)).toHaveLength(59)
  })
})

describe('a phone whose code limit was used up by attackers (issue 19, 12)', () => {
  const asks = (by: TestClient, phone: string, type: Type = 'login') => by.call(account.getVerifyCode, { phone, type })
  /** Two networks request codes for hours; returns the codes received on the phone. */
  async function usedUp(phone: string): Promise<string[]> {
    later(day)
    const two = [createClient(world), createClient(world)]
    const before = sentTo(phone).length
    for (let at = 0; at < 16; at += 1) {
      await asks(two[at % 2] as TestClient, phone)
      later(1_300)
    }
    await expect.poll(() => sentTo(phone).length - before, patient).toBe(codeLimits.phone_day_for.enter)
    return sentTo(phone)
      .slice(before)
      .map((one) => /\d{6}/.exec(one.text)?.[0] ?? '')
  }
  const enters = (by: TestClient, phone: string, sms: string, code: string) => by.call(account.loginByCode, { phone, sms, code })

  it('lets the owner sign in at once with two received codes, without sending another one', async () => {
    const person = await corp.person()
    const rang = await usedUp(person.mobile)
    const own = createClient(world)
    const requested = await asks(own, person.mobile)
    expect([requested.code, Object.keys(requested.data).sort()]).toEqual([locked.code, ['expires_in', 'retry_after', 'sms']])
    expect(requested.message).toContain('两条验证码')
    const sms = String((requested.data as unknown as { sms: string }).sms)
    const [first = '', second = '', third = ''] = rang
    const accepted = gateway.accepted.length
    // A single code, one code twice, an invented one and a truncated one are refused.
    for (const code of [first, first + first, first + other(second)])
      expect([code, (await enters(own, person.mobile, sms, code)).code]).toEqual([code, wrong_code.code])
    // The challenge is bound to this browser.
    expect((await enters(createClient(world), person.mobile, sms, first + second)).code).toBe(wrong_code.code)
    expect((await enters(own, person.mobile, sms, second + first)).code).toBe(0)
    expect(gateway.accepted.length).toBe(accepted)
    // A proof is valid once: neither the challenge nor the codes work again in any browser.
    expect((await enters(own, person.mobile, sms, first + second)).code).toBe(wrong_code.code)
    const again = await asks(createClient(world), person.mobile)
    expect(again.code).toBe(locked.code)
    const thief = createClient(world)
    const { sms: later_on } = (await asks(thief, person.mobile)).data as unknown as { sms: string }
    expect((await enters(thief, person.mobile, later_on, first + third)).code).toBe(wrong_code.code)
    // In the browser in which the owner is now signed in, codes are sent as usual.
    later(61)
    await codeOn(own, person.mobile, 'login')
  })

  it('accepts neither a used code nor one of yesterday as half of a proof, and allows five attempts', async () => {
    later(day)
    const person = await corp.person()
    const used = await codeOn(createClient(world), person.mobile, 'login')
    const before = sentTo(person.mobile).length
    const attacker = createClient(world)
    const spent = createClient(world)
    later(61)
    const own = await codeOn(spent, person.mobile, 'login')
    expect((await enters(spent, person.mobile, own.sms, own.code)).code).toBe(0)
    later(61)
    await codeOn(attacker, person.mobile, 'login')
    later(3601)
    await codeOn(attacker, person.mobile, 'login')
    later(61)
    const fresh = sentTo(person.mobile)
      .slice(before + 1)
      .map((one) => /\d{6}/.exec(one.text)?.[0] ?? '')
    const by = createClient(world)
    const call = async () => String(((await asks(by, person.mobile)).data as unknown as { sms: string }).sms)
    const sms = await call()
    expect((await enters(by, person.mobile, sms, own.code + (fresh[0] ?? ''))).code).toBe(wrong_code.code)
    for (let at = 0; at < 4; at += 1)
      expect((await enters(by, person.mobile, sms, `${other(used.code)}${fresh[0]}`)).code).toBe(wrong_code.code)
    expect((await enters(by, person.mobile, sms, `${fresh[1]}${fresh[0]}`)).code).toBe(wrong_code.code)
    const second = await call()
    later(day - 3 * 3600)
    expect((await enters(by, person.mobile, second, `${fresh[1]}${fresh[0]}`)).code).toBe(wrong_code.code)
  })

  it('does not reveal to a caller over the limit whether the phone is known', async () => {
    const [mobile, strange] = [(await corp.person()).mobile, freshPhone()]
    later(day)
    for (let at = 0; at < 16; at += 1) {
      for (const phone of [mobile, strange]) await asks(createClient(world), phone)
      later(1_300)
    }
    const answers = [await asks(createClient(world), strange), await asks(createClient(world), mobile)]
    expect(answers.map(({ code, data }) => [code, Object.keys(data).sort()])).toEqual([
      [locked.code, ['expires_in', 'retry_after', 'sms']],
      [locked.code, ['expires_in', 'retry_after', 'sms']],
    ])
    expect(sentTo(strange)).toHaveLength(0)
    const by = createClient(world)
    const codes: number[] = []
    for (let at = 0; at < codeLimits.pair_hour + 1; at += 1) codes.push('sms' in (await asks(by, mobile)).data ? 1 : 0)
    expect(codes).toEqual([...Array.from({ length: codeLimits.pair_hour }, () => 1), 0])
    // Registration is impossible without the phone; a signed-in user who requests a code for their own number gets no
    // pair challenge.
    expect('sms' in (await asks(createClient(world), mobile, 'view')).data).toBe(false)
  })
})

describe('guessing a code (S3)', () => {
  it('checks at most five guesses for each of four codes when eight phones are attacked for hours from one network', async () => {
    later(day)
    const people = await corp.people(8)
    const browsers = people.map(() => createClient(world))
    const challenges: string[][] = people.map(() => [])
    let hits = 0
    let refused = 0
    for (let round = 0; round < 13; round += 1) {
      later(800)
      await Promise.all(
        people.map(async ({ mobile }, at) => {
          const browser = browsers[at] as TestClient
          const requested = await browser.call(account.getVerifyCode, { phone: mobile, type: 'login' })
          if (requested.code !== 0) {
            refused += 1
            return
          }
          challenges[at]?.push(requested.data.sms)
          for (let guess = 0; guess < 8; guess += 1) {
            const code = String((round * 8 + guess) * 7919 + at).padStart(6, '0')
            // About once in six thousand runs a guess is correct by chance.
            if (sentTo(mobile).at(-1)?.text.includes(code)) continue
            const answer = await browser.call(account.loginByCode, { phone: mobile, sms: requested.data.sms, code })
            if (answer.code === 0) hits += 1
            else expect(answer.code).toBe(wrong_code.code)
          }
        }),
      )
    }
    expect(challenges.map((all) => all.length)).toEqual(people.map(() => codeLimits.phone_day_for.enter))
    expect(refused).toBe(8 * (13 - codeLimits.phone_day_for.enter))
    const rows = await world.database.withoutCompany((tx) =>
      tx.selectFrom('challenge').select(['id', 'mobile', 'attempts', 'code_hash']).where('id', 'in', challenges.flat()).execute(),
    )
    const looked = rows.reduce((sum, { attempts }) => sum + attempts, 0)
    expect(Math.max(...rows.map(({ attempts }) => attempts))).toBe(5)
    // The attacker's cost per account and day: at most 45 checked guesses, twenty for one purpose, against a million
    // codes each.
    expect(looked / people.length / 1e6).toBeLessThanOrEqual(5e-5)
    expect(hits).toBe(0)
    // A stored code is not a plain hash of six digits, which could be tried exhaustively.
    const [row] = rows
    const code = /\d{6}/.exec(sentTo(row?.mobile ?? '').at(0)?.text ?? '')?.[0] ?? ''
    for (const plain of [code, `${row?.id}|${code}`, `code|${row?.id}|${code}`])
      expect(rows.some(({ code_hash }) => code_hash.equals(createHash('sha256').update(plain).digest()))).toBe(false)
  })

  it('refuses the correct code after five wrong guesses, whichever call received them', async () => {
    later(day)
    const person = await corp.person()
    const browser = createClient(world)
    const { sms, code } = await codeOn(browser, person.mobile, 'resetpwd')
    for (let at = 0; at < 5; at += 1)
      expect((await browser.call(account.validatePhoneCode, { phone: person.mobile, sms, code: other(code) })).code).toBe(
        wrong_code.code,
      )
    expect((await browser.call(account.validatePhoneCode, { phone: person.mobile, sms, code })).code).toBe(wrong_code.code)
    expect(await attemptsOf(sms)).toBe(5)
  })

  it('distributes codes evenly over all six digits', () => {
    const codes = gateway.accepted.flatMap((one) => /验证码 (\d{6})/.exec(one.text)?.[1] ?? [])
    expect(codes.length).toBeGreaterThan(500)
    // Each digit at each position occurs in about a tenth: within six sigma.
    for (let position = 0; position < 6; position += 1)
      for (const digit of '0123456789') {
        const count = codes.filter((code) => code[position] === digit).length
        expect(Math.abs(count - codes.length / 10)).toBeLessThan(6 * Math.sqrt(codes.length * 0.09))
      }
  })
})

/** A flow that ends with a code: the browser, the phone, and the call that uses it. `use` returns the response code. */
type Flow = {
  readonly browser: TestClient
  readonly phone: string
  use(by: TestClient, proof: { sms: string; code: string }): Promise<number>
}
const flows: Record<Type, () => Promise<Flow>> = {
  async login() {
    const { mobile: phone } = await corp.person()
    return {
      browser: createClient(world),
      phone,
      use: async (by, proof) => (await by.call(account.loginByCode, { phone, ...proof })).code,
    }
  },
  async resetpwd() {
    const { mobile: phone } = await corp.person()
    return {
      browser: createClient(world),
      phone,
      // The code is exchanged for a token, which is valid only for the purpose of the code.
      async use(by, proof) {
        const { code, data } = await by.call(account.validatePhoneCode, { phone, ...proof })
        if (code !== 0) return code
        const { token } = data
        return (
          await by.call(account.updatePassword, { type: 'resetpwd', phone, token, newpass: secret, confirm_password: secret })
        ).code
      },
    }
  },
  async register() {
    const phone = freshPhone()
    return {
      browser: createClient(world),
      phone,
      use: async (by, proof) =>
        (
          await by.call(account.registerCorp, {
            corp_name: `新公司${phone}甲`,
            user_name: '创办人',
            phone,
            password: secret,
            ...proof,
          })
        ).code,
    }
  },
  async changephone() {
    const person = await withPassword(await corp.person())
    const phone = freshPhone()
    const browser = createClient(world)
    await browser.call(account.login, { phone: person.mobile, password: secret })
    const token = (await browser.call(profile.changePhone, { password: secret })).data.token ?? ''
    expect(token).not.toBe('')
    return { browser, phone, use: async (by, proof) => (await by.call(profile.changePhone, { phone, token, ...proof })).code }
  },
  async invite() {
    const person = await corp.person({ joined: false })
    const boss = await world.signIn(keeper)
    await boss.must(invite.sendInviteCode, { member_ids: [person.member_id] })
    await world.product.jobs.drain()
    const text = gateway.accepted.findLast((one) => one.mobile === person.mobile)?.text ?? ''
    const code = /code=([\w-]+)/.exec(text)?.[1] ?? ''
    return {
      browser: createClient(world),
      phone: person.mobile,
      use: async (by, proof) =>
        (
          await by.call(invite.acceptInvite, {
            code,
            phone: person.mobile,
            sms: proof.sms,
            verify_code: proof.code,
            password: secret,
          })
        ).code,
    }
  },
  async view() {
    const person = await withPassword(await corp.person())
    const browser = createClient(world)
    await browser.call(account.login, { phone: person.mobile, password: secret })
    return { browser, phone: person.mobile, use: async (by, proof) => (await by.call(employee.unlock, proof)).code }
  },
}
/** The same session in another browser, as after a stolen session. */
function elsewhere(from: TestClient): TestClient {
  const thief = createClient(world)
  for (const [name, value] of from.cookies) if (!name.endsWith('did')) thief.cookies.set(name, value)
  thief.token = from.token
  return thief
}

describe.each(types)('misuse of a code for %s (S4)', (type) => {
  it('refuses a code that was already used', async () => {
    later(day)
    const { browser, phone, use } = await flows[type]()
    const proof = await codeOn(browser, phone, type)
    expect(await use(browser, proof)).toBe(0)
    expect(await use(browser, proof)).not.toBe(0)
  })

  it('refuses an older code after a newer one was sent', async () => {
    later(day)
    const { browser, phone, use } = await flows[type]()
    const old = await codeOn(browser, phone, type)
    later(61)
    const fresh = await codeOn(browser, phone, type)
    expect(await use(browser, old)).toBe(wrong_code.code)
    // The older challenge cannot be combined with the newer code, nor the other way round.
    if (old.code !== fresh.code) {
      expect(await use(browser, { sms: fresh.sms, code: old.code })).toBe(wrong_code.code)
      expect(await use(browser, { sms: old.sms, code: fresh.code })).toBe(wrong_code.code)
    }
    expect(await use(browser, fresh)).toBe(0)
  })

  it('refuses a code sent for another purpose', async () => {
    later(day)
    for (const wrong of types) {
      if (wrong === type) continue
      // No code for signing in is sent to an unknown phone, so there is nothing to misuse.
      if (['register', 'changephone'].includes(type) && ['login', 'resetpwd', 'view'].includes(wrong)) continue
      later(3600)
      const fresh = await flows[type]()
      if (wrong === 'changephone' && fresh.browser.token === null) continue
      const proof = await codeOn(fresh.browser, fresh.phone, wrong)
      expect([wrong, await fresh.use(fresh.browser, proof)]).toEqual([wrong, wrong_code.code])
    }
  })

  it('refuses a code of another phone', async () => {
    later(day)
    const { browser, phone, use } = await flows[type]()
    const theirs = await codeOn(browser, (await corp.person()).mobile, type)
    expect(await use(browser, theirs)).toBe(wrong_code.code)
    expect(await use(browser, await codeOn(browser, phone, type))).toBe(0)
  })

  it('refuses a code in another browser', async () => {
    later(day)
    const { browser, phone, use } = await flows[type]()
    const proof = await codeOn(browser, phone, type)
    expect(await use(elsewhere(browser), proof)).toBe(wrong_code.code)
    expect(await use(browser, proof)).toBe(0)
  })

  it('accepts a code for five minutes and refuses it afterwards', async () => {
    later(day)
    const late = await flows[type]()
    const proof = await codeOn(late.browser, late.phone, type)
    later(301)
    expect(await late.use(late.browser, proof)).toBe(wrong_code.code)
    later(3600)
    const intime = await flows[type]()
    const good = await codeOn(intime.browser, intime.phone, type)
    later(299)
    expect(await intime.use(intime.browser, good)).toBe(0)
  })
})

describe('parallel attempts (S5)', () => {
  it.each(['login', 'resetpwd', 'invite', 'register'] as const)(
    'checks five of 100 parallel guesses at a code for %s',
    async (type) => {
      later(day)
      const { browser, phone, use } = await flows[type]()
      const { sms, code } = await codeOn(browser, phone, type)
      const answers = await Promise.all(Array.from({ length: 100 }, () => use(browser, { sms, code: other(code) })))
      expect(answers.every((answer) => answer === wrong_code.code)).toBe(true)
      expect(await attemptsOf(sms)).toBe(5)
      expect(await use(browser, { sms, code })).toBe(wrong_code.code)
    },
  )

  it.each(['login', 'resetpwd', 'invite', 'register'] as const)(
    'accepts one of 100 parallel uses of the correct code for %s',
    async (type) => {
      later(day)
      const { browser, phone, use } = await flows[type]()
      const proof = await codeOn(browser, phone, type)
      const answers = await Promise.all(Array.from({ length: 100 }, () => use(browser, proof)))
      expect(answers.filter((answer) => answer === 0)).toHaveLength(1)
      expect(await attemptsOf(proof.sms)).toBeLessThanOrEqual(5)
    },
  )
})
