/**
 * While a page loads, with its responses in any order, nothing clickable moves away from a user who is about to click
 * it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorCodes } from '../../../server/contract/errors.ts'
import type { Tab } from '../../support/journey/browser.ts'
import { callsOpen, settle, until, useJourney } from '../../support/journey/journey.ts'
import { findPaths, type Position, type pathMap, places } from '../../support/journey/places.ts'
import { movedOn, watched } from '../../support/journey/still.ts'
import { isSelected } from '../../support/run/trial.ts'

const journey = useJourney({ first: true })
const payroll = '薪酬管理员（全公司）'
/** Every 28th combination of page and width is tested; in trials, all are. */
const share = 28
type Ctx = Position & { name: string; width: number }
const visits: Ctx[] = places.flatMap((position) =>
  [360, 1440].flatMap((width) => {
    const name = `${position.path} ${position.who}`.trim()
    return isSelected(`${name} ${width}`, share) ? [{ ...position, name, width }] : []
  }),
)

describe.each([...new Set(visits.map(({ who }) => who))])('pages of "%s"', (who) => {
  let page: Tab
  let getPath: pathMap
  beforeAll(async () => {
    getPath = await findPaths(journey)
    page = await watched(journey, who)
  })
  afterAll(() => journey.close(page))

  it.each(visits.filter((one) => one.who === who))('does not move actions on $name at $width px', async (ctx) => {
    expect(await movedOn(page, { ...ctx, path: getPath(ctx) })).toEqual([])
  })
})

it.each([
  ['/m/admin', '**/getApprovalList*', '本月批次'],
  ['/home', '**/getTodoList*', '快捷操作'],
])('keeps %s usable when its to-dos cannot be loaded, and stops requesting them', async (path, call, viewed) => {
  const page = await journey.enter(payroll, { fresh: true }, '/dev/outbox')
  let requested = 0
  await page.route(call, (route) => {
    requested += 1
    const { code } = errorCodes.internal_error
    return route.fulfill({ status: 500, json: { error_code: code, error_msg: '服务器出错了', errmsg: '', data: {} } })
  })
  await page.goto(path)
  await page.getByText(viewed).filter({ visible: true }).first().waitFor()
  await settle(page)
  await until(() => callsOpen(page)).toBe(0)
  expect(requested).toBeLessThan(4)
  page.complaints.length = 0
})

it('allows selecting a wage sheet when the unfinished upload cannot be loaded, also during the retry', async () => {
  const page = await journey.enter(payroll, { fresh: true }, '/dev/outbox')
  let requested = 0
  let isLocked = false
  const { promise: locked, resolve: letGo } = Promise.withResolvers<void>()
  await page.route('**/fetchCache*', async (route) => {
    requested += 1
    if (isLocked) await locked
    const { code } = errorCodes.internal_error
    await route.fulfill({ status: 500, json: { error_code: code, error_msg: '服务器出错了', errmsg: '', data: {} } })
  })
  await page.goto('/wageSend1')
  const choose = page.getByRole('button', { name: '选择文件' })
  await choose.waitFor()
  isLocked = true
  const before = requested
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await until(() => requested).toBeGreaterThan(before)
  await settle(page)
  expect(await choose.isVisible()).toBe(true)
  letGo()
  await until(() => callsOpen(page)).toBe(0)
  page.complaints.length = 0
})
