/**
 * The roster of a large company in a real browser: how long a hand waits until what it did is painted. 20,000 people in 2,000 departments, come by an
 * import as they would. Of every press, key and turn of the wheel the time from the event to the frame after it; and until the people that were asked
 * for stand there.
 */
import { type Browser, chromium, type Page } from 'playwright-core'
import * as contract from '../../server/contract/people/import.ts'
import { newId } from '../../server/runtime/ids.ts'
import { chromiumArgs, ensureChromium, findChromium } from '../kit/chromium.ts'
import { HttpCaller } from '../kit/http.ts'
import { startServer } from '../kit/server.ts'
import { makeXlsx } from '../kit/xlsx.ts'
import { person } from './baseline.ts'
import { header, rowOf } from './roster.ts'

export type Waited = {
  readonly what: string
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly most: number
}
type Box = { waits: { type: string; ms: number }[] }

/** In the page: every event of a hand, until the frame behind it is painted. */
function watchHands(): void {
  const box = Object.assign(window, { waits: [] as Box['waits'] })
  const channel = new MessageChannel()
  const open: { type: string; at: number }[] = []
  channel.port1.addEventListener('message', () => {
    const now = performance.now()
    for (const { type, at } of open.splice(0)) box.waits.push({ type, ms: now - at })
  })
  channel.port1.start()
  for (const type of ['pointerdown', 'click', 'keydown', 'input', 'wheel'])
    window.addEventListener(
      type,
      (event) => {
        open.push({ type, at: event.timeStamp })
        // Behind the next frame comes what is told now.
        requestAnimationFrame(() => channel.port2.postMessage(null))
      },
      { capture: true, passive: true },
    )
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
const told = (what: string, times: readonly number[]): Waited => {
  const sorted = times.toSorted((a, b) => a - b)
  return { what, count: sorted.length, p50: at(sorted, 0.5), p95: at(sorted, 0.95), most: sorted.at(-1) ?? Number.NaN }
}

export async function largeRoster(people: number): Promise<{ import_ms: number; waited: Waited[] }> {
  ensureChromium()
  const server = await startServer()
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: chromiumArgs })
  try {
    const head = server.signIns.find(({ text }) => text.includes('薪酬管理员（全公司）'))?.phone ?? ''
    const caller = await new HttpCaller(server.address).signIn(head)
    const began = performance.now()
    const rows = Array.from({ length: people }, (_, row) => rowOf(row))
    const bytes = makeXlsx({ sheets: [{ name: '花名册', rows: [header, ...rows] }] })
    const { import_id } = await caller.must(contract.importMemberFile, { import_id: newId() }, { name: 'large.xlsx', bytes })
    await caller.must(contract.uploadMembers, { import_id, mode: 'update' })
    const import_ms = performance.now() - began
    return { import_ms, waited: await hands(browser, server.address, caller, people) }
  } finally {
    await browser.close()
    await server.stop()
  }
}

async function hands(browser: Browser, address: string, caller: HttpCaller, people: number): Promise<Waited[]> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await context.addCookies(caller.cookies)
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  await page.addInitScript(watchHands)
  await page.addInitScript((half) => localStorage.setItem('user-token', half), caller.token)
  await page.goto(`${address}/home`)
  const menu = page.getByRole('navigation', { name: '主菜单' }).getByRole('link', { name: '花名册' })
  await menu.waitFor()
  const waited: Waited[] = []
  const during = async (what: string, work: () => Promise<number[] | void>): Promise<void> => {
    await page.evaluate(() => void (window as unknown as Box).waits.splice(0))
    const until = await work()
    await page.waitForTimeout(300)
    const { waits } = await page.evaluate(() => ({ waits: (window as unknown as Box).waits }))
    waited.push(
      told(
        `${what}: to the next paint`,
        waits.map(({ ms }) => ms),
      ),
    )
    if (until) waited.push(told(`${what}: until it stands there`, until))
  }
  const timed = async (act: () => Promise<void>, there: () => Promise<unknown>): Promise<number> => {
    const since = performance.now()
    await act()
    await there()
    return performance.now() - since
  }
  const row = page.locator('.ant-table-row').first()
  const node = page.locator('[data-department]').nth(1)

  await during('opening', async () => [
    await timed(
      () => menu.click(),
      () => Promise.all([row.waitFor(), node.waitFor()]),
    ),
  ])
  await during('scrolling the departments', () => turned(page, node, 60))
  await during('scrolling the people', () => turned(page, row, 40))
  const search = page.getByPlaceholder('按姓名、拼音、手机号或工号查找')
  await during('searching people', async () => {
    const times: number[] = []
    for (let round = 0; round < 10; round += 1) {
      const { mobile } = person(round * Math.floor(people / 10) + 7)
      await search.fill('')
      await search.pressSequentially(mobile.slice(-8), { delay: 40 })
      times.push(
        await timed(
          () => search.press('Enter'),
          () => page.getByText('1 人', { exact: true }).waitFor(),
        ),
      )
      await search.fill('')
      await search.press('Enter')
      await page.getByText('1 人', { exact: true }).waitFor({ state: 'detached' })
    }
    return times
  })
  const places = page.getByPlaceholder('查找部门')
  await during('searching departments', async () => {
    const times: number[] = []
    for (let round = 0; round < 10; round += 1) {
      const wanted = `小组${round * 190 + 17}`
      await places.fill('')
      await places.pressSequentially(wanted, { delay: 40 })
      const shown = page.locator('.dept-name', { hasText: new RegExp(`^${wanted}$`) })
      times.push(
        await timed(
          () => places.press('Enter'),
          () => shown.first().waitFor(),
        ),
      )
    }
    await places.fill('')
    await places.press('Enter')
    return times
  })
  await during('choosing departments', async () => {
    const times: number[] = []
    for (let round = 0; round < 12; round += 1) {
      const one = page.locator('.dept-name').nth(2 + (round % 12))
      const name = (await one.textContent()) ?? ''
      times.push(
        await timed(
          () => one.click(),
          () => page.locator('.member-here strong', { hasText: name }).waitFor(),
        ),
      )
    }
    return times
  })
  await during('folding and unfolding', async () => {
    const switches = page.locator('.ant-tree-switcher:not(.ant-tree-switcher-noop)')
    for (let round = 0; round < 10; round += 1) {
      await switches.nth(1 + (round % 3)).click()
      await page.waitForTimeout(120)
    }
  })
  await context.close()
  return waited
}

async function turned(page: Page, over: ReturnType<Page['locator']>, times: number): Promise<void> {
  await over.hover()
  for (let turn = 0; turn < times; turn += 1) {
    await page.mouse.wheel(0, turn % 12 < 9 ? 400 : -700)
    await page.waitForTimeout(30)
  }
}
