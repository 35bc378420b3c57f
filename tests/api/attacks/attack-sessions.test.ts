/**
 * Attacks on sessions (trust.md A6, A7, A9, A21, A22; G18): stolen token halves, forged cross-site requests, sessions
 * that should have ended.
 */
import { createHash } from 'node:crypto'
import { connect } from 'node:net'
import { TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'
import * as role from '../../../server/contract/access/administrators.ts'
import * as approval from '../../../server/contract/approvals/approvals.ts'
import * as profile from '../../../server/contract/auth/profile.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { type ErrorName, errorCodes } from '../../../server/contract/errors.ts'
import { allCalls } from '../../../server/contract/index.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import { examples, type Ids } from '../../contract/examples.ts'
import { codesSent, createClient, lastCode, type TestClient } from '../../support/callers/visitor.ts'
import { demo } from '../../support/demo.ts'
import { freshPhone } from '../../support/random.ts'
import { trial } from '../../support/run/trial.ts'
import { type Caller, type Person, type PersonOptions } from '../../support/world.ts'

let head: Caller
let headPerson: Person
const secret = '停车坐爱枫林晚 3'
let hash = ''
const { world, corp } = demo({ company: { name: '丙公司' } })
beforeAll(async () => {
  hash = await hashPassword(secret)
  headPerson = await someone({ power: ['4'] })
  head = await world.signIn(headPerson)
})

const { signed_out, transferred, not_permitted } = errorCodes
async function someone(options: PersonOptions = {}): Promise<Person> {
  const person = await corp.person(options)
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash: hash }).where('id', '=', person.account_id).execute(),
  )
  return person
}
async function enter(person: Person): Promise<TestClient> {
  const browser = createClient(world)
  const answer = await browser.call(account.login, { phone: person.mobile, password: secret })
  expect([answer.code, answer.message]).toEqual([0, ''])
  return browser
}
const resultOf = async (browser: { call: TestClient['call'] | Caller['call'] }) =>
  (await browser.call(employee.getCurrentEmployee, {})).code
/** Twenty tabs and phones of one user. */
const twenty = (person: Person): Promise<Caller[]> => Promise.all(Array.from({ length: 20 }, () => world.signIn(person)))

const nothing = '00000000-0000-7000-8000-000000000000'
const noIds = new Proxy({}, { get: (_target, name) => (name === 'row' ? 4 : nothing) }) as Ids

/** Returns a digest of all data of this company and its members. */
async function digest(): Promise<string> {
  const hashed = createHash('sha256')
  const tables = ['company', 'department', 'member', 'admin', 'title', 'batch', 'payslip', 'notification', 'approval', 'invite']
  await world.database.inCompany(corp.company_id, async (tx) => {
    for (const table of tables)
      hashed.update(
        JSON.stringify(
          await tx
            .selectFrom(table as 'batch')
            .selectAll()
            .execute(),
        ),
      )
  })
  await world.database.withoutCompany(async (tx) => {
    hashed.update(JSON.stringify(await tx.selectFrom('account').selectAll().orderBy('id').execute()))
  })
  return hashed.digest('hex')
}

describe('stolen token', () => {
  const stealing = { full: 1_000, sample: 64, of: 'requests', goal: 'G18' }
  const alone = 'refuses a stolen token with no cookie, a foreign or an earlier one, and reports the attempt to the owner (A6)'
  trial('stolen-token', alone, stealing, async ({ size }) => {
    const owner = await someone({ power: ['2'] })
    const own = await enter(owner)
    const others = await Promise.all(Array.from({ length: 5 }, async () => enter(await someone())))
    const before = await enter(owner)
    const old = before.cookies.get('sid') ?? ''
    await before.call(account.logout, {})
    const verdicts = new Set<number>()
    for (let at = 0; at < size; at += 1) {
      const thief = createClient(world)
      thief.token = own.token
      if (at % 3 === 1) thief.cookies.set('sid', others[at % 5]?.cookies.get('sid') ?? '')
      if (at % 3 === 2) thief.cookies.set('sid', old)
      if (at % 2) thief.cookies.set('XSRF-TOKEN', own.cookies.get('XSRF-TOKEN') ?? '')
      verdicts.add((await thief.call(account.getCurrentUser, {})).code)
    }
    expect([...verdicts]).toEqual([signed_out.code])
    expect((await own.call(account.getCurrentUser, {})).code).toBe(0)
    const lines = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('audit_log_entry').select(['outcome', 'details']).where('account_id', '=', owner.account_id).execute(),
    )
    const alarms = lines.filter((line) => JSON.stringify(line).includes('token'))
    expect(alarms.length).toBeGreaterThanOrEqual(1)
    // Each session has one entry per hour, so that a thief cannot flood the audit log.
    expect(alarms.length).toBeLessThanOrEqual(3)
  })
})

describe('cross-site requests (A7)', () => {
  const writing = allCalls.filter((call) => call.method !== 'GET' && call.access !== 'public' && call.requestType === 'json')
  it.each(writing.map((call) => [call.route, call] as const))(
    'refuses a cross-site call of %s in all six variants',
    async (at, call) => {
      const [a, b] = [await world.signIn(headPerson), await world.signIn(headPerson)]
      const input = examples[at]?.(noIds) ?? {}
      const send = async (headers: Record<string, string | undefined>) => {
        const response = await world.product.app.inject({
          method: call.method,
          url: call.path,
          payload: input,
          headers: JSON.parse(JSON.stringify(headers)) as Record<string, string>,
        })
        const body = response.json<{ error_code?: number; code?: ErrorName }>()
        // Below /api/v1 errors are problem details, with the name of the error.
        return body.error_code ?? (body.code && errorCodes[body.code].code)
      }
      const { cookie, 'user-token': token, 'x-xsrf-token': xsrf } = a.headers
      const cases: [string, Record<string, string | undefined>, number][] = [
        ['the cookie alone, as a form of another site sends it', { cookie }, signed_out.code],
        ['no XSRF header', { cookie, 'user-token': token }, signed_out.code],
        [
          'one that is stale',
          { cookie, 'user-token': token, 'x-xsrf-token': `${xsrf?.startsWith('A') ? 'B' : 'A'}${xsrf?.slice(1)}` },
          signed_out.code,
        ],
        ["another session's", { cookie, 'user-token': token, 'x-xsrf-token': b.headers['x-xsrf-token'] }, signed_out.code],
        ["another session's token", { cookie, 'user-token': b.headers['user-token'], 'x-xsrf-token': xsrf }, signed_out.code],
        [
          'everything right, from another origin',
          { cookie, 'user-token': token, 'x-xsrf-token': xsrf, origin: 'https://evil.example', host: 'xinhan.example' },
          not_permitted.code,
        ],
      ]
      for (const [what, headers, code] of cases) expect([what, await send(headers)]).toEqual([what, code])
    },
  )

  it('changes nothing by a GET request', async () => {
    const before = await digest()
    for (const call of allCalls.filter(({ method }) => method === 'GET')) {
      await head.call(call, examples[call.route]?.(noIds) ?? {})
      await world.anybody.call(call, examples[call.route]?.(noIds) ?? {})
    }
    expect(await digest()).toBe(before)
  })
})

/**
 * The events of G18 that end sessions: password changed or reset, phone changed, powers reduced, termination, transfer,
 * forced sign-out by an administrator, sign-out (below). For the ninth event named in trust.md, unbinding a chat
 * platform, there is no call: a platform identity is removed when its member leaves.
 */
describe('sessions that must end in twenty places at once (A9, G18)', () => {
  type Case = {
    what: string
    code: number
    who: () => Promise<Person>
    act: (person: Person, own: TestClient) => Promise<number>
  }
  const over: Case[] = [
    {
      what: 'the user ends all other sessions',
      code: signed_out.code,
      who: () => someone(),
      act: async (_person, own) => (await own.call(profile.endSession, { all_others: true })).code,
    },
    {
      what: 'the user changes the password',
      code: signed_out.code,
      who: () => someone(),
      act: async (_person, own) =>
        (await own.call(account.updatePassword, { old_password: secret, password: 'neu neu 77', confirm_password: 'neu neu 77' }))
          .code,
    },
    {
      what: 'the user resets the password with a code',
      code: signed_out.code,
      who: () => someone(),
      act: async ({ mobile }) => {
        const browser = createClient(world)
        const before = await codesSent(world, mobile)
        const { sms } = (await browser.call(account.getVerifyCode, { phone: mobile, type: 'resetpwd' })).data
        const code = await lastCode(world, mobile, before)
        const { token } = (await browser.call(account.validatePhoneCode, { phone: mobile, code, sms })).data
        const change = { type: 'resetpwd', phone: mobile, token, newpass: 'neu neu 78', confirm_password: 'neu neu 78' } as const
        return (await browser.call(account.updatePassword, change)).code
      },
    },
    {
      what: 'the user changes the phone',
      code: signed_out.code,
      who: () => someone(),
      act: async (_person, own) => {
        const requested = freshPhone()
        const token = (await own.call(profile.changePhone, { password: secret })).data.token ?? ''
        const { sms } = (await own.call(account.getVerifyCode, { phone: requested, type: 'changephone' })).data
        return (await own.call(profile.changePhone, { phone: requested, token, sms, code: await lastCode(world, requested) }))
          .code
      },
    },
    {
      what: 'a power is revoked',
      code: signed_out.code,
      who: () => someone({ power: ['2', '3'] }),
      act: async ({ admin_id }) => (await head.call(role.clearRole, { user_id: admin_id ?? '', power: '3' })).code,
    },
    {
      what: 'the scope is reduced',
      code: signed_out.code,
      who: () => someone({ power: ['2'], scope: { all: true } }),
      act: async ({ admin_id }) =>
        (
          await head.call(role.editUserScope, {
            user_id: admin_id ?? '',
            scope: { all: false, department_ids: [await corp.department('小组')] },
          })
        ).code,
    },
    {
      what: 'the member is terminated',
      code: signed_out.code,
      who: () => someone(),
      act: async ({ member_id }) => (await head.call(member.clearMember, { id: member_id })).code,
    },
    {
      what: 'the company enters another phone',
      code: signed_out.code,
      who: () => someone(),
      act: async ({ member_id }) => (await head.call(member.editMemberInfo, { id: member_id, mobile: freshPhone() })).code,
    },
    {
      what: 'the user enables the second factor in one session',
      code: signed_out.code,
      who: () => someone({ power: ['2'] }),
      act: async (_person, own) => {
        const { secret: key } = (await own.call(profile.startTotp, { password: secret })).data
        const code = new TOTP({ secret: key }).generate({ timestamp: world.clock.now().getTime() })
        return (await own.call(profile.confirmTotp, { code })).code
      },
    },
    {
      what: 'an administrator signs the user out',
      code: signed_out.code,
      who: () => someone({ power: ['2'] }),
      act: async ({ admin_id }) => (await head.call(role.endUserSessions, { user_id: admin_id ?? '' })).code,
    },
    {
      what: 'the authority is transferred',
      code: transferred.code,
      who: () => someone({ power: ['2'] }),
      act: async ({ admin_id }) => {
        const next = await someone()
        return (await head.call(approval.transferManagerBySystemManager, { id: admin_id ?? '', member_id: next.member_id })).code
      },
    },
  ]
  it.each(over.map((one) => [one.what, one] as const))(
    'ends the session in twenty tabs: %s',
    async (_what, { code, who, act }) => {
      const person = await who()
      const tabs = await twenty(person)
      const own = await enter(person)
      expect(new Set(await Promise.all(tabs.map(resultOf)))).toEqual(new Set([0]))
      // The session also ends while all of them are in use: after the response every further request is refused, whatever
      // was in flight.
      const in_flight = tabs.map(resultOf)
      expect(await act(person, own)).toBe(0)
      expect((await Promise.all(in_flight)).filter((result) => result !== 0 && result !== code)).toEqual([])
      const verdicts = await Promise.all(tabs.map(resultOf))
      expect(verdicts.filter((result) => result !== code)).toEqual([])
    },
  )

  it('ends the session permanently on sign-out, even while it is in use', async () => {
    const own = await enter(await someone())
    const tabs = Array.from({ length: 20 }, () => {
      const tab = createClient(world)
      tab.token = own.token
      for (const [name, value] of own.cookies) tab.cookies.set(name, value)
      return tab
    })
    expect((await own.call(account.logout, {})).code).toBe(0)
    expect(new Set(await Promise.all(tabs.map(resultOf)))).toEqual(new Set([signed_out.code]))
  })

  it('lets users end only their own sessions', async () => {
    const [a, b] = [await enter(await someone()), await enter(await someone())]
    const list = (await b.call(profile.getSessionList, {})).data.list
    expect(list).toHaveLength(1)
    expect((await a.call(profile.endSession, { session_id: list[0]?.session_id ?? '' })).code).toBe(errorCodes.not_found.code)
    expect(await resultOf(b)).toBe(0)
    const message = JSON.stringify(list)
    for (const half of [b.token, b.cookies.get('sid'), b.cookies.get('XSRF-TOKEN')]) expect(message).not.toContain(half)
  })

  it('creates both token halves anew when switching companies and invalidates the old pair (A21)', async () => {
    const person = await someone()
    const other = await world.createCompany({ name: '丁公司' })
    await other.person({ same_as: person })
    const browser = createClient(world)
    await browser.call(account.login, { phone: person.mobile, password: secret })
    expect((await browser.call(account.selectCorp, { corp_id: corp.company_id })).code).toBe(0)
    const old = { token: browser.token, cookies: new Map(browser.cookies) }
    expect((await browser.call(employee.getCurrentEmployee, {})).data.corp_name).toBe('丙公司')
    expect((await browser.call(account.selectCorp, { corp_id: other.company_id })).code).toBe(0)
    expect((await browser.call(employee.getCurrentEmployee, {})).data.corp_name).toBe('丁公司')
    const stale = createClient(world)
    stale.token = old.token
    for (const [name, value] of old.cookies) stale.cookies.set(name, value)
    expect(await resultOf(stale)).toBe(signed_out.code)
    for (const mix of [old.token, browser.token]) {
      const mixed = createClient(world)
      mixed.token = mix
      for (const [name, value] of mix === old.token ? browser.cookies : old.cookies) mixed.cookies.set(name, value)
      expect(await resultOf(mixed)).toBe(signed_out.code)
    }
  })
})

describe('malformed headers (A22)', () => {
  /**
   * Returns the server's response to raw bytes; the connection is closed by the server, or by the test after a long
   * silence.
   */
  const raw = (port: number, text: string): Promise<string> =>
    new Promise((done) => {
      let message = ''
      const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'))
      const timer = setTimeout(() => socket.destroy(), 20_000)
      socket.on('data', (chunk) => {
        message += chunk.toString()
      })
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearTimeout(timer)
        done(message)
      })
    })

  it('answers malformed headers with neither a 500 nor access: two tokens, a megabyte, NUL, a folded line, an empty half', async () => {
    const port = Number((await world.listen()).port)
    const good = await world.signIn(headPerson)
    const { cookie = '', 'user-token': token = '', 'x-xsrf-token': xsrf = '' } = good.headers
    const call = (lines: string[]) =>
      raw(
        port,
        [
          `POST ${account.getCurrentUser.path} HTTP/1.1`,
          `host: 127.0.0.1:${port}`,
          'content-type: application/json',
          'content-length: 2',
          'connection: close',
          ...lines,
          '',
          '{}',
        ].join('\r\n'),
      )
    const right = [`cookie: ${cookie}`, `user-token: ${token}`, `x-xsrf-token: ${xsrf}`]
    expect(await call(right)).toContain('"error_code":0')
    const cases: [string, string[]][] = [
      ['two tokens, the right one first', [...right, 'user-token: x']],
      ['two tokens, the right one last', ['user-token: x', ...right]],
      ['a megabyte', [...right.slice(0, 1), `user-token: ${'a'.repeat(1_000_000)}`, right[2] ?? '']],
      ['NUL', [...right.slice(0, 1), `user-token: ${token}\0`, right[2] ?? '']],
      ['a folded line', [...right.slice(0, 1), `user-token: ${token.slice(0, 10)}`, ` ${token.slice(10)}`, right[2] ?? '']],
      ['an empty token', [...right.slice(0, 1), 'user-token: ', right[2] ?? '']],
      ['two cookies named sid', [`cookie: sid=x; ${cookie}`, ...right.slice(1)]],
      ['the token as the cookie', [`cookie: sid=${token}`, ...right.slice(1)]],
      ['a token of bytes above 127', [...right.slice(0, 1), 'user-token: \xff\xfe\xfd', right[2] ?? '']],
    ]
    for (const [what, lines] of cases) {
      const message = await call(lines)
      expect([what, message.startsWith('HTTP/1.1 5')]).toEqual([what, false])
      expect([what, message.includes('"error_code":0')]).toEqual([what, false])
    }
    expect(await call(right)).toContain('"error_code":0')
  })
})
