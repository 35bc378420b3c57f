/**
 * Attacks on accounts by a stranger and a malicious colleague: two members in one account, revoked powers, calls that
 * reveal other companies.
 */

import { beforeAll, describe, expect, it } from 'vitest'
import * as role from '../../../server/contract/access/administrators.ts'
import * as approval from '../../../server/contract/approvals/approvals.ts'
import * as profile from '../../../server/contract/auth/profile.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as invite from '../../../server/contract/invites/invite.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { createSession, createXsrfToken } from '../../../server/http/sessions.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import { chargeSms } from '../../../server/modules/billing/index.ts'
import { newId } from '../../../server/shared/ids.ts'
import { codesSent, createClient, lastCode, type TestClient } from '../../support/callers/visitor.ts'
import { demoWorld } from '../../support/demo.ts'
import { type Corp, type Person } from '../../support/world.ts'

let hash = ''
const password = '姑苏城外寒山寺 2'
const world = demoWorld(true)
beforeAll(async () => {
  hash = await hashPassword(password)
})

const { invalid, wrong_state, not_found, not_permitted, signed_out } = errorCodes
const later = (seconds: number) => world.clock.advance(seconds * 1000)

async function withPassword(person: Person): Promise<Person> {
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash: hash }).where('id', '=', person.account_id).execute(),
  )
  return person
}
async function codeFor(browser: TestClient, phone: string, type: 'login' | 'changephone' | 'invite' | 'register') {
  later(61)
  const before = await codesSent(world, phone)
  const { sms } = (await browser.call(account.getVerifyCode, { phone, type })).data
  return { sms, code: await lastCode(world, phone, before) }
}
const getRow = (corp: Corp, member_id: string) =>
  world.database.inCompany(corp.company_id, (tx) =>
    tx.selectFrom('member').select(['account_id', 'status']).where('id', '=', member_id).executeTakeFirstOrThrow(),
  )

describe('two rows of one roster', () => {
  it('never share one account, whichever sign-in is used, so each row sees only its own payslips', async () => {
    const corp = await world.createCompany()
    const person = await withPassword(await corp.person({ name: '郑直' }))
    const other = await corp.person({ name: '另一位', joined: false })
    const browser = createClient(world)
    expect((await browser.call(account.login, { phone: person.mobile, password })).code).toBe(0)
    const token = (await browser.call(profile.changePhone, { password })).data.token ?? ''
    const proof = { phone: other.mobile, token, ...(await codeFor(browser, other.mobile, 'changephone')) }
    expect((await browser.call(profile.changePhone, proof)).code).toBe(0)
    await world.product.jobs.drain()

    const again = createClient(world)
    const answer = await again.call(account.loginByCode, {
      phone: other.mobile,
      ...(await codeFor(again, other.mobile, 'login')),
    })
    expect([answer.code, answer.data.corps.length]).toEqual([0, 1])
    expect(await getRow(corp, other.member_id)).toEqual({ account_id: null, status: 'invited' })
    expect((await again.call(employee.getCurrentEmployee)).data.name).toBe('郑直')

    const keeper = await world.signIn(await corp.person({ power: ['3'] }))
    const { url } = await keeper.must(invite.getJoinQrCode)
    const join = createClient(world)
    const { sms, code } = await codeFor(join, other.mobile, 'invite')
    const request = { code: new URL(url).searchParams.get('code') ?? '', phone: other.mobile, sms, verify_code: code }
    expect((await join.call(invite.acceptInvite, request)).data).toEqual({ status: 'joined' })
    expect((await getRow(corp, other.member_id)).account_id).toBeNull()
  })
})

describe('revoked powers', () => {
  it("keeps one of two administrators who revoke each other's powers at the same moment", async () => {
    const both: string[] = []
    const late: number[] = [not_permitted.code, not_found.code, signed_out.code]
    for (let round = 0; round < 12; round += 1) {
      const corp = await world.createCompany()
      await corp.person({ power: ['4'] })
      const [one, other] = [await corp.person({ power: ['1', '3'] }), await corp.person({ power: ['1', '3'] })]
      const [first, second] = [await world.signIn(one), await world.signIn(other)]
      const channel = round % 3
      const answers = await Promise.all([
        channel === 1
          ? first.call(member.clearMember, { id: other.member_id })
          : first.call(role.clearRole, { user_id: other.admin_id ?? '', power: '1' }),
        channel > 0
          ? second.call(member.clearMember, { id: one.member_id })
          : second.call(role.clearRole, { user_id: one.admin_id ?? '', power: '1' }),
      ])
      const codes: number[] = answers.map(({ code }) => code).sort()
      if (codes[0] !== 0 || !late.includes(codes[1] ?? 0)) both.push(`${round}: ${codes.join()}`)
    }
    expect(both).toEqual([])
  })

  it('answers without a busy error when a member is terminated while others apply for a transfer', async () => {
    const corp = await world.createCompany()
    const head = await corp.person({ power: ['4'] })
    const caller = await world.signIn(head)
    const to = await corp.person()
    const odd: string[] = []
    for (let round = 0; round < 20; round += 1) {
      const leavers = [await corp.person({ power: ['3'] }), await corp.person({ power: ['2'] })]
      const applicant = await world.signIn(await corp.person({ power: ['2'] }))
      const answers = await Promise.all([
        applicant.call(approval.applyTransferWageManager, { member_id: to.member_id }),
        ...leavers.map((leaver) => caller.call(member.clearMember, { id: leaver.member_id })),
      ])
      for (const { code, message } of answers) if (code !== 0) odd.push(`${round}: ${code} ${message}`)
    }
    expect(odd).toEqual([])
  })
})

describe("a session from one company's chat platform", () => {
  it('does not let a chat platform session of one company read or end sessions in another company', async () => {
    const [context, there] = [await world.createCompany({ name: '甲公司' }), await world.createCompany({ name: '乙公司' })]
    const person = await context.person()
    await there.person({ same_as: person })
    const elsewhere = await world.signIn({ ...person, company_id: there.company_id })
    const pair = await createSession(world.database, {
      account_id: person.account_id,
      company_id: context.company_id,
      epoch: 0,
      device: 'chat',
      now: world.clock.now(),
      companyBound: true,
    })
    const sole = world.caller(pair.token, { sid: pair.cookie, 'XSRF-TOKEN': createXsrfToken(world.secrets, pair.session_id) })
    expect((await sole.must(employee.getCurrentEmployee)).corps.map(({ name }) => name)).toEqual(['甲公司'])
    expect((await sole.must(profile.getSessionList)).list.map(({ corp_name }) => corp_name)).toEqual(['甲公司'])
    expect(await sole.must(profile.endSession, { all_others: true })).toEqual({ ended: 0 })
    const { list } = await elsewhere.must(profile.getSessionList)
    const current = list.find((one) => one.current)?.session_id ?? ''
    expect((await sole.call(profile.endSession, { session_id: current })).code).toBe(not_found.code)
    expect((await elsewhere.must(employee.getCurrentEmployee)).corps).toHaveLength(2)
  })
})

describe('error messages that state the remedy', () => {
  it('tells a system manager without a password to set one before a transfer', async () => {
    const corp = await world.createCompany()
    const head = await world.signIn(await corp.person({ power: ['4'] }))
    const to = await corp.person()
    expect(await head.call(approval.transferSystemManager, { member_id: to.member_id, password })).toMatchObject({
      code: wrong_state.code,
      message: '您还没有设置登录密码，请先设置',
    })
  })

  it('lets an account with a password register a company with it, even if the company has that name', async () => {
    const person = await withPassword(await (await world.createCompany()).person())
    const browser = createClient(world)
    const proof = { phone: person.mobile, ...(await codeFor(browser, person.mobile, 'register')), user_name: '姚远' }
    const answer = await browser.call(account.registerCorp, { ...proof, corp_name: '姑苏城外', password })
    expect([answer.message, answer.data.corp_id]).toEqual(['', expect.any(String)])
    expect((await browser.call(account.getCurrentUser)).data.power).toEqual(['4'])
    const other = createClient(world)
    const phone = '17900000002'
    const fresh = { phone, ...(await codeFor(other, phone, 'register')), user_name: '姚远' }
    expect(await other.call(account.registerCorp, { ...fresh, corp_name: '姑苏城外', password })).toMatchObject({
      code: invalid.code,
      data: { field: 'password' },
    })
  })

  it('requires a readable name for a join request', async () => {
    const corp = await world.createCompany()
    const keeper = await world.signIn(await corp.person({ power: ['3'] }))
    const { url } = await keeper.must(invite.getJoinQrCode)
    const browser = createClient(world)
    const phone = '17900000001'
    const { sms, code } = await codeFor(browser, phone, 'invite')
    const request = { code: new URL(url).searchParams.get('code') ?? '', phone, sms, verify_code: code }
    expect(await browser.call(invite.acceptInvite, { ...request, name: '【】' })).toMatchObject({
      code: invalid.code,
      data: { field: 'name' },
    })
    expect((await browser.call(invite.acceptInvite, { ...request, name: '李四😀' })).data.waiting).toBe(true)
  })
})

describe('verification code', () => {
  it('keeps a verification code valid when another user requests one for the same phone', async () => {
    const person = await (await world.createCompany()).person()
    const [current, strange] = [createClient(world), createClient(world)]
    const proof = { phone: person.mobile, ...(await codeFor(current, person.mobile, 'login')) }
    await codeFor(strange, person.mobile, 'login')
    expect((await current.call(account.loginByCode, proof)).code).toBe(0)
  })
})

describe('concurrent changes', () => {
  it('executes or refuses each of several concurrent changes to powers, authority, employment and phones, and keeps a system manager', async () => {
    const corp = await world.createCompany()
    const team = await corp.department('研发部')
    const chief = await withPassword(await corp.person({ power: ['4'] }))
    const head = await world.signIn(chief)
    const scope = { all: false, department_ids: [team] }
    const odd: string[] = []
    for (let round = 0; round < 15; round += 1) {
      const [a, b, c] = [await corp.person({ power: ['2'] }), await corp.person({ power: ['1', '2'] }), await corp.person()]
      const [as, bs] = [await world.signIn(a), await world.signIn(b)]
      const keeper = await world.signIn(await corp.person({ power: ['3'] }))
      const applied = await as.must(approval.applyTransferWageManager, { member_id: c.member_id })
      const a_id = a.admin_id ?? ''
      const b_id = b.admin_id ?? ''
      const answers = await Promise.all([
        head.call(approval.setApprovalStatusByApprovalNo, { approval_no: applied.approval_no, status: 1 }),
        head.call(approval.transferManagerBySystemManager, { id: a_id, member_id: b.member_id }),
        head.call(approval.transferManagerBySystemManager, { id: b_id, member_id: a.member_id }),
        as.call(approval.setApprovalStatusByApprovalNo, { approval_no: applied.approval_no, status: 3 }),
        bs.call(role.clearRole, { user_id: a_id, power: '2' }),
        bs.call(role.addAmin, { member_ids: [c.member_id, a.member_id], power: ['3'], scope }),
        bs.call(role.editUserScope, { user_id: a_id, scope }),
        head.call(role.insertRole, { member_id: c.member_id, power: ['1'], scope }),
        head.call(member.clearMember, { id: [a, b, c][round % 3]?.member_id ?? '' }),
        keeper.call(member.editMemberInfo, { id: c.member_id, mobile: `1790000${1000 + round}` }),
      ])
      const existing = [0, 100403, 100404, 100409, 100018, 100038, 100001]
      for (const [at, { code, message }] of answers.entries())
        if (!existing.includes(code)) odd.push(`${round}.${at}: ${code} ${message}`)
    }
    expect(odd).toEqual([])
    const { list } = await head.must(role.getUserList, { power: '4' })
    expect(list.map(({ member_id }) => member_id)).toEqual([chief.member_id])
    const lost = await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .selectFrom('admin')
        .innerJoin('member', (join) =>
          join.onRef('member.id', '=', 'admin.member_id').onRef('member.company_id', '=', 'admin.company_id'),
        )
        .select(['admin.id', 'admin.power', 'member.status', 'member.account_id', 'admin.account_id as of'])
        .execute(),
    )
    // No terminated member, and no member whose phone belongs to another account, has any power.
    expect(lost.filter((one) => one.power.length > 0 && (one.status !== 'active' || one.account_id !== one.of))).toEqual([])
  })
})

describe('prepaid messages', () => {
  it('books prepaid messages one after the other, without a deadlock, for two transactions that have already written company data', async () => {
    const { company_id } = await world.createCompany({ sms_left: 10 })
    const both = Promise.withResolvers<void>()
    let written = 0
    const work = () =>
      world.database.inCompany(company_id, async (tx) => {
        await tx
          .insertInto('department')
          .values({ company_id, id: newId(), name: `部门${newId()}` })
          .execute()
        written += 1
        if (written === 2) both.resolve()
        await both.promise
        await chargeSms({ db: tx, company_id, now: world.clock.now() }, 1, 'invite', newId())
      })
    const ends = await Promise.allSettled([work(), work()])
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    const { sms_left } = await world.database.inCompany(company_id, (tx) =>
      tx.selectFrom('company').select('sms_left').where('id', '=', company_id).executeTakeFirstOrThrow(),
    )
    expect(sms_left).toBe(8)
  })
})
