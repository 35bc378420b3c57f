/**
 * Layout by keyboard, by mouse and employee by employee; and templates: saved, renamed, used for the next wage sheet,
 * deleted. With an accessibility check at both widths, light and dark.
 */
import type { Locator } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  checkRequireColumnData,
  getLayout,
  insertBatchTitle,
  updateClassify,
  uploadWageExcel,
} from '../../../server/contract/sheets/sheet.ts'
import type { HttpCaller } from '../../support/callers/http.ts'
import { type DemoPerson, demoWageSheet, somePeople } from '../../support/files/demo-sheet.ts'
import { makeXlsx } from '../../support/files/xlsx.ts'
import { dress, examine, mustFit, type Tab } from '../../support/journey/browser.ts'
import { pendingResponse, settle, toasted, until, useJourney, visitNode } from '../../support/journey/journey.ts'
import { some } from '../../support/run/trial.ts'

const count = 12
const journey = useJourney()
const payroll = '薪酬管理员（全公司）'
let page: Tab
let caller: HttpCaller
let people: DemoPerson[]
let batch_id = ''

beforeAll(async () => {
  caller = await journey.caller(payroll)
  people = await somePeople(caller, count)
  batch_id = await upload('11', demoWageSheet(people, { title: '2026年11月工资表' }))
  page = await journey.enter(payroll, {}, `/wageSend2?batch_id=${batch_id}`)
})

/** Uploads a wage sheet and confirms its columns as step 1 does. */
async function upload(month: string, bytes: Buffer): Promise<string> {
  const title = `2026年${month}月工资`
  const { batch_id: id } = await caller.must(uploadWageExcel, {}, { name: `${title}.xlsx`, bytes })
  await caller.must(insertBatchTitle, { batch_id: id, title, month: `2026-${month}`, kind: 'monthly' })
  await caller.must(checkRequireColumnData, { batch_id: id, columns: [] })
  return id
}

const shelf = (name: string): Locator => page.getByRole('region', { name, exact: true })
/** Returns the names of a group's columns from the top. */
const order = (name: string): Promise<string[]> =>
  shelf(name)
    .locator('[data-item] input[type=text]')
    .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value))
/** Returns the groups as the page shows them. */
const groups = (): Promise<string[]> =>
  page
    .getByRole('textbox', { name: /^分组「.+」的名称$/ })
    .evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).value))
const saved = (): Promise<void> => page.getByText('已保存').waitFor()

describe('payslip layout', () => {
  it('changes the payslip layout by keyboard with announcements for screen readers', async () => {
    await shelf('应发').waitFor()
    const before = await order('应发')
    expect(before.slice(0, 3)).toEqual(['基本工资', '岗位工资', '绩效工资'])
    const merit = page.getByRole('textbox', { name: '「绩效工资」显示为' })
    await merit.focus()
    await page.keyboard.press('Alt+ArrowUp')
    await page.keyboard.press('Alt+ArrowUp')
    await until(async () => (await order('应发')).slice(0, 3)).toEqual(['绩效工资', '基本工资', '岗位工资'])
    await page.getByText(`绩效工资 移到「应发」第 1 位，共 ${before.length} 位`).waitFor()
    await until(() => merit.evaluate((input) => input === document.activeElement)).toBe(true)
    await merit.fill('当月绩效')
    // A whole group can be moved, too; it keeps the focus while the server moves it.
    await page.getByRole('textbox', { name: '分组「扣款」的名称' }).focus()
    await page.keyboard.press('Alt+ArrowUp')
    await page.getByText(/分组「扣款」移到第 1 位/).waitFor()
    await until(() =>
      page.getByRole('textbox', { name: '分组「扣款」的名称' }).evaluate((input) => input === document.activeElement),
    ).toBe(true)
    await page.getByRole('checkbox', { name: '员工能看到「餐补」' }).uncheck()
    await page.getByRole('button', { name: '给「当月绩效」加说明' }).click()
    await page.getByRole('textbox', { name: '「当月绩效」的说明' }).fill('按 11 月考核')
    await page.getByRole('checkbox', { name: '隐藏金额为 0 的项目' }).check()
    await page.getByRole('textbox', { name: '公司寄语' }).fill('如有疑问请在 3 天内反馈')
    await saved()
    const layout = await caller.must(getLayout, { batch_id })
    expect(layout.groups.map(({ name }) => name).slice(0, 2)).toEqual(['扣款', '应发'])
    expect(layout.sort_list.find(({ value }) => value === '当月绩效')).toMatchObject({ note: '按 11 月考核', status: true })
    expect([layout.hide_zero, layout.hint]).toEqual([true, '如有疑问请在 3 天内反馈'])
  })

  it('moves a column into another group and a group above another by dragging', async () => {
    const grip = page
      .locator('[data-item]')
      .filter({ has: page.getByRole('textbox', { name: '「加班费」显示为' }) })
      .locator('.arrange-grip')
    await drag(grip, shelf('扣款').locator('[data-item]').last())
    await until(async () => (await order('扣款')).at(-2)).toBe('加班费')
    await drag(shelf('应发').locator('.arrange-head .arrange-grip'), shelf('扣款').locator('.arrange-head'))
    await page.getByText(/分组「应发」移到第 1 位/).waitFor()
    await saved()
  })

  it('saves input typed during a move on top of the result of the move', async () => {
    await until(groups).toEqual(['应发', '扣款', '其他'])
    const answer = await pendingResponse(page, updateClassify)
    await page.getByRole('textbox', { name: '分组「应发」的名称' }).focus()
    await page.keyboard.press('Alt+ArrowDown')
    await page.getByRole('textbox', { name: '公司寄语' }).fill('如有疑问请在 2 天内反馈')
    answer()
    await page.getByText(/分组「应发」移到第 2 位/).waitFor()
    await until(async () => (await caller.must(getLayout, { batch_id })).hint).toBe('如有疑问请在 2 天内反馈')
    await saved()
    expect(await page.getByRole('dialog').count()).toBe(0)
    // Restores the state for the next test.
    await until(groups).toEqual(['扣款', '应发', '其他'])
    await page.getByRole('textbox', { name: '分组「应发」的名称' }).focus()
    await page.keyboard.press('Alt+ArrowUp')
    await page.getByText(/分组「应发」移到第 1 位/).waitFor()
    await page.getByRole('textbox', { name: '公司寄语' }).fill('如有疑问请在 3 天内反馈')
    await until(async () => (await caller.must(getLayout, { batch_id })).hint).toBe('如有疑问请在 3 天内反馈')
  })

  it('previews the layout employee by employee with the arrow keys, and by name', async () => {
    const last = people.at(-1)?.name ?? ''
    const phone = page.getByRole('complementary', { name: '手机预览' })
    await phone.getByText(`第 1 位，共 ${count} 人`).waitFor()
    await phone.getByText('当月绩效').waitFor()
    await until(() => phone.getByText('餐补').count()).toBe(0)
    await phone.getByRole('region', { name: /左右键换人/ }).focus()
    await page.keyboard.press('ArrowRight')
    await phone.getByText(`第 2 位，共 ${count} 人`).waitFor()
    await phone.getByRole('combobox').fill(last)
    await page.locator('.ant-select-item-option').filter({ hasText: last }).click()
    await phone
      .getByRole('region', { name: /左右键换人/ })
      .getByText(last)
      .first()
      .waitFor()
    await examine(page, '34-arrange')
    await mustFit(page)
  })

  it('keeps the layout unchanged after leaving and returning', async () => {
    await page.goto('/wageSend1')
    await page.getByText('继续上次：2026年11月工资').waitFor()
    await page.getByRole('button', { name: '继续', exact: true }).click()
    await page.waitForURL('**/wageSend2?**')
    await page.getByRole('textbox', { name: '「绩效工资」显示为' }).waitFor()
    expect((await order('应发'))[0]).toBe('当月绩效')
  })
})

/** Drags like a user: press, move a little, move over the upper half of the target, release. */
async function drag(from: Locator, to: Locator): Promise<void> {
  // The target is away from the edges of the window, where the page would scroll.
  await from.evaluate((element) => element.scrollIntoView({ block: 'center' }))
  const start = await from.boundingBox()
  if (!start) throw new Error('nothing to drag')
  const x = start.x + start.width / 2
  await page.mouse.move(x, start.y + start.height / 2)
  await page.mouse.down()
  await page.mouse.move(x, start.y - 8)
  // Groups collapse during a drag, so the final position is known only now.
  await page.locator('.arrange[data-dragging]').waitFor()
  await settle(page)
  const end = await to.boundingBox()
  if (!end) throw new Error('nowhere to drag to')
  await page.mouse.move(end.x + end.width / 2, end.y + 4, { steps: 4 })
  await page.mouse.up()
}

describe('layout template', () => {
  it('saves a template, and reports an existing one with the same header', async () => {
    await page.getByRole('button', { name: '存为模板' }).click()
    await page.getByLabel('模板名称').fill('总部月薪')
    await page.keyboard.press('Enter')
    await toasted(page, '已存为模板「总部月薪」')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: '存为模板' }).click()
    await page.getByText('已经有模板「总部月薪」').waitFor()
    await page.keyboard.press('Escape')
  })

  it('renames a template', async () => {
    await visitNode(page, '/wageSet')
    const list = page.getByRole('region', { name: '模板' }).first()
    await list.getByRole('button', { name: '总部月薪的更多操作' }).click()
    await page.getByRole('menuitem', { name: '改名' }).click()
    await page.getByLabel('模板名称').fill('总部月薪（新）')
    await page.keyboard.press('Enter')
    await list.getByText('总部月薪（新）').waitFor()
    await examine(page, '35-templates')
  })

  it('applies a template the next month: automatically for the same header, manually for another', async () => {
    const same = await upload('12', demoWageSheet(people, { title: '2026年12月工资表', seed: 1 }))
    await visitNode(page, `/wageSend2?batch_id=${same}`)
    await shelf('应发').waitFor()
    expect((await order('应发'))[0]).toBe('当月绩效')

    const rows = people.map(({ name, mobile }, at) => [name, mobile, 6000 + at, 900, 6900 + at])
    const header = ['姓名', '手机号', '基本工资', '绩效工资', '实发工资']
    const other = await upload('10', makeXlsx({ sheets: [{ name: '外包', rows: [header, ...rows] }] }))
    await visitNode(page, `/wageSend2?batch_id=${other}`)
    const merit = page.getByRole('textbox', { name: '「绩效工资」显示为' })
    await merit.fill('绩效奖')
    await saved()
    await page.getByRole('button', { name: '用模板' }).click()
    await page.getByRole('radio', { name: /总部月薪（新）/ }).check()
    await examine(page, '36-take')
    await page.getByRole('button', { name: '套用模板' }).click()
    await toasted(page, '已套用「总部月薪（新）」')
    await until(() => merit.inputValue()).toBe('当月绩效')
  })

  it('deletes a template', async () => {
    await visitNode(page, '/wageSet')
    const list = page.getByRole('region', { name: '模板' }).first()
    await list.getByRole('button', { name: '总部月薪（新）的更多操作' }).click()
    await page.getByRole('menuitem', { name: '删除' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '删除模板' }).click()
    await list.getByText('总部月薪（新）').waitFor({ state: 'detached' })
  })
})

describe('layout pages on a phone and in dark mode', () => {
  it.each(
    some(
      [
        { width: 360, scheme: 'dark' },
        { width: 360, scheme: 'light' },
        { width: 1440, scheme: 'dark' },
      ] as const,
      1,
    ),
  )('shows accessible layout pages that fit at $width px, $scheme', async (view) => {
    await dress(page, view)
    for (const [path, visible] of [
      [`/wageSend2?batch_id=${batch_id}`, '实发工资'],
      ['/wageSet', '模板'],
    ] as const) {
      await visitNode(page, path)
      await page.getByText(visible).filter({ visible: true }).first().waitFor()
      await settle(page)
      await examine(page, `37-${path.slice(1).split('?')[0]}-${view.width}-${view.scheme}`)
      await mustFit(page)
    }
  })
})
