/**
 * Measures the roster of a large company in a real browser: the time from an input to its paint, with 20,000 members in
 * 2,000 departments that come from an import. For every click, key and wheel turn it measures the time to the next
 * frame, the time until the requested members are shown, and the number of calls. A bare page for comparison shows what
 * browser and machine cost by themselves.
 */
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import * as contract from '../../server/contract/directory/import.ts'
import { newId } from '../../server/shared/ids.ts'
import { HttpCaller } from '../support/callers/http.ts'
import { makeXlsx } from '../support/files/xlsx.ts'
import { ensureChromium, findChromium, swiftArgs } from '../support/run/chromium.ts'
import { startServer } from '../support/run/server.ts'
import { person } from './baseline.ts'
import { getRow, header } from './roster.ts'

/** Milliseconds. */
type Spread = { readonly count: number; readonly p50: number; readonly p95: number; readonly most: number }
export type Waited = {
  readonly what: string
  /** Time from each input event to the frame that shows it. */
  readonly paint: Spread
  /** Time until the requested content is shown, the server's response included. */
  readonly there: Spread | null
  /** CPU time of the page's main thread for each event: what remains of it on an idle machine. */
  readonly cpu: number
  readonly calls: number
}
type Box = { waits: number[] }

/** Runs in the page: measures every input event until the next frame is painted. */
function watchWorkers(): void {
  const box = Object.assign(window, { waits: [] as number[] })
  const channel = new MessageChannel()
  const open: number[] = []
  channel.port1.addEventListener('message', () => {
    const now = performance.now()
    for (const at of open.splice(0)) box.waits.push(now - at)
  })
  channel.port1.start()
  for (const type of ['pointerdown', 'click', 'keydown', 'input', 'wheel'])
    window.addEventListener(
      type,
      (event) => {
        open.push(event.timeStamp)
        // The message arrives after the next frame.
        requestAnimationFrame(() => channel.port2.postMessage(null))
      },
      { capture: true, passive: true },
    )
}

function spread(times: readonly number[]): Spread {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), most: sorted.at(-1) ?? Number.NaN }
}

export async function largeRoster(people: number): Promise<{ import_ms: number; waited: Waited[] }> {
  ensureChromium()
  const server = await startServer()
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: swiftArgs })
  try {
    const head = server.signIns.find(({ text }) => text.includes('薪酬管理员（全公司）'))?.phone ?? ''
    const caller = await new HttpCaller(server.address).signIn(head)
    const began = performance.now()
    const rows = Array.from({ length: people }, (_, row) => getRow(row))
    const bytes = makeXlsx({ sheets: [{ name: '花名册', rows: [header, ...rows] }] })
    const { import_id } = await caller.must(contract.importMemberFile, { import_id: newId() }, { name: 'large.xlsx', bytes })
    await caller.must(contract.uploadMembers, { import_id, mode: 'update' })
    const import_ms = performance.now() - began
    return { import_ms, waited: [await bare(browser), ...(await pass(browser, server.address, caller, people))] }
  } finally {
    await browser.close()
    await server.stop()
  }
}

const desk = { viewport: { width: 1440, height: 900 } }

/** Observes one page: an action, its duration and its requests. */
async function watched(context: BrowserContext) {
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.addInitScript(watchWorkers)
  const notified: Waited[] = []
  let calls = 0
  const cdp = await context.newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const busy = async (): Promise<number> => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
  }
  page.on('request', (request) => {
    if (/\/(api|Api)\//.test(request.url())) calls += 1
  })
  const during = async (what: string, work: () => Promise<number[] | void>): Promise<void> => {
    await page.evaluate(() => void (window as unknown as Box).waits.splice(0))
    const before = { calls, busy: await busy() }
    const until = await work()
    await page.waitForTimeout(300)
    const waits = await page.evaluate(() => (window as unknown as Box).waits)
    const cpu = ((await busy()) - before.busy) / Math.max(1, waits.length)
    notified.push({ what, paint: spread(waits), there: until ? spread(until) : null, cpu, calls: calls - before.calls })
  }
  return { page, notified, during }
}

const timed = async (act: () => Promise<void>, there: () => Promise<unknown>): Promise<number> => {
  const since = performance.now()
  await act()
  await there()
  return performance.now() - since
}

async function turned(page: Page, over: Locator, times: number): Promise<void> {
  await over.hover()
  for (let slot = 0; slot < times; slot += 1) {
    await page.mouse.wheel(0, slot % 12 < 9 ? 400 : -700)
    await page.waitForTimeout(30)
  }
}

/** Measures a bare page with a field and a long text, without code of the product. */
async function bare(browser: Browser): Promise<Waited> {
  const context = await browser.newContext(desk)
  const { page, notified, during } = await watched(context)
  await page.goto('about:blank')
  await page.setContent(`<input id="field"><p>${'一行<br>'.repeat(2_000)}</p>`)
  await page.evaluate(watchWorkers)
  await during('a bare page: keys and turns of the wheel', async () => {
    await page.locator('#field').pressSequentially('12345678'.repeat(5), { delay: 40 })
    await turned(page, page.locator('#field'), 40)
  })
  await context.close()
  const [one] = notified
  if (!one) throw new Error('nothing was measured')
  return one
}

async function pass(browser: Browser, address: string, caller: HttpCaller, people: number): Promise<Waited[]> {
  const context = await browser.newContext(desk)
  await context.addCookies(caller.cookies)
  const { page, notified, during } = await watched(context)
  await page.addInitScript((half) => localStorage.setItem('user-token', half), caller.token)
  await page.goto(`${address}/home`)
  const entry = page.getByRole('main').getByRole('link', { name: '花名册' })
  await entry.waitFor()
  const row = page.locator('.table-rows-table tbody > tr').first()
  const node = page.locator('[data-department]').nth(1)
  await during('opening', async () => {
    const arrive = () => Promise.all([row.waitFor(), node.waitFor()])
    const times = [await timed(() => entry.click(), arrive)]
    for (let round = 0; round < 5; round += 1) {
      await page.getByRole('link', { name: '首页' }).first().click()
      await entry.waitFor()
      times.push(await timed(() => entry.click(), arrive))
    }
    return times
  })
  await during('scrolling 2,000 departments', () => turned(page, node, 60))
  await page.goto(`${address}/companyMember?pagesize=100`)
  await row.waitFor()
  await during('scrolling 100 people', () => turned(page, row, 40))
  await during('searching people', () => searchPeople(page, people))
  await during('searching departments', () => searchDepartments(page))
  await during('choosing departments', () => chooseDepartments(page))
  await during('folding and unfolding', async () => {
    const switches = page.locator('.ant-tree-switcher:not(.ant-tree-switcher-noop)')
    for (let round = 0; round < 10; round += 1) {
      await switches.nth(1).click()
      // The tree unfolds with an animation; a click during it would hit another node.
      await page.waitForTimeout(600)
    }
  })
  await context.close()
  return notified
}

async function searchPeople(page: Page, people: number): Promise<number[]> {
  const search = page.getByPlaceholder('姓名、拼音、手机号或工号')
  const matchOne = page.getByText('共 1 人', { exact: true })
  const times: number[] = []
  for (let round = 0; round < 10; round += 1) {
    const { mobile } = person(round * Math.floor(people / 10) + 7)
    await search.fill('')
    await search.pressSequentially(mobile.slice(-8), { delay: 40 })
    times.push(
      await timed(
        () => search.press('Enter'),
        () => matchOne.waitFor(),
      ),
    )
    await search.fill('')
    await search.press('Enter')
    await matchOne.waitFor({ state: 'detached' })
  }
  return times
}

async function searchDepartments(page: Page): Promise<number[]> {
  const search = page.getByPlaceholder('搜索部门')
  const times: number[] = []
  for (let round = 0; round < 10; round += 1) {
    const requested = `小组${1_017 + round * 90}`
    await search.fill('')
    await search.pressSequentially(requested, { delay: 40 })
    const visible = page.locator('.tree-dept-name', { hasText: new RegExp(`^${requested}$`) })
    times.push(
      await timed(
        () => search.press('Enter'),
        () => visible.first().waitFor(),
      ),
    )
  }
  await search.fill('')
  await search.press('Enter')
  return times
}

async function chooseDepartments(page: Page): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round < 12; round += 1) {
    const one = page.locator('.tree-dept-name').nth(2 + round)
    const name = (await one.textContent()) ?? ''
    const head = page.locator('.member-here strong', { hasText: new RegExp(`^${name}$`) })
    times.push(
      await timed(
        () => one.click(),
        () => head.waitFor(),
      ),
    )
  }
  return times
}
