/** A corrected wage sheet for the same batch, several sheets in one batch, and a second wage sheet in one pay run. */
import { describe, expect, it } from 'vitest'
import * as send from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { newId } from '../../../server/shared/ids.ts'
import { demoWorld } from '../../support/demo.ts'
import { makeXlsx, type XlsxCell } from '../../support/files/xlsx.ts'
import { book, getColumn, getRoles, getUpload, type Office, openOffice, request } from '../../support/office.ts'
import type { Caller } from '../../support/world.ts'

const world = demoWorld()

const head = ['姓名', '手机号', '基本工资', '扣款', '实发工资', '备注']
const getRow = (one: { name: string; mobile: string }, net = 7500): XlsxCell[] => [one.name, one.mobile, 8000, 500, net, '']
const check = (clerk: Caller, batch_id: string) => clerk.must(wage.checkWageData, { batch_id })
const upload = (clerk: Caller, batch_id: string, bytes: Buffer, more: { compare_only?: '1' } = {}) =>
  getUpload(clerk, bytes, { batch_id, ...more }, '修正.xlsx')

/** A draft with one manually chosen member, one skipped row, one accepted warning and one column role set. */
async function decided() {
  const office = await openOffice(world, ['赵一', '钱二', '孙三'])
  const { clerk, corp, staff } = office
  const twin = await corp.person({ name: '同名' })
  await corp.person({ name: '同名' })
  const [a, b, c] = staff.map((one) => getRow(one))
  const people = [
    a,
    b,
    c,
    getRow({ name: '同名', mobile: '' }),
    getRow({ name: '路人', mobile: '' }),
    getRow({ name: '负数', mobile: '' }, -1),
  ]
  const minus = await corp.person({ name: '负数' })
  const sheet = (rows: (XlsxCell[] | undefined)[]) =>
    book(
      head,
      rows.flatMap((row) => (row ? [row] : [])),
    )
  const info = await getUpload(clerk, sheet(people))
  const { batch_id } = info
  await clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
  await clerk.must(wage.checkRequireColumnData, {
    batch_id,
    columns: [{ key: getColumn(info, '备注'), role: 'ignore' }],
    formula: null,
  })
  const { problems } = await check(clerk, batch_id)
  const getId = (name: string, kind: string) =>
    problems.find((one) => one.name === name && one.kind === kind)?.id ?? `no ${name} ${kind}`
  await clerk.must(wage.dealWithSalaryList, {
    batch_id,
    actions: [
      { problem_id: getId('同名', 'several_persons'), fix: 'match', member_id: twin.member_id },
      { problem_id: getId('路人', 'no_contact'), fix: 'skip' },
      { problem_id: getId('负数', 'negative_net'), fix: 'accept' },
    ],
  })
  await clerk.must(wage.editPaySheetTitle, { batch_id, hint: '保密' })
  expect((await check(clerk, batch_id)).problems).toEqual([])
  return { ...office, batch_id, twin, minus, people, sheet }
}
type Decided = Awaited<ReturnType<typeof decided>>
/** The data that a careless replacement would lose. */
const picture = ({ corp, batch_id }: Pick<Decided, 'corp' | 'batch_id'>) =>
  world.database.inCompany(corp.company_id, async (tx) =>
    JSON.stringify([
      await tx.selectFrom('batch').selectAll().where('id', '=', batch_id).execute(),
      await tx.selectFrom('sheet_row').selectAll().where('batch_id', '=', batch_id).orderBy('row_no').execute(),
      await tx.selectFrom('sheet_page').selectAll().where('batch_id', '=', batch_id).orderBy('id').execute(),
      await tx.selectFrom('file').select('id').orderBy('id').execute(),
      await tx.selectFrom('template').selectAll().orderBy('id').execute(),
    ]),
  )

describe('refusals', () => {
  it('requires a file and an unsent batch of the user for a comparison, and refuses replacement with read-only access', async () => {
    const made = await decided()
    const { clerk, corp, batch_id, sheet, people } = made
    const bytes = sheet(people)
    const file = { name: 'a.xlsx', bytes }
    const before = await picture(made)
    expect((await clerk.call(wage.uploadWageExcel, { compare_only: '1' }, { file })).code).toBe(100001)
    expect((await clerk.call(wage.uploadWageExcel, { compare_only: '1', batch_id, sheet: '工资' })).code).toBe(100001)
    expect(
      (await clerk.call(wage.uploadWageExcel, { batch_id }, { file: { name: 'a.xlsx', bytes: Buffer.from('PK') } })).code,
    ).toBe(100002)
    const reader = await corp.person({ name: '读者', power: ['2'] })
    const caller = await world.signIn(reader)
    for (const compare of [{}, { compare_only: '1' as const }])
      expect((await caller.call(wage.uploadWageExcel, { batch_id, ...compare }, { file })).code).toBe(100404)
    const { company_id } = corp
    await world.database.inCompany(company_id, async (tx) => {
      const { title_id } = await tx.selectFrom('batch').select('title_id').where('id', '=', batch_id).executeTakeFirstOrThrow()
      const share = {
        company_id,
        id: newId(),
        title_id: title_id ?? '',
        admin_id: reader.admin_id ?? '',
        rights: 'view' as const,
      }
      await tx.insertInto('title_share').values(share).execute()
    })
    for (const compare of [{}, { compare_only: '1' as const }])
      expect((await caller.call(wage.uploadWageExcel, { batch_id, ...compare }, { file })).code).toBe(100403)
    expect(await picture(made)).toBe(before)
  })
})

describe('corrected wage sheet', () => {
  it('shows the changes of a comparison and stores nothing', async () => {
    const made = await decided()
    const { clerk, batch_id, sheet, people } = made
    const before = await picture(made)
    const [a, b, c, same, outsider, minus] = people
    const newcomer = getRow({ name: '新人', mobile: '13922220001' })
    const next = [c, [...(a ?? []).slice(0, 4), 7600, ''], same, outsider, minus, newcomer]
    const notified = await upload(clerk, batch_id, sheet(next), { compare_only: '1' })
    expect(notified.batch_id).toBe(batch_id)
    expect(notified.rows).toBe(6)
    expect(notified.difference).toEqual({
      unchanged_count: 4,
      changed_count: 1,
      changed: [{ row: 3, name: '赵一', cells: [{ label: '实发工资', from: '7500', to: '7600' }] }],
      added_count: 1,
      added: [{ row: 7, name: '新人' }],
      removed_count: 1,
      removed: [{ row: 3, name: b?.[0] }],
      columns_added: [],
      columns_removed: [],
    })
    expect(await picture(made)).toBe(before)
  })

  it('keeps chosen members, skipped rows, accepted warnings, column roles and layout', async () => {
    const made = await decided()
    const { clerk, batch_id, sheet, people, twin, minus } = made
    const [a, b, c, same, outsider, negative] = people
    const notified = await upload(clerk, batch_id, sheet([negative, outsider, same, c, b, [...(a ?? []).slice(0, 4), 7600, '']]))
    expect(notified.difference).toMatchObject({ unchanged_count: 5, changed_count: 1, added_count: 0, removed_count: 0 })
    expect(notified).toMatchObject({ file_name: '修正.xlsx', formula: null })
    expect(getRoles(notified).备注).toBe('ignore')
    expect((await clerk.must(wage.getLayout, { batch_id })).hint).toBe('保密')
    const { problems, skipped, counts } = await check(clerk, batch_id)
    expect(problems).toEqual([])
    expect(skipped).toEqual([{ row: 3, name: '路人' }])
    expect(counts).toMatchObject({ status: 'checked', skipped: 1 })
    const { list } = await clerk.must(wage.getDetailUpload, { batch_id })
    expect(list.map(({ row, member_id }) => [row, member_id]).slice(0, 3)).toEqual([
      [2, minus.member_id],
      [3, null],
      [4, twin.member_id],
    ])
  })

  it('asks again where the member or the accepted value has changed', async () => {
    const made = await decided()
    const { clerk, batch_id, sheet, people } = made
    const [a, b, c, , outsider, negative] = people
    const same = getRow({ name: '同名', mobile: '13955550003' })
    await upload(clerk, batch_id, sheet([a, b, c, same, outsider, [...(negative ?? []).slice(0, 4), -2, '']]))
    const { problems } = await check(clerk, batch_id)
    expect(problems.map(({ name, kind }) => `${name} ${kind}`)).toEqual(['同名 unknown_person', '负数 negative_net'])
  })

  it('matches roles by header and asks one question for an added and a moved column', async () => {
    const made = await decided()
    const { clerk, batch_id, people } = made
    const wide = people.map((row) => [row?.[5], ...(row ?? []).slice(0, 5), 100] as XlsxCell[])
    const notified = await upload(clerk, batch_id, book(['备注', ...head.slice(0, 5), '高温补贴'], wide))
    expect(getRoles(notified)).toMatchObject({ 备注: 'ignore', 实发工资: 'net', 高温补贴: 'info' })
    expect(notified.difference).toMatchObject({
      unchanged_count: 6,
      changed_count: 0,
      columns_added: ['高温补贴'],
      columns_removed: [],
    })
    expect(request(notified)).toEqual([['new_column', getColumn(notified, '高温补贴')]])
    expect((await check(clerk, batch_id)).counts).toMatchObject({ skipped: 1, errors: 0 })
    // The question is still open after another correction, and is asked only once.
    const again = await upload(clerk, batch_id, book(['备注', ...head.slice(0, 5), '高温补贴'], wide.slice(0, 5)))
    expect(request(again)).toEqual([['new_column', getColumn(again, '高温补贴')]])
  })

  it('restores the stored role of a column from last month', async () => {
    const made = await decided()
    const { clerk, sheet, people, staff } = made
    const short = staff.map((one) => [one.name, one.mobile, 8000, 8000, ''] as XlsxCell[])
    const next = await getUpload(clerk, book(['姓名', '手机号', '基本工资', '实发工资', '备注'], short))
    expect(next.remembered?.missing.map(({ label }) => label)).toEqual(['扣款'])
    const fixed = await upload(clerk, next.batch_id, sheet(people))
    expect(fixed.remembered).toMatchObject({ fresh: [], missing: [], renamed: [] })
    expect(request(fixed)).toEqual([])
    expect(getRoles(fixed).扣款).toBe('deduction')
  })
})

describe('several sheets of a file', () => {
  const getBook = (office: Office, names: string[]) =>
    makeXlsx({
      sheets: names.map((name, at) => ({
        name,
        rows: [head, ...office.staff.slice(at * 2, at * 2 + 2).map((one) => getRow(one))],
      })),
    })

  it('combines several sheets of a file into one batch if they have the same header, even if the first one was read already', async () => {
    const office = await openOffice(world, ['赵一', '钱二', '孙三', '李四'])
    const { clerk } = office
    const info = await getUpload(clerk, getBook(office, ['生产部', '销售部']))
    expect(info.sheets.map(({ name, chosen, like }) => [name, chosen, like])).toEqual([
      ['生产部', true, true],
      ['销售部', false, true],
    ])
    expect(request(info)).toEqual([['several_sheets', null]])
    const { batch_id } = info
    const format = (value: string) =>
      clerk.call(wage.checkRequireColumnData, { batch_id, columns: [], answers: [{ id: info.questions[0]?.id ?? '', value }] })
    expect((await format('all')).code).toBe(100001)
    const first = await clerk.must(wage.getDetailUpload, { batch_id })
    expect(first.page.total).toBe(2)
    const both = await clerk.must(wage.uploadWageExcel, { batch_id, sheet: '生产部\n销售部' })
    expect(both.parts.map(({ sheet, people_rows }) => [sheet, people_rows])).toEqual([
      ['生产部', 2],
      ['销售部', 2],
    ])
    expect([both.rows, both.difference, request(both)]).toEqual([4, null, []])
    const people = await clerk.must(wage.getPreviewMember, { batch_id })
    expect(people.list.map(({ row, name }) => [row, name])).toEqual([
      [2, '赵一'],
      [3, '钱二'],
      [1_000_002, '孙三'],
      [1_000_003, '李四'],
    ])
    // The tables are shown one at a time, each from its own first row.
    const grid = (from: number) => clerk.must(wage.getSheetGrid, { batch_id, from, count: 50 })
    const display = async (from: number) => (await grid(from)).rows.map(({ row, kind, cells }) => [row, kind, cells[0]])
    expect(await display(1)).toEqual([
      [1, 'header', '姓名'],
      [2, 'person', '赵一'],
      [3, 'person', '钱二'],
    ])
    expect(await display(1_000_001)).toEqual([
      [1_000_001, 'header', '姓名'],
      [1_000_002, 'person', '孙三'],
      [1_000_003, 'person', '李四'],
    ])
    expect((await clerk.call(wage.uploadWageExcel, { batch_id, sheet: '生产部\n没有' })).code).toBe(100002)
    expect((await clerk.must(wage.getDetailUpload, { batch_id })).page.total).toBe(4)
  })
})

it('asks about members who already have a payslip in the same pay run', async () => {
  const office = await openOffice(world, ['赵一', '钱二', '孙三'])
  const { clerk, staff } = office
  const [a, b, c] = staff.map((one) => getRow(one))
  const of = (rows: (XlsxCell[] | undefined)[]) =>
    book(
      head,
      rows.flatMap((row) => (row ? [row] : [])),
    )
  const first = await getUpload(clerk, of([a, b]))
  const { title_id } = await clerk.must(wage.insertBatchTitle, { batch_id: first.batch_id, title: '十月', month: '2026-10' })
  const { plan_id } = await clerk.must(send.sendPaySheet, { batch_id: first.batch_id })
  await clerk.must(send.doSend, { plan_id, looked: true })
  await world.product.jobs.drain()
  const second = await getUpload(clerk, of([b, c]), { title_id })
  expect(second.title).toMatchObject({ title_id, title: '十月', month: '2026-10' })
  const { problems } = await check(clerk, second.batch_id)
  expect(problems.filter(({ kind }) => kind === 'same_month').map(({ name, level }) => `${name} ${level}`)).toEqual([
    '钱二 warning',
  ])
  const strangers = await world.createCompany()
  const outsider = await world.signIn(await strangers.person({ power: ['2', '4'] }))
  expect((await outsider.call(wage.uploadWageExcel, { title_id }, { file: { name: 'a.xlsx', bytes: of([b]) } })).code).toBe(
    100404,
  )
})
