/** While a page comes, its answers in whatever order, nothing that can be pressed goes elsewhere below a hand that is about to press it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { refusals } from '../../server/contract/refusals.ts'
import { dress } from '../kit/journey/browser.ts'
import { callsOpen, settle, until, useJourney } from '../kit/journey/journey.ts'

const journey = useJourney({ first: true })
const [payroll, system, employee] = ['薪酬管理员（全公司）', '系统管理员（全部权限）', '，员工']
/** Answers come so late, in turn. */
const late_ms = [60, 500, 250, 400, 700, 150]

/** In the page, frame by frame: what could be pressed and stands elsewhere now. */
function watchPlaces(): void {
  const most_px = 20
  const places = new Map<Element, { x: number; y: number }>()
  const moved: string[] = []
  Object.assign(window, { moved })
  const look = () => {
    for (const one of document.querySelectorAll('button, a[href], input, [role=button], [role=switch]')) {
      const { left, top, bottom, width } = one.getBoundingClientRect()
      if (width === 0 || bottom < 0 || top > innerHeight) {
        places.delete(one)
        continue
      }
      const [now, before] = [{ x: left + scrollX, y: top + scrollY }, places.get(one)]
      places.set(one, now)
      if (before && (Math.abs(now.x - before.x) > most_px || Math.abs(now.y - before.y) > most_px))
        moved.push(
          `${(one.getAttribute('aria-label') ?? one.textContent ?? '').slice(0, 20)}: ${now.x - before.x}, ${now.y - before.y}`,
        )
    }
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

it.each([
  [payroll, '/home', '快捷操作', 360],
  [payroll, '/wageSet', '离职后查看', 1440],
  [payroll, '/companyMember', /^\d+ 人$/, 360],
  [payroll, '/wageAdmin', '2026年10月工资', 1440],
  [payroll, '/m/admin', '本月批次', 360],
  [system, '/rolePersonal', '企业管理员能做什么', 1440],
  [employee, '/m/slips', '2026年10月工资', 360],
] as const)('%s: %s', async (who, path, seen, width) => {
  const page = await journey.enter(who, { fresh: true }, '/dev/outbox')
  await page.addInitScript(watchPlaces)
  let calls = 0
  await page.route('**/api/**', async (route) => {
    calls += 1
    await sleep(late_ms[calls % late_ms.length])
    await route.continue().catch(() => undefined)
  })
  await dress(page, { width, scheme: 'light' })
  await page.goto(path)
  await page.getByText(seen).filter({ visible: true }).first().waitFor()
  await until(() => page.locator('.ui-skeleton:visible, .wait:visible').count()).toBe(0)
  await until(() => callsOpen(page)).toBe(0)
  await settle(page)
  expect(await page.evaluate(() => (window as unknown as { moved: string[] }).moved)).toEqual([])
})

it.each([
  ['/m/admin', '**/getApprovalList*', '本月批次'],
  ['/home', '**/getTodoList*', '快捷操作'],
])('%s is there where what waits for somebody cannot be had, and it is not asked without end', async (path, call, seen) => {
  const page = await journey.enter(payroll, { fresh: true }, '/dev/outbox')
  let asked = 0
  await page.route(call, (route) => {
    asked += 1
    const { code } = refusals.our_fault
    return route.fulfill({ status: 500, json: { error_code: code, error_msg: '服务器出错了', errmsg: '', data: {} } })
  })
  await page.goto(path)
  await page.getByText(seen).filter({ visible: true }).first().waitFor()
  await settle(page)
  await until(() => callsOpen(page)).toBe(0)
  expect(asked).toBeLessThan(4)
  page.complaints.length = 0
})
