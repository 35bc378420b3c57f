/** 试发: to myself with a real line, then what it leads to on the phone; marked, and no slip of anybody's. */
import { beforeAll, expect, it } from 'vitest'
import { getMemberList } from '../../server/contract/member.ts'
import { insertBatchTitle, uploadWageExcel } from '../../server/contract/sheet.ts'
import { getWageList } from '../../server/contract/slip.ts'
import { demoWageSheet } from '../kit/demo-sheet.ts'
import { dress, examine, mustFit, type Tab } from '../kit/journey/browser.ts'
import { until, useJourney } from '../kit/journey/journey.ts'
import { smallTargets } from '../kit/journey/targets.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'
let page: Tab
let batch_id = ''
beforeAll(async () => {
  const caller = await journey.caller(payroll)
  const { list } = await caller.must(getMemberList, { status: 'active', pagesize: 60 })
  const people = [...new Map(list.map((one) => [one.NAME, one])).values()].slice(0, 3).map((one) => ({
    name: one.NAME,
    mobile: one.MOBILE,
    employee_no: one.EMPLOYEE_NO,
    department: one.DEPARTMENTS[0]?.NAME ?? '',
    terms: { base: 410_000, post: 50_000, performance: 30_000 },
  }))
  const bytes = demoWageSheet(people, { title: '2025年4月工资表', remark: '试发' })
  batch_id = (await caller.must(uploadWageExcel, {}, { name: '试发.xlsx', bytes })).batch_id
  await caller.must(insertBatchTitle, { batch_id, title: '试发的四月工资', month: '2025-04', kind: 'monthly' })
  page = await journey.enter(payroll, {}, `/wageSend3?batch_id=${batch_id}`)
})
async function look(name: string): Promise<void> {
  for (const width of [1440, 360])
    for (const scheme of ['light', 'dark'] as const) {
      await dress(page, { width, scheme })
      await examine(page, `${name}-${width}-${scheme}`)
      await mustFit(page)
      if (width === 360) expect(await smallTargets(page, '[role=dialog]')).toEqual([])
    }
  await dress(page, {})
}

it('is asked for before the sending, and leaves the batch as it was', async () => {
  await page.getByRole('button', { name: '试发', exact: true }).click()
  await page.getByRole('dialog').getByText('我看某个人的真实工资条').click()
  await look('rehearsal-dialog')
  await page.getByRole('dialog').getByRole('button', { name: '试发给我自己' }).click()
  const told = page.getByRole('list', { name: '试发的结果' })
  await until(() => told.textContent()).toContain('已发出')
  expect(await told.textContent()).toContain('真实数字')
  await look('rehearsal-told')
  const list = (await (await journey.caller(payroll)).must(getWageList, {})).list
  expect(list.find((one) => one.batch_id === batch_id)).toMatchObject({ status: 'draft', sent: 0 })

  const link = new URL((await told.getByRole('link', { name: '打开' }).getAttribute('href')) ?? '')
  await page.goto(new URL(link.pathname, page.url()).href)
  await until(() => page.locator('main').textContent()).toContain('试发，不是正式工资条')
  await until(() => page.locator('main').textContent()).toContain('试发的四月工资')
  await look('rehearsal-slip')
})
