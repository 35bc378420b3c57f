/**
 * Attacks on sign-in (trust.md A1–A5, A8, A10–A14): guessing, spraying, lock-out, account enumeration, misuse of codes
 * and tokens.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import * as profile from '../../../server/contract/auth/profile.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import type { Call } from '../../../server/contract/call.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { newId } from '../../../server/shared/ids.ts'
import { cheapHash, codesSent, createClient, freshAddress, lastCode, type TestClient } from '../../support/callers/visitor.ts'
import { demo } from '../../support/demo.ts'
import { trial } from '../../support/run/trial.ts'
import type { Person } from '../../support/world.ts'

const { world, corp } = demo({ own: true })

const { wrong_password, wrong_code, wrong_state, locked, too_often, invalid, signed_out } = errorCodes
const secret = '月落乌啼霜满天 9'
let hash = ''
async function withPassword(person: Person, password = secret): Promise<Person> {
  if (!hash) hash = await cheapHash(secret)
  const password_hash = password === secret ? hash : await cheapHash(password)
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash }).where('id', '=', person.account_id).execute(),
  )
  return person
}
const later = (seconds: number) => world.clock.advance(seconds * 1000)
const phone = (at: number) => `1771${String(at).padStart(7, '0')}`

async function codeOn(browser: TestClient, mobile: string, type: 'login' | 'resetpwd' | 'register' | 'changephone' | 'view') {
  later(61)
  const before = await codesSent(world, mobile)
  const requested = await browser.call(account.getVerifyCode, { phone: mobile, type })
  expect([requested.code, requested.message]).toEqual([0, ''])
  return { sms: requested.data.sms, code: await lastCode(world, mobile, before) }
}
const isAlive = async (browser: TestClient) => (await browser.call(employee.getCurrentEmployee, {})).code === 0

describe('password guessing', () => {
  const guessing = { full: 100_000, sample: 240, of: 'guesses', goal: 'G6' }
  const one = 'from 500 addresses for a day: at most 100 guesses are looked at, and the owner comes in all the same (A1, A3)'
  trial('guess-account', one, guessing, async ({ size: guesses }) => {
    const owner = await withPassword(await corp.person())
    const own = createClient(world)
    expect((await own.call(account.login, { phone: owner.mobile, password: secret })).code).toBe(0)
    const crowd = Array.from({ length: 500 }, () => createClient(world))
    const verdicts = new Map<number, number>()
    for (let at = 0; at < guesses; at += 1) {
      later(86_400 / guesses)
      const answer = await (crowd[at % 500] as TestClient).call(account.login, { phone: owner.mobile, password: `guess ${at}` })
      verdicts.set(answer.code, (verdicts.get(answer.code) ?? 0) + 1)
      if (at % Math.min(2_000, guesses / 4) === 50) {
        const home = await own.call(account.login, { phone: owner.mobile, password: secret })
        expect([at, home.code]).toEqual([at, 0])
      }
    }
    expect([...verdicts.keys()].sort()).toEqual([wrong_password.code, locked.code])
    expect(verdicts.get(wrong_password.code)).toBeLessThanOrEqual(100)
    // The user signs in from an unknown browser, with a code to their own phone.
    const away = createClient(world)
    const { sms, code } = await codeOn(away, owner.mobile, 'login')
    expect((await away.call(account.loginByCode, { phone: owner.mobile, sms, code })).code).toBe(0)
  })

  it('allows ten attempts from a known browser as well', async () => {
    const owner = await withPassword(await corp.person())
    const own = createClient(world)
    await own.call(account.login, { phone: owner.mobile, password: secret })
    const codes: number[] = []
    for (let at = 0; at < 40; at += 1)
      codes.push((await own.call(account.login, { phone: owner.mobile, password: `guess ${at}` })).code)
    expect(codes.filter((code) => code === wrong_password.code).length).toBeLessThanOrEqual(20)
    expect(codes.at(-1)).toBe(locked.code)
    // A browser known for one account is unknown to another account.
    const victim = await withPassword(await corp.person())
    for (let at = 0; at < 10; at += 1)
      await createClient(world).call(account.login, { phone: victim.mobile, password: `guess ${at}` })
    later(1)
    const sneak = createClient(world)
    const insider = await withPassword(await corp.person())
    await sneak.call(account.login, { phone: insider.mobile, password: secret })
    expect((await sneak.call(account.login, { phone: victim.mobile, password: secret })).code).toBe(locked.code)
  })

  it('limits common passwords tried on many phones from one address to 300 an hour, whatever X-Forwarded-For says (A2, A18)', async () => {
    const address = freshAddress()
    const spray = createClient(world, address)
    // The test uses real accounts, because hashing costs the same for a password that nobody has: the attempts are
    // counted.
    const password_hash = await cheapHash(secret)
    const sprayed = Array.from({ length: 300 }, (_, at) => ({ id: newId(), mobile: phone(at), password_hash }))
    await world.database.withoutCompany((tx) => tx.insertInto('account').values(sprayed).execute())
    const codes: number[] = []
    for (let at = 0; at < 360; at += 1)
      codes.push(
        (
          await spray.call(
            account.login,
            { phone: phone(at), password: 'aa123456' },
            {
              'x-forwarded-for': `203.0.113.${at % 250}`,
              'x-real-ip': `198.51.100.${at % 250}`,
              forwarded: `for=192.0.2.${at % 250}`,
            },
          )
        ).code,
      )
    expect(codes.filter((code) => code === wrong_password.code)).toHaveLength(300)
    expect(codes.slice(300)).toEqual(Array(60).fill(locked.code))
    later(3600)
    expect((await spray.call(account.login, { phone: phone(0), password: 'aa123456' })).code).toBe(wrong_password.code)
  })

  it('hashes two of three hundred parallel passwords at a time, queues a few, refuses the rest at once, and delays nobody else (A5)', async () => {
    const flood = Array.from({ length: 300 }, (_, at) =>
      createClient(world).call(account.login, { phone: phone(5000 + at), password: 'x' }),
    )
    const normal = await createClient(world).call(account.getTimeInfo, {})
    expect(normal.code).toBe(0)
    const codes = (await Promise.all(flood)).map(({ code }) => code)
    expect(new Set(codes)).toEqual(new Set([wrong_password.code, too_often.code]))
    expect((await createClient(world).call(account.login, { phone: phone(9000), password: 'x' })).code).toBe(wrong_password.code)
  })
})

describe('account enumeration (A4)', () => {
  /** Returns the statements of a call in order: the same work must be done for known and unknown phones. */
  async function getStatements(act: () => Promise<unknown>): Promise<string[]> {
    const texts: string[] = []
    // Checks only the messages of this call: the queue runs on its own clock, and an earlier call may have left work
    // for it.
    const own = new AsyncLocalStorage<true>()
    const { pool } = world.database
    const spied = new WeakSet<object>()
    const spy = (client: { query: (...args: never[]) => unknown }) => {
      if (spied.has(client)) return
      spied.add(client)
      const real = client.query.bind(client)
      client.query = (...args: never[]) => {
        const [first] = args as unknown as [string | { text: string }]
        if (own.getStore()) texts.push((typeof first === 'string' ? first : first.text).replace(/\s+/g, ' ').slice(0, 120))
        return real(...args)
      }
    }
    const onAcquire = (client: unknown) => spy(client as never)
    pool.on('acquire', onAcquire)
    await own.run(true, act)
    pool.off('acquire', onAcquire)
    // The code itself is sent in parallel with the response, which does not wait for it, so it is not compared.
    return texts.filter((text) => !/outbox|^begin|^commit|^rollback|set_config/i.test(text))
  }
  const flows: [string, Call, (mobile: string) => Record<string, unknown>][] = [
    ['sign-in by password', account.login, (mobile) => ({ phone: mobile, password: 'not the password' })],
    ['a sign-in code', account.getVerifyCode, (mobile) => ({ phone: mobile, type: 'login' })],
    ['a reset code', account.getVerifyCode, (mobile) => ({ phone: mobile, type: 'resetpwd' })],
    [
      'a wrong code',
      account.validatePhoneCode,
      (mobile) => ({ phone: mobile, code: '000000', sms: '00000000-0000-7000-8000-000000000000' }),
    ],
    [
      'a reset with an invalid token',
      account.updatePassword,
      (mobile) => ({ type: 'resetpwd', phone: mobile, token: 'none', newpass: secret, confirm_password: secret }),
    ],
  ]
  it.each(flows)(
    'returns the same response and headers after the same work for an unknown phone: %s',
    async (_what, call, input) => {
      const existing = await withPassword(await corp.person())
      const rosterOnly = await corp.person({ joined: false })
      const viewed: { body: string; work: string[]; cookies: string[] }[] = []
      for (const mobile of [existing.mobile, rosterOnly.mobile, phone(7_000_000 + viewed.length)]) {
        later(61)
        const browser = createClient(world)
        let answer: Awaited<ReturnType<TestClient['call']>> | null = null
        const work = await getStatements(async () => {
          answer = await browser.call(call, input(mobile))
        })
        const { code, message, data, status } = answer as unknown as Awaited<ReturnType<TestClient['call']>>
        const blank = JSON.stringify({ code, message, data, status }).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
        viewed.push({ body: blank, work, cookies: [...browser.cookies.keys()].sort() })
      }
      expect(viewed[0]?.work.length).toBeGreaterThan(0)
      expect(viewed[1]).toEqual(viewed[0])
      expect(viewed[2]).toEqual(viewed[0])
    },
  )
})

describe('sessions', () => {
  it('ignores a session stored in the browser before the sign-in (A8)', async () => {
    const person = await withPassword(await corp.person())
    const thief = createClient(world)
    await thief.call(account.login, { phone: (await withPassword(await corp.person())).mobile, password: secret })
    const fixed = new Map(thief.cookies)
    // The victim signs in on top of the token pair planted in the browser.
    const victim = createClient(world)
    for (const [name, value] of fixed) victim.cookies.set(name, value)
    victim.token = thief.token
    expect((await victim.call(account.login, { phone: person.mobile, password: secret })).code).toBe(0)
    expect(victim.token).not.toBe(thief.token)
    expect(victim.cookies.get('sid')).not.toBe(fixed.get('sid'))
    expect(victim.cookies.get('XSRF-TOKEN')).not.toBe(fixed.get('XSRF-TOKEN'))
    const mixed = createClient(world)
    for (const [name, value] of fixed) mixed.cookies.set(name, value)
    mixed.token = victim.token
    expect((await mixed.call(employee.getCurrentEmployee, {})).code).toBe(signed_out.code)
  })

  it.each([
    ['an employee', undefined, 30 * 60, 12 * 3600],
    ['an administrator', ['4'] as const, 30 * 60, 8 * 3600],
  ])(
    'ends the session of %s after the idle limit and at the latest after a working day (A10)',
    async (_who, power, idle_s, absolute_s) => {
      const person = await withPassword(await corp.person(power ? { power: [...power] } : {}))
      const enter = async () => {
        const browser = createClient(world)
        expect((await browser.call(account.login, { phone: person.mobile, password: secret })).code).toBe(0)
        return browser
      }
      const idle = await enter()
      later(idle_s - 1)
      expect(await isAlive(idle)).toBe(true)
      later(idle_s + 1)
      expect(await isAlive(idle)).toBe(false)
      const busy = await enter()
      let spent = 0
      while (spent + 1500 < absolute_s) {
        later(1500)
        spent += 1500
        expect([spent, await isAlive(busy)]).toEqual([spent, true])
      }
      later(absolute_s - spent - 1)
      expect(await isAlive(busy)).toBe(true)
      later(2)
      expect(await isAlive(busy)).toBe(false)
    },
  )
})

describe('first and changed passwords', () => {
  it('sets the first password once, even with fifty parallel requests (A11)', async () => {
    const person = await corp.person()
    const open = await world.signIn(person)
    const attempts = await Promise.all(
      Array.from({ length: 50 }, (_, at) => {
        const one = `${secret} ${at}`
        return open.call(at % 2 ? account.setEarlyPassword : profile.setPassword, { password: one, confirm_password: one })
      }),
    )
    expect(attempts.filter(({ code }) => code === 0)).toHaveLength(1)
    expect(attempts.filter(({ code }) => code !== 0 && code !== wrong_state.code && code !== too_often.code)).toEqual([])
    const right = attempts.findIndex(({ code }) => code === 0)
    expect((await createClient(world).call(account.login, { phone: person.mobile, password: `${secret} ${right}` })).code).toBe(0)
    const settled = await withPassword(await corp.person())
    const again = { password: 'ganz anderes Wort', confirm_password: 'ganz anderes Wort' }
    expect((await (await world.signIn(settled)).call(account.setEarlyPassword, again)).code).toBe(wrong_state.code)
    expect((await (await world.signIn(settled)).call(profile.setPassword, again)).code).toBe(wrong_state.code)
    // Without the old password, a session alone cannot change it.
    const thief = await world.signIn(settled)
    expect((await thief.call(account.updatePassword, { password: 'neu und lang', confirm_password: 'neu und lang' })).code).toBe(
      invalid.code,
    )
  })

  it.each([
    ['a trailing space', 'abc def 99 ', 'abc def 99'],
    ['one additional character after the 16th', '0123 5678 abcdef', '0123 5678 abcdefX'],
    ['one additional character after the 63rd', `${'漢字假名'.repeat(15)}abc`, `${'漢字假名'.repeat(15)}abcd`],
    ['different letter case', 'Wolken ziehen', 'wolken ziehen'],
    ['a different emoji', '薪水发放日🙂🙂', '薪水发放日🙂🙃'],
  ])('accepts only the exact password, not one that differs by %s (A12)', async (_what, right, wrong) => {
    const person = await corp.person()
    const set = await (await world.signIn(person)).call(account.setEarlyPassword, { password: right, confirm_password: right })
    expect([set.code, set.message]).toEqual([0, ''])
    expect((await createClient(world).call(account.login, { phone: person.mobile, password: wrong })).code).toBe(
      wrong_password.code,
    )
    expect((await createClient(world).call(account.login, { phone: person.mobile, password: right })).code).toBe(0)
  })

  it('reports short or common passwords, the phone and the company name as a password at their field (A2, A12)', async () => {
    const person = await corp.person()
    const open = await world.signIn(person)
    const common =
      '123456 123456789 12345678 password 111111 123123 000000 qwerty abc123 a123456 1qaz2wsx woaini iloveyou 5201314 admin123 888888 666666 112233 654321 q1w2e3r4 aa123456 qwe123 asdf1234 zxcvbnm 1q2w3e4r 11111111 88888888 123321 123qwe password1'.split(
        ' ',
      )
    for (const word of ['12345', 'x'.repeat(65), ...common, person.mobile, person.mobile.slice(-8), corp.name]) {
      const answer = await open.call(account.setEarlyPassword, { password: word, confirm_password: word })
      expect([word, answer.code, (answer.data as { field?: string }).field]).toEqual([word, invalid.code, 'password'])
    }
  })
})

describe('misuse of codes and tokens', () => {
  const reset = (browser: TestClient, mobile: string, token: string) =>
    browser.call(account.updatePassword, {
      type: 'resetpwd',
      phone: mobile,
      token,
      newpass: 'a wholly new secret',
      confirm_password: 'a wholly new secret',
    })
  async function tokenFor(browser: TestClient, mobile: string): Promise<string> {
    const { sms, code } = await codeOn(browser, mobile, 'resetpwd')
    const checked = await browser.call(account.validatePhoneCode, { phone: mobile, code, sms })
    expect([checked.code, checked.message]).toEqual([0, ''])
    return checked.data.token
  }

  it('refuses a reset token for another phone, in another browser, twice, after ten minutes, or after a newer one (A13)', async () => {
    const own = createClient(world)
    const misuse: [string, (mobile: string, other: string) => Promise<number>][] = [
      ['another phone', async (mobile, other) => (await reset(own, other, await tokenFor(own, mobile))).code],
      ['another browser', async (mobile) => (await reset(createClient(world), mobile, await tokenFor(own, mobile))).code],
      [
        'after ten minutes',
        async (mobile) => {
          const token = await tokenFor(own, mobile)
          later(601)
          return (await reset(own, mobile, token)).code
        },
      ],
      [
        'after a newer one',
        async (mobile) => {
          const token = await tokenFor(own, mobile)
          await tokenFor(own, mobile)
          return (await reset(own, mobile, token)).code
        },
      ],
    ]
    // A different user is taken each time, because one network gets few codes a day for one phone.
    for (const [what, act] of misuse) {
      const [{ mobile }, other] = [await withPassword(await corp.person()), await withPassword(await corp.person())]
      expect([what, await act(mobile, other.mobile)]).toEqual([what, wrong_code.code])
      for (const phone of [mobile, other.mobile])
        expect((await createClient(world).call(account.login, { phone, password: secret })).code, what).toBe(0)
    }
    const person = await withPassword(await corp.person())
    const token = await tokenFor(own, person.mobile)
    expect((await reset(own, person.mobile, token)).code).toBe(0)
    expect((await reset(own, person.mobile, token)).code).toBe(wrong_code.code)
  })

  it('refuses a code in another browser, for another purpose, or for another phone (S4)', async () => {
    const person = await withPassword(await corp.person())
    const other = await corp.person()
    const own = createClient(world)
    const requested = await codeOn(own, person.mobile, 'login')
    const input = { phone: person.mobile, sms: requested.sms, code: requested.code }
    expect((await createClient(world).call(account.loginByCode, input)).code).toBe(wrong_code.code)
    expect((await own.call(account.validatePhoneCode, input)).code).toBe(wrong_code.code)
    expect((await own.call(account.loginByCode, { ...input, phone: other.mobile })).code).toBe(wrong_code.code)
    expect((await own.call(account.loginByCode, input)).code).toBe(0)
    expect((await own.call(account.loginByCode, input)).code).toBe(wrong_code.code)
  })

  it('changes the phone only once, in this session, with the password and a code sent to the new phone (A14)', async () => {
    const person = await withPassword(await corp.person())
    const accepted = await withPassword(await corp.person())
    const own = createClient(world)
    await own.call(account.login, { phone: person.mobile, password: secret })
    const requested = phone(3_000_001)
    expect((await own.call(profile.changePhone, { password: 'wrong one' })).code).toBe(wrong_password.code)
    const step = await own.call(profile.changePhone, { password: secret })
    const token = step.data.token ?? ''
    expect(token).not.toBe('')
    // Without a session no code for this purpose is sent.
    expect((await createClient(world).call(account.getVerifyCode, { phone: requested, type: 'changephone' })).code).not.toBe(0)
    const old = await codeOn(own, person.mobile, 'login')
    expect((await own.call(profile.changePhone, { phone: requested, code: old.code, sms: old.sms, token })).code).toBe(
      wrong_code.code,
    )
    const fresh = await codeOn(own, requested, 'changephone')
    // Another user's session with this token, and this session without a token, are refused.
    const outsider = createClient(world)
    await outsider.call(account.login, { phone: accepted.mobile, password: secret })
    expect((await outsider.call(profile.changePhone, { phone: requested, ...fresh, token })).code).not.toBe(0)
    expect((await own.call(profile.changePhone, { phone: requested, ...fresh, token: 'none' })).code).not.toBe(0)
    expect((await createClient(world).call(account.login, { phone: requested, password: secret })).code).toBe(wrong_password.code)
    later(3600)
    const back = createClient(world)
    await back.call(account.login, { phone: person.mobile, password: secret })
    const again = (await back.call(profile.changePhone, { password: secret })).data.token ?? ''
    const right = await codeOn(back, requested, 'changephone')
    const race = await Promise.all(
      Array.from({ length: 20 }, () => back.call(profile.changePhone, { phone: requested, ...right, token: again })),
    )
    expect(race.filter(({ code }) => code === 0)).toHaveLength(1)
    expect(await isAlive(back)).toBe(false)
    expect((await createClient(world).call(account.login, { phone: requested, password: secret })).code).toBe(0)
    expect((await createClient(world).call(account.login, { phone: person.mobile, password: secret })).code).toBe(
      wrong_password.code,
    )
    // The old phone is notified, without the full new number.
    const notified = (await world.outbox()).filter((one) => one.mobile === person.mobile && !one.text.includes('验证码'))
    await world.product.jobs.drain()
    const heard = (await world.outbox()).filter((one) => one.mobile === person.mobile && !one.text.includes('验证码'))
    expect(heard.length).toBe(notified.length + (notified.length ? 0 : 1))
    expect(heard.every((one) => !one.text.includes(requested))).toBe(true)
  })

  it('assigns a number requested by two users to only one of them', async () => {
    const requested = phone(3_000_002)
    const both = await Promise.all(
      [0, 1].map(async () => {
        const person = await withPassword(await corp.person())
        const browser = createClient(world)
        await browser.call(account.login, { phone: person.mobile, password: secret })
        return { browser, token: (await browser.call(profile.changePhone, { password: secret })).data.token ?? '' }
      }),
    )
    const codes: { sms: string; code: string }[] = []
    for (const { browser } of both) codes.push(await codeOn(browser, requested, 'changephone'))
    const answers = await Promise.all(
      both.map(({ browser, token }, at) =>
        browser.call(profile.changePhone, { phone: requested, token, ...(codes[at] as { sms: string; code: string }) }),
      ),
    )
    // The newer code invalidated the older one, so at most one of them can succeed, and never both.
    expect(answers.filter(({ code }) => code === 0).length).toBeLessThanOrEqual(1)
    const owners = await world.database.withoutCompany((tx) =>
      tx.selectFrom('account').select('id').where('mobile', '=', requested).execute(),
    )
    expect(owners).toHaveLength(1)
  })
})
