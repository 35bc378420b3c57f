/**
 * Tests the path from a file to payslips ready for sending, as an administrator takes it; every kind of issue is fixed
 * once.
 */
import { describe, expect, it } from 'vitest'
import type { CallRequest } from '../../../server/contract/call.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { demoWorld } from '../../support/demo.ts'
import { demoLabels, demoNetFen, demoWageSheet } from '../../support/files/demo-sheet.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { type Caller, type Corp, type Person } from '../../support/world.ts'

const world = demoWorld()

const names = ['赵一', '钱二', '孙三', '李四', '周五', '吴六', '郑七', '王八']
type Office = { corp: Corp; clerk: Caller; boss: Person; staff: Person[] }

/** A company with eight members and an administrator who may pay all of them. */
async function office(): Promise<Office> {
  const corp = await world.createCompany()
  const boss = await corp.person({ name: '薪资员', power: ['2'] })
  const staff: Person[] = []
  for (const [at, name] of names.entries())
    staff.push(await corp.person({ name, employee_no: `XH${String(at + 1).padStart(4, '0')}` }))
  return { corp, boss, clerk: await world.signIn(boss), staff }
}
const upload = (
  clerk: Caller,
  bytes: Buffer,
  input: { sheet?: string; batch_id?: string; title_id?: string } = {},
  name = '工资表.xlsx',
) => clerk.must(wage.uploadWageExcel, input, { file: { name, bytes } })
const getKey = (info: wage.WageSheetInfo, leaf: string) =>
  info.columns.find((column) => column.path.at(-1) === leaf)?.key ?? `no ${leaf}`

describe('wage sheet without issues', () => {
  it('recognizes, titles, checks, lays out and previews a wage sheet without issues', async () => {
    const { clerk, staff } = await office()
    const info = await upload(clerk, demoWageSheet(staff))
    expect(info.status).toBe('draft')
    expect(info.header.rows).toEqual([2, 3])
    expect(info.rows).toBe(8)
    expect(info.title).toBeNull()
    expect(info.remembered).toBeNull()
    expect(info.columns.map((column) => column.path.at(-1))).toEqual([...demoLabels])
    expect(info.columns.find((column) => column.role === 'net')?.label).toBe('实发工资')
    expect(info.formula).toMatchObject({ net: getKey(info, '实发工资'), holds: 8, of: 8 })
    expect(info.totals_row?.agrees).toBe(true)
    expect(info.ignored.length).toBeGreaterThanOrEqual(3)
    expect(info.says.title).toContain('工资表')
    const { batch_id } = info

    // Without a title, the batch is not ready, although it has no issues.
    const first = await clerk.must(wage.checkWageData, { batch_id })
    expect(first.problems).toEqual([])
    expect(first.counts).toMatchObject({ status: 'draft', errors: 0, warnings: 0, rows: 8, skipped: 0, previous: null })

    const { title_id } = await clerk.must(wage.insertBatchTitle, { batch_id, title: '2026年10月工资', month: '2026-10' })
    const roles = info.columns.map(({ key, role }) => ({ key, role }))
    expect(await clerk.must(wage.checkRequireColumnData, { batch_id, columns: roles })).toEqual({
      ok: true,
      missing: [],
      unmatched: 0,
      open_question_count: 0,
    })
    const checked = await clerk.must(wage.checkWageData, { batch_id })
    expect(checked.counts.status).toBe('checked')
    expect(checked.counts.totals.people).toBe(8)
    expect(checked.counts.totals.net_fen).toBe(staff.reduce((all, _, at) => all + demoNetFen(at), 0))
    expect((await clerk.must(wage.getTitleInfo, { batch_id })).title).toEqual({
      title_id,
      title: '2026年10月工资',
      month: '2026-10',
      kind: 'monthly',
    })
    // A batch that was not sent does not count as last month.
    expect((await clerk.must(wage.getLastBatchTitleInfo, {})).last).toBeNull()

    const layout = await clerk.must(wage.getLayout, { batch_id })
    expect(layout.groups.map((group) => group.name)).toEqual(['应发', '扣款', '其他'])
    expect(layout.title).toBe('2026年10月工资')
    expect(layout.sort_list[0]).toMatchObject({ value: '实发工资', status: true, class_id: null })

    const slip = await clerk.must(wage.getPreview, { batch_id, row: 4 })
    expect(slip).toMatchObject({
      title: '2026年10月工资',
      month: '2026-10',
      name: '赵一',
      net: { label: '实发工资', fen: demoNetFen(0) },
    })
    expect(slip.groups[0]?.cells.map((cell) => cell.label)).toEqual(['基本工资', '岗位工资', '绩效工资', '加班费', '餐补'])
    // The wage sheet's own total is the sum shown above the items.
    expect(slip.groups[0]?.total_fen).toBe(slip.totals?.gross_fen ?? 0)
    expect((slip.totals?.gross_fen ?? 0) - (slip.totals?.deduction_fen ?? 0)).toBe(demoNetFen(0))
    const people = await clerk.must(wage.getPreviewMember, { batch_id, name: '四' })
    expect(people).toMatchObject({
      list: [{ name: '李四', member_id: staff[3]?.member_id, net_fen: demoNetFen(3) }],
      page: { total: 1 },
    })
    const rows = await clerk.must(wage.getDetailUpload, { batch_id, pagesize: 3, page: 3 })
    expect(rows.page.total).toBe(8)
    expect(rows.list.map((row) => row.row)).toEqual([10, 11])
  })

  it('changes groups, order, names and hints, and keeps what is omitted', async () => {
    const { clerk, staff } = await office()
    const info = await upload(clerk, demoWageSheet(staff))
    const { batch_id } = info
    const { class_id } = await clerk.must(wage.insertClassify, { batch_id, name: '补贴' })
    await clerk.must(wage.updateClassify, { batch_id, class_id, position: 0, name: '各项补贴' })
    expect((await clerk.call(wage.insertClassify, { batch_id, name: '各项补贴' })).code).toBe(100001)
    const key = getKey(info, '餐补')
    await clerk.must(wage.editPaySheetTitle, {
      batch_id,
      title: '十月工资',
      month: '2026-10',
      sort_list: [{ key, value: '午餐补贴', status: true, class_id, note: '每天 15 元' }],
      hide_zero: true,
      hint: '有疑问请找小王',
    })
    const slip = await clerk.must(wage.getPreview, { batch_id })
    expect(slip.title).toBe('十月工资')
    expect(slip.hint).toBe('有疑问请找小王')
    expect(slip.groups[0]).toMatchObject({ name: '各项补贴', cells: [{ label: '午餐补贴', fen: 30_000, note: '每天 15 元' }] })
    expect(slip.groups.map((group) => group.name)).toEqual(['各项补贴', '应发', '扣款', '其他'])
    await clerk.must(wage.clearClassify, { batch_id, class_id })
    const after = await clerk.must(wage.getLayout, { batch_id })
    expect(after.sort_list.find((item) => item.key === key)).toMatchObject({ class_id: null, value: '午餐补贴' })
    expect((await clerk.call(wage.clearClassify, { batch_id, class_id })).code).toBe(100404)
  })
})

describe('wage sheet issues', () => {
  it('blocks the batch until each wage sheet issue is fixed', async () => {
    const { corp, clerk, staff } = await office()
    const [a, b, c, d, e, f, g, h] = staff as [Person, Person, Person, Person, Person, Person, Person, Person]
    await corp.person({ name: '同名', mobile: '13911110001' })
    const twin = await corp.person({ name: '同名', mobile: '13911110002' })
    await world.database.inCompany(corp.company_id, (tx) =>
      tx
        .updateTable('member')
        .set({ status: 'left' })
        .where('company_id', '=', corp.company_id)
        .where('id', '=', h.member_id)
        .execute(),
    )
    const sheet = [
      { ...a, employee_no: '' },
      { ...b, mobile: c.mobile, employee_no: '' },
      { ...c, employee_no: '' },
      { name: '新人', mobile: '13922220001', employee_no: 'N1', department: '市场部' },
      { name: '路人', mobile: '', employee_no: '' },
      { name: '同名', mobile: '', employee_no: '' },
      { ...d, mobile: '1390000', employee_no: '' },
      { ...e, employee_no: '' },
      { ...f, employee_no: '' },
      { ...f, employee_no: '' },
      { ...g, employee_no: '' },
      { ...h, employee_no: '' },
    ]
    const bytes = demoWageSheet(sheet, {
      bare: true,
      change: { 0: { 应发合计: '见备注' }, 7: { 实发工资: null }, 8: { 实发工资: 1 }, 10: { 个税: { error: '#REF!' } } },
    })
    const info = await upload(clerk, bytes)
    const { batch_id } = info
    await clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
    const check = () => clerk.must(wage.checkWageData, { batch_id })
    const { problems, counts } = await check()
    const messages = problems.map((one) => `${one.row} ${one.name} ${one.kind}`)
    expect(messages).toEqual([
      '4 赵一 not_a_number',
      '5 钱二 name_mismatch',
      '5 钱二 same_number',
      '6 孙三 same_number',
      '7 新人 unknown_person',
      '8 路人 no_contact',
      '9 同名 several_persons',
      '10 李四 bad_mobile',
      '11 周五 missing_net',
      '12 吴六 sum_mismatch',
      '12 吴六 duplicate_person',
      '13 吴六 duplicate_person',
      '14 郑七 formula_error',
      '15 王八 left_person',
    ])
    expect(counts.status).toBe('draft')
    expect(counts.errors).toBe(12)
    const find = (row: number, kind: string) => {
      const one = problems.find((problem) => problem.row === row && problem.kind === kind)
      if (!one) throw new Error(`no ${kind} in row ${row}`)
      return one
    }
    expect(find(9, 'several_persons').candidates).toHaveLength(2)
    expect(find(9, 'several_persons').candidates[1]?.mobile_masked).toBe('139****0002')
    expect(find(7, 'unknown_person').fix).toEqual(['create', 'match', 'skip'])

    // A fix that an issue does not offer is rejected, and nothing of the call is stored.
    const refused = await clerk.call(wage.dealWithSalaryList, {
      batch_id,
      actions: [
        { problem_id: find(15, 'left_person').id, fix: 'skip' },
        { problem_id: find(5, 'name_mismatch').id, fix: 'accept' },
      ],
    })
    expect(refused.code).toBe(100001)
    expect((await check()).counts.errors).toBe(12)

    const dealt = await clerk.must(wage.dealWithSalaryList, {
      batch_id,
      actions: [
        { problem_id: find(4, 'not_a_number').id, fix: 'edit', value: '8,885.00' },
        { problem_id: find(5, 'name_mismatch').id, fix: 'edit', value: b.mobile },
        { problem_id: find(7, 'unknown_person').id, fix: 'create' },
        { problem_id: find(8, 'no_contact').id, fix: 'skip' },
        { problem_id: find(9, 'several_persons').id, fix: 'match', member_id: twin.member_id },
        { problem_id: find(10, 'bad_mobile').id, fix: 'edit', value: d.mobile },
        { problem_id: find(14, 'formula_error').id, fix: 'skip' },
        { problem_id: find(15, 'left_person').id, fix: 'skip' },
        { kind: 'duplicate_person', fix: 'skip' },
        { problem_id: find(12, 'sum_mismatch').id, fix: 'accept' },
      ],
    })
    expect(dealt.done).toBe(10)
    expect(dealt.counts.skipped).toBe(4)
    // One net pay is still missing.
    const left = await check()
    expect(left.problems.map((one) => `${one.row} ${one.kind}`)).toEqual(['11 missing_net'])
    await clerk.must(wage.dealWithSalaryList, {
      batch_id,
      actions: [{ problem_id: left.problems[0]?.id ?? '', fix: 'edit', value: String(demoNetFen(7) / 100) }],
    })
    const last = await check()
    expect(last.problems).toEqual([])
    expect(last.counts.status).toBe('checked')
    const people = await clerk.must(wage.getPreviewMember, { batch_id, pagesize: 20 })
    expect(people.list.map((one) => one.member_id)).toContain(twin.member_id)
    const slip = await clerk.must(wage.getPreview, { batch_id, row: 4 })
    expect(slip.groups[0]).toMatchObject({ total_fen: 888_500 })
    expect(slip.groups[0]?.cells.map((cell) => cell.label)).not.toContain('应发合计')

    // Without the phone column nothing distinguishes the two namesakes: a manually chosen member was chosen with other
    // columns.
    const roles = await clerk.must(wage.checkRequireColumnData, {
      batch_id,
      columns: [{ key: getKey(info, '手机号'), role: 'info' }],
    })
    expect(roles).toEqual({ ok: true, missing: [], unmatched: 1, open_question_count: 0 })
    expect((await clerk.must(wage.getTitleInfo, { batch_id })).status).toBe('draft')
    const twice = await clerk.call(wage.checkRequireColumnData, {
      batch_id,
      columns: [{ key: getKey(info, '备注'), role: 'net' }],
    })
    expect(twice).toMatchObject({ code: 100001, message: '「实发」只能指定一列，请把另一列改成别的用途' })
  })

  it('lists skipped members and restores them one by one or all, with their decisions', async () => {
    const { clerk, staff } = await office()
    const rows = [
      ['姓名', '手机号', '基本工资', '扣款', '实发工资'],
      ...staff.map((one) => [one.name, one.mobile, 8000, 500, 7500]),
      ['无名氏甲', null, 8000, 500, 7500],
      ['无名氏乙', null, 8000, 500, 7500],
    ]
    const { batch_id } = await upload(clerk, makeXlsx({ sheets: [{ name: '工资', rows }] }))
    const check = () => clerk.must(wage.checkWageData, { batch_id })
    const deal = (...actions: CallRequest<typeof wage.dealWithSalaryList>['actions']) =>
      clerk.call(wage.dealWithSalaryList, { batch_id, actions })
    const before = await check()
    expect(before.skipped).toEqual([])
    const [one, two] = before.problems
    await deal({ problem_id: one?.id ?? '', fix: 'skip' }, { problem_id: two?.id ?? '', fix: 'skip' })
    const skipped = await check()
    const names = ['无名氏甲', '无名氏乙']
    expect(skipped.skipped).toEqual(names.map((name, at) => ({ row: staff.length + 2 + at, name })))
    expect([skipped.counts.skipped, skipped.counts.errors, skipped.counts.totals.people]).toEqual([2, 0, staff.length])

    expect((await deal({ fix: 'restore', problem_id: one?.id ?? '' })).code).toBe(100001)
    expect((await deal({ fix: 'restore', kind: 'no_contact' })).code).toBe(100001)
    expect((await deal({ fix: 'skip', row: 3 })).code).toBe(100001)
    expect((await check()).counts.skipped).toBe(2)
    // A row that is not skipped or does not exist is ignored: a second click does no harm.
    expect((await deal({ fix: 'restore', row: 2 }, { fix: 'restore', row: 9999 })).data).toMatchObject({ done: 0 })

    const back = await deal({ fix: 'restore', row: one?.row ?? 0 })
    expect(back.data).toMatchObject({ done: 1, counts: { skipped: 1, errors: 1 } })
    const after = await check()
    expect(after.problems.map(({ id }) => id)).toEqual([one?.id])
    expect(after.skipped.map(({ name }) => name)).toEqual(['无名氏乙'])
    await deal({ problem_id: one?.id ?? '', fix: 'skip' })
    expect((await deal({ fix: 'restore' })).data).toMatchObject({ done: 2, counts: { skipped: 0, errors: 2 } })
    expect((await check()).problems).toEqual(before.problems)
  })

  it('warns about the same file uploaded again and a wrong total row', async () => {
    const { clerk, staff } = await office()
    const rows = [
      ['姓名', '手机号', '基本工资', '扣款', '实发工资'],
      ...staff.map((one) => [one.name, one.mobile, 8000, 500, 7500]),
      ['合计', null, 64000, 4000, 61000],
    ]
    const bytes = makeXlsx({ sheets: [{ name: '工资', rows }] })
    const one = await upload(clerk, bytes)
    const kinds = async (batch_id: string) =>
      (await clerk.must(wage.checkWageData, { batch_id })).problems.map((problem) => `${problem.level} ${problem.kind}`)
    expect(await kinds(one.batch_id)).toEqual(['warning total_row_mismatch'])
    const two = await upload(clerk, bytes)
    expect(await kinds(two.batch_id)).toEqual(['warning same_file', 'warning total_row_mismatch'])
    const dealt = await clerk.must(wage.dealWithSalaryList, {
      batch_id: two.batch_id,
      actions: [
        { kind: 'same_file', fix: 'accept' },
        { kind: 'total_row_mismatch', fix: 'accept' },
      ],
    })
    expect(dealt.counts).toMatchObject({ errors: 0, warnings: 0 })
    await clerk.must(wage.clearBatchTitle, { batch_id: two.batch_id })
    expect((await clerk.call(wage.getTitleInfo, { batch_id: two.batch_id })).code).toBe(100404)
  })

  it("blocks the whole batch for a column shifted by one row where last month's formula held", async () => {
    const { clerk, staff } = await office()
    const sheet = (nets: number[]) =>
      makeXlsx({
        sheets: [
          {
            name: '工资',
            rows: [
              ['姓名', '手机号', '基本工资', '扣款', '实发工资'],
              ...staff.map((one, at) => [one.name, one.mobile, 8000 + at * 10, 500 + at, nets[at]]),
            ],
          },
        ],
      })
    const nets = staff.map((_, at) => 7500 + at * 9)
    const good = await upload(clerk, sheet(nets))
    await clerk.must(wage.insertBatchTitle, { batch_id: good.batch_id, title: '九月', month: '2026-09' })
    const bad = await upload(clerk, sheet([...nets.slice(1), nets[0] ?? 0]))
    expect(bad.remembered).toMatchObject({ title: '九月', month: '2026-09', fresh: [], missing: [], renamed: [] })
    const { problems } = await clerk.must(wage.checkWageData, { batch_id: bad.batch_id })
    expect(problems.map((one) => `${one.row} ${one.level} ${one.kind}`)).toEqual(['0 error sum_mismatch'])
  })
})

describe('stored column mapping', () => {
  it('applies roles and layout of the last wage sheet with the same header, and allows selecting other sheets of the file', async () => {
    const { clerk, staff } = await office()
    const first = await upload(clerk, demoWageSheet(staff))
    const remark = getKey(first, '备注')
    await clerk.must(wage.insertBatchTitle, { batch_id: first.batch_id, title: '九月', month: '2026-09' })
    await clerk.must(wage.checkRequireColumnData, { batch_id: first.batch_id, columns: [{ key: remark, role: 'ignore' }] })
    await clerk.must(wage.editPaySheetTitle, { batch_id: first.batch_id, hint: '保密' })
    const second = await upload(clerk, demoWageSheet(staff, { seed: 2 }))
    expect(second.remembered).toMatchObject({ title: '九月', month: '2026-09', fresh: [], missing: [], renamed: [] })
    expect(second.columns.find((column) => column.key === remark)?.role).toBe('ignore')
    expect((await clerk.must(wage.getLayout, { batch_id: second.batch_id })).hint).toBe('保密')

    const two = makeXlsx({
      sheets: ['生产部', '销售部'].map((name, at) => ({
        name,
        rows: [['姓名', '手机号', '实发工资'], ...staff.slice(at * 4, at * 4 + 4).map((one) => [one.name, one.mobile, 5000])],
      })),
    })
    const info = await upload(clerk, two)
    expect(info.sheets.map((sheet) => [sheet.name, sheet.chosen])).toEqual([
      ['生产部', true],
      ['销售部', false],
    ])
    const other = await clerk.must(wage.uploadWageExcel, { batch_id: info.batch_id, sheet: '销售部' })
    expect(other.batch_id).toBe(info.batch_id)
    expect(other.sheets.map((sheet) => sheet.chosen)).toEqual([false, true])
    const people = await clerk.must(wage.getPreviewMember, { batch_id: info.batch_id })
    expect(people.list.map((one) => one.name)).toEqual(names.slice(4))
  })

  it('stores one unfinished wizard per administrator', async () => {
    const { clerk, staff } = await office()
    expect(await clerk.must(wage.fetchCache, {})).toEqual({ wizard: null })
    const { batch_id } = await upload(clerk, demoWageSheet(staff))
    await clerk.must(wage.insertCache, { wizard: { step: 'check', batch_id } })
    await clerk.must(wage.insertCache, { wizard: { step: 'wageSend2', batch_id } })
    expect((await clerk.must(wage.fetchCache, {})).wizard).toMatchObject({ step: 'wageSend2', batch_id, title: '工资表.xlsx' })
    await clerk.must(wage.clearBatchTitle, { batch_id })
    expect(await clerk.must(wage.fetchCache, {})).toEqual({ wizard: null })
  })
})

describe('creating all unknown members', () => {
  it('skips a name that is too long and creates the other members', async () => {
    const { clerk, staff } = await office()
    const strangers = [
      { name: '长'.repeat(60), mobile: '13922230001' },
      { name: '新人', mobile: '13922230002' },
    ]
    const { batch_id } = await upload(clerk, demoWageSheet([...staff, ...strangers], { bare: true }))
    await clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
    const create = (action: object) =>
      clerk.call(wage.dealWithSalaryList, { batch_id, actions: [{ ...action, fix: 'create' }] } as never)
    expect(await create({ kind: 'unknown_person' })).toMatchObject({ code: 0, data: { done: 1 } })
    const { problems } = await clerk.must(wage.checkWageData, { batch_id })
    const unknown = problems.filter((one) => one.kind === 'unknown_person')
    expect(unknown).toHaveLength(1)
    expect(await create({ problem_id: unknown[0]?.id })).toMatchObject({
      code: 100001,
      message: expect.stringContaining('姓名太长'),
    })
  })
})
