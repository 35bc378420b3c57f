/** Mobile pages before the scripts have loaded; nothing is requested twice. */
import { beforeAll, describe, expect, it } from 'vitest'
import { getCurrentEmployee, getSlip, getSlipList } from '../../../server/contract/payslips/employee.ts'
import { dress, mustBeAccessible, mustFit, picture, type Tab } from '../../support/journey/browser.ts'
import { mobile, settle, until, useJourney } from '../../support/journey/journey.ts'

const journey = useJourney({ first: true })
const employee = '，员工'
let slip = ''
beforeAll(async () => {
  slip = `/m/slip/${(await (await journey.caller(employee)).must(getSlipList, {})).list[0]?.slip_id}`
})

/** Records the paths of the calls that a page makes from now on. */
function getCalls(page: Tab): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/Api/Mobile/')) calls.push(pathname)
  })
  return calls
}
/** Holds the scripts of the app until `go` is called. */
async function hold(page: Tab): Promise<() => void> {
  let go = (): void => undefined
  const wait = new Promise<void>((done) => {
    go = done
  })
  await page.route('**/assets/*.js', async (route) => {
    await wait
    await route.continue()
  })
  return go
}

describe('page before the scripts have loaded', () => {
  it.each([
    ['a slip', () => slip, employee, '实发工资', '.slip-net'],
    ['the list', () => '/m/slips', employee, '2026年10月工资', '.m-slip-row'],
    ['signing in', () => mobile, '', '密码登录', '#phone'],
  ])('renders %s and starts its requests before the scripts load, in dark mode too', async (name, path, who, viewed, full) => {
    const page = await (who
      ? journey.enter(who, { fresh: true, width: 360 }, '/dev/outbox')
      : journey.open(undefined, { fresh: true, width: 360 }))
    const calls = getCalls(page)
    const go = await hold(page)
    await page.goto(path(), { waitUntil: 'commit' })
    const waiting = page.getByRole('status', { name: '正在加载' })
    await waiting.waitFor()
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    expect(await ground()).toBe('rgb(247, 246, 243)')
    await mustFit(page)
    await dress(page, { width: 360, scheme: 'dark' })
    expect(await ground()).toBe('rgb(18, 17, 15)')
    await picture(page, `first-${name}-360-dark`)
    await mustBeAccessible(page)
    const requested = path() === slip ? [getSlip.path] : who ? [getSlipList.path, getCurrentEmployee.path] : []
    await until(() => [...calls]).toEqual(requested)
    // The net pay of a payslip is readable before any script of the app has loaded, and equals the one that the app
    // shows.
    const viewed_first = path() === slip ? await page.locator('.wait-net').textContent() : null
    if (viewed_first !== null) await picture(page, 'first-net-360-dark')
    go()
    await page.locator(full).first().waitFor()
    await page.getByText(viewed).filter({ visible: true }).first().waitFor()
    await until(() => waiting.count()).toBe(0)
    if (viewed_first !== null) await until(() => page.locator('.slip-net .ui-money').first().textContent()).toBe(viewed_first)
    await settle(page)
    // The app uses these responses and requests none of them again.
    expect(calls.filter((one) => requested.includes(one))).toEqual(requested)
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('requests the payslip before the scripts of the app', async () => {
    const page = await journey.enter(employee, { fresh: true, width: 360 }, '/dev/outbox')
    const requested: string[] = []
    page.on('request', (request) => requested.push(new URL(request.url()).pathname))
    await page.goto(slip, { waitUntil: 'commit' })
    await page.locator('.slip-net').waitFor()
    expect(requested.filter((path) => path === getSlip.path || path.endsWith('.js'))[0]).toBe(getSlip.path)
  })

  it('starts in a browser that cannot preload modules', async () => {
    const page = await journey.enter(employee, { fresh: true, width: 360 }, '/dev/outbox')
    await page.addInitScript(() => {
      DOMTokenList.prototype.supports = () => false
    })
    await page.goto(slip, { waitUntil: 'commit' })
    await page.locator('.slip-net').waitFor()
    expect(await page.locator('link[rel="modulepreload"]').count()).toBe(0)
  })

  it('loads nothing of the desktop on mobile pages', async () => {
    const page = await journey.enter(employee, { fresh: true, width: 360 }, slip)
    await page.locator('.slip-net').waitFor()
    const rules = await page.evaluate(() =>
      [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)),
    )
    expect(rules.length).toBeGreaterThan(50)
    expect(rules.filter((rule) => /\.(ant-|ui-(page|card|steps|numbers|filter|tabs)|side-menu|top-bar)/.test(rule))).toEqual([])
  })

  it('sends a signed-out user to sign-in at once and returns afterwards', async () => {
    const page = await journey.open(undefined, { width: 360 })
    await page.goto(`${slip}?from=sms`)
    await page.waitForURL((url) => url.pathname === mobile)
    expect(new URL(page.url()).searchParams.get('page')).toBe(`${slip}?from=sms`)
    await page.getByText('查看我的工资条').waitFor()
  })
})

describe('cached page', () => {
  it('shows a cached page again without a request and without user data', async () => {
    const page = await journey.open()
    const answer = await page.request.get(slip, { headers: { accept: 'text/html' } })
    const headers = answer.headers()
    expect(headers['cache-control']).toBe('private, max-age=3600')
    expect(headers['content-security-policy']).toMatch(/script-src 'self' 'sha256-[^ ;]+';/)
    // The script contains the sign but no figure after it.
    expect(await answer.text()).not.toMatch(/¥\s*[−\d]/)
    for (const path of ['/home', '/m/me', '/entry'])
      expect((await page.request.get(path, { headers: { accept: 'text/html' } })).headers()['cache-control']).toBe('no-cache')
  })

  it('fetches a cached page again once if it refers to files of an older release', async () => {
    const page = await journey.enter(employee, { fresh: true, width: 360 }, '/dev/outbox')
    let pages = 0
    page.on('request', (request) => {
      if (request.isNavigationRequest()) pages += 1
    })
    // Simulates a cached page: the files that it names are gone until the page is fetched again.
    await page.route('**/assets/routing-*.js', (route) => (pages === 1 ? route.fulfill({ status: 404 }) : route.continue()))
    await page.goto(slip, { waitUntil: 'commit' })
    await page.locator('.slip-net').waitFor()
    expect(pages).toBe(2)
    // The browser's message about a missing file.
    page.complaints.length = 0
  })
})
