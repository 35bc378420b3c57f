/** Every page at 1440, 800 and 360 px, light and dark: nothing serious for accessibility, nothing wider than the window, no dead link. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getSlipList } from '../../server/contract/employee.ts'
import { getWageList } from '../../server/contract/slip.ts'
import { type Look, mustBeAccessible, mustFit, newPage, openBrowser, picture, signInAtDesk } from '../kit/browser.ts'
import { HttpCaller } from '../kit/http.ts'
import { some } from '../kit/scale.ts'
import { type Server, startServer } from '../kit/server.ts'

let server: Server
let browser: Browser
let batch_id = ''
let slip_id = ''
const phoneOf = (text: string): string => server.signIns.find((one) => one.text.includes(text))?.phone ?? ''

beforeAll(async () => {
  server = await startServer()
  browser = await openBrowser()
  const payroll = await new HttpCaller(server.address).signIn(phoneOf('薪酬管理员（全公司）'))
  batch_id = (await payroll.must(getWageList, {})).list[0]?.batch_id ?? ''
  const employee = await new HttpCaller(server.address).signIn(phoneOf('，员工'))
  slip_id = (await employee.must(getSlipList, {})).list[0]?.slip_id ?? ''
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

/** The narrow window in between and the dark phone differ in layout and colours that the other three have shown to be accessible. */
const looks: (Look & { axe: boolean })[] = [
  { width: 1440, axe: true },
  { width: 360, axe: true },
  { width: 1440, scheme: 'dark', axe: true },
  { width: 800, axe: false },
  { width: 360, scheme: 'dark', axe: false },
]
const nameOf = ({ width, scheme }: Look): string => `${width}${scheme === 'dark' ? '-dark' : ''}`
/** Looked up once, whichever page they stand on. */
const followed = new Set<string>()
/** Links that are no pages of ours: downloads, and the phone. */
const isPage = (href: string): boolean => href.startsWith('/') && !href.startsWith('/api/') && !href.startsWith('//')

describe.each(some(looks, 1))('at $width px $scheme', (look) => {
  it('pages that need no sign-in', async () => {
    const page = await newPage(browser, server.address, look)
    for (const [name, path] of [
      ['product', '/pc/page/index/index.html'],
      ['login', '/pc/page/login/login.html'],
      ['m-login', '/m/login'],
      ['lost', '/no/such/page'],
      ['api', '/api'],
      ['outbox', '/dev/outbox'],
      ['widgets', '/dev/ui'],
      ['invite', '/m/invite?code=none'],
    ] as const) {
      await page.goto(path, { waitUntil: 'networkidle' })
      await picture(page, `page-${name}-${nameOf(look)}`)
      if (look.axe) await mustBeAccessible(page)
      await mustFit(page)
    }
    await page.context().close()
  })

  it.each([
    [
      'payroll',
      '薪酬管理员（全公司）',
      ['/home', '/wageSend1', '/wageAdmin', '/wageDetail?batch_id=', '/wageSet', '/memberFeedback', '/companyMember', '/agency'],
    ],
    ['system', '系统管理员', ['/rolePersonal', '/roleWage', '/roleAdmin', '/strategic', '/profile']],
    ['agency', '代理企业负责人', ['/CompanyList']],
    ['nothing', '老板', ['/home', '/wageAdmin']],
  ] as const)('the desk: %s', async (who, text, paths) => {
    const page = await newPage(browser, server.address, look)
    await signInAtDesk(page, phoneOf(text))
    await page.waitForLoadState('networkidle')
    const links = new Set<string>()
    for (const path of paths) {
      await page.goto(path.endsWith('=') ? `${path}${batch_id}` : path, { waitUntil: 'networkidle' })
      await picture(page, `page-${who}-${path.replace(/\W+/g, '')}-${nameOf(look)}`)
      if (look.axe) await mustBeAccessible(page)
      await mustFit(page)
      for (const href of await page.locator('a[href]').evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? '')))
        if (isPage(href)) links.add(href)
    }
    if (look.width === 1440 && !look.scheme) {
      for (const href of links) {
        if (followed.has(href)) continue
        followed.add(href)
        await page.goto(href, { waitUntil: 'networkidle' })
        expect(await page.getByText('没有找到这个页面').count(), `${href} is a dead link`).toBe(0)
      }
    }
    expect(page.complaints).toEqual([])
    await page.context().close()
  })

  it("the employee's", async () => {
    const page = await newPage(browser, server.address, look)
    await page.goto('/m/login')
    await page.getByLabel('手机号').fill(phoneOf('，员工'))
    await page.getByLabel('密码', { exact: true }).fill('xinhan2026')
    await page.getByRole('button', { name: '登录', exact: true }).click()
    await page.waitForURL('**/m/slips')
    for (const path of [
      '/m/slips',
      `/m/slip/${slip_id}`,
      `/m/feedback/${slip_id}`,
      '/m/me',
      '/m/slip/00000000-0000-7000-8000-000000000000',
    ]) {
      await page.goto(path, { waitUntil: 'networkidle' })
      await picture(page, `page-m-${path.split('/')[2]}${path.includes('0000-7000') ? '-gone' : ''}-${nameOf(look)}`)
      if (look.axe) await mustBeAccessible(page)
      await mustFit(page)
    }
    expect(page.complaints).toEqual([])
    await page.context().close()
  })
})
