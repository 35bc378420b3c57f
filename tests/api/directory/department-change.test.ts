/** Changes of the department tree: permissions, destinations, and no loss of members or payslips. Refusals first. */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as contract from '../../../server/contract/directory/members.ts'
import { demo } from '../../support/demo.ts'
import { lockWaiters } from '../../support/run/database.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

const { world } = demo()
let corp: Corp
let head: Caller
/** A member administrator of 销售部 and its descendants. */
let limited: Caller
let keeper: Person
const at = { sales: '', north: '', south: '', kitchen: '' }
let foreign = ''

beforeAll(async () => {
  foreign = await (await world.createCompany()).department('外面的部门')
})
beforeEach(async () => {
  corp = await world.createCompany({ name: '云上食品' })
  at.sales = await corp.department('销售部')
  at.north = await corp.department('华北区', at.sales)
  at.south = await corp.department('华南区', at.sales)
  at.kitchen = await corp.department('后厨')
  head = await world.signIn(await corp.person({ name: '总管', power: ['4'] }))
  keeper = await corp.person({ name: '销售人事', power: ['3'], scope: { all: false, department_ids: [at.sales] } })
  limited = await world.signIn(keeper)
})

/** Returns the tree as the user sees it: 「销售部(华北区 华南区)」. */
async function view(who: Caller): Promise<string> {
  const format = (all: readonly contract.Department[]): string =>
    all.map(({ NAME, child }) => (child.length > 0 ? `${NAME}(${format(child)})` : NAME)).join(' ')
  return format((await who.must(contract.getDepartList)).list)
}
const all = '云上食品(销售部(华北区 华南区) 后厨)'
const getDepartments = async (member_id: string): Promise<string[]> =>
  (await head.must(contract.getMemberInfo, { id: member_id })).DEPARTMENTS.map(({ NAME }) => NAME)
const getPlaces = (member_id: string): Promise<string[]> =>
  world.database.inCompany(corp.company_id, async (tx) =>
    (await tx.selectFrom('member_department').select('department_id').where('member_id', '=', member_id).execute()).map(
      (one) => one.department_id,
    ),
  )

describe('refusals', () => {
  it('answers identically for a department out of scope, of another company, or nonexistent, and changes nothing', async () => {
    const anonymous = '01900000-0000-7000-8000-000000000000'
    for (const id of [at.kitchen, foreign, anonymous]) {
      const answers = [
        await limited.call(contract.getDepartment, { id }),
        await limited.call(contract.getSonDepartList, { id }),
        await limited.call(contract.insertDepartment, { name: '新组', pid: id }),
        await limited.call(contract.editDepartment, { id, name: '改名' }),
        await limited.call(contract.editDepartment, { id: at.north, pid: id }),
        await limited.call(contract.clearDepartment, { id }),
        await limited.call(contract.clearDepartment, { id: at.north, move_to: id }),
      ]
      for (const { code, message } of answers) expect([code, message]).toEqual([100404, answers[0]?.message])
    }
    expect((await limited.call(contract.editDepartment, { id: at.north, before_id: at.kitchen })).code).toBe(100404)
    expect(await view(head)).toBe(all)
  })

  it('lets power 1 read departments but not change them', async () => {
    const watcher = await world.signIn(await corp.person({ power: ['1'], scope: { all: false } }))
    expect((await watcher.must(contract.getDepartment, { id: at.sales })).NAME).toBe('销售部')
    expect((await watcher.call(contract.editDepartment, { id: at.sales, name: '改名' })).code).toBe(100403)
    expect((await watcher.call(contract.insertDepartment, { name: '新组', pid: at.sales })).code).toBe(100403)
    expect((await watcher.call(contract.clearDepartment, { id: at.sales })).code).toBe(100403)
  })

  it('prevents circular departments and equal names among siblings', async () => {
    const deep = await corp.department('天津组', at.north)
    expect(await head.call(contract.editDepartment, { id: at.sales, pid: at.sales })).toMatchObject({ code: 100409 })
    expect(await head.call(contract.editDepartment, { id: at.sales, pid: deep })).toMatchObject({
      code: 100409,
      message: '「天津组」是「销售部」的下级部门，不能把部门移到自己的下级里',
    })
    expect(await head.call(contract.insertDepartment, { name: '后厨', pid: corp.root_id })).toMatchObject({
      code: 100001,
      data: { field: 'name' },
    })
    expect(await head.call(contract.editDepartment, { id: at.south, name: '华北区' })).toMatchObject({ code: 100001 })
    expect(await head.call(contract.insertDepartment, { name: ' ', pid: corp.root_id })).toMatchObject({
      message: '请填写部门名称',
    })
  })

  it('keeps the root, and the topmost department of a scope, in place', async () => {
    expect((await head.call(contract.editDepartment, { id: corp.root_id, pid: at.sales })).code).toBe(100409)
    expect((await head.call(contract.clearDepartment, { id: corp.root_id })).message).toBe('最上级部门不能删除')
    expect(await limited.call(contract.editDepartment, { id: at.sales, before_id: null })).toMatchObject({
      code: 100409,
      message: '这是您管理范围里最高的部门，请由管理上级部门的人移动',
    })
    expect((await limited.call(contract.clearDepartment, { id: at.sales, move_to: at.north })).code).toBe(100409)
  })

  it('requires a department head to be an active member within scope', async () => {
    const cook = await corp.person({ department_ids: [at.kitchen] })
    const removed = await corp.person({ department_ids: [at.north] })
    await head.must(contract.clearMember, { id: removed.member_id })
    for (const leader_id of [cook.member_id, removed.member_id])
      expect((await limited.call(contract.editDepartment, { id: at.north, leader_id })).code).toBe(100404)
  })

  it('prevents deleting a department with subdepartments, members or administrators of its own', async () => {
    expect((await head.call(contract.clearDepartment, { id: at.sales })).message).toBe(
      '「销售部」下面还有 2 个部门，请先移走或删除它们',
    )
    const one = await corp.person({ department_ids: [at.north] })
    const removed = await corp.person({ department_ids: [at.north] })
    await head.must(contract.clearMember, { id: removed.member_id })
    expect(await head.call(contract.clearDepartment, { id: at.north })).toMatchObject({
      code: 100001,
      message: '「华北区」里还有 1 位员工和 1 位已离职的员工，请选择把他们移到哪个部门',
      data: { field: 'move_to' },
    })
    expect((await head.call(contract.clearDepartment, { id: at.north, move_to: at.north })).code).toBe(100001)
    await corp.person({ name: '华南薪酬', power: ['2'], scope: { all: false, department_ids: [at.south] } })
    expect((await head.call(contract.clearDepartment, { id: at.south })).message).toBe(
      '「华南区」是管理员 华南薪酬 的管理范围，请先在角色管理中调整',
    )
    expect(await getDepartments(one.member_id)).toEqual(['华北区'])
    expect(await view(head)).toBe(all)
  })
})

describe('changing the department tree', () => {
  it('lets a member administrator create, rename, order, move and delete within their scope', async () => {
    const { id } = await limited.must(contract.insertDepartment, { name: ' 天津组 ', pid: at.north })
    await limited.must(contract.editDepartment, { id, name: '津门组' })
    expect(await view(limited)).toBe('销售部(华北区(津门组) 华南区)')
    await limited.must(contract.editDepartment, { id, pid: at.sales, before_id: at.south })
    expect(await view(limited)).toBe('销售部(华北区 津门组 华南区)')
    await limited.must(contract.editDepartment, { id, before_id: at.north })
    await limited.must(contract.editDepartment, { id: at.north, before_id: null })
    expect(await view(limited)).toBe('销售部(津门组 华南区 华北区)')
    expect(await limited.must(contract.clearDepartment, { id })).toEqual({ moved: 0 })
    expect(await view(head)).toBe('云上食品(销售部(华南区 华北区) 后厨)')
  })

  it('moves members and descendants along, and with them the scopes that contain the new parent', async () => {
    const cook = await corp.person({ name: '大厨', department_ids: [await corp.department('面点', at.kitchen)] })
    expect((await limited.call(contract.getMemberInfo, { id: cook.member_id })).code).toBe(100404)
    await head.must(contract.editDepartment, { id: at.kitchen, pid: at.sales })
    expect(await view(limited)).toBe('销售部(华北区 华南区 后厨(面点))')
    expect((await limited.must(contract.getMemberInfo, { id: cook.member_id })).NAME).toBe('大厨')
  })

  it("returns a department's head, headcount and children", async () => {
    const leader = await corp.person({ name: '组长', department_ids: [at.north] })
    await corp.person({ department_ids: [at.sales, at.north] })
    await head.must(contract.editDepartment, { id: at.sales, leader_id: leader.member_id })
    expect(await head.must(contract.getDepartment, { id: at.sales })).toEqual({
      ID: at.sales,
      NAME: '销售部',
      PID: corp.root_id,
      SOURCE: 'manual',
      LEADER: { ID: leader.member_id, NAME: '组长' },
      count: 2,
      own_count: 1,
      left_count: 0,
      child_count: 2,
    })
    // The parent department is outside the scope.
    expect((await limited.must(contract.getDepartment, { id: at.sales })).PID).toBeNull()
    const { list } = await limited.must(contract.getSonDepartList, { id: at.sales })
    expect(list.map(({ NAME, PID, count, child_count }) => [NAME, PID, count, child_count])).toEqual([
      ['华北区', at.sales, 2, 0],
      ['华南区', at.sales, 0, 0],
    ])
    await head.must(contract.clearMember, { id: leader.member_id })
    expect(await head.must(contract.getDepartment, { id: at.north })).toMatchObject({ own_count: 1, left_count: 1 })
    expect((await head.must(contract.getDepartment, { id: at.sales })).LEADER).toBeNull()
    await head.must(contract.editDepartment, { id: at.sales, leader_id: null })
  })

  it('hides a department head outside the scope', async () => {
    const boss = await corp.person({ name: '大老板', department_ids: [at.kitchen] })
    await head.must(contract.editDepartment, { id: at.north, leader_id: boss.member_id })
    expect((await head.must(contract.getDepartment, { id: at.north })).LEADER?.NAME).toBe('大老板')
    expect((await limited.must(contract.getDepartment, { id: at.north })).LEADER).toBeNull()
  })

  it('deletes a department without losing members of two departments or terminated ones, and writes an audit log entry', async () => {
    const [one, both, removed] = [
      await corp.person({ department_ids: [at.north] }),
      await corp.person({ department_ids: [at.north, at.south] }),
      await corp.person({ department_ids: [at.north] }),
    ]
    await head.must(contract.clearMember, { id: removed.member_id })
    expect(await limited.must(contract.clearDepartment, { id: at.north, move_to: at.south })).toEqual({ moved: 3 })
    for (const { member_id } of [one, both, removed]) expect(await getPlaces(member_id)).toEqual([at.south])
    const lines = await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .selectFrom('audit_log_entry')
        .select(['call', 'outcome', 'details'])
        .where('account_id', '=', keeper.account_id)
        .execute(),
    )
    expect(lines.at(-1)).toEqual({
      call: 'POST /api/Member/clearDepartment',
      outcome: 'done',
      details: { id: at.north, merged_into_id: at.south, moved: 3 },
    })
  })
})

describe('moving members', () => {
  it('moves all selected members or none, only within the scope, and only out of the selected department', async () => {
    const [one, two, cook, removed] = [
      await corp.person({ department_ids: [at.north, at.kitchen] }),
      await corp.person({ department_ids: [at.north, at.south] }),
      await corp.person({ department_ids: [at.kitchen] }),
      await corp.person({ department_ids: [at.north] }),
    ]
    await head.must(contract.clearMember, { id: removed.member_id })
    const call = (member_ids: string[], department_id: string, from_id?: string) =>
      limited.call(contract.moveMembers, { member_ids, department_id, ...(from_id ? { from_id } : {}) })
    expect((await call([one.member_id, cook.member_id], at.south)).code).toBe(100404)
    expect((await call([one.member_id], at.kitchen)).code).toBe(100404)
    expect((await call([one.member_id], at.south, at.kitchen)).code).toBe(100404)
    expect((await call([one.member_id, removed.member_id], at.south)).code).toBe(100409)
    expect(await getDepartments(one.member_id)).toEqual(['华北区', '后厨'])

    // Departments outside the scope stay as they are.
    expect((await call([one.member_id, two.member_id], at.sales, at.north)).data).toEqual({ moved: 2 })
    expect(await getDepartments(one.member_id)).toEqual(['销售部', '后厨'])
    expect((await getDepartments(two.member_id)).toSorted()).toEqual(['华南区', '销售部'].toSorted())
    expect((await call([two.member_id], at.south)).data).toEqual({ moved: 0 })
    expect(await getDepartments(two.member_id)).toEqual(['华南区'])
  })
})

describe('two simultaneous administrators', () => {
  it('refuses one of two simultaneous moves that would put two departments below each other', async () => {
    let answers: Promise<{ code: number; message: string }[]> = Promise.resolve([])
    await world.database.inCompany(corp.company_id, async (tx) => {
      // A request that has read and wants to write waits here; one that has not read yet waits for it.
      await tx.selectFrom('department').select('id').where('id', 'in', [at.sales, at.kitchen]).forUpdate().execute()
      answers = Promise.all([
        head.call(contract.editDepartment, { id: at.sales, pid: at.kitchen }),
        head.call(contract.editDepartment, { id: at.kitchen, pid: at.sales }),
      ])
      while ((await lockWaiters(world.database)) < 2) await sleep(10)
    })
    const codes = (await answers).map(({ code }) => code)
    expect(codes.toSorted()).toEqual([0, 100409])
    expect(await view(head)).toBe(
      codes[0] === 0 ? '云上食品(后厨(销售部(华北区 华南区)))' : '云上食品(销售部(华北区 华南区 后厨))',
    )
  })

  it('refuses to add a member to a department that is being deleted', async () => {
    const one = await corp.person({ department_ids: [at.sales] })
    const answers = await Promise.all([
      head.call(contract.clearDepartment, { id: at.kitchen, move_to: at.sales }),
      head.call(contract.moveMembers, { member_ids: [one.member_id], department_id: at.kitchen }),
    ])
    expect(answers[0].code).toBe(0)
    expect([0, 100404]).toContain(answers[1].code)
    expect(await getDepartments(one.member_id)).toEqual(['销售部'])
  })
})
