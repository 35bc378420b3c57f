/**
 * Questions about a wage sheet: its unit, hidden rows and columns, column roles. Nothing is sent while a required
 * question is open.
 */
import { expect, it } from 'vitest'
import * as send from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { demoWorld } from '../../support/demo.ts'
import { book, getColumn, getUpload, openOffice } from '../../support/office.ts'
import type { Caller } from '../../support/world.ts'

const world = demoWorld()

const answer = (clerk: Caller, batch_id: string, id: string, value: string) =>
  clerk.must(wage.checkRequireColumnData, { batch_id, columns: [], answers: [{ id, value }] })
const nets = async (clerk: Caller, batch_id: string) =>
  (await clerk.must(wage.getPreviewMember, { batch_id })).list.map(({ net_fen }) => net_fen)

it('multiplies ten thousands of yuan exactly, reverts the unit, and shows yuan on the payslip', async () => {
  const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
  const amounts = [1.23456, 0.8, 0.85]
  const info = await getUpload(
    clerk,
    book(
      ['姓名', '手机号', '基本工资（万元）', '扣款（万元）', '实发工资（万元）'],
      staff.map((one, at) => [
        one.name,
        one.mobile,
        amounts[at],
        0.05,
        { raw: String(Math.round(((amounts[at] ?? 0) - 0.05) * 1e5) / 1e5) },
      ]),
    ),
  )
  const { batch_id } = info
  const question = info.questions.find(({ kind }) => kind === 'unit')
  expect(question).toMatchObject({ must: true, answer: null, suggested: 'wan' })
  const id = question?.id ?? ''
  const wan = [1_184_560, 750_000, 800_000]
  // The suggestion applies, but nothing is sent before it has been confirmed.
  expect(await nets(clerk, batch_id)).toEqual(wan)
  await clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
  expect((await clerk.must(wage.checkWageData, { batch_id })).counts).toMatchObject({ errors: 0, status: 'draft' })
  expect(await clerk.call(send.sendPaySheet, { batch_id })).toMatchObject({ code: 100409, data: { errors: 1 } })

  await answer(clerk, batch_id, id, 'yuan')
  expect(await nets(clerk, batch_id)).toEqual([118, 75, 80])
  await answer(clerk, batch_id, id, 'thousand')
  expect(await nets(clerk, batch_id)).toEqual([118_456, 75_000, 80_000])
  expect(await answer(clerk, batch_id, id, 'wan')).toMatchObject({ open_question_count: 0, ok: true })
  expect(await nets(clerk, batch_id)).toEqual(wan)
  expect((await clerk.must(wage.checkWageData, { batch_id })).counts).toMatchObject({ errors: 0, status: 'checked' })

  // The wage sheet is shown as uploaded; the payslip shows yuan.
  const { rows } = await clerk.must(wage.getSheetGrid, { batch_id, from: 2, count: 1 })
  expect(rows[0]?.cells.at(2)).toBe('1.23456')
  const slip = await clerk.must(wage.getPreview, { batch_id, row: 2 })
  expect(slip.net?.fen).toBe(1_184_560)
  expect(slip.groups.flatMap(({ cells }) => cells.map(({ value }) => value))).toEqual(['12,345.60', '500.00'])
  const { plan_id } = await clerk.must(send.sendPaySheet, { batch_id })
  await clerk.must(send.doSend, { plan_id, looked: true })
  await world.product.jobs.drain()
  const { list } = await clerk.must(send.getWageDetail, { batch_id })
  expect(list.map(({ net_fen }) => net_fen).sort()).toEqual([...wan].sort())
})

it('pays or skips members in hidden rows according to the answer', async () => {
  const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
  const info = await getUpload(
    clerk,
    book(
      ['姓名', '手机号', '基本工资', '实发工资'],
      staff.map((one) => [one.name, one.mobile, 8000, 8000]),
      { hidden_rows: [3] },
    ),
  )
  const { batch_id } = info
  const question = info.questions.find(({ kind }) => kind === 'hidden_rows')
  expect(question).toMatchObject({ must: true, rows: [3] })
  const skipped = async () => (await clerk.must(wage.checkWageData, { batch_id })).skipped.map(({ name }) => name)
  expect(await skipped()).toEqual([])
  await answer(clerk, batch_id, question?.id ?? '', 'skip')
  expect(await skipped()).toEqual(['钱二'])
  await answer(clerk, batch_id, question?.id ?? '', 'keep')
  expect(await skipped()).toEqual([])
  const { rows } = await clerk.must(wage.getSheetGrid, { batch_id, from: 1, count: 10 })
  expect(rows.map(({ hidden, kind }) => [hidden, kind])).toEqual([
    [false, 'header'],
    [false, 'person'],
    [true, 'person'],
    [false, 'person'],
  ])
})

it('skips a row excluded by the total of a filtered table and does not report that total', async () => {
  const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
  const info = await getUpload(
    clerk,
    book(
      ['姓名', '手机号', '基本工资', '实发工资'],
      [...staff.map((one) => [one.name, one.mobile, 8000, 8000]), ['合计', '', 16_000, 16_000]],
      { hidden_rows: [3] },
    ),
  )
  const { batch_id } = info
  const question = info.questions.find(({ kind }) => kind === 'hidden_rows')
  expect(question).toMatchObject({ must: true, rows: [3], suggested: 'skip' })
  const totalsNotified = async () =>
    (await clerk.must(wage.checkWageData, { batch_id })).problems.flatMap(({ kind, message }) =>
      kind === 'total_row_mismatch' ? [message] : [],
    )
  await answer(clerk, batch_id, question?.id ?? '', 'skip')
  expect(await totalsNotified()).toEqual([])
  await answer(clerk, batch_id, question?.id ?? '', 'keep')
  expect((await totalsNotified())[0]).toContain('写的是 16,000.00，各行相加是 24,000.00')
})

it('shows employees amounts of hidden columns only after a question is answered', async () => {
  const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
  const sheet = book(
    ['姓名', '手机号', '基本工资', '奖金', '实发工资'],
    staff.map((one) => [one.name, one.mobile, 8000, 500, 8500]),
    { hidden_columns: [4] },
  )
  const info = await getUpload(clerk, sheet)
  const { batch_id } = info
  const question = info.questions.find(({ kind }) => kind === 'hidden_columns')
  const key = getColumn(info, '奖金')
  const display = async (id = batch_id) =>
    (await clerk.must(wage.getLayout, { batch_id: id })).sort_list.find((item) => item.key === key)?.status
  expect(await display()).toBe(false)
  await answer(clerk, batch_id, question?.id ?? '', 'show')
  expect(await display()).toBe(true)
  // The answer is remembered: next month the column is shown without a question.
  const next = await getUpload(clerk, sheet)
  expect([await display(next.batch_id), next.questions.map((one) => one.answer)]).toEqual([true, ['show']])
  await answer(clerk, batch_id, question?.id ?? '', 'hide')
  expect(await display()).toBe(false)
})

it('resets the first net column when another column is answered as net pay', async () => {
  const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
  const info = await getUpload(
    clerk,
    book(
      ['姓名', '手机号', '基本工资', '扣款', '实发工资', '奖金'],
      staff.map((one, at) => [one.name, one.mobile, 8000, 500, 7500, 10 + at]),
    ),
  )
  const { batch_id } = info
  const set = (key: string, role: 'net' | 'info') =>
    clerk.call(wage.checkRequireColumnData, { batch_id, columns: [{ key, role }] })
  expect((await set(getColumn(info, '奖金'), 'net')).code).toBe(100001)
  expect((await set('c77', 'info')).code).toBe(100001)
})

it('formats a column with a manually set role as an amount, in its group and in the payslip total', async () => {
  const { clerk, staff } = await openOffice(world, ['赵一', '钱二'])
  const info = await getUpload(
    clerk,
    book(
      ['姓名', '手机号', '基本工资', '社保', '项目甲', '实发工资'],
      // Two rows are too few to determine the formula, so it is asked.
      staff.map((one, at) => [one.name, one.mobile, 8000 + at * 500, 500, 100 + at, 7400 + at * 499]),
    ),
  )
  const { batch_id } = info
  const key = getColumn(info, '项目甲')
  const now = async () => {
    const { groups, totals } = await clerk.must(wage.getPreview, { batch_id, row: 3 })
    const group = groups.find(({ cells }) => cells.some((cell) => cell.key === key))
    const cell = group?.cells.find((one) => one.key === key)
    const { formula } = await clerk.must(wage.getTitleInfo, { batch_id })
    return { group: group?.name, kind: cell?.kind, minus: cell?.is_deduction, sums: totals, formula }
  }
  const set = (role: 'deduction' | 'info' | 'earning') =>
    clerk.must(wage.checkRequireColumnData, { batch_id, columns: [{ key, role }] })
  await set('info')
  expect(await now()).toMatchObject({ group: '其他', minus: false, sums: null })
  await set('deduction')
  expect(await now()).toMatchObject({
    group: '扣款',
    kind: 'money',
    minus: true,
    sums: { gross_fen: 850_000, deduction_fen: 60_100 },
    formula: { plus: [getColumn(info, '基本工资')], minus: [getColumn(info, '社保'), key], holds: 2, of: 2, by: 'found' },
  })
  // The rows show that it is subtracted: a formula that holds nowhere is not adopted.
  await set('earning')
  expect(await now()).toMatchObject({
    group: '应发',
    kind: 'money',
    sums: null,
    formula: { minus: [getColumn(info, '社保'), key] },
  })

  await set('deduction')
  await clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month: '2026-10' })
  expect((await clerk.must(wage.checkWageData, { batch_id })).counts).toMatchObject({ errors: 0, status: 'checked' })
  const { plan_id } = await clerk.must(send.sendPaySheet, { batch_id })
  await clerk.must(send.doSend, { plan_id, looked: true })
  await world.product.jobs.drain()
  // The administrator's table shows the same as the payslip.
  const { list } = await clerk.must(send.getWageDetail, { batch_id })
  expect(list.map(({ cells }) => cells[key])).toEqual([
    { value: '100', kind: 'money' },
    { value: '101', kind: 'money' },
  ])
})
