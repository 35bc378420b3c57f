/** Data stored about an employee, on the phone: notifications, views of payslips, and the export of everything. */
import { expect, it } from 'vitest'
import { getSlipList } from '../../../server/contract/payslips/employee.ts'
import { getSalary } from '../../../server/contract/payslips/send.ts'
import { examine, mustFit, type Tab } from '../../support/journey/browser.ts'
import { until, useJourney } from '../../support/journey/journey.ts'
import { smallTargets } from '../../support/journey/targets.ts'
import { pickOne } from '../../support/run/trial.ts'

const journey = useJourney()
const who = '，员工'
const clerk = '薪酬管理员（全公司）'

async function view(page: Tab, name: string): Promise<void> {
  await mustFit(page)
  await until(() => smallTargets(page)).toEqual([])
  await examine(page, `own-${name}`)
}
const close = (page: Tab) => page.getByRole('dialog').getByRole('button', { name: '关闭' }).click()

it.each(pickOne('own data', ['light', 'dark'] as const))(
  'leads an employee to their own data in three taps, %s',
  async (scheme) => {
    const [slip] = (await (await journey.caller(who)).must(getSlipList, {})).list
    await (await journey.caller(clerk)).must(getSalary, { salary_id: slip?.slip_id ?? '' })
    const page = await journey.enter(who, { width: 360, scheme }, '/m/me')
    await page.getByRole('button', { name: '收到的通知' }).click()
    await page.getByRole('dialog').getByText('工资条已发放').first().waitFor()
    await view(page, `told-${scheme}`)
    await close(page)
    await page.getByRole('button', { name: '谁看过我的工资条' }).click()
    await page.getByRole('dialog').getByText('打开了您的工资条').first().waitFor()
    await page.getByRole('dialog').getByText(journey.getName(clerk)).first().waitFor()
    await view(page, `looks-${scheme}`)
    await close(page)
    // How the company processes the data, with the time at which the notice before the first payslip was read.
    await page.getByRole('button', { name: '个人信息处理说明' }).click()
    await page.getByRole('dialog').getByText('谁在处理').waitFor()
    await view(page, `notice-${scheme}`)
    await page
      .getByRole('dialog')
      .getByText(/您已于 .* 阅读/)
      .waitFor()
    await close(page)
    await page.getByRole('button', { name: '下载我的全部资料' }).click()
    const dialog = page.getByRole('dialog')
    await view(page, `take-${scheme}`)
    // The sign-in of a moment ago is a proof of identity.
    const coming = page.waitForEvent('download')
    await dialog.getByRole('button', { name: '下载', exact: true }).click()
    expect((await coming).suggestedFilename()).toMatch(/^我的资料-\d{4}-\d\d-\d\d\.zip$/)
    await dialog.getByText(/已开始下载/).waitFor()
    await view(page, `taken-${scheme}`)
  },
)
