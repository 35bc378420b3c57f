/** Detects clickable elements that move while a page loads. */
import { setTimeout as sleep } from 'node:timers/promises'
import { dress, type Tab } from './browser.ts'
import { callsOpen, type Journey, settle, until } from './journey.ts'
import type { Position } from './places.ts'

/** The delays of successive responses. */
const late_ms = [60, 500, 250, 400, 700, 150]

/** Runs in the page, frame by frame: records clickable elements that have moved. */
function watchPlaces(): void {
  const most_px = 3
  const places = new Map<Element, { x: number; y: number }>()
  const moved: string[] = []
  Object.assign(window, { moved })
  const view = () => {
    for (const one of document.querySelectorAll('button, a[href], input, [role=button], [role=switch]')) {
      const { left, top, bottom, width } = one.getBoundingClientRect()
      if (width === 0 || bottom < 0 || top > innerHeight) {
        places.delete(one)
        continue
      }
      const [now, before] = [{ x: left + scrollX, y: top + scrollY }, places.get(one)]
      places.set(one, now)
      if (before && (Math.abs(now.x - before.x) > most_px || Math.abs(now.y - before.y) > most_px))
        moved.push(
          `${(one.getAttribute('aria-label') ?? one.textContent ?? '').slice(0, 20)}: ${now.x - before.x}, ${now.y - before.y}`,
        )
    }
    requestAnimationFrame(view)
  }
  requestAnimationFrame(view)
}

/** Opens a tab whose elements are observed and whose responses are delayed. */
export async function watched(journey: Journey, who: string): Promise<Tab> {
  const page = await (who ? journey.enter(who, { fresh: true }, '/dev/outbox') : journey.open(undefined, { fresh: true }))
  await page.addInitScript(watchPlaces)
  let calls = 0
  await page.route('**/api/**', async (route) => {
    calls += 1
    await sleep(late_ms[calls % late_ms.length])
    await route.continue().catch(() => undefined)
  })
  return page
}

/** Returns what moved until everything had loaded. */
export async function movedOn(
  page: Tab,
  { path, viewed, width }: Pick<Position, 'path' | 'viewed'> & { width: number },
): Promise<string[]> {
  await dress(page, { width, scheme: 'light' })
  await page.goto(path)
  if (viewed) await page.getByText(viewed).filter({ visible: true }).first().waitFor()
  // The page of all components shows some of its own.
  if (path !== '/dev/ui') await until(() => page.locator('.ui-skeleton:visible, .wait:visible').count()).toBe(0)
  await until(() => callsOpen(page)).toBe(0)
  await settle(page)
  return page.evaluate(() => (window as unknown as { moved: string[] }).moved)
}
