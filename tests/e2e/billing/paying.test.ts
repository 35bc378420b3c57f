/** Buying, from the scanned code to the downloaded invoice, and the operator area on the other side. */
import { Secret, TOTP } from 'otpauth'
import { beforeAll, expect, it } from 'vitest'
import * as agency from '../../../server/contract/agency/agency.ts'
import * as approval from '../../../server/contract/approvals/approvals.ts'
import * as order from '../../../server/contract/billing/orders.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { dress, examine, mustBeAccessible, mustFit, type Tab, type View } from '../../support/journey/browser.ts'
import { toasted, useJourney, visitNode } from '../../support/journey/journey.ts'
import { isFull } from '../../support/run/trial.ts'

const journey = useJourney()
const head = '系统管理员（全部权限）'
const pictured = process.env.XINHAN_PICTURES === '1' || isFull
const allViews: readonly View[] = [
  { width: 1440, scheme: 'light' },
  { width: 360, scheme: 'dark' },
  { width: 1440, scheme: 'dark' },
  { width: 360, scheme: 'light' },
]
/** Every view is visited when pictures are taken, otherwise one. */
const views = pictured ? allViews : allViews.slice(0, 1)
const show = async (page: Tab, name: string) => {
  for (const view of views) {
    await dress(page, view)
    await examine(page, `${name}-${view.width}-${view.scheme}`)
    await mustFit(page)
  }
  await dress(page, {})
}
const balance = async () => {
  const { list } = await (await journey.caller(head)).must(order.getResourceList, {})
  return list[0]?.left ?? 0
}

/** The operator creates a company; its first administrator opens the link once, sets a password and is signed in. */
async function createCompanyByLink(ops: Tab): Promise<void> {
  await ops.getByRole('button', { name: '新建企业' }).click()
  const dialog = ops.getByRole('dialog', { name: '新建企业' })
  await dialog.getByRole('button', { name: '创建并生成链接' }).click()
  await dialog.getByText('请填写企业名称').waitFor()
  await show(ops, '94-ops-create-company-error')
  await dialog.getByLabel('企业名称').fill('新来的精密制造（长三角）有限责任公司')
  await dialog.getByLabel('第一位管理员的姓名').fill('欧阳明月')
  await dialog.getByLabel('管理员的手机号').fill(journey.freePhone(7))
  await dialog.getByRole('button', { name: '创建并生成链接' }).click()
  const created = ops.getByRole('dialog', { name: '企业已创建' })
  const link = await created.getByText(/^http/).innerText()
  await show(ops, '94-ops-company-link')
  await created.getByRole('button', { name: '我已转交' }).click()
  await ops.getByRole('button', { name: /^赠送 新来的/ }).click()
  await show(ops, '94-ops-grant')
  await ops.keyboard.press('Escape')

  const { pathname, hash } = new URL(link)
  const first = await journey.open(pathname + hash)
  await first.getByRole('heading', { name: '设置密码' }).waitFor()
  await show(first, '94-first-password')
  await first.getByLabel('登录密码', { exact: true }).fill('Opens-the-link-1')
  await first.getByLabel('确认登录密码').fill('Opens-the-link-1')
  await first.getByRole('button', { name: '设置密码并登录' }).click()
  await first.getByText('新来的精密制造（长三角）有限责任公司').first().waitFor()
  await show(first, '94-first-home')
  const again = await journey.open(pathname + hash)
  await again.getByLabel('登录密码', { exact: true }).fill('Opens-the-link-2')
  await again.getByLabel('确认登录密码').fill('Opens-the-link-2')
  await again.getByRole('button', { name: '设置密码并登录' }).click()
  await again.getByRole('alert').first().waitFor()
  await show(again, '94-first-password-used')
}

/** Visits every page of the area, each in another view; with pictures and in trials in all of them. */
async function eachPage(ops: Tab, go: (name: string) => Promise<void>): Promise<void> {
  for (const [at, name] of ['概览', '企业', '订单', '发票', '价格', '资讯', '人员与日志'].entries()) {
    await go(name)
    await ops.locator('main[aria-busy="true"], .ui-skeleton').first().waitFor({ state: 'detached' })
    for (const view of pictured ? allViews : [allViews[at % allViews.length] ?? {}]) {
      await dress(ops, view)
      await mustBeAccessible(ops)
      await mustFit(ops)
    }
  }
  await dress(ops, {})
}

let buyer: Tab
beforeAll(async () => {
  buyer = await journey.enter(head, {}, '/CompanyService')
})
const orderNow = async (channel: string) => {
  await buyer.getByRole('button', { name: /购买 短信 1,000 条/ }).click()
  const dialog = buyer.getByRole('dialog')
  await dialog.getByText(channel, { exact: true }).click()
  await dialog.getByRole('button', { name: '提交订单' }).click()
  const panel = buyer.getByRole('dialog', { name: '支付' })
  return {
    panel,
    order_no: (
      await panel
        .getByText(/^(?:XH[0-9A-Z]{24}|[0-9]{6})$/)
        .last()
        .first()
        .innerText()
    ).trim(),
  }
}

it.each(['支付宝', '微信支付'])(
  '%s: pays the order by a press in the demo, updates the page and raises the prepaid balance',
  async (channel) => {
    const before = await balance()
    const { panel } = await orderNow(channel)
    await panel.getByLabel(`${channel}二维码`).waitFor()
    await panel.getByRole('button', { name: '在演示中付款' }).waitFor()
    if (channel === '支付宝') await show(buyer, '90-pay-code')
    await panel.getByRole('button', { name: '在演示中付款' }).click()
    await panel.getByText('支付成功').waitFor()
    await panel.getByRole('button', { name: '完成' }).click()
    expect(await balance()).toBe(before + 1_000)
  },
)

it('lets an operator confirm a transfer, issue its invoice and refund a part', async () => {
  const before = await balance()
  const { panel, order_no } = await orderNow('对公转账')
  await panel.getByRole('button', { name: '稍后支付' }).click()
  // The first operator, with the demo's key and a phone.
  const ops = await journey.open('/ops')
  await show(ops, '91-ops-sign-in')
  await ops.getByRole('button', { name: '首次使用，我有密钥' }).click()
  await ops.getByLabel('密钥').fill('demo-key-of-the-operations-area')
  await ops.getByLabel('用户名').fill('林运营')
  await ops.getByLabel('密码', { exact: true }).fill('Runs-the-server-1')
  await ops.getByLabel('再次输入密码').fill('Runs-the-server-1')
  await ops.getByRole('button', { name: '下一步' }).click()
  const secret = (await ops.locator('.ops-secret').innerText()).replaceAll(' ', '')
  await show(ops, '92-ops-phone')
  await ops.getByLabel('动态码').fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate())
  await ops.getByRole('button', { name: '启用账号' }).click()
  await ops.getByText('失败的任务').waitFor()
  await show(ops, '93-ops-health')
  const tab = (name: string) =>
    ops.getByRole('navigation', { name: '运营后台' }).getByRole('button', { name, exact: true }).click()
  await tab('企业')
  await ops.getByLabel('企业', { exact: true }).waitFor()
  await show(ops, '94-ops-companies')
  await createCompanyByLink(ops)
  await eachPage(ops, tab)

  await tab('订单')
  await ops.getByRole('button', { name: `确认到账 ${order_no}` }).click()
  const confirm = ops.getByRole('dialog', { name: '确认到账' })
  await confirm.getByLabel('银行流水号').fill('CMB20261123001')
  await show(ops, '95-ops-confirm')
  await confirm.getByRole('button', { name: '确认到账' }).click()
  await toasted(ops, '已确认')
  expect(await balance()).toBe(before + 1_000)

  await buyer.goto('/companyOrder')
  await buyer.getByLabel(`选择 短信 1,000 条 ${order_no}`).check()
  await buyer.getByRole('button', { name: '开发票' }).click()
  const apply = buyer.getByRole('dialog', { name: '开发票' })
  await apply.getByLabel('发票抬头').fill('星河制造（上海）有限公司')
  await apply.getByLabel('税号').fill('91350100M000100Y43')
  await apply.getByLabel('收票邮箱').fill('fp@example.com')
  await apply.getByRole('button', { name: '申请发票' }).click()
  await toasted(buyer, '已申请')

  await tab('发票')
  await ops.getByRole('button', { name: /^上传 星河制造/ }).click()
  const issue = ops.getByRole('dialog', { name: '上传发票' })
  await issue.getByLabel('发票号码').fill('24312000000012345678')
  await issue
    .getByLabel('发票文件', { exact: true })
    .setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') })
  await show(ops, '96-ops-issue')
  await issue.getByRole('button', { name: '上传' }).click()
  await toasted(ops, '发票已上传')

  await buyer.goto('/companyOrder?view=invoice')
  const [file] = await Promise.all([buyer.waitForEvent('download'), buyer.getByRole('button', { name: /^下载发票/ }).click()])
  expect(file.suggestedFilename()).toBe('发票-24312000000012345678.pdf')

  await tab('订单')
  await ops.getByRole('button', { name: `退款 ${order_no}` }).click()
  const refund = ops.getByRole('dialog', { name: '退款' })
  await refund.getByLabel('退款金额（元）').fill('40')
  await refund.getByLabel('原因').fill('客户多买')
  await refund.getByLabel('银行退款流水号').fill('CMB20261123002')
  await show(ops, '97-ops-refund')
  await refund.getByRole('button', { name: '退款' }).click()
  await toasted(ops, '已退款，扣回短信 400 条；已开的发票需要红冲')
  expect(await balance()).toBe(before + 600)
  if (!pictured) return
  // Another order is refunded in full, so that every status is shown.
  await ops
    .getByRole('button', { name: /^退款 XH/ })
    .last()
    .click()
  await refund.getByLabel('原因').fill('重复购买')
  await refund.getByRole('button', { name: '退款' }).click()
  await toasted(ops, '已退款，扣回短信 1,000 条')
  await show(ops, '98-ops-orders')
  for (const name of ['发票', '价格', '资讯', '人员与日志']) {
    await tab(name)
    await ops
      .getByText(/^共 \d+ [张条]|^默认价$|还没有发布过/)
      .first()
      .waitFor()
    await show(ops, `99-ops-${name}`)
  }
  await buyer.goto('/companyOrder?view=invoice')
  await buyer.getByText('待红冲').waitFor()
  await show(buyer, '100-invoices')
})

it('buys an edition and changes it to a higher one for the remaining days', async () => {
  const caller = await journey.caller(head)
  const pay = async () => {
    const panel = buyer.getByRole('dialog', { name: '支付' })
    const order_no = await panel.getByText(/^XH[0-9A-Z]{24}$/).innerText()
    await fetch(`${journey.address}/dev/pay/${order_no}`, { method: 'POST' })
    await panel.getByText('支付成功').waitFor()
    await panel.getByRole('button', { name: '完成' }).click()
  }
  await buyer.goto('/CompanyService')
  await buyer.getByRole('button', { name: '购买 高级版 · 200 人以内' }).click()
  await buyer.getByRole('button', { name: '提交订单' }).click()
  await pay()
  await buyer.getByRole('button', { name: '变更 高级版 · 1,000 人以内' }).click()
  const change = buyer.getByRole('dialog', { name: '变更为 高级版 · 1,000 人以内' })
  await change.getByText(/按剩余 \d+ 天补差价/).waitFor()
  await show(buyer, '101-change')
  await change.getByRole('button', { name: '提交订单' }).click()
  await pay()
  await buyer.getByRole('button', { name: '续费 高级版 · 1,000 人以内' }).waitFor()
  if (!pictured) return
  await show(buyer, '102-service')
  // Orders in each status: one unpaid, one cancelled.
  await caller.must(order.rechargeSMS, { product_id: 'sms-1000', count: 1, pay_type: 'wechat' })
  const removed = await caller.must(order.rechargeSMS, { product_id: 'sms-10000', count: 3, pay_type: 'alipay' })
  await caller.must(order.closeOrder, { order_no: removed.order_no })
  await buyer.goto('/companyOrder')
  await buyer.getByText('已关闭').waitFor()
  await show(buyer, '103-orders')
})

it('lets an agency work in a company and signs it out at once when the company ends the service', async () => {
  const [heads, agents] = [await journey.caller(head), await journey.caller('代理企业负责人')]
  const name = '云杉科技'
  await agents.must(agency.applyJoin, { name, phone: journey.getPhone(head) })
  const [options] = (await heads.must(approval.getApprovalList, { status: 0 })).list.filter(({ kind }) => kind === 'join_agency')
  await heads.must(approval.setApprovalStatusByApprovalNo, {
    approval_no: options?.approval_no ?? '',
    status: 1,
    serving: { scope: { all: true, department_ids: [] }, until: `${new Date().getFullYear() + 1}-06-30` },
  })
  const page = await journey.enter('代理企业负责人', {}, '/CompanyList')
  // One wage sheet of several companies: each row goes to the company it belongs to, the others nowhere.
  const rows = [name, '没有这家企业', ''].map((corp, at) => [
    corp,
    `张三${at}`,
    `1391111000${at}`,
    '5100.00',
    '100.00',
    '5000.00',
  ])
  const header = ['用工单位', '姓名', '手机号', '基本工资', '个人所得税', '实发工资']
  const buffer = makeXlsx({ sheets: [{ name: '工资表', rows: [header, ...rows] }] })
  await page.getByRole('button', { name: '多企业工资表拆分' }).click()
  await page.getByLabel('多家企业的工资表').setInputFiles({ name: '十月.xlsx', mimeType: 'application/octet-stream', buffer })
  await page.getByText('按「用工单位」列拆开').waitFor()
  await show(page, '95-one-sheet')
  await page.getByRole('button', { name: '上传到 1 家企业' }).click()
  await page.getByText('已上传 1 行').waitFor()
  await show(page, '96-one-sheet-done')
  await page.getByRole('button', { name: `进入核对 ${name}` }).click()
  await page.getByText('代理中：').waitFor()
  await visitNode(page, '/wageAdmin')
  await page.getByRole('heading', { name: '工资条管理' }).waitFor()
  const [service] = (await heads.must(agency.getServiceList, {})).list.filter(({ status }) => status === 'active')
  await heads.must(agency.endService, { service_id: service?.service_id ?? '' })
  // The user leaves without a link: the page navigates by itself when it learns that the session has ended.
  await page.goto('/companyMember', { waitUntil: 'commit' })
  await page.waitForURL(/login/)
  await page
    .getByText(/结束代理/)
    .first()
    .waitFor()
})
