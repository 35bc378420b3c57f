/** While a page comes, its answers in whatever order, nothing that can be pressed goes elsewhere below a hand that is about to press it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorCodes } from '../../server/contract/errors.ts'
import type { Tab } from '../support/journey/browser.ts'
import { callsOpen, settle, until, useJourney } from '../support/journey/journey.ts'
import { findPaths, type PathOf, type Place, places } from '../support/journey/places.ts'
import { movedOn, watched } from '../support/journey/still.ts'
import { isChosen } from '../support/run/trial.ts'

const journey = useJourney({ first: true })
const payroll = '薪酬管理员（全公司）'
/** Of the pages, in two widths, one in so many; in trials each. */
const share = 28
type Visit = Place & { name: string; width: number }
const visits: Visit[] = places.flatMap((place) =>
  [360, 1440].flatMap((width) => {
    const name = `${place.path} ${place.who}`.trim()
    return isChosen(`${name} ${width}`, share) ? [{ ...place, name, width }] : []
  }),
)

describe.each([...new Set(visits.map(({ who }) => who))])('pages of "%s"', (who) => {
  let page: Tab
  let pathOf: PathOf
  beforeAll(async () => {
    pathOf = await findPaths(journey)
    page = await watched(journey, who)
  })
  afterAll(() => journey.close(page))

  it.each(visits.filter((one) => one.who === who))('$name at $width px', async (visit) => {
    expect(await movedOn(page, { ...visit, path: pathOf(visit) })).toEqual([])
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
    const { code } = errorCodes.our_fault
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
    const { code } = errorCodes.our_fault
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
