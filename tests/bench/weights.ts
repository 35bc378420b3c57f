/** JavaScript of the first load of three pages, as a real browser fetches it from a real server. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chromium, type Page } from 'playwright-core'
import { chromiumArgs, ensureChromium, findChromium } from '../kit/chromium.ts'

const dist = join(import.meta.dirname, '../../dist')
const password = 'xinhan2026'

export async function weights(): Promise<{ name: string; kb: number; goal: number }[]> {
  ensureChromium()
  const data = mkdtempSync(join(tmpdir(), 'xinhan-weights-'))
  const port = 18_700 + Math.floor(Math.random() * 200)
  const address = `http://127.0.0.1:${port}`
  const server = spawn(process.execPath, ['server/main.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { ...process.env, PORT: String(port), XINHAN_DATA: data, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const greeting = await greeted(server.stdout)
    const phoneOf = (who: RegExp): string =>
      greeting
        .split('\n')
        .find((line) => who.test(line))
        ?.trim()
        .split(/\s+/)[0] ?? ''
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
      const kb = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0) / 1024
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
    const results = [
      await measure(95, 'login page', '/pc/page/login/login.html', async () => undefined),
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
    server.kill('SIGTERM')
    await new Promise((done) => server.once('exit', done))
    rmSync(data, { recursive: true, force: true })
  }
}

/** What the server printed until it was ready. */
function greeted(output: NodeJS.ReadableStream): Promise<string> {
  return new Promise((done, fail) => {
    let text = ''
    output.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('is ready') && /\d{11}\s/.test(text)) setTimeout(() => done(text), 200)
    })
    output.once('end', () => fail(new Error(`the server did not start: ${text}`)))
  })
}
