/** The year of an employee, shown above the payslips. */
import { it } from 'vitest'
import * as employee from '../../../server/contract/payslips/employee.ts'
import { formatFen } from '../../../server/contract/shared/money.ts'
import { examine, mustFit } from '../../support/journey/browser.ts'
import { until, useJourney } from '../../support/journey/journey.ts'
import { pickOne } from '../../support/run/trial.ts'

const journey = useJourney()
const who = '，员工'

it.each(pickOne('year', ['light', 'dark'] as const))(
  'shows the year in total, months on request, and no amounts where they are hidden, %s',
  async (scheme) => {
    const caller = await journey.caller(who)
    await caller.must(employee.setPayHide, { hide: true })
    const { total, months } = await caller.must(employee.getYearSummary, { year: 2026 })
    const page = await journey.enter(who, { width: 360, scheme }, '/m/slips')
    const card = page.getByRole('region', { name: '2026 年合计' })
    await card.getByText(`${months.length} 个月`).waitFor()
    const net = formatFen(total.net_fen ?? 0)
    await until(() => card.innerText()).not.toMatch(/\d\.\d\d/)
    await page.getByRole('button', { name: '显示金额' }).click()
    await card.getByText(net).waitFor()
    await card.getByText('按月查看').click()
    await until(() => card.getByRole('row').count()).toBe(months.length + 1)
    await mustFit(page)
    await examine(page, `62-year-${scheme}`)
  },
)
