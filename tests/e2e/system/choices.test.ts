/** Pages show what the user selects: filters, shortcuts, what is open and what is done. */
import { beforeAll, describe, expect, it } from 'vitest'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { getCurrentEmployee, getSlipList } from '../../../server/contract/payslips/employee.ts'
import { getFeedBackList } from '../../../server/contract/payslips/feedback.ts'
import { doSend, getWageDetail, getWageSettings, sendPaySheet, setFeedback } from '../../../server/contract/payslips/send.ts'
import { insertBatchTitle, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import type { HttpCaller } from '../../support/callers/http.ts'
import { patience_ms, type Tab } from '../../support/journey/browser.ts'
import { until, useJourney, visitNode } from '../../support/journey/journey.ts'
import { isFull } from '../../support/run/trial.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'
let page: Tab
beforeAll(async () => {
  page = await journey.enter(payroll, {}, '/home')
})

it.each([
  [payroll, ['发工资条', '花名册', '工资条管理', '个税社保', '工资条设置']],
  ['企业管理员', ['花名册', '办公平台']],
])('home: shows %s only shortcuts to permitted pages', async (who, shortcuts) => {
  const home = who === payroll ? page : await journey.enter(who, {}, '/home')
  const links = home.getByRole('region', { name: '快捷操作' }).getByRole('link')
  await until(() => links.allInnerTexts()).toEqual(shortcuts)
})

it('shows an empty list of batches for an unknown name', async () => {
  await visitNode(page, '/wageAdmin?name=没有这样的一批')
  await page.getByText('没有符合条件的工资条，换个条件试试。').waitFor()
  await page.getByRole('button', { name: '清除筛选' }).click()
  await page.getByRole('table').getByRole('row').nth(1).waitFor()
})

it('lists terminated members on request', async () => {
  const { total } = (await (await journey.caller(payroll)).must(getMemberList, { status: 'left' })).page
  expect(total).toBeGreaterThan(0)
  await visitNode(page, '/companyMember')
  await page.getByRole('combobox', { name: '状态' }).click()
  await page.locator('.ant-select-item-option').filter({ hasText: '离职' }).click()
  await page.waitForURL(/status=left/)
  await page.getByText(`共 ${total} 人`).waitFor()
})

it('lists open threads first in the feedback inbox, and resolved ones on request', async () => {
  const caller = await journey.caller(payroll)
  const count = async (status?: 'open' | 'resolved') =>
    (await caller.must(getFeedBackList, { page: 1, pagesize: 20, ...(status ? { status } : {}) })).page.total
  const [open, all] = [await count('open'), await count()]
  expect(open).toBeLessThan(all)
  await visitNode(page, '/memberFeedback')
  await page.getByText(`共 ${open} 条`).waitFor()
  await visitNode(page, '/memberFeedback?status=all')
  await page.getByText(`共 ${all} 条`).waitFor()
})

it('asks before settings are left with a number that is not saved, and saves it', async () => {
  const caller = await journey.caller(payroll)
  const getDays = async () => (await caller.must(getWageSettings, {})).answer_within_days
  const days = await getDays()
  await page.getByRole('navigation', { name: '主菜单' }).getByRole('link', { name: '工资条设置' }).click()
  await page.getByLabel('回复期限').fill(String(days + 5))
  const home = page.getByRole('navigation', { name: '主菜单' }).getByRole('link', { name: '首页' })
  await home.click()
  await page
    .getByRole('dialog')
    .getByText(`回复期限：${days} → ${days + 5} 工作日`)
    .waitFor()
  await page.getByRole('dialog').getByRole('button', { name: '取消' }).click()
  expect(new URL(page.url()).pathname).toBe('/wageSet')
  await home.click()
  await page.getByRole('dialog').getByRole('button', { name: '保存并离开' }).click()
  await page.waitForURL(/\/home$/)
  await until(getDays).toBe(days + 5)
  await caller.must(setFeedback, { answer_days: days })
})

it('leads from sign-in to the requested page', async () => {
  await page.goto(`/landing?page=${encodeURIComponent('/wageAdmin?status=sent')}`)
  await page.waitForURL(/\/wageAdmin\?status=sent$/)
  await page.goto(`/landing?page=${encodeURIComponent('https://elsewhere.example/')}`)
  await page.waitForURL(/\/home$/)
})

const getSheet = (rows: readonly (readonly (string | number)[])[]) => ({
  name: '补贴.csv',
  bytes: Buffer.from(`\ufeff${[['姓名', '手机号', '补贴', '实发'], ...rows].map((row) => row.join(',')).join('\n')}\n`),
})

it('asks for confirmation before the next step if a wage sheet has warnings', async () => {
  const caller = await journey.caller(payroll)
  const { list } = await caller.must(getMemberList, { status: 'active', pagesize: 3 })
  const file = getSheet(list.map(({ NAME, MOBILE }, at) => [NAME, MOBILE, 310 + at, 310 + at]))
  let batch_id = ''
  for (const title of ['头一份', '同一份']) {
    batch_id = (await caller.must(uploadWageExcel, {}, file)).batch_id
    await caller.must(insertBatchTitle, { batch_id, title, month: '2025-03', kind: 'other' })
  }
  await visitNode(page, `/check?batch_id=${batch_id}`)
  await page.getByRole('button', { name: /^(排版|发送) 3 人/ }).click()
  const asks = page.getByRole('dialog', { name: '还有提醒没有确认，仍然继续？' })
  await asks.getByText('文件上传过').waitFor()
  expect(new URL(page.url()).pathname).toBe('/check')
  await asks.getByRole('button', { name: '取消' }).click()
  await asks.waitFor({ state: 'hidden' })
  expect(new URL(page.url()).pathname).toBe('/check')
  await page.getByRole('button', { name: /^(排版|发送) 3 人/ }).click()
  await asks.getByRole('button', { name: /^仍然/ }).click()
  await page.waitForURL(/\/wageSend[23]\?/)
})

describe('an employee', () => {
  const employee = '，员工'
  const narrow = { width: 360 }
  /** Sends one batch for each title to this employee only, without asking for confirmation. */
  async function pay(titles: readonly string[]): Promise<string[]> {
    const clerk = await journey.caller(payroll)
    const { name } = await caller.must(getCurrentEmployee, {})
    const row = [name, journey.getPhone(employee), 260, 260]
    // Uploads one file after another, as a company does.
    const uploaded: [string, string][] = []
    for (const title of titles) uploaded.push([title, (await clerk.must(uploadWageExcel, {}, getSheet([row]))).batch_id])
    return Promise.all(
      uploaded.map(async ([title, batch_id]) => {
        await clerk.must(insertBatchTitle, { batch_id, title, month: '2025-02', kind: 'other' })
        const { plan_id } = await clerk.must(sendPaySheet, { batch_id, channels: ['link'], rules: { confirm: false } })
        await clerk.must(doSend, { plan_id, looked: true })
        return (await clerk.must(getWageDetail, { batch_id, pagesize: 5 })).list[0]?.salary_id ?? ''
      }),
    )
  }
  let caller: HttpCaller
  beforeAll(async () => {
    caller = await journey.caller(employee)
  })
  const slips = async () => (await caller.must(getSlipList, { page: 1, pagesize: 24 })).page.total
  /** Waits until the sent payslips have arrived. */
  const come = (count: number) => expect.poll(slips, { timeout: patience_ms, interval: 500 }).toBe(count)

  // Sends twenty-two wage sheets for it.
  it.runIf(isFull)('loads more payslips when the user scrolls to the end of the list', async () => {
    const [first, total] = [await slips(), 25]
    await pay(Array.from({ length: total - first }, (_, at) => `补贴 ${at + 1}`))
    await come(total)
    const phone = await journey.enter(employee, narrow, '/m/slips')
    const rows = phone.locator('.m-slip-row')
    await until(() => rows.count()).toBe(24)
    await rows.last().scrollIntoViewIfNeeded()
    await until(() => rows.count()).toBe(total)
    await phone.getByText(`共 ${total} 张工资条`).waitFor()
  })

  it('offers no confirmation where none is required, and empties the field after sending a question', async () => {
    const before = await slips()
    const [slip_id = ''] = await pay(['不用确认'])
    await come(before + 1)
    const phone = await journey.enter(employee, narrow, `/m/slip/${slip_id}`)
    await phone.getByRole('link', { name: '有疑问' }).waitFor()
    await phone.locator('.slip-net').waitFor()
    expect(await phone.getByRole('button', { name: '确认', exact: true }).count()).toBe(0)
    await phone.getByRole('link', { name: '有疑问' }).click()
    const field = phone.getByRole('textbox', { name: '反馈内容' })
    await field.fill('这笔补贴是哪个月的？')
    await phone.getByRole('button', { name: '发送', exact: true }).click()
    await phone.getByRole('list', { name: '对话' }).getByText('这笔补贴是哪个月的？').waitFor()
    await until(() => field.inputValue()).toBe('')
  })
})
