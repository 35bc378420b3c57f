/**
 * The sign-in pages: every sign-in method, every message of spec §5 and §8 that belongs to them, invalid input, and
 * intermediate states.
 */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { lastCode } from '../../support/callers/http.ts'
import { examine, mustFit, picture } from '../../support/journey/browser.ts'
import { desk, mobile, password, settle, signInAtDesk, until, useJourney } from '../../support/journey/journey.ts'
import { renderCodeMessage } from '../../support/message-patterns.ts'

const journey = useJourney()
const { open } = journey
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const alerts = (page: Page) => page.getByRole('alert').allInnerTexts()
/** Pastes like a user: the field gets one input event with the whole text. */
async function paste(page: Page, label: string, text: string): Promise<void> {
  await field(page, label).focus()
  await page.keyboard.insertText(text)
}
async function requestCode(page: Page, phone: string): Promise<string> {
  await field(page, '手机号').fill(phone)
  await press(page, '获取验证码')
  await page.getByRole('button', { name: /秒后重发/ }).waitFor()
  return lastCode(journey.address, phone)
}

describe('sign-in methods', () => {
  it('signs in on desktop by password, with Enter', async () => {
    const page = await open(desk)
    // The field has the focus as soon as it exists, so the user can type at once.
    await page.locator('input:focus').waitFor()
    await page.keyboard.type(journey.getPhone('薪酬管理员（全公司）'))
    await field(page, '密码').fill(password)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/home')
    // Back does not lead to a form with the typed values.
    await page.goBack()
    expect(page.url()).toBe('about:blank')
  })

  it('signs in on desktop by a code pasted as the whole message, which submits itself', async () => {
    const page = await open(desk)
    await page.getByRole('tab', { name: '验证码登录' }).click()
    const code = await requestCode(page, journey.getPhone('薪酬管理员（市场部'))
    await examine(page, 'login-code-sent')
    await paste(page, '短信验证码', renderCodeMessage(code))
    await page.waitForURL('**/home')
  })

  it('asks for the company when the account has two', async () => {
    const page = await open(desk, { width: 360 })
    await field(page, '手机号').fill(journey.getPhone('同时是'))
    await field(page, '密码').fill(password)
    await press(page, '登录')
    await page.getByRole('heading', { name: '进入哪家企业？' }).waitFor()
    // A step without a field: its heading has the focus.
    await until(() => page.evaluate(() => document.activeElement?.textContent)).toBe('进入哪家企业？')
    await examine(page, 'login-companies-360')
    await page.getByRole('button', { name: /云杉科技/ }).click()
    await page.waitForURL('**/m/slips')
  })

  it('signs in on mobile by password', async () => {
    const page = await open(mobile, { width: 360 })
    await paste(page, '手机号', ` +86 ${journey.getPhone('云杉科技 · 朱予安').replace(/^(...)(....)/, '$1-$2-')}`)
    await field(page, '密码').fill(password)
    await press(page, '登录')
    await page.waitForURL('**/m/slips')
  })

  it('signs in on mobile by code', async () => {
    const page = await open(mobile, { width: 360 })
    await page.getByRole('tab', { name: '验证码登录' }).click()
    await field(page, '短信验证码').fill(await requestCode(page, journey.getPhone('小满餐饮 · 朱立新')))
    await page.waitForURL('**/m/slips')
  })

  // Other foreign addresses: tests/client/own-page.test.ts. Addresses of the product: shell.test.ts.
  it('ignores ?page= of another site and stays at home', async () => {
    const page = await open(`${desk}?page=${encodeURIComponent('//evil.example/home')}`)
    await field(page, '手机号').fill(journey.getPhone('系统管理员'))
    await field(page, '密码').fill(password)
    await press(page, '登录')
    await page.waitForURL(/\/(home|roleWage)$/)
    expect(new URL(page.url()).origin).toBe(journey.address)
  })
})

/**
 * tests/client/sign-in-drawn.test.tsx has the tables themselves; here their messages are checked in a browser, at the
 * field that gets the focus.
 */
describe('sign-in messages (spec §5, §8)', () => {
  const fine = '13900139000'
  type Row = readonly [typed: Record<string, string>, button: string, sentence: string]
  const byPassword: Row[] = [
    [{}, '登录', '手机号不能为空'],
    [{ 手机号: fine, 密码: 'x' }, '登录', '手机号或密码不正确'],
  ]
  const company = { 企业名称: '晨星', 您的姓名: '林一', 手机号: fine, 短信验证码: '123456' }

  it.each<[at: string, tab: string, rows: Row[]]>([
    [desk, '密码登录', byPassword],
    [mobile, '密码登录', [...byPassword, [{ 手机号: '139' }, '登录', '手机号格式有误，请重新输入']]],
    [
      desk,
      '验证码登录',
      [
        [{ 手机号: '139' }, '获取验证码', '手机号格式有误，请重新输入'],
        [{ 手机号: fine, 短信验证码: '123456' }, '登录', '请先获取验证码'],
      ],
    ],
    [`${desk}#forgot`, '', [[{ 手机号: fine }, '下一步', '短信验证码不能为空']]],
    [
      `${desk}#register`,
      '',
      [
        [{}, '注册并开始试用', '请填写企业名称'],
        [{ ...company, 登录密码: 'abcde' }, '注册并开始试用', '密码至少 6 位'],
        [{ 登录密码: 'abcdef' }, '注册并开始试用', '请先获取验证码'],
      ],
    ],
  ])('shows messages one at a time at %s %s', async (at, tab, rows) => {
    const page = await open(at, { width: at === mobile ? 360 : 1440 })
    if (tab) await page.getByRole('tab', { name: tab }).click()
    for (const [typed, button, sentence] of rows) {
      for (const [label, value] of Object.entries(typed)) await field(page, label).fill(value)
      await press(page, button)
      // Only one message is shown at a time; the invalid field has the focus and is announced to screen readers.
      await until(() => alerts(page)).toEqual([sentence])
      await until(() => page.locator(':focus').getAttribute('aria-invalid')).toBe('true')
    }
  })

  it('explains a return from a platform without a user, and what to do', async () => {
    const page = await open(`${desk}?why=whatever`)
    await until(() => page.getByRole('status').innerText()).toMatch(/手机号登录$/)
  })

  it('shows the same messages when an unknown phone requests a code', async () => {
    const page = await open(desk)
    await page.getByRole('tab', { name: '验证码登录' }).click()
    await field(page, '手机号').fill(journey.freePhone(9001))
    await press(page, '获取验证码')
    await page.getByText('若 188****9001 是您登记的手机号').waitFor()
    await field(page, '短信验证码').fill('000000')
    await page.getByText('验证码不正确，请检查后再输一次（还可以试 4 次）').waitFor()
  })
})

describe('user input and browsers', () => {
  it('signs in once after a double click without moving the button', async () => {
    const page = await open(desk)
    let requested = 0
    page.on('request', (request) => request.url().endsWith('/index/login') && (requested += 1))
    await field(page, '手机号').fill('１３９００１３９００２')
    await until(() => field(page, '手机号').inputValue()).toBe('13900139002')
    await field(page, '密码').fill('wrong password')
    await page.getByRole('button', { name: '登录', exact: true }).dblclick()
    await page.getByText('手机号或密码不正确').waitFor()
    await settle(page)
    expect(requested).toBe(1)
  })

  it('shows the password on request, reports Caps Lock, and names the fields for password managers', async () => {
    const page = await open(desk)
    await field(page, '密码').fill('secret')
    await press(page, '显示密码')
    await until(() => field(page, '密码').getAttribute('type')).toBe('text')
    await press(page, '隐藏密码')
    await until(() => field(page, '密码').getAttribute('type')).toBe('password')
    // Headless Chromium has no lock key: the event itself says that it is on.
    await field(page, '密码').evaluate((input) =>
      input.dispatchEvent(new KeyboardEvent('keydown', { key: 'A', bubbles: true, modifierCapsLock: true })),
    )
    await page.getByText('大写锁定已打开').waitFor()
    const kinds = () =>
      page.locator('input:not([hidden])').evaluateAll((all) => all.map((one) => one.getAttribute('autocomplete')))
    expect(await kinds()).toEqual(['username', 'current-password'])
    await page.getByRole('tab', { name: '验证码登录' }).click()
    expect(await kinds()).toEqual(['username', 'one-time-code'])
    await page.goto(`${desk}#register`)
    await field(page, '登录密码').waitFor()
    expect(await kinds()).toEqual(['organization', 'name', 'username', 'one-time-code', 'new-password'])
  })

  it.each([
    ['localStorage', '浏览器禁止了本地存储'],
    ['cookie', '浏览器禁止了 Cookie'],
  ])('reports blocked %s before a password is typed, and sends nothing', async (what, text) => {
    const page = await open()
    await using _forbidding = await page.addInitScript((kind) => {
      const forbidden = () => {
        throw new DOMException('Access is denied for this document.', 'SecurityError')
      }
      if (kind === 'localStorage') Object.defineProperty(window, 'localStorage', { get: forbidden })
      else Object.defineProperty(Document.prototype, 'cookie', { get: () => '', set() {} })
    }, what)
    let requested = 0
    page.on('request', (request) => request.method() === 'POST' && (requested += 1))
    for (const at of [desk, mobile, `${desk}#register`]) {
      await page.setViewportSize({ width: at === mobile ? 360 : 1440, height: 780 })
      await page.goto(at)
      await page.getByRole('alert').waitFor()
      expect((await alerts(page)).join()).toContain(text)
      if (at === desk) await examine(page, `login-without-${what}`)
      await press(page, at.includes('register') ? '注册并开始试用' : '登录')
      await settle(page)
      expect([(await alerts(page)).join(), requested]).toEqual([expect.stringContaining(text), 0])
    }
  })

  it('explains a network failure, keeps the input, and succeeds with the next click', async () => {
    const page = await open(desk)
    // The idle work of the page has been done, its requests included.
    await page.getByRole('link', { name: '飞书' }).waitFor()
    await field(page, '手机号').fill(journey.getPhone('企业管理员'))
    await field(page, '密码').fill(password)
    await page.context().setOffline(true)
    await press(page, '登录')
    await page.getByText('网络不通，请检查网络后再点一次').waitFor()
    await page.context().setOffline(false)
    await press(page, '登录')
    await page.waitForURL('**/roleWage')
    expect(page.complaints.splice(0)).toEqual([expect.stringContaining('ERR_INTERNET_DISCONNECTED')])
  })

  it('keeps the phone when the session has ended, and forgets it after signing out', async () => {
    const phone = journey.getPhone('，员工')
    const page = await open(mobile, { fresh: true, width: 360 })
    await field(page, '手机号').fill(phone)
    const signIn = async () => {
      await field(page, '密码').fill(password)
      await press(page, '登录')
      await page.waitForURL('**/m/slips')
    }
    await signIn()
    await page.locator('.m-slip-row').first().waitFor()
    // The server no longer knows the session.
    await page.context().clearCookies()
    await page.reload()
    await page.waitForURL((url) => url.pathname === mobile)
    await page.getByText('登录已失效，请重新登录').waitFor()
    expect(await field(page, '手机号').inputValue()).toBe(phone)
    await examine(page, 'login-expired-360')
    await signIn()
    await page.goto(`${journey.address}/m/me`)
    await page.getByRole('button', { name: '退出登录' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '退出登录' }).click()
    await page.waitForURL((url) => url.pathname === mobile)
    await page.getByText('您已退出登录').waitFor()
    expect(await field(page, '手机号').inputValue()).toBe('')
    expect(await page.evaluate(() => Object.values(localStorage).join())).not.toContain(phone)
    page.complaints.length = 0
  })

  it('shows nothing after sign-out when the back button is used', async () => {
    const page = await open(desk)
    await signInAtDesk(page, journey.getPhone('员工管理员'))
    await page.waitForURL('**/companyMember')
    await page.getByText('朱予安').first().waitFor()
    await page.evaluate(() => localStorage.removeItem('user-token'))
    await page.goto(desk)
    // The page that is returned to redirects at once, possibly before the navigation has ended.
    await page.goBack().catch(() => null)
    await page.waitForURL((url) => url.pathname === desk)
    await until(() => field(page, '手机号').inputValue()).toBe('')
    expect(await page.getByText('朱予安').count()).toBe(0)
  })
})

describe('the entry page', () => {
  it('redirects /index.html by the width of the window', async () => {
    const page = await open(undefined, { width: 799 })
    for (const [width, to] of [
      [799, '/m/login'],
      [800, '/pc/page/index/index.html'],
    ] as const) {
      await page.setViewportSize({ width, height: 780 })
      await page.goto('/index.html')
      await page.waitForURL(`**${to}`)
    }
  })

  it('fits the product page to any width, leads to registration, and leaves / empty', async () => {
    const page = await open('/pc/page/index/index.html', { width: 360 })
    for (const width of [360, 800, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await mustFit(page)
      await picture(page, `product-${width}`)
      await until(() => page.getByRole('link', { name: /^注册/ }).isVisible()).toBe(true)
    }
    await page.getByRole('link', { name: /^注册/ }).click()
    await page.getByRole('heading', { name: '注册企业' }).waitFor()
    await page.goto('/')
    await settle(page)
    expect((await page.locator('body').innerText()).trim()).toBe('')
  })
})
