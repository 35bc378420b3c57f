/**
 * A company whose member names are hidden by WeCom, as its administrator sees it: a browser shows accounts, a search by
 * name and a file; inside WeCom the page shows names and members can be picked. A user decides every match.
 */
import { fileURLToPath } from 'node:url'
import { readXlsx } from 'hucre'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPlatforms, getSimulatorHosts } from '../../../platform/index.ts'
import { Simulator } from '../../../platform/simulator/index.ts'
import { toOpenUserId } from '../../../platform/simulator/wecom/ids.ts'
import * as binding from '../../../server/contract/platform-binding/binding.ts'
import * as installing from '../../../server/contract/platform-binding/install.ts'
import { ManualClock } from '../../../server/shared/clock.ts'
import { examine, mustFit, newPage, openBrowser, type Tab, type View } from '../../support/journey/browser.ts'
import { settle, until } from '../../support/journey/journey.ts'
import { type ChatCompany, chatCompany } from '../../support/outside/chat-company.ts'
import { wecomTab } from '../../support/outside/wecom-client.ts'
import { startTestCluster, type TestCluster } from '../../support/run/database.ts'
import { freePort } from '../../support/run/server.ts'
import { type Caller, type Corp, startWorld, type World } from '../../support/world.ts'

const port = await freePort()
const address = `http://127.0.0.1:${port}`
const clock = new ManualClock(new Date().toISOString())
const simulator = new Simulator(() => clock.now().getTime())
simulator.state.limits.isEnabled = false
simulator.callbackSender.delayScale = 0

const keys = { token: 'token-of-the-suite', aes_key: '4g5j64qlyl3zvetqxz5jiocdr586fn2zvjpa8zls3ij' }
const maker = { corp_id: 'wwmaker0001', secret: 'secret-of-the-maker' }
const own = { id: 'wwsuite0001', secret: 'secret-of-the-suite-w', ...keys, page: null, developer: maker }
const suite = simulator.addSuite({
  provider: 'wecom',
  id: own.id,
  secret: own.secret,
  ticket: null,
  developer: maker,
  callback: { url: `${address}${binding.getCallbackPath('wecom', binding.storeAppKey)}`, ...keys },
})

let cluster: TestCluster
let world: World
let browser: Browser
let simulated: string
beforeAll(async () => {
  cluster = await startTestCluster()
  simulated = await simulator.listen()
  const platforms = createPlatforms({ hosts: getSimulatorHosts(simulated), now: () => clock.now().getTime() })
  const client_dir = fileURLToPath(new URL('../../../dist', import.meta.url))
  const stores = { wecom: own }
  ;[world, browser] = await Promise.all([startWorld({ platforms, clock, client_dir, port, stores }), openBrowser()])
  await world.listen()
  await world.product.start({ sole: true })
  await simulator.issueTicket(suite)
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
  await simulator.close()
  await cluster?.close()
})

type Office = ChatCompany & { readonly corp: Corp; readonly head: Caller }
/** Creates a company that has installed the application and whose directory has been read. */
async function office(): Promise<Office> {
  const corp = await world.createCompany({ provider: null })
  const person = await corp.person({ name: '沈知遥', power: ['1'] })
  await world.database.withoutCompany((tx) =>
    tx.updateTable('account').set({ password_hash: 'set' }).where('id', '=', person.account_id).execute(),
  )
  const head = await world.signIn(person)
  const company = chatCompany(simulator, 'wecom', { app: { app_id: own.id, secret: 'permanent', suite, origin: address } })
  simulator.changeApp(company.app, { installer: company.both.user_id })
  const page = new URL((await head.must(installing.installPlatform, { provider: 'wecom', mode: 'install' })).url)
  page.searchParams.set('corp', company.corp_id)
  const back = new URL((await fetch(page, { redirect: 'manual' })).headers.get('location') ?? '').searchParams
  await head.must(installing.finishInstall, { state: back.get('state') ?? '', code: back.get('auth_code') ?? '' })
  const sync = async () => (await head.must(binding.getSyncStatus)).sync
  await until(async () => (await sync())?.state).toBe('held')
  await head.must(binding.applySync, { sync_id: (await sync())?.sync_id ?? '' })
  await until(async () => (await sync())?.state).toBe('done')
  return { ...company, corp, head }
}
async function signedIn(page: Tab, { headers }: Caller): Promise<Tab> {
  const cookies = (headers.cookie ?? '').split('; ').map((one) => one.split('='))
  await page.context().addCookies(cookies.map(([name = '', value = '']) => ({ name, value, url: address })))
  await page.addInitScript((token) => localStorage.setItem('user-token', token), headers['user-token'] ?? '')
  return page
}
const row = (page: Tab, text: string) => page.getByRole('listitem').filter({ hasText: text }).filter({ hasText: '花名册' })
const views: readonly Required<View>[] = [1440, 360].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
)
/** Takes pictures of one part of the page in every view. */
async function looked(page: Tab, name: string, some = views): Promise<void> {
  for (const { width, scheme } of some) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: scheme })
    await page.locator('#platform-combine').evaluate((head) => head.scrollIntoView({ block: 'start' }))
    await mustFit(page)
    await examine(page, `names-${name}-${width}-${scheme}`)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.emulateMedia({ colorScheme: 'light' })
}

it('shows accounts, a search by name and a file that the platform fills with names in a browser', async () => {
  const company = await office()
  const [zhang] = [await company.corp.person({ name: '张三' }), await company.corp.person({ name: '周宁' })]
  const id = (one: { user_id: string }) => toOpenUserId(company.corp_id, one.user_id)
  const page = await signedIn(await newPage(browser, address), company.head)
  await page.goto('/companyThird')
  await page.getByText('企业微信不把姓名交给应用').waitFor()
  await row(page, id(company.both)).waitFor()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: address })
  await page.getByRole('button', { name: '复制链接，到企业微信里打开' }).click()
  await until(() => page.toasts.join()).toContain('链接已复制')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `${address}/entry?corp=${company.corp_id}&page=%2FcompanyThird`,
  )
  await looked(page, 'outside')

  simulator.addError({ provider: 'wecom', path: '/batchsearch', kind: 'too_many' })
  await page.getByRole('button', { name: '按姓名查找' }).click()
  await page.getByRole('alert').filter({ hasText: '没有查到' }).waitFor()
  // Again by keyboard.
  await page.getByRole('button', { name: '按姓名查找' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText(/查了 3 个姓名，找到 1 个账号/).waitFor()
  const match = row(page, id(company.both))
  await match.getByText('按姓名在企业微信里找到的账号').waitFor()
  await examine(page, 'names-found-1440')
  await match.getByRole('button', { name: '是这个人' }).click()
  await match.waitFor({ state: 'detached' })
  const { conflicts } = await company.head.must(binding.getCorpCombineInfo, { kind: 'same' })
  expect(conflicts.map(({ candidates }) => candidates.map(({ member_id }) => member_id))).toEqual([[zhang.member_id]])

  simulator.addError({ provider: 'wecom', path: '/id_translate', kind: 'broken' })
  await page.getByRole('button', { name: '导出核对表' }).click()
  const failed = page.getByRole('alert').filter({ hasText: '没有导出' })
  await failed.waitFor()
  await examine(page, 'names-file-failed-1440')
  simulator.state.taskDurationMs = 60_000
  await failed.getByRole('button', { name: '重新导出' }).click()
  await page.getByText('企业微信正在把姓名写进').waitFor()
  await examine(page, 'names-file-waiting-1440')
  simulator.state.taskDurationMs = 0
  const link = page.getByRole('link', { name: '从企业微信下载' })
  await link.waitFor()
  await examine(page, 'names-file-ready-1440')
  // A user who is not signed in to the platform gets its error; a signed-in user gets the file.
  const at = (await link.getAttribute('href')) ?? ''
  expect(await (await page.request.get(at)).text()).toContain('参数错误')
  await page.context().addCookies([{ name: 'simulated_wecom', value: company.corp_id, url: simulated }])
  const book = await readXlsx(await (await page.request.get(at)).body())
  expect(book.sheets[0]?.rows.map((cells) => cells[1])).toEqual(expect.arrayContaining(['张三', '李四', '王五']))
  await page.getByRole('button', { name: '关闭：导出核对表' }).click()
  await link.waitFor({ state: 'detached' })
  expect(page.complaints).toEqual([])
  await page.context().close()
})

it('shows names inside WeCom, and matches a picked user with a member', async () => {
  const company = await office()
  await company.corp.person({ name: '李思', employee_no: 'A-17' })
  const { page, chooses } = await wecomTab(browser, address, simulator, company)
  await signedIn(page, company.head)
  // The user comes from another desktop page, because the content security policy is fixed when a document is opened.
  await page.goto('/companyInfo')
  await page.getByRole('link', { name: '办公平台' }).last().click()
  await page.getByText('姓名和部门由企业微信直接画在页面上').waitFor()
  await row(page, '李四').waitFor()
  await row(page, '王五').filter({ hasText: '财务' }).waitFor()
  await looked(page, 'inside')

  // When no user is selected, nothing happens.
  await page.getByRole('button', { name: '在企业微信里选人' }).click()
  await page.getByRole('button', { name: '在企业微信里选人' }).and(page.locator(':not(.ant-btn-loading)')).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  chooses(company.plain)
  await page.getByRole('button', { name: '在企业微信里选人' }).click()
  const dialog = page.getByRole('dialog', { name: '这个账号是花名册里的谁？' })
  await dialog.filter({ hasText: '李四' }).waitFor()
  await dialog.getByRole('radio', { name: /李思/ }).check()
  await dialog.getByRole('button', { name: '是李思' }).waitFor()
  await looked(page, 'dialog')
  await dialog.getByRole('button', { name: '是李思' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await row(page, '李四').waitFor({ state: 'detached' })
  expect((await company.head.must(binding.getCorpCombineInfo, { kind: 'same' })).same).toBe(1)

  // Selecting a user again shows the current match.
  await page.getByRole('button', { name: '在企业微信里选人' }).click()
  await dialog.getByText('现在对应').waitFor()
  await settle(page)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  // The same action is available from the row.
  await row(page, '王五')
    .getByRole('button', { name: /从花名册选/ })
    .click()
  await dialog.filter({ hasText: '王五' }).waitFor()
  await dialog.getByRole('button', { name: '取消' }).click()
  expect(page.complaints).toEqual([])
  await page.context().close()
})

it('rejects users whom the application may not see, and asks again when the client returns no names', async () => {
  const company = await office()
  const lastSync = async () => (await company.head.must(binding.getSyncStatus)).sync
  const first = await lastSync()
  simulator.changeApp(company.app, { range: { department_ids: ['2'], user_ids: [] } })
  // The directory is read again for that, and then the page reloads.
  const isRead = async () => {
    const last = await lastSync()
    return last?.sync_id === first?.sync_id ? null : last?.state
  }
  await until(isRead).toBe('done')
  const { page, chooses } = await wecomTab(browser, address, simulator, company, { width: 360 })
  await signedIn(page, company.head)
  await page.addInitScript(() => {
    const requested = window as unknown as { simulatedRefusals?: string[] }
    requested.simulatedRefusals = ['wwapp.initWwOpenData']
  })
  await page.goto('/companyThird')
  const failed = page.getByRole('alert').filter({ hasText: '这个版本的企业微信不能显示姓名' })
  await failed.waitFor()
  await mustFit(page)
  await examine(page, 'names-failed-360')
  await page.evaluate(() => {
    const requested = window as unknown as { simulatedRefusals?: string[] }
    requested.simulatedRefusals = []
  })
  await failed.getByRole('button', { name: '重试' }).click()
  await row(page, '张三').waitFor()
  chooses(company.plain)
  await page.getByRole('button', { name: '在企业微信里选人' }).click()
  await until(() => page.toasts.join()).toContain('不在应用的可见范围内')
  expect(page.complaints).toEqual([])
  await page.context().close()
})
