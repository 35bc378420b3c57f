/**
 * The first wage sheet of its kind: contradictions with the roster block it, and rows matched only by name must be
 * reviewed before sending.
 */
import { beforeAll, describe, it } from 'vitest'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { insertBatchTitle, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import type { HttpCaller } from '../../support/callers/http.ts'
import { makeXlsx, type XlsxCell } from '../../support/files/xlsx.ts'
import { examine, mustBeAccessible, mustFit, type Tab } from '../../support/journey/browser.ts'
import { until, useJourney } from '../../support/journey/journey.ts'
import { pickOne } from '../../support/run/trial.ts'

const journey = useJourney()
const payroll = '薪酬管理员（全公司）'
const views = [
  { width: 1440, scheme: 'light' },
  { width: 360, scheme: 'dark' },
  { width: 360, scheme: 'light' },
  { width: 1440, scheme: 'dark' },
] as const
let caller: HttpCaller
let people: { name: string; mobile: string; department: string }[]

beforeAll(async () => {
  caller = await journey.caller(payroll)
  const { list } = await caller.must(getMemberList, { status: 'active', pagesize: 100 })
  people = [...new Map(list.map((one) => [one.NAME, one])).values()]
    .map((one) => ({ name: one.NAME, mobile: one.MOBILE, department: one.DEPARTMENTS[0]?.NAME ?? '' }))
    .filter(({ department }) => department !== '')
    .toSorted((a, b) => (a.department < b.department ? -1 : 1))
    .slice(0, 12)
})

/** Uploads a bonus that was never paid before. `title` separates it from those of other views. */
async function uploaded(title: string, head: string[], rows: XlsxCell[][]): Promise<string> {
  const bytes = makeXlsx({ sheets: [{ name: '奖金', rows: [head, ...rows] }] })
  const { batch_id } = await caller.must(uploadWageExcel, {}, { name: `${title}.xlsx`, bytes })
  await caller.must(insertBatchTitle, { batch_id, title, month: '2026-11', kind: 'other' })
  return batch_id
}
const getWidth = (page: Tab, view: (typeof views)[number]) => `${view.width}-${view.scheme}-${page.viewportSize()?.width ?? 0}`

describe.each(pickOne('first sheets', views))('first wage sheet at $width px, $scheme', (view) => {
  it('asks one question that names the employees whose departments have swapped names', async () => {
    const rows = people.map(({ name, mobile }, at): XlsxCell[] => [
      name,
      mobile,
      people[(at + 4) % people.length]?.department ?? '',
      1_000 + at * 50,
    ])
    const batch_id = await uploaded(`项目奖 ${view.width} ${view.scheme}`, ['姓名', '手机号', '部门', '实发工资'], rows)
    const page = await journey.enter(payroll, view, `/check?batch_id=${batch_id}`)
    await page.getByRole('heading', { name: /^与花名册不符/ }).waitFor()
    const message = page.locator('[data-problem]').first()
    await until(() => message.textContent()).toMatch(/「部门」和花名册大面积对不上：可以对照的 \d+ 人中有 \d+ 人不同/)
    await examine(page, `31-first-roster-${getWidth(page, view)}`)
    await mustFit(page)
    await message.getByRole('button', { name: '接受' }).click()
    await page.getByRole('heading', { name: /^与花名册不符/ }).waitFor({ state: 'detached' })
  })

  it('shows only the number of rows matched by name, and blocks sending until all are reviewed', async () => {
    const rows = people.map(({ name }, at): XlsxCell[] => [name, 2_000 + at * 70])
    const batch_id = await uploaded(`过节费 ${view.width} ${view.scheme}`, ['姓名', '实发工资'], rows)
    const page = await journey.enter(payroll, view, `/wageSend3?batch_id=${batch_id}`)
    await page.getByRole('region', { name: '发送计划' }).waitFor()
    await page
      .getByRole('button', { name: /^发送 \d+ 人/ })
      .first()
      .click()
    const section = page.getByRole('dialog').getByRole('region', { name: '发送前看一看' })
    await section.getByText(/有 \d+ 人只凭姓名对上花名册/).waitFor()
    await section.getByText('只凭姓名找到').first().waitFor()
    const send = page.getByRole('dialog').getByRole('button', { name: /^发送 \d+ 人/ })
    await until(() => send.getAttribute('aria-disabled')).toBe('true')
    await examine(page, `32-first-names-${getWidth(page, view)}`)
    await mustBeAccessible(page)
    await mustFit(page)
    await section.getByRole('checkbox', { name: /我看过了/ }).check()
    await page.getByRole('dialog').locator('[aria-disabled=true]').waitFor({ state: 'detached' })
  })
})
