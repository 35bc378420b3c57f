/** JavaScript of the first load of three pages, as a real browser fetches it from a real server. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumArgs, ensureChromium, findChromium } from '../kit/chromium.ts'
import { startServer } from '../kit/server.ts'

const dist = join(import.meta.dirname, '../../dist')
const password = 'xinhan2026'

const weigh = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0) / 1000

/** What was asked for when the first letter could be typed, on a slow line: the rest comes when the page is quiet. */
async function typing(browser: Browser, address: string): Promise<number> {
  const page = await browser.newPage()
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
    // The element is there as soon as it is painted.
    typed: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  }))
  await page.close()
  return weigh(files.filter(({ path, startTime }) => path.endsWith('.js') && startTime < typed).map(({ path }) => path))
}

export async function weights(): Promise<{ name: string; kb: number; goal: number }[]> {
  ensureChromium()
  const server = await startServer()
  const { address } = server
  try {
    const phoneOf = (who: RegExp): string => server.signIns.find((line) => who.test(line.text))?.phone ?? ''
    const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: chromiumArgs })
    const measure = async (
      goal: number,
      name: string,
      path: string,
      before: (page: Page) => Promise<void>,
    ): Promise<{ name: string; kb: number; goal: number }> => {
      const page = await browser.newPage()
      await before(page)
      const files = new Set<string>()
      page.on('response', (response) => {
        const { pathname } = new URL(response.url())
        if (pathname.endsWith('.js')) files.add(pathname)
      })
      await page.goto(path.startsWith('http') ? path : `${address}${path}`, { waitUntil: 'networkidle' })
      const kb = weigh([...files])
      await page.close()
      return { name, kb, goal }
    }
    const signIn = (phone: string, at: string) => async (page: Page) => {
      await page.goto(`${address}${at}`)
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
    const login = '/pc/page/login/login.html'
    const results = [
      { name: 'login page, to type', kb: await typing(browser, `${address}${login}`), goal: 90 },
      await measure(110, 'login page, all of it', login, async () => undefined),
      await measure(370, '/home', '/home', signIn(phoneOf(/薪酬|发薪|2/), '/')),
    ]
    const employee = phoneOf(/员工/)
    let slip = ''
    await measure(0, '', '/', async (page) => {
      await signIn(employee, '/')(page)
      await page.goto(`${address}/m/slips`, { waitUntil: 'networkidle' })
      await page.locator('a[href*="/m/slip/"]').first().click()
      await page.waitForURL('**/m/slip/*')
      slip = new URL(page.url()).pathname
    })
    results.push(await measure(145, '/m/slip/$id', slip, signIn(employee, '/')))
    await browser.close()
    return results
  } finally {
    await server.stop()
  }
}
