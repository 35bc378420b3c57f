/**
 * Channels: a mailbox that is tested before use, what a plan says about it, and employees who are reached by the next
 * channel.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { editMemberInfo, getMemberList } from '../../../server/contract/directory/members.ts'
import { renderMessage } from '../../../server/contract/messages/rendering.ts'
import { doSend, sendPaySheet } from '../../../server/contract/payslips/send.ts'
import { insertBatchTitle, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import type { HttpCaller } from '../../support/callers/http.ts'
import { type DemoPerson, demoWageSheet } from '../../support/files/demo-sheet.ts'
import { dress, examine, mustFit, type Tab } from '../../support/journey/browser.ts'
import { toasted, until, useJourney, visitNode } from '../../support/journey/journey.ts'
import { smallTargets } from '../../support/journey/targets.ts'

const journey = useJourney()
const [payroll, head] = ['薪酬管理员（全公司）', '系统管理员（全部权限）']
let caller: HttpCaller
let people: (DemoPerson & { id: string })[]
let page: Tab

beforeAll(async () => {
  caller = await journey.caller(payroll)
  const { list } = await caller.must(getMemberList, { status: 'active', pagesize: 60 })
  people = [...new Map(list.map((one) => [one.NAME, one])).values()].slice(0, 4).map((one) => ({
    id: one.ID,
    name: one.NAME,
    mobile: one.MOBILE,
    employee_no: one.EMPLOYEE_NO,
    department: one.DEPARTMENTS[0]?.NAME ?? '',
    terms: { base: 350_000, post: 50_000, performance: 30_000 },
  }))
  page = await journey.enter(head, {}, '/wageSet')
})
async function render(title: string, month: string): Promise<string> {
  const bytes = demoWageSheet(people, { title: `${month.slice(0, 4)}年${Number(month.slice(5))}月工资表` })
  const { batch_id } = await caller.must(uploadWageExcel, {}, { name: `${title}.xlsx`, bytes })
  await caller.must(insertBatchTitle, { batch_id, title, month, kind: 'monthly' })
  return batch_id
}
async function view(name: string): Promise<void> {
  for (const [width, scheme] of [
    [1440, 'light'],
    [360, 'dark'],
  ] as const) {
    await dress(page, { width, scheme })
    await examine(page, `${name}-${width}-${scheme}`)
    await mustFit(page)
    if (width === 360) await until(() => smallTargets(page, '[role=dialog]')).toEqual([])
  }
  await dress(page, {})
}

describe('mailbox', () => {
  it('saves and tests a mailbox before it is used', async () => {
    const use = page.getByRole('switch', { name: '邮件' })
    await page.getByText('设置发件邮箱并通过测试后可以使用').waitFor()
    expect(await use.isDisabled()).toBe(true)
    await page.getByRole('button', { name: '设置邮箱' }).click()
    const dialog = page.getByRole('dialog', { name: '发件邮箱' })
    await dialog.getByLabel('SMTP 服务器').fill('smtp')
    await dialog.getByLabel('登录账号').fill('hr@corp.example')
    await dialog.getByLabel('密码或授权码').fill('authorised')
    await dialog.getByLabel('发件地址').fill('hr@corp.example')
    await dialog.getByLabel('发件人名称').fill('人事部')
    await dialog.getByRole('button', { name: '保存' }).click()
    await dialog.getByText('服务器地址应写作 smtp.example.com').waitFor()
    await view('95-mailbox')
    await dialog.getByLabel('SMTP 服务器').fill('smtp.corp.example')
    await dialog.getByRole('button', { name: '保存' }).click()
    await toasted(page, '已保存，请发一封测试邮件')
    await page.getByText('还没有通过测试').waitFor()
    await view('95-untried')
    await page.getByRole('button', { name: '发测试邮件' }).click()
    await toasted(page, '测试邮件已发出，发件邮箱可以使用了')
    await page.getByText('测试通过，可以使用').waitFor()
    await until(() => use.isChecked()).toBe(true)
    expect((await journey.outbox('hr@corp.example')).map(({ text }) => text)).toEqual([expect.stringContaining('测试邮件')])
  })
})

describe('send plan', () => {
  beforeAll(async () => {
    page = await journey.enter(payroll, {}, '/wageSet')
    await page.getByText('只有企业管理员或系统管理员可以设置').waitFor()
    expect(await page.getByRole('button', { name: '修改', exact: true }).last().isDisabled()).toBe(true)
  })

  it('shows which employees are reached by email and the extra cost of another channel', async () => {
    for (const { id, employee_no } of people.slice(0, 2))
      await caller.must(editMemberInfo, { id, email: `${employee_no || 'p'}@corp.example` })
    const batch_id = await render('邮件的一批', '2027-05')
    await visitNode(page, `/wageSend3?batch_id=${batch_id}`)
    const ways = page.getByRole('region', { name: '发送渠道' })
    await ways.getByRole('checkbox', { name: /邮件/ }).waitFor()
    // Email comes first, then its fallback.
    for (const position of ['2. 邮件', '1. 邮件']) {
      await ways.getByRole('button', { name: '邮件 提前' }).click()
      await ways.getByText(position).waitFor()
    }
    const plan = page.getByRole('region', { name: '发送计划' })
    await plan.getByText('最多再用').waitFor()
    // While the plan is being computed it is drawn pale.
    await until(() => plan.getAttribute('aria-busy')).not.toBe('true')
    // The preview of a locked phone, without amounts.
    const locked = page.getByRole('region', { name: '通知预览' })
    const visible = await locked.getByRole('listitem').allInnerTexts()
    expect(visible.length).toBeGreaterThan(1)
    // The first clause after the company: on a chat card it is the title.
    const clause = /：(.*?)，/.exec(renderMessage({ kind: 'slip', params: { corp: '', title: '', link: '' } }))?.[1] ?? '-'
    for (const text of visible) expect([text.includes(clause), /¥|\d\.\d\d(?!\d)/.test(text)]).toEqual([true, false])
    await view('95-plan')
  })

  it('falls back to the next channel when the first does not reach an employee, and reports it', async () => {
    const batch_id = await render('改用的一批', '2027-06')
    const { plan_id } = await caller.must(sendPaySheet, { batch_id, channels: ['email', 'sms'] })
    // The employee's address is removed before anything is sent.
    const [person] = people
    await caller.must(editMemberInfo, { id: person?.id ?? '', email: '' })
    await caller.must(doSend, { plan_id, looked: true })
    await visitNode(page, `/SendSucc?batch_id=${batch_id}`)
    const others = page.getByRole('region', { name: '改用其他方式的人' })
    await others.getByText('1 人自动改用了后面的方式').waitFor()
    const row = others.getByRole('row').filter({ hasText: person?.name ?? '' })
    await until(() => row.innerText()).toMatch(/邮件没有送到：员工没有邮箱[\s\S]*短信/)
    await page.getByText('4 人的工资条都已发出').waitFor()
    await view('95-other-way')
  })
})
