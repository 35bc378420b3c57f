/** Sign-in through the demo's simulated Lark in a real browser: known users, a new user, and users who cancel. */
import { beforeAll, describe, expect, it } from 'vitest'
import { lastCode } from '../../support/callers/http.ts'
import { examine, mustFit, type Tab } from '../../support/journey/browser.ts'
import { desk, password, useJourney } from '../../support/journey/journey.ts'

/** The demo's chat platform knows the users of the first company. */
const journey = useJourney({ first: true })

const larkAgent =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 26_4_1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.6778.268 Safari/537.36 Lark/7.53.16 LarkLocale/zh_CN'

describe('platform sign-in on desktop', () => {
  it('signs an administrator in through 飞书 without a code in any address', async () => {
    const page = await journey.open(desk)
    await page.getByRole('link', { name: '飞书' }).click()
    await page.getByRole('heading', { name: '用飞书登录薪函' }).waitFor()
    await examine(page, 'platform-consent-1440')
    await page.getByRole('link', { name: /系统管理员（全部权限）/ }).click()
    await page.waitForURL(/\/(home|landing|roleWage)/)
    await page.getByText('云杉科技').first().waitFor()
    expect(page.url()).not.toMatch(/code=|state=/)
    // Back does not lead to the code again.
    await page.goBack()
    expect(page.url()).not.toMatch(/[?&]code=/)
  })

  it('reports a cancelled platform sign-in on the sign-in page', async () => {
    const page = await journey.open('/api/platform/lark/authorize')
    await page.getByRole('link', { name: '取消' }).click()
    await page.waitForURL('**/login.html?why=cancelled')
    await page.getByText('您没有同意授权').waitFor()
    await examine(page, 'platform-cancelled-1440')
  })

  it('signs nobody in by a link with a code that this browser did not request', async () => {
    const page = await journey.open('/entry?code=0123456789abcdef0123456789abcdef0123&state=larkp0')
    await page.waitForURL('**/login.html?why=expired')
    expect(await page.evaluate(() => localStorage.getItem('user-token'))).toBeNull()
  })
})

describe.each([
  [360, 'light', /第一次从飞书登录/],
  [1440, 'dark', /已关联手机号/],
] as const)('platform sign-in at %s px %s', (width, scheme, who) => {
  it('signs in through the platform, and verifies the phone the first time', async () => {
    const page = await journey.open('/api/platform/lark/authorize', { width, scheme })
    const item = page.getByRole('link', { name: who }).last()
    const phone = /\d{11}/.exec((await item.textContent()) ?? '')?.[0] ?? ''
    await mustFit(page)
    await examine(page, `platform-consent-${width}-${scheme}`)
    await item.click()
    if (width === 360) {
      await page.getByRole('heading', { name: '关联飞书账号' }).waitFor()
      await examine(page, 'platform-join-360')
      await mustFit(page)
      await page.getByRole('button', { name: '验证并进入' }).click()
      await page.getByText('手机号不能为空').waitFor()
      await page.getByLabel('手机号').fill(phone)
      await page.getByRole('button', { name: '获取验证码' }).click()
      await page.getByText(/秒后重发/).waitFor()
      // A complete code submits itself.
      await page.getByLabel('短信验证码').fill(await lastCode(journey.address, phone))
      // This phone's account has a password, so possession of the phone alone is not enough.
      await page.getByText('请输入密码，确认是您本人').waitFor()
      await examine(page, 'platform-join-password-360')
      await page.getByLabel('登录密码', { exact: true }).fill(password)
      await page.getByRole('button', { name: '验证并进入' }).click()
    }
    await page.waitForURL('**/m/slips')
  })
})

describe('sign-in inside the chat client', () => {
  /** Both tests use one client: nobody is signed in before the second. */
  let page: Tab
  beforeAll(async () => {
    page = await journey.open(undefined, { width: 360, agent: larkAgent })
  })

  it('explains a Lark company without a binding', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto('/entry?corp=tenant_of_nobody')
    await page.waitForURL('**/login.html?why=no_app')
    await page.getByText('还没有绑定这个办公平台').waitFor()
  })

  it('uses the sign-in page in Lark without its script and keeps the requested page', async () => {
    await page.setViewportSize({ width: 360, height: 780 })
    // A test cannot reach the vendor's host.
    await page.route('https://lf1-cdn-tos.bytegoofy.com/**', (route) => route.abort())
    await page.goto('/entry?corp=tenant_yunshan_demo&page=%2Fm%2Fme')
    await page.getByRole('heading', { name: '用飞书登录薪函' }).waitFor()
    await page
      .getByRole('link', { name: /员工 .*已关联/ })
      .first()
      .click()
    await page.waitForURL('**/m/me')
    expect(page.complaints.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')])
  })
})
