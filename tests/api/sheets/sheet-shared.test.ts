/** A wage sheet handled by others than its owner: shared access, assigning rows, withdrawn payslips. Refusals first. */
import { describe, expect, it } from 'vitest'
import * as slip from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demoWorld } from '../../support/demo.ts'
import { book, getUpload, type Office, openOffice } from '../../support/office.ts'
import { send } from '../../support/slips.ts'
import type { Person } from '../../support/world.ts'

const world = demoWorld()
const head = ['姓名', '手机号', '基本工资', '实发工资']
const getRows = (people: readonly Pick<Person, 'name' | 'mobile'>[]) =>
  people.map((one, at) => [one.name, one.mobile, 8000 + at, 8000 + at])

async function drafted(office: Office, rows = getRows(office.staff)) {
  const { batch_id } = await getUpload(office.clerk, book(head, rows))
  const { title_id } = await office.clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
  return { batch_id, title_id }
}
/** Another administrator with whom the title is shared. */
async function shared(
  { corp }: Office,
  title_id: string,
  rights: 'view' | 'manage',
  scope?: { all: false; department_ids: string[] },
) {
  const other = await corp.person({ power: ['2'], ...(scope ? { scope } : {}) })
  const { company_id } = corp
  await world.database.inCompany(company_id, (tx) =>
    tx
      .insertInto('title_share')
      .values({ company_id, id: newId(), title_id, admin_id: other.admin_id ?? '', rights })
      .execute(),
  )
  return world.signIn(other)
}

describe('shared title', () => {
  it('lets administrators with read access read a shared title, and only its owner change it', async () => {
    const office = await openOffice(world, ['赵一', '钱二'])
    const { batch_id, title_id } = await drafted(office)
    const reader = await shared(office, title_id, 'view')
    expect((await reader.call(wage.checkWageData, { batch_id })).code).toBe(0)
    const change = [
      await reader.call(wage.dealWithSalaryList, { batch_id, actions: [{ kind: 'no_name', fix: 'skip' }] }),
      await reader.call(wage.insertBatchTitle, { batch_id, title: '改名', month: '2026-10' }),
      await reader.call(slip.sendPaySheet, { batch_id, channels: ['link'] }),
    ]
    expect(change.map(({ code }) => code)).toEqual([100403, 100403, 100403])
    expect(change[0]?.message).toBe('这一批是共享给您查看的，不能修改；请联系共享给您的人')
    const manager = await shared(office, title_id, 'manage')
    expect((await manager.call(slip.sendPaySheet, { batch_id, channels: ['link'] })).code).toBe(0)
  })

  it('does not show the whole batch to an administrator with a smaller scope', async () => {
    const office = await openOffice(world, ['赵一', '钱二'])
    const { batch_id, title_id } = await drafted(office)
    const shop = await office.corp.department('门店')
    const narrow = await shared(office, title_id, 'manage', { all: false, department_ids: [shop] })
    const refused = await narrow.call(wage.checkWageData, { batch_id })
    expect(refused.code).toBe(100403)
    expect(refused.message).toContain('上传这张工资表的人当时管理的部门比您现在多')
  })
})

it('refuses to assign a row to a terminated member, a member out of scope, or one of another company', async () => {
  const office = await openOffice(world, ['赵一'])
  const shop = await office.corp.department('门店')
  const payer = await office.corp.person({ power: ['2'], scope: { all: false, department_ids: [shop] } })
  const clerk = await world.signIn(payer)
  const near = await office.corp.person({ name: '近的人', department_ids: [shop] })
  const removed = await office.corp.person({ name: '走的人', department_ids: [shop] })
  const foreign = await (await world.createCompany()).person()
  await world.database.inCompany(office.corp.company_id, (tx) =>
    tx
      .updateTable('member')
      .set({ status: 'left' })
      .where('id', '=', removed.member_id ?? '')
      .execute(),
  )
  const { batch_id } = await drafted({ ...office, clerk }, [
    ['不认识', '', 8000, 8000],
    [near.name, near.mobile, 8001, 8001],
  ])
  const { problems } = await clerk.must(wage.checkWageData, { batch_id })
  const problem_id = problems.find(({ row }) => row === 2)?.id ?? ''
  const give = (member_id: string | undefined) =>
    clerk.call(wage.dealWithSalaryList, { batch_id, actions: [{ problem_id, fix: 'match', member_id }] })
  for (const one of [removed, office.staff[0], foreign])
    expect(await give(one?.member_id)).toMatchObject({ code: 100001, data: { field: 'member_id' } })
  expect((await give(near.member_id)).code).toBe(0)
})

it('does not question a new upload of a wage sheet whose payslips were all withdrawn', async () => {
  const office = await openOffice(world, ['赵一', '钱二'])
  const { batch_id } = await drafted(office)
  await office.clerk.must(wage.checkWageData, { batch_id })
  await send(office.clerk, batch_id, ['link'])
  await world.product.jobs.drain()
  const kinds = async () => {
    const { batch_id: again } = await drafted(office)
    const { problems } = await office.clerk.must(wage.checkWageData, { batch_id: again })
    await office.clerk.must(wage.clearBatchTitle, { batch_id: again })
    return problems.map(({ kind }) => kind).filter((kind) => kind === 'same_file')
  }
  expect(await kinds()).toEqual(['same_file'])
  await office.clerk.must(slip.withdrawBatchPaySheet, { batch_id, reason: '重新核对' })
  expect(await kinds()).toEqual([])
})
