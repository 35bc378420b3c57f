/**
 * Inviting members on desktop, and joining by link or join code on a phone. Every step leaves a picture in
 * tests/e2e/shots.
 */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { insertMember } from '../../../server/contract/directory/members.ts'
import { lastCode } from '../../support/callers/http.ts'
import { examine, mustFit, type Tab, type View } from '../../support/journey/browser.ts'
import { toasted, until, useJourney } from '../../support/journey/journey.ts'
import { smallTargets } from '../../support/journey/targets.ts'

const journey = useJourney()
let desk: Tab
let joinAddress = ''
const people = ['林一舟', '周以宁', '顾清扬'].map((name) => ({ name, mobile: '' }))
const password = '山高月小 Shui luo 2026'

beforeAll(async () => {
  for (const [at, one] of people.entries()) one.mobile = journey.freePhone(at + 1)
  const caller = await journey.caller('薪酬管理员（全公司）')
  for (const one of people) await caller.must(insertMember, one)
  desk = await journey.enter('薪酬管理员（全公司）', {}, '/companyMember?status=invited&name=林一舟')
})

/** Returns the last link sent to this phone. */
async function linkTo(mobile: string): Promise<string> {
  const find = async () =>
    /\/m\/invite\?code=[\w-]+/.exec(
      (await journey.outbox(mobile)).find((one) => one.text.includes('/m/invite'))?.text ?? '',
    )?.[0] ?? ''
  await until(find).not.toBe('')
  return find()
}
async function view(page: Page, name: string): Promise<void> {
  await examine(page, `invite-${name}`)
  await mustFit(page)
}
/** Verifies a phone on the page of an invitation. */
async function prove(page: Page, phone: string): Promise<void> {
  await page.getByLabel('手机号').fill(phone)
  await page.getByRole('button', { name: '获取验证码' }).click()
  await page.getByText('5 分钟内有效').waitFor()
  await page.getByLabel('短信验证码').fill(await lastCode(journey.address, phone))
}

describe('on desktop', () => {
  it('shows the cost before it invites the selected members', async () => {
    await desk
      .getByRole('row', { name: /林一舟/ })
      .getByRole('checkbox')
      .check()
    await desk.getByRole('button', { name: '邀请 1 人' }).click()
    const dialog = desk.getByRole('dialog')
    await dialog.getByText('最多 1 人').waitFor()
    await view(desk, 'desk-some')
    await dialog.getByRole('button', { name: '邀请 1 人' }).click()
    await toasted(desk, /已安排邀请 1 人（短信 [12] 条）/)
    expect(await linkTo(people[0]?.mobile ?? '')).toMatch(/^\/m\/invite\?code=[\w-]{43}$/)
  })

  it('invites all members who have not joined yet', async () => {
    await desk.getByRole('navigation', { name: '主菜单' }).getByRole('link', { name: '花名册' }).click()
    await desk.getByRole('button', { name: '邀请', exact: true }).click()
    const dialog = desk.getByRole('dialog')
    await dialog.getByRole('button', { name: /^邀请 \d+ 人$/ }).waitFor()
    await view(desk, 'desk-all')
    await dialog.getByRole('button', { name: '取消' }).click()
  })

  it('shows a join code that leads to the page until it is replaced', async () => {
    await desk.getByRole('button', { name: '二维码' }).click()
    const dialog = desk.getByRole('dialog')
    const picture = dialog.getByRole('img', { name: '加入企业的二维码' })
    await until(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(30)
    const before = await dialog.locator('code').textContent()
    await view(desk, 'desk-qr')
    await dialog.getByRole('button', { name: '重新生成' }).click()
    await desk.getByText('立即失效').waitFor()
    await view(desk, 'desk-qr-ask')
    await desk.getByRole('button', { name: '重新生成' }).last().click()
    await toasted(desk, '已换成新的二维码')
    await until(() => desk.getByRole('dialog').locator('code').textContent()).not.toBe(before)
    joinAddress = new URL((await desk.getByRole('dialog').locator('code').textContent()) ?? '').pathname
    joinAddress += new URL((await desk.getByRole('dialog').locator('code').textContent()) ?? '').search
    const { pathname, search } = new URL(before ?? '')
    const old = await journey.open(pathname + search, { width: 360 })
    await old.getByText('邀请已失效').waitFor()
  })
})

const views: View[] = [{ width: 360 }, { width: 1440, scheme: 'dark' }, { width: 360, scheme: 'dark' }, { width: 1440 }]
it('shows the page of an invitation in every state without a session, at any width, light and dark', async () => {
  const page = await journey.open(await linkTo(people[0]?.mobile ?? ''))
  const viewAround = async (state: string) => {
    for (const { width = 0, scheme = 'light' } of views) {
      await page.setViewportSize({ width, height: 780 })
      await page.emulateMedia({ colorScheme: scheme })
      await view(page, `${state}-${width}${scheme === 'dark' ? '-dark' : ''}`)
    }
  }
  await page.getByText('邀请您用薪函查看工资条').waitFor()
  await page.getByText(`${people[0]?.mobile.slice(0, 3)}****0001`).waitFor()
  await viewAround('phone')
  await page.getByRole('button', { name: '下一步' }).click()
  await page.getByText('手机号不能为空').waitFor()
  await viewAround('empty')
  await page.goto(joinAddress)
  await page.getByLabel('您的姓名').waitFor()
  await viewAround('join')
  await page.goto('/m/invite?code=cut-off')
  await page.getByText('邀请已失效').waitFor()
  await viewAround('dead')
  await page.goto('/m/invite')
  await page.getByText('邀请已失效').waitFor()
})

describe('joining on a phone', () => {
  it('joins by a link: phone, new password, payslips', async () => {
    const page = await journey.open(undefined, { width: 360 })
    const link = await linkTo(people[0]?.mobile ?? '')
    await page.goto(link)
    await prove(page, people[0]?.mobile ?? '')
    await page.getByRole('button', { name: '下一步' }).click()
    await page.getByLabel('登录密码').waitFor()
    await view(page, 'password-360')
    await page.getByLabel('登录密码').fill('12345678')
    await page.getByLabel('确认密码').fill('12345678')
    await page.getByRole('button', { name: /^加入/ }).click()
    // The strength meter warns about a common password immediately; the error is shown later.
    await page.getByRole('alert').getByText('太常见').waitFor()
    await view(page, 'password-common-360')
    await page.getByLabel('登录密码').fill(password)
    await page.getByLabel('确认密码').fill(password)
    await page.getByText('密码强度：强').waitFor()
    await page.getByRole('button', { name: /^加入/ }).click()
    await page.getByRole('heading', { name: /^已加入/ }).waitFor()
    await view(page, 'in-360')
    await page.getByRole('button', { name: '查看工资条' }).click()
    await page.waitForURL('**/m/slips')
    await page.getByRole('heading').first().waitFor()
    await view(page, 'slips-360')
    // Opening the same link again shows that it was used.
    await page.goto(link)
    await page.getByText('邀请已失效').waitFor()
  })

  describe('joining by the join code', () => {
    const open = async (phone: string, name: string, as: View = {}): Promise<Tab> => {
      const page = await journey.open(joinAddress, { width: 360, ...as })
      await prove(page, phone)
      await page.getByLabel('您的姓名').fill(name)
      return page
    }

    it('joins a member of the roster by the join code', async () => {
      const page = await open(people[1]?.mobile ?? '', '周以宁')
      await page.getByLabel('短信验证码').press('Enter')
      await page.getByLabel('登录密码').fill(password)
      await page.getByLabel('确认密码').fill(password)
      await page.getByLabel('确认密码').press('Enter')
      await page.getByRole('heading', { name: /^已加入/ }).waitFor()
    })

    it('keeps a user who is not on the roster waiting, and notifies the administrators', async () => {
      const outsider = await open(journey.freePhone(9999), '路人甲')
      await outsider.getByRole('button', { name: '下一步' }).click()
      await outsider.getByRole('heading', { name: '已通知管理员' }).waitFor()
      await view(outsider, 'waiting-360')
      await desk.goto('/agency')
      await desk.getByRole('button', { name: '通知', exact: true }).click()
      await desk.getByText('路人甲（手机尾号 9999）').first().waitFor()
      await view(desk, 'desk-notice')
    })

    it('lets administrators decide join requests among their to-dos: accepted on a phone, rejected on desktop', async () => {
      const phone = journey.freePhone(9998)
      const another = await open(phone, '路人乙')
      await another.getByRole('button', { name: '下一步' }).click()
      await another.getByRole('heading', { name: '已通知管理员' }).waitFor()
      const mobile = await journey.enter('薪酬管理员（全公司）', { width: 360, scheme: 'dark' }, '/agency')
      await mobile.getByRole('link', { name: /人扫码申请加入/ }).waitFor()
      await view(mobile, 'to-do-360-dark')
      for (const act of ['同意', '拒绝']) {
        const { width = 0, height = 0 } = (await mobile.getByRole('button', { name: `${act} 路人乙 加入` }).boundingBox()) ?? {}
        expect([act, Math.min(width, height) >= 40]).toEqual([act, true])
      }
      await mobile.getByRole('button', { name: '同意 路人乙 加入' }).click()
      await mobile.getByRole('dialog').getByText('号码已用验证码核实').waitFor()
      await until(() => smallTargets(mobile, '[role=dialog]')).toEqual([])
      await view(mobile, 'take-in-360-dark')
      await mobile.getByRole('dialog').getByRole('button', { name: '加入花名册' }).click()
      await mobile.getByRole('button', { name: '同意 路人乙 加入' }).waitFor({ state: 'detached' })
      expect(await linkTo(phone)).toMatch(/^\/m\/invite/)

      await desk.goto('/agency')
      await desk.getByRole('button', { name: '拒绝 路人甲 加入' }).click()
      await desk.getByRole('dialog').getByText('不会进入花名册').waitFor()
      await view(desk, 'desk-refuse')
      await desk.getByRole('dialog').getByRole('button', { name: '拒绝加入' }).click()
      await desk.getByRole('heading', { name: '扫码申请加入的人' }).waitFor({ state: 'detached' })
      await desk.getByRole('link', { name: /人扫码申请加入/ }).waitFor({ state: 'detached' })
    })

    it('sends a user who has joined to sign-in', async () => {
      const page = await open(journey.getPhone('，员工'), '本人', { scheme: 'dark' })
      await page.getByRole('button', { name: '下一步' }).click()
      await page.getByRole('heading', { name: '您已经加入' }).waitFor()
      await view(page, 'joined-360-dark')
    })
  })
})
