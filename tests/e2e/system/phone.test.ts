/** An employee's phone: payslips stay current, announce when they close, and survive a lost network. */

import { beforeAll, describe, expect, it } from 'vitest'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { uploadFile } from '../../../server/contract/files/files.ts'
import { confirmSlip, feedbackSlip, getCurrentEmployee, getSlipStatus } from '../../../server/contract/payslips/employee.ts'
import { handleFeedback } from '../../../server/contract/payslips/feedback.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { checkRequireColumnData, insertBatchTitle, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import { toShortCode } from '../../../server/rules/short-ids.ts'
import type { HttpCaller } from '../../support/callers/http.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { examine, mustFit, picture } from '../../support/journey/browser.ts'
import { composing, password, pendingResponse, until, useJourney } from '../../support/journey/journey.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'
const employee = '，员工'
const narrow = { width: 360 }
const head = ['姓名', '手机号', '项目奖金', '应发合计', '代扣水电', '扣款合计', '实发金额']
let clerk: HttpCaller
let name = ''
let mobile = ''
beforeAll(async () => {
  clerk = await journey.caller(payroll)
  name = (await (await journey.caller(employee)).must(getCurrentEmployee, {})).name
  mobile = journey.getPhone(employee)
})

type Rules = { confirm?: boolean; burn_after_minutes?: number }
/** Sends the employee an unopened payslip, from a wage sheet with two colleagues. */
async function paid(title: string, rules: Rules): Promise<{ slip_id: string; batch_id: string; keys: Map<string, string> }> {
  const others = (await clerk.must(getMemberList, { status: 'active', pagesize: 20 })).list
    .filter((one) => one.NAME !== name)
    .slice(0, 2)
  const rows = [{ NAME: name, MOBILE: mobile }, ...others].map((one, at) => [
    one.NAME,
    one.MOBILE,
    3000 + at * 11,
    3000 + at * 11,
    200,
    200,
    2800 + at * 11,
  ])
  const bytes = makeXlsx({ sheets: [{ name: '奖金', rows: [head, ...rows] }] })
  const { batch_id, columns } = await clerk.must(uploadWageExcel, {}, { name: `${title}.xlsx`, bytes })
  await clerk.must(insertBatchTitle, { batch_id, title, month: '2026-11', kind: 'other' })
  await clerk.must(checkRequireColumnData, { batch_id, columns: [] })
  const { plan_id } = await clerk.must(slip.sendPaySheet, { batch_id, channels: ['link'], rules })
  await clerk.must(slip.doSend, { plan_id, looked: true })
  const getOwn = async () => (await clerk.must(slip.getWageDetail, { batch_id, name, pagesize: 5 })).list[0]
  await until(async () => (await getOwn())?.status).toBe('sent')
  return { slip_id: (await getOwn())?.salary_id ?? '', batch_id, keys: new Map(columns.map(({ key, label }) => [label, key])) }
}

describe('open payslip', () => {
  it('reports a correction and its changes automatically, and does not let the user confirm the older version', async () => {
    const { slip_id, keys } = await paid('现场奖一', { confirm: true })
    const page = await journey.enter(employee, narrow, `/m/slip/${slip_id}`)
    await page.locator('.slip-sums', { hasText: /应发 3,000.00\s+− 扣款 200.00\s+= 实发金额 2,800.00/ }).waitFor()
    // The summary is one line within its card, not a second net pay.
    const [line, card] = [await page.locator('.slip-sums').boundingBox(), await page.locator('.slip-net').boundingBox()]
    expect((line?.height ?? 99) < 60 && (card?.height ?? 999) < 190).toBe(true)
    await examine(page, 'phone-1-slip-360')
    await mustFit(page)
    await page.getByRole('button', { name: '确认', exact: true }).click()
    await page.getByRole('dialog').getByText('2,800.00').waitFor()
    const cells = [
      { key: keys.get('项目奖金') ?? '', value: '3100' },
      { key: keys.get('应发合计') ?? '', value: '3100' },
      { key: keys.get('实发金额') ?? '', value: '2900' },
    ]
    await clerk.must(slip.editSalaryDetail, { salary_id: slip_id, cells, reason: '补 100 元' })
    const notified = page.getByRole('alert').filter({ hasText: '公司刚刚更正了这张工资条' })
    await notified.getByText('实发金额：2,800.00 → 2,900.00').waitFor()
    // The version about to be confirmed is no longer current.
    await until(() => page.getByRole('dialog').count()).toBe(0)
    await examine(page, 'phone-2-corrected-360')
    await mustFit(page)
    await page.getByRole('button', { name: '确认', exact: true }).click()
    await page.getByRole('button', { name: '确认工资条' }).click()
    await page.getByText('回执编号').waitFor()
  })

  it('reports a withdrawal automatically, hides all content and leaves a note in the list', async () => {
    const { slip_id } = await paid('现场奖二', {})
    const page = await journey.enter(employee, narrow, '/m/slips')
    await page.getByRole('link', { name: /现场奖二/ }).click()
    await page.locator('.slip-sums').waitFor()
    await clerk.must(slip.withdrawSingleSalary, { salary_id: slip_id })
    await page.getByText('公司已撤回这张工资条').waitFor()
    expect(await page.getByText('2,800.00').count()).toBe(0)
    expect(page.toasts).toEqual([])
    await examine(page, 'phone-3-withdrawn-360')
    // The page's button works like the phone's back button: one step back, to the list.
    await page.getByRole('link', { name: '返回' }).click()
    await page.getByText(/公司已于 .* 撤回/).waitFor()
    // Screen readers announce the new page.
    await until(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    expect(await page.evaluate(() => history.length)).toBeGreaterThan(0)
    await examine(page, 'phone-4-list-360')
    await mustFit(page)
  })

  it('keeps an open payslip without a network, reports that nothing was confirmed, and confirms it when the network is back', async () => {
    const { slip_id } = await paid('现场奖三', { confirm: true })
    const page = await journey.enter(employee, narrow, `/m/slip/${slip_id}`)
    await page.locator('.slip-sums').waitFor()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: '确认', exact: true }).click()
    const really = page.getByRole('button', { name: '确认工资条' })
    const cannot = page.getByText('网络断开，没有打开')
    // The dialog may have loaded before the network was lost; if not, the page reports that it cannot open it.
    await really.or(cannot).first().waitFor()
    if (await really.isVisible()) {
      await really.click()
      await page.getByText('网络不通，还没有确认').waitFor()
    }
    await picture(page, 'phone-5-offline-360')
    await until(() => page.locator('.slip-sums').count()).toBe(1)
    await page.context().setOffline(false)
    // The browser's messages about a lost network are not errors of the page.
    page.complaints.length = 0
    if (!(await really.isVisible())) await page.getByRole('button', { name: '重试' }).click()
    await really.click()
    await page.getByText('回执编号').waitFor()
    page.complaints.length = 0
  })

  it('keeps typed text and the picture while the picture uploads', async () => {
    const { slip_id } = await paid('现场奖六', {})
    const page = await journey.enter(employee, narrow, `/m/feedback/${slip_id}`)
    const text = page.getByLabel('反馈内容')
    await text.fill('少了')
    const answer = await pendingResponse(page, uploadFile)
    const buffer = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    await page.locator('input[type=file]').setInputFiles({ name: '考勤.png', mimeType: 'image/png', buffer })
    await text.fill('少了 500 元补贴')
    answer()
    await page.getByRole('button', { name: '移除图片 1' }).waitFor()
    expect(await text.inputValue()).toBe('少了 500 元补贴')
    await page.getByRole('button', { name: '发送', exact: true }).click()
    await page.getByRole('button', { name: '放大图片 1' }).waitFor()
    expect(await text.inputValue()).toBe('')
  })

  it('writes several lines, and keeps the draft while the employee looks at the payslip', async () => {
    const { slip_id } = await paid('现场奖十', {})
    const page = await journey.enter(employee, { ...narrow, touch: true }, `/m/slip/${slip_id}`)
    await page.getByRole('link', { name: '有疑问' }).click()
    const text = page.getByLabel('反馈内容')
    await text.fill('少了两天')
    await text.press('Enter')
    await text.pressSequentially('夜班补贴')
    await page.getByRole('link', { name: '返回' }).click()
    await page.locator('.slip-sums').waitFor()
    await page.getByRole('link', { name: '有疑问' }).click()
    expect(await text.inputValue()).toBe('少了两天\n夜班补贴')
    await examine(page, 'phone-9-draft-360')
    await page.getByRole('button', { name: '发送', exact: true }).click()
    const messages = page.getByRole('list', { name: '对话' }).getByRole('listitem')
    await messages.filter({ hasText: '夜班补贴' }).waitFor()
    expect([await messages.count(), await text.inputValue()]).toEqual([1, ''])
  })

  it('sends the text with Enter, except during composition', async () => {
    const { slip_id } = await paid('现场奖七', {})
    const page = await journey.enter(employee, narrow, `/m/feedback/${slip_id}`)
    const text = page.getByLabel('反馈内容')
    await text.focus()
    const write = await composing(page, 'shao le')
    await write('少了 300 元')
    expect(await text.inputValue()).toBe('少了 300 元')
    await text.press('Enter')
    const messages = page.getByRole('list', { name: '对话' }).getByRole('listitem')
    await messages.filter({ hasText: '少了 300 元' }).waitFor()
    expect(await messages.count()).toBe(1)
  })

  it('keeps what is typed while a message is on its way, and puts back a message that was lost', async () => {
    const { slip_id } = await paid('现场奖八', {})
    const page = await journey.enter(employee, narrow, `/m/feedback/${slip_id}`)
    const text = page.getByLabel('反馈内容')
    const messages = page.getByRole('list', { name: '对话' }).getByRole('listitem')
    await text.fill('第一句')
    const answer = await pendingResponse(page, feedbackSlip)
    await text.press('Enter')
    await text.fill('第二句还没发')
    answer()
    await messages.filter({ hasText: '第一句' }).waitFor()
    expect(await text.inputValue()).toBe('第二句还没发')
    await page.route(`**${feedbackSlip.path}`, (route) => route.abort())
    await text.press('Enter')
    await until(() => page.toasts.some((one) => one.includes('网络异常'))).toBe(true)
    await until(() => text.inputValue()).toBe('第二句还没发')
    await page.unroute(`**${feedbackSlip.path}`)
    await text.press('Enter')
    await messages.filter({ hasText: '第二句还没发' }).waitFor()
    expect(await messages.count()).toBe(2)
    page.complaints.length = 0
  })

  it('opens the answered thread from an SMS, after signing in as well', async () => {
    const { slip_id, keys } = await paid('现场奖九', {})
    const column_key = keys.get('代扣水电') ?? ''
    const own = await journey.caller(employee)
    const { id } = await own.must(feedbackSlip, { slip_id, column_key, content: '水电多扣了' })
    await clerk.must(handleFeedback, { id, action: 'reply', content: '下月退还' })
    const page = await journey.open(undefined, { fresh: true, ...narrow })
    await page.goto(`${journey.address}/s/${toShortCode(slip_id, { isFeedback: true })}`)
    // The SMS was sent to the phone, so the sign-in page asks for a code; a password is possible too.
    await page.getByRole('tab', { name: '验证码登录', selected: true }).waitFor()
    await page.getByRole('tab', { name: '密码登录' }).click()
    await page.getByLabel('手机号', { exact: true }).fill(mobile)
    await page.getByLabel('密码', { exact: true }).fill(password)
    await page.getByRole('button', { name: '登录', exact: true }).click()
    await page.getByText('下月退还').waitFor()
    expect(await page.getByLabel('问哪一项').inputValue()).toBe(column_key)
    // Another question can still be asked.
    await page.getByLabel('问哪一项').selectOption('')
    await page.getByText('哪一项不对？').waitFor()
    await page.getByLabel('反馈内容').fill('还有奖金')
    await page.getByRole('button', { name: '发送', exact: true }).click()
    await page.getByRole('list', { name: '对话' }).getByText('还有奖金').waitFor()
  })

  it('reloads after a server error', async () => {
    const { slip_id } = await paid('现场奖四', { confirm: true })
    const page = await journey.enter(employee, narrow, `/m/slip/${slip_id}`)
    await page.locator('.slip-sums').waitFor()
    // Polling gets no response this time, so the error alone must trigger the reload.
    await page.route(`**${getSlipStatus.path}`, () => undefined)
    await page.getByRole('button', { name: '确认', exact: true }).click()
    await page.getByRole('button', { name: '确认工资条' }).waitFor()
    // The employee has confirmed it on another phone in the meantime.
    await (await journey.caller(employee)).must(confirmSlip, { slip_id, version: 1 })
    await page.getByRole('button', { name: '确认工资条' }).click()
    await page.getByText('回执编号').waitFor()
    await until(() => page.getByRole('dialog').count()).toBe(0)
  })
})

describe('a payslip that closes after its first view', () => {
  it('announces the closing time in the list and before the payslip opens, and counts down', async () => {
    const { slip_id, batch_id } = await paid('现场奖五', { burn_after_minutes: 30, confirm: true })
    const page = await journey.enter(employee, narrow, '/m/slips')
    await page.getByRole('link', { name: /现场奖五.*打开后 30 分钟关闭/ }).click()
    await page.getByRole('heading', { name: '打开后 30 分钟关闭' }).waitFor()
    expect((await clerk.must(slip.getWageDetail, { batch_id, name, pagesize: 5 })).list[0]?.status).toBe('sent')
    await examine(page, 'phone-6-before-360')
    await mustFit(page)
    await page.getByRole('button', { name: '现在打开' }).click()
    await page.locator('.slip-sums').waitFor()
    const countdown = page.getByText(/还剩 \d+ 分 \d\d 秒，之后按公司设置关闭/)
    await countdown.waitFor()
    // In view without scrolling, above the buttons.
    const [line, buttons] = [await countdown.boundingBox(), await page.locator('footer').boundingBox()]
    expect((line?.y ?? 0) + (line?.height ?? 0)).toBeLessThanOrEqual((buttons?.y ?? 0) + 1)
    expect(line?.y ?? 0).toBeGreaterThan((page.viewportSize()?.height ?? 0) / 2)
    await examine(page, 'phone-7-countdown-360')
    expect(new URL(page.url()).pathname).toBe(`/m/slip/${slip_id}`)
  })
})

it('opens the list from the address in brief messages', async () => {
  const page = await journey.enter(employee, narrow, '/m')
  await page.waitForURL('**/m/slips')
  await page.getByText(/共 \d+ 张工资条/).waitFor()
})
