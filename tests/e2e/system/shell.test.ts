/**
 * The shell around the pages: landing pages and menus of five users, the shell's dimensions, the header, errors of the
 * server and of the page itself, signing out and returning.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { getTodoList } from '../../../server/contract/agency/agency.ts'
import { getIndex } from '../../../server/contract/company/company.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { examine, mustFit, type Tab } from '../../support/journey/browser.ts'
import { desk, settle, signInAtDesk, ticking, toasted, until, useJourney } from '../../support/journey/journey.ts'
import { pickOne } from '../../support/run/trial.ts'

const journey = useJourney()
const enter = async (...who: Parameters<typeof journey.enter>) => {
  const page = await journey.enter(...who)
  await page.locator('.shell-bar-user').waitFor()
  return page
}
/** Opens a page by the menu, because the home page has links with the same names. A group may already be open. */
async function go(page: Page, entry: string, group?: string): Promise<void> {
  const menu = page.getByRole('navigation', { name: '主菜单' })
  const above = menu.getByRole('button', { name: group ?? '', exact: true })
  if (group && (await above.getAttribute('aria-expanded')) === 'false') await above.click()
  await menu.getByRole('link', { name: entry, exact: true }).click()
}
/** Returns every entry of the menu with its groups opened. */
async function getEntries(page: Page): Promise<string[]> {
  const groups = page.locator('.shell-menu-group[aria-expanded="false"]')
  while ((await groups.count()) > 0) await groups.first().click()
  return page.locator('.shell-menu nav a').allInnerTexts()
}

type Landing = { path: string; entries: readonly string[]; helped: boolean; more: readonly string[] }
async function mustLand(page: Page, { path, entries, helped, more }: Landing): Promise<void> {
  await page.waitForURL((url) => url.pathname.toLowerCase() === path.toLowerCase())
  await until(() => getEntries(page)).toEqual(entries)
  await until(() => page.getByRole('button', { name: /^帮助/ }).count()).toBe(helped ? 1 : 0)
  await until(() => page.getByRole('button', { name: /^待办/ }).count()).toBe(helped ? 1 : 0)
  await until(() => page.getByRole('button', { name: '建议反馈' }).isVisible()).toBe(true)
  await page.locator('.shell-bar-user').click()
  await page.getByRole('menuitem', { name: '退出登录' }).waitFor()
  const items = (await page.getByRole('menuitem').allInnerTexts()).map((text) => text.trim())
  expect(items).toEqual(['我的账号', '修改密码', ...more, '退出登录'])
}
const toProfile = async (page: Page) => {
  const item = page.getByRole('menuitem', { name: '我的账号' })
  if (!(await item.isVisible())) await page.locator('.shell-bar-user').click()
  await item.click()
  await page.waitForURL('**/profile')
}
const wages = ['发工资条', '工资条管理', '工资条设置']
const business = ['基本信息', '订单管理', '服务管理']

/**
 * Each run covers one of them; two more follow below. All 16 sets of powers in every kind of company:
 * tests/client/landing.test.ts and menu.test.ts.
 */
describe('landing pages and menus', () => {
  it.each(
    pickOne('landing', [
      [
        '系统管理员',
        '/home',
        ['首页', ...wages, '花名册', '员工反馈', '数据看板', '企业管理员', '薪酬管理员', ...business],
        true,
      ],
      ['员工管理员', '/companyMember', [], true],
      ['代理企业负责人', '/CompanyList', ['基本信息', '办公平台', '企业列表'], false],
    ] as const),
  )('%s lands on %s', async (who, path, entries, helped) => mustLand(await enter(who), { path, entries, helped, more: [] }))
})

describe('application shell', () => {
  it('stops polling after the user leaves', async () => {
    const page = await enter('薪酬管理员（全公司）', { clock: true }, '/memberFeedback')
    // The list loads by itself before requests are counted.
    await page.getByText(/^共 \d+ 条$/).waitFor()
    // From here on, the page's clock only advances on request.
    await page.clock.pauseAt(Date.now() + 10_000)
    await settle(page, { frames: false })
    let requested = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/getFeedBackList')) requested += 1
    })
    // The last response is less than twenty seconds old, so one poll falls into the next thirty.
    await page.clock.runFor(30_000)
    await until(() => requested).toBe(1)
    await go(page, '首页')
    await ticking(page, () => page.getByText('本月批次').count()).toBeGreaterThan(0)
    await page.clock.runFor(600_000)
    await settle(page, { frames: false })
    expect(requested).toBe(1)
  })

  it('an enterprise administrator lands on the administrator page, and a name of any length and script fits the header', async () => {
    const page = await enter('，企业管理员')
    await mustLand(page, {
      path: '/roleWage',
      entries: ['数据看板', '企业管理员', '薪酬管理员', ...business],
      helped: true,
      more: [],
    })
    await toProfile(page)
    await page.setViewportSize({ width: 360, height: 780 })
    await page.getByRole('button', { name: '修改' }).first().click()
    await page.getByRole('textbox', { name: '显示名称' }).fill('长长长长长长长长长长长长长长长长🧧🧧')
    await page.keyboard.press('Enter')
    await toasted(page, '显示名称已更新')
    await mustFit(page)
    await page.setViewportSize({ width: 1440, height: 900 })
    const box = async () => (await page.locator('.shell-bar-user').boundingBox()) ?? { width: 9999, height: 9999 }
    await until(async () => (await box()).width).toBeLessThan(260)
    expect((await box()).height).toBeLessThanOrEqual(70)
    await examine(page, 'shell-long-name')
  })
})

/** One tab is used from here to the sign-out, as a user has it; every test opens its own page. */
describe('desktop of a payroll administrator', () => {
  let page: Tab
  beforeAll(async () => {
    page = await enter('薪酬管理员（全公司）')
  })
  afterEach(() => page.unrouteAll({ behavior: 'wait' }))
  afterAll(() => journey.close(page))

  it('opens the desktop with the home page', () =>
    mustLand(page, {
      path: '/home',
      entries: ['首页', ...wages, '花名册', '员工反馈', '数据看板', '订单管理', '服务管理'],
      helped: true,
      more: ['移交薪酬管理权限'],
    }))

  describe('application shell', () => {
    it('gives pages the window except 70 px at the top and 210 px at the left, at any size', async () => {
      for (const [width, height] of [
        [1024, 700],
        [801, 600],
        [1440, 900],
      ] as const) {
        await page.setViewportSize({ width, height })
        await until(() => page.locator('#page').boundingBox()).toEqual({ x: 210, y: 70, width: width - 210, height: height - 70 })
      }
      await page.setViewportSize({ width: 799, height: 700 })
      await until(() => page.locator('#page').boundingBox()).toEqual({ x: 0, y: 70, width: 799, height: 630 })
      await page.setViewportSize({ width: 1440, height: 900 })
      await until(() => page.locator('#page').boundingBox()).toEqual({ x: 210, y: 70, width: 1230, height: 830 })
    })

    // tests/client/menu.test.ts covers every page and its menu entry.
    it('marks the menu entry of the current page', async () => {
      const marked = () => page.locator('.shell-menu [aria-current="page"]').allInnerTexts()
      await go(page, '发工资条', '工资条')
      await until(marked).toEqual(['发工资条'])
      expect(new URL(page.url()).pathname).toBe('/wageSend1')
      await page.goto('/SendSucc')
      await until(marked).toEqual(['发工资条'])
      expect(new URL(page.url()).pathname).toBe('/SendSucc')
    })

    it('shows no shell around / or unknown addresses', async () => {
      await page.goto('/')
      await settle(page)
      expect(await page.locator('.shell-bar, .shell-menu').count()).toBe(0)
      expect((await page.locator('body').innerText()).trim()).toBe('')
      await page.goto('/no/such/page')
      await page.getByText('没有找到这个页面').waitFor()
      expect(await page.locator('.shell-bar, .shell-menu').count()).toBe(0)
      await examine(page, 'shell-not-found')
      await page.getByRole('link', { name: '回到首页' }).click()
      await page.waitForURL('**/home')
    })
  })

  describe('the header', () => {
    it('offers help as a file of the product itself', async () => {
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /^帮助/ }).click()])
      expect(file.url()).toContain('/api/member/getImportSampleFile?type=help&page=guide')
      expect(await file.failure()).toBeNull()
    })

    it('opens /agency in the app from the to-dos and clears the red dot', async () => {
      await page.getByRole('button', { name: '待办，有未读通知' }).click()
      await page.waitForURL('**/agency')
      await page.locator('.shell-bar').getByRole('button', { name: '待办', exact: true }).waitFor()
    })
  })

  /**
   * Spec §8: error codes that the server can return at any time, returned here in its place. The table:
   * tests/client/spec-errors.test.ts.
   */
  describe('server errors at any time', () => {
    const answer = async (name: keyof typeof errorCodes, message: string) =>
      page.route('**/getWageList', (route) =>
        route.fulfill({
          json: { error_code: errorCodes[name].code, error_msg: message, errmsg: message, data: { request_id: 'req-7' } },
        }),
      )

    it('shows an error of a page in the empty page, with the number to quote', async () => {
      await answer('internal_error', '服务出了问题，请稍后再试')
      await go(page, '工资条管理', '工资条')
      await page.getByText('服务出了问题，请稍后再试').first().waitFor()
      await page.getByText('问题编号 req-7').waitFor()
      await examine(page, 'shell-our-fault')
    })

    it('shows 失败 and the message for an error of an action, and 网络异常 for a network failure', async () => {
      await toProfile(page)
      await page.getByRole('button', { name: '修改' }).first().click()
      const message = '当前状态下不能这样操作，请刷新后重试'
      await page.route('**/setProfile', (route) =>
        route.fulfill({ json: { error_code: errorCodes.wrong_state.code, error_msg: message, errmsg: message, data: {} } }),
      )
      await page.getByRole('button', { name: '保存' }).click()
      await toasted(page, `error 失败　${message}`)
      await page.unroute('**/setProfile')
      await page.route('**/setProfile', (route) => route.abort())
      await page.getByRole('button', { name: '保存' }).click()
      await toasted(page, 'error 网络异常　网络错误，请刷新后重试…')
      // The typed input is still there.
      await until(() => page.getByRole('dialog').isVisible()).toBe(true)
      await page.getByRole('dialog').getByRole('button', { name: '取消' }).click()
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      expect(page.complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')])
    })

    it('shows the message of 100018, then the sign-in page, which returns to the current page', async () => {
      await go(page, '首页')
      await answer('signed_out', '您的密码已在别处修改，请重新登录')
      await go(page, '工资条管理', '工资条')
      await toasted(page, '您的密码已在别处修改，请重新登录')
      await page.waitForURL(/login\.html\?page=%2FwageAdmin/)
    })

    it('returns to the requested page with its parameters after sign-in', async () => {
      await page.goto('/wageAdmin?name=%E5%B7%A5%E8%B5%84')
      await page.waitForURL('**/login.html?page=*')
      await signInAtDesk(page, journey.getPhone('薪酬管理员（全公司）'))
      await page.waitForURL((url) => url.pathname === '/wageAdmin' && url.searchParams.get('name') === '工资')
    })
  })

  describe('errors of the page itself', () => {
    it('logs at most five uncaught errors a minute, without values and without the query of the address', async () => {
      await page.goto('/wageAdmin?name=%E7%8E%8B%E6%99%93%E4%BA%91')
      await page.locator('.shell-bar-user').waitFor()
      const bodies: { message: string; url: string; release: string; stack?: string }[] = []
      page.on('request', (request) => {
        if (request.url().endsWith('/api/front_end/log')) bodies.push(request.postDataJSON())
      })
      await page.evaluate(() => {
        for (let at = 0; at < 4; at += 1)
          setTimeout(() => {
            throw new Error('net 9,862.20 of "王晓云" 13812345678')
          })
        for (let at = 0; at < 4; at += 1) void Promise.reject(new Error('rejected 8333.33'))
      })
      await until(() => bodies.length).toBe(5)
      await settle(page)
      expect(bodies).toHaveLength(5)
      for (const body of bodies) {
        expect(body.url).toBe('/wageAdmin')
        expect(body.release).toMatch(/^\d+\.\d+\.\d+/)
        expect(JSON.stringify(body)).not.toMatch(/9,862|8333\.33|王晓云|13812345678|%E7/)
      }
      expect(page.complaints.splice(0)).toHaveLength(8)
    })

    it('shows a friendly message with the number of its log entry on a broken page', async () => {
      // A response that the server never gives, which the page cannot draw.
      await page.route('**/getWageList', (route) =>
        route.fulfill({ json: { error_code: 0, error_msg: '', errmsg: '', data: { list: [null], page: null } } }),
      )
      const [log] = await Promise.all([
        page.waitForRequest('**/api/front_end/log'),
        page.goto('/wageAdmin'),
        page.getByText('页面出了问题，请刷新后重试').waitFor(),
      ])
      const number = /问题编号 ([A-Z2-9]{8})/.exec(await page.getByText('问题编号').innerText())?.[1]
      expect((log.postDataJSON() as { message: string }).message.startsWith(`${number} `)).toBe(true)
      await examine(page, 'shell-broken')
      await page.unroute('**/getWageList')
      await page.getByRole('button', { name: '重试' }).click()
      await page.getByText('2026年10月工资').first().waitFor()
      expect(page.complaints.splice(0)).toEqual([expect.stringContaining('TypeError')])
    })
  })

  describe('signing out', () => {
    it("requests a page restored from the browser's cache again or leaves it empty", async () => {
      await go(page, '首页')
      await page.getByText('本月批次').waitFor()
      // The browser's back-forward cache is off in tests; the page only depends on its two events.
      const format = (name: 'pagehide' | 'pageshow') =>
        page.evaluate((type) => void window.dispatchEvent(new PageTransitionEvent(type, { persisted: true })), name)
      await format('pagehide')
      expect(await page.evaluate(() => document.documentElement.style.visibility)).toBe('hidden')
      const [again] = await Promise.all([page.waitForRequest('**/api/User/role'), format('pageshow')])
      expect(again.method()).toBe('POST')
      await until(() => page.evaluate(() => document.documentElement.style.visibility)).toBe('')
      await page.evaluate(() => localStorage.removeItem('user-token'))
      await format('pagehide')
      expect(await page.locator('#root').innerHTML()).toBe('')
      await format('pageshow')
      await page.waitForURL('**/login.html*')
      await signInAtDesk(page, journey.getPhone('薪酬管理员（全公司）'))
    })

    it('asks before signing out, ends the session on the server, and restores nothing', async () => {
      await go(page, '工资条管理', '工资条')
      await page.getByText('2026年10月工资').first().waitFor()
      const other = await page.context().newPage()
      await other.goto('/home')
      await other.getByText('本月批次').waitFor()
      await page.locator('.shell-bar-user').click()
      await page.getByRole('menuitem', { name: '退出登录' }).click()
      await page.getByText('退出登录？').waitFor()
      await examine(page, 'shell-logout')
      const token = await page.evaluate(() => localStorage.getItem('user-token') ?? '')
      await page.getByRole('dialog').getByRole('button', { name: '退出登录' }).click()
      await page.waitForURL('**/pc/page/login/login.html')
      // No other tab remains signed in.
      await other.waitForURL('**/login.html*')
      for (let step = 0; step < 2; step += 1) {
        // The page that is returned to redirects at once, possibly before the navigation has ended.
        await page.goBack().catch(() => null)
        await page.waitForURL((url) => url.pathname === desk)
        const text = await page.locator('html').innerHTML()
        expect(text).not.toContain('2026年10月工资')
        expect(text).not.toContain('林晚秋')
      }
      // A stolen token is useless, because the session has ended on the server.
      await page.goto('/pc/page/index/index.html')
      await page.evaluate((stored) => localStorage.setItem('user-token', stored), token)
      await page.goto('/home')
      await page.waitForURL('**/login.html*')
    })
  })
})

describe('the requests of a page', () => {
  /** Records requests and responses in their order. */
  const heard = (page: Page): string[] => {
    const order: string[] = []
    page.on('request', (request) => order.push(`asked ${new URL(request.url()).pathname}`))
    page.on('response', (response) => order.push(`answered ${new URL(response.url()).pathname}`))
    return order
  }
  it('sends the requests of a page in parallel before any response', async () => {
    const page = await enter('薪酬管理员（全公司）', {}, '/profile')
    const order = heard(page)
    await page.goto('/home')
    await page.getByRole('heading', { name: '待办', exact: true }).waitFor()
    await expect.poll(() => order).toContain(`answered ${getTodoList.path}`)
    expect(order.indexOf(`asked ${getTodoList.path}`)).toBeLessThan(order.indexOf(`answered ${getIndex.path}`))
  })

  it('does not send the requests of a page for users without permission', async () => {
    const page = await enter('员工管理员', {}, '/companyMember')
    const order = heard(page)
    await page.goto('/home')
    await page.getByText('您没有权限查看这个页面').waitFor()
    await settle(page)
    expect(order).not.toContain(`asked ${getIndex.path}`)
  })
})
