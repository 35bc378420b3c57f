/** Applications: created, listed, decided once; the transfer of power 4. Attacks I7 and I8 of trust.md. Refusals first. */
import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import * as roles from '../../../server/contract/access/administrators.ts'
import * as agency from '../../../server/contract/agency/agency.ts'
import type { ApprovalKind } from '../../../server/contract/approvals/approvals.ts'
import * as contract from '../../../server/contract/approvals/approvals.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as notifications from '../../../server/contract/notifications/notifications.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demoWorld } from '../../support/demo.ts'
import { trial } from '../../support/run/trial.ts'
import { makeBatch } from '../../support/slips.ts'
import { type Caller, type Corp, type Person } from '../../support/world.ts'

let corp: Corp
let head: Person
let heads: Caller

const world = demoWorld()
beforeAll(async () => {
  corp = await world.createCompany()
  head = await corp.person({ name: '沈知遥', power: ['4'] })
  heads = await world.signIn(head)
})

const { not_found, not_permitted, wrong_state, invalid, signed_out, transferred, wrong_password, locked } = errorCodes
const apply = (caller: Caller, to: { member_id: string }, key?: string) =>
  caller.call(contract.applyTransferWageManager, { member_id: to.member_id }, key ? { key } : {})
const decide = (caller: Caller, approval_no: string, status: 1 | 2 | 3, reason?: string) =>
  caller.call(contract.setApprovalStatusByApprovalNo, { approval_no, status, ...(reason ? { reason } : {}) })
/** Creates a payroll administrator who has applied to transfer to a member. */
async function applied(in_corp = corp): Promise<{ wages: Person; own: Caller; to: Person; no: string }> {
  const wages = await in_corp.person({ name: '江望舒', power: ['2'] })
  const own = await world.signIn(wages)
  const to = await in_corp.person({ name: '许清扬' })
  const no = (await own.must(contract.applyTransferWageManager, { member_id: to.member_id })).approval_no
  return { wages, own, to, no }
}
const getStatus = async (caller: Caller, no: string) =>
  (await caller.must(contract.getApprovalList, { pagesize: 100 })).list.find((one) => one.approval_no === no)?.status
const getNotices = async (caller: Caller) =>
  (await caller.must(notifications.getNotificationList)).list.map((one) => [one.kind, one.text])
const getAudit = (company_id: string, call: string) =>
  world.database.inCompany(company_id, (tx) =>
    tx.selectFrom('audit_log_entry').select(['outcome', 'details']).where('call', '=', call).orderBy('id').execute(),
  )
/** Inserts applications of kinds that cannot be submitted yet, as their calls will write them. */
const written = (person: Person, kind: ApprovalKind) => {
  const approval_no = randomBytes(16).toString('hex')
  return world.database
    .inCompany(person.company_id, (tx) =>
      tx
        .insertInto('approval')
        .values({
          company_id: person.company_id,
          id: newId(),
          approval_no,
          kind,
          applicant_id: person.admin_id ?? '',
          created_at: world.clock.now(),
        })
        .execute(),
    )
    .then(() => approval_no)
}

describe('refused application for a transfer', () => {
  it('refuses a transfer application by anyone but a pure payroll administrator, including the system manager', async () => {
    const { member_id } = await corp.person()
    const call = async (power: ('1' | '2' | '3' | '4')[]) =>
      apply(await world.signIn(await corp.person({ power })), { member_id })
    expect((await call(['3'])).code).toBe(not_permitted.code)
    expect((await call(['1'])).code).toBe(not_permitted.code)
    expect(await call(['1', '2'])).toMatchObject({
      code: not_permitted.code,
      message: '您同时是企业管理员，请由系统管理员直接移交',
    })
    expect((await call(['4'])).code).toBe(not_permitted.code)
    expect((await call(['2', '4'])).code).toBe(not_permitted.code)
  })

  it('refuses a transfer application to oneself, a stranger, or a terminated or never signed-in member, and a second pending one', async () => {
    const wages = await corp.person({ power: ['2'] })
    const own = await world.signIn(wages)
    const other = await world.createCompany()
    const removed = await corp.person()
    await heads.must(member.clearMember, { id: removed.member_id })
    expect(await apply(own, wages)).toMatchObject({ code: wrong_state.code, data: { status: 'self' } })
    expect((await apply(own, await other.person())).code).toBe(not_found.code)
    expect((await apply(own, removed)).code).toBe(wrong_state.code)
    expect((await apply(own, await corp.person({ joined: false }))).code).toBe(wrong_state.code)
    expect((await own.call(contract.applyTransferWageManager, { member_id: '1' })).code).toBe(invalid.code)
    const to = await corp.person()
    // Ten simultaneous applications create one.
    const answers = await Promise.all(Array.from({ length: 10 }, () => apply(own, to)))
    expect(answers.map((one) => one.code).sort((a, b) => a - b)).toEqual([0, ...Array(9).fill(wrong_state.code)])
    expect(await apply(own, await corp.person())).toMatchObject({ code: wrong_state.code, data: { status: 'waiting' } })
  })
})

describe('application for a transfer', () => {
  it("uses the specification's texts for a transfer application, notifies the system managers and appears in their lists", async () => {
    const own_corp = await world.createCompany()
    const [chief, second] = await Promise.all(
      [1, 2].map(async () => world.signIn(await own_corp.person({ name: '系统甲', power: ['4'] }))),
    )
    const boss = await world.signIn(await own_corp.person({ power: ['1'] }))
    const wages = await own_corp.person({
      name: '江望舒',
      power: ['2'],
      scope: { all: false, department_ids: [own_corp.root_id] },
    })
    await makeBatch(world, wages, await own_corp.people(1))
    const own = await world.signIn(wages)
    const to = await own_corp.person({ name: '许清扬' })
    const key = `apply-${newId()}`
    const answer = await apply(own, to, key)
    expect(answer).toMatchObject({ code: 0, data: { message: '已发起移交审批，请等待系统管理员审批' } })
    const no = answer.data.approval_no
    expect(no).toMatch(/^[0-9a-f]{32}$/)
    expect((await apply(own, to, key)).data).toEqual(answer.data)
    for (const caller of [chief, second] as Caller[])
      expect(await getNotices(caller)).toEqual([['approval', '江望舒 申请把薪酬管理权限移交给 许清扬，请审批']])
    expect(await getNotices(boss)).toEqual([])
    expect(await own.must(contract.getWageManagerInfo)).toMatchObject({
      user_id: wages.admin_id,
      name: '江望舒',
      scope: { all: false, departments: [own_corp.name] },
      pending_approval: { approval_no: no, to: '许清扬' },
    })
    // Users without power 2 are shown who has it.
    expect(await boss.must(contract.getWageManagerInfo)).toMatchObject({ user_id: wages.admin_id, pending_approval: null })
    expect(await boss.must(contract.getSystemManagerTransferInfo, { id: wages.admin_id ?? '' })).toEqual({
      user_id: wages.admin_id,
      name: '江望舒',
      scope: { all: false, departments: [own_corp.name] },
      batches: 1,
      shares: 0,
      to: { member_id: to.member_id, name: '许清扬', approval_no: no },
    })
    const line = {
      approval_no: no,
      kind: 'wage_transfer',
      applicant: '江望舒',
      summary: '申请把薪酬管理权限移交给 许清扬',
      status: 0,
      decided_at: null,
      decided_by: null,
      batches: 1,
    }
    expect((await (chief as Caller).must(contract.getApprovalList)).list).toEqual([
      expect.objectContaining({ ...line, is_own: false, can_decide: true }),
    ])
    expect((await own.must(contract.getApprovalList, { status: 0, kind: 'wage_transfer' })).list).toEqual([
      expect.objectContaining({ ...line, is_own: true, can_decide: false }),
    ])
    expect((await own.must(contract.getApprovalList, { status: 1 })).list).toEqual([])
    expect((await boss.must(contract.getApprovalList)).page.total).toBe(0)
    expect((await (chief as Caller).must(agency.getTodoList)).list[0]).toEqual({ kind: 'approval', count: 1, batch_id: null })
    expect((await own.must(agency.getTodoList)).list.map((one) => one.kind)).toEqual(['draft'])
  })
})

describe('refused decisions', () => {
  const near = { full: 10_000, sample: 200, of: 'numbers', goal: 'I7' }
  trial(
    'near-numbers',
    "refuses decisions on the caller's own applications, those of other companies, and ids that are numerically close",
    near,
    async ({ size }) => {
      const { own, no, wages } = await applied()
      for (const status of [1, 2] as const)
        expect(await decide(own, no, status)).toMatchObject({
          code: not_permitted.code,
          message: '不能审批自己提交的申请，请等待其他管理员审批',
        })
      // This is refused even for a system manager, which the applicant may have become meanwhile.
      await world.database.inCompany(corp.company_id, (tx) =>
        tx
          .updateTable('admin')
          .set({ power: ['2', '4'] })
          .where('id', '=', wages.admin_id ?? '')
          .execute(),
      )
      expect((await decide(own, no, 1)).code).toBe(not_permitted.code)
      expect((await decide(heads, no, 3)).code).toBe(not_permitted.code)
      for (const power of ['1', '2', '3'] as const) {
        const somebody = await world.signIn(await corp.person({ power: [power] }))
        for (const status of [1, 2, 3] as const) expect((await decide(somebody, no, status)).code).toBe(not_found.code)
      }
      const outsider = await world.signIn(await (await world.createCompany()).person({ power: ['4'] }))
      expect((await decide(outsider, no, 1)).code).toBe(not_found.code)
      expect((await decide(heads, no.toUpperCase(), 1)).code).toBe(invalid.code)
      expect((await decide(heads, `${no}'`, 1)).code).toBe(invalid.code)
      expect(await getStatus(heads, no)).toBe(0)

      // A stranger who tries numbers around the real one, on either side, finds nothing, and the real one answers
      // identically.
      const at = BigInt(`0x${no}`)
      const numbers = Array.from({ length: size }, (_, step) => (at + BigInt(step - size / 2)).toString(16).padStart(32, '0'))
      const answers = new Set<string>()
      for (let from = 0; from < numbers.length; from += 20) {
        const some = await Promise.all(numbers.slice(from, from + 20).map((one) => decide(outsider, one, 1)))
        for (const { code, message, data } of some) answers.add(JSON.stringify({ code, message, data }))
      }
      expect([...answers]).toEqual([
        JSON.stringify({ code: not_found.code, message: '没有找到这份申请，可能已被处理或不属于您', data: {} }),
      ])
      expect(await getStatus(heads, no)).toBe(0)
    },
  )

  it('refuses another decision on a settled application, whatever its result', async () => {
    for (const first of [2, 3] as const) {
      const { own, no } = await applied()
      await (first === 3 ? own : heads).must(contract.setApprovalStatusByApprovalNo, { approval_no: no, status: first })
      for (const status of [1, 2] as const)
        expect(await decide(heads, no, status)).toMatchObject({ code: wrong_state.code, data: { status: first } })
      expect((await decide(own, no, 3)).code).toBe(wrong_state.code)
      expect(await getStatus(heads, no)).toBe(first)
    }
  })

  it('changes nothing if the approval is no longer possible, and still allows the application to be rejected', async () => {
    const lost = await applied()
    await heads.must(roles.clearRole, { user_id: lost.wages.admin_id ?? '', power: '2' })
    expect(await decide(heads, lost.no, 1)).toMatchObject({
      code: wrong_state.code,
      message: '江望舒 已不是薪酬管理员，这份申请不能通过，请驳回',
    })
    const removed = await applied()
    await heads.must(member.clearMember, { id: removed.to.member_id })
    expect((await decide(heads, removed.no, 1)).code).toBe(wrong_state.code)
    for (const { no } of [lost, removed]) {
      expect(await getStatus(heads, no)).toBe(0)
      expect((await decide(heads, no, 2)).code).toBe(0)
    }
    const parted = await applied()
    await heads.must(member.clearMember, { id: parted.wages.member_id })
    expect((await decide(heads, parted.no, 1)).code).toBe(wrong_state.code)
    expect(await getStatus(heads, parted.no)).toBe(0)
  })
})

describe('decision on an application', () => {
  it('refuses approval for a member whose row was linked to another account meanwhile', async () => {
    const corp = await world.createCompany()
    const head = await world.signIn(await corp.person({ power: ['4'] }))
    const applicant = await corp.person({ power: ['2'] })
    const to = await corp.person()
    const requested = await apply(await world.signIn(applicant), { member_id: to.member_id })
    const { approval_no } = requested.data
    const sneak = await (await world.createCompany()).person()
    await world.database.inCompany(corp.company_id, (tx) =>
      tx.updateTable('member').set({ account_id: sneak.account_id }).where('id', '=', to.member_id).execute(),
    )
    const decide = (status: 1 | 2) => head.call(contract.setApprovalStatusByApprovalNo, { approval_no, status })
    expect(await decide(1)).toMatchObject({ code: wrong_state.code, data: { status: 'another_account' } })
    expect((await head.must(contract.getApprovalList, {})).list[0]?.status).toBe(0)
    expect((await decide(2)).code).toBe(0)
  })

  it('notifies the applicant of a rejection with its reason, keeps all powers, and allows a new application', async () => {
    const { own, no, to } = await applied()
    await heads.must(contract.setApprovalStatusByApprovalNo, { approval_no: no, status: 2, reason: '请等到年底' })
    expect(await getNotices(own)).toEqual([['approval', '您申请把薪酬管理权限移交给 许清扬，沈知遥 已驳回，原因见申请记录']])
    const current = (await own.must(contract.getApprovalList)).list[0]
    expect(current).toMatchObject({ status: 2, reason: '请等到年底', decided_by: '沈知遥', batches: 0, can_decide: false })
    expect((await own.must(account.getCurrentUser)).power).toEqual(['2'])
    expect((await apply(own, to)).code).toBe(0)
  })

  it('transfers payroll authority in the same transaction as the approval', async () => {
    const { own, no, to, wages } = await applied()
    const batch_id = await makeBatch(world, wages, await corp.people(1))
    expect((await decide(heads, no, 1)).code).toBe(0)
    expect((await own.call(account.getCurrentUser)).code).toBe(transferred.code)
    const next = await world.signIn(to)
    expect((await next.must(account.getCurrentUser)).power).toEqual(['2'])
    expect((await next.call(slip.getWageDetail, { batch_id })).code).toBe(0)
    expect(await getNotices(next)).toEqual([['role', '江望舒 的薪酬管理权限已移交给您，包括 1 批工资记录']])
    expect(await getStatus(heads, no)).toBe(1)
  })

  it('allows power 1 to decide on company matters and the system manager to decide on everything', async () => {
    const own_corp = await world.createCompany()
    const bossPerson = await own_corp.person({ name: '顾怀瑾', power: ['1'] })
    const boss = await world.signIn(bossPerson)
    const chief = await world.signIn(await own_corp.person({ power: ['4'] }))
    const wages = await own_corp.person({ power: ['2'] })
    const own = await world.signIn(wages)
    // Agency applications are covered in agency-serve.test.ts.
    for (const kind of ['unbind'] as const) {
      const no = await written(wages, kind)
      expect((await boss.must(contract.getApprovalList, { kind })).list).toEqual([
        expect.objectContaining({ approval_no: no, can_decide: true }),
      ])
      expect((await boss.must(agency.getTodoList)).list).toEqual([{ kind: 'approval', count: 1, batch_id: null }])
      expect((await decide(own, no, 1)).code).toBe(not_permitted.code)
      expect((await decide(boss, no, 1)).code).toBe(0)
    }
    // An administrator's own application waits for another administrator.
    const current = await written(bossPerson, 'unbind')
    expect((await boss.must(agency.getTodoList)).list).toEqual([])
    expect((await chief.must(agency.getTodoList)).list).toEqual([{ kind: 'approval', count: 1, batch_id: null }])
    expect((await decide(chief, current, 1)).code).toBe(0)
    const no = await written(wages, 'send')
    expect((await decide(boss, no, 1)).code).toBe(not_found.code)
    expect((await chief.must(contract.getApprovalList)).page.total).toBe(3)
    expect((await decide(chief, no, 2)).code).toBe(0)
  })

  const deciding = { full: 100, sample: 2, of: 'rounds', goal: 'I8' }
  trial(
    'deciding',
    'makes one change and one audit log entry for 50 simultaneous approvals and rejections',
    deciding,
    async ({ size: rounds }) => {
      for (let round = 0; round < rounds; round += 1) {
        const own_corp = await world.createCompany()
        const chiefs = await Promise.all(
          Array.from({ length: 5 }, async () => world.signIn(await own_corp.person({ power: ['4'] }))),
        )
        const { no, own, to, wages } = await applied(own_corp)
        await makeBatch(world, wages, await own_corp.people(1))
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, at) => decide(chiefs[at % 5] as Caller, no, at % 2 === 0 ? 1 : 2)),
        )
        expect(answers.map((one) => one.code).sort((a, b) => a - b)).toEqual([0, ...Array(49).fill(wrong_state.code)])
        const lines = await getAudit(own_corp.company_id, contract.setApprovalStatusByApprovalNo.route)
        expect(lines.filter((line) => line.outcome === 'done')).toHaveLength(1)
        expect(lines).toHaveLength(50)
        const won = answers.findIndex((one) => one.code === 0) % 2 === 0 ? 1 : 2
        expect(await getStatus(chiefs[0] as Caller, no)).toBe(won)
        const receiver = await (await world.signIn(to)).call(account.getCurrentUser)
        expect(receiver.code).toBe(won === 1 ? 0 : not_permitted.code)
        expect((await own.call(account.getCurrentUser)).code).toBe(won === 1 ? transferred.code : 0)
      }
    },
  )

  it('lets only one of a simultaneous withdrawal and approval succeed', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { own, no } = await applied()
      const [back, yes] = await Promise.all([decide(own, no, 3), decide(heads, no, 1)])
      expect([back.code, yes.code].filter((code) => code === 0)).toHaveLength(1)
      expect(await getStatus(heads, no)).toBe(back.code === 0 ? 3 : 1)
    }
  })
})

describe('transfer of power 4', () => {
  const secret = '一个够长的登录密码'
  async function findLeader(in_corp: Corp) {
    const chief = await in_corp.person({ name: '系统甲', power: ['2', '4'] })
    const password_hash = await hashPassword(secret)
    await world.database.withoutCompany((tx) =>
      tx.updateTable('account').set({ password_hash }).where('id', '=', chief.account_id).execute(),
    )
    return { chief, caller: await world.signIn(chief) }
  }
  const transfer = (caller: Caller, to: { member_id: string }, password = secret) =>
    caller.call(contract.transferSystemManager, { member_id: to.member_id, password })

  it('refuses the transfer of power 4 by anyone but the system manager, with a wrong password, or to oneself, a stranger or a never signed-in member', async () => {
    const own_corp = await world.createCompany()
    const { chief, caller } = await findLeader(own_corp)
    const to = await own_corp.person()
    for (const power of ['1', '2', '3'] as const)
      expect((await transfer(await world.signIn(await own_corp.person({ power: [power] })), to)).code).toBe(not_permitted.code)
    expect(await transfer(caller, to, '不是这个密码')).toMatchObject({
      code: wrong_password.code,
      message: '登录密码不正确',
      data: { field: 'password' },
    })
    expect((await transfer(caller, chief)).code).toBe(wrong_state.code)
    expect((await transfer(caller, await (await world.createCompany()).person())).code).toBe(not_found.code)
    expect((await transfer(caller, await own_corp.person({ joined: false }))).code).toBe(wrong_state.code)
    expect((await caller.must(account.getCurrentUser)).power).toEqual(['2', '4'])
  })

  it('locks the transfer of power 4 after repeated wrong passwords', async () => {
    const own_corp = await world.createCompany()
    const { caller } = await findLeader(own_corp)
    const to = await own_corp.person()
    const codes: number[] = []
    for (let at = 0; at < 12; at += 1) codes.push((await transfer(caller, to, `falsch ${at}`)).code)
    expect(codes).toEqual([...Array(10).fill(wrong_password.code), locked.code, locked.code])
    expect((await transfer(caller, to)).code).toBe(locked.code)
  })

  it('moves power 4, answers `transferred`, ends every session of the former system manager, and keeps their other powers', async () => {
    const own_corp = await world.createCompany()
    const { chief, caller } = await findLeader(own_corp)
    const tab = await world.signIn(chief)
    const to = await own_corp.person({ power: ['3'] })
    const next = await world.signIn(to)
    expect(await transfer(caller, to)).toMatchObject({ code: transferred.code, message: '移交成功' })
    for (const each of [caller, tab]) expect((await each.call(account.getCurrentUser)).code).toBe(transferred.code)
    expect((await next.must(account.getCurrentUser)).power).toEqual(['3', '4'])
    expect(await getNotices(next)).toEqual([['role', '系统甲 已把系统管理员权限移交给您，您现在拥有全部权限']])
    expect((await (await world.signIn(chief)).must(account.getCurrentUser)).power).toEqual(['2'])
    const lines = await getAudit(own_corp.company_id, contract.transferSystemManager.route)
    expect(lines).toEqual([
      { outcome: 'transferred', details: expect.objectContaining({ from_user_id: chief.admin_id, to_user_id: to.admin_id }) },
    ])
  })

  it('lets only one of two simultaneous transfers to different members succeed', async () => {
    for (let round = 0; round < 3; round += 1) {
      const own_corp = await world.createCompany()
      const { chief, caller } = await findLeader(own_corp)
      const [a, b] = (await own_corp.people(2)) as [Person, Person]
      const second = await world.signIn(chief)
      const codes = (await Promise.all([transfer(caller, a), transfer(second, b)])).map((one) => one.code)
      expect(codes).toContain(transferred.code)
      expect(codes.every((code) => [transferred.code, not_permitted.code, signed_out.code].includes(code as 100038))).toBe(true)
      const { rows } = await world.database.inCompany(own_corp.company_id, async (tx) => ({
        rows: await tx.selectFrom('admin').select(['member_id', 'power']).execute(),
      }))
      const holders = rows.filter((row) => row.power.includes('4'))
      expect(holders).toHaveLength(1)
      expect([a.member_id, b.member_id]).toContain(holders[0]?.member_id)
    }
  })
})
