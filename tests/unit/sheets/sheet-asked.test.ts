/** What a sheet states about itself, its sums, and the questions before it is trusted. */
import { describe, expect, test } from 'vitest'
import type { StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { findSheetTitle } from '../../../server/spreadsheets/recognise/sheet-title.ts'
import { type Extra, grid, read } from '../../support/files/grid.ts'

describe('month stated in a sheet', () => {
  test.each<[string, string | null]>([
    ['2026年10月工资表', '2026-10'],
    ['2026 年 一 月 工 资 表', '2026-01'],
    ['二〇二六年十月份工资发放表', '2026-10'],
    ['二零二六年十二月工资', '2026-12'],
    ['某某公司2026年度9月工资', '2026-09'],
    ['工资条（2026-10）', '2026-10'],
    ['工资表 2026.10', '2026-10'],
    ['202610工资', '2026-10'],
    ['五月天公司2026年10月工资', '2026-10'],
    ['Payroll for October 2026', '2026-10'],
    ['급여대장 2026년 3월', '2026-03'],
    ['BẢNG LƯƠNG THÁNG 7 NĂM 2026', '2026-07'],
    ['Ведомость за 09.2026', '2026-09'],
    ['10月份工资表', null],
    ['2026年9月-10月工资', null],
    ['考勤周期2026-09-26至2026-10-25', null],
    ['2026年第10期工资', null],
    ['2026年13月工资', null],
    ['近3个月工资', null],
  ])('%s', (title, month) => expect(findSheetTitle(grid([[title], ['姓名']]), 1, 'Sheet1', []).month).toBe(month))

  const says = (rows: StoredValue[][], sheet = 'Sheet1', months: StoredValue[] = []) =>
    findSheetTitle(grid(rows), rows.length, sheet, months)
  test('takes the year from elsewhere if the month is the same', () => {
    expect(says([['10月份工资表'], ['2026年度']]).month).toBe('2026-10')
    expect(says([['10月份工资表']], '2026年10月').month).toBe('2026-10')
    expect(says([['10月份工资表']], '2026年9月').month).toBe(null)
    expect(says([['Payroll of Jun', new Date(Date.UTC(2026, 4, 1))]]).month).toBe(null)
    expect(says([['工资表', new Date(Date.UTC(2026, 9, 1))]]).month).toBe('2026-10')
  })
  test('uses a column of months only if nothing else states one, and all its values agree', () => {
    expect(says([], 'Sheet1', ['202610', '2026-10', new Date(Date.UTC(2026, 9, 1))]).month).toBe('2026-10')
    expect(says([], 'Sheet1', ['202610', '202611']).month).toBe(null)
    expect(says([['2026年9月工资']], 'Sheet1', ['202610']).month).toBe('2026-09')
  })
  test('uses a title about pay and no side notes', () => {
    expect(says([['编制单位：某某某某某某某某科技有限公司', '单位：元'], ['工资发放表']]).title).toBe('工资发放表')
    expect(says([['单位：元']]).title).toBe(null)
    expect(says([['工 资 表']]).title).toBe('工资表')
  })
})

describe('sums in a sheet', () => {
  const header = ['姓名', '基本工资', '奖金', '应发合计', '社保', '个税', '扣款合计', '实发工资']
  const person = (name: string, ...[base = 0, bonus = 0, fund = 0, tax = 0]: number[]): StoredValue[] => [
    name,
    base,
    bonus,
    base + bonus,
    fund,
    tax,
    fund + tax,
    base + bonus - fund - tax,
  ]
  test('adds up to the gross pay and to the sum of deductions', () => {
    const match = read([header, person('张三', 5000, 100, 300, 10), person('李四', 6000, 0, 400, 20)])
    expect(match.subtotals).toEqual([
      { key: 'c3', plus: ['c1', 'c2'], minus: [], holds: 2, of: 2 },
      { key: 'c6', plus: ['c4', 'c5'], minus: [], holds: 2, of: 2 },
    ])
  })
  test('finds sums as subtotals of subtotals', () => {
    const match = read([
      ['姓名', '基本工资', '岗位工资', '固定小计', '绩效', '提成', '浮动小计', '应发合计', '社保', '实发'],
      ['张三', 1, 2, 3, 4, 5, 9, 12, 1, 11],
      ['李四', 10, 20, 30, 41, 50, 91, 121, 2, 119],
    ])
    expect(match.subtotals.map(({ key, plus }) => [key, plus])).toEqual([
      ['c3', ['c1', 'c2']],
      ['c6', ['c4', 'c5']],
      ['c7', ['c1', 'c2', 'c4', 'c5']],
    ])
  })
  test('counts one wrong row of six instead of ignoring it', () => {
    const rows = [1, 2, 3, 4, 5].map((n) => person(`员工${'甲乙丙丁戊'[n - 1]}`, 5000 + n, n, 300 + n, n))
    const wrong = person('张三', 5000, 100, 300, 10)
    wrong[3] = 9999
    expect(read([header, ...rows, wrong]).subtotals[0]).toMatchObject({ key: 'c3', holds: 5, of: 6 })
  })
  test('counts identical rows as one proof', () => {
    const same = ['张三', '李四', '王五', '赵六'].map((name): StoredValue[] => [
      name,
      4000,
      1000,
      1000,
      6000,
      1000,
      1000,
      1000,
      7000,
    ])
    expect(read([['姓名', '基本工资', '奖金', '补贴', '应发合计', '社保', '公积金', '个税', '实发'], ...same]).formula).toBe(null)
  })
  test('excludes a sum of deductions with another name next to its items', () => {
    const match = read([
      ['姓名', '应发合计', '养老', '公积金', '四金总额', '实发'],
      ['张三', 100, 10, 20, 30, 70],
      ['李四', 200, 11, 22, 33, 167],
    ])
    expect(match.columns.find(({ label }) => label === '四金总额')?.role).toBe('subtotal')
  })
  test('does not prove sums by zeros', () => expect(read([header, person('张三'), person('李四')]).subtotals).toEqual([]))

  test('decides an unknown column that is part of every row’s sum without a question', () => {
    const match = read([
      ['姓名', '基本工资', '开门红', '应发合计', '水站', '实发工资'],
      ['张三', 5000, 100, 5100, 30, 5070],
      ['李四', 6000, 200, 6200, 40, 6160],
    ])
    expect(match.columns.map(({ role }) => role)).toEqual(['name', 'earning', 'earning', 'gross', 'deduction', 'net'])
    expect(match.columns[2]?.reason).toContain('应发合计')
    expect(match.questions).toEqual([])
  })
})

describe('questions about a sheet', () => {
  const header = ['姓名', '工号', '基本工资', '奖金', '实发工资']
  const people: StoredValue[][] = [
    ['张三', 'A1', 5000, 100, 5100],
    ['李四', 'A2', 6000, 200, 6200],
    ['王五', 'A3', 7000, 300, 7300],
  ]
  const request = (rows: StoredValue[][], extra?: Extra) =>
    read(rows, extra).questions.map(({ id, must, suggested }) => [id, must, suggested])

  test('asks no questions about a plain sheet', () =>
    expect(request([['2026年10月工资表'], ['单位：元'], header, ...people, ['合计', null, 18_000, 600, 18_600]])).toEqual([]))

  test.each<[string, StoredValue[][], string]>([
    ['tens of thousands without a stated unit', [header, ['张三', 'A1', 0.5, 0.1, 0.6], ['李四', 'A2', 1.6, 0.1, 1.7]], 'wan'],
    ['thousands without a stated unit', [header, ['张三', 'A1', 5.5, 0.1, 5.6], ['李四', 'A2', 8.6, 0.1, 8.7]], 'thousand'],
    ['a unit row', [['单位：万元'], header, ['张三', 'A1', 0.5, 0.1, 0.6], ['李四', 'A2', 0.6, 0.1, 0.7]], 'wan'],
    [
      'a unit in a label',
      [
        ['姓名', '基本工资(万元)', '实发工资（万元）'],
        ['张三', 0.5, 0.5],
        ['李四', 0.6, 0.6],
      ],
      'wan',
    ],
    ['thousands', [['金额单位：千元'], header, ['张三', 'A1', 5, 1, 6]], 'thousand'],
    ['a false note', [['单位：万元'], header, ...people], 'yuan'],
  ])('asks about amounts in other units: %s', (_, rows, unit) => expect(request(rows)).toContainEqual(['unit', true, unit]))

  test('asks about members in hidden rows and amounts in hidden columns', () => {
    const matches = read([header, ...people], { hidden_rows: [2], hidden_columns: [3] }).questions
    expect(matches).toMatchObject([
      { id: 'hidden_rows', must: true, rows: [3], message: '有 1 人在隐藏的行里（李四），要发吗？' },
      { id: 'hidden_columns', must: false, key: 'c3', suggested: 'hide' },
    ])
    expect(request([header, ...people, []], { hidden_rows: [4] })).toEqual([])
  })

  test('asks about the only total treated as the net pay, unless it is the sum of everything', () => {
    expect(
      request([
        ['姓名', '底薪', '总计'],
        ['张三', 1, 5],
        ['李四', 2, 9],
      ]),
    ).toEqual([['role:c2', true, 'net']])
    expect(
      request([
        ['姓名', '底薪', '提成', '总计'],
        ['张三', 1, 5, 6],
        ['李四', 2, 9, 11],
      ]),
    ).toEqual([])
  })

  test('asks about two different columns named 实发, suggesting the later total that every row adds up to', () => {
    expect(
      request([
        ['姓名', '底薪', '实发工资', '实发金额'],
        ['张三', 1, 5, 6],
        ['李四', 2, 9, 11],
      ]),
    ).toEqual([['net', true, '']])
    expect(
      request([
        ['姓名', '底薪', '实发工资', '补发', '实发合计'],
        ['张三', 5, 5, 1, 6],
        ['李四', 7, 7, 2, 9],
      ]),
    ).toEqual([['net', true, 'net:c4']])
    expect(
      request([
        ['姓名', '底薪', '实发工资', '实发金额'],
        ['张三', 1, 5, 5],
        ['李四', 2, 9, 9],
      ]),
    ).toEqual([])
  })

  test('asks about amounts of an unknown kind', () => {
    const matches = read([
      ['姓名', '底薪', '甲项', '社保', '实发'],
      ['张三', 50, 6, 1, 40],
      ['李四', 70, 9, 2, 50],
    ]).questions
    expect(matches).toMatchObject([{ id: 'role:c2', kind: 'role', must: false, key: 'c2', suggested: 'earning' }])
    expect(matches[0]?.choices.map(({ value }) => value)).toContain('deduction')
  })
})

describe('identity of a row', () => {
  const roles = (rows: StoredValue[][]) => Object.fromEntries(read(rows).columns.map(({ label, role }) => [label, role]))
  test('ignores another member’s phone and numbers that are no bank account', () => {
    expect(
      roles([
        ['姓名', '紧急联系人电话', '公积金账号', '实发工资'],
        ['张三', '13812345678', '330100123456789', 5],
        ['李四', '13812345679', '330100123456780', 6],
      ]),
    ).toMatchObject({ 紧急联系人电话: 'info', 公积金账号: 'info' })
  })
  test('recognises card numbers without a header by their check digit', () => {
    const rows = (numbers: string[]): StoredValue[][] => [
      ['姓名', '实发工资', '编码'],
      ...numbers.map((number, at): StoredValue[] => [`员工${'甲乙丙'[at]}`, 5, number]),
    ]
    expect(roles(rows(['6222021234567890128', '6222021234567890136']))['编码']).toBe('bank_account')
    expect(roles(rows(['6222021234567890123', '6222021234567890124']))['编码']).toBe('info')
    expect(
      roles([
        ['姓名', '开户行账号', '实发工资'],
        ['张三', '6222021234567890123', 5],
      ])['开户行账号'],
    ).toBe('bank_account')
  })
  test.each([
    ['个人2%', 'deduction'],
    ['单位20%', 'employer'],
  ])('determines the side of a fund from the label before the group: %s', (leaf, role) => {
    const match = read(
      [
        ['姓名', '社会保险（单位/个人）', null, '实发'],
        [null, '单位20%', '个人2%', null],
        ['张三', 20, 2, 5],
      ],
      {
        merges: [
          { top: 0, left: 0, bottom: 1, right: 0 },
          { top: 0, left: 1, bottom: 0, right: 2 },
          { top: 0, left: 3, bottom: 1, right: 3 },
        ],
      },
    )
    expect(match.columns.find(({ label }) => label.endsWith(leaf))?.role).toBe(role)
  })

  const departments = (values: StoredValue[], extra?: Extra) => {
    const rows = values.map((value, at): StoredValue[] => [value, `员工${'甲乙丙丁'[at]}`, 1])
    const [read] = recognizeWorkbook([grid([['部门', '姓名', '实发'], ...rows], extra)]).grids
    return values.map((_, at) => read?.rows[at + 1]?.[0] ?? null)
  }
  test('applies a department in the first row of a block to the whole block', () => {
    expect(departments(['财务部', null, '销售部', null])).toEqual(['财务部', '财务部', '销售部', '销售部'])
    const merges = [{ top: 1, left: 0, bottom: 2, right: 0 }]
    expect(departments(['财务部', null, null, '销售部'], { merges })).toEqual(['财务部', '财务部', null, '销售部'])
  })
  test.each<[string, StoredValue[]]>([
    ['repeated departments are no blocks', ['财务部', null, '财务部', null]],
    ['a first row without a department', [null, '财务部', null, '销售部']],
    ['an employee without a department', ['财务部', '销售部', null, '生产部']],
  ])('%s', (_, values) => expect(departments(values)).toEqual(values))
})

describe('amounts without a name', () => {
  const header = ['姓名', '基本工资', '奖金', '实发工资']
  const zhang: StoredValue[] = ['张三', 5000, 100, 5100]
  const li: StoredValue[] = ['李四', 6000, 200, 6200]
  test('recognises amounts without a name as a total by their sums', () => {
    const match = read([header, zhang, li, [null, 11_000, 300, 11_300]])
    expect(match.ignored).toEqual([{ row: 4, why: '合计行，没有写「合计」' }])
    expect(match.warnings).toEqual([])
  })
  test('reports amounts without a name that are no sums', () => {
    const match = read([header, zhang, [null, 100, 0, 100], li])
    expect(match.warnings.join()).toContain('第 3 行有金额，但看不出是谁的')
  })
  test('assigns amounts without a name to the employee whose name is merged over both rows', () => {
    const match = read([header, zhang, [null, 100, 0, 100], li], { merges: [{ top: 1, left: 0, bottom: 2, right: 0 }] })
    expect(match.ignored).toEqual([{ row: 3, why: '第 2 行那个人的第二行' }])
    // The merged cell shows whose row it is, so no warning is needed.
    expect(match.warnings).toEqual([])
  })
})
