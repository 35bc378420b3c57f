/**
 * Real Chromium with tabs that are wiped and reused for the next user. A new tab is a new process with empty caches,
 * which costs two seconds of work before anything is shown; a reused one half a second.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type Axe from 'axe-core'
import type { RunOptions } from 'axe-core'
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { chromiumArgs, findChromium } from '../run/chromium.ts'
import { isFull, isSelected } from '../run/trial.ts'

export type View = { width?: number; scheme?: 'light' | 'dark' }
/**
 * The views are a light desktop and a dark phone, and the reverse: together they cover each width and each color
 * scheme.
 */
export const dayAtDesk = [
  { width: 1440, scheme: 'light' },
  { width: 360, scheme: 'dark' },
] as const
export const nightAtDesk = [
  { width: 1440, scheme: 'dark' },
  { width: 360, scheme: 'light' },
] as const
/**
 * `fresh`: an unused tab, for what cannot be undone or where a cold cache is the subject. `clock`: with a clock that
 * the test advances. `agent`: the user agent. `touch`: a touch phone without a mouse.
 */
export type Options = { fresh?: boolean; clock?: boolean; agent?: string; touch?: boolean }
/** A page, the errors of its console (none when it is returned), and the toasts that it has shown, gone or not. */
export type Tab = Page & { complaints: string[]; toasts: string[] }
const shots = join(import.meta.dirname, '../../e2e/shots')
/** Timeout for what a user would wait for, on a machine under any load. */
export const patience_ms = 60_000

/** Opens a separate browser. */
export function openBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (!executablePath) throw new Error('no Chromium on this machine')
  // Without a locale Chromium saves files with Chinese names as 'download'.
  return chromium.launch({ executablePath, args: chromiumArgs, env: { ...process.env, LC_ALL: 'C.UTF-8' } })
}

/** Opens a page with its own storage and cookies. The caller that opened the browser closes it. */
export async function newPage(
  browser: Browser,
  address: string,
  view: View = {},
  { agent, touch }: Pick<Options, 'agent' | 'touch'> = {},
): Promise<Tab> {
  const context = await browser.newContext({
    baseURL: address,
    acceptDownloads: true,
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    reducedMotion: 'reduce',
    ...(agent ? { userAgent: agent } : {}),
    ...(touch ? { hasTouch: true, isMobile: true } : {}),
  })
  const page = (await context.newPage()) as Tab
  page.complaints = []
  page.toasts = []
  await page.exposeFunction('toastCame', (message: string) => void page.toasts.push(message))
  await page.addInitScript(notificationToasts)
  await page.addInitScript(countCalls, late_ms)
  page.on('pageerror', (error) => page.complaints.push(error.message))
  page.on('console', (line) => {
    // An overloaded server sheds calls before they begin, and the page retries by itself (`api-core.ts`).
    if (line.type() === 'error' && !line.text().includes('status of 503'))
      page.complaints.push(`${line.text()} (${line.location().url})`)
  })
  page.setDefaultTimeout(patience_ms)
  await dress(page, view)
  return page
}

/** Runs in the page: reports the kind and text of each toast at once, because the page may navigate away. */
function notificationToasts(): void {
  const toasts = '.ant-message-notice, .pocket-toast'
  const notify = (message: string) => (window as unknown as { toastCame: (said: string) => void }).toastCame(message)
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (!(node instanceof Element)) continue
      for (const one of node.matches(toasts) ? [node] : node.querySelectorAll(toasts))
        notify(`${/ant-message-(success|error|info)/.exec(one.outerHTML)?.[1] ?? ''} ${one.textContent}`)
    }
  }).observe(document, { childList: true, subtree: true })
}

/**
 * `XINHAN_LATE_MS=1500` delays each response by up to that time, so that responses overtake one another. No journey may
 * fail by that.
 */
const late_ms = Number(process.env.XINHAN_LATE_MS ?? 0)

/** Runs in the page: counts the calls without a response. */
function countCalls(late: number): void {
  const page = window as unknown as { callsOpen: number }
  page.callsOpen = 0
  const plain = window.fetch
  // Uses the browser's clock, also while the page's clock is paused.
  const timer = window.setTimeout
  window.fetch = async (...requested) => {
    page.callsOpen += 1
    try {
      const answer = await plain(...requested)
      if (late > 0) await new Promise((come) => timer(come, late * Math.random()))
      return answer
    } finally {
      page.callsOpen -= 1
    }
  }
}

/** Sets window width and color scheme, also of an open page. */
export async function dress(page: Page, { width = 1440, scheme = 'light' }: View): Promise<void> {
  await page.setViewportSize({ width, height: width < 500 ? 780 : 900 })
  await page.emulateMedia({ colorScheme: scheme })
}

/** Each tab uses its own client address, as users do, because rate limits count by address. */
let addresses = 0
export function nextAddress(): string {
  addresses += 1
  const worker = Number(process.env.VITEST_POOL_ID ?? 0)
  return `10.${(process.pid >> 8) % 256}.${(process.pid + worker) % 256}.${addresses % 256}`
}

type Stored = { page: Tab; cdp: CDPSession; fresh: boolean }

/** The tabs of one server. */
export class Tabs {
  readonly #browser: Browser
  readonly #address: string
  readonly #free: Stored[] = []
  readonly #used = new Map<BrowserContext, Stored>()
  constructor(browser: Browser, address: string) {
    this.#browser = browser
    this.#address = address
  }

  async take(view: View & Options = {}): Promise<Tab & { readonly peer: string }> {
    const fresh = view.fresh ?? view.clock ?? view.touch ?? view.agent !== undefined
    const stored = (fresh ? undefined : this.#free.pop()) ?? (await this.#open(fresh, view))
    const { page } = stored
    const peer = nextAddress()
    this.#used.set(page.context(), stored)
    await page.context().setExtraHTTPHeaders({ 'x-forwarded-for': peer })
    await dress(page, view)
    if (view.clock) await page.clock.install()
    return Object.assign(page, { peer })
  }

  async #open(fresh: boolean, options: Options): Promise<Stored> {
    const page = await newPage(this.#browser, this.#address, {}, options)
    return { page, cdp: await page.context().newCDPSession(page), fresh }
  }

  /** Takes a tab back and returns the errors of its console. */
  async give(context: BrowserContext): Promise<string[]> {
    const stored = this.#used.get(context)
    if (!stored) return []
    this.#used.delete(context)
    const complaints = stored.page.complaints.splice(0)
    try {
      if (stored.fresh) throw new Error('for one use')
      await this.#wipe(stored)
      this.#free.push(stored)
    } catch {
      await context.close()
    }
    return complaints
  }

  async #wipe({ page, cdp }: Stored): Promise<void> {
    const context = page.context()
    for (const other of context.pages()) if (other !== page) await other.close()
    for (const name of ['request', 'response', 'download', 'filechooser'] as const) page.removeAllListeners(name)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    await context.clearCookies()
    // A page of the server that runs no script and stores nothing.
    await page.goto('/healthz')
    await page.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    })
    await page.goto('about:blank')
    await cdp.send('Page.resetNavigationHistory')
    page.complaints.length = 0
    page.toasts.length = 0
  }
}

/** Takes a picture for visual review (`XINHAN_PICTURES=1`); of failures always. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env.XINHAN_PICTURES !== '1' && !name.startsWith('failed')) return
  mkdirSync(shots, { recursive: true })
  await page.screenshot({ path: join(shots, `${name}.png`) })
}

/** The file is minified, because the browser parses it again in every page. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Rules required by law are checked in every run; a full run also checks axe's recommendations. */
const law = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const axeOptions: RunOptions = {
  resultTypes: ['violations'],
  ...(isFull ? {} : { runOnly: { type: 'tag' as const, values: law } }),
}

/**
 * Waits for color transitions, during which contrast is undefined: a dark check begins when the last light color has
 * faded.
 */
const coloursStand = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const endless = (one: Animation) => one.effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY
    for (;;) {
      await frame()
      await frame()
      const running = document.getAnimations().filter((one) => one.playState === 'running' && !endless(one))
      if (running.length === 0) return
      await Promise.allSettled(running.map((one) => one.finished))
    }
  })

/**
 * Checks that there are no serious violations for users of a screen reader or keyboard or who need contrast. Only the
 * findings are transferred from the page.
 */
export async function mustBeAccessible(page: Page): Promise<void> {
  // After a navigation within the app axe is still loaded.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  await coloursStand(page)
  const serious = await page.evaluate(async (options) => {
    const { violations } = await (window as unknown as { axe: typeof Axe }).axe.run(document, options)
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
  }, axeOptions)
  expect(serious, `${page.url()} is not accessible`).toEqual([])
}

/**
 * Examines a state or dialog that `every-page` does not reach: takes a picture and checks accessibility. Axe takes as
 * long as a step of a journey, so every run checks a fourth of them, selected by name, and trials check all.
 */
export async function examine(page: Page, name: string): Promise<void> {
  await picture(page, name)
  if (isSelected(name, 4)) await mustBeAccessible(page)
}

/** Checks that the page does not scroll horizontally once transient elements are gone. */
export async function mustFit(page: Page): Promise<void> {
  const over = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  await expect.poll(over, { interval: 50, message: `${page.url()} is wider than its window` }).toBeLessThanOrEqual(1)
}
