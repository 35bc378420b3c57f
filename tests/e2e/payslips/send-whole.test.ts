/**
 * The whole path of a batch: test send, approval request, approval on a phone by a second administrator, undo, another
 * request, send; one message falls back to SMS with a delivery report; then a reminder, the withdrawal, and another
 * send.
 */
import { fileURLToPath } from 'node:url'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MessageRejectedError } from '../../../platform/carrier.ts'
import { getApprovalList, setApprovalStatusByApprovalNo } from '../../../server/contract/approvals/approvals.ts'
import { getSendInfo, getWageDetail } from '../../../server/contract/payslips/send.ts'
import { setSendRule } from '../../../server/contract/payslips/send-plan.ts'
import { ManualClock } from '../../../server/shared/clock.ts'
import { dress, examine, mustFit, newPage, openBrowser, type Tab } from '../../support/journey/browser.ts'
import { toasted, until } from '../../support/journey/journey.ts'
import { smallTargets } from '../../support/journey/targets.ts'
import { getMessagePattern } from '../../support/message-patterns.ts'
import { startTestCluster, type TestCluster } from '../../support/run/database.ts'
import { freePort } from '../../support/run/server.ts'
import { deliveries, getGateway, getNet, makeBatch } from '../../support/slips.ts'
import { type Caller, type Corp, type Person, startWorld, type World } from '../../support/world.ts'

const port = await freePort()
const address = `http://127.0.0.1:${port}`
const secret = 'the-address-of-reports-in-this-journey'
/** These ids are outside the application's range. */
let shut = ''
const platform = getGateway({
  before(_, to) {
    if (to === shut) throw new MessageRejectedError('60020', '员工不在应用的可见范围内')
  },
})
const sms = getGateway()

let cluster: TestCluster
let world: World
let browser: Browser
let corp: Corp
let clerk: Person
let [payroll, heads]: Caller[] = []
let batch_id = ''
let page: Tab
beforeAll(async () => {
  cluster = await startTestCluster()
  const client_dir = fileURLToPath(new URL('../../../dist', import.meta.url))
  const clock = new ManualClock(new Date().toISOString())
  const ways = { platform: () => platform, sms: () => sms, sms_reports: { secret, provider: 'aliyun' } as const }
  ;[world, browser] = await Promise.all([startWorld({ ...ways, clock, client_dir, port }), openBrowser()])
  await world.listen()
  await world.product.start({ sole: true })
  corp = await world.createCompany({ provider: 'lark', undo_seconds: 60 })
  clerk = await corp.person({ power: ['2'] })
  payroll = await world.signIn(clerk)
  heads = await world.signIn(await corp.person({ power: ['4'] }))
  // Users without a password would be asked to set one first.
  await world.database.withoutCompany((tx) => tx.updateTable('account').set({ password_hash: 'set' }).execute())
  await payroll.must(setSendRule, { approve_from: 1 })
  const people = []
  for (const name of ['甲一', '乙二', '丙三']) people.push(await corp.person({ name, platform_user_id: `ou_${name}` }))
  shut = 'ou_丙三'
  batch_id = await makeBatch(world, clerk, people, { title: '十月工资' })
  page = await getTab(payroll)
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
  await cluster?.close()
})

async function getTab(caller: Caller | undefined, width = 1440): Promise<Tab> {
  const tab = await newPage(browser, address, { width })
  const cookies = (caller?.headers.cookie ?? '').split('; ').map((one) => one.split('='))
  await tab.context().addCookies(cookies.map(([name = '', value = '']) => ({ name, value, url: address })))
  await tab.addInitScript((token) => localStorage.setItem('user-token', token), caller?.headers['user-token'] ?? '')
  return tab
}
async function view(tab: Tab, name: string, widths = [1440, 360]): Promise<void> {
  for (const width of widths)
    for (const scheme of ['light', 'dark'] as const) {
      // Unless pictures are taken, one view is enough: the narrow one.
      if (!process.env.XINHAN_PICTURES && (scheme === 'dark' || width !== Math.min(...widths))) continue
      await dress(tab, { width, scheme })
      await examine(tab, `${name}-${width}-${scheme}`)
      await mustFit(tab)
      if (width === 360) await until(() => smallTargets(tab, '[role=dialog]')).toEqual([])
    }
  await dress(tab, { width: widths[0] ?? 1440 })
}
const dialog = (tab: Tab = page) => tab.getByRole('dialog')
const press = (where: Tab | Locator, name: string | RegExp) => where.getByRole('button', { name }).first().click()
const step4 = () => page.goto(`/wageSend3?batch_id=${batch_id}`)
const info = async () => payroll?.must(getSendInfo, { batch_id })

async function request(): Promise<void> {
  await press(page, /^提交审批 3 人/)
  const looked = dialog().getByRole('checkbox', { name: /我看过了/ })
  await dialog().getByRole('button', { name: '提交审批' }).waitFor()
  if (await looked.isVisible()) await looked.check()
  await press(dialog(), '提交审批')
  await page.getByText('正在等另一位管理员审批').waitFor()
}

/** Requests an approval, has it returned, reads by whom and why on a phone, and continues from there. */
async function returned(): Promise<void> {
  await request()
  const { list = [] } = (await heads?.must(getApprovalList, { status: 0, page: 1, pagesize: 20 })) ?? {}
  const reason = '丙三的加班费还没有核对'
  await heads?.must(setApprovalStatusByApprovalNo, { approval_no: list[0]?.approval_no ?? '', status: 2, reason })
  const phone = await getTab(payroll, 360)
  await phone.goto('/m/admin')
  await phone.getByText(/驳回了发送，没有发出/).waitFor()
  await phone.getByText(`原因：${reason}`).waitFor()
  await view(phone, 'whole-returned', [360])
  await phone.getByRole('link', { name: '查看并重新提交' }).click()
  await phone.waitForURL(`**/wageSend3?batch_id=${batch_id}`)
  await phone.context().close()
  await step4()
}

/** Requests an approval at the last step and has it approved on a phone. */
async function approved(pictured: boolean): Promise<void> {
  await request()
  if (pictured) await view(page, 'whole-asked')
  const phone = await getTab(heads, 360)
  await phone.goto('/m/admin')
  await phone.getByText('申请发送「十月工资」3 人').waitFor()
  await press(phone, '同意')
  await phone.getByText('实发合计').waitFor()
  const details = await dialog(phone).innerText()
  expect(details).toMatch(/3 人/)
  // Shows the total but no individual amounts.
  for (const row of [2, 3, 4]) expect(details.replaceAll(',', '')).not.toContain((getNet(row) / 100).toFixed(2))
  if (pictured) await view(phone, 'whole-approve', [360])
  await dialog(phone).getByRole('button', { name: '同意' }).click()
  await toasted(phone, '已同意')
  await phone.context().close()
  await page
    .getByText(/已同意/)
    .first()
    .waitFor()
}

it('leads from a test send to a payslip that was sent again', async () => {
  await step4()
  await press(page, /^试发$/)
  await dialog().getByText('使用真实工资条').click()
  await view(page, 'whole-rehearse')
  await press(dialog(), '试发给我自己')
  const tried = page.getByRole('list', { name: '试发的结果' })
  await until(() => tried.textContent()).toContain('已发出')
  await view(page, 'whole-tried')
  const link = new URL((await tried.getByRole('link', { name: '打开' }).getAttribute('href')) ?? '')
  const phone = await getTab(payroll, 360)
  await phone.goto(link.pathname)
  await phone.getByText('试发，不是正式工资条。').waitFor()
  await view(phone, 'whole-rehearsal', [360, 1440])
  await phone.context().close()
  expect(await deliveries(world, corp, batch_id)).toEqual([])

  await approved(true)
  await view(page, 'whole-approved')
  await press(page.locator('[aria-label="发送审批"]'), '发送 3 人')
  await press(dialog(), '发送 3 人')
  await page.waitForURL('**/SendSucc**')
  await page.getByText(/秒后发给 3 人/).waitFor()
  await press(page, '撤销')
  await page.waitForURL('**/wageSend3**')
  expect(await deliveries(world, corp, batch_id)).toEqual([])

  await returned()
  await approved(false)
  await press(page.locator('[aria-label="发送审批"]'), '发送 3 人')
  await press(dialog(), '发送 3 人')
  await page.waitForURL('**/SendSucc**')
  await press(page, '立即发送')
  const others = page.getByRole('region', { name: '改用其他方式的人' })
  await others.getByText('丙三').waitFor()
  await until(async () => (await info())?.status).toBe('sent')
  expect([platform.accepted.length, sms.accepted.filter(({ text }) => !text.includes('试发')).length]).toEqual([2, 1])

  const [row] = (await deliveries(world, corp, batch_id)).filter(({ channel }) => channel === 'sms')
  const line = { success: true, err_code: 'DELIVERED', biz_id: row?.provider_ref, phone_number: '', out_id: '' }
  await fetch(`${address}/callback/sms/${secret}`, { method: 'POST', body: JSON.stringify([line]) })
  await page.reload()
  await page.getByText(/已送达手机 1/).waitFor()
  await view(page, 'whole-delivered')

  await page.goto(`/wageDetail?batch_id=${batch_id}`)
  await press(page, /提醒未读 3/)
  await press(dialog(), /提醒/)
  await until(
    () => platform.accepted.length + sms.accepted.filter(({ text }) => getMessagePattern('remind').test(text)).length,
  ).toBe(5)
  await press(page, '撤回全部')
  await dialog().getByLabel('撤回原因').fill('算错')
  await press(dialog(), '撤回 3 人')
  await press(page, '重新发送 3 人')
  await press(dialog(), '重新发送 3 人')
  await until(async () => (await payroll?.must(getWageDetail, { batch_id }))?.batch.counts.sent).toBe(3)
  expect([platform.doubled(), sms.doubled()]).toEqual([[], []])
  expect(page.complaints).toEqual([])
})
