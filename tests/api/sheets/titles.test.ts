/** Titles: list, sharing, revoking, deletion; permissions and what others see. */
import { describe, expect, it } from 'vitest'
import { getNotificationList } from '../../../server/contract/notifications/notifications.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { demoWorld } from '../../support/demo.ts'
import { book, getUpload, type Office, openOffice } from '../../support/office.ts'
import { send } from '../../support/slips.ts'

const world = demoWorld()
const head = ['姓名', '手机号', '基本工资', '实发工资']

async function drafted(office: Office, title: string, month = '2026-10') {
  const rows = office.staff.map((one, at) => [one.name, one.mobile, 8000 + at, 8000 + at])
  const { batch_id } = await getUpload(office.clerk, book(head, rows))
  const { title_id } = await office.clerk.must(wage.insertBatchTitle, { batch_id, title, month })
  return { batch_id, title_id }
}
const titles = async (caller: Office['clerk'], options = {}) => (await caller.must(wage.getTitleList, options)).list

describe('title list', () => {
  it("lists the user's titles, newest month first, with their batches, by month and by part of the name", async () => {
    const office = await openOffice(world, ['赵一'])
    const september = await drafted(office, '九月工资', '2026-09')
    const october = await drafted(office, '十月工资')
    await drafted(office, '十月工资')
    expect(
      (await titles(office.clerk)).map(({ title, month, batches, unsent, rights, shared }) => [
        title,
        month,
        batches,
        unsent,
        rights,
        shared,
      ]),
    ).toEqual([
      ['十月工资', '2026-10', 2, 2, 'own', 0],
      ['九月工资', '2026-09', 1, 1, 'own', 0],
    ])
    expect((await titles(office.clerk, { month: '2026-09' })).map(({ title_id }) => title_id)).toEqual([september.title_id])
    expect((await titles(office.clerk, { name: '十月' })).map(({ title_id }) => title_id)).toEqual([october.title_id])
    expect(await titles(office.clerk, { name: '十二月' })).toEqual([])
  })

  it('hides titles of another payroll administrator, except from a head', async () => {
    const office = await openOffice(world, ['赵一'])
    const { title_id } = await drafted(office, '十月')
    const other = await world.signIn(await office.corp.person({ power: ['2'] }))
    const boss = await world.signIn(await office.corp.person({ power: ['4'] }))
    expect(await titles(other)).toEqual([])
    expect((await titles(boss)).map(({ title_id: id, owner, is_own, rights }) => [id, owner, is_own, rights])).toEqual([
      [title_id, '薪资员', false, 'own'],
    ])
  })
})

describe('sharing titles', () => {
  it('shows a shared title and notifies the recipient when rights are added, reduced or removed', async () => {
    const office = await openOffice(world, ['赵一'])
    const { title_id, batch_id } = await drafted(office, '十月')
    const person = await office.corp.person({ name: '同事', power: ['2'] })
    const other = await world.signIn(person)
    const user_ids = [person.admin_id ?? '']
    const share = (rights: 'view' | 'manage' | 'none') => office.clerk.must(wage.shareTitle, { title_id, user_ids, rights })
    const mayPlan = async () => (await other.call(slip.sendPaySheet, { batch_id, channels: ['link'] })).code

    expect((await other.call(wage.getTitleInfo, { batch_id })).code).toBe(100404)
    expect(await share('view')).toEqual({ changed: 1 })
    expect((await titles(other)).map(({ rights, is_own, owner }) => [rights, is_own, owner])).toEqual([['view', false, '薪资员']])
    expect((await other.call(wage.getTitleInfo, { batch_id })).code).toBe(0)
    expect(await mayPlan()).toBe(100403)
    expect((await other.must(getNotificationList, {})).list.map(({ text }) => text)).toEqual([
      '「十月」已共享给您，您可以查看您管理范围内的工资条',
    ])
    // The same rights again change nothing and send no notification.
    expect(await share('view')).toEqual({ changed: 0 })
    expect((await other.must(getNotificationList, {})).list.length).toBe(1)
    expect(await share('manage')).toEqual({ changed: 1 })
    expect(await mayPlan()).toBe(0)
    expect(
      (await office.clerk.must(wage.getShareUserList, { title_id })).list.map(({ name, whole, rights }) => [name, whole, rights]),
    ).toEqual([['同事', true, 'manage']])
    expect((await titles(office.clerk))[0]?.shared).toBe(1)
    expect(await share('none')).toEqual({ changed: 1 })
    expect((await other.call(wage.getTitleInfo, { batch_id })).code).toBe(100404)
    expect(await titles(other)).toEqual([])
  })

  it("shows no payslip of members out of the recipient's scope", async () => {
    const office = await openOffice(world, ['赵一', '钱二'])
    const shop = await office.corp.department('门店')
    const near = await office.corp.person({ name: '孙三', department_ids: [shop] })
    office.staff.push(near)
    const { title_id, batch_id } = await drafted(office, '十月')
    await send(office.clerk, batch_id)
    const narrow = await office.corp.person({ power: ['2'], scope: { all: false, department_ids: [shop] } })
    const other = await world.signIn(narrow)
    await office.clerk.must(wage.shareTitle, { title_id, user_ids: [narrow.admin_id ?? ''], rights: 'view' })
    const viewed = await other.must(slip.getWageDetail, { batch_id })
    expect(viewed.list.map(({ name }) => name)).toEqual(['孙三'])
    expect(JSON.stringify(viewed)).not.toMatch(/8000|8001/)
  })

  it('allows the owner and heads to share, and no recipient whatever their rights', async () => {
    const office = await openOffice(world, ['赵一'])
    const { title_id } = await drafted(office, '十月')
    const [one, two] = [await office.corp.person({ power: ['2'] }), await office.corp.person({ power: ['2'] })]
    await office.clerk.must(wage.shareTitle, { title_id, user_ids: [one.admin_id ?? ''], rights: 'manage' })
    const manager = await world.signIn(one)
    const outsider = await world.signIn(two)
    const give = { title_id, user_ids: [two.admin_id ?? ''], rights: 'view' as const }
    expect((await manager.call(wage.shareTitle, give)).message).toBe('只有标题的负责人可以共享或删除它；请联系共享给您的人')
    expect((await manager.call(wage.getShareUserList, { title_id })).code).toBe(100403)
    expect((await manager.call(wage.clearTitle, { title_id })).code).toBe(100403)
    // The title does not exist for administrators without a share.
    expect((await outsider.call(wage.shareTitle, give)).code).toBe(100404)
    expect((await outsider.call(wage.clearTitle, { title_id })).code).toBe(100404)
    const boss = await world.signIn(await office.corp.person({ power: ['4'] }))
    expect(await boss.must(wage.shareTitle, give)).toEqual({ changed: 1 })
  })

  it('limits sharing to payroll administrators of this company without access so far', async () => {
    const office = await openOffice(world, ['赵一'])
    const { title_id } = await drafted(office, '十月')
    const head = await office.corp.person({ name: '周总', power: ['4'] })
    const hr = await office.corp.person({ power: ['3'] })
    const foreign = await (await world.createCompany()).person({ power: ['2'] })
    const call = async (id: string | null | undefined) =>
      (await office.clerk.call(wage.shareTitle, { title_id, user_ids: [id ?? ''], rights: 'view' })).message
    expect(await call(head.admin_id)).toContain('周总 是系统管理员，本来就能看到全部工资条')
    expect(await call(office.boss.admin_id)).toContain('就是这个标题的负责人')
    expect(await call(hr.admin_id)).toContain('只能共享给薪酬管理员')
    expect(await call(foreign.admin_id)).toContain('只能共享给薪酬管理员')
  })
})

describe('deleting titles', () => {
  it('deletes the drafts of a title, and refuses a title with anything sent', async () => {
    const office = await openOffice(world, ['赵一'])
    const { title_id } = await drafted(office, '十月')
    await drafted(office, '十月')
    expect(await office.clerk.must(wage.clearTitle, { title_id })).toEqual({ batches: 2 })
    expect(await titles(office.clerk)).toEqual([])
    expect((await office.clerk.must(slip.getWageList, {})).list).toEqual([])
    const sent = await drafted(office, '十一月', '2026-11')
    await send(office.clerk, sent.batch_id)
    const refused = await office.clerk.call(wage.clearTitle, { title_id: sent.title_id })
    expect([refused.code, refused.message]).toEqual([100409, expect.stringContaining('1 批已经发送或定时发送的工资条')])
    expect((await titles(office.clerk)).length).toBe(1)
  })
})
