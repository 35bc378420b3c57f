/**
 * Hostile text in every field that a page receives: markup is shown as text, no script runs, no link leads to a script.
 * Every free text of every response is extended in the browser, so that each field of each page has it, whoever may write it.
 */
import type { Route } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { settle, useJourney } from '../../support/journey/journey.ts'
import { findPaths, type pathMap, routedPlaces } from '../../support/journey/places.ts'
import { isSelected } from '../../support/run/trial.ts'

const journey = useJourney({ first: true })
let getPath: pathMap
beforeAll(async () => {
  getPath = await findPaths(journey)
})

/** Breaks out of attributes, and then makes elements that call a function of the page, each in another way. */
const markup =
  `'"></textarea></script><img data-hostile src=x onerror=hostile()><svg data-hostile onload=hostile()></svg>` +
  `<script data-hostile>hostile()</script><iframe data-hostile srcdoc="<script>parent.hostile()</script>"></iframe>` +
  '<a data-hostile href="javascript:hostile()">x</a>{{constructor.constructor("hostile()")()}}'
const script = 'javascript:hostile()'

/** Text that people write has a character beyond ASCII or a blank; ids, days and codes of the contract have none. */
const isFreeText = (text: string): boolean => /[^\x21-\x7e]/.test(text)
function poison(value: unknown, count: { texts: number }): unknown {
  if (Array.isArray(value)) return value.map((one) => poison(one, count))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, poison(one, count)]))
  if (typeof value !== 'string' || !(isFreeText(value) || /^https?:/.test(value))) return value
  count.texts += 1
  return isFreeText(value) ? value + markup : script
}

const visits = routedPlaces.filter(
  ({ path, who, viewed }) => who !== '' && viewed !== null && !path.includes('00000000') && isSelected(path, 4),
)

describe.each([...new Set(visits.map(({ who }) => who))])('pages of "%s"', (who) => {
  it.each(visits.filter((one) => one.who === who))('show markup as text: $path', async (one) => {
    const count = { texts: 0 }
    const page = await journey.enter(who, { width: one.path.startsWith('/m') ? 360 : 1440 }, '/dev/outbox')
    await page.addInitScript(() => {
      const target = window as unknown as { hostile: () => void; runs: number }
      target.runs = 0
      target.hostile = () => void (target.runs += 1)
    })
    await page.route(/\/(api|Api)\//, async (route: Route) => {
      const response = await route.fetch()
      if (!response.headers()['content-type']?.includes('json')) return route.fulfill({ response })
      const body = (await response.json()) as { data?: unknown }
      return route.fulfill({ response, json: { ...body, data: poison(body.data, count) } })
    })
    await page.goto(getPath(one))
    await expect.poll(() => count.texts, { timeout: 60_000 }).toBeGreaterThan(0)
    await expect.poll(() => page.locator('body').innerText(), { timeout: 60_000 }).toContain('<script data-hostile>')
    await settle(page)
    const result = await page.evaluate(() => ({
      runs: (window as unknown as { runs: number }).runs,
      elements: document.querySelectorAll('[data-hostile], a[href^="javascript:"], [srcdoc]').length,
    }))
    expect(result).toEqual({ runs: 0, elements: 0 })
    expect(page.complaints.filter((text) => /security policy|refused to/i.test(text))).toEqual([])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await journey.close(page)
  })
})
