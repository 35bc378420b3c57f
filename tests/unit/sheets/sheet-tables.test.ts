/**
 * Several sheets, several tables on one sheet, payslip strips and transposed tables: read as one, with distinct
 * positions.
 */
import { describe, expect, test } from 'vitest'
import { toSheetLayout } from '../../../server/spreadsheets/child/response.ts'
import { type Grid, getCell, type StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { everyRow, grid, read } from '../../support/files/grid.ts'

const header: StoredValue[] = ['姓名', '工号', '基本工资', '奖金', '实发工资']
const sheet = (name: string, rows: StoredValue[][]) => grid(rows, { name })
const october = sheet('销售部', [
  ['2026年10月工资表'],
  header,
  ['张三', 'A1', 5000, 100, 5100],
  ['李四', 'A2', 6000, 0, 6000],
  ['合计', null, 11_000, 100, 11_100],
])
const other = sheet('生产部', [header, ['王五', 'A3', 4000, 50, 4050], ['合计', null, 4000, 50, 4050]])
const wider = sheet('仓库', [
  ['序号', '姓名', '工号', '夜班费', '基本工资', '奖金', '实发工资'],
  [1, '赵六', 'A4', 300, 4000, 50, 4350],
])

/** The stored cells of every employee by row and label. */
function loadStored(grids: readonly Grid[], requested: readonly string[]) {
  const { recognition, grids: of } = recognizeWorkbook(grids, requested)
  const labels = new Map(recognition.columns.map(({ key, label }) => [key, label]))
  return everyRow(of, recognition).map(({ row, cells }) => [
    row,
    Object.fromEntries(Object.entries(cells).flatMap(([key, { value }]) => (value === '' ? [] : [[labels.get(key), value]]))),
  ])
}

describe('wage sheet of several sheets', () => {
  test('reads several sheets as one: numbers, sums, totals and the formula over all of them', () => {
    const { recognition: match } = recognizeWorkbook([october, other], ['销售部', '生产部'])
    expect(match.data_rows).toEqual([3, 4, 1_000_002])
    expect(match.people).toBe(3)
    expect(match.net_sum_fen).toBe(1_515_000)
    expect(match.formula).toMatchObject({ plus: ['c2', 'c3'], net: 'c4', holds: 3, of: 3 })
    expect(match.totals_row).toEqual({ row: 1_000_003, net_fen: 1_515_000, agrees: true })
    expect(match.header).toEqual({ rows: [2], first_data_row: 3, last_data_row: 4 })
    expect(match.ignored).toEqual([
      { row: 1, why: '标题行' },
      { row: 5, why: '「合计」行，不是员工' },
      { row: 1_000_003, why: '「合计」行，不是员工' },
    ])
    expect(match.parts).toMatchObject([
      { sheet: '销售部', header_rows: [2], first_data_row: 3, last_data_row: 4, last_row: 5, people_rows: 2 },
      { sheet: '生产部', header_rows: [1_000_001], first_data_row: 1_000_002, last_row: 1_000_003, people_rows: 1 },
    ])
    expect(match.sheets.map(({ name, chosen, like }) => [name, chosen, like])).toEqual([
      ['销售部', true, true],
      ['生产部', true, true],
    ])
    expect(match.says).toEqual({ title: '2026年10月工资表', month: '2026-10' })
  })

  test('matches columns by their labels at any position, and gives columns of only a later sheet new keys', () => {
    const { recognition: match } = recognizeWorkbook([october, wider], ['销售部', '仓库'])
    expect(match.columns.map(({ key, label }) => `${key} ${label}`)).toEqual([
      'c0 姓名',
      'c1 工号',
      'c2 基本工资',
      'c3 奖金',
      'c4 实发工资',
      'c300 序号',
      'c303 夜班费',
    ])
    expect(loadStored([october, wider], ['销售部', '仓库'])).toEqual([
      [3, { 姓名: '张三', 工号: 'A1', 基本工资: '5000', 奖金: '100', 实发工资: '5100' }],
      [4, { 姓名: '李四', 工号: 'A2', 基本工资: '6000', 奖金: '0', 实发工资: '6000' }],
      [1_000_002, { 序号: '1', 姓名: '赵六', 工号: 'A4', 夜班费: '300', 基本工资: '4000', 奖金: '50', 实发工资: '4350' }],
    ])
    expect(match.parts[1]?.places).toEqual([
      ['c0', 1],
      ['c1', 2],
      ['c2', 4],
      ['c3', 5],
      ['c4', 6],
      ['c300', 0],
      ['c303', 3],
    ])
  })

  test('keeps the other rows, merges and hidden rows of each in the shown sheet', () => {
    const hidden = grid([['十月'], header, ['王五', 'A3', 4000, 50, 4050]], {
      name: '生产部',
      merges: [{ top: 0, left: 0, bottom: 0, right: 4 }],
      hidden_rows: [2],
    })
    const { recognition, grids } = recognizeWorkbook([october, hidden], ['销售部', '生产部'])
    const layout = toSheetLayout(grids, recognition)
    expect(layout.others.map(([row]) => row)).toEqual([1, 2, 5, 1_000_001, 1_000_002])
    expect(layout.merges).toEqual([{ top: 1_000_001, left: 1, bottom: 1_000_001, right: 5 }])
    expect(layout.hidden_rows).toEqual([1_000_003])
    expect(recognition.questions.map(({ id, rows }) => [id, rows])).toEqual([['hidden_rows', [1_000_003]]])
  })

  test.each<[string, Grid[], string[], string]>([
    [
      'a sheet with another header',
      [
        october,
        sheet('考勤', [
          ['姓名', '应出勤', '实出勤', '迟到次数', '早退次数'],
          ['张三', 22, 21, 1, 0],
        ]),
      ],
      ['销售部', '考勤'],
      '「考勤」的表头和「销售部」相差太多',
    ],
    ['a sheet without a table', [october, sheet('说明', [['请先填写左边的表']])], ['销售部', '说明'], '「说明」不是工资表'],
    ['a nonexistent sheet', [october], ['九月'], '没有名为「九月」的工作表'],
  ])('refuses to combine %s and names it', (_, grids, requested, reason) => {
    const { recognition: match } = recognizeWorkbook(grids, requested)
    expect(match.kind).toBe('not_a_wage_sheet')
    expect(match.reason).toContain(reason)
  })

  test('omits an empty sheet', () => {
    const match = recognizeWorkbook([october, sheet('管理部', [header])], ['销售部', '管理部']).recognition
    expect(match.parts.map(({ sheet: name }) => name)).toEqual(['销售部'])
  })

  test('accepts totals that agree per sheet and reports one that does not', () => {
    const wrong = sheet('生产部', [header, ['王五', 'A3', 4000, 50, 4050], ['合计', null, 4000, 50, 4000]])
    expect(recognizeWorkbook([october, wrong], ['销售部', '生产部']).recognition.totals_row).toEqual({
      row: 1_000_003,
      net_fen: 1_510_000,
      agrees: false,
    })
    const silent = sheet('生产部', [header, ['王五', 'A3', 4000, 50, 4050]])
    expect(recognizeWorkbook([october, silent], ['销售部', '生产部']).recognition.totals_row).toEqual({
      row: 5,
      net_fen: null,
      agrees: true,
    })
    const grand = sheet('生产部', [header, ['王五', 'A3', 4000, 50, 4050], ['总计', null, 15_000, 150, 15_150]])
    expect(recognizeWorkbook([october, grand], ['销售部', '生产部']).recognition.totals_row).toEqual({
      row: 1_000_003,
      net_fen: 1_515_000,
      agrees: true,
    })
  })

  test('asks about departments on other sheets, but not about other months of the same employees', () => {
    const requested = recognizeWorkbook([october, other]).recognition.questions
    expect(requested).toMatchObject([{ id: 'several_sheets', must: true, suggested: 'all', sheets: ['生产部'] }])
    expect(requested[0]?.choices.map(({ value }) => value)).toEqual(['one', 'all'])
    const september = sheet('九月', [header, ['张三', 'A1', 5000, 0, 5000], ['李四', 'A2', 6000, 0, 6000]])
    expect(recognizeWorkbook([october, september]).recognition.questions).toEqual([])
    // Reported or asked, not both.
    const format = (grids: Parameters<typeof recognizeWorkbook>[0]) =>
      recognizeWorkbook(grids).recognition.warnings.filter((text) => text.includes('工作表'))
    expect(format([october, other])).toEqual([])
    expect(format([october, other, september])).toEqual(['另有 1 个工作表也像工资表（九月），本次只读取「销售部」'])
    expect(recognizeWorkbook([october, other], ['销售部']).recognition.questions).toEqual([])
  })
})

describe('several tables on one sheet', () => {
  test('reads adjacent tables, with a column between or none', () => {
    const separate = read([
      ['2026年10月工资'],
      ['姓名', '基本工资', '实发工资', null, '姓名', '基本工资', '实发工资'],
      ['张三', 1, 1, null, '李四', 2, 2],
      ['王五', 3, 3],
      ['合计', 4, 4, null, '合计', 2, 2],
    ])
    expect(separate.data_rows).toEqual([3, 4, 1_000_003])
    expect(separate.columns.map(({ key, role }) => `${key} ${role}`)).toEqual(['c0 name', 'c1 earning', 'c2 net'])
    expect(separate.parts.map(({ places }) => places.map(([, index]) => index))).toEqual([
      [0, 1, 2],
      [4, 5, 6],
    ])
    expect(separate.totals_row).toEqual({ row: 1_000_005, net_fen: 600, agrees: true })
    const close = read([
      ['姓名', '基本工资', '实发工资', '姓名', '基本工资', '实发工资'],
      ['张三', 1, 1, '李四', 2, 2],
    ])
    expect(close.net_sum_fen).toBe(300)
  })

  test('reads tables one below the other, and matches the same labels in another order or position', () => {
    const match = read([
      ['姓名', '基本工资', '奖金', '实发工资'],
      ['张三', 1, 1, 2],
      ['合计', 1, 1, 2],
      [],
      ['临时工工资'],
      [null, '姓名', '奖金', '基本工资', '实发工资'],
      [null, '李四', 2, 3, 5],
    ])
    expect(match.data_rows).toEqual([2, 1_000_007])
    expect(match.formula).toMatchObject({ plus: ['c1', 'c2'], holds: 2, of: 2 })
  })

  test('reads the first of two tables with another header and asks about the second', () => {
    const match = read([
      ['姓名', '基本工资', '奖金', '实发工资'],
      ['张三', 1, 1, 2],
      [],
      ['姓名', '课时费', '代课费', '管理费', '讲课天数', '实发金额'],
      ['李四', 2, 2, 1, 3, 5],
    ])
    expect(match.data_rows).toEqual([2])
    expect(match.questions).toMatchObject([{ id: 'several_tables', must: true, choices: [{ value: 'one' }, { value: 'all' }] }])
    expect(match.sheets.map(({ name, chosen }) => [name, chosen])).toEqual([
      ['Sheet1', true],
      ['Sheet1 · 第 2 张表', false],
    ])
  })
})

describe('payslip strips', () => {
  const people = [
    { 姓名: '张三', 基本工资: 5000, 奖金: 100, 实发工资: 5100 },
    { 姓名: '李四', 基本工资: 6000, 奖金: 50, 实发工资: 6050 },
  ]
  const cells = people.map((person) => Object.fromEntries(Object.entries(person).map(([label, value]) => [label, String(value)])))
  const of = (rows: StoredValue[][]) => loadStored([grid(rows)], ['Sheet1']).map(([, person]) => person)

  test('reads payslip strips with one label per row and employees one below the other', () => {
    expect(of([['2026年10月工资条'], ...people.flatMap((person) => [...Object.entries(person), []])])).toEqual(cells)
  })
  test('reads payslip strips with two labels per row', () => {
    expect(
      of(
        people.flatMap((person) => [
          ['姓名', person.姓名, '基本工资', person.基本工资],
          ['奖金', person.奖金, '实发工资', person.实发工资],
          [],
        ]),
      ),
    ).toEqual(cells)
  })
  test('reads payslip strips with one employee per column', () => {
    expect(of(Object.keys(people[0] ?? {}).map((label) => [label, ...people.map((person) => person[label as '姓名'])]))).toEqual(
      cells,
    )
  })
  test('treats a repeated label as two columns, and an unsaved result as a missing value', () => {
    const slip = (name: string, base: number, at: number): StoredValue[][] => [
      ['姓名', name, '基本工资', base, '奖金', 100 + at],
      ['扣款', at === 1 ? null : 30, '奖金', 7 + at, '实发工资', base + 77 + at],
      [],
    ]
    const sheet = grid([...slip('张三', 5000, 0), ...slip('李四', 6000, 1)], {
      marks: [[4, 1, { uncached: true, formula: 'X!A1' }]],
    })
    const { recognition, grids } = recognizeWorkbook([sheet])
    const labels = recognition.columns.map(({ label }) => label)
    expect(labels).toEqual(['姓名', '基本工资', '奖金', '扣款', '奖金', '实发工资'])
    expect(grids[0]?.rows.slice(2)).toMatchObject([
      ['张三', 5000, 100, 30, 7, 5077],
      ['李四', 6000, 101, null, 8, 6078],
    ])
    expect(getCell(grids[0] as Grid, 3, 3)).toMatchObject({ kind: 'error', uncached: true })
  })
  test('refuses payslip strips with only one employee with a message', () => {
    const match = read([
      ['姓名', '张三'],
      ['基本工资', 5000],
      ['奖金', 100],
      ['实发工资', 5100],
    ])
    expect(match.kind).toBe('not_a_wage_sheet')
    expect(match.reason).toContain('一个人的工资条')
  })
  test('does not assume payslip strips for a header with a name next to a group', () => {
    const match = read([
      ['番号', '氏名', '支給', null, '控除', '差引支給額'],
      [null, null, '基本給', '役職手当', '所得税', null],
      [1, '佐藤', 5, 1, 1, 5],
      [null, '小計', 5, 1, 1, 5],
      [2, '鈴木', 5, 1, 1, 5],
      [null, '小計', 5, 1, 1, 5],
    ])
    expect(match.data_rows).toEqual([3, 5])
  })
  test('reports that rows of payslip strips are renumbered', () => {
    expect(read(people.flatMap((person) => Object.entries(person))).warnings.join()).toContain('行号是转换之后的')
  })
})
