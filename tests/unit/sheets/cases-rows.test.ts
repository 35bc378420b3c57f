/**
 * Rows that are no pay rows (footers, subtotals, explanations, other tables), totals of visible rows, and tables of
 * several months.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findMonthInFileName } from '../../../server/rules/months.ts'
import type { StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { findMonthInFooter, parseFooterLabel } from '../../../server/spreadsheets/recognise/footer-labels.ts'
import { grid, read } from '../../support/files/grid.ts'
import { getCheck, totalsMessage } from '../../support/sheets/checked.ts'
import { getSheets } from '../../support/sheets/drawn.ts'

const readCase = async (path: string) => readGrids(readFileSync(new URL(`../../cases/${path}`, import.meta.url)))
const understandCase = async (path: string) => recognizeWorkbook(await readCase(path)).recognition

describe('example files with footer rows', () => {
  it.each<[string, number[], number]>([
    ['bug-reports/14-count-and-difference-rows.xlsx', [2, 3, 5], 2_400_000],
    ['wage-sheets-and-rosters/w03-own-slip-below.xlsx', [3, 4, 5], 656_000],
    ['wage-sheets-and-rosters/w10-prepared-by.xlsx', [2, 3], 1_430_000],
    ['wage-sheets-and-rosters/w22-time-cards-below-the-list.xlsx', [3, 4], 23_000],
    ['wage-sheets-and-rosters/w25-two-instruction-names.xlsx', [4], 5_130_000],
    ['wage-sheets-and-rosters/w26-subtotal-named-by-department.xlsx', [2, 3, 5, 6], 1_982_000],
  ])('finds in %s the manually counted employees and net pay', async (path, rows, net) => {
    const match = await understandCase(path)
    expect([match.data_rows, match.net_sum_fen, match.unclaimed]).toEqual([rows, net, []])
  })

  it('compares neither last month nor a difference with the rows', async () => {
    const match = await understandCase('bug-reports/14-count-and-difference-rows.xlsx')
    expect(match.total_rows).toEqual([4, 6, 7])
    expect(match.totals_row).toMatchObject({ net_fen: 2_400_000, agrees: true })
    const notified = getCheck(await readCase('bug-reports/14-count-and-difference-rows.xlsx')).issues
    expect(notified.filter(({ kind }) => kind === 'subtotal_mismatch' || kind === 'total_row_mismatch')).toEqual([])
  })

  it('asks which month to send of a table with columns of years and months', async () => {
    const match = await understandCase('wage-sheets-and-rosters/w04-two-months-one-table.csv')
    expect([match.data_rows, match.says.month]).toEqual([[6, 7, 8, 9], '2024-02'])
    expect(match.questions).toMatchObject([{ kind: 'several_tables', must: true, suggested: 'one' }])
    expect(match.questions[0]?.message).toContain('2024年1月')
  })

  it.each([
    ['w06-payslip-form.xlsx', '一个人的工资条'],
    ['w08-one-row-per-item.csv', '一个人的一个工资项目'],
  ])('refuses %s and states what it is', async (file, labels) => {
    const match = await understandCase(`wage-sheets-and-rosters/${file}`)
    expect(match.kind).toBe('not_a_wage_sheet')
    expect(match.reason).toContain(labels)
  })
})

describe('total of the rows visible under a filter', () => {
  const path = 'bug-reports/13-total-of-visible-rows.xlsx'
  const totalsIn = (problems: ReturnType<typeof getCheck>['issues']) =>
    problems.flatMap(({ kind, message }) => (kind === 'total_row_mismatch' || kind === 'subtotal_mismatch' ? [message] : []))

  it('suggests not sending the hidden row', async () => {
    const { questions } = await understandCase(path)
    expect(questions).toMatchObject([{ kind: 'hidden_rows', rows: [3], suggested: 'skip' }])
    expect(questions[0]?.message).toContain('第 5 行的合计没有算上他们')
  })

  it('raises no issue once the hidden row is skipped, even if a visible row is skipped too', async () => {
    const grids = await readCase(path)
    expect(totalsIn(getCheck(grids, { skipped: [3] }).issues)).toEqual([])
    expect(totalsIn(getCheck(grids, { skipped: [3, 4] }).issues)).toEqual([])
    expect(totalsIn(getCheck(grids).issues)[0]).toContain('写的是 15,000.00，各行相加是 24,000.00')
  })

  const table = (total: number, hidden: number[]) =>
    grid(
      [
        ['姓名', '部门', '基本工资', '实发工资'],
        ['张三', '一部', 5000, 5000],
        ['李四', '一部', 6000, 6000],
        ['王五', '二部', 7000, 7000],
        ['合计', null, total, total],
      ],
      { hidden_rows: hidden },
    )
  const suggested = (total: number, hidden: number[]) =>
    recognizeWorkbook([table(total, hidden)]).recognition.questions.find(({ kind }) => kind === 'hidden_rows')?.suggested

  it.each<[string, number, number[], string]>([
    ['of all rows', 18_000, [2], 'keep'],
    ['of the shown rows', 12_000, [2], 'skip'],
    ['of neither', 12_001, [2], 'keep'],
    ['of one shown row', 5_000, [2, 3], 'skip'],
  ])('suggests for a total %s which rows it counts', (_, total, hidden, requested) =>
    expect(suggested(total, hidden)).toBe(requested),
  )

  it('names the sum of the sent rows where it is the closest', () => {
    const [message] = totalsIn(getCheck([table(12_001, [2])], { skipped: [3] }).issues)
    expect(message).toContain('看得见的各行相加是 12,000.00')
  })

  it('accepts a total of visible rows as a subtotal, too', () => {
    const sheet = grid(
      [
        ['姓名', '基本工资', '实发工资'],
        ['张三', 5000, 5000],
        ['李四', 6000, 6000],
        ['小计', 5000, 5000],
        ['王五', 7000, 7000],
        ['赵六', 8000, 8000],
        ['小计', 15_000, 15_000],
      ],
      { hidden_rows: [2] },
    )
    expect(totalsIn(getCheck([sheet], { skipped: [3] }).issues)).toEqual([])
  })
})

describe('label of a footer row', () => {
  it.each([
    '合计',
    '合 计',
    '合计：',
    '【合计】',
    '合计(大写)：',
    '合计 12 人（不含已撤回 2 人）',
    '合计 3 人',
    '合计：3人',
    '共3人',
    '共 12 名',
    '共计三人',
    '总计人民币'.slice(0, 2),
    '本月合计',
    '本页小计',
    '一部小计',
    '财务部合计',
    '实发合计',
    '工资总额',
    '总共',
    '总合计',
    '各部门合计',
    '合計',
    'TOTAL',
    'Grand Total',
    'Sub-total',
    'Net Total',
    'Total:',
    'Totals',
    'Total for Sales',
    'Total (CNY)',
  ])('treats %s as a total', (text) => expect(parseFooterLabel(text)?.kind).toBe('total'))

  it.each([
    '差额',
    '差异',
    '与上月差额',
    '较上月增减',
    '环比',
    '上月合计',
    '上月',
    '上个月实发合计',
    '上期',
    '去年同期',
    '上年同期合计',
    '平均',
    '人均工资',
    '人数',
    '合计人数',
    '人数：3',
    '总人数',
    '实发人数',
    '金额大写',
    '人民币（大写）',
    '核对',
    'Average',
    'Headcount',
    'Difference',
    'Last month total',
  ])('treats %s as a count of the rows, not as their sum', (text) => expect(parseFooterLabel(text)?.kind).toBe('other'))

  it.each([
    '计平',
    '合欢',
    '共青',
    '合计划',
    '共工',
    '计三',
    '平均良',
    '均平',
    '总管',
    '汇川',
    '人杰',
    '差多',
    '上官合',
    '前田',
    '同舟',
    '万总',
    'Max Total Li',
    '核桃',
    '张小计划',
  ])('treats %s as an employee', (text) => expect(parseFooterLabel(text)).toBeNull())

  it('allows a footer label to name a month', () => {
    expect(['9月合计', '2026年10月合计', '合计', '第3月台'].map(findMonthInFooter)).toEqual([9, 10, null, null])
  })
})

describe('total that names a month', () => {
  const sheet = (title: string, first: string, second: string) => `
    ${title}
    姓名 | 基本工资 | 实发工资
    张三 | 5000 | 5000
    李四 | 6000 | 6000
    ${first} | 11000 | 11000
    ${second} | 10500 | 10500`
  it.each([
    ['a total of the month before', '2026年10月工资表', '合计', '9月合计'],
    ['a total of the month before, next to this one', '2026年10月工资表', '10月合计', '9月合计'],
    ['a total on a sheet without a month', '工资表', '合计', '9月合计'],
    ['a total in words', '工资表', '合计', '上月合计'],
  ])('compares %s with nothing', (_, title, first, second) => expect(totalsMessage(sheet(title, first, second))).toEqual([]))
  it('compares the total of this month', () => {
    expect(totalsMessage(sheet('2026年10月工资表', '小计', '10月合计'))[0]).toContain('写的是 10,500.00，各行相加是 11,000.00')
  })
})

describe('row without a name', () => {
  const table = (row: string) => `
    姓名 | 手机号 | 岗位 | 基本工资 | 扣款 | 实发工资
    张三 | 13800000001 | 会计 | 5000 | 100 | 4900
    李四 | 13800000002 | 出纳 | 6000 | 100 | 5900
    ${row}`
  const peopleIn = (row: string) => {
    const { data_rows, unclaimed } = recognizeWorkbook(getSheets(table(row), {})).recognition
    return [data_rows.length, unclaimed.length]
  }
  it.each([
    'Prepared by',
    'PREPARED BY',
    'Checked by | | Approved by',
    '制表人',
    '制表人 | 王五 | 审核人',
    '审核 | | 批准',
    '财务主管 | | 总经理',
    '会计',
    '单位负责人签字',
    '制表日期 | 2026年12月5日',
    '2026年12月5日',
    '年 月 日',
    '日期',
    '以下空白',
    '备注 | 本表含补发',
    'Authorized Signatory',
    '3人 | | | 11000 | 200 | 10800',
  ])('%s', (row) => expect(peopleIn(row)).toEqual([2, 0]))
  it.each([
    '计平 | 13800000003 | 会计 | 3000 | 0 | 3000',
    '合欢 | | | 3000 | 0 | 3000',
    '共青 | | | 3000 | 0 | 3000',
    '王五',
    '王五 | | 会计',
    '王五 | | 负责人 | | |',
    '平均良 | | | 3000 | 0 | 3000',
    '阿依古丽 | | | 3000 | 0 | 3000',
  ])('treats %s as an employee', (row) => expect(peopleIn(row)).toEqual([3, 0]))
  it('recognizes an employee with the kind of payment in front of the name', () => {
    const match = read([
      ['类型', '姓名', '基本工资', '实发工资'],
      ['工资', '张三', 5000, 5000],
      ['差额', '李四', 300, 300],
      ['差额', '王五', 200, 200],
    ])
    expect([match.people, match.net_sum_fen]).toEqual([3, 550_000])
  })
})

describe('subtotal under a department name', () => {
  const outcome = (text: string) => {
    const { data_rows, unclaimed } = recognizeWorkbook(getSheets(text, {})).recognition
    return { data_rows, unclaimed }
  }
  it('covers the employees above or below a subtotal', () => {
    expect(
      outcome(`
      姓名 | 基本工资 | 扣款 | 实发工资
      一部 | 11000 | 300 | 10700
      张三 | 5000 | 100 | 4900
      李四 | 6000 | 200 | 5800
      二部 | 15000 | 300 | 14700
      王五 | 7000 | 100 | 6900
      赵六 | 8000 | 200 | 7800`),
    ).toEqual({ data_rows: [3, 4, 6, 7], unclaimed: [] })
  })
  it('allows a subtotal to cover one employee next to others that cover several', () => {
    expect(
      outcome(`
      姓名 | 基本工资 | 扣款 | 实发工资
      张三 | 5000 | 100 | 4900
      李四 | 6000 | 200 | 5800
      销售部 | 11000 | 300 | 10700
      王五 | 7000 | 100 | 6900
      高新店 | 7000 | 100 | 6900`),
    ).toEqual({ data_rows: [2, 3, 5], unclaimed: [] })
  })
  it('asks about a subtotal whose amounts are no sums', () => {
    expect(
      outcome(`
      姓名 | 基本工资 | 扣款 | 实发工资
      张三 | 5000 | 100 | 4900
      李四 | 6000 | 200 | 5800
      一组 | 11000 | 300 | 10700
      王五 | 7000 | 100 | 6900
      赵六 | 8000 | 200 | 7800
      二组 | 15100 | 300 | 14800`),
    ).toEqual({ data_rows: [2, 3, 5, 6], unclaimed: [7] })
  })
  it('allows a subtotal name without a department suffix', () => {
    expect(
      outcome(`
      姓名 | 基本工资 | 扣款 | 实发工资
      张三 | 5000 | 100 | 4900
      李四 | 6000 | 200 | 5800
      营销 | 11000 | 300 | 10700
      王五 | 7000 | 100 | 6900`),
    ).toEqual({ data_rows: [2, 3, 5], unclaimed: [] })
  })
  it.each([
    [
      'with a number of their own',
      '姓名 | 工号 | 基本工资 | 扣款 | 实发工资',
      '一部 | A1003 | 11000 | 300 | 10700',
      ' | A1001',
      ' | A1002',
    ],
    ['whose name is a department', '姓名 | 基本工资 | 扣款 | 实发工资', '王五 | 11000 | 300 | 10700', '', ''],
    ['who is paid the sum in a single amount', '姓名 | 实发工资', '阿依古丽 | 10700', null, null],
  ])('does not treat a subtotal as an employee %s', (_, head, row, first, second) => {
    const text =
      first === null
        ? `${head}\n张三 | 4900\n李四 | 5800\n${row}`
        : `${head}\n张三${first} | 5000 | 100 | 4900\n李四${second} | 6000 | 200 | 5800\n${row}`
    expect(outcome(text)).toEqual({ data_rows: [2, 3, 4], unclaimed: [] })
  })
})

describe('rows that belong to another table', () => {
  const outcome = (rows: StoredValue[][]) => {
    const { data_rows, unclaimed } = read(rows)
    return { data_rows, unclaimed }
  }
  const head = ['工号', '姓名', '基本工资', '津贴', '实发金额']
  const people: StoredValue[][] = [
    [1, '张三', 1600, 880, 2480],
    [2, '李四', 1400, 720, 2120],
    [3, '王五', 1300, 660, 1960],
  ]
  it.each(['个人工资条', '员工工资条', '工资条样张', '工资查询'])(
    'recognises a payslip of a listed employee under %s',
    (title) => {
      expect(outcome([['工资发放表'], head, ...people, [], [title], [3, '王五', 1300, 660, 1960]]).data_rows).toEqual([3, 4, 5])
    },
  )
  it('asks about a row under such a title with different data of the employee', () => {
    expect(outcome([['工资发放表'], head, ...people, [], ['个人工资条'], [3, '王五', 1300, 660, 1961]]).data_rows).toEqual([
      3, 4, 5, 8,
    ])
  })
  it('keeps a repeated row without such a title above it', () => {
    expect(outcome([['工资发放表'], head, ...people, [3, '王五', 1300, 660, 1960]]).data_rows).toEqual([3, 4, 5, 6])
  })
  it('recognises an explanation of columns over the first amounts, even with names', () => {
    expect(outcome([head, [1001, '示例员工', '固定', '按出勤', '系统计算'], ...people]).data_rows).toEqual([3, 4, 5])
  })
  it('recognises an explanation of columns by their value kinds', () => {
    expect(outcome([head, ['text', 'text', 'number', 'number', 'number'], ...people]).data_rows).toEqual([3, 4, 5])
  })
  it('recognises signatures under their labels below the last amount', () => {
    const signed: StoredValue[][] = [
      [null, '制表人', '审核人'],
      [null, '苏叙白', '林一'],
    ]
    expect(outcome([head, ...people, [], ...signed]).data_rows).toEqual([2, 3, 4])
    expect(outcome([head, ...people.slice(0, 2), ...signed, ...people.slice(2)]).data_rows).toEqual([2, 3, 5, 6])
  })
  it('recognises counts of payments by method', () => {
    expect(
      outcome([head, ...people, [null, '其中：现金', null, null, 2480], [null, '银行代发', null, null, 4080]]).data_rows,
    ).toEqual([2, 3, 4])
  })
  it('recognises a form of one employee whatever its first label is', () => {
    const form = read([
      ['PAYSLIP FOR JUNE'],
      ['Employee No.', 14, 'Employee Name', 'Aa Bb'],
      ['Designation', 'Clerk', 'Bank', 'B1'],
      ['Basic', 30_000, 'PF', 1800],
      ['HRA', 12_000, 'Tax', 900],
      ['NET SALARY', 39_300],
    ])
    expect(form.reason).toContain('一个人的工资条')
  })
  it('keeps an unpaid employee with a one-word remark', () => {
    expect(outcome([head, [1001, '赵六', '停薪', '停薪', '停薪'], ...people]).data_rows).toEqual([2, 3, 4, 5])
    expect(outcome([head, ...people, [1001, '赵六', '停薪', '病假', '']]).data_rows).toEqual([2, 3, 4, 5])
  })
  it('asks about amounts without an employee below the rows where no other table begins', () => {
    expect(outcome([head, ...people, ['', '', 100, 200, 301]]).unclaimed).toEqual([5])
  })
})

describe('table of several months', () => {
  const date = (month: number) => new Date(Date.UTC(2026, month - 1, 1))
  it.each<[string, string, StoredValue, StoredValue]>([
    ['2026-10', '月份', '2026-09', '2026-10'],
    ['202610', '年月', 202609, 202610],
    ['10月', '月份', '9月', '10月'],
    ['十月', '月份', '九月', '十月'],
    ['a month as a number', '月份', 9, 10],
    ['a month as a date', '工资月份', date(9), date(10)],
    ['2026/10/31', '工资月', '2026/9/30', '2026/10/31'],
    ['a date range', '薪资期间', '2026-09-01至2026-09-30', '2026-10-01至2026-10-31'],
    ['Oct 2026', 'Pay Period', 'Sep 2026', 'Oct 2026'],
    ['a number under 月', '月', '9', '10'],
  ])('asks which month to send when written as %s', (_, label, first, second) => {
    const names = ['张三', '李四', '王五']
    const rows = [first, second].flatMap((month) => names.map((name, at): StoredValue[] => [month, name, 5000 + at, 4900 + at]))
    const match = read([[label, '姓名', '基本工资', '实发工资'], ...rows])
    expect([match.people, match.data_rows]).toEqual([3, [5, 6, 7]])
    expect(match.questions).toMatchObject([{ kind: 'several_tables', must: true, suggested: 'one' }])
  })
  it('does not treat years and months of service as months of pay', () => {
    const match = read([
      ['姓名', '年', '月', '基本工资', '实发工资'],
      ['张三', 3, 4, 5000, 5000],
      ['李四', 1, 11, 6000, 6000],
    ])
    expect([match.people, match.says.months, match.questions]).toEqual([2, undefined, []])
  })
})

describe('month in a file name', () => {
  it.each<[string, string | null]>([
    ['2026.12.5发11月工资.xlsx', '2026-11'],
    ['2026-12-05 11月工资表.xlsx', '2026-11'],
    ['12月发11月工资.xlsx', '-11'],
    ['微信文件2026-12-03_11月.xlsx', '2026-11'],
    ['2026年12月5日发放11月份工资表.xlsx', '2026-11'],
    ['2026年12月发2026年11月工资.xlsx', '2026-11'],
    ['20261205093015_11月工资.xlsx', '2026-11'],
    ['2027-01-05 12月工资.xlsx', '2026-12'],
    ['1月工资2027.1.10发.xlsx', '2027-01'],
    ['11月工资（12.5发）.xlsx', '-11'],
    ['9月工资（10月15日发放）.xlsx', '-09'],
    ['2026年10月工资表.xlsx', '2026-10'],
    ['工资表-11月.xlsx', '-11'],
    ['工资_202611.xlsx', '2026-11'],
    ['2026_11工资.xls', '2026-11'],
    ['26年11月工资.xlsx', '2026-11'],
    ['2026年 工资表 11月.xlsx', '2026-11'],
    ['2026年十一月份工资表(1).xlsx', '2026-11'],
    ['Payroll Nov 2026.xlsx', '2026-11'],
    ['2026年10月3车间工资.xlsx', '2026-10'],
    ['工资表.xlsx', null],
  ])('reads %s only as %s', (name, month) => expect(findMonthInFileName(name)).toEqual({ month, months: [], is_date: false }))
  it.each<[string, string | null, string[]]>([
    ['9-10月工资.xlsx', '-10', ['-09', '-10']],
    ['2026年9月-10月工资表.xlsx', '2026-10', ['2026-09', '2026-10']],
    ['11月工资12月奖金.xlsx', null, ['-11', '-12']],
    ['12月补发10月工资.xlsx', '-10', ['-10', '-12']],
    ['2026.12 11月工资.xlsx', '2026-11', ['2026-11', '2026-12']],
  ])('reads %s as several months', (name, month, months) =>
    expect(findMonthInFileName(name)).toEqual({ month, months, is_date: false }),
  )
  it.each(['2026-12-05.xlsx', '20261205工资.xlsx', '2026年12月5日.xlsx', '2026.12.1-2026.12.31工资.xlsx'])(
    'reads %s as a date only',
    (name) => expect(findMonthInFileName(name)).toEqual({ month: '2026-12', months: [], is_date: true }),
  )
})
