/** While a page comes, its answers in whatever order, nothing that can be pressed goes elsewhere below a hand that is about to press it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertMember } from '../../server/contract/people/member.ts'
import { refusals } from '../../server/contract/refusals.ts'
import { insertBatchTitle, insertCache, uploadWageExcel } from '../../server/contract/sheet/sheet.ts'
import { demoWageSheet, somePeople } from '../kit/files/demo-sheet.ts'
import { dress, type Tab } from '../kit/journey/browser.ts'
import { callsOpen, settle, until, useJourney } from '../kit/journey/journey.ts'
import { findPaths, type PathOf, type Place, places } from '../kit/journey/places.ts'
import { isChosen } from '../kit/run/trial.ts'

const journey = useJourney({ first: true })
const payroll = '薪酬管理员（全公司）'
/** Of the pages, in two widths, one in so many; in trials each. */
const share = 6
/** Answers come so late, in turn. */
const late_ms = [60, 500, 250, 400, 700, 150]

/** In the page, frame by frame: what could be pressed and stands elsewhere now. */
function watchPlaces(): void {
  const most_px = 3
  const places = new Map<Element, { x: number; y: number }>()
  const moved: string[] = []
  Object.assign(window, { moved })
  const look = () => {
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
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

type Visit = Place & { name: string; width: number }
const visits: Visit[] = places.flatMap((place) =>
  [360, 1440].flatMap((width) => {
    const name = `${place.path} ${place.who}`.trim()
    return isChosen(`${name} ${width}`, share) ? [{ ...place, name, width }] : []
  }),
)

/** A tab whose places are watched and whose answers come late. */
async function watched(who: string): Promise<Tab> {
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

/** What went elsewhere until everything had come. */
async function movedOn(page: Tab, { path, seen, width }: Pick<Visit, 'path' | 'seen' | 'width'>): Promise<string[]> {
  await dress(page, { width, scheme: 'light' })
  await page.goto(path)
  if (seen) await page.getByText(seen).filter({ visible: true }).first().waitFor()
  // The page of all widgets shows some of its own.
  if (path !== '/dev/ui') await until(() => page.locator('.ui-skeleton:visible, .wait:visible').count()).toBe(0)
  await until(() => callsOpen(page)).toBe(0)
  await settle(page)
  return page.evaluate(() => (window as unknown as { moved: string[] }).moved)
}

describe.each([...new Set(visits.map(({ who }) => who))])('pages of "%s"', (who) => {
  let page: Tab
  let pathOf: PathOf
  beforeAll(async () => {
    pathOf = await findPaths(journey)
    page = await watched(who)
  })
  afterAll(() => journey.close(page))

  it.each(visits.filter((one) => one.who === who))('$name at $width px', async (visit) => {
    expect(await movedOn(page, { ...visit, path: pathOf(visit) })).toEqual([])
  })
})

it.each([360, 1440])('the roster, where how the invitations stand comes behind the people, at %i px', async (width) => {
  const caller = await journey.caller(payroll)
  for (const at of [1, 2]) await caller.must(insertMember, { name: `来人${width}${at}`, mobile: journey.freePhone(width + at) })
  const page = await watched(payroll)
  const path = '/companyMember?status=invited'
  expect(await movedOn(page, { path, seen: '未邀请', width })).toEqual([])
  await journey.close(page)
})

describe('a sheet that is begun', () => {
  let batch_id: string
  beforeAll(async () => {
    const caller = await journey.caller(payroll)
    const file = { name: '十二月.xlsx', bytes: demoWageSheet(await somePeople(caller, 5)) }
    batch_id = (await caller.must(uploadWageExcel, {}, file)).batch_id
    await caller.must(insertBatchTitle, { batch_id, title: '十二月', month: '2026-12', kind: 'monthly' })
    await caller.must(insertCache, { wizard: { batch_id, step: 'wageSend3' } })
  })
  afterAll(async () => {
    const caller = await journey.caller(payroll)
    await caller.must(insertCache, { wizard: null })
  })
  it.each([
    ['/wageSend1', '继续上次', 360],
    ['/wageSend1', '继续上次', 1440],
    ['/wageSend3', '锁屏上看到的', 360],
    ['/wageSend3', '锁屏上看到的', 1440],
  ])('%s: %s, at %i px', async (path, seen, width) => {
    const page = await watched(payroll)
    const whole = path === '/wageSend3' ? `${path}?batch_id=${batch_id}` : path
    expect(await movedOn(page, { path: whole, seen, width })).toEqual([])
    await journey.close(page)
  })
})

it.each([
  ['/m/admin', '**/getApprovalList*', '本月批次'],
  ['/home', '**/getTodoList*', '快捷操作'],
])('%s is there where what waits for somebody cannot be had, and it is not asked without end', async (path, call, seen) => {
  const page = await journey.enter(payroll, { fresh: true }, '/dev/outbox')
  let asked = 0
  await page.route(call, (route) => {
    asked += 1
    const { code } = refusals.our_fault
    return route.fulfill({ status: 500, json: { error_code: code, error_msg: '服务器出错了', errmsg: '', data: {} } })
  })
  await page.goto(path)
  await page.getByText(seen).filter({ visible: true }).first().waitFor()
  await settle(page)
  await until(() => callsOpen(page)).toBe(0)
  expect(asked).toBeLessThan(4)
  page.complaints.length = 0
})

it('a sheet can be chosen where what was left unfinished could not be had, also while it is asked for again', async () => {
  const page = await journey.enter(payroll, { fresh: true }, '/dev/outbox')
  let asked = 0
  let isHeld = false
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  await page.route('**/fetchCache*', async (route) => {
    asked += 1
    if (isHeld) await held
    const { code } = refusals.our_fault
    await route.fulfill({ status: 500, json: { error_code: code, error_msg: '服务器出错了', errmsg: '', data: {} } })
  })
  await page.goto('/wageSend1')
  const choose = page.getByRole('button', { name: '选择文件' })
  await choose.waitFor()
  isHeld = true
  const before = asked
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await until(() => asked).toBeGreaterThan(before)
  await settle(page)
  expect(await choose.isVisible()).toBe(true)
  letGo()
  await until(() => callsOpen(page)).toBe(0)
  page.complaints.length = 0
})
