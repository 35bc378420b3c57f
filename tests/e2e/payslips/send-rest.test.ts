/** Sends a part of a wage sheet at the desk, and the rest from the batch: the figures at each step, and the clicks it takes. */
import { beforeAll, expect, it } from 'vitest'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { getSendInfo } from '../../../server/contract/payslips/send.ts'
import { setSendRule } from '../../../server/contract/payslips/send-plan.ts'
import { insertBatchTitle, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import type { HttpCaller } from '../../support/callers/http.ts'
import { type DemoPerson, demoWageSheet } from '../../support/files/demo-sheet.ts'
import { dress, examine, mustFit, type Tab } from '../../support/journey/browser.ts'
import { until, useJourney } from '../../support/journey/journey.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'
let caller: HttpCaller
let page: Tab
let batch_id: string
let clicks = 0

beforeAll(async () => {
  caller = await journey.caller(payroll)
  await caller.must(setSendRule, { undo_seconds: 0 })
  const { list } = await caller.must(getMemberList, { status: 'active', pagesize: 60 })
  const people = [...new Map(list.map((one) => [one.NAME, one])).values()].slice(0, 6).map(
    (one): DemoPerson => ({
      name: one.NAME,
      mobile: one.MOBILE,
      employee_no: one.EMPLOYEE_NO,
      department: one.DEPARTMENTS[0]?.NAME ?? '',
      terms: { base: 350_000, post: 50_000, performance: 30_000 },
    }),
  )
  const bytes = demoWageSheet(people, { title: '2027年05月工资表' })
  ;({ batch_id } = await caller.must(uploadWageExcel, {}, { name: '五月.xlsx', bytes }))
  await caller.must(insertBatchTitle, { batch_id, title: '分两次发的一批', month: '2027-05', kind: 'monthly' })
  page = await journey.enter(payroll, {}, '/home')
})
const press = async (name: string | RegExp, where: Pick<Tab, 'getByRole'> = page) => {
  clicks += 1
  await where.getByRole('button', { name }).last().click()
}
async function view(name: string): Promise<void> {
  for (const width of [1440, 360])
    for (const scheme of ['light', 'dark'] as const) {
      await dress(page, { width, scheme })
      await examine(page, `${name}-${width}-${scheme}`)
      await mustFit(page)
    }
  await dress(page, {})
}
async function confirmSend(count: number): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: `发送 ${count} 人` }).waitFor()
  const looked = dialog.getByRole('checkbox')
  if (await looked.isVisible()) {
    clicks += 1
    await looked.check()
  }
  await press(`发送 ${count} 人`, dialog)
  await page.waitForURL('**/SendSucc**')
}
const getUnsent = async () => (await caller.must(getSendInfo, { batch_id })).unsent

it('sends two of six, shows the four as unsent and sends them with three clicks more', async () => {
  await page.goto(`/wageSend3?batch_id=${batch_id}`)
  await page.getByRole('radio', { name: /只发给一部分人/ }).check()
  for (const row of [1, 2]) await page.getByRole('row').nth(row).getByRole('checkbox').check()
  await press('发送 2 人')
  await confirmSend(2)
  await page.getByText('还有 4 人未发送').waitFor()
  await view('rest-result')
  expect(await getUnsent()).toBe(4)
  await page.goto(`/wageDetail?batch_id=${batch_id}`)
  await page.getByRole('group', { name: '数字概览' }).getByText('未发送').waitFor()
  await page.getByText('共 6 人，已发送 2 人').waitFor()
  await view('rest-detail')
  clicks = 0
  await press('发给其余 4 人')
  await page.getByRole('radio', { name: '其余 4 人' }).waitFor()
  await view('rest-step-4')
  await press('发送 4 人')
  await confirmSend(4)
  await until(getUnsent).toBe(0)
  await until(async () => (await caller.must(getSendInfo, { batch_id })).sent).toBe(6)
  // The tick is asked for where no earlier month confirms the amounts.
  expect(clicks).toBeLessThanOrEqual(4)
})
