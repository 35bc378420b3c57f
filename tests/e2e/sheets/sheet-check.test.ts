/**
 * Checking by page actions only: a wage sheet with many kinds of issues is cleaned (one by one, all of a kind, edited,
 * matched, skipped and restored, accepted), and its issues are downloaded as a spreadsheet with comments.
 */
import { buffer } from 'node:stream/consumers'
import { read as otherReader } from '@e965/xlsx'
import type { Locator } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import {
  checkRequireColumnData,
  checkWageData,
  getTitleInfo,
  insertBatchTitle,
  uploadWageExcel,
} from '../../../server/contract/sheets/sheet.ts'
import type { HttpCaller } from '../../support/callers/http.ts'
import { type DemoPerson, demoNetFen, demoWageSheet, somePeople } from '../../support/files/demo-sheet.ts'
import { dress, examine, mustFit, picture, type Tab } from '../../support/journey/browser.ts'
import { pendingResponse, settle, until, useJourney } from '../../support/journey/journey.ts'
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
  // The user is signed in and the wage sheet is uploaded first.
  page = await journey.enter(payroll, {}, '/dev/outbox')
})

/** Uploads as step 1 does when everything is recognized. */
async function upload(name: string, title: string, bytes: Buffer, rows: number): Promise<string> {
  const sheet = await caller.must(uploadWageExcel, {}, { name, bytes })
  expect(sheet.rows).toBe(rows)
  await caller.must(insertBatchTitle, { batch_id: sheet.batch_id, title, month: '2026-11', kind: 'monthly' })
  await caller.must(checkRequireColumnData, { batch_id: sheet.batch_id, columns: [] })
  return sheet.batch_id
}

const kinds = (): Locator => page.getByRole('navigation', { name: '问题种类' })
const items = (): Locator => page.locator('[data-problem]')
/** Shows a kind of issues and returns their number. */
async function choose(kind: string): Promise<number> {
  const button = kinds().getByRole('button', { name: new RegExp(kind) })
  await button.click()
  await page.getByRole('heading', { name: new RegExp(`^${kind}`) }).waitFor()
  return Number(/(\d+)$/.exec((await button.textContent()) ?? '')?.[1])
}
const remove = (kind: string): Promise<void> =>
  kinds()
    .getByRole('button', { name: new RegExp(kind) })
    .waitFor({ state: 'detached' })
const confirm = (name: string): Promise<void> => page.getByRole('dialog').getByRole('button', { name }).click()

describe('wage sheet with many kinds of issues', () => {
  it('shows issues by kind, errors first', async () => {
    const rows = people.map((one) => ({ ...one }))
    const [, , broken, , , renamed] = rows
    if (broken) Object.assign(broken, { mobile: '1390013', employee_no: '' })
    if (renamed) renamed.name = '赵不对'
    const fresh = ['甲', '乙', '丙'].map((name, at) => ({
      name: `新员工${name}`,
      mobile: `1399999000${at}`,
      employee_no: `ZZ0${at}`,
    }))
    const sheet = demoWageSheet(
      [...rows, ...fresh, { ...people[7], name: people[7]?.name ?? '', mobile: people[7]?.mobile ?? '' }],
      {
        title: '云杉科技2026年11月工资表',
        change: { 0: { 餐补: '见备注' }, 3: { 实发工资: null }, 9: { 事假扣款: '半天' } },
      },
    )
    batch_id = await upload('2026年11月工资表.xlsx', '2026年11月工资', sheet, count + 4)
    // The costly check of the whole wage sheet is requested once, not for each page of rows.
    const long = new Set<string>()
    page.on('request', (request) => {
      if (/\/(?:checkWageData|getDetailUpload)$/.test(request.url())) long.add(`${request.url()} ${request.postData()}`)
    })
    await page.goto(`/check?batch_id=${batch_id}`)
    await items().first().waitFor()
    expect(long.size).toBe(1)
    page.removeAllListeners('request')
    const all = await kinds().getByRole('listitem').allTextContents()
    for (const kind of ['花名册里没有此人', '金额不是数字', '一个人有多行', '没有实发金额', '手机号不对', '姓名与花名册不同'])
      expect(
        all.some((text) => text.startsWith(kind)),
        `${kind} in ${all.join(' ')}`,
      ).toBe(true)
    await until(() => page.getByRole('button', { name: /排版 \d+ 人的工资条/ }).getAttribute('aria-disabled')).toBe('true')
    await examine(page, '30-check')
    await mustFit(page)
  })

  it.each(
    some(
      [
        { width: 360, scheme: 'dark' },
        { width: 360, scheme: 'light' },
        { width: 1440, scheme: 'dark' },
      ] as const,
      1,
    ),
  )('shows an accessible check page that fits at $width px, $scheme', async (view) => {
    await dress(page, view)
    await settle(page)
    await items().first().waitFor()
    await examine(page, `30-check-${view.width}-${view.scheme}`)
    await mustFit(page)
    await dress(page, {})
  })

  it('downloads the wage sheet with its issues as comments on the cells', async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: '下载问题清单' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('2026年11月工资表-问题.xlsx')
    const { SheetNames, Sheets } = otherReader(await buffer(await download.createReadStream()), { cellStyles: true })
    expect(SheetNames).toContain('工资表')
    const commented = Object.entries(Sheets['工资表'] ?? {}).flatMap(([position, cell]) =>
      Array.isArray(cell?.c) ? [[position, String(cell.c[0]?.t)] as const] : [],
    )
    expect(commented).toContainEqual(['J4', expect.stringContaining('餐补')])
    expect(commented.some(([, text]) => text.includes('新员工乙'))).toBe(true)
  })

  it('lets the user correct a cell by keyboard next to its neighbours, then moves the focus to the next one', async () => {
    expect(await choose('金额不是数字')).toBe(2)
    await items().first().focus()
    await page.keyboard.press('Enter')
    const row = page.getByLabel('这一行的单元格')
    await row.waitFor()
    await until(() => row.locator('[data-marked]').textContent()).toBe('餐补见备注')
    await examine(page, '31-edit')
    await page.keyboard.press('Escape')
    await row.waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await until(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT')
    await page.keyboard.type('300')
    await page.keyboard.press('Enter')
    await until(() => items().count()).toBe(1)
    await until(() => page.evaluate(() => document.activeElement?.hasAttribute('data-problem'))).toBe(true)
    await page.keyboard.press('Enter')
    await page.getByLabel('「事假扣款」改为').fill('50')
    await page.keyboard.press('Enter')
    await remove('金额不是数字')
  })

  it('lets the user fill missing cells and fix wrong ones', async () => {
    await choose('没有实发金额')
    await items().getByRole('button', { name: '修改单元格' }).click()
    await page.getByLabel('「实发工资」改为').fill(String(demoNetFen(3) / 100))
    await page.getByRole('button', { name: '保存' }).click()
    await remove('没有实发金额')
    await choose('手机号不对')
    await items().getByRole('button', { name: '修改单元格' }).click()
    await page.getByLabel('「手机号」改为').fill(people[2]?.mobile ?? '')
    await page.getByRole('button', { name: '保存' }).click()
    await remove('手机号不对')
  })

  it('lets the user correct any cell of the row in place, and reports an invalid phone at its field', async () => {
    await choose('姓名与花名册不同')
    const item = items().first()
    await item.getByRole('button', { name: '展开整行' }).click()
    const row = page.getByLabel('这一行的单元格')
    await row.getByRole('button', { name: /^手机号：/ }).click()
    await page.getByLabel('「手机号」改为').fill('1390013')
    await page.keyboard.press('Enter')
    await item.getByRole('alert').getByText('手机号应为 11 位数字').waitFor()
    // The refused value can be typed again at once.
    await until(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT')
    await examine(page, '31-phone-wrong')
    await row.getByRole('button', { name: /^备注：/ }).click()
    await page.getByLabel('「备注」改为').fill('已核实')
    await page.keyboard.press('Enter')
    await row.getByRole('button', { name: /^备注：已核实，已改过/ }).waitFor()
    // The count includes the four cells from before.
    await page.getByText('在这里改过的 5 格也在表里').waitFor()
    // The correction is undone by keyboard and entered again.
    await page.getByText(/^最近改过：.*「备注」从 空 改成 已核实/).waitFor()
    await examine(page, '31-undo')
    await item.focus()
    await page.keyboard.press('Control+z')
    await page.getByText('在这里改过的 4 格也在表里').waitFor()
    await row.getByRole('button', { name: '备注：空，点按修改' }).click()
    await page.getByLabel('「备注」改为').fill('已核实')
    await page.keyboard.press('Enter')
    await page.getByText('在这里改过的 5 格也在表里').waitFor()
    await item.focus()
    await page.keyboard.press('Escape')
    await row.waitFor({ state: 'detached' })
  })

  it('lets the user go on to the next cell while the last one is being checked', async () => {
    await choose('姓名与花名册不同')
    const item = items().first()
    await item.getByRole('button', { name: '展开整行' }).click()
    const row = page.getByLabel('这一行的单元格')
    const answer = await pendingResponse(page, checkWageData)
    await row.getByRole('button', { name: /^备注：/ }).click()
    await page.getByLabel('「备注」改为').fill('已核实两次')
    await page.keyboard.press('Enter')
    await row.getByRole('button', { name: /^部门：/ }).click()
    await page.getByLabel('「部门」改为').fill('另一个部门')
    await page.keyboard.press('Enter')
    answer()
    await row.getByRole('button', { name: /^备注：已核实两次，已改过/ }).waitFor()
    await row.getByRole('button', { name: /^部门：另一个部门，已改过/ }).waitFor()
    // The change is undone for the next test.
    await item.focus()
    for (const [column, edits] of [
      ['部门', 6],
      ['备注', 5],
    ] as const) {
      await page.getByText(new RegExp(`^最近改过：.*「${column}」`)).waitFor()
      await page.keyboard.press('Control+z')
      await page.getByText(`在这里改过的 ${edits} 格也在表里`).waitFor()
    }
    await page.keyboard.press('Escape')
    await row.waitFor({ state: 'detached' })
  })

  it('keeps rows of one employee separate, skips and restores one, and keeps the first of duplicates', async () => {
    await choose('一个人有多行')
    await items().first().getByRole('button', { name: '分开处理' }).click()
    await remove('一个人有多行')
    expect(await choose('同一人出现多次')).toBe(2)
    await items().last().getByRole('button', { name: '跳过此人' }).click()
    await remove('同一人出现多次')
    await page.getByText('跳过了 1 人').waitFor()
    await page.getByRole('status').filter({ hasText: '跳过了 1 人' }).getByRole('button', { name: '撤销' }).click()
    await page.getByText('恢复了 1 人').waitFor()
    await kinds()
      .getByRole('button', { name: /同一人出现多次/ })
      .waitFor()
    await choose('同一人出现多次')
    await page.getByRole('button', { name: '只留每人的第一行' }).click()
    await confirm('跳过重复的行')
    await remove('同一人出现多次')
    await page.getByText('已跳过 1 人').waitFor()
  })

  it('matches a name and creates all new members at once', async () => {
    await choose('姓名与花名册不同')
    await items().getByRole('button', { name: '匹配此人' }).first().click()
    await remove('姓名与花名册不同')
    await choose('花名册里没有此人')
    await page.getByRole('textbox', { name: '搜索姓名、行号' }).fill('新员工乙')
    await page.keyboard.press('Enter')
    await until(() => items().count()).toBe(1)
    await page.getByRole('textbox', { name: '搜索姓名、行号' }).fill('')
    await page.keyboard.press('Enter')
    await until(() => items().count()).toBe(3)
    await page.getByRole('button', { name: '全部创建' }).click()
    await page.getByText('为 3 名新员工建档？').waitFor()
    await picture(page, '32-create')
    await confirm('创建 3 人')
    await remove('花名册里没有此人')
    expect((await caller.must(getMemberList, { name: '新员工' })).page.total).toBe(3)
  })

  it('links an issue to its cell and back', async () => {
    const link = items().first().getByRole('link')
    await link.click()
    await page.waitForURL('**/wageSend1?**')
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('batch_id'), searchParams.get('from')]).toEqual([batch_id, 'check'])
    expect(searchParams.get('row') ?? searchParams.get('col')).not.toBeNull()
    await page.goBack()
    await items().first().waitFor()
  })

  it('shows a clean check after the remaining issues are resolved or accepted', async () => {
    // The element is read at once, because a moment later it may be gone.
    const left = async () => (await kinds().allTextContents()).join()
    for (let before = await left(); before !== ''; before = await left()) {
      const all = page.getByRole('button', { name: '全部接受' })
      const one = items().getByRole('button', { name: /^接受$/ })
      await items().first().waitFor()
      if ((await all.count()) > 0) {
        await all.click()
      } else await one.first().click()
      // Some kinds ask for confirmation.
      const dialog = page.getByRole('dialog')
      await until(async () => (await dialog.isVisible()) || (await left()) !== before).toBe(true)
      if (await dialog.isVisible()) {
        await dialog.getByRole('button', { name: /^接受/ }).click()
        await dialog.waitFor({ state: 'hidden' })
      }
      await until(left).not.toBe(before)
    }
    await page.getByText('没有待处理的问题').waitFor()
    expect(await page.getByRole('region', { name: '变动最大的人' }).getByRole('listitem').count()).toBe(5)
    await examine(page, '33-clear')
    expect((await caller.must(getTitleInfo, { batch_id })).status).toBe('checked')
    await page.getByRole('button', { name: `排版 ${count + 3} 人的工资条` }).click()
    await page.waitForURL('**/wageSend2?**')
  })
})
