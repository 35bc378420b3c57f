/**
 * Deductions and insurance on the payroll administrator's pages: from the list of pay runs to a member's deductions, a
 * city's scheme and the member's base.
 */
import { expect, it } from 'vitest'
import { insertMember } from '../../../server/contract/directory/members.ts'
import { getDeductionList, saveDeduction } from '../../../server/contract/tax/deductions.ts'
import { emptyDeduction } from '../../../server/contract/tax/kinds.ts'
import { examine, mustFit } from '../../support/journey/browser.ts'
import { toasted, until, useJourney } from '../../support/journey/journey.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'

it('enters a deduction, reports an invalid one at its field, and applies the valid one', async () => {
  const caller = await journey.caller(payroll)
  const name = '欧阳若水'
  const { id } = await caller.must(insertMember, { name, mobile: journey.freePhone(41) })
  const items = [
    {
      ...emptyDeduction,
      kind: 'housing_rent' as const,
      whose: '一个名字很长很长的出租方有限责任公司第三分公司',
      from: '2026-01',
      city_tier: 1,
    },
  ]
  await caller.must(saveDeduction, { member_id: id, version: 0, items })
  const page = await journey.enter(payroll, {}, '/wageAdmin')
  await page.getByRole('link', { name: '个税社保' }).click()
  await page.getByRole('link', { name: '专项附加扣除' }).click()
  const search = page.getByPlaceholder('姓名、拼音、手机号或工号')
  await search.fill(name)
  await search.press('Enter')
  await page.getByText('共 1 人').waitFor()
  await page.getByRole('button', { name: `编辑 ${name}` }).click()
  const dialog = page.getByRole('dialog', { name: `${name} 的专项附加扣除` })
  await dialog.getByRole('button', { name: '添加一项' }).click()
  await page.getByRole('menuitem', { name: '赡养老人' }).click()
  const elder = dialog.getByRole('group', { name: '赡养老人' })
  await elder.getByLabel('出生日期').fill('1960-03-08')
  await elder.getByLabel('出生日期').press('Enter')
  await elder.getByLabel('每月分摊').fill('2000')
  await dialog.getByRole('button', { name: '保存' }).click()
  await elder.getByText('非独生子女每月最多分摊 1,500.00 元，请核对').waitFor()
  await examine(page, '62-deductions-edit-1440')
  await elder.getByLabel('每月分摊').fill('1200')
  // Two clicks within a moment count as one (ui/dialogs), so a fast test clicks again.
  const left = async () => {
    if (await dialog.isVisible()) await dialog.getByRole('button', { name: '保存' }).click({ timeout: 1_000 })
    return dialog.isVisible()
  }
  await until(() => left().catch(() => true)).toBe(false)
  await toasted(page, `已保存 ${name} 的扣除信息`)
  await page.getByText('2,700.00').first().waitFor()
  await mustFit(page)
  await examine(page, '62-deductions-1440')
  const { list } = await caller.must(getDeductionList, { name })
  expect(list[0]?.items.map(({ kind, month_fen }) => [kind, month_fen])).toEqual([
    ['housing_rent', 150_000],
    ['elderly', 120_000],
  ])
  await journey.close(page)
  const mobile = await journey.enter(payroll, { width: 360, scheme: 'dark' }, '/salaryTax/deduct/added')
  await mobile.getByRole('button', { name: /没有填写/ }).waitFor()
  await mustFit(mobile)
  await examine(mobile, '62-deductions-360')
  await journey.close(mobile)
})

it("adopts a city's published scheme for the company and determines a contribution base", async () => {
  const page = await journey.enter(payroll, {}, '/salaryTax/deduct/fiveRisks?view=schemes')
  await page.getByRole('button', { name: '添加方案' }).first().click()
  await page.getByRole('menuitem', { name: /^上海 2026-07 至 今/ }).click()
  const dialog = page.getByRole('dialog', { name: '添加参保方案' })
  await dialog.getByRole('group', { name: '养老保险' }).waitFor()
  await examine(page, '63-scheme-edit-1440')
  await dialog.getByRole('button', { name: '保存' }).click()
  await toasted(page, '已保存参保方案')
  await page.getByRole('article', { name: '上海 2026-07 至 今' }).waitFor()
  await mustFit(page)
  await examine(page, '63-schemes-1440')
  await page.getByText('员工基数', { exact: true }).click()
  await page
    .getByRole('button', { name: /^填写 |^编辑 / })
    .first()
    .click()
  const entry = page.getByRole('dialog', { name: /的五险一金$/ })
  await entry.getByLabel('社保缴费基数').fill('20000')
  await entry.getByLabel('公积金比例', { exact: true }).fill('7')
  await entry.getByRole('button', { name: '保存' }).click()
  await toasted(page, /已保存 .+ 的缴费基数/)
  await until(() => page.getByText('3,500.00').count()).toBeGreaterThan(0)
  await mustFit(page)
  await examine(page, '63-insurance-1440')
  await journey.close(page)
  const mobile = await journey.enter(payroll, { width: 360, scheme: 'light' }, '/salaryTax/deduct/fiveRisks?view=schemes')
  await mobile.getByRole('article', { name: '上海 2026-07 至 今' }).waitFor()
  await mustFit(mobile)
  await examine(mobile, '63-schemes-360')
  await journey.close(mobile)
})
