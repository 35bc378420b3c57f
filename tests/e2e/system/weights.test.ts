/** The build's size budgets cover what a browser really fetches; otherwise they would guard a meaningless figure. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { type BudgetedPageName, type PageWeights, pageBudgets, weightsFileName } from '../../../build/budgets.ts'
import { getSlipList } from '../../../server/contract/payslips/employee.ts'
import { desk, mobile, settle, until, useJourney } from '../../support/journey/journey.ts'

const journey = useJourney({ first: true })
const weighed = JSON.parse(readFileSync(join(import.meta.dirname, '../../../dist', weightsFileName), 'utf8')) as PageWeights
const employee = '，员工'
let slip_id = ''
beforeAll(async () => {
  slip_id = (await (await journey.caller(employee)).must(getSlipList, {})).list[0]?.slip_id ?? ''
})

/** What has started by the first letter depends on the speed of the machine: only `npm run bench weight` reports that. */
const visits: Record<Exclude<BudgetedPageName, 'login page, to type'>, { who: string; path: string }> = {
  'login page, all of it': { who: '', path: desk },
  '/m/login': { who: '', path: mobile },
  '/m/slip/$id': { who: employee, path: '/m/slip/SLIP' },
  '/home': { who: '薪酬管理员（全公司）', path: '/home' },
}

it('covers every page that has a budget', () => {
  expect(Object.keys(visits).toSorted()).toEqual(
    pageBudgets
      .map(({ name }) => name)
      .filter((name) => name in visits)
      .toSorted(),
  )
  expect(pageBudgets.length - Object.keys(visits).length).toBe(1)
})

it.each(Object.entries(visits))(
  'fetches exactly the files that the build measured on a first visit to %s',
  async (name, { who, path }) => {
    // Nothing of the app has been loaded yet, because this page runs no script.
    const page = await (who ? journey.enter(who, { fresh: true }, '/dev/outbox') : journey.open(undefined, { fresh: true }))
    const requested = new Set<string>()
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.endsWith('.js')) requested.add(pathname.slice(1))
    })
    await page.goto(path.replace('SLIP', slip_id))
    const { files, inside, behind } = weighed[name as BudgetedPageName]
    const expected = files.filter((file) => !inside.includes(file)).toSorted()
    // All responses arrive, however late; by then the idle work of the page has been requested, too.
    await until(() => expected.filter((file) => !requested.has(file))).toEqual([])
    await page.waitForLoadState('load')
    await page.evaluate(() => new Promise((done) => requestIdleCallback(done)))
    await settle(page)
    expect([...requested].filter((file) => !behind.includes(file)).toSorted()).toEqual(expected)
  },
)
