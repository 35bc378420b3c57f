/**
 * Pages with nothing to show, on a phone: one whose call fails, and an empty roster. On the first the retry button is
 * large enough for a thumb and loads the page.
 */
import { describe, expect, it } from 'vitest'
import { getUserList } from '../../../server/contract/access/administrators.ts'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { getSlipList } from '../../../server/contract/payslips/employee.ts'
import { getWageList } from '../../../server/contract/payslips/send.ts'
import { dress, mustFit, picture } from '../../support/journey/browser.ts'
import { settle, until, useJourney } from '../../support/journey/journey.ts'
import { smallTargets } from '../../support/journey/targets.ts'
import { pickOne } from '../../support/run/trial.ts'

const journey = useJourney({ first: true })
const [payroll, system, employee] = ['薪酬管理员（全公司）', '系统管理员（全部权限）', '，员工']
/** They behave alike, so each run covers one of them. */
const pages = pickOne('a page that fails', [
  { who: payroll, path: '/wageAdmin', call: getWageList, viewed: '2026年10月工资' },
  { who: payroll, path: '/companyMember', call: getMemberList, viewed: /^\d+ 人$/ },
  { who: system, path: '/roleAdmin', call: getUserList, viewed: '共 5 人' },
  { who: employee, path: '/m/slips', call: getSlipList, viewed: '2026年10月工资' },
])

describe.each([...new Set(pages.map(({ who }) => who))])('a page that fails for "%s"', (who) => {
  it('offers a retry that is large enough for a thumb and loads the page', async () => {
    const page = await journey.enter(who, { width: 360 }, '/healthz')
    for (const { path, call, viewed } of pages.filter((one) => one.who === who)) {
      const address = `**${call.path}`
      await page.route(address, (route) => route.fulfill({ status: 500, body: '' }))
      await page.goto(path)
      const again = page.getByRole('button', { name: '重试' }).first()
      await again.waitFor()
      await settle(page)
      const { width = 0, height = 0 } = (await again.boundingBox()) ?? {}
      expect([path, height >= 40, width >= 40]).toEqual([path, true, true])
      await until(() => smallTargets(page)).toEqual([])
      await mustFit(page)
      await page.unroute(address)
      await again.click()
      await page.getByText(viewed).filter({ visible: true }).first().waitFor()
      expect(await page.getByRole('button', { name: '重试' }).count()).toBe(0)
    }
    expect(page.complaints.splice(0).filter((one) => !one.includes('status of 500'))).toEqual([])
  })
})

it('an empty roster explains how to begin and offers the action', async () => {
  const page = await journey.enter(payroll, { width: 360 }, '/healthz')
  const anonymous = { list: [], page: { page: 1, pagesize: 20, total: 0 } }
  await page.route(`**${getMemberList.path}`, (route) =>
    route.fulfill({ json: { error_code: 0, error_msg: '', errmsg: '', data: anonymous } }),
  )
  await page.goto('/companyMember')
  const people = page.getByRole('region', { name: '员工' })
  await people.getByText('还没有员工。导入花名册，添加几位，或上传工资表时一键创建。').waitFor()
  await until(() => people.getByRole('button').allInnerTexts()).toEqual(['导入花名册', '添加员工'])
  await until(() => page.getByRole('button', { name: '导出' }).getAttribute('aria-disabled')).toBe('true')
  for (const width of [360, 1440]) {
    await dress(page, { width })
    await settle(page)
    await picture(page, `roster-nobody-${width}`)
    await mustFit(page)
  }
  await dress(page, { width: 360 })
  await people.getByRole('button', { name: '导入花名册' }).click()
  await page.waitForURL('**/companyMember?view=import')
})
