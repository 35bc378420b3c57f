/**
 * Every page of the route tree at 1440, 800 and 360 px, light and dark: no serious accessibility violation, nothing
 * wider than the window, no console message, no dead link, and at 360 px no target too small for a thumb. Each run
 * shows every page in one view, the next page in the next one, and checks the accessibility of half of them; trials
 * check all in all views. Every second page is reached by a link within the app, the others by address: over all views
 * each page is reached both ways.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { messageKinds } from '../../../server/contract/messages/sms-templates.ts'
import { dress, mustBeAccessible, mustFit, picture, type Tab, type View } from '../../support/journey/browser.ts'
import { settle, until, useJourney, visitNode } from '../../support/journey/journey.ts'
import { findPaths, type Position, type pathMap, places, renderedPlaces, routedPlaces } from '../../support/journey/places.ts'
import { smallTargets } from '../../support/journey/targets.ts'
import { isFull, isSelected } from '../../support/run/trial.ts'

const journey = useJourney({ first: true })
let getPath: pathMap
beforeAll(async () => {
  getPath = await findPaths(journey)
})

const views: View[] = [
  { width: 1440, scheme: 'light' },
  { width: 360, scheme: 'light' },
  { width: 1440, scheme: 'dark' },
  { width: 800, scheme: 'light' },
  { width: 360, scheme: 'dark' },
]

/** The routed pages, read from the router's generated file. */
const tree = readFileSync(join(import.meta.dirname, '../../../src/routed/routes.gen.ts'), 'utf8')
const routes = [...(/ fullPaths:\n((?: +\| '.*'\n)+)/.exec(tree)?.[1] ?? '').matchAll(/'(.*)'/g)].map((match) => match[1] ?? '')

it('covers exactly the pages of the route tree', () => {
  expect(routes.length).toBeGreaterThan(20)
  expect([...new Set(routedPlaces.map(({ route }) => route))].toSorted()).toEqual(routes.toSorted())
})

/** Returns whether a link leads to no page of the product. Files, calls and phone numbers are not pages. */
function isDead(href: string): boolean {
  const { pathname, origin } = new URL(href, 'http://here')
  if (origin !== 'http://here' || /^\/(api|assets)\//i.test(pathname)) return false
  const existing = [
    ...routes,
    ...renderedPlaces.filter((one) => one.path !== '/no/such/page').map(({ path }) => path),
    '/index.html',
    '/api/openapi.json',
    // The chats of the demo's platform.
    '/dev/platform/lark/_/inbox',
    '/dev/platform/wecom/_/inbox',
    '/dev/platform/dingtalk/_/inbox',
    // Short addresses that the server redirects to pages; the outbox contains messages of other journeys.
    `${messageKinds.slip.linkPath}$id`,
    `${messageKinds.rehearsal.linkPath}$id`,
    `${messageKinds.invite.splitPath}$half/$rest`,
  ]
  return !existing.some((path) => new RegExp(`^${path.replaceAll('.', '\\.').replace(/\$\w+/g, '[^/]+')}/?$`, 'i').test(pathname))
}

type Ctx = Position & View & { name: string; within: boolean }
const visits: Ctx[] = places.flatMap((one, at) =>
  views.flatMap((view, slot) => {
    const isSelected = isFull || slot === at % views.length
    const name = `${one.path} ${one.who}`.trim()
    // Five pages by address, the next five from within the app; trials alternate.
    return isSelected ? [{ ...one, ...view, name, within: one.who !== '' && (at + slot) % 2 === 1 }] : []
  }),
)

describe.each([...new Set(places.map(({ who }) => who))])('every page of "%s"', (who) => {
  let page: Tab
  /** Whether the tab shows the app, so that a link within it can be followed. */
  let stands = false
  beforeAll(async () => {
    page = await (who ? journey.enter(who, {}, '/dev/outbox') : journey.open())
  })
  afterAll(() => journey.close(page))

  it.each(visits.filter((one) => one.who === who))(
    'shows $name at $width px $scheme',
    async ({ viewed, name, width, scheme, ...one }) => {
      const path = getPath(one)
      const isWithin = one.within && stands
      stands = false
      await dress(page, { width, scheme })
      await (isWithin ? visitNode(page, path) : page.goto(path))
      if (viewed) await page.getByText(viewed).filter({ visible: true }).first().waitFor()
      // Content that is still loading is drawn as skeletons; the page of all components shows some of its own.
      if (one.route !== '/dev/ui') await until(() => page.locator('.ui-skeleton:visible, .wait:visible').count()).toBe(0)
      await settle(page)
      await picture(page, `page-${name.replace(/\W+/g, '-')}-${width}-${scheme}`)
      if (isSelected(`${name} ${width} ${scheme}`, 2)) await mustBeAccessible(page)
      await mustFit(page)
      const links = await page.locator('a[href]').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
      expect(links.filter(isDead), `${name} has dead links`).toEqual([])
      expect(page.complaints.splice(0), 'the console complained').toEqual([])
      // The size of touch targets on a phone is checked in every view.
      await dress(page, { width: 360, scheme })
      await settle(page)
      await until(() => smallTargets(page)).toEqual([])
      stands = who !== ''
    },
  )
})
