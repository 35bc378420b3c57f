/** Inviting members and joining by an invite (calls.md §4 and §9; trust.md S6, S7). Refusals first. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CarrierSender, MessageRejectedError, RateLimitedError, sendOneByOne } from '../../../platform/carrier.ts'
import * as agency from '../../../server/contract/agency/agency.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as invite from '../../../server/contract/invites/invite.ts'
import * as notifications from '../../../server/contract/notifications/notifications.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { createDemoSender } from '../../../server/demo/sender.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import { findValidInvite, generateInviteCode } from '../../../server/modules/invites/codes.ts'
import { newId } from '../../../server/shared/ids.ts'
import { createClient, type TestClient } from '../../support/callers/visitor.ts'
import { transfer } from '../../support/outside/counter.ts'
import { trial } from '../../support/run/trial.ts'
import { invite_segments, smsLeft } from '../../support/slips.ts'
import { type Caller, type Corp, type Person, startWorld, type World } from '../../support/world.ts'

let world: World
let corp: Corp
let keeper: Pick<Caller, 'call' | 'must'>
/** What the gateway does with the next messages; it accepts them by default. */
let behave: ((id: string) => Promise<void> | void) | null = null

beforeAll(async () => {
  const telling = (line: CarrierSender): CarrierSender => ({
    ...line,
    send: (messages) =>
      sendOneByOne(messages, async (message) => {
        if (message.kind === 'invite') await behave?.(message.id)
        await line.send([message])
        return { ref: message.id }
      }),
  })
  world = await startWorld({ sms: (database) => telling(createDemoSender(database, 'sms')) })
  corp = await world.createCompany({ name: '云杉科技' })
  keeper = tireless(await corp.person({ power: ['3'] }))
})
beforeEach(() => {
  behave = null
})
afterAll(() => world.close())

/** Signs in again for every call, because the clock advances by days here. */
const tireless = (person: Person): Pick<Caller, 'call' | 'must'> => ({
  call: async (...requested) => (await world.signIn(person)).call(...requested),
  must: async (...requested) => (await world.signIn(person)).must(...requested),
})
const later = (seconds: number) => world.clock.advance(seconds * 1000)
const hours = 3600
const newcomer = (to: Corp = corp): Promise<Person> => to.person({ joined: false })
const password = '春江花月夜 7'
const deadLabels = { code: 100404, message: '邀请无效或已过期，请联系企业管理员重新邀请', data: {} }

/** Returns the code in the last link sent to this phone. */
async function codeTo(mobile: string): Promise<string> {
  const match = (await world.outbox()).findLast((one) => one.mobile === mobile && one.text.includes('/m/invite?code='))
  if (!match) throw new Error('no invite was sent')
  return /code=([\w-]+)/.exec(match.text)?.[1] ?? ''
}
/** Follows the link from the demo's outbox like a newcomer. */
async function linkInOutbox(mobile: string): Promise<string> {
  const { body } = await world.product.app.inject({ url: '/dev/outbox', query: { mobile } })
  return /href="(\/m\/invite[^"]*)"/.exec(body)?.[1] ?? ''
}
async function invited(person: Person, by = keeper): Promise<string> {
  await by.must(invite.sendInviteCode, { member_ids: [person.member_id] })
  await world.product.jobs.drain()
  return codeTo(person.mobile)
}
/** Requests a code for this phone and reads it. */
async function proof(from: TestClient, phone: string): Promise<{ phone: string; sms: string; verify_code: string }> {
  later(61)
  const before = (await world.outbox()).length
  const requested = await from.call(account.getVerifyCode, { phone, type: 'invite' })
  if (requested.code !== 0) throw new Error(`no code: ${requested.message}`)
  // The call does not wait for the gateway to receive the code.
  for (let attempts = 0; attempts < 1_500; attempts += 1) {
    const match = (await world.outbox()).slice(before).find((one) => one.mobile === phone && one.text.includes('验证码'))
    if (match) return { phone, sms: requested.data.sms, verify_code: /验证码 (\d{6})/.exec(match.text)?.[1] ?? '' }
    await new Promise((go) => setTimeout(go, 20))
  }
  throw new Error('no code was sent')
}
async function accept(code: string, phone: string, more: object = { password }) {
  const from = createClient(world)
  return { from, answer: await from.call(invite.acceptInvite, { code, ...(await proof(from, phone)), ...more }) }
}
const getRow = (person: Person) =>
  world.database.inCompany(person.company_id, (tx) =>
    tx.selectFrom('member').select(['account_id', 'status']).where('id', '=', person.member_id).executeTakeFirstOrThrow(),
  )
const getInvites = (person: Person) =>
  world.database.inCompany(person.company_id, (tx) =>
    tx.selectFrom('invite').selectAll().where('member_id', '=', person.member_id).orderBy('created_at').execute(),
  )
async function givePassword(person: Person, text: string): Promise<void> {
  const password_hash = await hashPassword(text)
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash }).where('id', '=', person.account_id).execute(),
  )
}

describe('sending invites', () => {
  it('requires recipients for an invite', async () => {
    expect(await keeper.call(invite.sendInviteCode, {})).toMatchObject({ code: 100001, data: { field: 'member_ids' } })
    expect(await keeper.call(invite.sendInviteCode, { member_ids: [] })).toMatchObject({ code: 100001 })
  })

  it("refuses to invite another company's members or members out of scope, and then invites nobody", async () => {
    const other = await world.createCompany()
    const theirs = await newcomer(other)
    const current = await newcomer()
    const branch = await corp.department('分部')
    const scoped = tireless(await corp.person({ power: ['3'], scope: { all: false, department_ids: [branch] } }))
    for (const [by, ids] of [
      [keeper, [current.member_id, theirs.member_id]],
      [keeper, [newId()]],
      [scoped, [current.member_id]],
    ] as const)
      expect(await by.call(invite.sendInviteCode, { member_ids: [...ids] })).toMatchObject({ code: 100404 })
    expect(await getInvites(current)).toEqual([])
    const within = await corp.person({ joined: false, department_ids: [branch] })
    expect(await scoped.must(invite.sendInviteCode, { all: true })).toEqual({ queued: { platform: 0, sms: 1 }, skipped: 0 })
    expect(await getInvites(within)).toHaveLength(1)
  })

  it('skips and counts joined and terminated members', async () => {
    const joined = await corp.person()
    const person = await newcomer()
    expect(await keeper.must(invite.sendInviteCode, { member_ids: [joined.member_id, person.member_id] })).toEqual({
      queued: { platform: 0, sms: 1 },
      skipped: 1,
    })
  })

  it('charges one message per invite and sends nothing if the balance is too low', async () => {
    const poor = await world.createCompany({ sms_left: invite_segments })
    const boss = tireless(await poor.person({ power: ['4'] }))
    const [one, two] = [await newcomer(poor), await newcomer(poor)]
    expect(await boss.call(invite.sendInviteCode, { all: true })).toMatchObject({
      code: 100501,
      data: { needed: 2 * invite_segments, left: invite_segments },
    })
    await world.product.jobs.drain()
    expect([await getInvites(one), await getInvites(two)]).toEqual([[], []])
    await boss.must(invite.sendInviteCode, { member_ids: [one.member_id] })
    expect(await smsLeft(world, poor)).toBe(0)
  })

  it('sends invites over the platform to members known there, at no cost', async () => {
    const bound = await world.createCompany({ provider: 'lark' })
    const boss = tireless(await bound.person({ power: ['4'] }))
    const person = await bound.person({ joined: false, platform_user_id: 'ou_1234' })
    expect(await boss.must(invite.sendInviteCode, { member_ids: [person.member_id] })).toEqual({
      queued: { platform: 1, sms: 0 },
      skipped: 0,
    })
    await world.product.jobs.drain()
    const sent = (await world.outbox()).filter((one) => one.mobile === 'ou_1234')
    expect(sent).toEqual([expect.objectContaining({ channel: 'platform', text: expect.stringContaining('/m/invite?code=') })])
    expect(await smsLeft(world, bound)).toBe(10_000)
  })

  it('sends one invite for a repeated key or two simultaneous presses, and at most three a day', async () => {
    const person = await newcomer()
    const call = (key: string) => keeper.call(invite.sendInviteCode, { member_ids: [person.member_id] }, { key })
    await call('the-same-intent')
    await call('the-same-intent')
    await Promise.all(Array.from({ length: 8 }, (_, at) => call(`at-the-same-time-${at}`)))
    expect(await getInvites(person)).toHaveLength(1)
    await world.product.jobs.drain()
    for (let at = 0; at < 5; at += 1) await invited(person)
    expect(await getInvites(person)).toHaveLength(3)
    expect((await world.outbox()).filter((one) => one.mobile === person.mobile)).toHaveLength(3)
    later(24 * hours + 1)
    expect(await keeper.must(invite.sendInviteCode, { member_ids: [person.member_id] })).toMatchObject({ queued: { sms: 1 } })
  })

  it('stores no readable invite code: a hash, and the encrypted code until the message was sent', async () => {
    const person = await newcomer()
    await keeper.must(invite.sendInviteCode, { member_ids: [person.member_id] })
    const [before] = await getInvites(person)
    expect(before?.code).not.toBeNull()
    await world.product.jobs.drain()
    const code = await codeTo(person.mobile)
    const [after] = await getInvites(person)
    expect(after?.code).toBeNull()
    const { rows } = await world.database.pool.query<{ row: string }>(
      `select data::text as row from pgboss.job where name = 'invite'`,
    )
    const stored = `${rows.map(({ row }) => row).join()}${JSON.stringify({ before, after }, (_, value) => (value instanceof Object && 'data' in value ? Buffer.from(value.data as number[]).toString('latin1') : value))}`
    expect(rows.length).toBeGreaterThan(0)
    expect(stored).not.toContain(code)
  })
})

describe('undelivered invites', () => {
  it("shows the invite link with its code in the demo's outbox", async () => {
    const person = await newcomer()
    const code = await invited(person)
    expect(await linkInOutbox(person.mobile)).toBe(`/m/invite?code=${code}`)
  })

  it('refunds an invite when the gateway refuses it, and invalidates its link', async () => {
    const left = await smsLeft(world, corp)
    const person = await newcomer()
    behave = () => {
      throw new MessageRejectedError('isv.MOBILE_NUMBER_ILLEGAL', 'not a number')
    }
    await keeper.must(invite.sendInviteCode, { member_ids: [person.member_id] })
    await world.product.jobs.drain()
    behave = null
    expect(await smsLeft(world, corp)).toBe(left)
    const [row] = await getInvites(person)
    expect(row?.code).toBeNull()
    expect(row && row.expires_at <= world.clock.now()).toBe(true)
  })

  it.each([
    ['a missing reply to an accepted message', true],
    ['a missing reply to a message not yet accepted', false],
  ])('sends one invite in the end after %s', async (_what, isAccepted) => {
    const left = await smsLeft(world, corp)
    const person = await newcomer()
    let first = true
    behave = async (id) => {
      if (!first) return
      first = false
      if (isAccepted)
        await transfer(createDemoSender(world.database, 'sms'), [
          {
            id,
            to: person.mobile,
            message: { kind: 'invite', params: { corp: corp.name, link: 'http://127.0.0.1/m/invite?code=x' } },
          },
        ])
      throw new Error('no answer')
    }
    await keeper.must(invite.sendInviteCode, { member_ids: [person.member_id] })
    await world.product.jobs.drain()
    await retryAfter(10)
    await world.product.jobs.drain()
    behave = null
    expect((await world.outbox()).filter((one) => one.mobile === person.mobile)).toHaveLength(1)
    expect((await getInvites(person))[0]?.code).toBeNull()
    expect(await smsLeft(world, corp)).toBe(left - invite_segments)
  })

  it('delays an invite when the gateway is rate limited, and fails and refunds it after half an hour', async () => {
    const left = await smsLeft(world, corp)
    const people = [await newcomer(), await newcomer(), await newcomer()]
    let requested = 0
    behave = () => {
      requested += 1
      throw new RateLimitedError(30)
    }
    await keeper.must(invite.sendInviteCode, { member_ids: people.map((one) => one.member_id) })
    await world.product.jobs.drain()
    // The requests were in flight together; the next run does not call a rate-limited gateway.
    expect(requested).toBe(3)
    expect(await smsLeft(world, corp)).toBe(left - 3 * invite_segments)
    await retryAfter(20)
    await world.product.jobs.drain()
    expect(requested).toBe(3)
    await retryAfter(1801)
    await world.product.jobs.drain()
    behave = null
    expect(requested).toBe(3)
    expect(await smsLeft(world, corp)).toBe(left)
  })

  it('does not send an invite to a member who was terminated or has another phone since', async () => {
    const left = await smsLeft(world, corp)
    const [removed, moved] = [await newcomer(), await newcomer()]
    await keeper.must(invite.sendInviteCode, { member_ids: [removed.member_id, moved.member_id] })
    await keeper.must(member.clearMember, { id: removed.member_id })
    await keeper.must(member.editMemberInfo, { id: moved.member_id, mobile: '19912345678' })
    await world.product.jobs.drain()
    const links = (await world.outbox()).filter((one) => one.text.includes('/m/invite'))
    expect(links.filter((one) => [removed.mobile, moved.mobile, '19912345678'].includes(one.mobile))).toEqual([])
    expect(await smsLeft(world, corp)).toBe(left)
  })

  it('sends an invite once when the worker crashes before or after the gateway accepted it, by querying its status', async () => {
    const left = await smsLeft(world, corp)
    const people = [await newcomer(), await newcomer()]
    await keeper.must(invite.sendInviteCode, { member_ids: people.map((one) => one.member_id) })
    // The worker had claimed both and counted the attempts; one of them had been sent when it crashed.
    await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .updateTable('message')
        .set({
          status: 'leased',
          attempts: 1,
          lease_by: '01890000-0000-7000-8000-00000000dead',
          lease_until: new Date(world.clock.now().getTime() + 60_000),
        })
        .where('status', '=', 'queued')
        .where('kind', '=', 'invite')
        .execute(),
    )
    const [removed] = people
    const message = { kind: 'invite', params: { corp: corp.name, link: 'http://127.0.0.1/m/invite?code=x' } } as const
    const id = (removed && (await getInvites(removed))[0]?.id) ?? ''
    await transfer(createDemoSender(world.database, 'sms'), [{ id, to: removed?.mobile ?? '', message }])
    await world.product.jobs.drain()
    const arrived = async () => (await world.outbox()).filter((one) => people.some(({ mobile }) => one.mobile === mobile)).length
    // The lease of the worker has not expired: whether it is dead is unknown.
    expect(await arrived()).toBe(1)
    await retryAfter(61)
    await world.product.jobs.drain()
    expect(await arrived()).toBe(2)
    expect(await Promise.all(people.map(async (one) => (await getInvites(one))[0]?.code))).toEqual([null, null])
    expect(await smsLeft(world, corp)).toBe(left - 2 * invite_segments)
  })

  /** Advances the clock and runs what is due in the queue. */
  async function retryAfter(seconds: number): Promise<void> {
    later(seconds)
    await world.database.pool.query(`update pgboss.job set start_after = now() where name = 'invite' and state = 'created'`)
  }
})

describe('joining by a personal invite', () => {
  it('reveals only the company and the masked phone for a personal invite', async () => {
    const person = await newcomer()
    const code = await invited(person)
    expect((await createClient(world).call(invite.getInvite, { code })).data).toEqual({
      corp_name: '云杉科技',
      phone_masked: `${person.mobile.slice(0, 3)}****${person.mobile.slice(-4)}`,
    })
  })

  it('joins by a personal invite, sets the password, and signs in', async () => {
    const person = await newcomer()
    const code = await invited(person)
    const { from, answer } = await accept(code, person.mobile)
    expect(answer).toMatchObject({ code: 0, data: { corp_id: corp.company_id, waiting: false, corps: [{ as: ['employee'] }] } })
    expect((await from.call(employee.getCurrentEmployee)).data.name).toBe(person.name)
    expect(await getRow(person)).toMatchObject({ status: 'active', account_id: expect.any(String) })
    later(61)
    expect((await createClient(world).call(account.login, { phone: person.mobile, password })).code).toBe(0)
  })

  it('asks for the password after the phone is verified, with the same code, and never accepts a common one', async () => {
    const person = await newcomer()
    const code = await invited(person)
    const from = createClient(world)
    const proven = await proof(from, person.mobile)
    const call = (more: object = {}) => from.call(invite.acceptInvite, { code, ...proven, ...more })
    expect(await call({ verify_code: '000000' === proven.verify_code ? '111111' : '000000' })).toMatchObject({
      code: 100102,
      data: { field: 'verify_code' },
    })
    expect(await call()).toMatchObject({ code: 100001, data: { field: 'password' } })
    expect(await call({ password: '12345678' })).toMatchObject({ code: 100001, data: { field: 'password' } })
    expect(await call({ password: 'abc' })).toMatchObject({ code: 100001, data: { field: 'password' } })
    expect(await call({ password: corp.name + corp.name })).toMatchObject({ code: 100001, data: { field: 'password' } })
    expect(await getRow(person)).toMatchObject({ account_id: null })
    expect((await call({ password })).code).toBe(0)
  })

  it('keeps an existing password and never ignores a different one silently', async () => {
    const second = await world.createCompany()
    const boss = tireless(await second.person({ power: ['4'] }))
    const existing = await corp.person()
    await givePassword(existing, '原来的密码 8')
    const context = await second.person({ name: existing.name, joined: false, mobile: existing.mobile })
    const code = await invited(context, boss)
    const { answer } = await accept(code, existing.mobile, { password: 'an attacker chose this' })
    expect([answer.code, answer.data]).toEqual([errorCodes.other_holder.code, { field: 'password' }])
    later(61)
    expect((await accept(code, existing.mobile, { password: '原来的密码 8' })).answer.code).toBe(0)
    expect((await createClient(world).call(account.login, { phone: existing.mobile, password: '原来的密码 8' })).code).toBe(0)
    expect(
      (await createClient(world).call(account.login, { phone: existing.mobile, password: 'an attacker chose this' })).code,
    ).toBe(100101)
    // Without a password, none is required if the new company knows the member by the same name.
    const third = await world.createCompany()
    const bossToo = tireless(await third.person({ power: ['4'] }))
    const there = await third.person({ name: existing.name, joined: false, mobile: existing.mobile })
    expect((await accept(await invited(there, bossToo), existing.mobile, {})).answer.code).toBe(0)
  })

  it('answers every invalid invite identically', async () => {
    // This case runs first, because the others must be invalid for their own reason and not because 72 hours have
    // passed.
    const old = await newcomer()
    const oldCode = await invited(old)
    later(72 * hours - 3600)
    const lasting = await createClient(world).call(invite.getInvite, { code: oldCode })
    expect(lasting.code).toBe(0)
    later(3601)

    const used = await newcomer()
    const usedCode = await invited(used)
    expect((await accept(usedCode, used.mobile)).answer.code).toBe(0)

    const removed = await newcomer()
    const removedCode = await invited(removed)
    await keeper.must(member.clearMember, { id: removed.member_id })

    const replaced = await newcomer()
    const replacedCode = await invited(replaced)
    const freshCode = await invited(replaced)

    const moved = await newcomer()
    const movedCode = await invited(moved)
    await keeper.must(member.editMemberInfo, { id: moved.member_id, mobile: '19900001111' })

    const other = await world.createCompany()
    const alive = await newcomer()
    const aliveCode = await invited(alive)
    // Another company's id in front of a valid secret.
    const swapped = Buffer.concat([
      Buffer.from(other.company_id.replaceAll('-', ''), 'hex'),
      Buffer.from(aliveCode, 'base64url').subarray(16),
    ]).toString('base64url')

    for (const [what, code, phone] of [
      ['used', usedCode, used.mobile],
      ['left', removedCode, removed.mobile],
      ['replaced', replacedCode, replaced.mobile],
      ['of an older phone', movedCode, moved.mobile],
      ['of an older phone, by the new one', movedCode, '19900001111'],
      ['expired', oldCode, old.mobile],
      ["another company's", swapped, alive.mobile],
      ['made up', Buffer.alloc(32, 7).toString('base64url'), alive.mobile],
      ['not a code', 'not-a-code-at-all-not-a-code', alive.mobile],
      ['nearly right', `${aliveCode.slice(0, -1)}${aliveCode.endsWith('A') ? 'E' : 'A'}`, alive.mobile],
    ] as const) {
      // Another test covers the rate limit of codes.
      await world.database.withoutCompany((tx) => tx.deleteFrom('attempt').execute())
      const { answer } = await accept(code, phone)
      expect([what, answer.code, answer.message, answer.data]).toEqual([what, deadLabels.code, deadLabels.message, {}])
      const visible = await createClient(world).call(invite.getInvite, { code })
      expect([what, visible.code, visible.message, visible.data]).toEqual([what, deadLabels.code, deadLabels.message, {}])
    }
    // The link was forwarded: another phone does not match, even if verified, and even if on the same roster.
    for (const phone of ['18600001234', (await newcomer()).mobile, (await corp.person()).mobile]) {
      const { answer } = await accept(aliveCode, phone)
      expect([answer.code, answer.message, answer.data]).toEqual([deadLabels.code, deadLabels.message, {}])
    }
    expect((await accept(aliveCode, alive.mobile)).answer.code).toBe(0)
    // The invite that replaced the other.
    expect((await accept(freshCode, replaced.mobile)).answer.code).toBe(0)
  })

  it('does not reveal without a verified phone whether the phone is the right one', async () => {
    const person = await newcomer()
    const code = await invited(person)
    const answers = []
    for (const phone of [person.mobile, '18600001235']) {
      const from = createClient(world)
      answers.push(await from.call(invite.acceptInvite, { code, phone, verify_code: '123456', sms: newId() }))
    }
    const [right, wrong] = answers.map(({ code, message, data }) => ({ code, message, data }))
    expect(right).toEqual(wrong)
    expect(right?.code).toBe(100102)
  })

  it('accepts only a code sent for joining', async () => {
    const person = await corp.person()
    const second = await world.createCompany()
    const boss = tireless(await second.person({ power: ['4'] }))
    const context = await second.person({ joined: false, mobile: person.mobile })
    const code = await invited(context, boss)
    const from = createClient(world)
    later(61)
    const requested = await from.call(account.getVerifyCode, { phone: person.mobile, type: 'login' })
    await expect
      .poll(async () => (await world.outbox()).findLast((one) => one.mobile === person.mobile)?.text)
      .toContain('验证码')
    const login = (await world.outbox()).findLast((one) => one.mobile === person.mobile)?.text ?? ''
    const verify_code = /验证码 (\d{6})/.exec(login)?.[1] ?? ''
    const answer = await from.call(invite.acceptInvite, {
      code,
      phone: person.mobile,
      verify_code,
      sms: requested.data.sms,
      password,
    })
    expect(answer.code).toBe(100102)
  })

  it('joins one of fifty simultaneous requests, with one account and one session', async () => {
    const person = await newcomer()
    const code = await invited(person)
    const from = createClient(world)
    const proven = await proof(from, person.mobile)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => from.call(invite.acceptInvite, { code, ...proven, password })),
    )
    expect(answers.filter((one) => one.code === 0)).toHaveLength(1)
    expect(answers.filter((one) => ![0, 100102, 100404, 100409].includes(one.code))).toEqual([])
    const { account_id } = await getRow(person)
    const sessions = await world.database.withoutCompany((tx) =>
      tx.selectFrom('session').select('id').where('account_id', '=', account_id).execute(),
    )
    expect(sessions).toHaveLength(1)
    // None of the other phones was treated as having a new owner: the account that joined still opens.
    expect((await createClient(world).call(account.login, { phone: person.mobile, password })).code).toBe(0)
  })

  it('tells members who joined by other means that they have joined, after the phone is verified', async () => {
    const person = await newcomer()
    const code = await invited(person)
    const from = createClient(world)
    later(61)
    const requested = await from.call(account.getVerifyCode, { phone: person.mobile, type: 'login' })
    await expect
      .poll(async () => (await world.outbox()).findLast((one) => one.mobile === person.mobile)?.text)
      .toContain('验证码')
    const text = (await world.outbox()).findLast((one) => one.mobile === person.mobile)?.text ?? ''
    await from.call(account.loginByCode, {
      phone: person.mobile,
      code: /验证码 (\d{6})/.exec(text)?.[1] ?? '',
      sms: requested.data.sms,
    })
    const { answer } = await accept(code, person.mobile)
    expect(answer).toMatchObject({ code: 100409, data: { status: 'joined' } })
  })

  it("does not give a phone's new owner the row of the previous one", async () => {
    const person = await (await world.createCompany()).person()
    const accepted = await newcomer()
    const code = await invited(accepted)
    await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .updateTable('member')
        .set({ account_id: person.account_id, status: 'active' })
        .where('id', '=', accepted.member_id)
        .execute(),
    )
    expect((await accept(code, accepted.mobile)).answer.code).toBe(100409)
    expect(await getRow(accepted)).toMatchObject({ account_id: person.account_id })
  })

  it('offers a choice among several companies', async () => {
    const existing = await corp.person()
    const second = await world.createCompany()
    const boss = tireless(await second.person({ power: ['4'] }))
    const context = await second.person({ name: existing.name, joined: false, mobile: existing.mobile })
    const { answer } = await accept(await invited(context, boss), existing.mobile)
    expect(answer.data.corp_id).toBeNull()
    expect(answer.data.corps.map((one) => one.corp_id).toSorted()).toEqual([corp.company_id, second.company_id].toSorted())
  })
})

describe("the company's join code", () => {
  const getCode = (url: string) => new URL(url).searchParams.get('code') ?? ''

  it('keeps the join code until it is reset, and then invalidates the old one at once', async () => {
    const first = await keeper.must(invite.getJoinQrCode)
    expect(await keeper.must(invite.getJoinQrCode)).toEqual(first)
    expect(first.svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox=/)
    expect((await createClient(world).call(invite.getInvite, { code: getCode(first.url) })).data).toEqual({
      corp_name: '云杉科技',
      phone_masked: null,
    })
    const second = await keeper.must(invite.resetQrCode)
    expect(second.url).not.toBe(first.url)
    expect(await createClient(world).call(invite.getInvite, { code: getCode(first.url) })).toMatchObject(deadLabels)
    expect((await createClient(world).call(invite.getInvite, { code: getCode(second.url) })).code).toBe(0)
    // An administrator of one department can display the code, and is informed beforehand that they cannot reset it.
    const limited = tireless(
      await corp.person({ power: ['3'], scope: { all: false, department_ids: [await corp.department('一组')] } }),
    )
    expect([second.can_reset, await limited.must(invite.getJoinQrCode)]).toEqual([true, { ...second, can_reset: false }])
    expect((await limited.call(invite.resetQrCode)).code).toBe(100403)
  })

  it('creates one join code for eight simultaneous first requests', async () => {
    const fresh = await world.createCompany()
    const boss = tireless(await fresh.person({ power: ['4'] }))
    const all = await Promise.all(Array.from({ length: 8 }, () => boss.must(invite.getJoinQrCode)))
    expect(new Set(all.map((one) => one.url)).size).toBe(1)
  })

  it('keeps a join code valid for at least thirty and at most sixty days', async () => {
    const fresh = await world.createCompany()
    const boss = await fresh.person({ power: ['4'] })
    const { url, expires_at } = await tireless(boss).must(invite.getJoinQrCode)
    const left_s = (Date.parse(expires_at) - world.clock.now().getTime()) / 1000
    expect([left_s > 30 * 24 * hours, left_s <= 60 * 24 * hours]).toEqual([true, true])
    later(left_s - 1)
    expect((await createClient(world).call(invite.getInvite, { code: getCode(url) })).code).toBe(0)
    later(2)
    expect(await createClient(world).call(invite.getInvite, { code: getCode(url) })).toMatchObject(deadLabels)
    expect((await tireless(boss).must(invite.getJoinQrCode)).url).not.toBe(url)
  })

  it("joins members of the roster by the company's join code", async () => {
    const person = await newcomer()
    const { url } = await keeper.must(invite.getJoinQrCode)
    const { answer } = await accept(getCode(url), person.mobile)
    expect(answer).toMatchObject({ code: 0, data: { waiting: false, corp_id: corp.company_id } })
    expect((await accept(getCode(url), person.mobile)).answer).toMatchObject({ code: 100409, data: { status: 'joined' } })
    // A terminated member who returns is on no roster: they must apply.
    await keeper.must(member.clearMember, { id: person.member_id })
    const back = await accept(getCode(url), person.mobile, { password, name: person.name })
    expect(back.answer).toMatchObject({ code: 0, data: { waiting: true } })
  })

  it('turns other users into a join request for member administrators, once per phone and day, without a roster row', async () => {
    const busy = await world.createCompany({ name: '小满餐饮' })
    const readers = {
      boss: tireless(await busy.person({ power: ['4'] })),
      payroll: tireless(await busy.person({ power: ['2'] })),
      people: tireless(await busy.person({ power: ['3'] })),
      enterprise: tireless(await busy.person({ power: ['1'] })),
    }
    const { url } = await readers.people.must(invite.getJoinQrCode)
    const code = getCode(url)
    const phone = '18812340001'
    const from = createClient(world)
    const proven = await proof(from, phone)
    expect(await from.call(invite.acceptInvite, { code, ...proven, password })).toMatchObject({
      code: 100001,
      data: { field: 'name' },
    })
    const name = '【银行】张三 http://evil.cn'
    const waiting = await from.call(invite.acceptInvite, { code, ...proven, password, name })
    expect(waiting).toMatchObject({ code: 0, data: { token: null, corps: [], corp_id: null, waiting: true } })
    expect(from.token).toBeNull()
    expect((await accept(code, phone, { name: '张三' })).answer.data.waiting).toBe(true)
    for (const [who, reads] of [
      ['boss', true],
      ['payroll', true],
      ['people', true],
      ['enterprise', false],
    ] as const) {
      const { list } = await readers[who].must(notifications.getNotificationList, {})
      const matches = list.filter((one) => one.kind === 'join')
      expect([who, matches.length]).toEqual([who, reads ? 1 : 0])
      if (reads) expect(matches[0]?.text).toBe('银行张三（手机尾号 0001）想通过二维码加入，请核对本人后在「待办」中同意或拒绝')
    }
    const members = await world.database.inCompany(busy.company_id, (tx) =>
      tx.selectFrom('member').select('id').where('mobile', '=', phone).execute(),
    )
    expect(members).toEqual([])
  })

  it('lists a join request as a to-do until it is accepted or rejected, or its phone is added to the roster manually', async () => {
    const busy = await world.createCompany({ name: '小满烘焙' })
    const boss = tireless(await busy.person({ power: ['4'] }))
    const people = tireless(await busy.person({ power: ['3'] }))
    const enterprise = tireless(await busy.person({ power: ['1'] }))
    const code = getCode((await boss.must(invite.getJoinQrCode)).url)
    const phones = ['18812350001', '18812350002', '18812350003'] as const
    for (const [at, phone] of phones.entries()) await accept(code, phone, { name: `来人${at}` })
    const todo = async (who: typeof boss) => (await who.must(agency.getTodoList)).list.find(({ kind }) => kind === 'join')
    const listed = async (who: typeof boss) => (await who.must(invite.getJoinRequestList)).list.toReversed()
    expect([await todo(boss), await todo(people), await todo(enterprise)]).toEqual([
      { kind: 'join', count: 3, batch_id: null },
      { kind: 'join', count: 3, batch_id: null },
      undefined,
    ])
    expect((await enterprise.call(invite.getJoinRequestList)).code).toBe(100403)
    const [first, second] = await listed(people)
    expect(first).toMatchObject({ name: '来人0', mobile: '188****0001', can_reject: true })

    const accepted = await people.must(invite.decideJoinRequest, { join_id: first?.join_id ?? '', status: 1, name: '来客' })
    const rows = await world.database.inCompany(busy.company_id, (tx) =>
      tx.selectFrom('member').select(['id', 'name', 'status']).where('mobile', 'in', phones).execute(),
    )
    expect(rows).toEqual([{ id: accepted.member_id, name: '来客', status: 'invited' }])
    // The user who verified that phone now joins with the same QR code.
    expect((await accept(code, phones[0])).answer).toMatchObject({ code: 0, data: { waiting: false, corp_id: busy.company_id } })
    // A request is decided once: a second decision is refused.
    expect(await boss.call(invite.decideJoinRequest, { join_id: first?.join_id ?? '', status: 2 })).toMatchObject({
      code: 100404,
    })

    expect(await boss.must(invite.decideJoinRequest, { join_id: second?.join_id ?? '', status: 2 })).toEqual({ member_id: null })
    expect((await listed(boss)).map(({ name }) => name)).toEqual(['来人2'])
    await people.must(member.insertMember, { name: '来人2', mobile: phones[2] })
    expect([await listed(boss), await todo(boss), await todo(people)]).toEqual([[], undefined, undefined])
  })

  it('lets an administrator of some departments accept join requests into those, but reject none for the whole company', async () => {
    const busy = await world.createCompany({ name: '小满茶饮' })
    const boss = tireless(await busy.person({ power: ['4'] }))
    const [current, other] = [await busy.department('门店'), await busy.department('总部')]
    const limited = tireless(await busy.person({ power: ['3'], scope: { all: false, department_ids: [current] } }))
    const code = getCode((await limited.must(invite.getJoinQrCode)).url)
    const phone = '18812360001'
    await accept(code, phone, { name: '来人' })
    const [join] = (await limited.must(invite.getJoinRequestList)).list
    const join_id = join?.join_id ?? ''
    expect(join?.can_reject).toBe(false)
    expect((await limited.call(invite.decideJoinRequest, { join_id, status: 2 })).code).toBe(100403)
    expect((await limited.call(invite.decideJoinRequest, { join_id, status: 1, department_ids: [other] })).code).toBe(100404)
    expect((await boss.must(invite.getJoinRequestList)).page.total).toBe(1)
    const { member_id } = await limited.must(invite.decideJoinRequest, { join_id, status: 1 })
    expect((await limited.must(member.getMemberInfo, { id: member_id ?? '' })).DEPARTMENTS.map(({ ID }) => ID)).toEqual([current])
    expect((await boss.must(invite.getJoinRequestList)).list).toEqual([])
  })

  it('limits join requests to twenty a day when the QR code spreads', async () => {
    const busy = await world.createCompany()
    const boss = tireless(await busy.person({ power: ['4'] }))
    const code = getCode((await boss.must(invite.getJoinQrCode)).url)
    // The test starts at the start of a day, so that waiting for codes does not run into the next one.
    world.clock.set(new Date(Math.ceil(world.clock.now().getTime() / 86_400_000) * 86_400_000 + 1000).toISOString())
    const again = tireless(await busy.person({ power: ['4'] }))
    for (let at = 0; at < 23; at += 1) {
      const { answer } = await accept(code, `1771234${String(at).padStart(4, '0')}`, { name: `路人${at}` })
      expect(answer.data.waiting).toBe(true)
    }
    const { page } = await again.must(notifications.getNotificationList, {})
    expect(page.total).toBe(20)
    expect((await again.must(invite.getJoinRequestList)).page.total).toBe(20)
  })
})

describe('guessing invites (S6)', () => {
  const hopeless = { full: 20_000, sample: 200, of: 'guesses', goal: 'S6' }
  trial(
    'guess-invite',
    'generates unique invite codes of 128 random bits, so that guessing finds none',
    hopeless,
    async ({ size }) => {
      const person = await newcomer()
      const code = await invited(person)
      const bytes = Buffer.from(code, 'base64url')
      expect(bytes).toHaveLength(32)
      const codes = Array.from({ length: 20_000 }, () => generateInviteCode(corp.company_id))
      expect(new Set(codes).size).toBe(codes.length)
      // Every bit of the secret half is set about half of the time: within 6 sigma of 20,000 samples.
      const set = Array.from({ length: 128 }, () => 0)
      for (const one of codes) {
        const secret = Buffer.from(one, 'base64url').subarray(16)
        for (let bit = 0; bit < 128; bit += 1) set[bit] = (set[bit] ?? 0) + (((secret[bit >> 3] ?? 0) >> (bit & 7)) & 1)
      }
      expect(set.filter((count) => Math.abs(count - 10_000) > 6 * Math.sqrt(5_000))).toEqual([])
      // A hundred codes are tried at a time: a correct guess would open the invite of `person`, or the join code.
      for (let from = 0; from < size; from += 100) {
        const opened = await Promise.all(
          codes.slice(from, from + 100).map((guess) => findValidInvite(world.database, world.secrets, guess, world.clock.now())),
        )
        expect(opened.filter(Boolean)).toEqual([])
      }
      expect(await findValidInvite(world.database, world.secrets, code, world.clock.now())).toMatchObject({
        member_id: person.member_id,
      })
      // The probability of one hit with a million valid invites and a million guesses.
      expect((1e6 * 1e6) / 2 ** 128).toBeLessThan(1e-26)
    },
  )

  it('limits invite lookups to 600 an hour from one address, whatever code is tried', async () => {
    const from = createClient(world)
    later(3600)
    const answers = []
    for (let at = 0; at < 610; at += 1)
      answers.push((await from.call(invite.getInvite, { code: generateInviteCode(corp.company_id) })).code)
    expect(answers.filter((code) => code === 100404)).toHaveLength(600)
    expect(answers.slice(600)).toEqual(Array.from({ length: 10 }, () => 100103))
  })
})
