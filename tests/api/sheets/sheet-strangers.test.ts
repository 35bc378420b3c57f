/**
 * Access to a batch: its owner, power 4, and administrators with whom its title is shared. For everybody else it does
 * not exist.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Call } from '../../../server/contract/call.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demo } from '../../support/demo.ts'
import { demoWageSheet } from '../../support/files/demo-sheet.ts'
import { type Caller, type Person } from '../../support/world.ts'

let batch_id: string
let title_id: string
let class_id: string
const asks: Record<string, { call: Call; input: () => object; changes: boolean }> = {}
const add = (call: Call, input: () => object, changes: boolean) => (asks[call.name] = { call, input, changes })

const { world, corp, payroll: owner } = demo({ clerk: { name: '甲' } })
beforeAll(async () => {
  // An unknown member, so that there is an issue.
  const people = [...(await corp.people(3)), { name: '路人', mobile: '13922220009' }]
  batch_id = (await owner.must(wage.uploadWageExcel, {}, { file: { name: 'a.xlsx', bytes: demoWageSheet(people) } })).batch_id
  title_id = (await owner.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })).title_id
  class_id = (await owner.must(wage.insertClassify, { batch_id, name: '补贴' })).class_id
  const only = () => ({ batch_id })
  add(wage.getTitleInfo, only, false)
  add(wage.getDetailUpload, only, false)
  add(wage.checkWageData, only, false)
  add(wage.getLayout, only, false)
  add(wage.getSheetGrid, () => ({ batch_id, from: 1, count: 5 }), false)
  add(wage.getSheetRow, () => ({ batch_id, row: 4 }), false)
  add(wage.exportIssues, only, false)
  // The setup of a visible batch may be saved as one's own template: it does not change the batch.
  add(wage.insertTemplate, () => ({ batch_id, name: '抄来的' }), false)
  add(wage.getPreview, only, false)
  add(wage.getPreviewMember, only, false)
  add(wage.insertCache, () => ({ wizard: { step: 'check', batch_id } }), false)
  add(wage.insertBatchTitle, () => ({ batch_id, title: '十月', month: '2026-10' }), true)
  add(wage.checkRequireColumnData, () => ({ batch_id, columns: [] }), true)
  add(wage.dealWithSalaryList, () => ({ batch_id, actions: [{ kind: 'net_outlier', fix: 'accept' }] }), true)
  add(wage.editPaySheetTitle, () => ({ batch_id, hint: '改' }), true)
  add(wage.insertClassify, () => ({ batch_id, name: '别的' }), true)
  add(wage.updateClassify, () => ({ batch_id, class_id, place: 0 }), true)
  add(wage.clearClassify, () => ({ batch_id, class_id }), true)
  add(wage.undoEdit, () => ({ batch_id, edit_id: batch_id }), true)
  add(wage.getUploadProgress, only, false)
  add(wage.uploadWageExcel, () => ({ batch_id, sheet: '工资表' }), true)
  add(wage.clearBatchTitle, only, true)
})

const answers = async (caller: Caller, which: (one: { changes: boolean }) => boolean = () => true) => {
  const codes: Record<string, number> = {}
  for (const [name, one] of Object.entries(asks)) if (which(one)) codes[name] = (await caller.call(one.call, one.input())).code
  return codes
}
const each = (code: number, which: (one: { changes: boolean }) => boolean = () => true) =>
  Object.fromEntries(Object.entries(asks).flatMap(([name, one]) => (which(one) ? [[name, code]] : [])))
/** Everything that a user without access could have changed. */
const picture = () =>
  world.database.inCompany(corp.company_id, async (tx) =>
    JSON.stringify([
      await tx.selectFrom('batch').selectAll().where('company_id', '=', corp.company_id).execute(),
      await tx.selectFrom('title').selectAll().where('company_id', '=', corp.company_id).execute(),
      await tx.selectFrom('sheet_row').selectAll().where('company_id', '=', corp.company_id).orderBy('row_no').execute(),
      await tx.selectFrom('sheet_page').selectAll().where('company_id', '=', corp.company_id).orderBy('id').execute(),
    ]),
  )

describe('batch of another administrator', () => {
  it('covers every call that names a batch', () => {
    const all = Object.values(wage).filter((one) => 'errors' in one) as unknown as Call[]
    const left = ['getLastBatchTitleInfo', 'fetchCache', 'clearUpload']
    // sheet-templates.test.ts covers the calls of templates, titles.test.ts those of titles.
    const ofTemplates = ['updateTemplate', 'clearTemplate', 'getTemplateList']
    const ofTitles = ['getTitleList', 'clearTitle', 'shareTitle', 'getShareUserList']
    expect(new Set(all.map((one) => one.name).filter((name) => !(name in asks)))).toEqual(
      new Set([...left, ...ofTemplates, ...ofTitles]),
    )
  })

  it('does not reveal a batch to another payroll administrator, another company, or users without the power', async () => {
    const before = await picture()
    const other = await world.signIn(await corp.person({ name: '乙', power: ['2'] }))
    expect(await answers(other)).toEqual(each(100404))
    const strangers = await world.createCompany()
    expect(await answers(await world.signIn(await strangers.person({ power: ['2', '4'] })))).toEqual(each(100404))
    expect(await answers(await world.signIn(await corp.person({ power: ['1', '3'] })))).toEqual(each(100403))
    expect(await answers(await world.signIn(await corp.person()))).toEqual(each(100403))
    expect(await answers(world.anybody)).toEqual(each(100018))
    expect(await other.must(wage.getLastBatchTitleInfo, {})).toEqual({ last: null })
    expect(await other.must(wage.fetchCache, {})).toEqual({ wizard: null })
    expect(
      (
        await other.call(
          wage.uploadWageExcel,
          { title_id },
          { file: { name: 'a.xlsx', bytes: demoWageSheet(await corp.people(1)) } },
        )
      ).code,
    ).toBe(100404)
    expect(await picture()).toBe(before)
  })

  it('allows reading a batch with read access and changing it with manage access, until the share ends', async () => {
    const reader: Person = await corp.person({ name: '丙', power: ['2'] })
    const caller = await world.signIn(reader)
    const share = (rights: 'view' | 'manage' | null) =>
      world.database.inCompany(corp.company_id, async (tx) => {
        await tx.deleteFrom('title_share').where('company_id', '=', corp.company_id).execute()
        if (rights)
          await tx
            .insertInto('title_share')
            .values({ company_id: corp.company_id, id: newId(), title_id, admin_id: reader.admin_id ?? '', rights })
            .execute()
      })
    await share('view')
    const before = await picture()
    expect(await answers(caller, (one) => !one.changes)).toEqual(each(0, (one) => !one.changes))
    expect(await answers(caller, (one) => one.changes)).toEqual(each(100403, (one) => one.changes))
    expect(await picture()).toBe(before)
    await share('manage')
    expect((await caller.call(wage.editPaySheetTitle, { batch_id, hint: '改' })).code).toBe(0)
    await share(null)
    expect(await answers(caller)).toEqual(each(100404))
  })

  it('allows viewing and changing a batch with power 4', async () => {
    const head = await world.signIn(await corp.person({ name: '丁', power: ['4'] }))
    expect((await head.call(wage.getPreviewMember, { batch_id })).data.page.total).toBe(4)
    expect((await head.call(wage.updateClassify, { batch_id, class_id, position: 0 })).code).toBe(0)
  })

  it('matches no member of another department for a limited scope', async () => {
    const [d1, d2] = [await corp.department('一部'), await corp.department('二部')]
    const current = await corp.person({ name: '内人', department_ids: [d1] })
    const theirs = await corp.person({ name: '外人', department_ids: [d2] })
    const clerk = await world.signIn(await corp.person({ name: '戊', power: ['2'], scope: { all: false, department_ids: [d1] } }))
    const sheet = demoWageSheet([current, theirs, { name: '路人', mobile: theirs.mobile }])
    const info = await clerk.must(wage.uploadWageExcel, {}, { file: { name: 'b.xlsx', bytes: sheet } })
    const { problems } = await clerk.must(wage.checkWageData, { batch_id: info.batch_id })
    expect(problems.map((one) => `${one.name} ${one.kind}`)).toEqual([
      '外人 out_of_scope',
      '外人 same_number',
      '路人 name_mismatch',
      '路人 same_number',
    ])
    const mismatch = problems.find((one) => one.kind === 'name_mismatch')
    expect(JSON.stringify(mismatch)).not.toContain('外人')
    expect(mismatch?.candidates).toEqual([])
    const outside = await clerk.call(wage.dealWithSalaryList, {
      batch_id: info.batch_id,
      actions: [{ problem_id: mismatch?.id ?? '', fix: 'match', member_id: theirs.member_id }],
    })
    expect(outside.code).toBe(100001)
  })
})
