/** A member's file: who sees which parts, and which log entries are written. Refusals first. */
import { beforeEach, describe, expect, it } from 'vitest'
import * as imports from '../../../server/contract/directory/import.ts'
import { getMemberEvents, revealIdCard } from '../../../server/contract/directory/member-history.ts'
import * as contract from '../../../server/contract/directory/members.ts'
import * as invite from '../../../server/contract/invites/invite.ts'
import { getAccessLog } from '../../../server/contract/payslips/employee-data.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { saveDeduction } from '../../../server/contract/tax/deductions.ts'
import { revealMemberTax } from '../../../server/contract/tax/history.ts'
import { getCheckCharacter } from '../../../server/rules/id-card.ts'
import { demoWorld } from '../../support/demo.ts'
import { freshPhone } from '../../support/random.ts'
import { getNet, makeBatch, send } from '../../support/slips.ts'
import type { Caller, Corp, Person } from '../../support/world.ts'

const world = demoWorld()
const digits = '11010519900307123'
const card = `${digits}${getCheckCharacter(digits)}`
let corp: Corp
let sales = ''
let kitchen = ''
let head: Caller
let clerk: Person
let payroll: Caller
let limited: Caller
let keeper: Caller
let watcher: Caller

beforeEach(async () => {
  corp = await world.createCompany()
  sales = await corp.department('销售部')
  kitchen = await corp.department('金丝雀后厨')
  head = await world.signIn(await corp.person({ name: '总管', power: ['4'] }))
  clerk = await corp.person({ name: '薪资员', power: ['2'] })
  payroll = await world.signIn(clerk)
  limited = await world.signIn(await corp.person({ power: ['2'], scope: { all: false, department_ids: [sales] } }))
  keeper = await world.signIn(await corp.person({ power: ['3'] }))
  watcher = await world.signIn(await corp.person({ power: ['1'], scope: { all: false } }))
})
const add = async (options: Record<string, unknown> = {}) =>
  (await head.must(contract.insertMember, { name: '陈晨', mobile: freshPhone(), ...options })).id
const getEvents = async (id: string, by = head) =>
  (await by.must(getMemberEvents, { id })).list.map(({ kind, by, changes }) => ({ kind, by, changes }))
/** Sends payslips of these members: the first has row 2. */
async function paid(people: readonly { member_id: string; name: string; mobile: string }[], month: string) {
  const batch_id = await makeBatch(world, clerk, people, { month })
  await send(payroll, batch_id)
  await world.product.jobs.drain()
}

describe('refusals', () => {
  it('reveals nothing of a member out of scope: neither log, ID card, payslips nor invites', async () => {
    const canary = await corp.person({ name: '金丝雀', department_ids: [kitchen] })
    await head.must(contract.editMemberInfo, { id: canary.member_id, id_card: card, position: '金丝雀岗' })
    await paid([canary], '2026-09')
    const outsider = await world.signIn(await (await world.createCompany()).person({ power: ['4'] }))
    for (const who of [limited, outsider]) {
      const answers = await Promise.all([
        who.call(contract.getMemberInfo, { id: canary.member_id }),
        who.call(getMemberEvents, { id: canary.member_id }),
        who.call(revealIdCard, { id: canary.member_id }),
        who.call(slip.getMemberSlips, { member_id: canary.member_id }),
        who.call(invite.getInviteList, { member_id: canary.member_id }),
        who.call(contract.clearMember, { id: canary.member_id, terminated_on: '2026-11-01' }),
      ])
      expect(answers.map(({ code }) => code)).toEqual([100404, 100404, 100404, 100404, 100404, 100404])
      expect(JSON.stringify(answers)).not.toMatch(/金丝雀|110105/)
      expect((await who.must(invite.getInviteStatuses, { member_ids: [canary.member_id] })).list).toEqual([])
    }
    expect((await getEvents(canary.member_id)).map(({ kind }) => kind)).toEqual(['changed'])
  })

  it('lets a reader view but not reveal values, hides payslips from member administrators, and hides everything from employees', async () => {
    const id = await add({ id_card: card })
    expect((await watcher.must(contract.getMemberInfo, { id })).ID_CARD_MASKED).not.toContain('19900307')
    expect((await watcher.call(revealIdCard, { id })).code).toBe(100403)
    for (const who of [keeper, watcher]) expect((await who.call(slip.getMemberSlips, { member_id: id })).code).toBe(100403)
    const employee = await world.signIn(await corp.person())
    for (const answer of [
      await employee.call(getMemberEvents, { id }),
      await employee.call(revealIdCard, { id }),
      await employee.call(invite.getInviteList, { member_id: id }),
    ])
      expect(answer.code).toBe(100403)
  })

  it('rejects a last day in the future or before the entry date', async () => {
    const id = await add({ entry_date: '2026-03-01' })
    expect(await head.call(contract.clearMember, { id, terminated_on: '2026-11-21' })).toMatchObject({
      code: 100001,
      data: { field: 'terminated_on' },
      message: '离职日期不能晚于今天；请在最后工作日当天或之后标记',
    })
    expect(await head.call(contract.clearMember, { id, terminated_on: '2026-02-28' })).toMatchObject({
      code: 100001,
      message: '离职日期不能早于入职日期 2026-03-01',
    })
    expect((await head.must(contract.getMemberInfo, { id })).TERMINATED_ON).toBeNull()
  })
})

describe('member log', () => {
  it('records old value, new value and user for every manual change, and for the ID card only that it changed', async () => {
    const id = await add({ department_ids: [sales], position: '销售' })
    await keeper.must(contract.editMemberInfo, { id, name: '陈辰', position: '销售', id_card: card, entry_date: '2026-05-01' })
    await head.must(contract.editMemberInfo, { id, department_ids: [kitchen] })
    await head.must(contract.moveMembers, { member_ids: [id], department_id: sales })
    await head.must(contract.editMemberInfo, { id, name: '陈辰' })
    await keeper.must(contract.clearMember, { id, terminated_on: '2026-11-19' })
    const all = await getEvents(id)
    expect(all.map(({ kind, changes }) => [kind, changes])).toEqual([
      ['left', [{ field: 'left_on', from: '', to: '2026-11-19' }]],
      ['changed', [{ field: 'departments', from: '金丝雀后厨', to: '销售部' }]],
      ['changed', [{ field: 'departments', from: '销售部', to: '金丝雀后厨' }]],
      [
        'changed',
        [
          { field: 'name', from: '陈晨', to: '陈辰' },
          { field: 'entry_date', from: '', to: '2026-05-01' },
          { field: 'id_card', from: null, to: null },
        ],
      ],
    ])
    expect(all[1]?.by).toBe('总管')
  })

  it('records a deleted department in the log of every member', async () => {
    const closing = await corp.department('要撤的部门')
    const id = await add({ department_ids: [closing] })
    await head.must(contract.clearDepartment, { id: closing, move_to: sales })
    expect((await getEvents(id))[0]?.changes).toEqual([{ field: 'departments', from: '要撤的部门', to: '销售部' }])
  })

  it('records an import like manual changes, and its undo as well', async () => {
    const mobile = freshPhone()
    const id = await add({ mobile, position: '旧岗', department_ids: [sales] })
    const bytes = Buffer.from(`姓名,手机号,岗位,部门\n陈晨,${mobile},新岗,金丝雀后厨\n`)
    const { import_id } = await head.must(imports.importMemberFile, {}, { file: { name: '花名册.csv', bytes } })
    await head.must(imports.uploadMembers, { import_id, mode: 'update' })
    expect((await getEvents(id))[0]).toEqual({
      kind: 'changed',
      by: '总管',
      changes: [
        { field: 'position', from: '旧岗', to: '新岗' },
        { field: 'departments', from: '销售部', to: '金丝雀后厨' },
      ],
    })
    await head.must(imports.undoImport, { import_id })
    expect((await getEvents(id)).map(({ kind }) => kind)).toEqual(['undone', 'changed'])
  })

  it('records each reveal of the ID card permanently', async () => {
    const id = await add({ id_card: card })
    expect((await keeper.must(revealIdCard, { id })).id_card).toBe(card)
    expect((await payroll.must(revealIdCard, { id })).id_card).toBe(card)
    const none = await add()
    expect((await keeper.must(revealIdCard, { id: none })).id_card).toBeNull()
    expect((await getEvents(id)).map(({ kind, by }) => [kind, by])[0]).toEqual(['looked', '薪资员'])
    expect(await getEvents(id)).toHaveLength(2)
    expect(await getEvents(none)).toEqual([])
    const undo = world.database.inCompany(corp.company_id, (tx) => tx.deleteFrom('member_event').execute())
    await expect(undo).rejects.toThrow(/permission denied/)
  })
})

describe('deductions and insurance', () => {
  it('shows deductions and insurance to payroll administrators only, and records each reveal in the member log', async () => {
    const him = await corp.person({ name: '有扣除的人', joined: true })
    const { member_id } = him
    const item = { kind: 'elderly', whose: '母亲', born: '1955-03', from: '2026-01', to: null, share: 'whole' } as const
    const message = { ...item, only_child: true, amount_fen: null, city_tier: null }
    await payroll.must(saveDeduction, { member_id, version: 0, items: [message] })
    const visible = await payroll.must(revealMemberTax, { member_id })
    expect(visible).toMatchObject({ deductions: [{ kind: 'elderly', whose: '母亲' }], insurance: [] })
    expect((await keeper.call(revealMemberTax, { member_id })).code).toBe(100403)
    expect((await getEvents(member_id)).map(({ kind, by }) => [kind, by])).toEqual([['looked_tax', '薪资员']])
    const views = (await (await world.signIn(him)).must(getAccessLog)).list.map(({ by, kind }) => [by, kind])
    expect(views).toEqual([['薪资员', 'tax']])
    // If nothing is stored, nothing was revealed.
    const bare = await add()
    expect(await payroll.must(revealMemberTax, { member_id: bare })).toEqual({
      deductions: [],
      confirmed_year: null,
      insurance: [],
    })
    expect(await getEvents(bare)).toEqual([])
  })
})

describe('employment periods', () => {
  it('includes both employment periods of a returned member with their payslips, newest first', async () => {
    const first = await corp.person({ name: '回来的人', department_ids: [sales] })
    await paid([await corp.person(), first], '2026-08')
    await head.must(contract.clearMember, { id: first.member_id, terminated_on: '2026-09-30' })
    const id = await add({ name: '回来的人', mobile: first.mobile, department_ids: [sales], entry_date: '2026-11-02' })
    await paid([{ member_id: id, name: '回来的人', mobile: first.mobile }], '2026-11')
    const { EMPLOYMENT } = await limited.must(contract.getMemberInfo, { id })
    expect(EMPLOYMENT.map(({ ID, ENTRY_DATE, TERMINATED_ON }) => [ID, ENTRY_DATE, TERMINATED_ON]).sort()).toEqual(
      [
        [id, '2026-11-02', null],
        [first.member_id, null, '2026-09-30'],
      ].sort(),
    )
    const { list } = await payroll.must(slip.getMemberSlips, { member_id: id })
    expect(list.map(({ month, net_fen, status }) => [month, net_fen, status])).toEqual([
      ['2026-11', getNet(2), 'sent'],
      ['2026-08', getNet(3), 'sent'],
    ])
    // Batches of another payroll administrator are not included.
    expect((await limited.must(slip.getMemberSlips, { member_id: id })).list).toEqual([])
  })

  it('does not include the employment periods of a namesake', async () => {
    const first = await corp.person({ name: '同名' })
    await head.must(contract.clearMember, { id: first.member_id })
    const id = await add({ name: '同名' })
    expect((await head.must(contract.getMemberInfo, { id })).EMPLOYMENT).toHaveLength(1)
  })
})
