/** Templates: named column mappings. Users see their own, power 4 sees all; for others they do not exist. */
import { describe, expect, it } from 'vitest'
import * as send from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { transferOwnership } from '../../../server/modules/sheets/index.ts'
import { newId } from '../../../server/shared/ids.ts'
import { inside } from '../../support/callers/inside.ts'
import { demoWorld } from '../../support/demo.ts'
import { book, getColumn, getRoles, getUpload, type Office, openOffice } from '../../support/office.ts'
import type { Caller } from '../../support/world.ts'

let office: Office
let clerk: Caller
const wages = () =>
  book(
    ['姓名', '手机号', '基本工资', '实发工资', '备注'],
    office.staff.map((one) => [one.name, one.mobile, 8000, 8000, '']),
  )
const bonus = () =>
  book(
    ['姓名', '手机号', '年终奖', '个税', '实发金额', '评级'],
    office.staff.map((one) => [one.name, one.mobile, 9000, 500, 8500, 'A']),
  )
const world = demoWorld(true)
const begin = async () => {
  office = await openOffice(world, ['赵一', '钱二', '孙三'])
  clerk = office.clerk
}
const list = async (who: Caller, name?: string) =>
  (await who.must(wage.getTemplateList, name === undefined ? {} : { name })).list.map((one) => one.name)

describe('template access', () => {
  it('hides a template from everybody except its owner and power 4, who can change it', async () => {
    await begin()
    const { batch_id } = await getUpload(clerk, wages())
    const { template_id } = await clerk.must(wage.insertTemplate, { batch_id, name: '总部' })
    const { corp } = office
    const other = await world.signIn(await corp.person({ name: '别人', power: ['2'] }))
    const strangers = await world.createCompany()
    const outsider = await world.signIn(await strangers.person({ power: ['2', '4'] }))
    const own = await getUpload(other, wages())
    for (const who of [other, outsider]) {
      expect((await who.call(wage.updateTemplate, { template_id, name: '改' })).code).toBe(100404)
      expect((await who.call(wage.clearTemplate, { template_id })).code).toBe(100404)
      expect((await who.call(wage.insertTemplate, { batch_id, name: '总部' })).code).toBe(100404)
      expect(await list(who)).toEqual([])
    }
    expect((await other.call(wage.checkRequireColumnData, { batch_id: own.batch_id, columns: [], template_id })).code).toBe(
      100404,
    )
    // A user's template cannot be updated from a batch they do not see.
    expect((await clerk.call(wage.updateTemplate, { template_id, batch_id: own.batch_id })).code).toBe(100404)
    for (const power of ['1', '3'] as const) {
      const one = await world.signIn(await corp.person({ power: [power] }))
      expect((await one.call(wage.getTemplateList, {})).code).toBe(100403)
    }
    expect((await world.anybody.call(wage.getTemplateList, {})).code).toBe(100018)

    const head = await world.signIn(await corp.person({ name: '系统', power: ['4'] }))
    expect(await list(head)).toContain('总部')
    await head.must(wage.updateTemplate, { template_id, name: '总部甲' })
    expect(await list(clerk)).toContain('总部甲')
    await head.must(wage.clearTemplate, { template_id })
    expect((await clerk.call(wage.clearTemplate, { template_id })).code).toBe(100404)
  })

  it('allows each name once per owner', async () => {
    await begin()
    const one = await getUpload(clerk, wages())
    const two = await getUpload(clerk, bonus())
    const first = await clerk.must(wage.insertTemplate, { batch_id: one.batch_id, name: '每月' })
    expect(await clerk.call(wage.insertTemplate, { batch_id: two.batch_id, name: '每月' })).toMatchObject({
      code: 100001,
      data: { field: 'name' },
    })
    const second = await clerk.must(wage.insertTemplate, { batch_id: two.batch_id, name: '年终' })
    expect((await clerk.call(wage.updateTemplate, { ...second, name: '每月' })).code).toBe(100001)
    // A template may keep its own name, and the same header is the same template.
    await clerk.must(wage.updateTemplate, { ...first, name: '每月' })
    expect(await clerk.must(wage.insertTemplate, { batch_id: one.batch_id, name: '每月工资' })).toEqual(first)
    const other = await world.signIn(await office.corp.person({ name: '别人', power: ['2'] }))
    const theirs = await getUpload(other, wages())
    expect((await other.call(wage.insertTemplate, { batch_id: theirs.batch_id, name: '年终' })).code).toBe(0)
    expect(await clerk.call(wage.updateTemplate, { ...first, batch_id: two.batch_id })).toMatchObject({
      code: 100001,
      data: { field: 'batch_id' },
    })
  })
})

describe('templates', () => {
  it('lists templates with their content, last used first, and finds them by name', async () => {
    await begin()
    const one = await getUpload(clerk, wages())
    await clerk.must(wage.insertBatchTitle, { batch_id: one.batch_id, title: '九月', month: '2026-09' })
    world.clock.set('2026-11-20T10:05:00+08:00')
    const two = await getUpload(clerk, bonus())
    await clerk.must(wage.insertTemplate, { batch_id: two.batch_id, name: '年终奖' })
    const all = await clerk.must(wage.getTemplateList, {})
    expect(all.page.total).toBe(2)
    expect(all.list).toMatchObject([
      {
        name: '年终奖',
        column_count: 6,
        labels: ['姓名', '手机号', '年终奖', '个税', '实发金额', '评级'],
        title: null,
        month: null,
      },
      { name: null, column_count: 5, title: '九月', month: '2026-09' },
    ])
    expect(await list(clerk, '终')).toEqual(['年终奖'])
    expect(await list(clerk, '没有')).toEqual([])
    expect((await clerk.must(wage.getTemplateList, { page: 2, pagesize: 1 })).list.map(({ name }) => name)).toEqual([null])
  })

  it('applies a template to a wrongly matched wage sheet, and deletes it without side effects', async () => {
    await begin()
    const first = await getUpload(clerk, bonus())
    await clerk.must(wage.checkRequireColumnData, {
      batch_id: first.batch_id,
      columns: [{ key: getColumn(first, '评级'), role: 'ignore' }],
    })
    const { template_id } = await clerk.must(wage.insertTemplate, { batch_id: first.batch_id, name: '年终奖' })
    const other = await world.signIn(await office.corp.person({ name: '系统', power: ['4'] }))
    const theirs = await getUpload(other, bonus())
    expect([theirs.remembered, getRoles(theirs).评级]).toEqual([null, 'info'])
    await other.must(wage.checkRequireColumnData, { batch_id: theirs.batch_id, columns: [], template_id })
    const after = await other.must(wage.getTitleInfo, { batch_id: theirs.batch_id })
    expect([after.remembered?.name, getRoles(after).评级]).toEqual(['年终奖', 'ignore'])
    await clerk.must(wage.clearTemplate, { template_id })
    expect(getRoles(await clerk.must(wage.getTitleInfo, { batch_id: first.batch_id })).评级).toBe('ignore')
    expect((await getUpload(clerk, bonus())).remembered).toBeNull()
  })

  it('updates a template from a batch, including the mapping learned for its header', async () => {
    await begin()
    const old = await getUpload(clerk, wages())
    const { template_id } = await clerk.must(wage.insertTemplate, { batch_id: old.batch_id, name: '我的' })
    const next = await getUpload(clerk, bonus())
    await clerk.must(wage.insertBatchTitle, { batch_id: next.batch_id, title: '年终', month: '2026-09' })
    expect((await list(clerk)).sort()).toEqual(['我的', null].sort())
    await clerk.must(wage.updateTemplate, { template_id, batch_id: next.batch_id })
    expect(await list(clerk)).toEqual(['我的'])
    expect((await getUpload(clerk, bonus())).remembered).toMatchObject({ template_id, name: '我的', title: '年终' })
  })

  it('learns suggestions left unchanged when a batch is sent', async () => {
    await begin()
    const { batch_id } = await getUpload(clerk, wages())
    await clerk.must(wage.insertBatchTitle, { batch_id, title: '九月', month: '2026-09' })
    const [learned] = (await clerk.must(wage.getTemplateList, {})).list
    await clerk.must(wage.clearTemplate, { template_id: learned?.template_id ?? '' })
    expect((await clerk.must(wage.getTemplateList, {})).list).toEqual([])
    await clerk.must(send.sendPaySheet, { batch_id })
    expect((await clerk.must(wage.getTemplateList, {})).list).toMatchObject([{ name: null, title: '九月' }])
  })

  it('lets a reader of a shared batch create a template without changing the batch', async () => {
    await begin()
    const { batch_id } = await getUpload(clerk, wages())
    const { title_id } = await clerk.must(wage.insertBatchTitle, { batch_id, title: '九月', month: '2026-09' })
    const reader = await office.corp.person({ name: '读者', power: ['2'] })
    const caller = await world.signIn(reader)
    const { company_id } = office.corp
    await world.database.inCompany(company_id, (tx) =>
      tx
        .insertInto('title_share')
        .values({ company_id, id: newId(), title_id, admin_id: reader.admin_id ?? '', rights: 'view' })
        .execute(),
    )
    await caller.must(wage.insertTemplate, { batch_id, name: '抄来的' })
    expect([await list(caller), await list(clerk)]).toEqual([['抄来的'], [null]])
    expect((await caller.call(wage.checkRequireColumnData, { batch_id, columns: [], formula: null })).code).toBe(100403)
  })

  it("transfers templates with the pay runs, and keeps the new owner's template for the same header or name", async () => {
    await begin()
    const taker = await office.corp.person({ name: '接手', power: ['2'] })
    const caller = await world.signIn(taker)
    const name = async (who: Caller, bytes: Buffer, title: string) =>
      who.must(wage.insertTemplate, { batch_id: (await getUpload(who, bytes)).batch_id, name: title })
    await name(clerk, wages(), '每月')
    await name(clerk, bonus(), '年终')
    const third = book(['姓名', '手机号', '劳务费', '实发工资'], [[taker.name, taker.mobile, 9000, 9000]])
    await name(clerk, third, '劳务')
    await name(caller, wages(), '我的每月')
    await name(caller, book(['姓名', '手机号', '奖励', '实发奖励'], [[taker.name, taker.mobile, 9000, 9000]]), '年终')
    const move = { from: office.boss.admin_id ?? '', to: taker.admin_id ?? '', from_name: office.boss.name }
    await inside(world, office.boss, (ctx) => transferOwnership(ctx, move))
    expect((await list(caller)).map((one) => one ?? '').sort()).toEqual(['', '劳务', '年终', '我的每月'].sort())
  })
})
