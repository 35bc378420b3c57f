/** The page of one member: roster data and payslips, viewing an encrypted field, and the last working day. */
import { beforeAll, describe, expect, it } from 'vitest'
import {
  clearMember,
  editMemberInfo,
  getMemberInfo,
  getMemberList,
  insertMember,
} from '../../../server/contract/directory/members.ts'
import { sendInviteCode } from '../../../server/contract/invites/invite.ts'
import { getCheckCharacter } from '../../../server/rules/id-card.ts'
import { lastCode } from '../../support/callers/http.ts'
import { examine, mustFit, type Tab } from '../../support/journey/browser.ts'
import { toasted, until, useJourney } from '../../support/journey/journey.ts'
import { smallTargets } from '../../support/journey/targets.ts'

const journey = useJourney()
const clerk = '薪酬管理员（全公司）'
const digits = '11010519920315123'
const card = `${digits}${getCheckCharacter(digits)}`
let desk: Tab
let id = ''

beforeAll(async () => {
  const caller = await journey.caller(clerk)
  const options = { name: '闻人月', mobile: journey.freePhone(31), position: '会计', entry_date: '2024-03-01', id_card: card }
  id = (await caller.must(insertMember, options)).id
  await caller.must(editMemberInfo, { id, position: '主办会计' })
  await caller.must(sendInviteCode, { member_ids: [id] })
  desk = await journey.enter(clerk, {}, '/companyMember')
})

describe('roster page', () => {
  it('finds members while typing, and exports the roster as a spreadsheet', async () => {
    const search = desk.getByPlaceholder('姓名、拼音、手机号或工号')
    await search.fill('wenry')
    await search.press('Enter')
    await desk.getByText('1 人', { exact: true }).waitFor()
    await desk.getByRole('link', { name: '闻人月' }).waitFor()
    const coming = desk.waitForEvent('download')
    await desk.getByRole('button', { name: '导出' }).click()
    expect((await coming).suggestedFilename()).toMatch(/^花名册-\d{4}-\d\d-\d\d\.xlsx$/)
    await examine(desk, 'roster-1440')
    await mustFit(desk)
  })
})

describe('reachability report before pay day', () => {
  it('lists members whom a payslip may not reach, with the remedy one click away', async () => {
    const report = await journey.enter(clerk, {}, '/companyMember')
    await report.getByRole('link', { name: '发薪前检查' }).click()
    await report.getByRole('button', { name: /还没有加入/ }).click()
    await report.getByRole('link', { name: '邀请：闻人月' }).waitFor()
    await examine(report, 'reach-1440')
    await mustFit(report)
    await report.getByRole('link', { name: '邀请：闻人月' }).click()
    await report.getByRole('dialog').getByText('邀请选中的 1 位员工？').waitFor()
    await journey.close(report)
  })

  it('shows the reachability report on a phone too', async () => {
    const mobile = await journey.enter(clerk, { width: 360, scheme: 'dark' }, '/companyMember?view=reach&problem=not_joined')
    await mobile.getByRole('link', { name: '邀请：闻人月' }).waitFor()
    await examine(mobile, 'reach-360')
    await mustFit(mobile)
    await until(() => smallTargets(mobile)).toEqual([])
  })
})

describe('member page', () => {
  it('opens the member page with one click from the roster, and records each view of the card number', async () => {
    await desk.getByRole('link', { name: '闻人月' }).click()
    await desk.getByRole('button', { name: '变更记录' }).click()
    await desk.getByRole('heading', { name: '变更记录' }).waitFor()
    await desk.getByText('岗位由 会计 改为 主办会计').waitFor()
    await until(() => desk.getByText('2024-03-01 至 今').count()).toBe(1)
    await desk.getByText(card, { exact: true }).waitFor({ state: 'detached' })
    await desk.getByRole('button', { name: '查看完整号码' }).click()
    await desk.getByText(card, { exact: true }).waitFor()
    await desk.getByRole('cell', { name: '查看身份证号' }).waitFor()
    await examine(desk, 'member-file-1440')
    await mustFit(desk)
  })

  it('asks for the last working day and shows it', async () => {
    await desk.getByRole('button', { name: '标记离职' }).click()
    const dialog = desk.getByRole('dialog')
    await dialog.getByLabel('离职日期').fill('2024-02-28')
    await dialog.getByLabel('离职日期').press('Enter')
    await dialog.getByRole('button', { name: '标记离职' }).click()
    await dialog.getByText('离职日期不能早于入职日期 2024-03-01').waitFor()
    await examine(desk, 'member-file-leave-1440')
    await dialog.getByLabel('离职日期').fill('2024-03-31')
    await dialog.getByLabel('离职日期').press('Enter')
    await dialog.getByRole('button', { name: '标记离职' }).click()
    await toasted(desk, '已将 闻人月 标记为离职')
    await desk.getByText('2024-03-01 至 2024-03-31').waitFor()
    const { TERMINATED_ON, STATUS } = await (await journey.caller(clerk)).must(getMemberInfo, { id })
    expect([STATUS, TERMINATED_ON]).toEqual(['left', '2024-03-31'])
    // No action remains for the member.
    expect(await desk.getByRole('button', { name: '编辑资料' }).count()).toBe(0)
  })

  it('opens the payslips as the employee sees them, on a phone too', async () => {
    const name = journey.getName('，员工')
    const caller = await journey.caller(clerk)
    const [employee] = (await caller.must(getMemberList, { name })).list
    const mobile = await journey.enter(clerk, { width: 360 }, `/memberFile?id=${employee?.ID}`)
    await mobile
      .getByRole('button', { name: /^查看 .* 的工资条$/ })
      .first()
      .waitFor()
    await mustFit(mobile)
    await examine(mobile, 'member-file-360')
    await mobile
      .getByRole('button', { name: /^查看 .* 的工资条$/ })
      .first()
      .click()
    await mobile.getByRole('dialog').getByText('实发工资').first().waitFor()
    await until(() => mobile.url()).toMatch(/salary=/)
  })

  it('lets a terminated employee sign in, verify the phone and read payslips, and shows until when', async () => {
    const employee = '，员工'
    const caller = await journey.caller('系统管理员（全部权限）')
    const [person] = (await caller.must(getMemberList, { name: journey.getName(employee) })).list
    await caller.must(clearMember, { id: person?.ID ?? '' })
    const mobile = await journey.enter(employee, { width: 360 }, '/m/slips')
    await mobile
      .getByRole('link', { name: /2026年10月工资/ })
      .first()
      .click()
    await mobile.getByText(/^您已于 .* 离职，.* 之前可以查看自己的工资条/).waitFor()
    expect(await mobile.getByRole('button', { name: '用登录密码' }).count()).toBe(0)
    await examine(mobile, 'leaver-unlock-360')
    await mobile.getByRole('button', { name: '获取验证码' }).click()
    await until(() => lastCode(journey.address, journey.getPhone(employee)).catch(() => '')).not.toBe('')
    // A complete code submits itself.
    await mobile.getByLabel(/^验证码/).fill(await lastCode(journey.address, journey.getPhone(employee)))
    await mobile.getByText('实发工资').first().waitFor()
    await mobile.goto('/m/me')
    await mobile.getByText(/^已于 .* 离职，工资条可以查看到/).waitFor()
    await examine(mobile, 'leaver-me-360')
    await mustFit(mobile)
  })
})
