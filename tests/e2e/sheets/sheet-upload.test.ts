/**
 * Step 1 for a payroll administrator: a messy wage sheet becomes a clean batch in three clicks; next month only new
 * columns are asked about; cells are pasted; several worksheets become one; a corrected wage sheet shows its difference
 * first; ten thousand rows scroll and the keyboard reaches every cell.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { checkRequireColumnData, insertBatchTitle, uploadWageExcel } from '../../../server/contract/sheets/sheet.ts'
import type { HttpCaller } from '../../support/callers/http.ts'
import { makeXlsx, type XlsxCell, type XlsxSheet } from '../../support/files/xlsx.ts'
import { dress, examine, mustFit, picture, type Tab } from '../../support/journey/browser.ts'
import { settle, until, useJourney, visitNode } from '../../support/journey/journey.ts'
import { getLastPay } from '../../support/journey/last-pay.ts'
import { isFull } from '../../support/run/trial.ts'

const count = 24
const journey = useJourney()
const payroll = '薪酬管理员（全公司）'
let page: Tab
let caller: HttpCaller
/** The sheet contains last month's amounts in whole yuan. */
let people: { name: string; mobile: string; base: number; net: number }[]

beforeAll(async () => {
  caller = await journey.caller(payroll)
  const { list } = await caller.must(getMemberList, { status: 'active', pagesize: 60 })
  const pay = await getLastPay(caller)
  const yuan = (fen = 0) => Math.round(fen / 100)
  people = list
    .flatMap((one) => {
      const last = pay.get(one.NAME)
      return last ? [{ name: one.NAME, mobile: one.MOBILE, base: yuan(last.基本工资), net: yuan(last.net) }] : []
    })
    .slice(0, count)
  page = await journey.enter(payroll, {}, '/wageSend1')
})

const xlsx = (name: string, ...sheets: XlsxSheet[]) => ({
  name,
  mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  buffer: makeXlsx({ sheets }),
})

const groups: [string, string[]][] = [
  ['序号', []],
  ['员工', ['姓名', '手机']],
  ['应发', ['基本工资', '绩效', '小红花']],
  ['应发小计', []],
  ['扣款', ['社保', '个税']],
  ['到手', []],
]
type Month = { more?: string; change?: Record<number, number>; leave?: number }
/**
 * A typical wage sheet: a title, a remark, two header rows, the header repeated halfway, a total, signatures, and an
 * unknown name.
 */
function messy(title: string, { more, change = {}, leave = -1 }: Month = {}): XlsxSheet {
  const heads = groups.map(([group, under]): [string, string[]] => [group, group === '应发' && more ? [...under, more] : under])
  const top: XlsxCell[] = []
  const merges: string[] = []
  const letter = (at: number) => String.fromCharCode(65 + at)
  for (const [group, under] of heads) {
    const left = top.length
    top.push(group, ...Array<null>(Math.max(under.length - 1, 0)).fill(null))
    merges.push(under.length ? `${letter(left)}3:${letter(top.length - 1)}3` : `${letter(left)}3:${letter(left)}4`)
  }
  merges.unshift(`A1:${letter(top.length - 1)}1`)
  const bottom = heads.flatMap(([, under]) => (under.length ? under : [null]))
  const body = people.flatMap((person, at): XlsxCell[][] => {
    if (at === leave) return []
    const base = change[at] ?? person.base
    const items = [base, person.net + 390 - person.base, 300, ...(more ? [200] : [])]
    const gross = items.reduce((sum, one) => sum + one, 0)
    const row = [at + 1, person.name, person.mobile, ...items, gross, 660, 30, gross - 690]
    return at === 12 ? [top, bottom, row] : [row]
  })
  const sums = Array.from({ length: top.length - 3 }, (_, at) =>
    body.reduce((sum, row) => sum + (typeof row[at + 3] === 'number' ? Number(row[at + 3]) : 0), 0),
  )
  return {
    name: '工资',
    rows: [
      [title],
      ['说明：绩效按上月考核，如有疑问请找人事'],
      top,
      bottom,
      ...body,
      [],
      ['合计', null, null, ...sums],
      ['制表：', null, null, '审核：'],
    ],
    merges,
    // The 绩效 column is confidential, so the file hides it.
    hidden_columns: [5],
  }
}

const grid = (): Locator => page.getByRole('grid')
const panel = (): Locator => page.getByRole('region', { name: '需要您确认的' })
/** Uploads a file directly, where the upload is not the subject, and opens the wage sheet. */
const upload = async ({ name, buffer }: { name: string; buffer: Buffer }): Promise<string> => {
  const { batch_id } = await caller.must(uploadWageExcel, {}, { name, bytes: buffer })
  await visitNode(page, `/wageSend1?batch_id=${batch_id}`)
  await grid().waitFor()
  return batch_id
}

describe('messy wage sheet', () => {
  it('turns a messy wage sheet into a clean batch in three clicks', async () => {
    let clicks = 0
    const click = async (what: Locator): Promise<void> => {
      await what.click()
      clicks += 1
    }
    const chooser = page.waitForEvent('filechooser')
    await click(page.getByRole('button', { name: '选择文件' }))
    // The progress responses are held until the page was seen to show the progress.
    const progress = page.locator('.upload-busy[role=status]')
    await page.route(`**${uploadWageExcel.path}`, async (route) => {
      await progress.waitFor()
      await route.continue()
    })
    await (await chooser).setFiles(xlsx('十月.xlsx', messy('云杉科技2026年10月工资表')))
    await panel().waitFor()
    await page.unroute(`**${uploadWageExcel.path}`)
    await page.getByText(`识别到 ${count} 人`).waitFor()
    // Totals are aligned with the amounts above them.
    await grid().evaluate((one) => one.scrollTo(0, one.scrollHeight))
    const total = grid().getByRole('row').filter({ hasText: '合计' }).last()
    // The amounts are drawn once they are in view.
    const sums = () =>
      total
        .getByRole('gridcell')
        .evaluateAll((cells) =>
          cells.filter((cell) => /^\d/.test(cell.textContent ?? '')).map((cell) => getComputedStyle(cell).textAlign),
        )
    await until(async () => (await sums()).length).toBeGreaterThan(3)
    expect(new Set(await sums())).toEqual(new Set(['right']))
    await grid().evaluate((one) => one.scrollTo(0, 0))
    await examine(page, '40-messy')
    await mustFit(page)
    await click(
      panel()
        .getByRole('button', { name: /^(全部采用建议|用「|.*建议$)/ })
        .first(),
    )
    await panel()
      .getByText(/处都确认过了/)
      .waitFor()
    await click(page.getByRole('button', { name: `核对 ${count} 人` }))
    await page.waitForURL('**/check?**')
    const next = page.getByRole('button', { name: `排版 ${count} 人的工资条` })
    await next.waitFor()
    await until(() => next.isEnabled()).toBe(true)
    expect(await page.getByRole('navigation', { name: '问题种类' }).getByText('必须处理').count()).toBe(0)
    expect(clicks).toBe(3)
  })

  it('asks next month only about the new column', async () => {
    await upload(xlsx('十一月.xlsx', messy('云杉科技2026年11月工资表', { more: '夜班' })))
    const remembered = page.getByRole('region', { name: '沿用上次的设置' })
    await remembered.getByText('新增：').waitFor()
    await picture(page, '41-next-month')
    await until(() => remembered.getByRole('button').allInnerTexts()).toEqual([expect.stringContaining('夜班')])
    const requested = panel()
      .getByRole('listitem')
      .filter({ has: page.getByRole('button', { name: /^用「|建议/ }) })
    await until(() => requested.allInnerTexts()).toEqual([expect.stringContaining('夜班')])
  })

  it('fits a messy wage sheet with its questions on a phone', async () => {
    await dress(page, { width: 360, scheme: 'dark' })
    await settle(page)
    await panel().waitFor()
    await examine(page, '42-questions-360')
    await mustFit(page)
    await dress(page, {})
  })

  it('reports a corrected file that contains other employees', async () => {
    const others = [0, 1, 2].map((at): XlsxCell[] => [`外人${at}`, `1391234000${at}`, 5000, 5000])
    const file = xlsx('别的.xlsx', { name: '工资', rows: [['姓名', '手机', '基本工资', '到手'], ...others] })
    await page.getByLabel('改好的工资表').setInputFiles(file)
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`现在的 ${count} 人在这份表里一个也没有`).waitFor()
    await dialog.getByRole('button', { name: '取消' }).click()
    await dialog.waitFor({ state: 'hidden' })
  })

  it('shows the changes of a corrected file before it replaces the old one', async () => {
    await page
      .getByLabel('改好的工资表')
      .setInputFiles(xlsx('十一月改.xlsx', messy('云杉科技2026年11月工资表', { more: '夜班', change: { 3: 8888 }, leave: 7 })))
    const dialog = page.getByRole('dialog')
    await dialog.getByText('有改动 1 人').waitFor()
    await picture(page, '43-difference')
    await dialog.getByText('8888').waitFor()
    await until(() => dialog.innerText()).toContain(people[3]?.name)
    await until(() => dialog.innerText()).toContain(people[7]?.name)
    await dialog.getByRole('button', { name: '用这份替换（2 人有变化）' }).click()
    await page.getByText(`识别到 ${count - 1} 人`).waitFor()
    await page.getByText('十一月改.xlsx').first().waitFor()
  })
})

describe('pasted cells', () => {
  it('shows pasted cells before upload and turns them into a wage sheet', async () => {
    await visitNode(page, '/wageSend1')
    await page.getByRole('button', { name: '粘贴表格' }).waitFor()
    await settle(page)
    const lines = [
      ['姓名', '手机号', '应发工资', '个税', '实发工资'],
      ...people.map((one, at) => [one.name, one.mobile, `${7000 + at}`, '100', `${6900 + at}`]),
    ]
    await page.evaluate(
      (text) => {
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', text)
        document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
      },
      lines.map((line) => line.join('\t')).join('\r\n'),
    )
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`${count + 1} 行 5 列`).waitFor()
    await examine(page, '44-paste')
    await dialog.getByRole('button', { name: `识别这 ${count + 1} 行` }).click()
    await page.getByText(`识别到 ${count} 人`).waitFor()
    await page.getByText('粘贴的表格.tsv').waitFor()
    // Everything is unambiguous, so no question is asked.
    expect(await panel().count()).toBe(0)
  })

  it('accepts pasted cells in a field, for keyboards and phones', async () => {
    await visitNode(page, '/wageSend1')
    await page.getByRole('button', { name: '粘贴表格' }).click()
    const field = page.getByRole('textbox', { name: '粘贴表格' })
    await field.fill(`姓名\t实发工资\n${people[0]?.name}\t5000\n${people[1]?.name}\t6000`)
    await page.getByRole('button', { name: '识别这 3 行' }).click()
    await page.getByText('识别到 2 人').waitFor()
  })
})

describe('file with several worksheets', () => {
  const department = (name: string, from: number, to: number): XlsxSheet => ({
    name,
    rows: [
      ['姓名', '手机号', '应发工资', '个税', '实发工资'],
      ...people.slice(from, to).map((one, at): XlsxCell[] => [one.name, one.mobile, 8000 + at, 50, 7950 + at]),
    ],
  })

  it('sends worksheets of different departments together when the user answers so', async () => {
    await upload(xlsx('部门.xlsx', department('生产', 0, 5), department('后勤', 5, 12)))
    await panel().getByRole('button', { name: '一起发' }).click()
    await page.getByText('识别到 12 人').waitFor()
    expect(await panel().count()).toBe(0)
  })

  it('selects worksheets of the same form as one batch, each under its name', async () => {
    await upload(
      xlsx('各部门.xlsx', department('研发', 0, 9), department('门店', 9, 16), { name: '备忘', rows: [['下月调薪名单待定']] }),
    )
    await page.getByRole('button', { name: '合并工作表' }).click()
    const dialog = page.getByRole('dialog')
    await until(() => dialog.getByRole('checkbox').count()).toBe(2)
    await picture(page, '45-sheets')
    await dialog.getByRole('button', { name: '合并这 2 张工作表' }).click()
    await page.getByText('识别到 16 人').waitFor()
    await grid().getByText('工作表「门店」').waitFor()
    await examine(page, '46-two-sheets')
  })

  it('asks about the common month of worksheets of two months', async () => {
    const month = (name: string) => ({ ...department(name, 0, 5), name })
    await upload(xlsx('补发.xlsx', month('2026年9月'), month('2026年10月')))
    const selected = page.getByRole('textbox', { name: '月份' })
    await until(() => selected.inputValue()).toBe('2026-10')
    await page.getByRole('button', { name: '合并工作表' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '合并这 2 张工作表' }).click()
    await page.getByText('合在一起的工作表写的是不同的月份（2026年9月、2026年10月），请选这一批是哪个月的工资').waitFor()
    await until(() => selected.inputValue()).toBe('')
    await selected.fill('2026-10')
    await selected.press('Enter')
    await until(() => page.getByRole('textbox', { name: '标题' }).inputValue()).toBe('2026年10月工资')
  })
})

it('does not redirect a user who has left for another wage sheet while the first is being recognized', async () => {
  const rows = people.slice(0, 2).map(({ name, mobile, base }) => [name, mobile, base, base])
  const sheet = (name: string) => xlsx(name, { name: '工资', rows: [['姓名', '手机号', '基本工资', '实发工资'], ...rows] })
  await upload(sheet('先看的.xlsx'))
  await page.getByText('先看的.xlsx').waitFor()
  let answer: (() => Promise<void>) | null = null
  const requested = `**${checkRequireColumnData.path}`
  await page.route(requested, (route) => {
    answer ??= () => route.continue()
  })
  await page.getByRole('button', { name: /^核对 2 人/ }).click()
  await until(() => answer !== null).toBe(true)
  await upload(sheet('后看的.xlsx'))
  await page.getByText('后看的.xlsx').waitFor()
  const answered = page.waitForResponse(requested)
  await (answer as (() => Promise<void>) | null)?.()
  await answered
  await page.unroute(requested)
  await settle(page)
  expect(new URL(page.url()).pathname).toBe('/wageSend1')
  expect(await page.getByText('后看的.xlsx').count()).toBe(1)
})

describe('wage sheet with many rows', () => {
  /** Trials use ten thousand rows, because the server takes five times as long to read them. */
  const rows = isFull ? 10_000 : 2_000
  const items = 14
  beforeAll(async () => {
    const heads = ['姓名', '工号', ...Array.from({ length: items }, (_, at) => `补贴${at + 1}`), '实发工资']
    const lines = Array.from({ length: rows }, (_, at) => [
      `张三${at}`,
      `T${String(at).padStart(5, '0')}`,
      ...Array.from({ length: items }, (_item, item) => ((at * 37 + item * 101) % 997) + 1),
      5000 + at,
    ])
    await upload({
      name: '很多人.csv',
      buffer: Buffer.from(`\ufeff${[heads, ...lines].map((line) => line.join(',')).join('\n')}\n`),
    })
    await page.getByText(`识别到 ${rows.toLocaleString('zh-CN')} 人`).waitFor()
  })

  const cells = (): Promise<number> => grid().evaluate((one) => one.querySelectorAll('*').length)
  const focused = (): Promise<string> =>
    page.evaluate(() => {
      const cell = document.activeElement
      const row = cell?.closest('[role=row]')
      return `${row?.getAttribute('aria-rowindex')}:${cell?.getAttribute('aria-colindex')}`
    })

  it('scrolls many rows with few elements on the page', async () => {
    for (const share of [0.25, 0.5, 1]) {
      await grid().evaluate((one, to) => one.scrollTo(to * one.scrollWidth, to * one.scrollHeight), share)
      const name = `张三${Math.round((rows - 1) * share) - (share === 1 ? 0 : 1)}`
      await grid().getByText(name, { exact: true }).waitFor()
      expect(await cells()).toBeLessThan(2_500)
    }
    await examine(page, '47-many-rows')
  })

  it('navigates many rows with the keyboard alone', async () => {
    await grid().evaluate((one) => one.scrollTo(0, 0))
    await grid().getByText('张三1', { exact: true }).click()
    // The header is the first row; row 3 of the wage sheet is the fourth.
    await until(focused).toBe('4:2')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await until(focused).toBe('5:3')
    await page.keyboard.press('End')
    await until(focused).toBe('5:18')
    await page.keyboard.press('Control+End')
    await until(focused).toBe(`${rows + 2}:18`)
    await page.keyboard.press('Control+Home')
    await until(focused).toBe('1:2')
    const row = async () => Number((await focused()).split(':')[0])
    await page.keyboard.press('PageDown')
    await until(row).toBeGreaterThan(4)
    const below = await row()
    await page.keyboard.press('PageDown')
    await until(row).toBeGreaterThan(Math.max(10, below))
    await page.keyboard.press('Control+Home')
    await until(focused).toBe('1:2')
    await page.keyboard.press('ArrowRight')
    await until(focused).toBe('1:3')
    await page.keyboard.press('Enter')
    const role = page.getByRole('combobox', { name: 'B 列「工号」的用途' })
    await until(() => role.evaluate((one) => one === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await role.selectOption('info')
    // All rows are processed again.
    await until(() => role.inputValue()).toBe('info')
  })
})

describe('cell with an issue', () => {
  it('opens a cell with an issue from another page, shows the issue and leads back', async () => {
    const rows = people.map((one, at): XlsxCell[] => [one.name, one.mobile, one.net + 100, 100, at === 20 ? '见附件' : one.net])
    const file = xlsx('附件.xlsx', { name: '工资', rows: [['姓名', '手机号', '应发工资', '个税', '实发工资'], ...rows] })
    const { batch_id } = await caller.must(uploadWageExcel, {}, { name: file.name, bytes: file.buffer })
    await caller.must(insertBatchTitle, { batch_id, title: '2026年12月工资', month: '2026-12', kind: 'monthly' })
    await caller.must(checkRequireColumnData, { batch_id, columns: [] })
    await visitNode(page, `/check?batch_id=${batch_id}`)
    await page
      .getByRole('link', { name: /第 22 行|^22/ })
      .first()
      .click()
    await page.waitForURL('**/wageSend1?**')
    const cell = grid().getByRole('gridcell', { name: '见附件' })
    await cell.waitFor()
    await until(() => cell.evaluate((one) => one === document.activeElement)).toBe(true)
    await grid().getByRole('note').waitFor()
    await examine(page, '48-jump')
    await page.getByRole('link', { name: '回到核对' }).click()
    await page.waitForURL('**/check?**')
  })
})

const real = join(import.meta.dirname, '../../../../shared/sheets/cn-hidden-key-row-two-row-header.xlsx')
describe.skipIf(!existsSync(real))('real wage sheet with a hidden row, merges and two header rows', () => {
  it('shows a wage sheet with a hidden row, merges and two header rows unchanged', async () => {
    await upload({ name: 'cn-hidden-key-row-two-row-header.xlsx', buffer: readFileSync(real) })
    await page.getByText('识别到 1 人').waitFor()
    const merged = grid().getByRole('gridcell', { name: '2016年领导干部月度薪酬' })
    expect(Number(await merged.getAttribute('aria-colspan'))).toBeGreaterThan(5)
    await grid()
      .getByRole('rowheader', { name: /隐藏行/ })
      .waitFor()
    await examine(page, '49-real')
  })
})
