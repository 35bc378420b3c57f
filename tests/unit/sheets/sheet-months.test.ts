/**
 * The month of a wage sheet as clerks write it. A wrong one causes a question every month, or lets last month's sheet
 * through.
 */
import { describe, expect, it } from 'vitest'
import { sortMonths } from '../../../server/rules/months.ts'
import type { StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { findSheetTitle } from '../../../server/spreadsheets/recognise/sheet-title.ts'
import { grid } from '../../support/files/grid.ts'

type Above = {
  readonly above?: readonly string[]
  readonly sheet?: string
  readonly column?: readonly StoredValue[]
  readonly hidden?: number[]
}
/** Rows above the header, the name of the sheet, and a column of months. */
const getMonth = ({ above = [], sheet = 'Sheet1', column = [], hidden = [] }: Above): string | null =>
  findSheetTitle(grid([...above.map((text) => [text]), ['姓名', '实发']], { hidden_rows: hidden }), above.length, sheet, column)
    .month

describe('month in a title', () => {
  it.each<[string, string | null]>([
    ['2026年1月工资表', '2026-01'],
    ['2026年01月工资表', '2026-01'],
    ['2026年12月工资表', '2026-12'],
    ['２０２６年１０月工资表', '2026-10'],
    ['2026 年 10 月 份 工 资 表', '2026-10'],
    ['二〇二六年一月工资', '2026-01'],
    ['二〇二六年十月工资', '2026-10'],
    ['二〇二六年十一月工资', '2026-11'],
    ['二○二六年十二月工资', '2026-12'],
    ['2026年十月份工资', '2026-10'],
    ['工资表2026/10', '2026-10'],
    ['工资表（2026.9）', '2026-09'],
    ['工资表 10/2026', '2026-10'],
    ['工资表202601', '2026-01'],
    ['工资表2026-10-31', '2026-10'],
    ['Payroll Sept 2026', '2026-09'],
    ['Payroll, May 2026', '2026-05'],
    ['PAYROLL DEC. 2026', '2026-12'],
    ['Salary Jan-2026', '2026-01'],
    ['2026年度10月工资', '2026-10'],
    ['2026年10月工资（2026年10月31日制表）', '2026-10'],
  ])('%s → %s', (title, month) => expect(getMonth({ above: [title] })).toBe(month))
})

describe('text that is no month', () => {
  it.each([
    ['no month at all', '工资表'],
    ['a year without a month', '2026年度工资表'],
    ['the 13th month', '2026年13月工资'],
    ['month 0', '2026年0月工资'],
    ['six digits that do not end in a month', '工资表202613'],
    ['a number that is too long', '单号20261012345'],
    ['a year of another century', '1926年10月工资'],
    ['a title with two months', '2026年9月至10月工资'],
    ['two months, each with a year', '2026年12月-2027年1月工资'],
    ['a date range', '考勤：2026.09.26-2026.10.25'],
    ['a number of months', '2026年度前3个月工资'],
    ['preceding months', '2026年度前三月工资'],
    ['a number of months of service', '2026年度满6月转正工资'],
    ['a month without a year', '十月工资表'],
    ['a name that begins like a month', '五月天文化公司工资'],
    ['a share of a whole', '10.20项目工资'],
  ])('%s: %s', (_, title) => expect(getMonth({ above: [title] })).toBeNull())
})

describe('month in several places', () => {
  const first = new Date(Date.UTC(2026, 9, 1))
  it.each<[string, Above, string | null]>([
    ['no month anywhere', {}, null],
    ['the title takes precedence over the name of the sheet', { above: ['2026年10月工资'], sheet: '2026年9月' }, '2026-10'],
    ['the title about pay before another line', { above: ['2026年10月工资表', '制表日期：2026年11月5日'] }, '2026-10'],
    ['the same month in two places', { above: ['2026年10月工资表', '所属期：2026-10'] }, '2026-10'],
    ['another line, where the title states none', { above: ['工资表', '所属期：2026年10月'] }, '2026-10'],
    ['two other lines that contradict each other', { above: ['工资表', '所属期：2026年10月', '核算期：2026年11月'] }, null],
    ['the pay date in a separate line', { above: ['工资表', '所属期：2026年10月', '发放：2026年11月'] }, '2026-10'],
    [
      'the name of the sheet, next to a note with the payment deadline',
      { above: ['工资表', '2026年11月底前发放'], sheet: '2026年10月' },
      '2026-10',
    ],
    ['only the name of the sheet', { sheet: '2026.10' }, '2026-10'],
    ['the month with the year from the title', { above: ['2026年度工资表'], sheet: '10月' }, '2026-10'],
    ['the month with the year from the title, in words', { above: ['2026年工资表'], sheet: '十月' }, '2026-10'],
    ['different years in two places', { above: ['2026年度工资表', '2025年度预算'], sheet: '10月' }, null],
    ['2026年9月, whose year does not apply to another month', { above: ['2026年9月工资表'], sheet: '10月' }, '2026-09'],
    ['a month of a line with a year, and one without', { above: ['2026年11月'], sheet: '10月' }, '2026-11'],
    ['a payment deadline, which is no pay month', { above: ['2026年度工资', '10月底前发放'] }, null],
    ['a month without any year', { above: ['工资表'], sheet: '10月' }, null],
    ['the year from a column of months', { above: ['10月工资表'], column: ['202610', '202610'] }, '2026-10'],
    ['a column that states another month', { above: ['10月工资表'], column: ['202609'] }, null],
    ['a column of dates', { column: [first, first] }, '2026-10'],
    ['a column with two months', { column: ['2026-10', '2026-11'] }, null],
    ['a column with gaps', { column: ['', null, '2026年10月', ''] }, '2026-10'],
    ['a column of text', { column: ['正式', '试用'] }, null],
    ['a nonexistent date', { column: [new Date(Number.NaN)] }, null],
    ['a hidden line, which is not read', { above: ['2026年10月工资表', '2026年9月工资表'], hidden: [0] }, '2026-09'],
  ])('%s', (_, above, month) => expect(getMonth(above)).toBe(month))
})

describe('date of payment is no pay month', () => {
  it.each<[string, string | null]>([
    ['工资表，2026年10月底前发放', null],
    ['2026年9月工资，2026年10月底前发放', '2026-09'],
    ['2026年9月工资（2026年10月发放）', '2026-09'],
    ['2026年9月工资（2026年10月15日发放）', '2026-09'],
    ['2026年9月工资 2026-10-15发放', '2026-09'],
    ['2026年9月工资，于2026年10月上旬支付', '2026-09'],
    ['2026年9月工资，拟于10月5日前打款', '2026-09'],
    ['2026年10月发放2026年9月工资', '2026-09'],
    ['2026年10月发2026年9月工资', '2026-09'],
    ['2026年9月工资 发放日期：2026-10-15', '2026-09'],
    ['2026年9月工资 发薪日2026年10月15日', '2026-09'],
    ['2026年9月工资 支付时间：2026年10月', '2026-09'],
    ['2026年9月分給与（2026年10月25日支給）', '2026-09'],
    ['2026年9月給与明細 支給日：2026年10月25日', '2026-09'],
    ['Payroll 2026-09, payment date: 2026-10-05', '2026-09'],
    ['Payroll Sept 2026, pay date: 10/05/2026', '2026-09'],
    ['工资表，2026年10月10日至2026年10月15日发放', null],
    ['工资将于二〇二六年十月底前统一发放', null],
    ['2026年10月工资发放表', '2026-10'],
    ['2026年10月发放表', '2026-10'],
    ['2026年10月工资发放明细', '2026-10'],
    ['2026年10月份发放工资清单', '2026-10'],
    ['2026年10月支付明细表（工资）', '2026-10'],
    ['2026年10月工资（含发放补贴）', '2026-10'],
    ['2026年10月应发工资', '2026-10'],
    ['2026年10月发生的加班费及工资', '2026-10'],
    ['工资发放月份：2026年10月', '2026-10'],
  ])('%s → %s', (title, month) => expect(getMonth({ above: [title] })).toBe(month))

  it.each<[string, StoredValue[], string | null]>([
    ['a date in the cell next to its label', ['发放日期：', new Date(Date.UTC(2026, 10, 10))], null],
    ['a text in the cell next to its label', ['发薪日', '2026-11-10'], null],
    ['a date next to another label', ['所属期', new Date(Date.UTC(2026, 9, 1))], '2026-10'],
  ])('%s', (_, line, month) =>
    expect(findSheetTitle(grid([['工资表'], line, ['姓名', '实发']]), 2, 'Sheet1', []).month).toBe(month),
  )
})

describe('date of preparation is no pay month', () => {
  it.each<[string, string | null]>([
    ['制表日期：2026年11月5日', null],
    ['制表日期:2026-11-05', null],
    ['制表时间 2026/11/5', null],
    ['编制日期：2026年11月', null],
    ['填表日期：2026.11.5', null],
    ['打印日期：2026-11-05', null],
    ['编制于2026年11月', null],
    ['2026年11月5日制表', null],
    ['日期：2026年11月5日', null],
    ['Date: 11/05/2026', null],
    ['Printed on 2026-11-05', null],
    ['单位：元 制表日期：2026年11月5日', null],
    ['工资表（制表日期：2026年11月5日）', null],
    ['2026年10月工资 制表日期：2026年11月5日', '2026-10'],
    ['2026年10月工资表　制表：王芳　2026年11月5日制表', '2026-10'],
    ['2026年10月编制人员工资表', '2026-10'],
    ['2026年10月编制内工资表', '2026-10'],
    ['2026年10月工资制表', '2026-10'],
    ['日期：2026年10月', '2026-10'],
    ['所属日期：2026年10月', '2026-10'],
    ['工资月份：2026年10月 制表人：王芳', '2026-10'],
  ])('%s → %s', (line, month) => expect(getMonth({ above: ['工资表', line] })).toBe(month))

  it.each<[string, StoredValue[], string | null]>([
    ['a date in the cell next to its label', ['制表日期：', new Date(Date.UTC(2026, 10, 5))], null],
    ['a text in the cell next to its label', ['单位：元', '编制日期', '2026-11-05'], null],
    ['the month next to another label', ['工资月份', '2026年10月', '制表日期', '2026-11-05'], '2026-10'],
  ])('%s', (_, line, month) =>
    expect(findSheetTitle(grid([['工资表'], line, ['姓名', '实发']]), 2, 'Sheet1', []).month).toBe(month),
  )
})

describe('returns several months, so that the user can select one', () => {
  it.each<[string, Above, string[] | undefined]>([
    ['one', { above: ['2026年10月工资'] }, undefined],
    ['none', { above: ['工资'] }, undefined],
    ['one month, and the creation date of the sheet', { above: ['2026年10月工资', '制表日期：2026-11-05'] }, undefined],
    ['two months in the title', { above: ['2026年9月至10月工资'] }, ['2026-09', '2026-10']],
    ['two lines of text', { above: ['工资表', '所属期：2026年11月', '核算期：2026年10月'] }, ['2026-10', '2026-11']],
    ['a column of two months', { column: ['2026-11', '2026-10'] }, ['2026-10', '2026-11']],
    ['one month without a year and another with one', { above: ['10月工资表'], column: ['202609'] }, ['2026-09', '-10']],
  ])('%s', (_, { above = [], sheet = 'Sheet1', column = [] }, months) =>
    expect(findSheetTitle(grid([...above.map((text) => [text]), ['姓名', '实发']]), above.length, sheet, column).months).toEqual(
      months,
    ),
  )
})

describe('sorts months with the last one last', () => {
  it.each<[string, string, string]>([
    ['months with their years', '2026-10 2026-09', '2026-09 2026-10'],
    ['months across the turn of the year', '2026-12 2027-01', '2026-12 2027-01'],
    ['without a year, not as text next to one that has it', '-10 2026-09', '2026-09 -10'],
    ['one without a year before the turn of the year', '-12 2027-01', '-12 2027-01'],
    ['one without a year after the turn of the year', '2026-12 -01', '2026-12 -01'],
    ['a month without any year', '-10 -09', '-09 -10'],
    ['months without any year, across the turn of the year', '-12 -01', '-12 -01'],
    ['newest first, across the turn of the year', '-01 -12', '-12 -01'],
    ['three across the turn of the year, unordered', '-01 -11 -12', '-11 -12 -01'],
    ['half a year across the turn of the year', '-10 -11 -12 -01 -02 -03', '-10 -11 -12 -01 -02 -03'],
    ['a whole year', '-01 -02 -03 -04 -05 -06 -07 -08 -09 -10 -11 -12', '-01 -02 -03 -04 -05 -06 -07 -08 -09 -10 -11 -12'],
    [
      'a whole year, newest first',
      '-12 -11 -10 -09 -08 -07 -06 -05 -04 -03 -02 -01',
      '-01 -02 -03 -04 -05 -06 -07 -08 -09 -10 -11 -12',
    ],
    [
      'a whole year from July',
      '-07 -08 -09 -10 -11 -12 -01 -02 -03 -04 -05 -06',
      '-07 -08 -09 -10 -11 -12 -01 -02 -03 -04 -05 -06',
    ],
    ['half a year apart, the later one first in the workbook', '-07 -01', '-07 -01'],
    ['half a year apart, the later one last', '-01 -07', '-01 -07'],
    ['one month alone', '-10', '-10'],
    ['the same month twice', '2026-10 2026-10', '2026-10'],
  ])('%s', (_, written, order) => expect(sortMonths(written.split(' ')).join(' ')).toBe(order))
})

describe('one sheet per month', () => {
  const people = ['吴磊', '郑爽', '王敏']
  const sheet = (name: string, amount: number, { title = '', who = people }: { title?: string; who?: readonly string[] } = {}) =>
    grid(
      [
        ...(title ? [[title]] : []),
        ['姓名', '基本工资', '奖金', '实发工资'],
        ...who.map((one, at) => [one, amount, 100 * at, amount + 100 * at]),
      ],
      { name },
    )
  const read = (...sheets: ReturnType<typeof sheet>[]) => recognizeWorkbook(sheets).recognition
  it.each<[string, string[], string]>([
    ['sheets named by months without a year', ['9月', '10月', '11月'], '11月'],
    ['newest first', ['11月', '10月', '9月'], '11月'],
    ['sheets across the turn of the year', ['11月', '12月', '1月'], '1月'],
    ['across the turn of the year, newest first', ['1月', '12月', '11月'], '1月'],
    ['sheets with a year before the turn', ['2026年12月', '2027年1月'], '2027年1月'],
    ['a year at only one of them', ['2026年9月', '10月'], '10月'],
    ['next to a copy without a month', ['9月', '10月', '备份'], '10月'],
    ['a first sheet without a month, which is read as usual', ['工资', '9月', '10月'], '工资'],
    ['no months: the first sheet', ['甲', '乙'], '甲'],
  ])('%s: reads the last sheet', (_, names, selected) =>
    expect(read(...names.map((name, at) => sheet(name, 5000 + at))).sheet).toBe(selected),
  )

  it('treats sheets with other employees as departments and reads the first', () => {
    const match = read(sheet('9月', 5000), sheet('10月', 6000, { who: ['陈一', '陈二', '陈三'] }))
    expect([match.sheet, match.questions.map(({ id }) => id)]).toEqual(['9月', ['several_sheets']])
  })

  it('uses the titles in the sheets, whatever the names of the sheets', () => {
    const titled = [
      sheet('甲', 5000, { title: '2026年10月工资表' }),
      sheet('乙', 6000, { title: '2026年11月工资表（2026年12月发放）' }),
    ]
    const match = read(...titled)
    expect([match.sheet, match.says.month]).toEqual(['乙', '2026-11'])
  })

  it('assigns no single month to sheets selected together', () => {
    const titled = [sheet('甲', 5000, { title: '2026年10月工资表' }), sheet('11月', 6000)]
    expect(recognizeWorkbook(titled, ['甲', '11月']).recognition.says).toMatchObject({
      month: null,
      months: ['2026-10', '-11'],
    })
    expect(recognizeWorkbook(titled, ['甲']).recognition.says).toEqual({ title: '2026年10月工资表', month: '2026-10' })
    const alike = [sheet('甲', 5000, { title: '2026年10月工资表' }), sheet('10月', 6000)]
    expect(recognizeWorkbook(alike, ['甲', '10月']).recognition.says).toEqual({ title: '2026年10月工资表', month: '2026-10' })
  })

  it('reads tables one below the other across the turn of the year without a year', () => {
    const head = ['姓名', '基本工资', '实发工资']
    const body = (amount: number) => people.map((one) => [one, amount, amount])
    const match = read(grid([['12月工资'], head, ...body(5000), ['1月工资'], head, ...body(6000)]))
    expect([match.sheet, match.net_sum_fen]).toEqual(['Sheet1 · 1月', 1_800_000])
  })
})
