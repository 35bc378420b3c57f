/**
 * A company's whole path through its chat client, against the client's simulator: bind, sync, resolve two conflicts,
 * send, open the card, first sign-in, open the payslip, confirm, withdraw, unbind. Every run covers one client, trials
 * all three.
 */
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPlatforms, getSimulatorHosts } from '../../../platform/index.ts'
import { getClientScript, type SimulatedClientCall } from '../../../platform/simulator/client.ts'
import { Simulator } from '../../../platform/simulator/index.ts'
import { type SimulatedProvider, simulatedProviders } from '../../../platform/simulator/profiles.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { ManualClock } from '../../../server/shared/clock.ts'
import { lastCode } from '../../support/callers/http.ts'
import { examine, mustFit, newPage, openBrowser, type Tab } from '../../support/journey/browser.ts'
import { until } from '../../support/journey/journey.ts'
import { type ChatCompany, chatCompany } from '../../support/outside/chat-company.ts'
import { startTestCluster, type TestCluster } from '../../support/run/database.ts'
import { freePort } from '../../support/run/server.ts'
import { isFull } from '../../support/run/trial.ts'
import { deliveries, makeBatch, send } from '../../support/slips.ts'
import { type Caller, startWorld, type World } from '../../support/world.ts'

const agents: Readonly<Record<SimulatedProvider, string>> = {
  lark: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Lark/7.53.16 LarkLocale/zh_CN',
  wecom:
    'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/116.0 Mobile Safari/537.36 wxwork/4.1.30 MicroMessenger/7.0.1 Language/zh',
  dingtalk:
    'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/100.0 Mobile Safari/537.36 AliApp(DingTalk/7.8.1) language/zh-CN',
}
const port = await freePort()
const address = `http://127.0.0.1:${port}`
const clock = new ManualClock(new Date().toISOString())
const simulator = new Simulator(() => clock.now().getTime())
simulator.state.limits.isEnabled = false

let cluster: TestCluster
let world: World
let browser: Browser
let simulated: string
beforeAll(async () => {
  cluster = await startTestCluster()
  simulated = await simulator.listen()
  const platforms = createPlatforms({ hosts: getSimulatorHosts(simulated), now: () => clock.now().getTime() })
  const client_dir = fileURLToPath(new URL('../../../dist', import.meta.url))
  ;[world, browser] = await Promise.all([startWorld({ platforms, clock, client_dir, port }), openBrowser()])
  await world.listen()
  await world.product.start({ sole: true })
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
  await simulator.close()
  await cluster?.close()
})

/** Opens a desktop tab for a signed-in caller. */
async function getDesk(caller: Caller): Promise<Tab> {
  const page = await newPage(browser, address)
  const cookies = (caller.headers.cookie ?? '').split('; ').map((one) => one.split('='))
  await page.context().addCookies(cookies.map(([name = '', value = '']) => ({ name, value, url: address })))
  const half = caller.headers['user-token'] ?? ''
  await page.addInitScript((token) => localStorage.setItem('user-token', token), half)
  return page
}
/** Opens a tab as the chat client shows it to this user. */
async function getClient({ provider, app, both }: ChatCompany): Promise<Tab> {
  const page = await newPage(browser, address, { width: 360 }, { agent: agents[provider] })
  const { host, body } = getClientScript(provider)
  await page.exposeFunction('simulatedCode', () => simulator.issueCode(app, both, 'client'))
  if (host) await page.route(host, (route) => route.fulfill({ contentType: 'text/javascript', body }))
  else await page.addInitScript(body)
  return page
}

/** Returns the calls that the page made to the client. */
const requestedOf = (page: Tab): Promise<SimulatedClientCall[]> =>
  page
    .evaluate(() => Reflect.get(window, 'simulatedClient') as SimulatedClientCall[] | undefined)
    .then((requested) => requested ?? [])
/** The client calls that prevent forwarding a payslip and return to the chat. */
const window_of = {
  lark: { hides: '"hideMenuItems","sendToChat,shareViaOtherApp,copyLink"', shuts: '"closeWindow"' },
  wecom: { hides: '"menuItem:share:appMessage"', shuts: '"closeWindow"' },
  dingtalk: { hides: '"setRight",{"show":false', shuts: '"closePage"' },
} as const

const played: readonly SimulatedProvider[] = isFull ? simulatedProviders : ['lark']
const texts = {
  lark: { name: '飞书', corp: 'Tenant Key（企业标识）', app: 'App ID', agent: null, secret: 'App Secret' },
  wecom: { name: '企业微信', corp: '企业 ID（CorpID）', app: null, agent: 'AgentId', secret: 'Secret' },
  dingtalk: {
    name: '钉钉',
    corp: '企业 CorpId',
    app: 'Client ID（AppKey）',
    agent: 'AgentId',
    secret: 'Client Secret（AppSecret）',
  },
} as const

describe.each(played)('%s', (provider) => {
  it('supports the whole path from binding to unbinding', async () => {
    // All three share one phone, and codes have a waiting time.
    clock.advance(3_600_000)
    const chat = chatCompany(simulator, provider, { app: { origin: address } })
    const corp = await world.createCompany({ provider: null })
    const head = await corp.person({ name: '沈知遥', power: ['1', '2'] })
    // The same phone or number with another name is a conflict that a user must resolve.
    const zhang = await corp.person({ name: '张三丰', mobile: chat.both.mobile ?? '', joined: false })
    const li = await corp.person({ name: '李思', employee_no: chat.plain.employee_no ?? '' })
    // A user without a password would be asked to set one first.
    await world.database.withoutCompany((tx) =>
      tx.updateTable('account').set({ password_hash: 'set' }).where('id', '=', head.account_id).execute(),
    )
    const boss = await world.signIn(head)
    const { name, ...labels } = texts[provider]

    const page = await getDesk(boss)
    await page.goto('/companyThird')
    await page.getByRole('button', { name: `绑定${name}` }).waitFor()
    await examine(page, `chat-${provider}-choose-1440`)
    await page.getByRole('button', { name: `绑定${name}` }).click()
    const dialog = page.getByRole('dialog', { name: `绑定${name}` })
    // The tenant key stands nowhere in Lark's console: it is found by a first attempt with 0.
    await dialog.getByLabel(labels.corp).fill(provider === 'lark' ? '0' : chat.corp_id)
    if (labels.app) await dialog.getByLabel(labels.app).fill(chat.app.app_id)
    if (labels.agent) await dialog.getByLabel(labels.agent).fill(chat.app.agent_id)
    await dialog.getByLabel(labels.secret, { exact: true }).fill(chat.app.secret)
    await examine(page, `chat-${provider}-bind-1440`)
    await dialog.getByLabel(labels.secret, { exact: true }).fill('wrong-secret')
    await dialog.getByRole('button', { name: '检测并绑定' }).click()
    // The reason stays where it has to be corrected.
    await dialog.getByRole('alert').getByText('不正确').waitFor()
    await examine(page, `chat-${provider}-refused-1440`)
    await dialog.getByLabel(labels.secret, { exact: true }).fill(chat.app.secret)
    await dialog.getByRole('button', { name: '检测并绑定' }).click()
    if (provider === 'lark') {
      await dialog.getByText('是这家吗？').waitFor()
      await examine(page, `chat-${provider}-found-1440`)
      await dialog.getByRole('button', { name: '是这家，绑定' }).click()
    }
    await page.getByText('第一次同步，请先看看会有哪些变化').waitFor()
    await examine(page, `chat-${provider}-held-1440`)
    await page.getByRole('button', { name: '确认更新' }).click()
    await page.getByRole('button', { name: '复制回调地址' }).waitFor()
    if (isFull) {
      await page.getByRole('button', { name: '修改应用设置' }).click()
      const changing = page.getByRole('dialog', { name: `修改${name}应用` })
      await changing.getByRole('button', { name: '检测并保存' }).waitFor()
      await examine(page, `chat-${provider}-keys-1440`)
      await changing.getByRole('button', { name: '取消' }).click()
      await changing.waitFor({ state: 'hidden' })
    }
    for (const person of ['张三', '李四']) {
      const pair = page
        .getByRole('listitem')
        .filter({ hasText: person })
        .filter({ has: page.getByRole('radio') })
      await pair.getByRole('radio').first().check()
      await examine(page, `chat-${provider}-conflict-${person}`)
      await pair.getByRole('button', { name: '是这个人' }).click()
      await pair.waitFor({ state: 'detached' })
    }

    const batch_id = await makeBatch(world, { ...head }, [zhang, li], { title: '2026年10月工资' })
    await send(boss, batch_id, ['platform'])
    await until(async () => (await deliveries(world, corp, batch_id)).map(({ status }) => status)).toEqual([
      'accepted',
      'accepted',
    ])

    // The employee's chat: the card leads to the payslip and asks for the phone once.
    const inbox = `${simulated}/${provider}/_/inbox?corp=${chat.corp_id}&user=${chat.both.user_id}`
    const phone = await getClient(chat)
    await phone.goto(inbox)
    await mustFit(phone)
    await examine(phone, `chat-${provider}-card-360`)
    await phone.getByRole('link', { name: '查看' }).click()
    // WeCom issues codes on its page only.
    if (provider === 'wecom') await phone.getByRole('link', { name: /张三/ }).click()
    await phone.getByRole('heading', { name: `关联${name}账号` }).waitFor()
    await examine(phone, `chat-${provider}-first-360`)
    await phone.getByLabel('手机号').fill(zhang.mobile)
    await phone.getByRole('button', { name: '获取验证码' }).click()
    await phone.getByText(/秒后重发/).waitFor()
    // A complete code submits itself.
    await phone.getByLabel('短信验证码').fill(await lastCode(address, zhang.mobile))
    await phone.waitForURL('**/m/slip/**')
    await phone.getByRole('button', { name: '我知道了' }).click()
    await phone.getByRole('button', { name: '确认', exact: true }).waitFor()
    await mustFit(phone)
    await examine(phone, `chat-${provider}-slip-360`)
    await phone.getByRole('button', { name: '确认', exact: true }).click()
    await phone.getByRole('button', { name: '确认工资条' }).click()
    await phone.locator('.slip-head').getByText('已确认').waitFor()
    const { hides, shuts } = window_of[provider]
    await phone.getByRole('button', { name: `返回${name}` }).scrollIntoViewIfNeeded()
    expect(JSON.stringify(await requestedOf(phone))).toContain(hides)
    await examine(phone, `chat-${provider}-confirmed-360`)
    await phone.getByRole('button', { name: `返回${name}` }).click()
    await until(async () => JSON.stringify(await requestedOf(phone))).toContain(shuts)

    await boss.must(slip.withdrawBatchPaySheet, { batch_id })
    const cards = () => simulator.state.inbox.listVisibleTo(chat.corp_id, chat.both.user_id)
    await until(() =>
      cards()
        .map(({ card }) => `${card.title} ${card.statusText ?? ''}`)
        .join(),
    ).toContain('已撤回')
    await phone.goto(inbox)
    await phone.getByText('已撤回').first().waitFor()
    await examine(phone, `chat-${provider}-withdrawn-360`)

    await page.getByRole('button', { name: '解除绑定' }).click()
    await page.getByLabel('原因').fill('换用其他平台')
    await page.getByText('不需要审批，提交后立即解除。').waitFor()
    await examine(page, `chat-${provider}-unbind-1440`)
    await page.getByRole('button', { name: '直接解除绑定' }).click()
    await page.getByRole('button', { name: `绑定${name}` }).waitFor()
    await examine(page, `chat-${provider}-parted-1440`)
    // A session that came from the platform is signed out.
    await phone.goto(`${address}/m/slips`)
    await phone.waitForURL(/login|entry/)
    expect([...page.complaints, ...phone.complaints.filter((one) => !one.includes('401'))]).toEqual([])
    await Promise.all([page, phone].map((one) => one.context().close()))
  })
})
