/**
 * The dialogs of the shell on the real server: spec §5 as tables of input, message and order; the outcomes of spec §4;
 * accessibility and pictures of each. Codes are read from the demo's outbox.
 */
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertRole } from '../../../server/contract/access/administrators.ts'
import { getCurrentUser, updatePassword } from '../../../server/contract/auth/sign-in.ts'
import { insertMember } from '../../../server/contract/directory/members.ts'
import { errorCodes } from '../../../server/contract/errors.ts'
import { lastCode } from '../../support/callers/http.ts'
import { examine, mustFit, type Tab, type View } from '../../support/journey/browser.ts'
import {
  desk,
  password,
  pendingResponse,
  settle,
  signInAtDesk,
  ticking,
  toasted,
  until,
  useJourney,
} from '../../support/journey/journey.ts'
import { renderCodeMessage } from '../../support/message-patterns.ts'
import { some } from '../../support/run/trial.ts'

const journey = useJourney()
const enter = async (...who: Parameters<typeof journey.enter>) => {
  const page = await journey.enter(...who)
  await page.locator('.shell-bar-user').waitFor()
  return page
}
const fromMenu = async (page: Page, item: string) => {
  await page.locator('.shell-bar-user').click()
  await page.getByRole('menuitem', { name: item }).click()
  await page.getByRole('dialog').waitFor()
}
const toProfile = async (page: Page) => {
  await page.locator('.shell-bar-user').click()
  await page.getByRole('menuitem', { name: '我的账号' }).click()
  await page.waitForURL('**/profile')
}
const dialog = (page: Page) => page.getByRole('dialog')
let pressed_at = 0
const press = async (page: Page, name: string) => {
  // A dialog accepts one click every 0.4 s; users are slower than that.
  await page.waitForFunction((last) => Date.now() - last > 400, pressed_at)
  await dialog(page).getByRole('button', { name, exact: true }).click()
  pressed_at = Date.now()
}
/** Returns the current field errors: one at a time, in the order of the specification. */
const format = (page: Page) =>
  dialog(page).locator('.ant-form-item-explain-error, .light-form-message [role=alert]').allInnerTexts()
const mustReport = (page: Page, text: string) => until(() => format(page)).toEqual([text])
/** Presses Esc. A dialog listens for it from the frame after the one that showed it. */
const escape = async (page: Page) => {
  await settle(page)
  await page.keyboard.press('Escape')
  await dialog(page).first().waitFor({ state: 'hidden' })
}
const fill = async (page: Page, fields: Record<string, string>) => {
  for (const [label, text] of Object.entries(fields)) await dialog(page).getByLabel(label, { exact: true }).fill(text)
}

/**
 * tests/client/spec-validation.test.tsx covers every message that needs no server; here some of each dialog are checked
 * at their fields.
 */
describe('修改密码', () => {
  it('shows one message at a time at its field, and after success leads within 3 seconds to the sign-in page', async () => {
    const page = await enter('代理企业管理员', { clock: true })
    await fromMenu(page, '修改密码')
    for (const [old, fresh, again, sentence, field] of [
      ['', '', '', '密码不能为空', '原密码'],
      [password, 'kettle42', 'kettle43', '两次输入的新密码不一致，请重新输入', '确认新密码'],
      ['wrong-one', 'kettle42', 'kettle42', '原密码不正确', '原密码'],
      // The server decides the minimum length (spec §5).
      [password, 'ab', 'ab', '密码至少 6 位', '新密码'],
    ] as const) {
      await fill(page, { 原密码: old, 新密码: fresh, 确认新密码: again })
      await page.keyboard.press('Enter')
      await mustReport(page, sentence)
      await until(() =>
        dialog(page)
          .getByLabel(field, { exact: true })
          .evaluate((one) => one === document.activeElement),
      ).toBe(true)
    }
    await examine(page, 'dialog-password')

    await fill(page, { 原密码: password, 新密码: 'Kettle-42 壶', 确认新密码: 'Kettle-42 壶' })
    await dialog(page).getByText('密码强度：强').waitFor()
    // From here on, the page's clock only advances on request.
    await page.clock.pauseAt(Date.now() + 60_000)
    const requested: string[] = []
    page.on('request', (request) => request.url().endsWith('/updatePassword') && requested.push(request.url()))
    await dialog(page).getByRole('button', { name: '修改密码' }).dblclick()
    await ticking(page, () => page.toasts.join()).toContain('密码修改成功！')
    await page.clock.runFor(2_000)
    await settle(page, { frames: false })
    expect(new URL(page.url()).pathname).not.toBe(desk)
    await page.clock.runFor(1_000)
    // A sign-out that was shed by the server also waits by the page's clock.
    await ticking(page, () => new URL(page.url()).pathname).toBe(desk)
    await page.waitForURL(`**${desk}`)
    expect(requested).toHaveLength(1)
    await page.clock.resume()
    await signInAtDesk(page, journey.getPhone('代理企业管理员'), 'Kettle-42 壶')
    await page.waitForURL(/companyList/i)
  })

  it('shows a server error without moving the focus from the field in which the user is typing', async () => {
    const page = await enter('薪酬管理员（全公司）')
    await fromMenu(page, '修改密码')
    await fill(page, { 原密码: 'wrong-one', 新密码: 'kettle42', 确认新密码: 'kettle42' })
    const answer = await pendingResponse(page, updatePassword)
    await dialog(page).getByRole('button', { name: '修改密码' }).click()
    const field = (label: string) => dialog(page).getByLabel(label, { exact: true })
    await field('新密码').press('End')
    await page.keyboard.type('-a')
    answer()
    await mustReport(page, '原密码不正确')
    await page.keyboard.type('b')
    expect([await field('原密码').inputValue(), await field('新密码').inputValue()]).toEqual(['wrong-one', 'kettle42-ab'])
  })
})

describe('修改密码 on a phone', () => {
  it('shows the messages in the same order as the desktop, then leads to the sign-in page', async () => {
    const page = await journey.enter('朱立新', { width: 360 }, '/m/me')
    await page.getByRole('button', { name: '修改密码' }).click()
    for (const [old, fresh, again, sentence] of [
      ['', '', 'x', '密码不能为空'],
      [password, 'kettle42', '', '两次输入的新密码不一致，请重新输入'],
      ['wrong-one', 'kettle42', 'kettle42', '原密码不正确'],
      [password, 'ab', 'ab', '密码至少 6 位'],
    ] as const) {
      await fill(page, { 原密码: old, 新密码: fresh, 确认新密码: again })
      await page.keyboard.press('Enter')
      await until(() => dialog(page).getByRole('alert').allInnerTexts()).toEqual([sentence])
    }
    await examine(page, 'dialog-password-phone')
    await fill(page, { 新密码: 'Kettle-42 壶', 确认新密码: 'Kettle-42 壶' })
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/m\/login$/)
  })
})

describe('试用说明', () => {
  it('opens 试用说明 automatically while trail_status is 10, and not again after it was closed', async () => {
    const page = await enter('老板')
    await dialog(page).getByText('免费试用说明').waitFor()
    await dialog(page).getByText('30 天').waitFor()
    for (const step of ['联系我们', '签订合同', '对公转账', '为您开通'])
      await until(() => dialog(page).getByText(step).count()).toBeGreaterThan(0)
    await examine(page, 'dialog-trial')
    const [closed] = await Promise.all([page.waitForResponse('**/closeTrailServiceInfo'), press(page, '开始使用')])
    expect(((await closed.json()) as { error_code: number }).error_code).toBe(0)
    await page.reload()
    await page.locator('.shell-bar-user').waitFor()
    await settle(page)
    expect(await dialog(page).count()).toBe(0)
  })
})

describe('切换公司', () => {
  it('shows 切换公司 to users with several companies, and restarts the app in the selected company', async () => {
    const page = await journey.open(desk)
    await page.getByLabel('手机号').fill(journey.getPhone('薪酬管理员（同时'))
    await page.getByLabel('密码', { exact: true }).fill(password)
    await page.getByRole('button', { name: '登录', exact: true }).click()
    await page.getByRole('button', { name: /小满餐饮/ }).click()
    await page.waitForURL('**/home')
    // The trial dialog of 小满餐饮 opens first; Esc dismisses it, too.
    await dialog(page).getByText('免费试用说明').waitFor()
    await escape(page)
    await fromMenu(page, '切换公司')
    await until(() => dialog(page).locator('[aria-current]').innerText()).toContain('小满餐饮')
    await examine(page, 'dialog-corps')
    const before = await page.evaluate(() => localStorage.getItem('user-token'))
    await dialog(page)
      .getByRole('button', { name: /云杉科技/ })
      .click()
    await page.waitForURL('**/m/slips')
    await until(() => page.evaluate(() => localStorage.getItem('user-token'))).not.toBe(before)
    await until(() => page.content()).not.toContain('小满餐饮')
  })
})

describe('new administrator who sets the first password and another phone', () => {
  const selected = 'kettle and 2 pots'

  it('shows the password dialog automatically and the messages of both dialogs, and changes the phone in four steps', async () => {
    const [first_phone, second_phone] = [journey.freePhone(1), journey.freePhone(2)]
    const head = await journey.caller('系统管理员')
    const { id: member_id } = await head.must(insertMember, { name: '新来的🙂', mobile: first_phone })
    const page = await journey.open(desk)
    await page.getByRole('tab', { name: '验证码登录' }).click()
    await page.getByLabel('手机号').fill(first_phone)
    await page.getByRole('button', { name: '获取验证码' }).click()
    // A complete code submits itself, once the page knows that it requested one.
    await page.getByRole('button', { name: /秒后重发/ }).waitFor()
    await page.getByLabel('短信验证码').fill(await lastCode(journey.address, first_phone))
    await page.waitForURL('**/m/slips')
    await head.must(insertRole, { member_id, power: ['1'], scope: { all: true, department_ids: [] } })
    await page.goto('/landing')
    await dialog(page).getByText('设置登录密码').waitFor()
    await examine(page, 'dialog-early')
    for (const [fresh, again, sentence] of [
      ['', '', '请输入登录密码'],
      [selected, 'x', '两次密码不一致'],
      ['ab', 'ab', '密码至少 6 位'],
    ] as const) {
      await fill(page, { 登录密码: fresh, 确认登录密码: again })
      await press(page, '设置密码')
      await mustReport(page, sentence)
    }
    await fill(page, { 登录密码: selected, 确认登录密码: selected })
    await press(page, '设置密码')
    await toasted(page, '设置成功！')
    await dialog(page).waitFor({ state: 'hidden' })

    await toProfile(page)
    await page.getByRole('button', { name: '更换', exact: true }).click()
    await press(page, '下一步')
    await mustReport(page, '请输入登录密码')
    await fill(page, { 登录密码: 'not this' })
    await press(page, '下一步')
    await mustReport(page, '登录密码不正确')
    await fill(page, { 登录密码: selected })
    await page.keyboard.press('Enter')
    await dialog(page).getByLabel('新手机号').waitFor()
    for (const [phone, code, sentence] of [
      ['', '123456', '手机号不能为空'],
      [`+86 ${second_phone.slice(0, 3)}-${second_phone.slice(3, 7)} ${second_phone.slice(7)}`, '', '验证码不能为空'],
    ] as const) {
      await fill(page, { 新手机号: phone, 短信验证码: code })
      await press(page, '更换手机号')
      await mustReport(page, sentence)
    }
    await until(() => dialog(page).getByLabel('新手机号').inputValue()).toBe(second_phone)
    await dialog(page).getByRole('button', { name: '获取验证码' }).click()
    await dialog(page)
      .getByText(/^[1-6]?\d秒后重发$/)
      .waitFor()
    await fill(page, { 短信验证码: '000000' })
    await press(page, '更换手机号')
    await until(async () => (await format(page)).join()).toMatch(/验证码不正确/)
    await examine(page, 'dialog-phone-2')
    const code = await lastCode(journey.address, second_phone)
    await fill(page, { 短信验证码: renderCodeMessage(code) })
    await press(page, '更换手机号')
    await dialog(page).getByText('手机号已更换').waitFor()
    await examine(page, 'dialog-phone-4')
    await press(page, '用新账号登录')
    await page.waitForURL('**/pc/page/login/login.html')
    await signInAtDesk(page, second_phone, selected)
    await page.locator('.shell-bar-user').waitFor()
  })
})

describe('a payroll administrator', () => {
  let page: Tab
  beforeAll(async () => {
    page = await enter('薪酬管理员（市场部')
  })
  afterAll(() => journey.close(page))

  it('transfers payroll authority to one member from a list of ten at a time without the current holder, and then waits for approval', async () => {
    const sizes: [number, number, string | undefined][] = []
    page.on('request', (request) => {
      if (!request.url().endsWith('/getManagerMemberList')) return
      const { page: number, pagesize, name } = request.postDataJSON() as { page: number; pagesize: number; name?: string }
      sizes.push([number, pagesize, name])
    })
    await fromMenu(page, '移交薪酬管理权限')
    await dialog(page).getByRole('radio').first().waitFor()
    expect(await dialog(page).getByText('江望舒').count()).toBe(0)
    await press(page, '申请移交')
    await dialog(page).getByText('请选择移交对象').waitFor()
    await examine(page, 'dialog-transfer')
    // The next ten load within 30 px of the bottom, and not before.
    const list = dialog(page).getByRole('region', { name: '移交给' })
    const scroll = (left: number) =>
      list.evaluate((box, rest) => {
        box.scrollTop = box.scrollHeight - box.clientHeight - rest
      }, left)
    await scroll(60)
    await settle(page)
    expect(sizes).toEqual([[1, 10, undefined]])
    await scroll(30)
    await until(() => sizes).toEqual([
      [1, 10, undefined],
      [2, 10, undefined],
    ])
    const search = dialog(page).getByRole('textbox')
    await search.fill('欧阳 若曦')
    await page.keyboard.press('Enter')
    await search.fill('')
    await page.keyboard.press('Enter')
    await settle(page)
    expect(sizes.filter(([, , name]) => name !== undefined)).toEqual([])
    await search.fill('林晚秋')
    await page.keyboard.press('Enter')
    await until(() => sizes.at(-1)).toEqual([1, 20, '林晚秋'])
    await dialog(page).getByText('林晚秋').click()
    await press(page, '申请移交给 林晚秋')
    await toasted(page, '已发起移交审批，请等待系统管理员审批')
    await dialog(page).waitFor({ state: 'hidden' })
    await fromMenu(page, '移交薪酬管理权限')
    await dialog(page).getByText('正在等待系统管理员审批').waitFor()
    expect(
      await dialog(page)
        .getByRole('button', { name: /^申请移交/ })
        .count(),
    ).toBe(0)
    await escape(page)
  })

  it('resets a forgotten password in the wizard, which leads to the sign-in page', async () => {
    await toProfile(page)
    const phone_of_his = journey.getPhone('薪酬管理员（市场部')
    await page.getByRole('button', { name: '更换', exact: true }).click()
    await dialog(page).getByRole('button', { name: '忘记密码？' }).click()
    for (const [phone, sentence] of [
      ['12', '手机号格式有误，请重新输入'],
      [phone_of_his, '短信验证码不能为空'],
    ] as const) {
      await fill(page, { 手机号: phone })
      await press(page, '下一步')
      await mustReport(page, sentence)
    }
    await dialog(page).getByRole('button', { name: '获取验证码' }).click()
    await dialog(page)
      .getByText(/秒后重发$/)
      .waitFor()
    // A pasted code submits itself, as on the sign-in page.
    await fill(page, { 短信验证码: await lastCode(journey.address, phone_of_his) })
    await dialog(page).getByLabel('新密码', { exact: true }).waitFor()
    await fill(page, { 新密码: 'other pots 3', 确认新密码: 'x' })
    await press(page, '重置密码')
    await mustReport(page, '两次输入的密码不一致')
    await examine(page, 'dialog-wizard-2')
    await fill(page, { 新密码: 'other pots 3', 确认新密码: 'other pots 3' })
    await press(page, '重置密码')
    // The message is shown for three seconds; signing in proves the change.
    await page.waitForURL('**/pc/page/login/login.html')
    await signInAtDesk(page, phone_of_his, 'other pots 3')
    await page.locator('.shell-bar-user').waitFor()
  })
})

describe("an enterprise administrator's account", () => {
  let page: Tab
  beforeAll(async () => {
    page = await enter('，企业管理员', {}, '/profile')
  })
  afterAll(() => journey.close(page))

  it('validates 建议反馈 in order, keeps its draft and does not close it by a click on the mask', async () => {
    const opener = page.getByRole('button', { name: '建议反馈' })
    await opener.click()
    await dialog(page).waitFor()
    await until(() => dialog(page).getByRole('radio', { name: '报表需求' }).isChecked()).toBe(true)
    await dialog(page).getByText('服务电话').waitFor()
    await dialog(page).getByText('9:00-18:00').waitFor()
    const qr = dialog(page).getByRole('img', { name: /^在线客服二维码/ })
    await until(() => qr.getAttribute('src')).toMatch(/^data:image\/svg\+xml;base64,/)
    await dialog(page).getByText('0/200').waitFor()
    for (const [name, phone, content, sentence] of [
      ['', '', '', '请填写姓名'],
      ['顾怀瑾', '138001380001', '内容', '手机号格式有误'],
      ['顾怀瑾', '13800138000', '   ', '请填写需求描述'],
    ] as const) {
      await fill(page, { 姓名: name, 手机号: phone, 需求描述: content })
      await press(page, '提交')
      await mustReport(page, sentence)
    }
    await fill(page, { 姓名: '十一个字的姓名太长了呢', 手机号: '1'.repeat(30), 需求描述: '长'.repeat(300) })
    await until(() => dialog(page).getByLabel('姓名').inputValue()).toHaveLength(10)
    await until(() => dialog(page).getByLabel('手机号').inputValue()).toHaveLength(20)
    await until(() => dialog(page).getByLabel('需求描述').inputValue()).toHaveLength(200)
    await dialog(page).getByText('200/200').waitFor()
    await page.mouse.click(5, 5)
    await settle(page)
    await until(() => dialog(page).isVisible()).toBe(true)
    await examine(page, 'dialog-suggestion')

    await fill(page, { 姓名: '顾怀瑾', 手机号: '13800138000', 需求描述: '不发了' })
    await dialog(page).getByText('功能需求').click()
    const loadStored = async () => {
      await opener.click()
      await dialog(page).waitFor()
      await until(() => dialog(page).getByLabel('姓名').inputValue()).toBe('顾怀瑾')
      await until(() => dialog(page).getByLabel('手机号').inputValue()).toBe('13800138000')
      await until(() => dialog(page).getByLabel('需求描述').inputValue()).toBe('')
      await until(() => dialog(page).getByRole('radio', { name: '功能需求' }).isChecked()).toBe(true)
    }
    await dialog(page).getByRole('button', { name: '取消' }).click()
    await dialog(page).waitFor({ state: 'hidden' })
    await loadStored()
    await fill(page, { 需求描述: '希望有年度汇总表 📊' })
    const requested: unknown[] = []
    page.on('request', (request) => request.url().endsWith('/userFeedBack') && requested.push(request.postDataJSON()))
    await dialog(page).getByRole('button', { name: '提交' }).dblclick()
    await toasted(page, '提交成功')
    await dialog(page).waitFor({ state: 'hidden' })
    expect(requested).toEqual([{ contact_name: '顾怀瑾', contact_tel: '13800138000', type: '2', content: '希望有年度汇总表 📊' }])
    await until(() => opener.evaluate((one) => one === document.activeElement)).toBe(true)
    await loadStored()
    await escape(page)
  })

  it('scales a picture of any size to 96 × 96 before upload, and shows name and picture in the header', async () => {
    await page.getByText('上传头像').waitFor()
    const rendered = await page.evaluate(async () => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 900, height: 400 })
      const pen = canvas.getContext('2d')
      pen?.fillRect(0, 0, 450, 400)
      const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg'))
      return [...new Uint8Array((await blob?.arrayBuffer()) ?? new ArrayBuffer(0))]
    })
    const choose = (name: string, mimeType: string, buffer: Buffer) =>
      page.getByLabel('选择头像图片').setInputFiles({ name, mimeType, buffer })
    await choose('notes.jpg', 'image/jpeg', Buffer.from('not a picture'))
    await toasted(page, '这个文件不是浏览器能打开的图片，请换一张 JPG 或 PNG')
    await choose('me.jpg', 'image/jpeg', Buffer.from(rendered))
    await toasted(page, '头像已更新')
    const face = page.locator('.shell-bar-user img')
    await face.waitFor()
    await until(() => face.evaluate((one: HTMLImageElement) => [one.naturalWidth, one.naturalHeight])).toEqual([96, 96])
    await page.getByRole('button', { name: '移除' }).click()
    await toasted(page, '头像已移除')
    await face.waitFor({ state: 'detached' })
  })

  it('enables the second factor with a first code and ten recovery codes, requires it at the next sign-in, and disables it again', async () => {
    await page.getByRole('button', { name: '开启' }).click()
    await press(page, '下一步')
    await mustReport(page, '请输入登录密码')
    await fill(page, { 登录密码: password })
    await page.keyboard.press('Enter')
    const secret = (await dialog(page).locator('.account-factor-secret').innerText()).replace(/\s/g, '')
    const totp = new TOTP({ secret: Secret.fromBase32(secret) })
    await examine(page, 'dialog-factor')
    await press(page, '开启两步验证')
    await mustReport(page, '请输入 6 位动态码')
    await fill(page, { '验证器 App 显示的 6 位动态码': totp.generate() })
    await press(page, '开启两步验证')
    await dialog(page).getByText('两步验证已开启。').waitFor()
    const codes = await dialog(page).getByRole('list', { name: '恢复码' }).getByRole('listitem').allInnerTexts()
    expect(new Set(codes).size).toBe(10)
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, '下载')])
    expect(file.suggestedFilename()).toBe('薪函恢复码.txt')
    await press(page, '我已保存好恢复码')
    await page.getByText('恢复码还剩 10 个').waitFor()
    await page.getByRole('button', { name: '关闭', exact: true }).last().click()
    await fill(page, { 登录密码: password, 动态码或恢复码: codes[0] ?? '' })
    await press(page, '关闭两步验证')
    await toasted(page, '两步验证已关闭')
    await page.getByText('未开启').waitFor()
  })
})

describe('signed-in devices', () => {
  it('marks the current device, and ends another one, which is signed out at its next request', async () => {
    const other = await journey.caller('员工管理员')
    const context = await enter('员工管理员', {}, '/profile')
    await context.getByText('这台设备').waitFor()
    await context.getByRole('button', { name: '退出其他 1 台设备' }).click()
    await examine(context, 'dialog-devices')
    await press(context, '退出 1 台设备')
    await toasted(context, '已退出 1 台设备')
    await until(async () => (await other.call(getCurrentUser, {})).error_code).toBe(errorCodes.signed_out.code)
    await until(() => context.locator('.account-devices > li').count()).toBe(1)
  })
})

describe.each<View>(some<View>([{ width: 1440, scheme: 'dark' }, { width: 360 }, { width: 800 }], 0))(
  'dialogs at $width px $scheme',
  (access) => {
    it('shows accessible dialogs and a profile page that fit the window', async () => {
      const page = await enter('薪酬管理员（全公司）', access)
      const name = `${access.width}${access.scheme === 'dark' ? '-dark' : ''}`
      const observe = async (which: string) => {
        await examine(page, `dialog-${which}-${name}`)
        await mustFit(page)
        await escape(page)
      }
      for (const [item, which] of [
        ['修改密码', 'password'],
        ['移交薪酬管理权限', 'transfer'],
        ['退出登录', 'logout'],
      ] as const) {
        await fromMenu(page, item)
        await observe(which)
      }
      await page.goto('/profile')
      await page.getByRole('button', { name: '开启' }).waitFor()
      await examine(page, `profile-${name}`)
      await mustFit(page)
      await page.getByRole('button', { name: '更换', exact: true }).click()
      await dialog(page).waitFor()
      await observe('phone')
      await page.getByRole('button', { name: '开启' }).click()
      await dialog(page).waitFor()
      await observe('factor')
    })
  },
)
