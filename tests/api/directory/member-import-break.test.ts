/** Roster imports by a malicious user: what undo restores, whom an import reaches, and changes while it is read. */
import { beforeEach, describe, expect, it } from 'vitest'
import * as role from '../../../server/contract/access/administrators.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as contract from '../../../server/contract/directory/import.ts'
import * as member from '../../../server/contract/directory/members.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { hashPassword } from '../../../server/modules/auth/index.ts'
import { newId } from '../../../server/shared/ids.ts'
import { codesSent, createClient, lastCode, type TestClient } from '../../support/callers/visitor.ts'
import { demo } from '../../support/demo.ts'
import { makeXlsx, type XlsxCell } from '../../support/files/xlsx.ts'
import { freshPhone } from '../../support/random.ts'
import { lockWaiters } from '../../support/run/database.ts'
import { makeBatch, type PaidPerson, salaries, send } from '../../support/slips.ts'
import type { Caller, Person } from '../../support/world.ts'

const { world, corp } = demo({ own: true, each: true })
let head: Caller
beforeEach(async () => {
  head = await world.signIn(await corp.person({ power: ['4', '1'], name: '负责人' }))
})

const secret = '梅兰竹菊 2026'
async function withPassword(person: Person): Promise<Person> {
  const password_hash = await hashPassword(secret)
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash }).where('id', '=', person.account_id).execute(),
  )
  return person
}

const header = ['姓名', '手机号', '工号', '部门', '员工状态']
const bring = (who: Caller, rows: readonly XlsxCell[][], columns: readonly string[] = header) =>
  who.must(
    contract.importMemberFile,
    {},
    { file: { name: '花名册.xlsx', bytes: makeXlsx({ sheets: [{ name: '花名册', rows: [[...columns], ...rows] }] }) } },
  )
const carry = (who: Caller, import_id: string) => who.must(contract.uploadMembers, { import_id, mode: 'update' })
const undo = (who: Caller, import_id: string) => who.call(contract.undoImport, { import_id })
const getPeople = async (who: Caller, name: string) => (await who.must(member.getMemberList, { pagesize: 100, name })).list
const refused = (labels: string) => ({ code: 100409, message: expect.stringContaining(labels) })

describe('a member who becomes an administrator during an import', () => {
  it.each([
    ['leaves', (phone: string) => ['新管理员', phone, 'A-9', '', '离职']],
    ['gets another phone', () => ['新管理员', freshPhone(), 'A-9', '', '']],
  ])('does not unlink a new administrator by an import row in which the member %s', async (_, row) => {
    const person = await corp.person({ name: '新管理员', employee_no: 'A-9' })
    const { import_id } = await bring(head, [row(person.mobile)])
    let carried: Promise<{ code: number }> | undefined
    await world.database.inCompany(corp.company_id, async (tx) => {
      // Locks the row like granting a power does: the import has finished its plan by now and waits.
      await tx.selectFrom('member').select('id').where('id', '=', person.member_id).forShare().execute()
      carried = head.call(contract.uploadMembers, { import_id, mode: 'update' })
      await expect.poll(() => lockWaiters(world.database), { interval: 20 }).toBeGreaterThan(0)
      await tx
        .insertInto('admin')
        .values({
          company_id: corp.company_id,
          id: newId(),
          member_id: person.member_id,
          account_id: person.account_id,
          power: ['2'],
          scope_all: true,
        })
        .execute()
    })
    expect(await carried).toMatchObject(refused('花名册刚刚有变化'))
    expect(await getPeople(head, '新管理员')).toMatchObject([{ STATUS: 'active', MOBILE: person.mobile }])
  })
})

it('applies an import whose lease lies a day ahead, because the clock was set back, and not one that is held', async () => {
  const { import_id } = await bring(head, [['林一', freshPhone(), 'L-1', '', '']])
  const lease = (ms: number) =>
    world.database.inCompany(corp.company_id, (tx) =>
      tx
        .updateTable('member_import')
        .set({ stage: 'applying', leased_until: new Date(Date.now() + ms) })
        .where('company_id', '=', corp.company_id)
        .where('id', '=', import_id)
        .execute(),
    )
  const apply = () => head.call(contract.uploadMembers, { import_id, mode: 'update' })
  await lease(4_000)
  expect((await apply()).code).not.toBe(0)
  await lease(86_400_000)
  expect((await apply()).code).toBe(0)
  expect(await getPeople(head, '林一')).toHaveLength(1)
})

describe('administrator whose scope changed during an import', () => {
  let keeper: Person
  let east: string
  beforeEach(async () => {
    east = await corp.department('华东')
    keeper = await corp.person({
      power: ['3'],
      name: '东管',
      scope: { all: false, department_ids: [east] },
      department_ids: [east],
    })
  })
  const cut = async () => {
    const north = await corp.department('华北')
    await head.must(role.editUserScope, { user_id: keeper.admin_id ?? '', scope: { all: false, department_ids: [north] } })
    return world.signIn(keeper)
  }

  it('restores nobody who is out of scope when the import is undone', async () => {
    const old = await corp.person({ name: '东二', department_ids: [east], joined: false })
    const before = await world.signIn(keeper)
    const { import_id } = await bring(before, [
      ['东一', freshPhone(), '', '', ''],
      ['东二', old.mobile, 'E2', '', ''],
    ])
    expect(await carry(before, import_id)).toMatchObject({ created: 1, updated: 1 })
    expect(await undo(await cut(), import_id)).toMatchObject(refused('管理范围'))
    expect((await getPeople(head, '东')).map(({ EMPLOYEE_NO }) => EMPLOYEE_NO).toSorted()).toContain('E2')
    expect(await getPeople(head, '东一')).toHaveLength(1)
  })

  it('offers nobody who is out of scope after the change', async () => {
    const old = await corp.person({ name: '东二', department_ids: [east], joined: false })
    const before = await world.signIn(keeper)
    const { import_id } = await bring(before, [['东二', freshPhone(), '', '', '']])
    const choices = async (who: Caller) =>
      (await who.must(contract.getImportRows, { import_id })).list.flatMap((one) => one.choices.map(({ ID }) => ID))
    expect(await choices(before)).toEqual([old.member_id])
    expect(await choices(await cut())).toEqual([])
  })

  it("does not reach a department that differs from the administrator's own only in letter case", async () => {
    const [current, other] = [await corp.department('HR'), await corp.department('hr')]
    await head.must(role.editUserScope, {
      user_id: keeper.admin_id ?? '',
      scope: { all: false, department_ids: [east, current] },
    })
    const old = await corp.person({ name: '东二', department_ids: [east], joined: false })
    const now = await world.signIn(keeper)
    const { import_id } = await bring(now, [['东二', old.mobile, '', 'HR', '']])
    await now.call(contract.uploadMembers, { import_id, mode: 'update' })
    expect((await getPeople(head, '东二'))[0]?.DEPARTMENTS.map(({ ID }) => ID)).not.toContain(other)
  })
})

describe('undoing an import', () => {
  it('creates no duplicate if a member was added with the same ID card meanwhile', async () => {
    const card = '11010519491231002X'
    const { id } = await head.must(member.insertMember, { name: '李二', mobile: freshPhone(), id_card: card })
    const [old] = await getPeople(head, '李二')
    const { import_id } = await bring(head, [['李二', old?.MOBILE ?? '', '', '', '离职']])
    expect(await carry(head, import_id)).toMatchObject({ terminated: 1 })
    await head.must(member.insertMember, { name: '李二', mobile: freshPhone(), id_card: card })
    expect(await undo(head, import_id)).toMatchObject(refused('身份证号'))
    expect((await getPeople(head, '李二')).map(({ ID }) => ID)).not.toContain(id)
  })

  it('does not link a member again to an account that has another phone meanwhile', async () => {
    const old = await corp.person({ name: '李二' })
    const { import_id } = await bring(head, [['李二', old.mobile, '', '', '离职']])
    await carry(head, import_id)
    await world.database.withoutCompany((tx) =>
      tx.updateTable('account').set({ mobile: freshPhone() }).where('id', '=', old.account_id).execute(),
    )
    expect(await undo(head, import_id)).toMatchObject(refused('已不是他账号的手机号'))
  })

  it('restores the department head when an import is undone', async () => {
    const lab = await corp.department('实验室')
    const old = await corp.person({ name: '李二', department_ids: [lab] })
    await head.must(member.editDepartment, { id: lab, leader_id: old.member_id })
    const tree = () => head.must(member.getDepartment, { id: lab })
    const before = await tree()
    const { import_id } = await bring(head, [['李二', old.mobile, '', '', '离职']])
    await carry(head, import_id)
    expect((await tree()).LEADER).toBeNull()
    expect((await undo(head, import_id)).code).toBe(0)
    expect(await tree()).toEqual(before)
  })
})

it('keeps an applied import when it is read again during the apply, and can still undo it', async () => {
  const { import_id } = await bring(head, [['王一', freshPhone(), '', '', '']])
  const reading = head.call(contract.importMemberFile, { import_id, roles: 'A=name\nB=mobile' })
  await new Promise((done) => setTimeout(done, 40))
  const carried = await head.call(contract.uploadMembers, { import_id, mode: 'update' })
  await reading
  expect(carried.code).toBe(0)
  const { import: now } = await head.must(contract.getImport, { import_id })
  expect(now?.stage).toBe('done')
  expect(await undo(head, import_id)).toMatchObject({ code: 0, data: { removed: 1 } })
})

it('treats a row with another name and ID card as another member, whatever is answered', async () => {
  const mobile = freshPhone()
  const { id } = await head.must(member.insertMember, { name: '李二', mobile, id_card: '11010519491231002X' })
  const columns = ['姓名', '手机号', '身份证号']
  const { import_id } = await bring(head, [['赵六', mobile, '110101199003077715']], columns)
  const request = async () => (await head.must(contract.getImportRows, { import_id })).list
  expect(await request()).toMatchObject([{ state: 'conflict', choices: [], message: '手机号是「李二」的，姓名不同' }])
  await head.must(contract.answerImport, { import_id, answers: [{ row: 2, take: 'person', member_id: id ?? '' }] })
  expect(await carry(head, import_id)).toMatchObject({ updated: 0, created: 0 })
})

describe('all questioned rows imported as new members', () => {
  it("gives the new owner of a terminated member's phone nothing, and the terminated member only their own payslips", async () => {
    const clerk = await corp.person({ power: ['2'] })
    const old = await withPassword(await corp.person({ name: '老赵' }))
    const pay = async (person: PaidPerson, month: string) => {
      const batch_id = await makeBatch(world, clerk, [person], { month })
      await send(await world.signIn(clerk), batch_id)
      await world.product.jobs.drain()
      return (await salaries(world, corp, batch_id))[0]?.id ?? ''
    }
    const his = await pay(old, '2026-09')
    await head.must(member.clearMember, { id: old.member_id })
    const { import_id } = await bring(head, [['小钱', old.mobile, '', '', '']])
    const list = async () => (await head.must(contract.getImportRows, { import_id })).list
    expect(await list()).toMatchObject([{ state: 'conflict', message: '手机号是已离职的「老赵」的，姓名不同', can_create: true }])
    await head.must(contract.answerImport, { import_id, answers: [], all: 'new' })
    expect(await carry(head, import_id)).toMatchObject({ created: 1, updated: 0 })
    const [fresh] = await getPeople(head, '小钱')
    const theirs = await pay({ member_id: fresh?.ID ?? '', name: '小钱', mobile: old.mobile }, '2026-10')
    const getSlips = async (browser: TestClient) =>
      (await browser.call(employee.getSlipList, {})).data.list.map(({ slip_id }) => slip_id)
    // The member is recognized by the password, and by a code with it.
    const at_desk = createClient(world)
    expect((await at_desk.call(account.login, { phone: old.mobile, password: secret })).code).toBe(0)
    expect((await at_desk.call(employee.getCurrentEmployee)).data).toMatchObject({ name: '老赵' })
    expect(await getSlips(at_desk)).toEqual([his])
    const getCode = async (browser: TestClient) => {
      const sent = await codesSent(world, old.mobile)
      const { sms } = (await browser.call(account.getVerifyCode, { phone: old.mobile, type: 'login' })).data
      return { sms, code: await lastCode(world, old.mobile, sent) }
    }
    const both = createClient(world)
    const proof = await getCode(both)
    await both.call(account.loginByCode, { phone: old.mobile, ...proof, password: secret })
    expect(await getSlips(both)).not.toContain(theirs)
    // A user who proves the phone by a code alone is the new owner.
    world.clock.advance(61_000)
    const next = createClient(world)
    expect((await next.call(account.loginByCode, { phone: old.mobile, ...(await getCode(next)) })).code).toBe(0)
    expect((await next.call(employee.getCurrentEmployee)).data).toMatchObject({ name: '小钱', terminated: null })
    expect(await getSlips(next)).toEqual([theirs])
    expect((await next.call(employee.getSlip, { slip_id: his })).code).toBe(100404)
  })

  it('matches no more namesakes than were offered, and none that was never offered', async () => {
    const many: Person[] = []
    for (let at = 0; at < 23; at += 1) many.push(await corp.person({ name: '王伟', joined: false }))
    const mobile = freshPhone()
    const { import_id } = await bring(head, [['王伟', mobile, '', '', '']])
    const rows = async () => (await head.must(contract.getImportRows, { import_id })).list
    const [row] = await rows()
    expect([row?.state, row?.choices.length, row?.can_create]).toEqual(['conflict', 20, true])
    const offered = new Set(row?.choices.map(({ ID }) => ID))
    const beyond = many.find(({ member_id }) => !offered.has(member_id))
    await head.must(contract.answerImport, {
      import_id,
      answers: [{ row: 2, take: 'person', member_id: beyond?.member_id ?? '' }],
    })
    expect(await rows()).toMatchObject([{ state: 'conflict' }])
    const phones = async () => (await getPeople(head, '王伟')).map(({ MOBILE }) => MOBILE).toSorted()
    const before = await phones()
    await head.must(contract.answerImport, { import_id, answers: [], all: 'new' })
    expect(await carry(head, import_id)).toMatchObject({ created: 1, updated: 0, terminated: 0 })
    expect(await phones()).toEqual([...before, mobile].toSorted())
    // The employee number identifies the member, however many there are.
    await head.must(member.editMemberInfo, { id: beyond?.member_id ?? '', employee_no: 'W-23' })
    const again = await bring(head, [['王伟', '', 'W-23', '', '离职']])
    expect(await carry(head, again.import_id)).toMatchObject({ terminated: 1, created: 0, updated: 0 })
    const removed = (await head.must(member.getMemberList, { status: 'left', name: '王伟' })).list.map(({ ID }) => ID)
    expect(removed).toEqual([beyond?.member_id])
  })
})
