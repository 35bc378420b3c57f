/**
 * The page of charts: chart and table agree, a click opens a department, months are compared, and a year is exported as
 * a spreadsheet.
 */
import { expect, it } from 'vitest'
import { getCurrentUser } from '../../../server/contract/auth/sign-in.ts'
import * as chart from '../../../server/contract/reports/charts.ts'
import { formatFen } from '../../../server/contract/shared/money.ts'
import { dayAtDesk, examine, mustFit } from '../../support/journey/browser.ts'
import { until, useJourney } from '../../support/journey/journey.ts'
import { pickOne } from '../../support/run/trial.ts'

const journey = useJourney({ first: true })
const head = '系统管理员（全部权限）'

it.each(pickOne('charts', dayAtDesk))(
  'shows charts of a year, a department, averages and the comparison of two months, at $width',
  async (view) => {
    const caller = await journey.caller(head)
    const { list, departments } = await caller.must(chart.getYearList, {})
    const year = list[0]?.year ?? 0
    const { trend } = await caller.must(chart.chartData, { year, kind: 'trend' })
    const page = await journey.enter(head, view, '/chars/home')
    const card = (name: string) => page.locator('.chart-card', { has: page.getByRole('heading', { name, exact: true }) })
    for (const name of ['工资走势', '个税、社保与企业成本', '应发构成', '扣款构成', '各部门', '月均实发分布', '人数与入离职'])
      await card(name).locator('.chart-box svg').waitFor()
    const last = trend.at(-1)
    await card('工资走势').getByRole('button', { name: '工资走势：表格' }).click()
    await card('工资走势')
      .getByRole('cell', { name: formatFen(last?.net_fen ?? 0) })
      .first()
      .waitFor()
    await examine(page, `80-charts-${view.width}`)
    await mustFit(page)
    await card('人数与入离职').scrollIntoViewIfNeeded()
    await examine(page, `83-charts-below-${view.width}`)
    // The explanation is marked until it has been opened once.
    const help = page.getByRole('button', { name: '页面说明，未读' })
    if (view.width > 800) {
      await Promise.all([page.waitForResponse('**/closeHint'), help.click()])
      await page.getByText('撤回、更正后数据同步更新').waitFor()
      await until(async () => (await caller.must(getCurrentUser, {})).dismissed_hints).toEqual(['charts'])
      await until(() => help.count()).toBe(0)
      await page.getByRole('button', { name: '页面说明' }).click()
    }
    // A click on a department expands it.
    await card('各部门').getByRole('button', { name: '各部门：表格' }).click()
    const drill = card('各部门').locator('.chart-drill').first()
    const name = (await drill.textContent()) ?? ''
    expect(departments.map((one) => one.name)).toContain(name.trim())
    await drill.click()
    await expect.poll(() => page.locator('h1 small').textContent()).toBe(name.trim())

    await page.getByRole('button', { name: '平均工资明细' }).click()
    await page.getByRole('button', { name: '按员工' }).click()
    await page.getByText(/共 \d+ 人/).waitFor()
    await examine(page, `81-averages-${view.width}`)
    await mustFit(page)
    await page.getByRole('button', { name: '两个月对比' }).click()
    await page.getByRole('button', { name: /新增/ }).waitFor()
    await examine(page, `82-compare-${view.width}`)
    await mustFit(page)
    if (view.width < 800) return
    const file = page.waitForEvent('download')
    await page.getByRole('button', { name: `导出 ${year} 年` }).click()
    expect((await file).suggestedFilename()).toBe(`${year}年员工工资汇总.xlsx`)
  },
)
