/**
 * A phone changes its owner, or the company changes an employee's phone: what the employee and the administrators see
 * of it, on a phone.
 */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { clearMember, editMemberInfo, getMemberList, insertMember } from '../../../server/contract/directory/members.ts'
import { sendInviteCode } from '../../../server/contract/invites/invite.ts'
import { type HttpCaller, lastCode } from '../../support/callers/http.ts'
import { examine, mustFit } from '../../support/journey/browser.ts'
import { desk, mobile, password, settle, toasted, until, useJourney } from '../../support/journey/journey.ts'

const journey = useJourney()
const clerk = '，员工管理员'
const narrow = { width: 360 }
let caller: HttpCaller
beforeAll(async () => {
  caller = await journey.caller(clerk)
})
const selected = '山高月小 Shui luo 2026'

async function view(page: Page, name: string): Promise<void> {
  await examine(page, `holders-${name}`)
  await mustFit(page)
}
async function getMember(name: string) {
  const { list } = await caller.must(getMemberList, { name })
  const [one] = list
  if (!one) throw new Error(`nobody is called ${name}`)
  return one
}
async function giveCode(page: Page, phone: string, label = '短信验证码'): Promise<void> {
  await page.getByRole('button', { name: '获取验证码' }).click()
  await page.getByRole('button', { name: /秒后重发/ }).waitFor()
  await page.getByLabel(label).fill(await lastCode(journey.address, phone))
}
async function byCode(page: Page, phone: string): Promise<void> {
  await page.getByRole('tab', { name: '验证码登录' }).click()
  await page.getByLabel('手机号').fill(phone)
  // A complete six-digit code submits itself.
  await giveCode(page, phone)
}
/** Creates a roster of another company that has another member under this employee's phone. */
async function claimed(name: string, by: string): Promise<{ phone: string; invite: () => Promise<string> }> {
  const { MOBILE: phone } = await getMember(name)
  const boss = await journey.caller('老板')
  const { id } = await boss.must(insertMember, { name: by, mobile: phone })
  return {
    phone,
    invite: async () => {
      await boss.must(sendInviteCode, { member_ids: [id] })
      const find = async () =>
        /\/m\/invite\?code=[\w-]+/.exec(
          (await journey.outbox(phone)).find((one) => one.text.includes('/m/invite'))?.text ?? '',
        )?.[0] ?? ''
      await until(find).not.toBe('')
      return find()
    },
  }
}

describe('phone changed by the company', () => {
  it('shows a changed phone in the roster and opens the payslips after a code to the old phone', async () => {
    const [old, fresh, name] = [journey.getPhone('朱予安'), journey.freePhone(71), '朱予安']
    const roster = await journey.enter(clerk, narrow, `/companyMember?name=${encodeURIComponent(name)}`)
    await roster.getByRole('button', { name: `${name}的更多操作` }).click()
    await roster.getByRole('menuitem', { name: '编辑资料' }).click()
    await roster.getByRole('dialog').getByLabel('手机号').fill(fresh)
    await roster.getByRole('dialog').getByRole('button', { name: '保存' }).click()
    await roster.getByRole('button', { name: `${name}：待确认新手机号` }).waitFor()
    await view(roster, 'roster-360')

    const page = await journey.open(mobile, narrow)
    await byCode(page, fresh)
    await page.getByRole('heading', { name: '请确认是您本人' }).waitFor()
    await view(page, 'confirm-360')
    // No other phone receives a code.
    await page.getByLabel(/^原手机号（/).fill(journey.freePhone(72))
    await page.getByRole('button', { name: '获取验证码' }).click()
    await page.getByText('这不是公司原来登记的手机号').waitFor()
    await page.getByLabel(/^原手机号（/).fill(old)
    await page.getByRole('button', { name: '获取验证码' }).click()
    await page.getByRole('button', { name: /秒后重发/ }).waitFor()
    // Switching windows to read the code reloads the payslips; typed input survives.
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    await settle(page)
    await until(() => page.getByLabel(/^原手机号（/).inputValue()).toBe(old)
    await page.getByLabel('原手机号收到的验证码').fill(await lastCode(journey.address, old))
    await page.getByRole('button', { name: '确认是我本人' }).click()
    await page.getByText(/共 \d+ 张工资条/).waitFor()
    await roster.reload()
    await roster.getByRole('listitem').filter({ hasText: name }).waitFor()
    expect(await roster.getByText('待确认新手机号').count()).toBe(0)
  })

  it('confirms a changed phone by a second administrator at the request of the first', async () => {
    const member = await getMember('汤思远')
    await caller.must(editMemberInfo, { id: member.ID, mobile: journey.freePhone(73) })
    const roster = await journey.enter(clerk, narrow, '/companyMember?name=汤思远')
    await roster.getByRole('button', { name: '汤思远：待确认新手机号' }).click()
    await roster.getByText('由另一位管理员核实后同意').waitFor()
    await view(roster, 'ask-360')
    await roster.getByRole('button', { name: '请另一位管理员确认' }).click()
    await toasted(roster, '已申请确认')
    const head = await journey.enter('系统管理员（全部权限）', narrow, '/agency')
    await head.getByText('申请确认 汤思远 登记的新手机号').first().waitFor()
    await view(head, 'decide-360')
    await head.getByRole('button', { name: '同意' }).first().click()
    await head.getByRole('dialog').getByRole('button', { name: '同意' }).click()
    await until(async () => (await getMember('汤思远')).PHONE_UNCONFIRMED).toBe(false)
  })
})

describe('phone with a new owner', () => {
  it("at /m/login: gives the phone's new owner nothing of the former one", async () => {
    const who = '同时是云杉科技的员工'
    const [phone, name] = [journey.getPhone(who), journey.getName(who)]
    await caller.must(clearMember, { id: (await getMember(name)).ID })
    await caller.must(insertMember, { name: '钱小新', mobile: phone })
    const page = await journey.open(mobile, narrow)
    await byCode(page, phone)
    await page.getByLabel('原来的登录密码').waitFor()
    await view(page, 'login-360')
    await page.getByLabel('原来的登录密码').fill('not-his-own')
    await page.getByRole('button', { name: '登录', exact: true }).click()
    await page.getByText('是您本人的，请输入原来的登录密码').waitFor()
    await page.getByRole('button', { name: '我是这个号码的新使用者' }).click()
    await page.getByText('不能撤回').waitFor()
    await view(page, 'login-sure-360')
    await page.getByRole('button', { name: '确认，重新开始' }).click()
    await page.getByText('钱小新，您好。还没有发给您的工资条').waitFor()
    const before = await journey.open(desk)
    await before.getByLabel('手机号').fill(phone)
    await before.getByLabel('密码', { exact: true }).fill(password)
    await before.getByRole('button', { name: '登录', exact: true }).click()
    await before.getByText('手机号或密码不正确').waitFor()
  })

  it('by an invitation: asks whose account the phone belongs to, then for a new password', async () => {
    const { phone, invite } = await claimed('罗望舒', '罗小新')
    const page = await journey.open(await invite(), narrow)
    await page.getByLabel('手机号').fill(phone)
    await giveCode(page, phone)
    await page.getByRole('button', { name: '下一步' }).click()
    await page.getByRole('button', { name: '我是这个号码的新使用者' }).click()
    await view(page, 'invite-360')
    await page.getByRole('button', { name: '确认，重新开始' }).click()
    await page.getByLabel('登录密码').fill(selected)
    await page.getByLabel('确认密码').fill(selected)
    await page.getByRole('button', { name: '加入企业' }).click()
    await page.getByRole('heading', { name: /^已加入 小满餐饮/ }).waitFor()
  })

  it('on desktop: offers a new account instead of a password reset', async () => {
    const { phone } = await claimed('熊国庆', '熊小新')
    const page = await journey.open(`${desk}#forgot`, narrow)
    await page.getByLabel('手机号').fill(phone)
    await giveCode(page, phone)
    await page.getByLabel('新密码', { exact: true }).fill(selected)
    await page.getByLabel('确认新密码').fill(selected)
    await page.getByRole('button', { name: '重置密码' }).click()
    await page.getByText('不能凭短信重设它的密码').waitFor()
    await view(page, 'reset-360')
    await page.getByRole('button', { name: '我是这个号码的新使用者' }).click()
    await page.getByRole('button', { name: '确认，重新开始' }).click()
    // The message is shown for three seconds before the sign-in page returns.
    await page
      .getByText('密码修改成功')
      .or(page.getByRole('heading', { name: '登录薪函' }))
      .first()
      .waitFor()
  })
})
