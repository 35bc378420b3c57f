/**
 * A tax period: created, filled from a pay run, checked, computed, viewed step by step, exported, locked; and viewed on
 * a phone.
 */
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readXlsx } from 'hucre'
import { expect, it } from 'vitest'
import { getHistoryDetail } from '../../../server/contract/tax/history.ts'
import { getPeriodList } from '../../../server/contract/tax/periods.ts'
import { examine, mustBeAccessible, mustFit } from '../../support/journey/browser.ts'
import { toasted, until, useJourney } from '../../support/journey/journey.ts'
import { book } from '../../support/office.ts'
import { isFull } from '../../support/run/trial.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'

it('leads from a pay run to the locked tax period and its file', async () => {
  const page = await journey.enter(payroll, { width: 1440, scheme: 'light' }, '/wageAdmin')
  await page.getByRole('link', { name: '个税社保' }).click()
  await page.getByRole('link', { name: '税款期间' }).click()
  await page.getByText('还没有税款期间').waitFor()
  await examine(page, '62-tax-empty-1440')
  await page.getByRole('button', { name: '新建一期' }).first().click()
  await page.getByRole('dialog', { name: '新建一期' }).getByRole('button', { name: '新建', exact: true }).click()

  await page.getByRole('combobox', { name: '工资批次' }).click()
  await page.locator('.ant-select-item-option', { hasText: '已发送' }).first().click()
  await page.getByRole('button', { name: '引入', exact: true }).click()
  await toasted(page, /已引入，本期共 \d+ 人/)
  await page.getByRole('table', { name: '人员收入' }).or(page.getByText('人员收入')).first().waitFor()
  await examine(page, '63-tax-update-1440')

  // The year began elsewhere: one file brings the sums of everybody (three clicks), not a dialog for each.
  const clerk = await journey.caller(payroll)
  const { period_id = '', month = '' } = (await clerk.must(getPeriodList, {})).list[0] ?? {}
  const pages = [1, 2].map((at) => clerk.must(getHistoryDetail, { period_id, page: at, pagesize: 100 }))
  const everyone = (await Promise.all(pages)).flatMap(({ list }) => list)
  const before = `${month.slice(0, 5)}${String(Number(month.slice(5)) - 1).padStart(2, '0')}-01`
  const sums = ['姓名', '工号', '税款所属期起', '本期收入', '累计收入额', '累计专项扣除', '已缴税额', '应补(退)税额']
  await page.getByRole('button', { name: '从扣缴端文件引入' }).click()
  await page.getByLabel('扣缴端上月的税款计算结果').setInputFiles({
    name: '税款计算.xlsx',
    mimeType: 'application/octet-stream',
    buffer: book(
      sums,
      everyone.map(({ name, employee_no }) => [name, employee_no, before, 10_000, 80_000, 8_000, 300, 60]),
    ),
  })
  await page.getByRole('region', { name: '将引入的累计数' }).waitFor()
  await examine(page, '63-tax-opening-1440')
  await mustBeAccessible(page)
  await page.getByRole('button', { name: /^引入 \d+ 人$/ }).click()
  await toasted(page, /已引入 \d+ 人的期初累计/)

  await page.getByRole('link', { name: /^核对 \d+ 人$/ }).click()
  await page.getByText('核对结果').waitFor()
  await examine(page, '64-tax-check-before-1440')
  await page.getByRole('button', { name: /^计算 \d+ 人$/ }).click()
  await page.getByRole('link', { name: '查看结果并锁定' }).waitFor()
  await examine(page, '64-tax-check-1440')
  await mustBeAccessible(page)
  expect(await page.getByRole('button', { name: '往月数据缺失' }).count()).toBe(0)
  await page.locator('.period-issue button').first().click()
  await page.locator('.period-issues table').waitFor()
  await examine(page, '64-tax-issues-1440')
  const [first, second] = (await clerk.must(getHistoryDetail, { period_id })).list
  // The result of the tax client: for the first member the same, for the second another income, for the others nothing.
  const head = ['姓名', '工号', '本期收入', '累计收入额', '应补(退)税额']
  const result = [first, second].map((one, at) => {
    const income = (one?.income_fen ?? 0) / 100 + at * 100
    return [
      one?.name ?? '',
      one?.employee_no ?? '',
      income,
      income,
      ((one?.result?.tax_fen ?? 0) - (one?.result?.credit_fen ?? 0)) / 100,
    ]
  })
  const buffer = book(head, result)
  await page
    .getByLabel('扣缴端的税款计算结果')
    .setInputFiles({ name: '税款计算.xlsx', mimeType: 'application/octet-stream', buffer })
  await page
    .getByText(/本期收入不同/)
    .first()
    .waitFor()
  await examine(page, '64-tax-compare-1440')
  await mustBeAccessible(page)
  await page.getByRole('link', { name: '查看结果并锁定' }).click()

  await page.getByText('本期应扣').first().waitFor()
  await examine(page, '65-tax-detail-1440')
  await mustBeAccessible(page)
  await page.locator('.period-who button').first().click()
  const drawer = page.getByRole('dialog')
  await drawer.getByText('计算步骤').waitFor()
  await until(() => drawer.getByText(/^依据：/).count()).toBeGreaterThan(2)
  await examine(page, '66-tax-steps-1440')
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'hidden' })

  await page.getByRole('button', { name: /^导出申报表/ }).click()
  const coming = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: /29 列/ }).click()
  const file = join(tmpdir(), `declaration-${process.pid}.xlsx`)
  await (await coming).saveAs(file)
  const [sheet] = (await readXlsx(await readFile(file))).sheets
  await rm(file)
  expect(sheet?.rows[0]?.slice(0, 6)).toEqual(['工号', '*姓名', '*证件类型', '*证件号码', '本期收入', '本期免税收入'])
  expect(sheet?.rows[0]?.length).toBe(29)

  await page.getByRole('button', { name: /^锁定 \d+ 人$/ }).click()
  const lock = page.getByRole('dialog')
  await lock.getByText(/还有 \d+ 处没有处理/).waitFor()
  await examine(page, '65-tax-lock-1440')
  await mustBeAccessible(page)
  expect(await lock.getByRole('button', { name: /^锁定 \d+ 人$/ }).isDisabled()).toBe(true)
  await lock.getByRole('checkbox').check()
  await lock.getByRole('button', { name: /^锁定 \d+ 人$/ }).click()
  await toasted(page, /已锁定/)
  await page.getByRole('button', { name: '重新打开' }).waitFor()
  await until(async () => (await clerk.must(getPeriodList, {})).list[0]?.status).toBe('locked')

  await page.goto('/salaryTax/history/list?view=year')
  await page.getByText('要补税').waitFor()
  await examine(page, '72-tax-year-1440')
  await mustBeAccessible(page)
  await page.locator('.period-who button').first().click()
  await page.getByRole('dialog').getByText('计算步骤').waitFor()
  await examine(page, '73-tax-year-person-1440')
  await page.goto('/salaryTax/history/list?view=preview')
  await page.getByLabel('调整为').fill('30000')
  await page.getByRole('columnheader', { name: '调整后' }).waitFor()
  await examine(page, '74-tax-preview-1440')
  await mustBeAccessible(page)
})

/** `every-page` covers each of its pages in turn; all of them in this view are a trial. */
it.runIf(isFull)('works on a phone in dark mode', async () => {
  const clerk = await journey.caller(payroll)
  const period_id = (await clerk.must(getPeriodList, {})).list[0]?.period_id ?? ''
  const page = await journey.enter(payroll, { width: 360, scheme: 'dark' }, '/salaryTax/history/list')
  await page.getByRole('link', { name: /^\d{4}年\d+月$/ }).waitFor()
  await examine(page, '67-tax-list-360')
  await mustBeAccessible(page)
  await mustFit(page)
  for (const [at, name, viewed] of [
    ['history/list?view=year', '75-tax-year-360', '要补税'],
    ['history/list?view=preview', '76-tax-preview-360', '月怎么算的'],
    ['history/detail', '68-tax-detail-360', '操作记录'],
    ['add/update', '69-tax-update-360', '人员收入'],
    ['add/check', '70-tax-check-360', '核对结果'],
  ] as const) {
    await page.goto(`/salaryTax/${at}${at.includes('?') ? '' : `?id=${period_id}`}`)
    await page.getByText(viewed).first().waitFor()
    await examine(page, name)
    await mustFit(page)
  }
  await page.goto(`/salaryTax/history/detail?id=${period_id}`)
  await page.locator('.period-who button').first().click()
  await page.getByRole('dialog').getByText('计算步骤').waitFor()
  await examine(page, '71-tax-steps-360')
})

it('explains the tax to an employee', async () => {
  const page = await journey.enter('，员工', { width: 360, scheme: 'light' }, '/m/slips')
  await page.locator('a[href^="/m/slip/"]').first().click()
  await page.getByRole('button', { name: '个税怎么算的' }).click()
  const sheet = page.getByRole('dialog', { name: '个税怎么算的' })
  await sheet.getByText('每一步怎么算的').or(sheet.getByText('公司还没有提供')).first().waitFor()
  await examine(page, '77-own-tax-360')
  await mustBeAccessible(page)
  await mustFit(page)
})
