/**
 * The demo in a plain browser: a conflict waits in the merge screen, every platform can be bound with the credentials
 * that the page shows, a tapped card signs its recipient in, and the binding can be ended again.
 */
import { beforeAll, expect, it } from 'vitest'
import { closeTrailServiceInfo } from '../../../server/contract/company/company.ts'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { doSend, sendPaySheet } from '../../../server/contract/payslips/send.ts'
import { getPlatformInfo } from '../../../server/contract/platform-binding/binding.ts'
import { type ChatProvider, providerLabels } from '../../../server/contract/shared/providers.ts'
import { insertBatchTitle, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import type { HttpCaller } from '../../support/callers/http.ts'
import { type DemoPerson, demoWageSheet } from '../../support/files/demo-sheet.ts'
import { dress, examine, mustFit, type Tab } from '../../support/journey/browser.ts'
import { toasted, until, useJourney } from '../../support/journey/journey.ts'
import { isFull } from '../../support/run/trial.ts'

const shared = useJourney({ first: true })
const own = useJourney()
const boss = '老板（全部权限）'
let caller: HttpCaller
let people: DemoPerson[]
beforeAll(async () => {
  caller = await own.caller(boss)
  // The company is on trial, whose explanation would open first.
  await caller.must(closeTrailServiceInfo, {})
  const { list } = await caller.must(getMemberList, { status: 'active', pagesize: 100 })
  // The page lists the newest first; the person in the middle has another name on the platform.
  people = list.slice(0, 3).map((one) => ({
    name: one.NAME,
    mobile: one.MOBILE,
    employee_no: one.EMPLOYEE_NO,
    department: one.DEPARTMENTS[0]?.NAME ?? '',
    terms: { base: 350_000, post: 50_000, performance: 30_000 },
  }))
})
/** Takes pictures at a desk and on a phone, light and dark; without pictures one view is enough. */
async function view(page: Tab, name: string): Promise<void> {
  if (process.env.XINHAN_PICTURES !== '1' && !isFull) return mustFit(page)
  for (const width of [1440, 360])
    for (const scheme of ['light', 'dark'] as const) {
      await dress(page, { width, scheme })
      await examine(page, `${name}-${width}-${scheme}`)
      await mustFit(page)
    }
  await dress(page, {})
}

it('has one conflict waiting in the merge screen', async () => {
  const page = await shared.enter('企业管理员', {}, '/companyThird')
  await page.getByRole('heading', { name: '通讯录同步' }).waitFor()
  await page.getByRole('button', { name: '是这个人' }).waitFor()
  expect(await page.getByRole('button', { name: '是这个人' }).count()).toBe(1)
  await view(page, 'demo-bound')
})

it.each<ChatProvider>(['wecom', 'dingtalk', 'lark'])('binds %s, signs in by its card, and unbinds', async (provider) => {
  const name = providerLabels[provider]
  const page = await own.enter(boss, {}, '/companyThird')
  await page.getByRole('button', { name: `绑定${name}` }).click()
  const dialog = page.getByRole('dialog', { name: `绑定${name}` })
  await dialog.getByRole('button', { name: '填入' }).click()
  await view(page, `demo-bind-${provider}`)
  await dialog.getByRole('button', { name: '检测并绑定' }).click()
  await page.getByText('第一次同步，请先看看会有哪些变化').waitFor()
  await page.getByRole('button', { name: '确认更新' }).click()
  await page.getByRole('button', { name: '是这个人' }).waitFor()
  expect(await page.getByRole('button', { name: '是这个人' }).count()).toBe(1)
  await view(page, `demo-merge-${provider}`)

  const title = `用${name}发的工资`
  const bytes = demoWageSheet(people, { title })
  const { batch_id } = await caller.must(uploadWageExcel, {}, { name: `${title}.xlsx`, bytes })
  await caller.must(insertBatchTitle, { batch_id, title, month: '2027-03', kind: 'monthly' })
  const { plan_id } = await caller.must(sendPaySheet, { batch_id, channels: ['platform'] })
  await caller.must(doSend, { plan_id, looked: true })
  // Anybody may look into the simulated chats; this browser is signed in to nothing.
  const phone = await own.open(undefined, { width: 360 })
  const { bound } = await caller.must(getPlatformInfo, {})
  const [recipient] = people
  await phone.goto(`/dev/platform/${provider}/_/inbox`)
  const chat = phone.locator(`a[href*="corp=${bound?.corp_id}&"]`).filter({ hasText: recipient?.mobile ?? '' })
  const href = await chat.getAttribute('href')
  await until(async () => {
    await phone.goto(`/dev/platform/${provider}/_/${href}`)
    return phone.getByRole('link', { name: /查看/ }).count()
  }).toBeGreaterThan(0)
  await phone.getByRole('link', { name: /查看/ }).first().click()
  await phone.waitForURL('**/m/slip/**')
  await phone.getByText(title).first().waitFor()

  await page.getByRole('button', { name: '解除绑定' }).click()
  await page.getByLabel('原因').fill('换用其他平台')
  await page.getByRole('button', { name: '直接解除绑定' }).click()
  await toasted(page, '已解除绑定，员工和工资条都保留')
  await page.getByRole('button', { name: `绑定${name}` }).waitFor()
})
