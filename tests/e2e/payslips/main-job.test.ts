/**
 * The main job: a wage sheet with a title row, a merged two-row header and a total row is uploaded, checked, laid out
 * and sent to 24 employees; one of them reads and confirms on a narrow phone; the administrator sees it and withdraws;
 * the employee can no longer open it. Every step leaves a picture in tests/e2e/shots.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { formatFen } from '../../../server/contract/shared/money.ts'
import { lastCode } from '../../support/callers/http.ts'
import { type DemoPerson, demoNetFen, demoWageSheet } from '../../support/files/demo-sheet.ts'
import { examine, mustFit, picture, type Tab } from '../../support/journey/browser.ts'
import { desk, signInAtDesk, toasted, until, useJourney, visitNode } from '../../support/journey/journey.ts'
import { getLastPay } from '../../support/journey/last-pay.ts'

const journey = useJourney()
const count = 24
let admin: Tab
let people: DemoPerson[]
let slipAddress = ''
const reader = 7
const run = '2026年11月全员工资'
const getNet = (at: number) => demoNetFen(at, 0, people[at]?.terms)

beforeAll(async () => {
  const caller = await journey.caller('薪酬管理员（全公司）')
  const { list } = await caller.must(getMemberList, { status: 'active', pagesize: 60 })
  // Employees have unique names and about last month's pay: in this journey nothing is wrong.
  const pay = await getLastPay(caller)
  people = list
    .flatMap((one): DemoPerson[] => {
      const last = pay.get(one.NAME)
      const terms = last && { base: last.基本工资 ?? 0, post: last.岗位工资 ?? 0, performance: last.绩效工资 ?? 0 }
      const department = one.DEPARTMENTS[0]?.NAME ?? ''
      return terms ? [{ name: one.NAME, mobile: one.MOBILE, employee_no: one.EMPLOYEE_NO, department, terms }] : []
    })
    .slice(0, count)
  admin = await journey.open(desk)
})
describe('administrator on desktop', () => {
  it('signs in and lands on the home page', async () => {
    await examine(admin, '01-login')
    await signInAtDesk(admin, journey.getPhone('薪酬管理员（全公司）'))
    await admin.waitForURL('**/home')
    await admin.getByText('本月批次').waitFor()
    await examine(admin, '02-home')
  })

  it('drops a wage sheet, which is recognized and shown', async () => {
    await admin.getByRole('link', { name: '发工资条' }).first().click()
    await admin.waitForURL('**/wageSend1')
    await picture(admin, '03-upload')
    await admin.locator('input[type=file]').setInputFiles({
      name: '2026年11月工资表.xlsx',
      mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      buffer: demoWageSheet(people, { title: '云杉科技2026年11月工资表' }),
    })
    await admin.getByText(`识别到 ${count} 人`).waitFor()
    await admin.getByRole('textbox', { name: '标题' }).fill(run)
    await examine(admin, '04-understood')
    await mustFit(admin)
    await admin.getByRole('button', { name: `核对 ${count} 人` }).click()
  })

  it('checks a wage sheet without issues', async () => {
    await admin.waitForURL('**/check?**')
    const next = admin.getByRole('button', { name: `排版 ${count} 人的工资条` })
    await next.waitFor()
    await examine(admin, '05-checked')
    await next.click()
    // Some amounts may differ a lot from last month, which leads to a warning that asks and does not block.
    const requested = admin.getByRole('button', { name: `仍然排版 ${count} 人` })
    await Promise.race([admin.waitForURL('**/wageSend2?**'), requested.waitFor()])
    if (await requested.isVisible()) await requested.click()
  })

  it('edits the layout with the phone preview next to it', async () => {
    await admin.waitForURL('**/wageSend2?**')
    await admin.getByText('实发工资').first().waitFor()
    await admin.getByText('¥').first().waitFor()
    await examine(admin, '06-arrange')
    await admin
      .getByRole('button', { name: /^发送|下一步|发给/ })
      .last()
      .click()
  })

  it('creates a plan, confirms it and sends', async () => {
    await admin.waitForURL('**/wageSend3?**')
    // The plan appears automatically.
    await admin.getByRole('region', { name: '发送计划' }).getByText('接收人数').waitFor()
    const send = admin.getByRole('button', { name: `发送 ${count} 人`, exact: true })
    await send.waitFor()
    await examine(admin, '07-plan')
    await send.click()
    const dialog = admin.getByRole('dialog')
    await dialog.waitFor()
    await picture(admin, '08-ask')
    // Last month confirms all of them, so no payslip has to be reviewed first.
    expect(await dialog.getByRole('checkbox', { name: '我看过了' }).count()).toBe(0)
    await dialog.getByRole('button', { name: `发送 ${count} 人` }).click()
    await admin.waitForURL('**/SendSucc?**')
    await admin.getByText(`未查看 ${count}`).waitFor()
    await admin.getByText('正在发送').waitFor({ state: 'detached' })
    await examine(admin, '09-sent')
  })

  it('notifies each employee once, without amounts', async () => {
    const batch_id = new URL(admin.url()).searchParams.get('batch_id') ?? ''
    await until(async () => (await journey.getSent(batch_id)).length).toBe(count)
    const messages = await journey.getSent(batch_id)
    expect(new Set(messages.map((one) => one.delivery_id)).size).toBe(count)
    // The kind of pay is not shown to others who see the phone: the message has the month but not the title.
    expect(messages.filter((one) => !one.text.includes('2026年11月工资') || one.text.includes(run))).toEqual([])
    for (let at = 0; at < count; at += 1) {
      const net = formatFen(getNet(at))
      expect(messages.some((one) => one.text.includes(net) || one.text.includes(net.replaceAll(',', '')))).toBe(false)
    }
  })
})

describe('employee on a phone of 360 px', () => {
  let phone: Tab
  beforeAll(async () => {
    phone = await journey.open(undefined, { width: 360 })
  })

  it('signs in by code', async () => {
    const { mobile } = people[reader] ?? { mobile: '' }
    await phone.goto('/m/login')
    await phone.getByRole('tab', { name: /验证码/ }).click()
    await phone.getByLabel('手机号').fill(mobile)
    await examine(phone, '10-phone-login')
    await phone.getByRole('button', { name: /获取验证码|发送验证码/ }).click()
    // The code may arrive before the page knows what it requested.
    await phone.getByRole('button', { name: /秒后重发/ }).waitFor()
    await phone
      .getByLabel(/验证码/)
      .last()
      .fill(await lastCode(journey.address, mobile))
    // A complete code submits itself.
    await phone.waitForURL('**/m/slips')
    await phone.getByText(run).waitFor()
    await examine(phone, '11-slips')
    await mustFit(phone)
  })

  it('opens the payslip with net pay to the fen and groups below', async () => {
    await phone.getByText(run).click()
    await phone.waitForURL('**/m/slip/*')
    slipAddress = new URL(phone.url()).pathname
    await phone
      .getByText(formatFen(getNet(reader)))
      .first()
      .waitFor()
    await examine(phone, '12-slip')
    await mustFit(phone)
  })

  it('confirms the payslip and gets a receipt', async () => {
    await phone.getByRole('button', { name: '确认', exact: true }).click()
    await phone.getByRole('button', { name: '确认工资条' }).waitFor()
    await picture(phone, '13-confirm')
    await phone.getByRole('button', { name: '确认工资条' }).click()
    await phone.getByText('回执编号').waitFor()
    // The receipt is below; the title shows the confirmation without scrolling.
    await phone.locator('.slip-head').getByText('已确认').waitFor()
    await picture(phone, '14-confirmed')
  })

  it('cannot open the payslip after the withdrawal: neither in the open page, nor from the list, nor by the address', async () => {
    await visitNode(admin, '/wageAdmin')
    await admin.getByRole('link', { name: run }).first().click()
    await admin.waitForURL('**/wageDetail?**')
    const row = admin.getByRole('row').filter({ hasText: people[reader]?.name ?? '' })
    await row.getByText('已确认').waitFor()
    await examine(admin, '15-detail')
    await mustFit(admin)
    await admin.getByRole('button', { name: '撤回全部' }).click()
    // Nothing is withdrawn without a reason.
    await admin.getByRole('button', { name: `撤回 ${count} 人` }).click()
    await admin.getByText('请填写撤回原因，会记入日志').waitFor()
    await row.getByText('已确认').waitFor()
    await admin.getByLabel('撤回原因').fill('绩效算错，重新发放')
    await picture(admin, '16-withdraw')
    await admin.getByRole('button', { name: `撤回 ${count} 人` }).click()
    await toasted(admin, `已撤回 ${count} 人的工资条`)
    await picture(admin, '17-withdrawn')

    await phone.reload()
    await phone.getByText('这张工资条已被撤回或不存在').waitFor()
    await picture(phone, '18-gone')
    expect(await phone.content()).not.toContain(formatFen(getNet(reader)))
    await visitNode(phone, '/m/slips')
    await phone.getByText('2026年10月工资').waitFor()
    // A note remains, without an amount and with nothing to open.
    const note = phone.locator('.m-slip-row').filter({ hasText: run })
    await until(() => note.innerText()).toMatch(/撤回/)
    expect([await note.getByRole('link').count(), /[¥\d],?\d{3}\./.test(await note.innerText())]).toEqual([0, false])
    await phone.goto(slipAddress)
    await phone.getByText('这张工资条已被撤回或不存在').waitFor()
  })
})
