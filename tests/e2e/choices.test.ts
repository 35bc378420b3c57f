/** What one chooses on a page is what the page then shows: filters, shortcuts, what is open and what is done. */
import { beforeAll, expect, it } from 'vitest'
import { getFeedBackList } from '../../server/contract/feedback.ts'
import { getMemberList } from '../../server/contract/member.ts'
import type { Tab } from '../kit/journey/browser.ts'
import { until, useJourney, visit } from '../kit/journey/journey.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'
let page: Tab
beforeAll(async () => {
  page = await journey.enter(payroll, {}, '/home')
})

it.each([
  [payroll, ['发工资条', '花名册', '工资条管理', '工资条设置']],
  ['企业管理员', ['花名册']],
])('home: %s gets the shortcuts that lead somewhere for him', async (who, shortcuts) => {
  const home = who === payroll ? page : await journey.enter(who, {}, '/home')
  const links = home.getByRole('region', { name: '快捷操作' }).getByRole('link')
  await until(() => links.allInnerTexts()).toEqual(shortcuts)
})

it('the list of batches: a name that none has', async () => {
  await visit(page, '/wageAdmin?name=没有这样的一批')
  await page.getByText('没有符合条件的工资条，换个条件试试。').waitFor()
  await page.getByRole('button', { name: '清除筛选' }).click()
  await page.getByRole('table').getByRole('row').nth(1).waitFor()
})

it('the roster: who has left', async () => {
  const { total } = (await (await journey.caller(payroll)).must(getMemberList, { status: 'left' })).page
  expect(total).toBeGreaterThan(0)
  await visit(page, '/companyMember')
  await page.getByRole('combobox', { name: '状态' }).click()
  await page.locator('.ant-select-item-option').filter({ hasText: '离职' }).click()
  await page.waitForURL(/status=left/)
  await page.getByText(`共 ${total} 人`).waitFor()
})

it('questions: what waits for an answer comes first, what is resolved when it is asked for', async () => {
  const caller = await journey.caller(payroll)
  const count = async (status?: 'open' | 'resolved') =>
    (await caller.must(getFeedBackList, { page: 1, pagesize: 20, ...(status ? { status } : {}) })).page.total
  const [open, all] = [await count('open'), await count()]
  expect(open).toBeLessThan(all)
  await visit(page, '/memberFeedback')
  await page.getByText(`共 ${open} 条`).waitFor()
  await visit(page, '/memberFeedback?status=all')
  await page.getByText(`共 ${all} 条`).waitFor()
})
