/** What stands on a phone before the scripts have come, and that nothing is asked twice. */
import { beforeAll, describe, expect, it } from 'vitest'
import { getCurrentEmployee, getSlip, getSlipList } from '../../server/contract/payslips/employee.ts'
import { dress, mustBeAccessible, mustFit, picture, type Tab } from '../support/journey/browser.ts'
import { mobile, settle, until, useJourney } from '../support/journey/journey.ts'

const journey = useJourney({ first: true })
const employee = '，员工'
let slip = ''
beforeAll(async () => {
  slip = `/m/slip/${(await (await journey.caller(employee)).must(getSlipList, {})).list[0]?.slip_id}`
})

/** Paths of the calls that a page makes, from now on. */
function getCalls(page: Tab): string[] {
  const calls: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/Api/Mobile/')) calls.push(pathname)
  })
  return calls
}
/** The scripts of the app do not come before `go`. */
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

describe('before the scripts have come', () => {
  it.each([
    ['a slip', () => slip, employee, '实发工资', '.slip-net'],
    ['the list', () => '/m/slips', employee, '2026年10月工资', '.m-slip-row'],
    ['signing in', () => mobile, '', '密码登录', '#phone'],
  ])('%s is drawn, in the dark too, and asked for already', async (name, path, who, viewed, full) => {
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
    // Of a slip the net pay can be read before any script of the app has come, and it is the one that the app shows then.
    const viewed_first = path() === slip ? await page.locator('.wait-net').textContent() : null
    if (viewed_first !== null) await picture(page, 'first-net-360-dark')
    go()
    await page.locator(full).first().waitFor()
    await page.getByText(viewed).filter({ visible: true }).first().waitFor()
    await until(() => waiting.count()).toBe(0)
    if (viewed_first !== null) await until(() => page.locator('.slip-net .ui-money').first().textContent()).toBe(viewed_first)
    await settle(page)
    // The app has taken the answers: none of it was asked a second time.
    expect(calls.filter((one) => requested.includes(one))).toEqual(requested)
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('nothing of the desk stands in them', async () => {
    const page = await journey.enter(employee, { fresh: true, width: 360 }, slip)
    await page.locator('.slip-net').waitFor()
    const rules = await page.evaluate(() =>
      [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)),
    )
    expect(rules.length).toBeGreaterThan(50)
    expect(rules.filter((rule) => /\.(ant-|ui-(page|card|steps|numbers|filter|tabs)|side-menu|top-bar)/.test(rule))).toEqual([])
  })

  it('who is not signed in goes to sign in at once, and comes back', async () => {
    const page = await journey.open(undefined, { width: 360 })
    await page.goto(`${slip}?from=sms`)
    await page.waitForURL((url) => url.pathname === mobile)
    expect(new URL(page.url()).searchParams.get('page')).toBe(`${slip}?from=sms`)
    await page.getByText('查看我的工资条').waitFor()
  })
})

describe('a page that was kept', () => {
  it('is drawn again without asking; nothing of anybody stands in it', async () => {
    const page = await journey.open()
    const answer = await page.request.get(slip, { headers: { accept: 'text/html' } })
    const headers = answer.headers()
    expect(headers['cache-control']).toBe('private, max-age=3600')
    expect(headers['content-security-policy']).toMatch(/script-src 'self' 'sha256-[^ ]+' 'sha256-[^ ;]+';/)
    // The script knows the sign; no figure stands behind it.
    expect(await answer.text()).not.toMatch(/¥\s*[−\d]/)
    for (const path of ['/home', '/m/me', '/entry'])
      expect((await page.request.get(path, { headers: { accept: 'text/html' } })).headers()['cache-control']).toBe('no-cache')
  })

  it('and names files of an older release is fetched anew, once', async () => {
    const page = await journey.enter(employee, { fresh: true, width: 360 }, '/dev/outbox')
    let pages = 0
    page.on('request', (request) => {
      if (request.isNavigationRequest()) pages += 1
    })
    // As if the page had been kept: what it names is gone until it is fetched anew.
    await page.route('**/assets/routing-*.js', (route) => (pages === 1 ? route.fulfill({ status: 404 }) : route.continue()))
    await page.goto(slip, { waitUntil: 'commit' })
    await page.locator('.slip-net').waitFor()
    expect(pages).toBe(2)
    // What the browser says of a file that is gone.
    page.complaints.length = 0
  })
})
