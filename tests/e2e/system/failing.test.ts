/**
 * Pages with nothing to show: one whose call fails, one whose code is lost with the network, and an empty roster. A
 * retry button is large enough for a thumb and loads the page.
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
/** The pages behave alike, so each run covers one of them. */
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

describe('without a network, what was not loaded yet', () => {
  const reconnecting = '网络已断开，正在重连…'

  it('on desktop leaves menu and page in place, and opens once the network is back', async () => {
    const page = await journey.enter(payroll, { fresh: true }, '/home')
    await page.getByText('本月批次').waitFor()
    await settle(page)
    await page.context().setOffline(true)
    const lost = page.getByText('网络断开，没有打开。请检查网络后重试。')
    const again = page.getByRole('button', { name: '重试' })
    await page.getByRole('button', { name: '建议反馈' }).click()
    await lost.waitFor()
    expect(await page.getByText('本月批次').isVisible()).toBe(true)
    await picture(page, 'lost-dialog-1440')
    await page.getByRole('button', { name: '关闭', exact: true }).click()
    await until(() => lost.count()).toBe(0)
    // A page: the page before it stays until the network is back, or the user goes back to it.
    const menu = page.getByRole('navigation', { name: '主菜单' })
    await menu.getByRole('link', { name: '数据看板' }).click()
    await page.getByText(reconnecting).waitFor()
    expect(await page.getByText('本月批次').isVisible()).toBe(true)
    expect(await page.getByText('页面出了问题').count()).toBe(0)
    await picture(page, 'lost-page-1440')
    await page.goBack()
    await until(() => page.getByText(reconnecting).count()).toBe(0)
    await page.getByText('本月批次').waitFor()
    await menu.getByRole('link', { name: '数据看板' }).click()
    await page.getByText(reconnecting).waitFor()
    await again.click()
    await until(() => page.toasts).toContain('error 网络还没有恢复，请稍后再试。')
    await page.context().setOffline(false)
    await page.waitForURL('**/chars/home')
    await until(() => page.getByText(reconnecting).count()).toBe(0)
    await page.getByRole('heading', { name: '数据看板' }).waitFor()
    // The dialog opens as well.
    await page.getByRole('button', { name: '建议反馈' }).click()
    await page.getByRole('dialog').waitFor()
    page.complaints.length = 0
  })

  it('on a phone leaves list and tabs in place, and opens once the network is back', async () => {
    const page = await journey.enter(employee, { width: 360, fresh: true }, '/healthz')
    // The idle page would load 我的 before the network is lost.
    await page.route(/assets\/me-/, (route) => route.abort())
    await page.goto('/m/slips')
    await page.getByText('2026年10月工资').first().waitFor()
    await settle(page)
    await page.context().setOffline(true)
    await page.getByRole('link', { name: '我的' }).click()
    await page.getByText(reconnecting).waitFor()
    expect(await page.getByText('2026年10月工资').first().isVisible()).toBe(true)
    expect(await page.getByRole('navigation', { name: '主要页面' }).isVisible()).toBe(true)
    await picture(page, 'lost-page-360')
    await mustFit(page)
    await page.unroute(/assets\/me-/)
    await page.context().setOffline(false)
    await page.getByRole('button', { name: '退出登录' }).waitFor()
    page.complaints.length = 0
  })

  it('opens the pages and dialogs that employees need most, because they were loaded before', async () => {
    const page = await journey.enter(employee, { width: 360, fresh: true }, '/m/slips')
    const loaded = (name: RegExp) => page.waitForResponse((response) => name.test(response.url()))
    await Promise.all([loaded(/assets\/me-/), page.reload()])
    await Promise.all([
      loaded(/assets\/feedback/),
      loaded(/assets\/net-pay-changes/),
      page.locator('a[href*="/m/slip/"]').first().click(),
    ])
    await settle(page)
    await page.context().setOffline(true)
    await page.getByRole('link', { name: /有疑问|查看反馈|回复/ }).click()
    await page.waitForURL('**/m/feedback/*')
    expect(await page.getByText(reconnecting).count()).toBe(0)
    expect(await page.getByText('页面出了问题').count()).toBe(0)
    await page.context().setOffline(false)
    page.complaints.length = 0
  })
})

describe('an action that does not reach the server', () => {
  it('stays on the page with a retry, which sends it with the same key', async () => {
    const page = await journey.enter(payroll, {}, '/wageSet')
    const keys: (string | undefined)[] = []
    let isLost = true
    await page.route('**/api/wage/setting/**', (route) => {
      if (route.request().method() === 'GET') return route.continue()
      keys.push(route.request().headers()['idempotency-key'])
      return isLost ? route.abort() : route.continue()
    })
    const toggle = page.getByRole('switch').first()
    await toggle.click()
    const lostAction = page.getByText('网络断开，刚才的操作没有完成')
    await lostAction.waitFor()
    await picture(page, 'lost-action-1440')
    await dress(page, { width: 360 })
    await picture(page, 'lost-action-360')
    await mustFit(page)
    await page.getByRole('button', { name: '重试' }).click()
    await until(() => keys.length).toBe(2)
    await lostAction.waitFor()
    isLost = false
    await page.getByRole('button', { name: '重试' }).click()
    await until(() => keys.length).toBe(3)
    await until(() => lostAction.count()).toBe(0)
    expect(new Set(keys).size).toBe(1)
    page.complaints.length = 0
  })
})

it('explains in an empty roster how to begin and offers the action', async () => {
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
