/** Real Chromium against the real server: people who sign in by hand, and the pictures they leave. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { chromiumArgs, findChromium } from './chromium.ts'
import { isFull } from './scale.ts'

export type Look = { width?: number; scheme?: 'light' | 'dark' }
export const shots = join(import.meta.dirname, '../e2e/shots')
const demoPassword = 'xinhan2026'

export async function openBrowser(): Promise<Browser> {
  mkdirSync(shots, { recursive: true })
  const executablePath = findChromium()
  if (!executablePath) throw new Error('no Chromium on this machine')
  // Without a locale Chromium calls a file of Chinese name 'download'.
  return chromium.launch({ executablePath, args: chromiumArgs, env: { ...process.env, LC_ALL: 'C.UTF-8' } })
}

/** A page of its own: own storage, own cookies. What the console reports as an error fails the test at `mustBeQuiet`. */
export async function newPage(
  browser: Browser,
  address: string,
  { width = 1440, scheme = 'light' }: Look = {},
): Promise<Page & { complaints: string[] }> {
  const context = await browser.newContext({
    baseURL: address,
    viewport: { width, height: width < 500 ? 780 : 900 },
    colorScheme: scheme,
    acceptDownloads: true,
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    reducedMotion: 'reduce',
  })
  const page = (await context.newPage()) as Page & { complaints: string[] }
  page.complaints = []
  page.on('pageerror', (error) => page.complaints.push(error.message))
  page.on('console', (line) => line.type() === 'error' && page.complaints.push(line.text()))
  page.setDefaultTimeout(20_000)
  return page
}

/** Signs in on the desktop's own page, as a person does. */
export async function signInAtDesk(page: Page, phone: string, password = demoPassword): Promise<void> {
  await page.goto('/pc/page/login/login.html')
  await page.getByLabel('手机号').fill(phone)
  await page.getByLabel('密码', { exact: true }).fill(password)
  await page.getByRole('button', { name: '登录', exact: true }).click()
  await page.waitForURL((url) => !url.pathname.includes('/login/'))
}

/** For people to look at; a run that nobody looks at (`XINHAN_PICTURES=none`) does not wait for it. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env.XINHAN_PICTURES === 'none') return
  await page.waitForTimeout(250)
  await page.screenshot({ path: join(shots, `${name}.png`) })
}

/** Nothing serious for people who use a screen reader, a keyboard, or need contrast. */
export async function mustBeAccessible(page: Page): Promise<void> {
  const axe = new AxeBuilder({ page })
  // Every run asks what the law asks; a full one also what axe only recommends.
  const { violations } = await (isFull ? axe : axe.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])).analyze()
  const serious = violations.filter((one) => one.impact === 'serious' || one.impact === 'critical')
  expect(serious.map((one) => `${page.url()} ${one.id}: ${one.nodes.map((node) => node.target.join(' ')).join(', ')}`)).toEqual(
    [],
  )
}

/** The page does not scroll sideways. */
export async function mustFit(page: Page): Promise<void> {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(over, `${page.url()} is wider than its window`).toBeLessThanOrEqual(1)
}
