/** A roster with mistakes on desktop: corrected, executed, members invited; one of them joins on a phone. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { getMemberList, insertMember } from '../../../server/contract/directory/members.ts'
import * as slip from '../../../server/contract/payslips/send.ts'
import { checkRequireColumnData, insertBatchTitle, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import { lastCode } from '../../support/callers/http.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { examine, mustFit, picture, type Tab } from '../../support/journey/browser.ts'
import { toasted, until, useJourney } from '../../support/journey/journey.ts'

const journey = useJourney()
const clerk = '薪酬管理员（全公司）'
const password = '山高月小 Shui luo 2026'
let desk: Tab
const phone = (at: number) => journey.freePhone(400 + at)

beforeAll(async () => {
  const caller = await journey.caller(clerk)
  await caller.must(insertMember, { name: '沈知微', mobile: phone(1), employee_no: 'R-1' })
  await caller.must(insertMember, { name: '陆文远', mobile: phone(2), employee_no: 'R-2' })
  desk = await journey.enter(clerk, {}, '/companyMember')
})

const header = ['姓名', '手机号', '工号', '部门', '岗位', '内部等级']
const getSheet = (name: string, rows: readonly (readonly string[])[]) => ({
  name,
  rows: [[...header], ...rows.map((row) => [...row])],
})
const bring = (page: Page, rows: readonly (readonly string[])[], name = '花名册.xlsx') =>
  page.getByLabel('花名册文件').setInputFiles({
    name,
    mimeType: 'application/octet-stream',
    buffer: makeXlsx({ sheets: [{ name: '员工', rows: [['2026 年员工花名册'], [...header], ...rows.map((row) => [...row])] }] }),
  })
const getRows = () => [
  ['沈知微', phone(1), 'R-1', '星图实验室/算法组', '高级工程师', 'P7'],
  ['江予安', phone(2), 'R-9', '星图实验室', '产品经理', 'P6'],
  ['秦越', '1380', 'R-4', '星图实验室', '', ''],
  ['温以凡', phone(5), 'R-5', '星图实验室/算法组', '工程师', 'P5'],
  ['季明川', phone(6), '', '星图实验室', '', ''],
]
async function matches(page: Tab, name: string): Promise<void> {
  for (const { width, scheme } of [
    { width: 360, scheme: 'light' },
    { width: 360, scheme: 'dark' },
    { width: 1440, scheme: 'dark' },
    { width: 1440, scheme: 'light' },
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: scheme })
    await examine(page, `import-${name}-${width}${scheme === 'dark' ? '-dark' : ''}`)
    await mustFit(page)
  }
}
const figure = (page: Page, word: string) => page.getByRole('group', { name: '数字概览' }).getByRole('button', { name: word })

describe('on desktop', () => {
  it('explains why a file is no roster and keeps the drop area', async () => {
    await desk.getByRole('button', { name: '导入', exact: true }).click()
    await desk.getByText('把花名册拖到这里').waitFor()
    await matches(desk, 'empty')
    await desk
      .getByLabel('花名册文件')
      .setInputFiles({ name: '价目.csv', mimeType: 'text/csv', buffer: Buffer.from('商品,单价\n苹果,3\n') })
    await desk.getByRole('alert').getByText('花名册').first().waitFor()
    await matches(desk, 'refused')
  })

  it('shows the outcome and the question for each row of a roster with mistakes', async () => {
    await bring(desk, getRows())
    await figure(desk, '新增').waitFor()
    await until(() => figure(desk, '新增').textContent()).toContain('2')
    await desk.getByText('会新建 2 个部门').click()
    await desk.getByText('星图实验室/算法组').first().waitFor()
    await matches(desk, 'plan')
    await figure(desk, '有变化').click()
    await desk.getByText('高级工程师').waitFor()
    await figure(desk, '待确认').click()
    await desk.getByText('手机号是「陆文远」的，姓名不同').waitFor()
    await matches(desk, 'asked')
    await desk.getByRole('combobox', { name: '第 4 行 江予安' }).click()
    await desk.locator('.ant-select-item-option').filter({ hasText: '跳过这一行' }).click()
    await figure(desk, '已跳过').waitFor()
    await figure(desk, '有问题').click()
    await desk.getByText('手机号应为 11 位，这里是 4 位').first().waitFor()
  })

  it('uses the column roles that the user selects', async () => {
    await desk.getByRole('button', { name: '列对应' }).click()
    const dialog = desk.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'F 列 内部等级' }).waitFor()
    await examine(desk, 'import-columns-1440')
    await dialog.getByRole('button', { name: '取消' }).click()
  })

  it('reads one of several staff lists, names the others, and combines them by keyboard', async () => {
    await desk.getByRole('button', { name: '更换文件' }).click()
    await desk.getByLabel('花名册文件').setInputFiles({
      name: '各公司花名册.xlsx',
      mimeType: 'application/octet-stream',
      buffer: makeXlsx({
        sheets: [
          getSheet('总部', [
            ['顾南舟', phone(11), 'S-1', '星图总部', '会计', ''],
            ['许清如', phone(12), 'S-2', '星图总部', '出纳', ''],
          ]),
          getSheet('华东分公司', [
            ['宋怀瑾', phone(13), 'S-3', '星图华东', '店长', ''],
            ['林晚照', '1390', 'S-4', '星图华东', '店员', ''],
          ]),
          getSheet('离职人员', [['梁文博', phone(14), 'S-5', '星图总部', '司机', '']]),
        ],
      }),
    })
    await desk.getByText('这个文件里还有 2 份像员工名单的表没有读：「华东分公司」2 人、「离职人员」1 人。').waitFor()
    await matches(desk, 'sheets')
    const picker = desk.getByRole('combobox', { name: '读哪份名单' })
    await picker.focus()
    await desk.keyboard.press('ArrowDown')
    const all = desk.locator('.ant-select-item-option').filter({ hasText: '2 份合在一起（4 人）' })
    await all.waitFor()
    await picture(desk, 'import-sheets-open')
    await desk.keyboard.press('ArrowUp')
    await desk.keyboard.press('Enter')
    await desk.getByText('2 份名单合在一起读：「总部」2 人、「华东分公司」2 人。').waitFor()
    await until(() => figure(desk, '新增').textContent()).toContain('3')
    await desk.getByText('第 3 行 · 华东分公司').first().waitFor()
    await matches(desk, 'sheets-joined')
    await desk.getByRole('button', { name: '导入 3 人，1 行不导入' }).click()
    await desk.getByText('这个文件里的「离职人员」1 人还没有导入').waitFor()
    await matches(desk, 'sheets-done')
    await desk.getByRole('button', { name: '继续导入' }).click()
    await desk.getByText('把花名册拖到这里').waitFor()
  })

  it('explains what members without a phone miss, asks what a status means, and confirms terminations by name', async () => {
    const caller = await journey.caller(clerk)
    const leavers = ['岑一', '岑二', '岑三', '岑四']
    for (const [at, name] of leavers.entries())
      await caller.must(insertMember, { name, mobile: phone(30 + at), employee_no: `L-${at}` })
    const columns = ['姓名', '手机号', '工号', '身份证号', '入职日期', '在职状态']
    const rows = [
      ...leavers.map((name, at) => [name, phone(30 + at), `L-${at}`, '', '', '已离职']),
      ['邱保洁', '', 'R-20', 'EJ1234567', '2020年3月', '在职'],
      ['夏丈夫', phone(21), 'R-21', '', '2021.10', '在职'],
      ['夏妻子', phone(21), 'R-22', '', '', '在职（退休返聘）'],
      ['邵办理', phone(22), 'R-23', '', '', '离职办理中'],
      ['孟待岗', phone(23), 'R-24', '', '', '待岗'],
    ]
    await desk.getByLabel('花名册文件').setInputFiles({
      name: '花名册.xlsx',
      mimeType: 'application/octet-stream',
      buffer: makeXlsx({ sheets: [{ name: '员工', rows: [columns, ...rows] }] }),
    })
    await desk.getByRole('heading', { name: '这些人还在职吗？' }).waitFor()
    await desk.getByText('1 人没有手机号，照样导入。').waitFor()
    await desk.getByText('2 人的手机号还写给了别人。').waitFor()
    await matches(desk, 'statuses')
    await desk.getByRole('combobox', { name: '「离职办理中」是在职还是离职' }).click()
    await desk.locator('.ant-select-item-option').filter({ hasText: '还在职' }).click()
    await until(() => figure(desk, '新增').textContent()).toContain('4')
    await desk.getByRole('button', { name: '导入 8 人，1 行不导入' }).click()
    const dialog = desk.getByRole('dialog', { name: '把 4 人标记为离职？' })
    await dialog.getByText(leavers.join('、')).waitFor()
    await matches(desk, 'leaving')
    await dialog.getByRole('button', { name: '确认 4 人离职并导入' }).click()
    await desk.getByText('「花名册.xlsx」已导入。').waitFor()
    await desk.getByRole('button', { name: '继续导入' }).click()
    await desk.getByText('把花名册拖到这里').waitFor()
  })

  it('executes the corrected roster and invites its members', async () => {
    const rows = getRows().filter(([name]) => name !== '秦越')
    await bring(
      desk,
      rows.map(([name = '', mobile = '', ...rest]) => [name, name === '江予安' ? phone(7) : mobile, ...rest]),
    )
    await desk.getByRole('checkbox', { name: '导入后立即发送邀请' }).check()
    await desk.getByRole('button', { name: '导入 4 人', exact: true }).click()
    await desk.getByText('「花名册.xlsx」已导入。').waitFor()
    await toasted(desk, '已安排邀请 3 人')
    // The members are not offered for another invitation.
    await until(() => desk.getByRole('button', { name: /^邀请新增的/ }).count()).toBe(0)
    await matches(desk, 'done')
    const caller = await journey.caller(clerk)
    const createCompany = async (name: string) =>
      (await caller.must(getMemberList, { name })).list.map(({ MOBILE, POSITION }) => [MOBILE, POSITION])
    expect(await createCompany('沈知微')).toEqual([[phone(1), '高级工程师']])
    expect(await createCompany('陆文远')).toEqual([[phone(2), '']])
    expect(await createCompany('江予安')).toEqual([[phone(7), '产品经理']])
  })
})

it('lets a member join on a phone by the link', async () => {
  const mobile = phone(5)
  const find = async () =>
    /\/m\/invite\?code=[\w-]+/.exec(
      (await journey.outbox(mobile)).find(({ text }) => text.includes('/m/invite'))?.text ?? '',
    )?.[0] ?? ''
  await until(find).not.toBe('')
  const page = await journey.open(await find(), { width: 360 })
  await page.getByLabel('手机号').fill(mobile)
  await page.getByRole('button', { name: '获取验证码' }).click()
  await page.getByText('5 分钟内有效').waitFor()
  await page.getByLabel('短信验证码').fill(await lastCode(journey.address, mobile))
  await page.getByRole('button', { name: '下一步' }).click()
  await page.getByLabel('登录密码').fill(password)
  await page.getByLabel('确认密码').fill(password)
  await page.getByRole('button', { name: /^加入/ }).click()
  await page.getByRole('heading', { name: /^已加入/ }).waitFor()
  await mustFit(page)
  // The purpose of joining: the employee's payslip, on the same phone.
  const slip_id = await paid()
  await page.goto(`/m/slip/${slip_id}`)
  // Before the first payslip of all: how their data is processed.
  const notice = page.getByRole('dialog', { name: '个人信息处理说明' })
  await notice.getByText('谁在处理').waitFor()
  expect(await page.getByText('5,432.10').count()).toBe(0)
  await mustFit(page)
  await examine(page, 'import-notice-360')
  await notice.getByRole('button', { name: '我知道了' }).click()
  await page.locator('.slip-net').getByText('5,432.10').first().waitFor()
  await mustFit(page)
  await examine(page, 'import-slip-360')
  await page.reload()
  await page.locator('.slip-net').getByText('5,432.10').first().waitFor()
  expect(await notice.count()).toBe(0)
})

it.runIf(process.env.XINHAN_PICTURES)('accepts names and departments of maximum length, and shows a running import', async () => {
  const long = '阿卜杜热西提·买买提依明江·托合提努尔·艾力·古丽巴哈尔·再努尔汗·阿布都克里木'
  const channel = Array.from({ length: 6 }, (_, at) => `第${at + 1}级名字特别长的事业发展与综合管理协调办公室分部`).join('/')
  const page = await journey.enter(clerk, {}, '/companyMember')
  await page.getByRole('button', { name: '导入', exact: true }).click()
  const people = Array.from({ length: 20_000 }, (_, at) => [
    `${long.slice(0, 30)}${at}`,
    journey.freePhone(20_000 + at),
    `长工号-${at}-ABCDEFGH`,
    channel,
    '高级首席架构设计与研发效能工程师',
    '',
  ])
  await bring(page, people, `${'很长的文件名'.repeat(12)}.xlsx`)
  await page.getByRole('button', { name: '取消上传' }).waitFor()
  await picture(page, 'import-reading-1440')
  await figure(page, '新增').waitFor({ timeout: 60_000 })
  await page.getByText('会新建').click()
  await page.getByRole('cell', { name: '长工号-0-ABCDEFGH' }).waitFor()
  await matches(page, 'long')
  await page.getByRole('button', { name: /^导入 2/ }).click()
  await page.getByRole('progressbar', { name: '正在导入' }).waitFor()
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 900 })
    await picture(page, `import-under-way-${width}`)
  }
  await page.getByRole('button', { name: '撤销本次导入' }).waitFor({ timeout: 60_000 })
  await matches(page, 'done-long')
  // The list begins with the members who existed before.
  await page.goto(`${journey.address}/companyMember?name=${encodeURIComponent(long.slice(0, 8))}`)
  await page.getByText(long.slice(0, 30)).first().waitFor()
  await matches(page, 'list-long')
})

/** Sends the first payslip to the employee who has just joined. */
async function paid(): Promise<string> {
  const caller = await journey.caller(clerk)
  const head = ['姓名', '手机号', '基本工资', '应发合计', '实发金额']
  const bytes = makeXlsx({ sheets: [{ name: '工资', rows: [head, ['温以凡', phone(5), 5432.1, 5432.1, 5432.1]] }] })
  const { batch_id } = await caller.must(uploadWageExcel, {}, { name: '首月工资.xlsx', bytes })
  await caller.must(insertBatchTitle, { batch_id, title: '首月工资', month: '2026-11', kind: 'other' })
  await caller.must(checkRequireColumnData, { batch_id, columns: [] })
  const { plan_id } = await caller.must(slip.sendPaySheet, { batch_id, channels: ['link'] })
  await caller.must(slip.doSend, { plan_id, looked: true })
  const line = async () => (await caller.must(slip.getWageDetail, { batch_id, pagesize: 5 })).list[0]
  await until(async () => (await line())?.status).toBe('sent')
  return (await line())?.salary_id ?? ''
}

it('does not undo an import once a member of it has joined, and names the member', async () => {
  await desk.getByRole('button', { name: '撤销本次导入' }).click()
  await desk.getByRole('button', { name: '撤销导入' }).click()
  await desk.getByRole('alert').getByText('温以凡在导入之后有了变化').waitFor()
  await examine(desk, 'import-undo-1440')
})
