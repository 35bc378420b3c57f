/** Employees on several rows: one question in 核对, answered for all of them, and one payslip in sections on a phone. */
import { expect, it } from 'vitest'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { checkRequireColumnData, insertBatchTitle, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { dayAtDesk, dress, examine, mustFit, nightAtDesk } from '../../support/journey/browser.ts'
import { settle, until, useJourney } from '../../support/journey/journey.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'
const employee = '，员工'
let batch_id = ''
let name = ''

it('asks once about all employees with several rows, and combines them with one click', async () => {
  const clerk = await journey.caller(payroll)
  const people = (await clerk.must(getMemberList, { status: 'active', pagesize: 50 })).list
  const mobile = journey.getPhone(employee)
  const me = people.find((one) => one.MOBILE === mobile)
  name = me?.NAME ?? ''
  const all = [...(me ? [me] : []), ...people.filter((one) => one !== me).slice(0, 4)]
  const line = (at: number, post: string, pay: number, extra: number, off: number, tax: number) => [
    all[at]?.NAME ?? '',
    all[at]?.MOBILE ?? '',
    post,
    pay,
    extra,
    off,
    tax,
    pay + extra - off - tax,
  ]
  const rows = [
    line(0, '门店主管', 8600, 500, 903, 86.4),
    line(0, '内训讲师', 1800, 0, 0, 0),
    line(1, '收银员', 5200, 300, 546, 0),
    line(1, '仓库管理员', 900, 0, 0, 0),
    line(2, '收银员', 5100, 200, 535.5, 0),
    line(3, '收银员', 5150, 260, 540.75, 0),
    line(4, '收银员', 5300, 320, 556.5, 0),
    line(4, '夜班安全员', 1200, 80, 0, 0),
  ]
  const head = ['姓名', '手机号', '岗位', '基本工资', '加班费', '社保', '个税', '实发工资']
  const bytes = makeXlsx({ sheets: [{ name: '工资', rows: [head, ...rows] }] })
  batch_id = (await clerk.must(uploadWageExcel, {}, { name: '两个岗位.xlsx', bytes })).batch_id
  await clerk.must(insertBatchTitle, { batch_id, title: '十一月工资（两个岗位）', month: '2026-11', kind: 'bonus' })
  await clerk.must(checkRequireColumnData, { batch_id, columns: [] })

  const page = await journey.enter(payroll, {}, `/check?batch_id=${batch_id}&kind=several_rows`)
  await page.getByRole('heading', { name: /^一个人有多行/ }).waitFor()
  for (const view of [...dayAtDesk, ...nightAtDesk]) {
    await dress(page, view)
    await settle(page)
    await examine(page, `31-several-rows-${view.width}-${view.scheme}`)
    await mustFit(page)
  }
  await dress(page, {})
  await page.getByRole('button', { name: '3 人都合成一张工资条' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '合成 3 人的工资条' }).click()
  await page.getByText('已合成 3 人的工资条').click()
  await page.getByRole('button', { name: `分开${name}的各行` }).waitFor()
  await examine(page, '31-several-rows-combined')
  expect(await page.locator('[data-problem]').filter({ hasText: '是同一个人' }).count()).toBe(0)
})

it('shows the employee one payslip in sections', async () => {
  const clerk = await journey.caller(payroll)
  const { plan_id } = await clerk.must(slip.sendPaySheet, { batch_id, channels: ['link'], rules: { confirm: true } })
  await clerk.must(slip.doSend, { plan_id, looked: true })
  const getOwn = async () => (await clerk.must(slip.getWageDetail, { batch_id, name, pagesize: 5 })).list[0]
  await until(async () => (await getOwn())?.status).toBe('sent')
  const page = await journey.enter(employee, { width: 360 }, `/m/slip/${(await getOwn())?.salary_id}`)
  await page.getByText('门店主管 · 应发').waitFor()
  const visible = page.getByRole('button', { name: '显示金额' })
  if (await visible.count()) await visible.first().click()
  await page.getByText('内训讲师 · 应发').waitFor()
  for (const view of [...dayAtDesk, ...nightAtDesk]) {
    await dress(page, view)
    await settle(page)
    await examine(page, `31-payslip-sections-${view.width}-${view.scheme}`)
    await mustFit(page)
  }
  expect(await page.locator('.slip-net').textContent()).toContain('9,910.60')
})
