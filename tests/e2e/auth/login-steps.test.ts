/**
 * The steps around the sign-in form from end to end: forgotten password, registration, the second factor; and how the
 * pages look and weigh.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { confirmTotp, startTotp } from '../../../server/contract/auth/profile.ts'
import { login, registerCorp } from '../../../server/contract/auth/sign-in.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { HttpCaller, lastCode } from '../../support/callers/http.ts'
import { examine, mustBeAccessible, mustFit, picture, type Tab, type View } from '../../support/journey/browser.ts'
import { desk, mobile, password, pendingResponse, settle, ticking, until, useJourney } from '../../support/journey/journey.ts'
import { some } from '../../support/run/trial.ts'

const journey = useJourney()
const { open } = journey
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
async function requestCode(page: Page, phone: string): Promise<string> {
  await field(page, '手机号').fill(phone)
  await press(page, '获取验证码')
  await page.getByRole('button', { name: /秒后重发/ }).waitFor()
  return lastCode(journey.address, phone)
}

describe('forgot password', () => {
  /** One tab with a controlled clock; the phone test runs an hour later on it. */
  let page: Tab
  beforeAll(async () => {
    page = await open(undefined, { clock: true })
  })
  afterAll(() => journey.close(page))
  /** Goes to the end of the second step and checks the errors of a new password on the way. */
  async function toNewPassword(phone: string, selected: string, wrong: readonly (readonly [string, string, string])[]) {
    await page.getByRole('link', { name: '忘记密码？' }).click()
    // The previous page has a field of the same name.
    await page.getByRole('heading', { name: '忘记密码' }).waitFor()
    const code = await requestCode(page, phone)
    await field(page, '短信验证码').fill(code === '000000' ? '000001' : '000000')
    await page.getByText('验证码不正确，请检查后再输一次（还可以试 4 次）').waitFor()
    await field(page, '短信验证码').fill(code)
    await field(page, '新密码').waitFor()
    await examine(page, `login-forgot-2-${page.viewportSize()?.width}`)
    for (const [first, second, text] of wrong) {
      await field(page, '新密码').fill(first)
      await field(page, '确认新密码').fill(second)
      await press(page, '重置密码')
      await page.getByText(text, { exact: true }).waitFor()
    }
    await field(page, '新密码').fill(selected)
    await field(page, '确认新密码').fill(selected)
    // From here on, the page's clock only advances on request.
    const now = await page.evaluate(() => Date.now())
    await page.clock.pauseAt(now + 3_600_000)
    await press(page, '重置密码')
    await ticking(page, () => page.getByText('密码修改成功！').count()).toBe(1)
    await picture(page, `login-forgot-3-${page.viewportSize()?.width}`)
  }
  /** Checks that the old password is rejected and the new one signs in. */
  async function mustOpen(phone: string, selected: string, home: string) {
    await until(() => field(page, '手机号').inputValue()).toBe(phone)
    await until(async () => (await new HttpCaller(journey.address).call(login, { phone, password })).error_code).toBe(
      errorCodes.wrong_password.code,
    )
    await field(page, '密码').fill(selected)
    await press(page, '登录')
    await page.waitForURL(home)
  }

  it('counts down three seconds on desktop before the page returns', async () => {
    const phone = journey.getPhone('员工管理员')
    await page.goto(desk)
    await toNewPassword(phone, 'a8#kq zt', [
      ['', '', '请输入6-16位字母、数字或组合'],
      ['a8#kq zt', 'a8#kq', '两次输入的密码不一致'],
      ['12345', '12345', '密码至少 6 位'],
      ['123456', '123456', '这个密码太常见，容易被猜到，请换一个'],
    ])
    const viewed = new Set<string>()
    await until(async () => {
      for (const text of await page.getByText(/秒后自动返回登录/).allInnerTexts()) viewed.add(text.replace(/\D/g, ''))
      await page.clock.runFor(100)
      return field(page, '密码').count()
    }).toBe(1)
    expect([...viewed]).toEqual(['3', '2', '1'])
    await page.clock.resume()
    await mustOpen(phone, 'a8#kq zt', '**/companyMember')
  })

  it('returns on a phone at once when the button is pressed during the countdown', async () => {
    const phone = journey.getPhone('云杉科技 · 朱予安')
    await page.setViewportSize({ width: 360, height: 780 })
    await page.goto(mobile)
    await toNewPassword(phone, 'b9#kq zt', [['b9#kq zt', 'b9', '两次输入的密码不一致']])
    await press(page, '立即登录')
    await page.getByRole('heading', { name: '查看我的工资条' }).waitFor()
    await page.clock.resume()
    await mustOpen(phone, 'b9#kq zt', '**/m/slips')
  })
})

describe('registering a company', () => {
  it.each(some([1440, 360], 1))(
    'leads from company registration to the start page within half a minute at %i px',
    async (width) => {
      const phone = journey.freePhone(width)
      const page = await open('/pc/page/index/index.html', { width })
      await page.getByRole('link', { name: /^注册/ }).click()
      await field(page, '企业名称').fill(`晨星测试${width}`)
      await field(page, '您的姓名').fill('林一')
      await field(page, '短信验证码').fill(await requestCode(page, phone))
      await field(page, '登录密码').fill('123456')
      await press(page, '注册并开始试用')
      await page.getByRole('alert').waitFor()
      await examine(page, `login-register-common-${width}`)
      await field(page, '登录密码').fill('月落乌啼 霜满天')
      await press(page, '注册并开始试用')
      await page.waitForURL('**/home')
      await page.getByText(`晨星测试${width}`).first().waitFor()
    },
  )

  it('shows a server error without moving the focus from the field in which the user is typing', async () => {
    const page = await open(`${desk}#register`)
    await field(page, '企业名称').fill('晨星测')
    await field(page, '您的姓名').fill('林一')
    await field(page, '短信验证码').fill(await requestCode(page, journey.freePhone(7)))
    await field(page, '登录密码').fill('123456')
    const answer = await pendingResponse(page, registerCorp)
    await press(page, '注册并开始试用')
    await field(page, '企业名称').press('End')
    await page.keyboard.type('试')
    answer()
    await page.getByRole('alert').waitFor()
    await page.keyboard.type('七')
    expect([await field(page, '企业名称').inputValue(), await field(page, '登录密码').inputValue()]).toEqual([
      '晨星测试七',
      '123456',
    ])
    // A user who waits for the response is led to the error.
    await press(page, '注册并开始试用')
    await until(() => field(page, '登录密码').evaluate((one) => one === document.activeElement)).toBe(true)
  })
})

describe('the second factor', () => {
  /** Returns an unused code: that of the next time step, as the current one has enabled the second factor. */
  const next = (secret: string) => new TOTP({ secret }).generate({ timestamp: Date.now() + 30_000 })
  const cases = [
    [desk, 'a right one', 1440, '小满餐饮 · 朱晚秋', '**/home'],
    [mobile, 'a recovery code', 360, '代理企业负责人', '**/m/slips'],
    [desk, 'a recovery code', 1440, '小满餐饮 · 朱立新', '**/m/slips'],
    [mobile, 'a right one', 360, '薪酬管理员（市场部', '**/m/slips'],
  ] as const
  it.each(some(cases, 2))('%s: rejects wrong second factor codes, then accepts %s', async (at, right, width, who, home) => {
    const phone = journey.getPhone(who)
    const owner = await journey.caller(who)
    const { secret } = await owner.must(startTotp, { password })
    const { recovery_codes } = await owner.must(confirmTotp, { code: new TOTP({ secret }).generate() })
    const page = await open(at, { width })
    await field(page, '手机号').fill(phone)
    await field(page, '密码').fill(password)
    await press(page, '登录')
    await field(page, '动态码').fill('12')
    await press(page, '验证并登录')
    await page.getByText('请输入 6 位动态码，或一个恢复码').waitFor()
    await examine(page, `login-factor-${width}`)
    await field(page, '动态码').fill('zzzzz-zzzzz')
    await press(page, '验证并登录')
    await page.getByRole('alert').getByText('不正确').waitFor()
    const recovers = right === 'a recovery code'
    await field(page, '动态码').fill(recovers ? (recovery_codes[0] ?? '').toUpperCase() : next(secret))
    // A complete six-digit code submits itself.
    if (recovers) await press(page, '验证并登录')
    await page.waitForURL(home)
  })
})

describe('appearance of the sign-in pages', () => {
  const views: View[] = [1440, 800, 360].flatMap((width) => [
    { width, scheme: 'light' as const },
    { width, scheme: 'dark' as const },
  ])
  it.each(some([...views.slice(0, 1), ...views.slice(-1), ...views.slice(1, -1)], 0))(
    'shows accessible sign-in pages that fit the window and do not shift at $width px, $scheme',
    async (view) => {
      for (const [name, path] of [
        ['form', desk],
        ['forgot', `${desk}#forgot`],
        ['register', `${desk}#register`],
        ['m', mobile],
        ['m-forgot', `${mobile}#forgot`],
      ] as const) {
        const page = await open(undefined, { ...view, fresh: true })
        const slow = await page.context().newCDPSession(page)
        await slow.send('Emulation.setCPUThrottlingRate', { rate: 6 })
        await page.addInitScript(() => {
          const viewed = window as unknown as { moved: number }
          viewed.moved = 0
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) viewed.moved += entry.value
          }).observe({ type: 'layout-shift', buffered: true })
        })
        await page.goto(path)
        await page.locator('input').first().waitFor()
        await settle(page)
        // All late content has arrived: platforms, the steps, and an error below each field.
        await slow.send('Emulation.setCPUThrottlingRate', { rate: 1 })
        await page.locator('[type=submit]').click()
        await page.getByRole('alert').waitFor()
        await picture(page, `login-${name}-${view.width}-${view.scheme}`)
        expect([path, await page.evaluate(() => (window as unknown as { moved: number }).moved)]).toEqual([path, 0])
        await mustBeAccessible(page)
        await mustFit(page)
      }
    },
  )

  it('accepts typing after at most 90 kB of JavaScript (gzip)', async () => {
    const page = await open()
    const files: string[] = []
    page.on('request', (request) => request.url().endsWith('.js') && files.push(new URL(request.url()).pathname))
    await page.goto(desk, { waitUntil: 'commit' })
    await field(page, '手机号').pressSequentially('1')
    const dist = join(import.meta.dirname, '../../../dist')
    // Files that the page preloads when idle may already be requested: they come after the entry, which the HTML names.
    const needed = [...readFileSync(join(dist, desk), 'utf8').matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(
      (match) => match[1] ?? '',
    )
    expect(needed.every((file) => files.includes(file))).toBe(true)
    const kb = needed.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file))).length, 0) / 1000
    expect(kb).toBeLessThanOrEqual(90)
  })
})
