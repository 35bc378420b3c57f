/** Attacks on signing in (trust.md A1–A5, A8, A10–A14): guessing, spraying, locking out, telling who is known, codes and tokens elsewhere. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import * as profile from '../../server/contract/auth/profile.ts'
import * as account from '../../server/contract/auth/sign-in.ts'
import type { Call } from '../../server/contract/call.ts'
import { errorCodes } from '../../server/contract/errors.ts'
import * as employee from '../../server/contract/payslips/employee.ts'
import { newId } from '../../server/shared/ids.ts'
import { cheapHash, codesSent, freshAddress, lastCode, type Visitor, visitor } from '../support/callers/visitor.ts'
import { demo } from '../support/demo.ts'
import { trial } from '../support/run/trial.ts'
import type { Person } from '../support/world.ts'

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

async function codeOn(browser: Visitor, mobile: string, type: 'login' | 'resetpwd' | 'register' | 'changephone' | 'view') {
  later(61)
  const before = await codesSent(world, mobile)
  const asked = await browser.ask(account.getVerifyCode, { phone: mobile, type })
  expect([asked.code, asked.message]).toEqual([0, ''])
  return { sms: asked.data.sms, code: await lastCode(world, mobile, before) }
}
const isAlive = async (browser: Visitor) => (await browser.ask(employee.getCurrentEmployee, {})).code === 0

describe('guessing', () => {
  const guessing = { whole: 100_000, sample: 240, of: 'guesses', goal: 'G6' }
  const one = 'from 500 addresses for a day: at most 100 guesses are looked at, and the owner comes in all the same (A1, A3)'
  trial('guess-account', one, guessing, async ({ size: guesses }) => {
    const owner = await withPassword(await corp.person())
    const own = visitor(world)
    expect((await own.ask(account.login, { phone: owner.mobile, password: secret })).code).toBe(0)
    const crowd = Array.from({ length: 500 }, () => visitor(world))
    const verdicts = new Map<number, number>()
    for (let at = 0; at < guesses; at += 1) {
      later(86_400 / guesses)
      const answer = await (crowd[at % 500] as Visitor).ask(account.login, { phone: owner.mobile, password: `guess ${at}` })
      verdicts.set(answer.code, (verdicts.get(answer.code) ?? 0) + 1)
      if (at % Math.min(2_000, guesses / 4) === 50) {
        const home = await own.ask(account.login, { phone: owner.mobile, password: secret })
        expect([at, home.code]).toEqual([at, 0])
      }
    }
    expect([...verdicts.keys()].sort()).toEqual([wrong_password.code, locked.code])
    expect(verdicts.get(wrong_password.code)).toBeLessThanOrEqual(100)
    // From a browser nobody knows, the code of the own phone.
    const away = visitor(world)
    const { sms, code } = await codeOn(away, owner.mobile, 'login')
    expect((await away.ask(account.loginByCode, { phone: owner.mobile, sms, code })).code).toBe(0)
  })

  it('a browser that is known is no way to guess either: ten tries', async () => {
    const owner = await withPassword(await corp.person())
    const own = visitor(world)
    await own.ask(account.login, { phone: owner.mobile, password: secret })
    const codes: number[] = []
    for (let at = 0; at < 40; at += 1)
      codes.push((await own.ask(account.login, { phone: owner.mobile, password: `guess ${at}` })).code)
    expect(codes.filter((code) => code === wrong_password.code).length).toBeLessThanOrEqual(20)
    expect(codes.at(-1)).toBe(locked.code)
    // And one who is known for his own account is a stranger to another's.
    const victim = await withPassword(await corp.person())
    for (let at = 0; at < 10; at += 1) await visitor(world).ask(account.login, { phone: victim.mobile, password: `guess ${at}` })
    later(1)
    const sneak = visitor(world)
    const insider = await withPassword(await corp.person())
    await sneak.ask(account.login, { phone: insider.mobile, password: secret })
    expect((await sneak.ask(account.login, { phone: victim.mobile, password: secret })).code).toBe(locked.code)
  })

  it('common passwords over many phones from one address: 300 an hour, whatever X-Forwarded-For says (A2, A18)', async () => {
    const address = freshAddress()
    const spray = visitor(world, address)
    // Of people, because a password that nobody has costs what a real one costs: what is counted is the tries.
    const password_hash = await cheapHash(secret)
    const sprayed = Array.from({ length: 300 }, (_, at) => ({ id: newId(), mobile: phone(at), password_hash }))
    await world.database.withoutCompany((tx) => tx.insertInto('account').values(sprayed).execute())
    const codes: number[] = []
    for (let at = 0; at < 360; at += 1)
      codes.push(
        (
          await spray.ask(
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
    expect((await spray.ask(account.login, { phone: phone(0), password: 'aa123456' })).code).toBe(wrong_password.code)
  })

  it('three hundred at once: two are hashed at a time, a short line waits, the others hear so at once, and nobody else is held up (A5)', async () => {
    const flood = Array.from({ length: 300 }, (_, at) =>
      visitor(world).ask(account.login, { phone: phone(5000 + at), password: 'x' }),
    )
    const normal = await visitor(world).ask(account.getTimeInfo, {})
    expect(normal.code).toBe(0)
    const codes = (await Promise.all(flood)).map(({ code }) => code)
    expect(new Set(codes)).toEqual(new Set([wrong_password.code, too_often.code]))
    expect((await visitor(world).ask(account.login, { phone: phone(9000), password: 'x' })).code).toBe(wrong_password.code)
  })
})

describe('who is known (A4)', () => {
  /** The statements that a call sends, in their order: what is done for the one is done for the other. */
  async function statementsOf(act: () => Promise<unknown>): Promise<string[]> {
    const texts: string[] = []
    // Only this call's own: the queue works by its own clock, and a call before this one may have left something to be done.
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
    // The code itself is handed to the gateway beside the answer, which does not wait for it: it is not what is compared.
    return texts.filter((text) => !/outbox|^begin|^commit|^rollback|set_config/i.test(text))
  }
  const flows: [string, Call, (mobile: string) => Record<string, unknown>][] = [
    ['signing in by password', account.login, (mobile) => ({ phone: mobile, password: 'not the password' })],
    ['a code to sign in', account.getVerifyCode, (mobile) => ({ phone: mobile, type: 'login' })],
    ['a code to reset', account.getVerifyCode, (mobile) => ({ phone: mobile, type: 'resetpwd' })],
    [
      'a wrong code',
      account.validatePhoneCode,
      (mobile) => ({ phone: mobile, code: '000000', sms: '00000000-0000-7000-8000-000000000000' }),
    ],
    [
      'a reset with a token that is none',
      account.updatePassword,
      (mobile) => ({ type: 'resetpwd', phone: mobile, token: 'none', newpass: secret, confirm_password: secret }),
    ],
  ]
  it.each(flows)('%s: the same answer, the same headers, the same work for a phone nobody has', async (_what, call, input) => {
    const known = await withPassword(await corp.person())
    const rosterOnly = await corp.person({ joined: false })
    const seen: { body: string; work: string[]; cookies: string[] }[] = []
    for (const mobile of [known.mobile, rosterOnly.mobile, phone(7_000_000 + seen.length)]) {
      later(61)
      const browser = visitor(world)
      let answer: Awaited<ReturnType<Visitor['ask']>> | null = null
      const work = await statementsOf(async () => {
        answer = await browser.ask(call, input(mobile))
      })
      const { code, message, data, status } = answer as unknown as Awaited<ReturnType<Visitor['ask']>>
      const blank = JSON.stringify({ code, message, data, status }).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>')
      seen.push({ body: blank, work, cookies: [...browser.cookies.keys()].sort() })
    }
    expect(seen[0]?.work.length).toBeGreaterThan(0)
    expect(seen[1]).toEqual(seen[0])
    expect(seen[2]).toEqual(seen[0])
  })
})

describe('sessions', () => {
  it('what lay in the browser before the sign-in is worth nothing afterwards (A8)', async () => {
    const person = await withPassword(await corp.person())
    const thief = visitor(world)
    await thief.ask(account.login, { phone: (await withPassword(await corp.person())).mobile, password: secret })
    const fixed = new Map(thief.cookies)
    // The victim signs in on top of the pair that was laid into his browser.
    const victim = visitor(world)
    for (const [name, value] of fixed) victim.cookies.set(name, value)
    victim.token = thief.token
    expect((await victim.ask(account.login, { phone: person.mobile, password: secret })).code).toBe(0)
    expect(victim.token).not.toBe(thief.token)
    expect(victim.cookies.get('sid')).not.toBe(fixed.get('sid'))
    expect(victim.cookies.get('XSRF-TOKEN')).not.toBe(fixed.get('XSRF-TOKEN'))
    const mixed = visitor(world)
    for (const [name, value] of fixed) mixed.cookies.set(name, value)
    mixed.token = victim.token
    expect((await mixed.ask(employee.getCurrentEmployee, {})).code).toBe(signed_out.code)
  })

  it.each([
    ['an employee', undefined, 30 * 60, 12 * 3600],
    ['an administrator', ['4'] as const, 30 * 60, 8 * 3600],
  ])('%s: idle so long and no longer, and not beyond his working day (A10)', async (_who, power, idle_s, absolute_s) => {
    const person = await withPassword(await corp.person(power ? { power: [...power] } : {}))
    const enter = async () => {
      const browser = visitor(world)
      expect((await browser.ask(account.login, { phone: person.mobile, password: secret })).code).toBe(0)
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
  })
})

describe('first and other passwords', () => {
  it('the first is set while there is none, once, also fifty times at once (A11)', async () => {
    const person = await corp.person()
    const open = await world.signIn(person)
    const tries = await Promise.all(
      Array.from({ length: 50 }, (_, at) => {
        const one = `${secret} ${at}`
        return open.ask(at % 2 ? account.setEarlyPassword : profile.setPassword, { password: one, confirm_password: one })
      }),
    )
    expect(tries.filter(({ code }) => code === 0)).toHaveLength(1)
    expect(tries.filter(({ code }) => code !== 0 && code !== wrong_state.code && code !== too_often.code)).toEqual([])
    const right = tries.findIndex(({ code }) => code === 0)
    expect((await visitor(world).ask(account.login, { phone: person.mobile, password: `${secret} ${right}` })).code).toBe(0)
    const settled = await withPassword(await corp.person())
    const again = { password: 'ganz anderes Wort', confirm_password: 'ganz anderes Wort' }
    expect((await (await world.signIn(settled)).ask(account.setEarlyPassword, again)).code).toBe(wrong_state.code)
    expect((await (await world.signIn(settled)).ask(profile.setPassword, again)).code).toBe(wrong_state.code)
    // Without the old one, a session alone changes no password.
    const thief = await world.signIn(settled)
    expect((await thief.ask(account.updatePassword, { password: 'neu und lang', confirm_password: 'neu und lang' })).code).toBe(
      invalid.code,
    )
  })

  it.each([
    ['a blank at the end', 'abc def 99 ', 'abc def 99'],
    ['one sign more after the 16th', '0123 5678 abcdef', '0123 5678 abcdefX'],
    ['one sign more after the 63rd', `${'漢字假名'.repeat(15)}abc`, `${'漢字假名'.repeat(15)}abcd`],
    ['upper and lower case', 'Wolken ziehen', 'wolken ziehen'],
    ['one emoji for another', '薪水发放日🙂🙂', '薪水发放日🙂🙃'],
  ])('%s: only the exact one opens (A12)', async (_what, right, wrong) => {
    const person = await corp.person()
    const set = await (await world.signIn(person)).ask(account.setEarlyPassword, { password: right, confirm_password: right })
    expect([set.code, set.message]).toEqual([0, ''])
    expect((await visitor(world).ask(account.login, { phone: person.mobile, password: wrong })).code).toBe(wrong_password.code)
    expect((await visitor(world).ask(account.login, { phone: person.mobile, password: right })).code).toBe(0)
  })

  it('short, common, the phone, the company: refused at the field (A2, A12)', async () => {
    const person = await corp.person()
    const open = await world.signIn(person)
    const common =
      '123456 123456789 12345678 password 111111 123123 000000 qwerty abc123 a123456 1qaz2wsx woaini iloveyou 5201314 admin123 888888 666666 112233 654321 q1w2e3r4 aa123456 qwe123 asdf1234 zxcvbnm 1q2w3e4r 11111111 88888888 123321 123qwe password1'.split(
        ' ',
      )
    for (const word of ['12345', 'x'.repeat(65), ...common, person.mobile, person.mobile.slice(-8), corp.name]) {
      const answer = await open.ask(account.setEarlyPassword, { password: word, confirm_password: word })
      expect([word, answer.code, (answer.data as { field?: string }).field]).toEqual([word, invalid.code, 'password'])
    }
  })
})

describe('codes and tokens elsewhere', () => {
  const reset = (browser: Visitor, mobile: string, token: string) =>
    browser.ask(account.updatePassword, {
      type: 'resetpwd',
      phone: mobile,
      token,
      newpass: 'a wholly new secret',
      confirm_password: 'a wholly new secret',
    })
  async function tokenFor(browser: Visitor, mobile: string): Promise<string> {
    const { sms, code } = await codeOn(browser, mobile, 'resetpwd')
    const checked = await browser.ask(account.validatePhoneCode, { phone: mobile, code, sms })
    expect([checked.code, checked.message]).toEqual([0, ''])
    return checked.data.token
  }

  it('the token of a reset: not for another phone, not in another browser, not twice, not after ten minutes, not after a newer one (A13)', async () => {
    const own = visitor(world)
    const misuse: [string, (mobile: string, other: string) => Promise<number>][] = [
      ['another phone', async (mobile, other) => (await reset(own, other, await tokenFor(own, mobile))).code],
      ['another browser', async (mobile) => (await reset(visitor(world), mobile, await tokenFor(own, mobile))).code],
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
    // Somebody else each time: one network has few codes a day for one phone.
    for (const [what, act] of misuse) {
      const [{ mobile }, other] = [await withPassword(await corp.person()), await withPassword(await corp.person())]
      expect([what, await act(mobile, other.mobile)]).toEqual([what, wrong_code.code])
      for (const phone of [mobile, other.mobile])
        expect((await visitor(world).ask(account.login, { phone, password: secret })).code, what).toBe(0)
    }
    const person = await withPassword(await corp.person())
    const token = await tokenFor(own, person.mobile)
    expect((await reset(own, person.mobile, token)).code).toBe(0)
    expect((await reset(own, person.mobile, token)).code).toBe(wrong_code.code)
  })

  it('a code in another browser, for another purpose, for another phone (S4)', async () => {
    const person = await withPassword(await corp.person())
    const other = await corp.person()
    const own = visitor(world)
    const asked = await codeOn(own, person.mobile, 'login')
    const input = { phone: person.mobile, sms: asked.sms, code: asked.code }
    expect((await visitor(world).ask(account.loginByCode, input)).code).toBe(wrong_code.code)
    expect((await own.ask(account.validatePhoneCode, input)).code).toBe(wrong_code.code)
    expect((await own.ask(account.loginByCode, { ...input, phone: other.mobile })).code).toBe(wrong_code.code)
    expect((await own.ask(account.loginByCode, input)).code).toBe(0)
    expect((await own.ask(account.loginByCode, input)).code).toBe(wrong_code.code)
  })

  it('another phone: only with the password, only with a code sent to the new one, in this session, once (A14)', async () => {
    const person = await withPassword(await corp.person())
    const taken = await withPassword(await corp.person())
    const own = visitor(world)
    await own.ask(account.login, { phone: person.mobile, password: secret })
    const wanted = phone(3_000_001)
    expect((await own.ask(profile.changePhone, { password: 'wrong one' })).code).toBe(wrong_password.code)
    const step = await own.ask(profile.changePhone, { password: secret })
    const token = step.data.token ?? ''
    expect(token).not.toBe('')
    // Without a session nobody is sent a code for this.
    expect((await visitor(world).ask(account.getVerifyCode, { phone: wanted, type: 'changephone' })).code).not.toBe(0)
    const old = await codeOn(own, person.mobile, 'login')
    expect((await own.ask(profile.changePhone, { phone: wanted, code: old.code, sms: old.sms, token })).code).toBe(
      wrong_code.code,
    )
    const fresh = await codeOn(own, wanted, 'changephone')
    // Another's session with this token; this session with no token.
    const stranger = visitor(world)
    await stranger.ask(account.login, { phone: taken.mobile, password: secret })
    expect((await stranger.ask(profile.changePhone, { phone: wanted, ...fresh, token })).code).not.toBe(0)
    expect((await own.ask(profile.changePhone, { phone: wanted, ...fresh, token: 'none' })).code).not.toBe(0)
    expect((await visitor(world).ask(account.login, { phone: wanted, password: secret })).code).toBe(wrong_password.code)
    later(3600)
    const back = visitor(world)
    await back.ask(account.login, { phone: person.mobile, password: secret })
    const again = (await back.ask(profile.changePhone, { password: secret })).data.token ?? ''
    const right = await codeOn(back, wanted, 'changephone')
    const race = await Promise.all(
      Array.from({ length: 20 }, () => back.ask(profile.changePhone, { phone: wanted, ...right, token: again })),
    )
    expect(race.filter(({ code }) => code === 0)).toHaveLength(1)
    expect(await isAlive(back)).toBe(false)
    expect((await visitor(world).ask(account.login, { phone: wanted, password: secret })).code).toBe(0)
    expect((await visitor(world).ask(account.login, { phone: person.mobile, password: secret })).code).toBe(wrong_password.code)
    // The old phone hears of it, without the whole new number.
    const told = (await world.outbox()).filter((one) => one.mobile === person.mobile && !one.text.includes('验证码'))
    await world.product.jobs.drain()
    const heard = (await world.outbox()).filter((one) => one.mobile === person.mobile && !one.text.includes('验证码'))
    expect(heard.length).toBe(told.length + (told.length ? 0 : 1))
    expect(heard.every((one) => !one.text.includes(wanted))).toBe(true)
  })

  it('two people want the same number: one gets it', async () => {
    const wanted = phone(3_000_002)
    const both = await Promise.all(
      [0, 1].map(async () => {
        const person = await withPassword(await corp.person())
        const browser = visitor(world)
        await browser.ask(account.login, { phone: person.mobile, password: secret })
        return { browser, token: (await browser.ask(profile.changePhone, { password: secret })).data.token ?? '' }
      }),
    )
    const codes: { sms: string; code: string }[] = []
    for (const { browser } of both) codes.push(await codeOn(browser, wanted, 'changephone'))
    const answers = await Promise.all(
      both.map(({ browser, token }, at) =>
        browser.ask(profile.changePhone, { phone: wanted, token, ...(codes[at] as { sms: string; code: string }) }),
      ),
    )
    // The newer code ended the older one, so at most one of them can win, and never both.
    expect(answers.filter(({ code }) => code === 0).length).toBeLessThanOrEqual(1)
    const owners = await world.database.withoutCompany((tx) =>
      tx.selectFrom('account').select('id').where('mobile', '=', wanted).execute(),
    )
    expect(owners).toHaveLength(1)
  })
})
