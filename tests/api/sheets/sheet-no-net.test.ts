/** A wage sheet without net pay, and a sheet that is no wage sheet: the answers and their effects. */
import { describe, expect, it } from 'vitest'
import * as employee from '../../../server/contract/payslips/employee.ts'
import * as send from '../../../server/contract/payslips/send.ts'
import * as wage from '../../../server/contract/sheets/sheet.ts'
import { demoWorld } from '../../support/demo.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { book, getUpload, openOffice } from '../../support/office.ts'
import type { Caller } from '../../support/world.ts'

const world = demoWorld()

const answer = (clerk: Caller, batch_id: string, id: string, value: string) =>
  clerk.must(wage.checkRequireColumnData, { batch_id, columns: [], answers: [{ id, value }] })
const titled = (clerk: Caller, batch_id: string, month = '2026-10') =>
  clerk.must(wage.insertBatchTitle, { batch_id, title: '十月', month })
const getCounts = async (clerk: Caller, batch_id: string) => (await clerk.must(wage.checkWageData, { batch_id })).counts
const getQuestion = async (clerk: Caller, batch_id: string, id: string) =>
  (await clerk.must(wage.getTitleInfo, { batch_id })).questions.find((one) => one.id === id)

describe('answer "there is no net pay"', () => {
  const items = (staff: readonly { name: string; mobile: string | null }[], more = 0) =>
    book(
      ['姓名', '手机号', '全勤奖', '餐补', '迟到扣款'],
      staff.map(({ name, mobile }, at) => [name, mobile, 200 + at, 300, 50 + more]),
    )

  it('continues without net pay, and shows only the items on the payslip', async () => {
    const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
    const { batch_id, questions } = await getUpload(clerk, items(staff))
    expect(questions.find(({ id }) => id === 'net')).toMatchObject({ must: true, answer: null })
    expect(questions.find(({ id }) => id === 'net')?.choices.at(-1)).toEqual({ value: 'none', label: '表中没有实发' })
    await titled(clerk, batch_id)
    expect(await clerk.call(send.sendPaySheet, { batch_id })).toMatchObject({ code: 100409 })
    expect(await answer(clerk, batch_id, 'net', 'none')).toMatchObject({ ok: true, open_question_count: 0, missing: [] })
    // No values are reported as missing in a column that does not exist.
    expect(await getCounts(clerk, batch_id)).toMatchObject({ status: 'checked', errors: 0, kinds: [], totals: { net_fen: null } })

    const preview = await clerk.must(wage.getPreview, { batch_id, row: 2 })
    expect(preview.net).toBeNull()
    expect(preview.groups.flatMap(({ cells }) => cells.map(({ label }) => label))).toEqual(['全勤奖', '餐补', '迟到扣款'])
    const { plan_id } = await clerk.must(send.sendPaySheet, { batch_id })
    await clerk.must(send.doSend, { plan_id, looked: true })
    await world.product.jobs.drain()
    const [first] = staff
    if (!first) throw new Error('nobody was founded')
    const own = await world.signIn(first)
    const { list } = await own.must(employee.getSlipList, {})
    expect(list).toMatchObject([{ net_fen: null, locked: false, status: 'sent' }])
    expect((await own.must(employee.getSlip, { slip_id: list[0]?.slip_id ?? '' })).slip.net).toBeNull()
  })

  it('remembers the answer "there is no net pay" for the next wage sheet of this kind, and can undo it', async () => {
    const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
    const first = await getUpload(clerk, items(staff))
    await answer(clerk, first.batch_id, 'net', 'none')
    const next = await getUpload(clerk, items(staff, 5))
    expect(next.questions.find(({ id }) => id === 'net')?.answer).toBe('none')
    expect(await answer(clerk, next.batch_id, 'net', '')).toMatchObject({ ok: false, open_question_count: 1, missing: ['net'] })
    // After a net column was selected and deselected, the former choice gets its recognized role back.
    expect(await answer(clerk, next.batch_id, 'net', 'net:c3')).toMatchObject({ ok: true })
    expect(await answer(clerk, next.batch_id, 'net', 'none')).toMatchObject({ ok: true })
    const { columns } = await clerk.must(wage.getTitleInfo, { batch_id: next.batch_id })
    expect(columns.map(({ role }) => role)).toEqual(['name', 'mobile', 'earning', 'earning', 'deduction'])
  })

  it('drops the answer "there is no net pay" when a user sets a column as net pay', async () => {
    const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
    const { batch_id } = await getUpload(clerk, items(staff))
    await answer(clerk, batch_id, 'net', 'none')
    await clerk.must(wage.checkRequireColumnData, { batch_id, columns: [{ key: 'c2', role: 'net' }] })
    expect(await getQuestion(clerk, batch_id, 'net')).toMatchObject({ answer: 'net:c2' })
    await titled(clerk, batch_id)
    expect(await getCounts(clerk, batch_id)).toMatchObject({ status: 'checked', totals: { net_fen: 60_300 } })
  })

  it('allows the answer "there is no net pay" if the only total was recognized as net pay, and if no column qualifies', async () => {
    const { clerk, staff } = await openOffice(world, ['赵一', '钱二', '孙三'])
    const sum = await getUpload(
      clerk,
      book(
        ['姓名', '底薪', '总计'],
        staff.map(({ name }, at) => [name, 1000 + at, 5000 + 7 * at]),
      ),
    )
    expect(await answer(clerk, sum.batch_id, 'role:c2', 'none')).toMatchObject({ ok: true, missing: [] })
    const accepted = await getUpload(
      clerk,
      book(
        ['姓名', '迟到扣款', '个人所得税'],
        staff.map(({ name }, at) => [name, 10 + at, 5 + at]),
      ),
    )
    expect(await getQuestion(clerk, accepted.batch_id, 'net')).toMatchObject({
      message: '没有「实发」列，也没有可以当作实发的金额，照样发这张表吗？',
      choices: [{ value: 'none' }],
    })
    expect(await answer(clerk, accepted.batch_id, 'net', 'none')).toMatchObject({ ok: true, missing: [] })
  })
})

describe('answer "this is no wage sheet"', () => {
  const fees = [
    ['姓名', '金额', '份数'],
    ['赵一', 50, 5],
    ['钱二', 60, 6],
    ['孙三', 70, 7],
  ]
  const two = makeXlsx({
    sheets: [
      { name: '收费', rows: fees },
      {
        name: '八月收费',
        rows: fees.map((cells, at) => (at === 0 ? cells : [cells[0] ?? '', Number(cells[1]) + 1, Number(cells[2])])),
      },
    ],
  })
  const wages = async () => {
    const { clerk } = await openOffice(world, ['赵一', '钱二', '孙三'])
    const info = await getUpload(clerk, two)
    await titled(clerk, info.batch_id)
    for (const { id, must, suggested, kind } of info.questions)
      if (must && kind !== 'about_pay') await answer(clerk, info.batch_id, id, suggested)
    return { clerk, info, batch_id: info.batch_id }
  }

  it('prevents sending with a reason and a remedy until the answer "this is no wage sheet" is changed', async () => {
    const { clerk, batch_id } = await wages()
    expect(await answer(clerk, batch_id, 'about_pay', 'no')).toMatchObject({ ok: false, open_question_count: 0, missing: [] })
    expect((await getCounts(clerk, batch_id)).status).toBe('draft')
    const refused = await clerk.call(send.sendPaySheet, { batch_id })
    expect([refused.code, refused.message]).toEqual([
      100409,
      '这张表已标为不是工资表，不会发送；请换一个工作表或重新上传，弄错了就改回答',
    ])
    expect(await answer(clerk, batch_id, 'about_pay', 'yes')).toMatchObject({ ok: true, open_question_count: 0 })
    expect((await getCounts(clerk, batch_id)).status).toBe('checked')
  })

  it('does not apply the answer "this is no wage sheet" to another sheet of the file nor to the next file', async () => {
    const { clerk, batch_id } = await wages()
    await answer(clerk, batch_id, 'about_pay', 'no')
    const other = await clerk.must(wage.uploadWageExcel, { batch_id, sheet: '八月收费' })
    expect(other.questions.find(({ id }) => id === 'about_pay')).toMatchObject({ answer: null })
    expect((await getUpload(clerk, two)).questions.find(({ id }) => id === 'about_pay')).toMatchObject({ answer: null })
  })

  it('remembers the answer that it is a wage sheet', async () => {
    const { clerk, batch_id } = await wages()
    await answer(clerk, batch_id, 'about_pay', 'yes')
    expect((await getUpload(clerk, two)).questions.find(({ id }) => id === 'about_pay')).toMatchObject({ answer: 'yes' })
  })
})
