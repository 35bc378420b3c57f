/**
 * The next month: decisions for a kind of wage sheet are reused, and only new, missing or renamed columns are asked
 * about.
 */
import { describe, expect, it } from 'vitest'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { demoWorld } from '../../support/demo.ts'
import { book, getColumn, getRoles, getUpload, type Office, openOffice, request } from '../../support/office.ts'

const world = demoWorld()

const head = ['姓名', '手机号', '基本工资', '绩效工资', '养老保险', '实发工资', '备注']
type Change = { head?: string[]; drop?: string; add?: [string, number | string]; net?: (net: number) => number }
/** A month's wage sheet; one column may be missing, another added at the end; net pay is computed from the others. */
function month({ staff }: Office, seed: number, { head: names = head, drop, add, net = (one) => one }: Change = {}): Buffer {
  const out = drop === undefined ? -1 : names.indexOf(drop)
  const fit = <T>(row: T[]) => (out < 0 ? row : row.filter((_, at) => at !== out))
  return book(
    [...fit([...names]), ...(add ? [add[0]] : [])],
    staff.map((one, at) => {
      const [base, bonus, pension] = [8000 + at * 10, 500 + seed * 7 + at, 300 + at]
      const plus = (out === 3 ? 0 : bonus) + (typeof add?.[1] === 'number' ? add[1] + at : 0)
      const row = [one.name, one.mobile, base, bonus, pension, net(base + plus - (out === 4 ? 0 : pension)), '']
      return [...fit(row), ...(add ? [typeof add[1] === 'number' ? add[1] + at : add[1]] : [])]
    }),
  )
}
/** The office after its September pay run, with answers, title and layout. */
async function september() {
  const office = await openOffice(world, ['赵一', '钱二', '孙三', '李四'])
  const info = await getUpload(office.clerk, month(office, 0))
  const { batch_id } = info
  await office.clerk.must(wage.checkRequireColumnData, {
    batch_id,
    columns: [{ key: getColumn(info, '备注'), role: 'ignore' }],
  })
  await office.clerk.must(wage.insertBatchTitle, { batch_id, title: '九月工资', month: '2026-09' })
  await office.clerk.must(wage.editPaySheetTitle, {
    batch_id,
    hint: '保密',
    sort_list: [{ key: getColumn(info, '绩效工资'), value: '奖励', status: true }],
  })
  return { ...office, info, batch_id }
}
const items = async (clerk: Office['clerk'], batch_id: string) =>
  new Map((await clerk.must(wage.getLayout, { batch_id })).sort_list.map((item) => [item.key, item]))

describe("next month's wage sheet", () => {
  it("asks nothing about next month's sheet with the same header and keeps roles, layout and hint", async () => {
    const office = await september()
    const next = await getUpload(office.clerk, month(office, 1))
    expect(request(next)).toEqual([])
    expect(next.remembered).toMatchObject({
      title: '九月工资',
      month: '2026-09',
      name: null,
      fresh: [],
      missing: [],
      renamed: [],
    })
    expect(getRoles(next)).toMatchObject({ 备注: 'ignore', 绩效工资: 'earning', 实发工资: 'net' })
    const layout = await office.clerk.must(wage.getLayout, { batch_id: next.batch_id })
    expect(layout.hint).toBe('保密')
    expect(layout.sort_list[0]?.value).toBe('奖励')
  })

  it('matches columns in another order by header', async () => {
    const office = await september()
    const order = [6, 1, 0, 4, 3, 2, 5]
    const rows = office.staff.map((one) => ['', one.mobile, one.name, 300, 500, 8000, 8200])
    const next = await getUpload(
      office.clerk,
      book(
        order.map((at) => head[at] ?? ''),
        rows,
      ),
    )
    expect(request(next)).toEqual([])
    expect(getRoles(next)).toMatchObject({ 备注: 'ignore', 姓名: 'name', 实发工资: 'net' })
    expect((await items(office.clerk, next.batch_id)).get(getColumn(next, '绩效工资'))?.value).toBe('奖励')
  })

  it('asks one question about one new column, and none in the month after the answer', async () => {
    const office = await september()
    const { clerk } = office
    const bytes = month(office, 1, { add: ['司龄认定', 120] })
    const next = await getUpload(clerk, bytes)
    const key = getColumn(next, '司龄认定')
    expect(request(next)).toEqual([['new_column', key]])
    expect(next.remembered).toMatchObject({ title: '九月工资', fresh: [key], missing: [], renamed: [] })
    const { batch_id } = next
    const [question] = next.questions
    const answer = (value: string, id = question?.id ?? '') =>
      clerk.call(wage.checkRequireColumnData, { batch_id, columns: [], answers: [{ id, value }] })
    expect((await answer('nonsense')).code).toBe(100001)
    expect((await answer('earning', 'no_such_question')).code).toBe(100001)
    expect((await answer('employer')).data.open_question_count).toBe(0)
    const after = await clerk.must(wage.getTitleInfo, { batch_id })
    expect([getRoles(after).司龄认定, request(after)]).toEqual(['employer', []])
    // After the answer is removed, the question is open again.
    await answer('')
    expect(request(await clerk.must(wage.getTitleInfo, { batch_id }))).toEqual([['new_column', key]])
    await answer('earning')
    const november = await getUpload(clerk, month(office, 2, { add: ['司龄认定', 130] }))
    expect(request(november)).toEqual([])
    expect([getRoles(november).司龄认定, getRoles(november).备注]).toEqual(['earning', 'ignore'])
  })

  it('asks about a missing column of the formula, and sends nothing before a confirmation', async () => {
    const office = await september()
    const { clerk } = office
    const next = await getUpload(clerk, month(office, 1, { drop: '养老保险' }))
    const { batch_id } = next
    expect(request(next)).toEqual([['missing_column', null]])
    expect(next.remembered?.missing).toEqual([{ label: '养老保险', role: 'deduction' }])
    await clerk.must(wage.insertBatchTitle, { batch_id, title: '十月工资', month: '2026-10' })
    const checked = await clerk.must(wage.checkWageData, { batch_id })
    expect([checked.counts.errors, checked.counts.status]).toEqual([0, 'draft'])
    const answers = [{ id: next.questions[0]?.id ?? '', value: 'gone' }]
    expect(await clerk.must(wage.checkRequireColumnData, { batch_id, columns: [] })).toMatchObject({
      ok: false,
      open_question_count: 1,
    })
    expect(await clerk.must(wage.checkRequireColumnData, { batch_id, columns: [], answers })).toMatchObject({
      ok: true,
      open_question_count: 0,
    })
    expect((await clerk.must(wage.getTitleInfo, { batch_id })).status).toBe('checked')
  })

  it('treats a renamed column as the old one until the user rejects that', async () => {
    const office = await september()
    const { clerk } = office
    const names = head.map((name) => (name === '绩效工资' ? '绩效奖金' : name))
    const next = await getUpload(clerk, month(office, 1, { head: names }))
    const { batch_id } = next
    const key = getColumn(next, '绩效奖金')
    expect(request(next)).toEqual([['renamed_column', key]])
    expect(next.remembered).toMatchObject({ fresh: [], missing: [], renamed: [{ key, from: '绩效工资' }] })
    expect((await items(clerk, batch_id)).get(key)?.value).toBe('奖励')
    const format = (value: string) =>
      clerk.must(wage.checkRequireColumnData, { batch_id, columns: [], answers: [{ id: `renamed_column:${key}`, value }] })
    await format('no')
    expect((await items(clerk, batch_id)).get(key)?.value).toBe('绩效奖金')
    await format('yes')
    expect((await items(clerk, batch_id)).get(key)?.value).toBe('奖励')
    const again = await getUpload(clerk, month(office, 2, { head: names }))
    expect(request(again)).toEqual([])
    expect((await items(clerk, again.batch_id)).get(key)?.value).toBe('奖励')
  })

  it('does not apply decisions of another administrator or of another kind of wage sheet', async () => {
    const office = await september()
    const other = await world.signIn(await office.corp.person({ name: '别人', power: ['2'] }))
    expect((await getUpload(other, month(office, 1))).remembered).toBeNull()
    const bonus = book(
      ['姓名', '部门', '年终奖', '个税', '实发工资'],
      office.staff.map((one) => [one.name, '一部', 9000, 500, 8500]),
    )
    expect((await getUpload(office.clerk, bonus)).remembered).toBeNull()
  })

  it('keeps a user-defined formula, and the answer that there is none', async () => {
    const office = await september()
    const { clerk } = office
    const off = { net: (net: number) => net + 1 }
    const first = await getUpload(clerk, month(office, 1, off))
    const keys = (...labels: string[]) => labels.map((label) => getColumn(first, label))
    const formula = { plus: keys('基本工资', '绩效工资'), minus: keys('养老保险') }
    const set = (value: { plus: string[]; minus: string[] } | null) =>
      clerk.call(wage.checkRequireColumnData, { batch_id: first.batch_id, columns: [], formula: value })
    for (const wrong of [
      { plus: [], minus: [] },
      { plus: keys('实发工资'), minus: [] },
      { plus: keys('姓名'), minus: [] },
      { plus: ['c99'], minus: [] },
      { plus: keys('基本工资'), minus: keys('基本工资') },
    ])
      expect(await set(wrong)).toMatchObject({ code: 100001, data: { field: 'formula' } })
    expect((await set(formula)).code).toBe(0)
    const info = await clerk.must(wage.getTitleInfo, { batch_id: first.batch_id })
    expect(info.formula).toMatchObject({ ...formula, by: 'person', holds: 0, of: 4 })
    const next = await getUpload(clerk, month(office, 2))
    expect(next.formula).toMatchObject({ ...formula, by: 'remembered', holds: 4, of: 4 })
    expect((await set(null)).code).toBe(0)
    expect((await getUpload(clerk, month(office, 3))).formula).toBeNull()
  })
})
