/** Inviting people at the desk, and coming by the link or the picture on a phone. Every step leaves a picture in tests/e2e/shots. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { insertMember } from '../../server/contract/member.ts'
import { type Look, mustBeAccessible, mustFit, newPage, openBrowser, picture, signInAtDesk } from '../kit/browser.ts'
import { HttpCaller, lastCode, type OutboxMessage } from '../kit/http.ts'
import { some } from '../kit/scale.ts'
import { type Server, startServer } from '../kit/server.ts'

let server: Server
let browser: Browser
let desk: Page & { complaints: string[] }
let joinAddress = ''
const people = [
  { name: '林一舟', mobile: '18855550001' },
  { name: '周以宁', mobile: '18855550002' },
  { name: '顾清扬', mobile: '18855550003' },
]
const password = '山高月小 Shui luo 2026'

beforeAll(async () => {
  server = await startServer()
  browser = await openBrowser()
  const boss = server.signIns.find((one) => one.text.includes('薪酬管理员（全公司）'))?.phone ?? ''
  const caller = await new HttpCaller(server.address).signIn(boss)
  for (const one of people) await caller.must(insertMember, one)
  desk = await newPage(browser, server.address)
  await signInAtDesk(desk, boss)
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
})
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail')
    for (const [at, context] of browser.contexts().entries())
      for (const page of context.pages()) await picture(page, `failed-invite-${at}`)
})

/** The link that was last sent to this phone. */
async function linkTo(mobile: string): Promise<string> {
  const find = async () => {
    const { list } = (await (await fetch(`${server.address}/dev/outbox.json?mobile=${mobile}`)).json()) as {
      list: OutboxMessage[]
    }
    return /\/m\/invite\?code=[\w-]+/.exec(list.find((one) => one.text.includes('/m/invite'))?.text ?? '')?.[0] ?? ''
  }
  await expect.poll(find, { timeout: 15_000 }).not.toBe('')
  return find()
}
async function look(page: Page, name: string, { axe = true } = {}): Promise<void> {
  await picture(page, `invite-${name}`)
  if (axe) await mustBeAccessible(page)
  await mustFit(page)
}
/** Proves a phone on the page of an invite. */
async function prove(page: Page, phone: string): Promise<void> {
  await page.getByLabel('手机号').fill(phone)
  await page.getByRole('button', { name: '获取验证码' }).click()
  await page.getByText('5 分钟内有效').waitFor()
  await page.getByLabel('短信验证码').fill(await lastCode(server.address, phone))
}

describe('at the desk', () => {
  it('the selected people are invited; what it costs is said first', async () => {
    await desk.goto('/companyMember?status=invited&name=林一舟', { waitUntil: 'networkidle' })
    await desk
      .getByRole('row', { name: /林一舟/ })
      .getByRole('checkbox')
      .check()
    await desk.getByRole('button', { name: '邀请 1 人' }).click()
    const dialog = desk.getByRole('dialog')
    await dialog.getByText('最多 1 条').waitFor()
    await look(desk, 'desk-some')
    await dialog.getByRole('button', { name: '邀请 1 人' }).click()
    await desk.getByText('已安排邀请 1 人（短信 1 条）').waitFor()
    expect(await linkTo(people[0]?.mobile ?? '')).toMatch(/^\/m\/invite\?code=[\w-]{43}$/)
  })

  it('or all who have not joined yet', async () => {
    await desk.goto('/companyMember', { waitUntil: 'networkidle' })
    await look(desk, 'desk-list')
    await desk.getByRole('button', { name: '邀请', exact: true }).click()
    const dialog = desk.getByRole('dialog')
    await dialog.getByRole('button', { name: /^邀请 \d+ 人$/ }).waitFor()
    await look(desk, 'desk-all')
    await dialog.getByRole('button', { name: '取消' }).click()
  })

  it('the picture leads to the page, until it is made anew', async () => {
    await desk.getByRole('button', { name: '二维码' }).click()
    const dialog = desk.getByRole('dialog')
    await dialog.getByRole('img', { name: '加入企业的二维码' }).waitFor()
    expect(
      await dialog.getByRole('img', { name: '加入企业的二维码' }).evaluate((image: HTMLImageElement) => image.naturalWidth),
    ).toBeGreaterThan(30)
    const before = await dialog.locator('code').textContent()
    await look(desk, 'desk-qr')
    await dialog.getByRole('button', { name: '重新生成' }).click()
    await desk.getByText('立即失效').waitFor()
    await look(desk, 'desk-qr-ask')
    await desk.getByRole('button', { name: '重新生成' }).last().click()
    await desk.getByText('已换成新的二维码').waitFor()
    await expect.poll(() => desk.getByRole('dialog').locator('code').textContent()).not.toBe(before)
    joinAddress = new URL((await desk.getByRole('dialog').locator('code').textContent()) ?? '').pathname
    joinAddress += new URL((await desk.getByRole('dialog').locator('code').textContent()) ?? '').search
    const old = await newPage(browser, server.address, { width: 360 })
    await old.goto(new URL(before ?? '').pathname + new URL(before ?? '').search)
    await old.getByText('邀请已失效').waitFor()
    await old.context().close()
    expect(desk.complaints).toEqual([])
  })
})

describe.each(
  some([{ width: 360 }, { width: 1440, scheme: 'dark' }, { width: 360, scheme: 'dark' }, { width: 1440 }] as Look[], 2),
)('the page of an invite at $width px $scheme', (as) => {
  const name = `${as.width}${as.scheme ? '-dark' : ''}`
  it('is readable in every state that needs no session', async () => {
    const page = await newPage(browser, server.address, as)
    await page.goto(await linkTo(people[0]?.mobile ?? ''), { waitUntil: 'networkidle' })
    await page.getByText('邀请您用薪函查看工资条').waitFor()
    await page.getByText('188****0001').waitFor()
    await look(page, `phone-${name}`)
    await page.getByRole('button', { name: '下一步' }).click()
    await page.getByText('手机号不能为空').waitFor()
    await look(page, `empty-${name}`)
    await page.goto(joinAddress, { waitUntil: 'networkidle' })
    await page.getByLabel('您的姓名').waitFor()
    await look(page, `join-${name}`)
    await page.goto('/m/invite?code=cut-off', { waitUntil: 'networkidle' })
    await page.getByText('邀请已失效').waitFor()
    await look(page, `dead-${name}`)
    await page.goto('/m/invite', { waitUntil: 'networkidle' })
    await page.getByText('邀请已失效').waitFor()
    expect(page.complaints).toEqual([])
    await page.context().close()
  })
})

describe('on a phone', () => {
  it('by a link: the phone, a password of one’s own, and there are the slips', async () => {
    const page = await newPage(browser, server.address, { width: 360 })
    const link = await linkTo(people[0]?.mobile ?? '')
    await page.goto(link)
    await prove(page, people[0]?.mobile ?? '')
    await page.getByRole('button', { name: '下一步' }).click()
    await page.getByLabel('登录密码').waitFor()
    await look(page, 'password-360')
    await page.getByLabel('登录密码').fill('12345678')
    await page.getByLabel('确认密码').fill('12345678')
    await page.getByRole('button', { name: /^加入/ }).click()
    await page.getByText('太常见').first().waitFor()
    await look(page, 'password-common-360')
    await page.getByLabel('登录密码').fill(password)
    await page.getByLabel('确认密码').fill(password)
    await page.getByText('密码强度：强').waitFor()
    await page.getByRole('button', { name: /^加入/ }).click()
    await page.getByRole('heading', { name: /^已加入/ }).waitFor()
    await look(page, 'in-360')
    await page.getByRole('button', { name: '查看工资条' }).click()
    await page.waitForURL('**/m/slips')
    await page.getByRole('heading').first().waitFor()
    await look(page, 'slips-360')
    expect(page.complaints).toEqual([])
    // The same link again: it is over.
    await page.goto(link)
    await page.getByText('邀请已失效').waitFor()
    await page.context().close()
  })

  it('by the picture: who is on the roster joins, who is not waits, who has joined is told to sign in', async () => {
    const page = await newPage(browser, server.address, { width: 360 })
    await page.goto(joinAddress)
    await prove(page, people[1]?.mobile ?? '')
    await page.getByLabel('您的姓名').fill('周以宁')
    await page.getByLabel('短信验证码').press('Enter')
    await page.getByLabel('登录密码').fill(password)
    await page.getByLabel('确认密码').fill(password)
    await page.getByLabel('确认密码').press('Enter')
    await page.getByRole('heading', { name: /^已加入/ }).waitFor()
    await page.context().close()

    const stranger = await newPage(browser, server.address, { width: 360 })
    await stranger.goto(joinAddress)
    await prove(stranger, '18855559999')
    await stranger.getByLabel('您的姓名').fill('路人甲')
    await stranger.getByRole('button', { name: '下一步' }).click()
    await stranger.getByRole('heading', { name: '已通知管理员' }).waitFor()
    await look(stranger, 'waiting-360')
    await stranger.context().close()
    await desk.goto('/agency', { waitUntil: 'networkidle' })
    await desk.getByRole('button', { name: '通知', exact: true }).click()
    await desk.getByText('路人甲（手机尾号 9999）').first().waitFor()
    await look(desk, 'desk-notice')

    const again = await newPage(browser, server.address, { width: 360, scheme: 'dark' })
    await again.goto(joinAddress)
    const known = server.signIns.find((one) => one.text.includes('，员工'))?.phone ?? ''
    await prove(again, known)
    await again.getByLabel('您的姓名').fill('本人')
    await again.getByRole('button', { name: '下一步' }).click()
    await again.getByRole('heading', { name: '您已经加入' }).waitFor()
    await look(again, 'joined-360-dark')
    await again.context().close()
  })
})
