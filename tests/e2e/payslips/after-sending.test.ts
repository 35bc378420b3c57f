/**
 * Tests the time after the plan: a scheduled batch shows its time on every row and can be rescheduled; the amounts of a
 * correction add up; withdrawn payslips can be sent again.
 */
import type { Locator } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { doSend, getSendInfo, getWageDetail, sendPaySheet } from '../../../server/contract/payslips/send.ts'
import { setSendRule } from '../../../server/contract/payslips/send-plan.ts'
import { formatFen, parseFen } from '../../../server/contract/shared/money.ts'
import { insertBatchTitle, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import type { HttpCaller } from '../../support/callers/http.ts'
import { type DemoPerson, demoWageSheet } from '../../support/files/demo-sheet.ts'
import { dress, examine, mustFit, type Tab } from '../../support/journey/browser.ts'
import { toasted, until, useJourney, visitNode } from '../../support/journey/journey.ts'
import { smallTargets } from '../../support/journey/targets.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'
let caller: HttpCaller
let people: DemoPerson[]
let page: Tab

beforeAll(async () => {
  caller = await journey.caller(payroll)
  const { list } = await caller.must(getMemberList, { status: 'active', pagesize: 60 })
  people = [...new Map(list.map((one) => [one.NAME, one])).values()].slice(0, 6).map((one) => ({
    name: one.NAME,
    mobile: one.MOBILE,
    employee_no: one.EMPLOYEE_NO,
    department: one.DEPARTMENTS[0]?.NAME ?? '',
    terms: { base: 350_000, post: 50_000, performance: 30_000 },
  }))
  page = await journey.enter(payroll, {}, '/home')
})
/** Waits until a button is enabled. A disabled action shows its reason instead of turning grey. */
const mayPress = (button: Locator) => until(async () => (await button.getAttribute('aria-disabled')) ?? 'false').toBe('false')

async function planned(title: string, month: string, when?: string): Promise<string> {
  const bytes = demoWageSheet(people, { title: `${month.slice(0, 4)}年${Number(month.slice(5))}月工资表` })
  const { batch_id } = await caller.must(uploadWageExcel, {}, { name: `${title}.xlsx`, bytes })
  await caller.must(insertBatchTitle, { batch_id, title, month, kind: 'monthly' })
  const { plan_id } = await caller.must(sendPaySheet, { batch_id, channels: ['link'], ...(when ? { when } : {}) })
  await caller.must(doSend, { plan_id, looked: true })
  return batch_id
}
/** Takes pictures on a large and a small desktop and on a phone, light and dark. */
async function view(name: string): Promise<void> {
  for (const width of [1440, 1024, 360])
    for (const scheme of ['light', 'dark'] as const) {
      await dress(page, { width, scheme })
      await examine(page, `${name}-${width}-${scheme}`)
      await mustFit(page)
      if (width === 360) await until(() => smallTargets(page, '[role=dialog]')).toEqual([])
    }
  await dress(page, {})
}
const dialog = () => page.getByRole('dialog')

describe('scheduled batch', () => {
  let batch_id: string
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  beforeAll(async () => {
    batch_id = await planned('定时的一批', '2027-03', inDays(3))
  })

  it('shows the scheduled time on every row and in the list', async () => {
    await visitNode(page, `/wageDetail?batch_id=${batch_id}`)
    await page.getByRole('row').nth(1).waitFor()
    await until(() =>
      page
        .getByRole('row')
        .filter({ hasText: /定时 \d\d-\d\d \d\d:\d\d/ })
        .count(),
    ).toBe(people.length)
    expect(await page.getByText('发送中', { exact: true }).count()).toBe(0)
    await view('90-scheduled')
    // On a small desktop the net pay is visible without scrolling the table.
    await dress(page, { width: 1024 })
    const pay = await page.getByRole('columnheader', { name: '实发' }).boundingBox()
    const acts = await page.getByRole('columnheader').last().boundingBox()
    expect((pay?.x ?? 0) + (pay?.width ?? 1024)).toBeLessThanOrEqual((acts?.x ?? 0) + 1)
    await dress(page, {})
    await visitNode(page, '/wageAdmin')
    await page
      .getByRole('row')
      .filter({ hasText: '定时的一批' })
      .getByText(/定时 \d\d-\d\d/)
      .waitFor()
  })

  it('reschedules a batch', async () => {
    await visitNode(page, `/wageDetail?batch_id=${batch_id}`)
    await page.getByRole('button', { name: '改时间' }).click()
    const field = dialog().getByRole('textbox', { name: /发送时间/ })
    await field.fill('2027-01-20 08:30')
    await field.press('Enter')
    await examine(page, '91-other-time')
    await dialog().getByRole('button', { name: '改到 2027-01-20 08:30' }).click()
    await toasted(page, '已改到 2027-01-20 08:30 发送')
    await until(() => page.getByRole('row').filter({ hasText: '定时 01-20 08:30' }).count()).toBe(people.length)
  })

  it('restores all selected options when a schedule is undone', async () => {
    await page.getByRole('button', { name: '取消定时' }).click()
    await dialog()
      .getByRole('button', { name: `停止发给 ${people.length} 人` })
      .click()
    await page.getByRole('link', { name: '去发送' }).click()
    await mayPress(page.getByRole('button', { name: `定时发送 ${people.length} 人` }))
    await until(() => page.getByRole('textbox', { name: /发送时间/ }).inputValue()).toBe('2027-01-20 08:30')
    await until(() => page.getByRole('checkbox', { name: /短信/ }).isChecked()).toBe(false)
  })

  it('updates the plan in step 4 for a selected department and keeps the selection after going back', async () => {
    await page.getByRole('radio', { name: /只发给一部分人/ }).check()
    await page.getByRole('combobox', { name: '按部门选择' }).click()
    await page.locator('.ant-select-item-option').first().click()
    await page.keyboard.press('Escape')
    const some = page.getByText(/只发给一部分人（已选 [1-9]\d* 人）/)
    await some.waitFor()
    const notified = await some.innerText()
    const count = /\d+/.exec(notified)?.[0]
    await page.getByRole('button', { name: `定时发送 ${count} 人` }).waitFor()
    await view('92-department')
    await visitNode(page, `/wageSend2?batch_id=${batch_id}`)
    await page.getByRole('button', { name: '下一步：发送设置' }).click()
    await page.getByText(notified).waitFor()
  })
})

describe('undo period after sending', () => {
  it('selects the undo period in the send settings', async () => {
    await visitNode(page, '/wageSet')
    const field = page.getByRole('spinbutton', { name: /撤销/ })
    await field.fill('600')
    await field.press('Enter')
    await toasted(page, '已保存：600 秒内可以撤销')
    await view('93-undo-setting')
  })

  it('counts down, sends nothing and restores the options on undo, and sends the batch on request', async () => {
    const batch_id = await planned('可以撤销的一批', '2027-05')
    await visitNode(page, `/wageDetail?batch_id=${batch_id}`)
    await page.getByRole('heading').getByText('即将发送').waitFor()
    await page.getByText(new RegExp(`\\d+ 秒后发给 ${people.length} 人`)).waitFor()
    await view('94-undo-detail')
    await visitNode(page, `/SendSucc?batch_id=${batch_id}`)
    const left = page.getByText(/\d+ 秒后发给/)
    const seconds = async () => Number(/\d+/.exec(await left.innerText())?.[0])
    const before = await seconds()
    await until(seconds).toBeLessThan(before)
    await view('95-undo')
    await page.getByRole('button', { name: '撤销', exact: true }).click()
    await toasted(page, /已撤销，一条都没有发出/)
    await page.waitForURL('**/wageSend3**')
    await page.getByRole('button', { name: `发送 ${people.length} 人` }).click()
    await dialog().getByText('600 秒后发出，期间可撤销').waitFor()
    await view('96-undo-asked')
    await dialog()
      .getByRole('checkbox', { name: /我看过了/ })
      .check()
    await dialog()
      .getByRole('button', { name: `发送 ${people.length} 人` })
      .click()
    await page.waitForURL('**/SendSucc**')
    await page.getByRole('button', { name: '立即发送' }).click()
    await left.waitFor({ state: 'detached' })
    await caller.must(setSendRule, { undo_seconds: 0 })
    await until(async () => (await caller.must(getSendInfo, { batch_id })).status).toBe('sent')
  })
})

describe('sent batch', () => {
  let batch_id: string
  beforeAll(async () => {
    batch_id = await planned('发出的一批', '2027-04')
  })
  const getMenu = async (name: string, act: string) => {
    await page
      .getByRole('row')
      .filter({ hasText: name })
      .getByRole('button', { name: new RegExp(name) })
      .last()
      .click()
    await page.getByRole('menuitem', { name: act }).click()
  }

  it('returns the focus after closing overlays by keyboard, and ‹ returns to the filtered list', async () => {
    await until(async () => (await caller.must(getWageDetail, { batch_id })).batch.status).toBe('sent')
    await visitNode(page, `/SendSucc?batch_id=${batch_id}`)
    await page.getByText(`${people.length} 人的工资条都已发出`).waitFor()
    await visitNode(page, '/wageAdmin?month=2027-04&name=发出')
    await page.getByRole('link', { name: '发出的一批', exact: true }).press('Enter')
    const back = page.getByRole('link', { name: '返回工资条管理' })
    await back.waitFor()
    // A full reload drops state that is only stored in the window.
    await page.reload()
    await back.waitFor()
    const name = people[0]?.name ?? ''
    const table = page.getByRole('table', { name: '工资条' })
    const more = table.getByRole('button', { name: `${name}的更多操作` })
    const menu = page.getByRole('menu').filter({ visible: true })
    const at = () => page.evaluate(() => document.activeElement?.textContent ?? '')
    for (const [opener, opened, act] of [
      [table.getByRole('button', { name, exact: true }), dialog(), null],
      [page.getByRole('button', { name: '修改记录' }), dialog(), null],
      [page.getByRole('button', { name: '选择列' }), page.getByText('恢复默认'), null],
      [page.getByRole('button', { name: '撤回全部' }), dialog(), null],
      [page.getByRole('button', { name: '导出' }), menu, null],
      [more, menu, null],
      [more, dialog(), '更正'],
      [more, dialog(), '撤回'],
    ] as const) {
      await opener.press('Enter')
      if (act) {
        await menu.waitFor()
        // The menu takes the focus when it has opened; the arrow keys move through it.
        await until(async () => (await at()).startsWith(act) || (await page.keyboard.press('ArrowDown'), false)).toBe(true)
        await page.keyboard.press('Enter')
      }
      await opened.waitFor()
      // The key is pressed until the overlay closes, because an overlay that is still opening ignores it.
      await until(async () => (await opened.isVisible()) && (await page.keyboard.press('Escape'), true)).toBe(false)
      await until(() => opener.evaluate((one) => one === document.activeElement)).toBe(true)
    }
    // This also works with a filter and a reload of the batch.
    const context = new URL(page.url())
    context.searchParams.set('status', 'sent')
    await visitNode(page, `${context.pathname}${context.search}`)
    await back.press('Enter')
    await page.getByRole('link', { name: '发出的一批', exact: true }).waitFor()
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ month: '2027-04', name: '发出' })
  })

  it('updates gross, deductions and net when an item is corrected', async () => {
    await until(async () => (await caller.must(getWageDetail, { batch_id })).batch.status).toBe('sent')
    await visitNode(page, `/wageDetail?batch_id=${batch_id}`)
    await getMenu(people[0]?.name ?? '', '更正')
    const was = await dialog()
      .getByLabel(/实发工资$/)
      .inputValue()
    await dialog()
      .getByLabel(/绩效工资$/)
      .fill('500')
    await until(() =>
      dialog()
        .getByLabel(/实发工资$/)
        .inputValue(),
    ).toBe(formatFen((parseFen(was.replaceAll(',', '')) ?? 0) + 20_000))
    // Amounts have one format, however the wage sheet wrote them.
    const changes = dialog().getByRole('list', { name: '将要更正' }).getByRole('listitem')
    await until(() => changes.count()).toBe(3)
    for (const text of await changes.allInnerTexts())
      expect(text).toMatch(/^\D+\d{1,3}(,\d{3})*\.\d\d → −?\d{1,3}(,\d{3})*\.\d\d/)
    await dialog()
      .getByLabel(/更正原因/)
      .fill('补发绩效')
    await view('93-correct')
    await dialog().getByRole('button', { name: '更正 3 项' }).click()
    await toasted(page, '已更正')
  })

  it('asks for a reason when the net pay does not equal its items', async () => {
    await getMenu(people[1]?.name ?? '', '更正')
    await dialog()
      .getByLabel(/实发工资$/)
      .fill('1')
    await dialog()
      .getByText(/按各项算应是/)
      .waitFor()
    await examine(page, '94-uneven')
    await dialog().getByRole('button', { name: '取消' }).click()
  })

  it('does not offer withdrawal as the first button, and suggests the next step after it', async () => {
    const acts = page.locator('.ui-page').getByRole('button', { name: /导出|撤回全部|提醒未读/ })
    await until(async () => (await acts.allInnerTexts()).map((text) => text.trim().slice(0, 2))).toEqual(['导出', '撤回', '提醒'])
    await page.getByRole('button', { name: '撤回全部' }).click()
    await dialog().getByLabel('撤回原因').fill('算错')
    await dialog()
      .getByRole('button', { name: `撤回 ${people.length} 人` })
      .click()
    await page.getByRole('button', { name: `重新发送 ${people.length} 人` }).waitFor()
    await view('95-withdrawn')
    await visitNode(page, `/SendSucc?batch_id=${batch_id}`)
    await page.getByRole('link', { name: '修改和重新发送' }).click()
    await page.getByRole('button', { name: `重新发送 ${people.length} 人` }).click()
    await dialog()
      .getByRole('button', { name: `重新发送 ${people.length} 人` })
      .click()
    await toasted(page, `已安排重新发送 ${people.length} 人`)
    await until(async () => (await caller.must(getWageDetail, { batch_id })).batch.counts.sent).toBe(people.length)
  })
})
