/** Reading members and departments: who sees whom. Refusals first. */
import { beforeAll, describe, expect, it } from 'vitest'
import * as contract from '../../../server/contract/directory/members.ts'
import { loadRoster } from '../../../server/modules/directory/index.ts'
import { inside } from '../../support/callers/inside.ts'
import { demo } from '../../support/demo.ts'
import { type Caller, type Person } from '../../support/world.ts'

let head: Caller
let wages: Caller
let watcher: Caller
let limited: Person
let inSales: Person
let inNorth: Person
let inKitchen: Person
let outsider: Person
const at = { sales: '', north: '', kitchen: '' }

const { world, corp } = demo({ company: { name: '云上食品' } })
beforeAll(async () => {
  at.sales = await corp.department('销售部')
  at.north = await corp.department('华北区', at.sales)
  at.kitchen = await corp.department('后厨')
  head = await world.signIn(await corp.person({ name: '总管', power: ['4'] }))
  limited = await corp.person({
    name: '销售薪酬',
    power: ['2'],
    scope: { all: false, department_ids: [at.sales] },
    department_ids: [at.kitchen],
  })
  wages = await world.signIn(limited)
  watcher = await world.signIn(await corp.person({ name: '旁观', power: ['1'], scope: { all: false } }))
  inSales = await corp.person({
    name: '孙一%_百',
    mobile: '13800010001',
    employee_no: 'S-1',
    department_ids: [at.sales, at.north],
  })
  inNorth = await corp.person({ name: '周二', mobile: '13800010002', department_ids: [at.north], joined: false })
  inKitchen = await corp.person({ name: '吴三', mobile: '13900010003', department_ids: [at.kitchen] })
  const other = await world.createCompany()
  outsider = await other.person({ name: '外人', mobile: '13800010009' })
})

const names = (list: readonly { NAME: string }[]) => list.map((one) => one.NAME).sort()

describe('refusals', () => {
  it('answers identically for a foreign, out-of-scope and nonexistent member', async () => {
    const anonymous = '01900000-0000-7000-8000-000000000000'
    const answers = []
    for (const id of [outsider.member_id, inKitchen.member_id, anonymous])
      answers.push(await wages.call(contract.getMemberInfo, { id }))
    for (const { code, message, data } of answers) {
      expect(code).toBe(100404)
      expect([message, data]).toEqual([answers[0]?.message, answers[0]?.data])
    }
  })

  it('answers a department out of scope as nonexistent', async () => {
    expect((await wages.call(contract.getMemberList, { department_id: at.kitchen })).code).toBe(100404)
    expect((await wages.call(contract.getMemberList, { department_id: corp.root_id })).code).toBe(100404)
  })

  it('limits the member list to administrators with access to members', async () => {
    const employee = await world.signIn(inKitchen)
    expect((await employee.call(contract.getMemberList)).code).toBe(100403)
    expect((await world.anybody.call(contract.getMemberList)).code).toBe(100018)
  })

  it('ignores the id of another company in the request', async () => {
    const requested = { company_id: outsider.company_id, corp_id: outsider.company_id, manager: outsider.member_id } as never
    const { list } = await wages.must(contract.getMemberList, requested)
    expect(names(list)).toEqual(['周二', '孙一%_百'])
  })
})

describe('department tree', () => {
  it('counts every member once per department subtree', async () => {
    const { list } = await head.must(contract.getDepartList)
    expect(list).toHaveLength(1)
    const [root] = list
    const sales = root?.child.find((one) => one.ID === at.sales)
    expect(root).toMatchObject({ ID: corp.root_id, PID: null, SOURCE: 'manual', count: 6 })
    expect(sales).toMatchObject({ NAME: '销售部', count: 2, child: [{ ID: at.north, count: 2, child: [] }] })
    expect(root?.child.find((one) => one.ID === at.kitchen)?.count).toBe(2)
  })

  it('starts the department tree at the topmost department of a limited scope', async () => {
    const { list } = await wages.must(contract.getDepartList)
    expect(list.map((one) => [one.NAME, one.child.map((child) => child.NAME)])).toEqual([['销售部', ['华北区']]])
  })

  it('shows the complete department tree to power 1, which reads everything', async () => {
    const { list } = await watcher.must(contract.getDepartList)
    expect(list[0]?.ID).toBe(corp.root_id)
  })
})

describe('member list', () => {
  it('lists the members of a limited scope including subdepartments, each once', async () => {
    const { list, page } = await wages.must(contract.getMemberList)
    expect(names(list)).toEqual(['周二', '孙一%_百'])
    expect(page.total).toBe(2)
  })

  it('can exclude subdepartments from the member list', async () => {
    const { list } = await head.must(contract.getMemberList, { department_id: at.sales, with_children: false })
    expect(names(list)).toEqual(['孙一%_百'])
    const all = await head.must(contract.getMemberList, { department_id: at.sales })
    expect(names(all.list)).toEqual(['周二', '孙一%_百'])
  })

  it.each([
    ['%', ['孙一%_百']],
    ['_', ['孙一%_百']],
    ['1380001', ['周二', '孙一%_百']],
    ['s-1', ['孙一%_百']],
    ['\\', []],
    ['外人', []],
    ['13800010009', []],
  ])('searches %s literally', async (name, expected) => {
    expect(names((await head.must(contract.getMemberList, { name })).list)).toEqual(expected)
  })

  it("returns a member's details", async () => {
    const { list } = await wages.must(contract.getMemberList, { name: '周二' })
    expect(list).toEqual([
      {
        ID: inNorth.member_id,
        NAME: '周二',
        MOBILE: '13800010002',
        DEPARTMENTS: [{ ID: at.north, NAME: '华北区' }],
        EMPLOYEE_NO: '',
        POSITION: '',
        ENTRY_DATE: null,
        TERMINATED_ON: null,
        STATUS: 'invited',
        SOURCE: 'manual',
        PHONE_UNCONFIRMED: false,
        EMAIL: '',
      },
    ])
  })

  it('filters members by status and paginates, with the total of all pages', async () => {
    const invited = await head.must(contract.getMemberList, { status: 'invited' })
    expect(names(invited.list)).toEqual(['周二'])
    const second = await head.must(contract.getMemberList, { page: 2, pagesize: 4 })
    expect(second.list).toHaveLength(2)
    expect(second.page).toEqual({ page: 2, pagesize: 4, total: 6 })
    expect((await head.must(contract.getMemberList, { page: 100_000, pagesize: 100 })).page.total).toBe(6)
  })
})

describe('roster', () => {
  it('returns the roster of the whole company and marks the members the current user may pay', async () => {
    const entries = await inside(world, limited, (ctx) => loadRoster(ctx))
    expect(entries).toHaveLength(6)
    const of = (person: Person) => entries.find((one) => one.id === person.member_id)
    expect(of(inSales)).toMatchObject({ in_scope: true, departments: '销售部、华北区', department_ids: [at.sales, at.north] })
    expect(of(inKitchen)).toMatchObject({ in_scope: false, mobile: '13900010003', status: 'active' })
  })
})
