/** The sign-in pages: every way in, every sentence of spec §5 and §8 that belongs to them, bad input, and what stands in between. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { whys } from '../../server/contract/platform-sign-in.ts'
import { lastCode } from '../kit/http.ts'
import { examine, mustFit, picture } from '../kit/journey/browser.ts'
import { desk, password, pocket, settle, signInAtDesk, useJourney } from '../kit/journey/journey.ts'
import { some } from '../kit/trial.ts'

const journey = useJourney()
const { open } = journey
const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const alerts = (page: Page) => page.getByRole('alert').allInnerTexts()
/** Pastes as a person does: the field sees one input with the whole text. */
async function paste(page: Page, label: string, text: string): Promise<void> {
  await field(page, label).focus()
  await page.keyboard.insertText(text)
}
async function askCode(page: Page, phone: string): Promise<string> {
  await field(page, '手机号').fill(phone)
  await press(page, '获取验证码')
  await page.getByRole('button', { name: /秒后重发/ }).waitFor()
  return lastCode(journey.address, phone)
}

describe('ways in', () => {
  it('the desk, by password, with Enter', async () => {
    const page = await open(desk)
    // The field has the focus as soon as it is there: one can type at once.
    await page.locator('input:focus').waitFor()
    await page.keyboard.type(journey.phoneOf('薪酬管理员（全公司）'))
    await field(page, '密码').fill(password)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/home')
    // Not back to a form that knows what was typed.
    await page.goBack()
    expect(page.url()).toBe('about:blank')
  })

  it('the desk, by a code pasted as the whole message, which signs in by itself', async () => {
    const page = await open(desk)
    await page.getByRole('tab', { name: '验证码登录' }).click()
    const code = await askCode(page, journey.phoneOf('薪酬管理员（市场部'))
    await examine(page, 'login-code-sent')
    await paste(page, '短信验证码', `【薪函】验证码 ${code}，5 分钟内有效。请勿告诉他人。`)
    await page.waitForURL('**/home')
  })

  it('with two companies one chooses', async () => {
    const page = await open(desk, { width: 360 })
    await field(page, '手机号').fill(journey.phoneOf('同时是'))
    await field(page, '密码').fill(password)
    await press(page, '登录')
    await page.getByRole('heading', { name: '进入哪家企业？' }).waitFor()
    await examine(page, 'login-companies-360')
    await page.getByRole('button', { name: /云杉科技/ }).click()
    await page.waitForURL('**/m/slips')
  })

  it('the phone, by password and by code', async () => {
    const page = await open(pocket, { width: 360 })
    await paste(page, '手机号', ` +86 ${journey.phoneOf('云杉科技 · 朱予安').replace(/^(...)(....)/, '$1-$2-')}`)
    await field(page, '密码').fill(password)
    await press(page, '登录')
    await page.waitForURL('**/m/slips')
    const other = await open(pocket, { width: 360 })
    await other.getByRole('tab', { name: '验证码登录' }).click()
    await field(other, '短信验证码').fill(await askCode(other, journey.phoneOf('小满餐饮 · 朱立新')))
    await other.waitForURL('**/m/slips')
  })

  it.each(['//evil.example/home', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '/m/login'])(
    '?page=%s stays at home',
    async (to) => {
      const page = await open(`${desk}?page=${encodeURIComponent(to)}`)
      await field(page, '手机号').fill(journey.phoneOf('系统管理员'))
      await field(page, '密码').fill(password)
      await press(page, '登录')
      await page.waitForURL(/\/(home|roleWage)$/)
      expect(new URL(page.url()).origin).toBe(journey.address)
    },
  )

  it('?page= of our own is where one was going', async () => {
    const page = await open(`${desk}?page=${encodeURIComponent('/wageAdmin?page=1')}`)
    await field(page, '手机号').fill(journey.phoneOf('薪酬管理员（全公司）'))
    await field(page, '密码').fill(password)
    await press(page, '登录')
    await page.waitForURL('**/wageAdmin**')
  })
})

describe('what is said (spec §5, §8)', () => {
  const fine = '13900139000'
  const signIn = [desk, pocket].flatMap((at) => [
    [at, '手机号不能为空', '登录', {}],
    [at, '手机号格式有误，请重新输入', '登录', { 手机号: '1390013' }],
    [at, '手机号格式有误，请重新输入', '登录', { 手机号: '29001390001' }],
    [at, '手机号不能为空', '登录', { 手机号: '😀一二三' }],
    [at, '请输入登录密码', '登录', { 手机号: fine }],
    [at, '手机号或密码不正确', '登录', { 手机号: fine, 密码: 'x' }],
    [at, '手机号或密码不正确', '登录', { 手机号: fine, 密码: '😀'.repeat(2500) }],
    [at, '手机号不能为空', '登录', { 验证码登录: '', 手机号: '' }],
    [at, '验证码不能为空', '登录', { 验证码登录: '', 手机号: fine }],
    [at, '请输入 6 位验证码', '登录', { 验证码登录: '', 手机号: fine, 短信验证码: '12' }],
    [at, '请先获取验证码', '登录', { 验证码登录: '', 手机号: fine, 短信验证码: '123456' }],
    [at, '手机号格式有误，请重新输入', '获取验证码', { 验证码登录: '', 手机号: '139' }],
    [`${at}#forgot`, '手机号不能为空', '下一步', {}],
    [`${at}#forgot`, '手机号格式有误，请重新输入', '下一步', { 手机号: '1' }],
    [`${at}#forgot`, '短信验证码不能为空', '下一步', { 手机号: fine }],
    [`${at}#forgot`, '手机号不能为空', '获取验证码', {}],
  ])
  const company = { 企业名称: '晨星', 您的姓名: '林一', 手机号: fine, 短信验证码: '123456' }
  const register = [
    [{}, '请填写企业名称'],
    [{ 企业名称: ' ' }, '请填写企业名称'],
    [{ 企业名称: '晨星' }, '请填写您的姓名'],
    [{ 企业名称: '晨星', 您的姓名: '林一' }, '手机号不能为空'],
    [{ ...company, 手机号: '1' }, '手机号格式有误，请重新输入'],
    [{ ...company, 短信验证码: '' }, '短信验证码不能为空'],
    [company, '请输入6-16位字母、数字或组合'],
    [{ ...company, 登录密码: 'abcde' }, '密码至少 6 位'],
    [{ ...company, 登录密码: 'abcdef' }, '请先获取验证码'],
  ].map(([typed, text]) => [`${desk}#register`, text, '注册并开始试用', typed])

  it.each(some([...register, ...signIn] as [string, string, string, Record<string, string>][], 25))(
    '%s %#: %s',
    async (at, text, button, typed) => {
      const page = await open(at, { width: at.startsWith(pocket) ? 360 : 1440 })
      for (const [label, value] of Object.entries(typed))
        if (label === '验证码登录') await page.getByRole('tab', { name: label }).click()
        else await field(page, label).fill(value)
      await press(page, button)
      await page.getByRole('alert').waitFor()
      expect(await alerts(page)).toEqual([text])
      // What is wrong has the focus and says so to a screen reader.
      if (text !== '请先获取验证码') expect(await page.locator(':focus').getAttribute('aria-invalid')).toBe('true')
    },
  )

  it.each([...whys, 'whatever'])('back from a platform with ?why=%s', async (why) => {
    const page = await open(`${desk}?why=${why}`)
    expect(await page.getByRole('status').innerText()).toMatch(/手机号登录$/)
  })

  it('a code for a phone that nobody knows is promised in the same words', async () => {
    const page = await open(desk)
    await page.getByRole('tab', { name: '验证码登录' }).click()
    await field(page, '手机号').fill('13900139001')
    await press(page, '获取验证码')
    await page.getByText('若 139****9001 已在薪函登记').waitFor()
    await field(page, '短信验证码').fill('000000')
    await page.getByText('验证码不正确或已过期，请重新获取').waitFor()
  })
})

describe('hands and browsers', () => {
  it('a double click signs in once; the button stays where it is', async () => {
    const page = await open(desk)
    let asked = 0
    page.on('request', (request) => request.url().endsWith('/index/login') && (asked += 1))
    await field(page, '手机号').fill('１３９００１３９００２')
    expect(await field(page, '手机号').inputValue()).toBe('13900139002')
    await field(page, '密码').fill('wrong password')
    await page.getByRole('button', { name: '登录', exact: true }).dblclick()
    await page.getByText('手机号或密码不正确').waitFor()
    expect(asked).toBe(1)
  })

  it('the password is shown on request, Caps Lock is mentioned, password managers know the fields', async () => {
    const page = await open(desk)
    await field(page, '密码').fill('secret')
    await press(page, '显示密码')
    expect(await field(page, '密码').getAttribute('type')).toBe('text')
    await press(page, '隐藏密码')
    expect(await field(page, '密码').getAttribute('type')).toBe('password')
    // Headless Chromium has no lock to press: the event says that it is on.
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
  ])('%s forbidden: said before a password is typed, and nothing is sent', async (what, text) => {
    for (const at of [desk, pocket, `${desk}#register`]) {
      const page = await open(undefined, { width: at === pocket ? 360 : 1440, fresh: true })
      await page.addInitScript((kind) => {
        const forbidden = () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError')
        }
        if (kind === 'localStorage') Object.defineProperty(window, 'localStorage', { get: forbidden })
        else Object.defineProperty(Document.prototype, 'cookie', { get: () => '', set() {} })
      }, what)
      let asked = 0
      page.on('request', (request) => request.method() === 'POST' && (asked += 1))
      await page.goto(at)
      await page.getByRole('alert').waitFor()
      expect((await alerts(page)).join()).toContain(text)
      if (at === desk) await examine(page, `login-without-${what}`)
      await press(page, at.includes('register') ? '注册并开始试用' : '登录')
      expect([(await alerts(page)).join(), asked]).toEqual([expect.stringContaining(text), 0])
    }
  })

  it('without a network: said in words, what was typed stays, and the next press works', async () => {
    const page = await open(desk)
    await settle(page)
    await field(page, '手机号').fill(journey.phoneOf('企业管理员'))
    await field(page, '密码').fill(password)
    await page.context().setOffline(true)
    await press(page, '登录')
    await page.getByText('网络错误，请刷新后重试…').waitFor()
    await page.context().setOffline(false)
    await press(page, '登录')
    await page.waitForURL('**/roleWage')
    expect(page.complaints.splice(0)).toEqual([expect.stringContaining('ERR_INTERNET_DISCONNECTED')])
  })

  it('after signing out, the back button shows nothing', async () => {
    const page = await open(desk)
    await signInAtDesk(page, journey.phoneOf('员工管理员'))
    await page.waitForURL('**/companyMember')
    await page.getByText('朱予安').first().waitFor()
    await page.evaluate(() => localStorage.removeItem('user-token'))
    await page.goto(desk)
    await page.goBack()
    await page.waitForURL(`**${desk}**`)
    expect(await field(page, '手机号').inputValue()).toBe('')
    expect(await page.getByText('朱予安').count()).toBe(0)
  })
})

describe('the entry', () => {
  it.each([
    [799, '/m/login'],
    [800, '/pc/page/index/index.html'],
  ])('/index.html at %i px: %s', async (width, to) => {
    const page = await open('/index.html', { width })
    await page.waitForURL(`**${to}`)
  })

  it('the product page leads to registering, / is empty', async () => {
    for (const width of [360, 800, 1440]) {
      const page = await open('/pc/page/index/index.html', { width })
      await mustFit(page)
      await picture(page, `product-${width}`)
      await page.getByRole('link', { name: '注册', exact: true }).click()
      await page.getByRole('heading', { name: '注册企业' }).waitFor()
      await page.goto('/')
      await settle(page)
      expect((await page.locator('body').innerText()).trim()).toBe('')
    }
  })
})
