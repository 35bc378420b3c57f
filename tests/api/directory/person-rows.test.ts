/**
 * Tests a member on several rows of a wage sheet: asked once, combined, sent, and read by the employee as one payslip
 * with sections; corrected and separated again.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as send from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { demoWorld } from '../../support/demo.ts'
import { book, getUpload, openOffice } from '../../support/office.ts'
import type { Caller } from '../../support/world.ts'

const world = demoWorld()

const titled = (clerk: Caller, batch_id: string, month = '2026-10') =>
  clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month })
const check = (clerk: Caller, batch_id: string) => clerk.must(wage.checkWageData, { batch_id })
const combineAll = (clerk: Caller, batch_id: string) =>
  clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ kind: 'several_rows', fix: 'combine' }] })

async function office() {
  const { clerk, staff, ...more } = await openOffice(world, ['赵一', '钱二', '孙三', '李四'])
  const line = (at: number, post: string, pay: number, off: number) => [
    staff[at]?.name ?? '',
    staff[at]?.mobile ?? '',
    post,
    pay,
    off,
    pay - off,
  ]
  const sheet = book(
    ['姓名', '手机号', '岗位', '基本工资', '社保', '实发工资'],
    [
      line(0, '主管', 5000, 500.5),
      line(1, '店员', 4000, 400),
      line(0, '讲师', 1200.1, 0),
      line(2, '店员', 4100, 410),
      line(3, '店员', 4200, 420),
      line(3, '保洁', 800, 0),
    ],
  )
  const { batch_id } = await getUpload(clerk, sheet)
  await titled(clerk, batch_id)
  return { clerk, staff, batch_id, ...more }
}
async function sent({ clerk, batch_id }: { clerk: Caller; batch_id: string }) {
  const { plan_id, count } = await clerk.must(send.sendPaySheet, { batch_id })
  await clerk.must(send.doSend, { plan_id, looked: true })
  await world.product.jobs.drain()
  return count
}

describe('members with several rows', () => {
  it('combines the rows into one payslip with summed amounts in sections after one question', async () => {
    const { clerk, staff, batch_id } = await office()
    const before = await check(clerk, batch_id)
    expect(before.counts).toMatchObject({ errors: 2, kinds: [{ kind: 'several_rows', level: 'error', count: 2 }] })
    expect(await clerk.call(send.sendPaySheet, { batch_id })).toMatchObject({ code: 100409 })

    expect(await combineAll(clerk, batch_id)).toMatchObject({ done: 2, counts: { errors: 0, status: 'checked' } })
    const after = await check(clerk, batch_id)
    expect([after.counts.kinds, after.counts.totals]).toEqual([
      [],
      { people: 4, gross_fen: null, tax_fen: null, net_fen: 1_756_960 },
    ])
    expect(after.combined).toMatchObject([
      { name: '赵一', rows: [2, 4], net_fen: 569_960 },
      { name: '李四', rows: [6, 7], net_fen: 458_000 },
    ])
    const preview = await clerk.must(wage.getPreview, { batch_id, row: 2 })
    expect(preview).toMatchObject({ net: { fen: 569_960 }, totals: { gross_fen: 620_010, deduction_fen: 50_050 } })
    expect((await clerk.must(wage.getPreviewMember, { batch_id, page: 1, pagesize: 20 })).list.map(({ row }) => row)).toEqual([
      2, 3, 5, 6,
    ])

    expect(await sent({ clerk, batch_id })).toBe(4)
    const [first] = staff
    if (!first) throw new Error('nobody was founded')
    const own = await world.signIn(first)
    const { list } = await own.must(employee.getSlipList, {})
    expect(list.map(({ net_fen }) => net_fen)).toEqual([569_960])
    const { slip } = await own.must(employee.getSlip, { slip_id: list[0]?.slip_id ?? '', confirm_open: true })
    expect(slip.net).toMatchObject({ fen: 569_960 })
    expect(slip.groups.map(({ name, cells }) => [name, cells.map(({ label, value }) => `${label} ${value}`)])).toEqual([
      ['主管 · 应发', ['基本工资 5000']],
      ['主管 · 扣款', ['社保 500.5']],
      ['讲师 · 应发', ['基本工资 1200.1']],
    ])
  })

  it('separates combined rows again and reviews them one by one', async () => {
    const { clerk, batch_id } = await office()
    await combineAll(clerk, batch_id)
    await clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ fix: 'separate', row: 2 }] })
    const separate = await check(clerk, batch_id)
    expect(separate.problems.map(({ kind, row }) => [kind, row])).toEqual([['several_rows', 2]])
    expect(separate.combined.map(({ name }) => name)).toEqual(['李四'])
    await clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ kind: 'several_rows', fix: 'separate' }] })
    const single = await check(clerk, batch_id)
    expect(single.problems.map(({ kind, row, fix }) => [kind, row, fix])).toEqual([
      ['duplicate_person', 2, ['combine', 'match', 'skip']],
      ['duplicate_person', 4, ['match', 'skip']],
    ])
    const [one] = single.problems
    await clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ problem_id: one?.id ?? '', fix: 'combine' }] })
    expect((await check(clerk, batch_id)).counts).toMatchObject({ errors: 0, status: 'checked', totals: { people: 4 } })
  })

  it('applies corrections of any row before sending', async () => {
    const { clerk, batch_id } = await office()
    await combineAll(clerk, batch_id)
    const edit = (row: number, column: string, value: string) =>
      clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ fix: 'edit', row, column, value }] })
    await edit(4, 'c3', '1300')
    const wrong = await check(clerk, batch_id)
    expect(wrong.problems.map(({ kind, row, fix }) => [kind, row, fix])).toEqual([
      ['sum_mismatch', 2, ['separate', 'accept', 'skip']],
    ])
    await edit(4, 'c5', '1300')
    const right = await check(clerk, batch_id)
    expect([right.counts.kinds, right.combined[0]?.net_fen]).toEqual([[], 579_950])
  })

  it('corrects rows one by one after sending and updates the sums', async () => {
    const { clerk, staff, batch_id } = await office()
    await combineAll(clerk, batch_id)
    await sent({ clerk, batch_id })
    const { list } = await clerk.must(send.getWageDetail, { batch_id, page: 1, pagesize: 20 })
    const line = list.find(({ name }) => name === '赵一')
    const salary_id = line?.salary_id ?? ''
    expect(line?.cells['c3@4']).toMatchObject({ value: '1200.1' })
    const correct = (key: string, value: string) =>
      clerk.call(send.editSalaryDetail, { salary_id, cells: [{ key, value }], reason: '少了课时' })
    expect(await correct('c3', '9000')).toMatchObject({ message: '这张工资条由 2 行合成，「基本工资」请在其中一行里改' })
    expect((await correct('c3@5', '1')).code).not.toBe(0)
    expect(await correct('c3@4', '1500.1')).toMatchObject({ code: 0, data: { version: 2 } })
    const [first] = staff
    if (!first) throw new Error('nobody was founded')
    const own = await world.signIn(first)
    const { slip, corrected } = await own.must(employee.getSlip, {
      slip_id: (await own.must(employee.getSlipList, {})).list[0]?.slip_id ?? '',
      confirm_open: true,
    })
    expect(slip).toMatchObject({ net: { fen: 599_960 }, totals: { gross_fen: 650_010, deduction_fen: 50_050 } })
    expect(corrected?.changes.map(({ label, from, to }) => [label, from, to])).toEqual([
      ['第 2 行 · 基本工资', '1,200.10', '1,500.10'],
      ['第 2 行 · 实发工资', '1,200.10', '1,500.10'],
      ['基本工资', '6,200.10', '6,500.10'],
      ['实发工资', '5,699.60', '5,999.60'],
    ])
  })

  it('matches by number where name, phone and net pay are merged cells (08a)', async () => {
    const { clerk } = await openOffice(world, [])
    const file = readFileSync(new URL('../../cases/bug-reports/08a-one-person-several-rows-merged.xlsx', import.meta.url))
    const { batch_id } = await getUpload(clerk, file)
    await titled(clerk, batch_id)
    await clerk.must(wage.dealWithSalaryList, { batch_id, actions: [{ kind: 'unknown_person', fix: 'create' }] })
    const requested = await check(clerk, batch_id)
    expect(requested.problems.map(({ kind, row }) => [kind, row])).toEqual([['several_rows', 2]])
    await combineAll(clerk, batch_id)
    expect((await check(clerk, batch_id)).counts).toMatchObject({ errors: 0, totals: { people: 2, net_fen: 320_000 } })
  })
})
