/** Measures the JavaScript of the first load of three pages, as a real browser fetches it from a real server. */
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { type BudgetedPageName, getGzipKilobytes, pageBudgets } from '../../build/budgets.ts'
import { chromiumArgs, ensureChromium, findChromium } from '../support/run/chromium.ts'
import { startServer } from '../support/run/server.ts'

const dist = join(import.meta.dirname, '../../dist')
const password = 'xinhan2026'

/**
 * Returns what was requested by the time the first letter could be typed on a slow connection. The rest is loaded when
 * the page is idle.
 */
async function typing(browser: Browser, address: string): Promise<string[]> {
  const page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  const line = await page.context().newCDPSession(page)
  await line.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 200_000,
    uploadThroughput: 90_000,
  })
  await page.goto(address, { waitUntil: 'commit' })
  await page.locator('#phone').pressSequentially('1')
  const { files, typed } = await page.evaluate(() => ({
    files: performance.getEntriesByType('resource').map(({ name, startTime }) => ({ path: new URL(name).pathname, startTime })),
    // The element exists as soon as it is painted.
    typed: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  }))
  await page.close()
  return files.filter(({ path, startTime }) => path.endsWith('.js') && startTime < typed).map(({ path }) => path)
}

/** Returns the JavaScript files that a browser fetches for each page, as paths below the built client. */
async function fetched(): Promise<Record<BudgetedPageName, string[]>> {
  ensureChromium()
  const server = await startServer()
  const { address } = server
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: chromiumArgs })
  try {
    const getPhone = (who: RegExp): string => server.signIns.find((line) => who.test(line.text))?.phone ?? ''
    const signIn = async (page: Page, phone: string): Promise<void> => {
      await page.goto(`${address}/`)
      await page.evaluate(
        async ([phone, password]) => {
          const answer = (await (
            await fetch('/api/index/login', {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ phone, password }),
            })
          ).json()) as { data: { token: string } }
          localStorage.setItem('user-token', answer.data.token)
        },
        [phone, password] as const,
      )
    }
    /** Makes a signed-in user's first visit without a cache. `last` is the last call that the complete page makes. */
    const visitNode = async (phone: string | null, path: string, last: string): Promise<string[]> => {
      const page = await browser.newPage()
      // The speed of a busy machine does not matter for the weight.
      page.setDefaultTimeout(120_000)
      if (phone) await signIn(page, phone)
      const files = new Set<string>()
      page.on('response', (response) => {
        const { pathname } = new URL(response.url())
        if (pathname.endsWith('.js')) files.add(pathname)
      })
      // A slow machine may be idle before the page has requested everything.
      const answered = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(last))
      await page.goto(address + path)
      await answered
      await page.waitForLoadState('networkidle')
      await page.close()
      return [...files]
    }
    const login = '/pc/page/login/login.html'
    const employee = getPhone(/员工/)
    return {
      'login page, to type': await typing(browser, address + login),
      'login page, all of it': await visitNode(null, login, '/getPublicInfo'),
      '/m/login': await visitNode(null, '/m/login', '/getPublicInfo'),
      '/m/slip/$id': await visitNode(employee, await aSlip(browser, address, (page) => signIn(page, employee)), '/getSlip'),
      '/home': await visitNode(getPhone(/薪酬管理员（全公司）/), '/home', '/getIndex'),
    }
  } finally {
    await browser.close()
    await server.stop()
  }
}

/** Returns the path of a payslip of the user who signs in. */
async function aSlip(browser: Browser, address: string, signIn: (page: Page) => Promise<void>): Promise<string> {
  const page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  await signIn(page)
  await page.goto(`${address}/m/slips`)
  await page.locator('a[href*="/m/slip/"]').first().click()
  await page.waitForURL('**/m/slip/*')
  const { pathname } = new URL(page.url())
  await page.close()
  return pathname
}

export async function weights(): Promise<{ name: string; kb: number; budget: number }[]> {
  const files = await fetched()
  return pageBudgets.map(({ name, budget }) => ({ name, budget, kb: getGzipKilobytes(dist, files[name]) }))
}
