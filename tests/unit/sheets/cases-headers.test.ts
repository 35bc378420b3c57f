/** Names and roles of columns, read from example files of strangers under `tests/cases`. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { getColumnNames } from '../../../server/contract/sheets/column-names.ts'
import { createDefaultLayout } from '../../../server/modules/sheets/rules/default-layout.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'
import { parseHiddenNumbers } from '../../../server/spreadsheets/read/xlsx/styles.ts'
import { read } from '../../support/files/grid.ts'
import { getCheck } from '../../support/sheets/checked.ts'

const readCase = async (path: string) =>
  recognizeWorkbook(await readGrids(readFileSync(new URL(`../../cases/${path}`, import.meta.url)))).recognition
const bug = (file: string) => readCase(`bug-reports/${file}`)
const wage = (file: string) => readCase(`wage-sheets-and-rosters/${file}`)

type Rows = Parameters<typeof read>[0]
type Match = Awaited<ReturnType<typeof readCase>>
const getRoles = ({ columns }: Match) => Object.fromEntries(columns.map(({ col, role }) => [col, role]))
/** The lines that a payslip shows in the default layout. */
const getLines = ({ columns }: Match) =>
  createDefaultLayout(columns).sort_list.flatMap(({ status, value }) => (status ? [value] : []))
const getQuestion = ({ questions }: Match, id: string) => questions.find((question) => question.id === id)

describe('two header rows', () => {
  test('names each insurance of the employee separately and keeps the employer’s share off the payslip', async () => {
    const match = await bug('27-head-kind-over-payer.xlsx')
    expect(getRoles(match)).toMatchObject({ D: 'employer', E: 'deduction', F: 'employer', K: 'deduction' })
    expect(getLines(match)).toEqual([
      '实发工资',
      '应发工资',
      '养老保险（个人）',
      '医疗保险（个人）',
      '失业保险（个人）',
      '住房公积金（个人）',
      '个税',
      '工号',
    ])
  })

  test('treats hours under a pay group as information and the amounts as pay', async () => {
    const match = await bug('28-head-hours-and-amount.xlsx')
    expect(getRoles(match)).toMatchObject({ D: 'info', E: 'earning', F: 'info', G: 'earning', H: 'info', I: 'earning' })
    expect(match.formula).toMatchObject({ plus: ['c2', 'c4', 'c6', 'c8'], minus: ['c9'], holds: 6, of: 6 })
    expect(getLines(match)).toEqual(expect.arrayContaining(['平时加班 小时', '平时加班 金额', '节假日加班 金额']))
  })

  test('suggests the column whose net label is only in the group row', async () => {
    const match = await wage('w05-net-word-only-in-group-row.xlsx')
    expect(match.header.rows).toEqual([1, 2])
    expect(getQuestion(match, 'net')).toMatchObject({ must: true, suggested: 'net:c7' })
    expect(getRoles(match)).toMatchObject({ D: 'info', E: 'info' })
  })

  test('reads labels from both rows where name and number are in both', async () => {
    const match = await wage('w11-header-word-in-both-rows.xlsx')
    expect(match.header.rows).toEqual([1, 2])
    expect(match.columns.map(({ path }) => path.at(-1))).toEqual(expect.arrayContaining(['Basic Salary', 'EWF', 'Casual Leave']))
    expect(getRoles(match)).toMatchObject({ E: 'earning', G: 'deduction' })
  })

  test('treats a header that is repeated word for word as a repetition', () => {
    const match = read([
      ['姓名', '基本工资', '扣款', '实发工资'],
      ['姓名', '基本工资', '扣款', '实发工资'],
      ['张三', 5000, 100, 4900],
    ])
    expect(match.header.rows).toEqual([1])
    expect(match.data_rows).toEqual([3])
  })

  test.each<[string, string[][], string[]]>([
    [
      'payer above item',
      [
        ['单位', '养老保险'],
        ['个人', '养老保险'],
      ],
      ['养老保险（单位）', '养老保险（个人）'],
    ],
    [
      'item above payer',
      [
        ['社保', '养老保险', '个人'],
        ['社保', '养老保险', '单位'],
      ],
      ['养老保险（个人）', '养老保险（单位）'],
    ],
    ['one share without the other', [['养老保险', '个人'], ['姓名']], ['养老保险（个人）', '姓名']],
    [
      'payer above measures',
      [
        ['养老保险', '个人', '基数'],
        ['养老保险', '个人', '金额'],
      ],
      ['养老保险 基数', '养老保险 金额'],
    ],
    [
      'three header rows',
      [
        ['养老保险', '单位', '金额'],
        ['养老保险', '个人', '金额'],
        ['医疗保险', '个人', '金额'],
      ],
      ['养老保险 金额（单位）', '养老保险 金额（个人）', '医疗保险 金额'],
    ],
    [
      'plain leaf columns',
      [
        ['应发', '基本工资'],
        ['应发', '补贴'],
        ['扣款', '补贴'],
      ],
      ['基本工资', '应发 补贴', '扣款 补贴'],
    ],
    ['the same label twice', [['补贴'], ['补贴']], ['补贴', '补贴']],
    ['no label', [[]], ['A 列']],
    ['amounts in ten thousands', [['基本工资（万元）'], ['奖金/千元'], ['实发（元）']], ['基本工资', '奖金', '实发（元）']],
  ])('shortens column names as far as they stay distinct: %s', (_, paths, names) => {
    const columns = paths.map((path, at) => ({
      key: `c${at}`,
      path,
      label: path.join(' / '),
      col: String.fromCharCode(65 + at),
      role: 'earning' as const,
    }))
    expect([...getColumnNames(columns).values()]).toEqual(names)
  })

  test('keeps the unit in the name of an amount that is not pay', () => {
    expect(
      getColumnNames([{ key: 'c0', path: ['销售额（万元）'], label: '销售额（万元）', col: 'A', role: 'info' }]).get('c0'),
    ).toBe('销售额（万元）')
  })
})

describe('kinds of columns', () => {
  test('treats a pay item as pay even if it is graded by performance', async () => {
    expect(getRoles(await wage('w16-grade-word-in-pay-item.xlsx'))).toMatchObject({ C: 'earning', D: 'earning' })
  })

  test('does not treat minutes of leave as money', async () => {
    const match = await wage('w17-minutes-and-hours-of-leave.xlsx')
    expect(getRoles(match)['F']).toBe('info')
    expect(getQuestion(match, 'role:c5')).toBeUndefined()
  })

  test('does not treat marks as a wage sheet', async () => {
    expect((await wage('w18-course-choice-time-is-no-pay.xlsx')).kind).not.toBe('wage')
  })

  test('treats EmpID as the employee number', async () => {
    expect(getRoles(await wage('w24-empid-beside-firstname.csv'))['A']).toBe('employee_no')
  })
})

describe('columns whose cells contradict their header', () => {
  test('asks about amounts without a header on the side that the rows prove', async () => {
    const match = await bug('11-paid-column-without-header.xlsx')
    expect(getQuestion(match, 'role:c4')).toMatchObject({ must: true, suggested: 'earning' })
    expect(getQuestion(match, 'role:c4')?.message).toContain('500')
    expect(match.formula).toMatchObject({ plus: ['c3', 'c4'], minus: ['c5'], holds: 3, of: 3 })
  })

  test.each<[string, Rows, string[]]>([
    [
      'asks about a deduction without a header',
      [
        ['姓名', '基本工资', null, '实发工资'],
        ['张三', 8000, 500, 7500],
        ['李四', 9000, 300, 8700],
      ],
      ['role:c2 必答 deduction'],
    ],
    [
      'asks about amounts without a header among others where no rows add up',
      [
        ['姓名', '基本工资', null, '实发工资'],
        ['张三', 8000, 500, 8123],
        ['李四', 9000, 300, 8700],
      ],
      ['role:c2 必答 earning'],
    ],
    [
      'does not ask about amounts without a header where the rows add up without them',
      [
        ['姓名', '基本工资', '奖金', null, '实发工资'],
        ['张三', 8000, 500, 12, 8500],
        ['李四', 9000, 300, 7, 9300],
      ],
      [],
    ],
    [
      'does not ask about line numbers without a header',
      [
        [null, '姓名', '基本工资', '奖金', '实发工资'],
        [1, '张三', 8000, 500, 8500],
        [2, '李四', 9000, 300, 9300],
      ],
      [],
    ],
  ])('%s', (_, rows, expected) => {
    expect(read(rows).questions.map(({ id, must, suggested }) => `${id} ${must ? '必答' : '可答'} ${suggested}`)).toEqual(
      expected,
    )
  })

  test('omits values hidden by their format and reports that', async () => {
    const match = await bug('12-values-hidden-by-format.xlsx')
    expect(getLines(match)).not.toContain('年终奖预留')
    expect(getQuestion(match, 'hidden_columns')).toMatchObject({ key: 'c3', suggested: 'hide' })
    expect(match.warnings.join()).toContain('年终奖预留')
  })

  test.each<[string, number, boolean]>([
    [';;;', 5000, true],
    [';;;@', 5000, true],
    ['"";"";""', 5000, true],
    ['0.00;-0.00;;@', 5000, false],
    ['0.00;-0.00;;@', 0, true],
    ['#,##0.00;', -3, true],
    ['#,##0.00', 5000, false],
    ['#,##0.00_);[Red](#,##0.00)', -3, false],
    ['"元;"0', 5, false],
    ['General', 5, false],
  ])('decides whether the format %s hides %d: %s', (code, value, isHidden) => {
    expect(parseHiddenNumbers(code)?.(value) ?? false).toBe(isHidden)
  })

  test('omits a column where one amount in it is hidden', () => {
    const match = read(
      [
        ['姓名', '基本工资', '奖金', '实发工资'],
        ['张三', 8000, 500, 8000],
        ['李四', 9000, 300, 9000],
      ],
      { marks: [[2, 2, { invisible: true }]] },
    )
    expect(getQuestion(match, 'hidden_columns')).toMatchObject({ key: 'c2', suggested: 'hide' })
  })

  test('omits a legend next to the table and reports that', async () => {
    const match = await bug('15-legend-beside-table.xlsx')
    expect(getRoles(match)['I']).toBe('ignore')
    expect(match.warnings.join()).toContain('「图例」在表格旁边')
  })

  test('keeps remarks behind an empty column if every employee has one', () => {
    const rows: Rows = [
      ['姓名', '基本工资', '奖金', '实发工资', null, '备注'],
      ['张三', 8000, 500, 8500, null, '转正'],
      ['李四', 9000, 300, 9300, null, '调薪'],
    ]
    const match = read(rows)
    expect(getRoles(match)['F']).toBe('info')
    expect(match.warnings).toEqual([])
  })

  test('treats a telephone bill as the deduction that the rows prove', async () => {
    const match = await wage('w07-telephone-bill-is-a-deduction.xlsx')
    expect(getRoles(match)['E']).toBe('deduction')
    expect(match.formula).toMatchObject({ plus: ['c2', 'c3'], minus: ['c4', 'c5'] })
  })

  test('uses the first column under a merged net label and distinguishes both by their letters', async () => {
    const match = await wage('w09-net-merged-over-two-columns.xlsx')
    expect(match.net_column).toBe('c5')
    const requested = getQuestion(match, 'net')
    expect(requested).toMatchObject({ must: true, suggested: 'net:c5' })
    expect(requested?.message).toContain('「Salary Take Home」（F 列）和「Salary Take Home」（G 列）')
  })

  test('asks about card numbers under 部门', async () => {
    expect(getQuestion(await wage('w20-card-number-in-department.xlsx'), 'role:c1')).toMatchObject({
      must: true,
      suggested: 'ignore',
    })
  })

  test.each(['w19-attendance-with-late-fine.xlsx', 'w28-time-clock-export.xlsx'])(
    'refuses attendance data that is no wage sheet: %s',
    async (file) => {
      const match = await wage(file)
      expect(match.kind).toBe('not_a_wage_sheet')
      expect(match.reason).toContain('考勤')
    },
  )

  test('reads a wage sheet with many attendance columns', () => {
    const rows: Rows = [
      ['姓名', '出勤天数', '迟到次数', '事假天数', '加班小时', '基本工资', '加班费', '实发工资'],
      ['张三', 22, 1, 0, 3, 8000, 90, 8090],
      ['李四', 21, 0, 1, 5, 7000, 150, 7150],
    ]
    expect(read(rows).kind).toBe('wage')
  })

  test('treats 加班 next to 加班费 as hours', () => {
    const rows: Rows = [
      ['姓名', '基本工资', '加班', '加班费', '实发工资'],
      ['张三', 8000, 3, 90, 8090],
      ['李四', 7000, 5, 150, 7150],
    ]
    expect(getRoles(read(rows))['C']).toBe('info')
  })
})

describe('units per column', () => {
  const unitQuestions = ({ questions }: Match) =>
    questions.flatMap(({ id, kind, must, suggested }) =>
      kind === 'unit' ? [`${id} ${must ? '必答' : '可答'} ${suggested}`] : [],
    )

  test('converts columns in ten thousands next to a net in yuan so that the rows add up', async () => {
    const match = await bug('01-units-mixed-in-columns.xlsx')
    expect(unitQuestions(match)).toEqual(['unit:c3 可答 wan', 'unit:c4 可答 wan'])
    expect(match.formula).toMatchObject({ plus: ['c3', 'c4'], minus: ['c5'], holds: 3, of: 3 })
    expect(match.net_sum_fen).toBe(3_330_000)
    expect(getLines(match)).toEqual(expect.arrayContaining(['基本工资', '奖金', '实发工资（元）']))
    const grids = await readGrids(
      readFileSync(new URL('../../cases/bug-reports/01-units-mixed-in-columns.xlsx', import.meta.url)),
    )
    expect(getCheck(grids).issues.filter(({ kind }) => kind === 'sum_mismatch')).toEqual([])
  })

  test.each<[string, Rows, string[]]>([
    [
      'asks about the column where no sum proves its unit',
      [
        ['姓名', '基本工资（万元）', '实发工资（元）'],
        ['张三', 1.2, 11_500],
        ['李四', 0.8, 7_900],
      ],
      ['unit:c1 必答 wan'],
    ],
    [
      'suggests yuan where the rows add up against the label',
      [
        ['姓名', '基本工资（万元）', '奖金', '实发工资（元）'],
        ['张三', 12_000, 300, 12_300],
        ['李四', 8_000, 150, 8_150],
      ],
      ['unit:c1 必答 yuan'],
    ],
    [
      'converts columns whose unit is in a separate row',
      [
        ['姓名', '基本工资', '奖金', '实发'],
        [null, '万元', '元', '元'],
        ['张三', 1.2, 300, 12_300],
        ['李四', 0.8, 100, 8_100],
      ],
      ['unit:c1 可答 wan'],
    ],
    [
      'converts columns under a group that states the unit',
      [
        ['姓名', '应发（万元）', null, '实发（元）'],
        [null, '基本工资', '奖金', null],
        ['张三', 1.2, 0.3, 15_000],
        ['李四', 0.8, 0.1, 9_000],
      ],
      ['unit:c1 可答 wan', 'unit:c2 可答 wan'],
    ],
    [
      'asks about the whole sheet where all amounts have the unit',
      [
        ['姓名', '基本工资（万元）', '奖金（万元）', '实发工资（万元）'],
        ['张三', 1.2, 0.3, 1.5],
        ['李四', 0.8, 0.1, 0.9],
      ],
      ['unit 必答 wan'],
    ],
    [
      'asks about the whole sheet where the unit is stated above it',
      [['单位：千元'], ['姓名', '基本工资', '奖金', '实发工资'], ['张三', 12, 3, 15], ['李四', 8, 1, 9]],
      ['unit 必答 thousand'],
    ],
    [
      'excludes a column stated in yuan from the unit of the sheet',
      [['单位：万元'], ['姓名', '基本工资', '餐补（元）', '实发工资'], ['张三', 1.2, 300, 1.23], ['李四', 0.8, 300, 0.83]],
      ['unit 必答 wan', 'unit:c2 可答 yuan'],
    ],
    [
      'does not ask about sales stated in ten thousands',
      [
        ['姓名', '销售额（万元）', '基本工资', '提成', '实发工资'],
        ['张三', 12.5, 5_000, 800, 5_800],
        ['李四', 8, 5_000, 300, 5_300],
      ],
      [],
    ],
  ])('%s', (_, rows, expected) => {
    expect(unitQuestions(read(rows))).toEqual(expected)
  })
})
