/**
 * Benchmarks the search box over 20,000 members and five years of pay runs in a real browser: from each key to the
 * paint of the results. The input is typed like a user's: a name, the initials of a name, a part of a title, a month, a
 * number, with 150 ms between two keys.
 */
import { type Browser, chromium, type Page } from 'playwright-core'
import { search } from '../../../server/contract/reports/search.ts'
import { getNameSpellings } from '../../../server/modules/directory/file/name-spelling.ts'
import { chromiumArgs, ensureChromium, findChromium } from '../../support/run/chromium.ts'
import { fiveYears, getName, getWindow, type Years } from './world.ts'

export type Match = {
  readonly what: string
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly most: number
  /** Time of the call alone, without a browser. */
  readonly server: number
}

const at = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN

const labelsFor = (people: number): Readonly<Record<string, readonly string[]>> => {
  const some = Array.from({ length: 8 }, (_, one) => getName(one * Math.floor(people / 8) + 5))
  return {
    'a name': some,
    initials: some.map((name) => getNameSpellings(name).split(' ').at(-2) ?? '').filter((word) => word.length > 1),
    'a part of a title': ['研发中心', '门店3月', '工厂', '华东区12月'],
    'a month': ['2024年3月', '2023-11', '2026年12月'],
    'a number': ['19900012', 'B1234', '0007788'],
    'nothing there is': ['没有这个人', 'zzzz'],
  }
}

type Box = { key_at: number; waits: number[] }
/** Runs in the page: measures the time from a key to the frame after the response to the current content of the box. */
function watchAnswers(): void {
  const box = Object.assign(window, { key_at: 0, waits: [] as number[] })
  const display = (): string | undefined => document.querySelector<HTMLElement>('[data-answers]')?.dataset.answers
  const view = (event: Event): void => {
    const requested = (event.target as HTMLInputElement).value.trim()
    const since = event.timeStamp
    const painted = (): void => {
      if ((event.target as HTMLInputElement).value.trim() !== requested) return
      if (display() !== requested) return void requestAnimationFrame(painted)
      requestAnimationFrame(() => setTimeout(() => box.waits.push(performance.now() - since)))
    }
    if (requested !== '') requestAnimationFrame(painted)
  }
  window.addEventListener('input', view, { capture: true })
}

async function typed(page: Page, labels: readonly string[]): Promise<number[]> {
  const field = page.getByRole('searchbox', { name: '搜索' })
  await page.evaluate(() => void (window as unknown as Box).waits.splice(0))
  for (const word of labels) {
    await field.pressSequentially(word, { delay: 150 })
    await page.locator(`[data-answers="${word}"]`).waitFor()
    await page.waitForTimeout(100)
    await field.fill('')
  }
  return page.evaluate(() => (window as unknown as Box).waits)
}

async function alone({ caller }: Years, labels: readonly string[]): Promise<number[]> {
  const times: number[] = []
  for (const word of labels)
    for (let end = 1; end <= word.length; end += 1) {
      const began = performance.now()
      await caller.must(search, { text: word.slice(0, end) })
      times.push(performance.now() - began)
    }
  return times
}

async function inWindow(browser: Browser, years: Years, people: number): Promise<Match[]> {
  const context = await getWindow(browser, years)
  const page = await context.newPage()
  await page.addInitScript(watchAnswers)
  await page.goto('/find', { waitUntil: 'networkidle' })
  // The first query warms up and is not reported.
  await typed(page, ['王伟'])
  const notified: Match[] = []
  const all: { waits: number[]; server: number[] } = { waits: [], server: [] }
  for (const [what, labels] of Object.entries(labelsFor(people))) {
    const server = await alone(years, labels)
    const waits = await typed(page, labels)
    all.waits.push(...waits)
    all.server.push(...server)
    notified.push(spread(what, waits, server))
  }
  await context.close()
  return [...notified, spread('all of them', all.waits, all.server)]
}

const spread = (what: string, waits: readonly number[], server: readonly number[]): Match => ({
  what,
  count: waits.length,
  p50: at(waits, 0.5),
  p95: at(waits, 0.95),
  most: Math.max(...waits),
  server: at(server, 0.95),
})

export async function finding(people: number): Promise<{ runs: number; slips: number; waited: Match[] }> {
  ensureChromium()
  const years = await fiveYears(people, 5, false)
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: chromiumArgs })
  try {
    const slips = years.runs.reduce((sum, { members }) => sum + members.length, 0)
    return { runs: years.runs.length, slips, waited: await inWindow(browser, years, people) }
  } finally {
    await browser.close()
    await years.world.close()
  }
}
