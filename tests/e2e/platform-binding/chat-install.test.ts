/**
 * Installs through a platform's store in a browser: started from our page, claimed after the store, and with
 * credentials that a stranger has typed.
 */
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPlatforms, getSimulatorHosts } from '../../../platform/index.ts'
import { type RegisteredSuite, Simulator } from '../../../platform/simulator/index.ts'
import * as binding from '../../../server/contract/platform-binding/binding.ts'
import { ManualClock } from '../../../server/shared/clock.ts'
import { examine, mustFit, newPage, openBrowser, type Tab, type View } from '../../support/journey/browser.ts'
import { toasted, until } from '../../support/journey/journey.ts'
import { chatCompany } from '../../support/outside/chat-company.ts'
import { startTestCluster, type TestCluster } from '../../support/run/database.ts'
import { freePort } from '../../support/run/server.ts'
import { type Caller, startWorld, type World } from '../../support/world.ts'

const port = await freePort()
const address = `http://127.0.0.1:${port}`
const clock = new ManualClock(new Date().toISOString())
const simulator = new Simulator(() => clock.now().getTime())
simulator.state.limits.isEnabled = false
simulator.callbackSender.delayScale = 0

const keys = { token: 'token-of-the-suite', aes_key: '4g5j64qlyl3zvetqxz5jiocdr586fn2zvjpa8zls3ij' }
const stores = {
  wecom: { id: 'wwsuite0001', secret: 'secret-of-the-suite-w', ...keys, page: null },
  dingtalk: { id: 'suite0001', secret: 'secret-of-the-suite-d', ...keys, page: 'https://appcenter.dingtalk.com/detail/16807001' },
}
const getSuite = (provider: keyof typeof stores): RegisteredSuite =>
  simulator.addSuite({
    provider,
    ...stores[provider],
    ticket: null,
    callback: { url: `${address}${binding.getCallbackPath(provider, binding.storeAppKey)}`, ...keys },
  })

let cluster: TestCluster
let world: World
let browser: Browser
beforeAll(async () => {
  cluster = await startTestCluster()
  const platforms = createPlatforms({ hosts: getSimulatorHosts(await simulator.listen()), now: () => clock.now().getTime() })
  const client_dir = fileURLToPath(new URL('../../../dist', import.meta.url))
  ;[world, browser] = await Promise.all([startWorld({ platforms, clock, client_dir, port, stores }), openBrowser()])
  await world.listen()
  await world.product.start({ sole: true })
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
  await simulator.close()
  await cluster?.close()
})

async function head(): Promise<Caller> {
  const corp = await world.createCompany({ provider: null })
  const person = await corp.person({ name: '沈知遥', power: ['1'] })
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash: 'set' }).where('id', '=', person.account_id).execute(),
  )
  return world.signIn(person)
}
async function getDesk(caller: Caller, view: View = {}): Promise<Tab> {
  const page = await newPage(browser, address, view)
  const cookies = (caller.headers.cookie ?? '').split('; ').map((one) => one.split('='))
  await page.context().addCookies(cookies.map(([name = '', value = '']) => ({ name, value, url: address })))
  await page.addInitScript((token) => localStorage.setItem('user-token', token), caller.headers['user-token'] ?? '')
  await page.goto('/companyThird')
  return page
}
/** Takes pictures of the page, wide and narrow, light and dark. */
async function looked(caller: Caller, name: string, stands: (page: Tab) => Promise<void>): Promise<void> {
  if (process.env.XINHAN_PICTURES !== '1') return
  for (const width of [1440, 360])
    for (const scheme of ['light', 'dark'] as const) {
      const page = await getDesk(caller, { width, scheme })
      await stands(page)
      await mustFit(page)
      await examine(page, `install-${name}-${width}-${scheme}`)
      await page.context().close()
    }
}

it('installs WeCom from our page and DingTalk from its store, and reclaims credentials that a stranger has bound', async () => {
  const [one, two, outsider] = [await head(), await head(), await head()]
  const suites = { wecom: getSuite('wecom'), dingtalk: getSuite('dingtalk') }
  const wecom = chatCompany(simulator, 'wecom', {
    app: { app_id: stores.wecom.id, secret: 'permanent', suite: suites.wecom, origin: address },
  })
  const dingtalk = chatCompany(simulator, 'dingtalk', {
    app: { app_id: stores.dingtalk.id, secret: '', suite: suites.dingtalk, origin: address, activationCode: 'permanent' },
  })
  for (const { app, both } of [wecom, dingtalk]) simulator.changeApp(app, { installer: both.user_id })

  // No event has been pushed yet: the page states that, and the user tries again.
  const page = await getDesk(one)
  await page.getByRole('button', { name: '安装到企业微信' }).click()
  await toasted(page, '还没有收到平台推送给应用的凭据')
  await examine(page, 'install-no-ticket-1440')
  await looked(one, 'choose', (each) => each.getByRole('button', { name: '安装到企业微信' }).waitFor())
  for (const suite of Object.values(suites)) await simulator.issueTicket(suite)
  await page.goto('/companyThird?state=given-up')
  await toasted(page, '没有完成授权，可以重新开始')
  await page.getByRole('button', { name: '安装到企业微信' }).click()
  await page.getByRole('heading', { name: '企业微信示例科技' }).waitFor()
  expect(new URL(page.url()).search).toBe('')
  await page.getByText('第一次同步，请先看看会有哪些变化').waitFor()
  await page.getByRole('button', { name: '确认更新' }).click()
  await page.getByText('企业微信不向应用提供姓名、手机号').waitFor()
  await mustFit(page)
  await looked(one, 'bound', (each) => each.getByText('企业微信不向应用提供姓名、手机号').waitFor())

  // A stranger has typed this company's credentials and those of an application that may not read its owner.
  const unread = { permissions: ['contact:contact:readonly_as_app', 'contact:contact.base:readonly'], origin: address }
  const theirs = chatCompany(simulator, 'lark', { app: unread })
  const ours = chatCompany(simulator, 'lark', { app: unread })
  const { app_id, secret } = theirs.app
  await outsider.must(binding.bindPlatform, { provider: 'lark', corp_id: ours.corp_id, app_id, secret })
  await looked(outsider, 'unproved', (each) => each.getByText('尚未证实').waitFor())
  const real = await getDesk(two)
  const feishu = real.getByRole('listitem').filter({ has: real.getByRole('heading', { name: '飞书' }) })
  await feishu.getByRole('button', { name: '绑定飞书' }).click()
  const dialog = real.getByRole('dialog', { name: '绑定飞书' })
  await dialog.getByLabel('Tenant Key（企业标识）').fill(ours.corp_id)
  await dialog.getByLabel('App ID').fill(ours.app.app_id)
  await dialog.getByLabel('App Secret', { exact: true }).fill(ours.app.secret)
  await dialog.getByRole('button', { name: '检测并绑定' }).click()
  const proof = real.getByRole('dialog', { name: '这个企业标识已被另一家公司占用' })
  await proof.getByRole('button', { name: '去飞书登录证实' }).waitFor()
  await examine(real, 'install-prove-1440')
  await proof.getByRole('button', { name: '去飞书登录证实' }).click()
  await real.getByRole('link', { name: /张三/ }).click()
  // The company name is among what this application may not read.
  await until(async () => (await two.must(binding.getPlatformInfo)).bound !== null).toBe(true)
  await looked(outsider, 'displaced', (each) => each.getByText('另一家公司证实了这家企业是它的').waitFor())

  // The application is installed in the store first, then here by the same administrator.
  const third = await head()
  await simulator.callbackSender.sendChange(dingtalk.app, { kind: 'app', action: 'enabled' })
  await until(() =>
    world.database.withoutCompany((tx) =>
      tx.selectFrom('platform_install').select('agent_id').where('corp_id', '=', dingtalk.corp_id).execute(),
    ),
  ).toHaveLength(1)
  const claim = await getDesk(third)
  const card = claim.getByRole('listitem').filter({ has: claim.getByRole('heading', { name: '钉钉' }) })
  await card.getByRole('button', { name: '已安装，认领' }).click()
  await claim.getByRole('link', { name: /张三/ }).click()
  await claim.getByRole('heading', { name: '钉钉示例科技' }).waitFor()
  expect([real, claim].flatMap(({ complaints }) => complaints)).toEqual([])
})
