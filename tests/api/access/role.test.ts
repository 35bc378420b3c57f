/** Administrators: list, search, grant and revoke powers. Refusals first. */
import { beforeAll, describe, expect, it } from 'vitest'
import * as contract from '../../../server/contract/access/administrators.ts'
import * as account from '../../../server/contract/auth/sign-in.ts'
import * as member from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import * as notifications from '../../../server/contract/notifications/notifications.ts'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demo } from '../../support/demo.ts'
import { makeBatch } from '../../support/slips.ts'
import { type Caller, type Corp, type Person } from '../../support/world.ts'

let other: Corp
let head: Person
let boss: Person
let heads: Caller
let bosses: Caller
let sales: string
let north: string
let lab: string

const { world, corp } = demo()
beforeAll(async () => {
  other = await world.createCompany()
  head = await corp.person({ name: '沈知遥', power: ['4'] })
  boss = await corp.person({ name: '顾怀瑾', power: ['1'] })
  heads = await world.signIn(head)
  bosses = await world.signIn(boss)
  sales = await corp.department('销售部')
  north = await corp.department('北区', sales)
  lab = await corp.department('研发部')
})

const { not_found, not_permitted, wrong_state, invalid, signed_out } = errorCodes
type Scope = { all: boolean; department_ids: string[] }
const all: Scope = { all: true, department_ids: [] }
const within = (...department_ids: string[]): Scope => ({ all: false, department_ids })
const getId = (person: Person) => person.admin_id ?? ''
const getRow = async (caller: Caller, person: Person) =>
  (await caller.must(contract.getUserList, { pagesize: 100 })).list.find((one) => one.member_id === person.member_id)
const getNotices = async (person: Person) =>
  (await (await world.signIn(person)).must(notifications.getNotificationList)).list.map((one) => one.text)

describe('refused grants of powers', () => {
  it('refuses to grant powers to members who never signed in, are terminated, belong to another company, or are the caller', async () => {
    const invited = await corp.person({ name: '未登录的人', joined: false })
    const removed = await corp.person({ name: '已离职的人' })
    await heads.must(member.clearMember, { id: removed.member_id })
    const outsider = await other.person()
    const call = (member_id: string, caller = heads) => caller.call(contract.insertRole, { member_id, power: ['2'], scope: all })
    expect(await call(invited.member_id)).toMatchObject({
      code: wrong_state.code,
      message: '未登录的人 还没有登录过，请先邀请其用手机验证码登录一次，再设置权限',
      data: { status: 'invited' },
    })
    expect(await call(removed.member_id)).toMatchObject({ code: wrong_state.code, data: { status: 'left' } })
    expect((await call(outsider.member_id)).code).toBe(not_found.code)
    expect((await call(newId())).code).toBe(not_found.code)
    expect(await call(boss.member_id, bosses)).toMatchObject({
      code: not_permitted.code,
      message: '不能更改自己的权限或管理范围，请由其他管理员操作',
    })
    expect(await call(head.member_id, bosses)).toMatchObject({ code: not_permitted.code, data: { status: 'head' } })
  })

  it('refuses a grant without a scope or powers, with departments of another company, or of power 4', async () => {
    const { member_id } = await corp.person()
    const foreign = await other.department('外部')
    const call = (power: string[], scope: object) =>
      heads.call(contract.insertRole, { member_id, power: power as ['2'], scope: scope as Scope })
    for (const power of ['2', '3'])
      expect(await call([power], within())).toMatchObject({
        code: invalid.code,
        message: '请选择管理范围：全公司，或至少一个部门',
        data: { field: 'scope' },
      })
    expect((await call(['2'], within(foreign))).code).toBe(not_found.code)
    expect((await call(['2'], within(sales, newId()))).code).toBe(not_found.code)
    expect((await call(['4'], all)).code).toBe(invalid.code)
    expect(await call([], all)).toMatchObject({ code: invalid.code, message: '请选择至少一种权限' })
    expect(await getRow(heads, { member_id } as Person)).toBeUndefined()
  })

  it('grants powers to several members or to none', async () => {
    const [a, b] = (await corp.people(2)) as [Person, Person]
    const invited = await corp.person({ joined: false })
    const call = (...people: { member_id: string }[]) =>
      heads.call(contract.addAmin, { member_ids: people.map((one) => one.member_id), power: ['3'], scope: within(lab) })
    expect((await call(a, invited, b)).code).toBe(wrong_state.code)
    expect((await call(a, { member_id: newId() })).code).toBe(not_found.code)
    expect((await call(a, head)).code).toBe(not_permitted.code)
    expect(await getRow(heads, a)).toBeUndefined()
    expect(await call()).toMatchObject({ code: invalid.code, message: '请选择成员' })
  })
})

describe('granting powers', () => {
  it('adds powers, replaces the scope and keeps the session', async () => {
    const person = await corp.person({ name: '江望舒', department_ids: [north] })
    const own = await world.signIn(person)
    expect((await own.call(account.getCurrentUser)).code).toBe(not_permitted.code)
    const { user_id } = await bosses.must(contract.insertRole, {
      member_id: person.member_id,
      power: ['2'],
      scope: within(sales, sales),
    })
    expect((await own.must(account.getCurrentUser)).power).toEqual(['2'])
    expect(await getRow(heads, person)).toMatchObject({
      user_id,
      power: ['2'],
      scope: { all: false, department_ids: [sales], departments: ['销售部'] },
      batches: 0,
      is_current_user: false,
    })
    const again = await bosses.must(contract.insertRole, {
      member_id: person.member_id,
      power: ['3', '2'],
      scope: within(sales, lab),
    })
    expect(again.user_id).toBe(user_id)
    expect((await own.must(account.getCurrentUser)).power).toEqual(['2', '3'])
    // Power 1 manages the company: it needs no scope, and the scope for pay is unchanged.
    await heads.must(contract.insertRole, { member_id: person.member_id, power: ['1'], scope: within() })
    expect((await own.must(account.getCurrentUser)).power).toEqual(['1', '2', '3'])
    expect((await getRow(heads, person))?.scope.departments.sort()).toEqual(['研发部', '销售部'])
    expect((await own.must(notifications.getNotificationList)).list.map((one) => [one.kind, one.text])).toEqual([
      ['role', '沈知遥 为您设置了企业管理员权限'],
      ['role', expect.stringMatching(/^顾怀瑾 为您设置了薪酬管理员、员工管理员权限，管理范围：/)],
      ['role', '顾怀瑾 为您设置了薪酬管理员权限，管理范围：销售部'],
    ])
  })

  it('grants several members one power each, and does nothing for a repeated idempotency key', async () => {
    const people = await corp.people(3)
    const input = {
      member_ids: [...people, ...people].map((one) => one.member_id),
      power: ['3' as const],
      scope: within(lab),
    }
    const key = `add-${newId()}`
    const first = await heads.must(contract.addAmin, input, { key })
    expect(first.user_ids).toHaveLength(3)
    expect(await heads.must(contract.addAmin, input, { key })).toEqual(first)
    for (const person of people) expect(await getNotices(person)).toHaveLength(1)
    const { user_ids } = await heads.must(contract.getManagerUserIdList, { power: '3' })
    expect(user_ids).toEqual(expect.arrayContaining(first.user_ids))
  })

  it('creates one administrator for two concurrent grants to the same member', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { member_id } = await corp.person()
      const answers = await Promise.all(
        (['2', '3', '2', '3'] as const).map((power) =>
          (power === '2' ? heads : bosses).call(contract.insertRole, { member_id, power: [power], scope: all }),
        ),
      )
      expect(answers.map((one) => one.code)).toEqual([0, 0, 0, 0])
      expect(new Set(answers.map((one) => one.data.user_id)).size).toBe(1)
      expect((await getRow(heads, { member_id } as Person))?.power).toEqual(['2', '3'])
    }
  })

  it('signs the administrator out if the scope becomes smaller', async () => {
    const person = await corp.person({ power: ['2'], scope: { all: true } })
    const own = await world.signIn(person)
    await heads.must(contract.insertRole, { member_id: person.member_id, power: ['3'], scope: within(lab) })
    expect((await own.call(account.getCurrentUser)).code).toBe(signed_out.code)
  })
})

describe('revoking powers', () => {
  it("refuses to revoke the caller's own powers, those of the head for power 1, power 4, and powers that are not held", async () => {
    const wages = await corp.person({ power: ['2'] })
    const outsider = await other.person({ power: ['2'] })
    const take = (caller: Caller, person: Person, power: '1' | '2' | '3' | '4') =>
      caller.call(contract.clearRole, { user_id: getId(person), power })
    expect((await take(bosses, boss, '1')).code).toBe(not_permitted.code)
    expect((await take(heads, head, '4')).code).toBe(not_permitted.code)
    expect(await take(bosses, head, '4')).toMatchObject({ code: not_permitted.code, data: { status: 'head' } })
    expect(await take(heads, wages, '3')).toMatchObject({
      code: wrong_state.code,
      message: '对方没有员工管理员权限，列表可能已更新，请刷新',
    })
    expect((await heads.call(contract.clearHrManager, { user_id: getId(wages) })).code).toBe(wrong_state.code)
    expect((await take(heads, outsider, '2')).code).toBe(not_found.code)
    expect((await take(heads, { admin_id: newId() } as Person, '2')).code).toBe(not_found.code)
    const second = await corp.person({ power: ['4'] })
    expect(await take(heads, second, '4')).toMatchObject({
      code: wrong_state.code,
      message: '系统管理员权限不能取消，只能由系统管理员本人移交',
    })
  })

  it("ends only the administrator's sessions in this company, keeps the other powers and reports the revocation", async () => {
    const person = await corp.person({ name: '许清扬', power: ['2', '3'] })
    await other.person({ same_as: person })
    const elsewhere = await world.signIn({ ...person, company_id: other.company_id, admin_id: null })
    const own = await world.signIn(person)
    await bosses.must(contract.clearHrManager, { user_id: getId(person) })
    expect((await own.call(account.getCurrentUser)).code).toBe(signed_out.code)
    expect((await elsewhere.call(employee.getCurrentEmployee)).code).toBe(0)
    expect((await (await world.signIn(person)).must(account.getCurrentUser)).power).toEqual(['2'])
    expect(await getNotices(person)).toEqual(['顾怀瑾 取消了您的员工管理员权限'])
    await bosses.must(contract.clearRole, { user_id: getId(person), power: '2' })
    expect((await (await world.signIn(person)).call(account.getCurrentUser)).code).toBe(not_permitted.code)
    expect(await getRow(heads, person)).toBeUndefined()
    // A repeated grant reuses the row.
    const { user_id } = await bosses.must(contract.insertRole, { member_id: person.member_id, power: ['2'], scope: all })
    expect(user_id).toBe(person.admin_id)
  })

  it('keeps the pay runs of a revoked administrator and lists them as waiting for a transfer', async () => {
    const person = await corp.person({ power: ['2'] })
    await makeBatch(world, person, await corp.people(1))
    await heads.must(contract.clearRole, { user_id: getId(person), power: '2' })
    expect(await getRow(heads, person)).toMatchObject({
      power: [],
      batches: 1,
      scope: { all: false, department_ids: [], departments: [] },
    })
    const { list } = await heads.must(contract.getUserList, { power: '2', pagesize: 100 })
    expect(list.map((one) => one.member_id)).not.toContain(person.member_id)
    expect((await heads.call(contract.clearRole, { user_id: getId(person), power: '2' })).code).toBe(not_found.code)
  })

  it('keeps the last administrator who may manage the company', async () => {
    const old = await world.createCompany()
    const [a, b] = [await old.person({ power: ['1'] }), await old.person({ power: ['1'] })]
    const [as, bs] = await Promise.all([world.signIn(a), world.signIn(b)])
    // In a company without a head, as in a restored database, one of two administrators who revoke each other's power
    // at the same moment keeps it.
    const answers = await Promise.all([
      as.call(contract.clearRole, { user_id: getId(b), power: '1' }),
      bs.call(contract.clearRole, { user_id: getId(a), power: '1' }),
    ])
    // The second administrator has lost the right by then, or is already signed out because of that.
    const [done, second] = answers.map((one) => one.code).sort((x, y) => x - y)
    expect(done).toBe(0)
    expect([not_permitted.code, signed_out.code]).toContain(second)
    // Next to a head, the only administrator with power 1 may be removed.
    const lonely = await world.createCompany()
    const only = await lonely.person({ power: ['1'] })
    const chief = await world.signIn(await lonely.person({ power: ['4'] }))
    await chief.must(contract.clearRole, { user_id: getId(only), power: '1' })
  })
})

describe('scope changes', () => {
  it("refuses to change the caller's own scope, that of the head, to an empty scope, or to departments of another company", async () => {
    const wages = await corp.person({ power: ['2'], scope: { all: false, department_ids: [sales] } })
    const edit = (caller: Caller, user_id: string, scope: Scope) => caller.call(contract.editUserScope, { user_id, scope })
    expect((await edit(bosses, getId(boss), all)).code).toBe(not_permitted.code)
    expect((await edit(bosses, getId(head), within(lab))).code).toBe(not_permitted.code)
    expect((await edit(heads, getId(wages), within())).code).toBe(invalid.code)
    expect((await edit(heads, getId(wages), within(await other.department('外部')))).code).toBe(not_found.code)
    expect((await edit(heads, newId(), all)).code).toBe(not_found.code)
    expect((await getRow(heads, wages))?.scope.departments).toEqual(['销售部'])
  })

  it('applies a larger scope at once in the same session, signs out for a smaller one, and reports both', async () => {
    const wages = await corp.person({ power: ['2', '3'], scope: { all: false, department_ids: [north] } })
    const inLab = await corp.person({ department_ids: [lab] })
    const own = await world.signIn(wages)
    const sees = async () => (await own.call(member.getMemberInfo, { id: inLab.member_id })).code
    expect(await sees()).toBe(not_found.code)
    await heads.must(contract.editUserScope, { user_id: getId(wages), scope: within(sales, lab) })
    expect(await sees()).toBe(0)
    await heads.must(contract.editUserScope, { user_id: getId(wages), scope: within(sales, north) })
    expect(await sees()).toBe(signed_out.code)
    expect(await getNotices(wages)).toEqual([
      expect.stringMatching(/^沈知遥 把您的管理范围改为：/),
      expect.stringMatching(/^沈知遥 把您的管理范围改为：/),
    ])
  })
})

describe('signing a user out', () => {
  it('ends all sessions of the user in this company and none elsewhere', async () => {
    const person = await corp.person({ power: ['2'] })
    await other.person({ same_as: person })
    const elsewhere = await world.signIn({ ...person, company_id: other.company_id, admin_id: null })
    const tabs = await Promise.all(Array.from({ length: 3 }, () => world.signIn(person)))
    expect((await bosses.call(contract.endUserSessions, { user_id: getId(head) })).code).toBe(not_permitted.code)
    expect((await bosses.call(contract.endUserSessions, { user_id: newId() })).code).toBe(not_found.code)
    expect(await bosses.must(contract.endUserSessions, { user_id: getId(person) })).toEqual({ ended: 3 })
    expect((await Promise.all(tabs.map((tab) => tab.call(account.getCurrentUser)))).map((one) => one.code)).toEqual(
      Array(3).fill(signed_out.code),
    )
    expect((await elsewhere.call(employee.getCurrentEmployee)).code).toBe(0)
    expect((await heads.call(account.getCurrentUser)).code).toBe(0)
  })
})

describe('administrator lists', () => {
  it('filters administrators by power and literal name, and marks the current user', async () => {
    const { list } = await heads.must(contract.getUserList, { power: '4', name: '知遥' })
    expect(list).toMatchObject([
      { user_id: head.admin_id, name: '沈知遥', power: ['4'], scope: { all: true }, is_current_user: true },
    ])
    expect((await heads.must(contract.getUserList, { name: '%' })).list).toEqual([])
    const holders = await heads.must(contract.getRoleMemberList, { power: '1' })
    expect(holders.list.map((one) => one.user_id)).toContain(boss.admin_id)
    expect(holders.list.every((one) => /^1\d{2}\*{4}\d{4}$/.test(one.mobile_masked))).toBe(true)
  })
})

describe('member selection', () => {
  it('offers all active members except the user, whatever the scope, and lists unselectable ones last', async () => {
    const own = await world.createCompany()
    const [one, two] = [await own.department('一部'), await own.department('二部')]
    const me = await own.person({ name: '我自己', power: ['2'], scope: { all: false, department_ids: [one] } })
    const invited = await own.person({ name: '张未到', joined: false, department_ids: [two] })
    const admin = await own.person({ name: '张主管', power: ['3'], department_ids: [two] })
    const plain = await own.person({ name: '李_百%分', department_ids: [one, two] })
    const removed = await own.person({ name: '张离开' })
    await (await world.signIn(await own.person({ name: '头', power: ['4'] }))).must(member.clearMember, { id: removed.member_id })
    const caller = await world.signIn(me)
    const names = async (name?: string) =>
      (await caller.must(contract.getManagerMemberList, { manager: 2, ...(name === undefined ? {} : { name }) })).list.map(
        (row) => row.NAME,
      )
    expect(await names()).toEqual(['张主管', '李_百%分', '头', '张未到'])
    expect(await names('张')).toEqual(['张主管', '张未到'])
    // A search text that is empty or contains a space is ignored.
    expect(await names('  ')).toHaveLength(4)
    expect(await names('张 主管')).toHaveLength(4)
    // No character in it acts as a wildcard.
    expect(await names('_')).toEqual(['李_百%分'])
    expect(await names('百%')).toEqual(['李_百%分'])
    expect(await names('%%')).toEqual([])
    const answer = await caller.must(contract.getManagerMemberList, { pagesize: 3, page: 2 })
    expect(answer).toMatchObject({
      total_count: 4,
      page: { page: 2, pagesize: 3, total: 4 },
      list: [{ ID: invited.member_id, USER_ID: null, JOINED: false, DEPARTMENTS: ['二部'], POWER: [] }],
    })
    const [first] = (await caller.must(contract.getManagerMemberList, { name: '主管' })).list
    expect(first).toMatchObject({ USER_ID: admin.admin_id, POWER: ['3'], JOINED: true })
    expect(first?.MOBILE).toMatch(/^1\d{2}\*{4}\d{4}$/)
    expect((await caller.must(contract.getManagerMemberList, { name: '分' })).list[0]?.DEPARTMENTS).toEqual(['一部', '二部'])
    expect(plain.admin_id).toBeNull()
  })
})

describe('audit log', () => {
  it('records the actor, action and target of each role change, including refused attempts', async () => {
    const person = await corp.person()
    await heads.must(contract.insertRole, { member_id: person.member_id, power: ['2'], scope: within(lab) })
    await heads.call(contract.editUserScope, { user_id: getId(head), scope: all })
    const lines = await world.database.inCompany(corp.company_id, (tx) =>
      tx.selectFrom('audit_log_entry').select(['call', 'outcome', 'details', 'name']).orderBy('id', 'desc').limit(2).execute(),
    )
    expect(lines).toEqual([
      {
        call: contract.editUserScope.route,
        outcome: 'not_permitted',
        name: '沈知遥',
        details: expect.objectContaining({ user_id: head.admin_id }),
      },
      {
        call: contract.insertRole.route,
        outcome: 'done',
        name: '沈知遥',
        details: expect.objectContaining({ member_id: person.member_id, powers: '2', departments: 1 }),
      },
    ])
  })
})
