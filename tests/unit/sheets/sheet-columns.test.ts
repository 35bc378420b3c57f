/** Sheets as a payroll clerk would lay them out: column roles, missing results, and the choice of the sheet. */
import { describe, expect, test } from 'vitest'
import type { CellMark, StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { type Extra, grid, type Read, read } from '../../support/files/grid.ts'

const roles = (read: Read) => Object.fromEntries(read.columns.map(({ label, role }) => [label, role]))

describe('column roles', () => {
  test('treats a subtotal that repeats one column as the sum of that column and of none to its right', () => {
    const match = read([
      ['姓名', '奖金', '小计', '基本工资', '社保', '个税', '实发工资'],
      ['张三', 100, 100, 5000, 300, 10, 4790],
      ['李四', 250, 250, 6000, 410, 25, 5815],
      ['王五', 170, 170, 7000, 520, 37, 6613],
    ])
    expect(match.subtotals).toEqual([{ key: 'c2', plus: ['c1'], minus: [], holds: 3, of: 3 }])
    expect(match.formula).toMatchObject({ holds: 3, of: 3 })
  })

  test('treats an unknown header among amounts as an amount, but not after the net pay', () => {
    const match = read([
      ['姓名', '基本工资', '开门红', '实发工资', '评分'],
      ['张三', 5, 1, 6, 90],
      ['李四', 6, 1, 7, 80],
    ])
    expect(roles(match)).toMatchObject({ 开门红: 'earning', 评分: 'info' })
  })

  test('counts days under 请假 next to 出勤天数, and money among amounts', () => {
    expect(
      roles(
        read([
          ['姓名', '出勤天数', '请假', '实发工资'],
          ['张三', 22, 1, 6],
        ]),
      )['请假'],
    ).toBe('info')
    expect(
      roles(
        read([
          ['姓名', '应发薪资', '请假', '迟到', '实发工资'],
          ['张三', 100, 10, 2, 88],
        ]),
      ),
    ).toMatchObject({ 请假: 'deduction', 迟到: 'deduction' })
  })

  test('prefers 实发 to 税后, and 总工资 only without either', () => {
    expect(
      roles(
        read([
          ['姓名', '税后', '实发'],
          ['张三', 1, 1],
        ]),
      ),
    ).toMatchObject({ 税后: 'info', 实发: 'net' })
    expect(
      roles(
        read([
          ['姓名', '基本工资', '总工资'],
          ['张三', 1, 1],
        ]),
      )['总工资'],
    ).toBe('net')
    expect(
      roles(
        read([
          ['姓名', '工资总额'],
          ['张三', 1],
        ]),
      )['工资总额'],
    ).toBe('gross')
  })

  test('uses the values where the header is unknown', () => {
    const match = read([
      ['姓名', '实发工资', null],
      ['张三', 1, 'a@example.com'],
      ['李四', 2, 'b@example.com'],
    ])
    expect(match.columns[2]).toMatchObject({ col: 'C', label: '', role: 'email' })
  })

  test('adds up a net column of texts, and reports unreadable cells without counting them', () => {
    const match = read([
      ['姓名', '实发工资'],
      ['张三', '1,234.50'],
      ['李四', '见备注'],
      ['王五', '（5）'],
    ])
    expect(match.net_sum_fen).toBe(122_950)
    expect(match.warnings).toContain('「实发工资」列有读不成金额的内容：第 3 行')
  })

  test.each([
    [5, '第 3、4、5、6、7 行'],
    [6, '第 3、4、5、6、7 行等 6 行'],
  ])('names at most five of %i unreadable rows', (count, rows) => {
    const bad = Array.from({ length: count }, (_, at) => [`李${'一二三四五六'[at]}`, '见备注'])
    const match = read([['姓名', '实发工资'], ['张三', '1,234.50'], ...bad, ['王五', '88.00']])
    expect(match.warnings).toContain(`「实发工资」列有读不成金额的内容：${rows}`)
  })

  test('reports long numbers stored as numbers', () => {
    const match = read([
      ['姓名', '银行卡号', '实发工资'],
      ['张三', 6222021234567890, 1],
    ])
    expect(match.warnings.join()).toContain('末尾几位已经丢失')
  })
})

describe('formulas without stored results', () => {
  const header = ['姓名', '基本工资', '扣款', '实发工资']
  test.each<[string, string, number | null]>([
    ['a chain of additions', 'B2-C2', 480_000],
    ['a sum', 'SUM(B2:C2)', 520_000],
    ['a sum of single cells', 'SUM(B2,C2,-$C$2)', 500_000],
    ['a rounded chain', 'ROUND(B2-C2/1,2)', null],
    ['rounding', 'ROUND(B2-C2+0.005,2)', 480_001],
    ['rounding of negative values away from zero', 'ROUND(C2-B2-0.005,2)', -480_001],
    ['a reference to another sheet', 'Sheet2!A1', null],
    ['a circular formula', 'D2+1', null],
    ['conditions', 'IF(B2>0,1,2)', null],
  ])('%s', (_, formula, fen) => {
    const match = read([header, ['张三', 5000, 200, null]], { marks: [[1, 3, { uncached: true, formula }]] })
    expect(match.net_sum_fen).toBe(fen)
    expect(match.warnings.some((warning) => warning.includes('没有保存计算结果'))).toBe(true)
  })
  test('shifts a formula shared with the row above', () => {
    const marks: Extra['marks'] = [
      [1, 3, { uncached: true, formula: 'B2-C2' }],
      [2, 3, { uncached: true, formula: '', shared: { formula: 'B2-C2', down: 1, right: 0 } }],
    ]
    expect(read([header, ['张三', 5000, 200, null], ['李四', 6000, 100, null]], { marks }).net_sum_fen).toBe(1_070_000)
  })
  test('terminates for an endless chain of formulas', () => {
    const many = Array.from({ length: 5000 }, (_, at): [number, number, CellMark] => [
      at + 1,
      3,
      { uncached: true, formula: `D${at + 3}+1` },
    ])
    const rows: StoredValue[][] = [header, ...many.map(([row]): StoredValue[] => [`员工${row}甲`, 1, 1, null])]
    expect(read(rows, { marks: many }).people).toBe(5000)
  })
})

describe('choice of the sheet', () => {
  const wages = [
    ['姓名', '实发工资'],
    ['张三', 1],
  ]
  test('selects the first visible sheet with wages, not a note or a member list', () => {
    const all = [
      grid([['使用说明']], { name: '说明' }),
      grid(
        [
          ['姓名', '手机号'],
          ['张三', '13800138000'],
        ],
        { name: '花名册' },
      ),
      grid(wages, { name: '旧', hidden: true }),
      grid(wages, { name: '十月' }),
      grid(wages, { name: '九月' }),
    ]
    const match = recognizeWorkbook(all).recognition
    expect(match.sheet).toBe('十月')
    expect(match.warnings.join()).toContain('九月')
    expect(recognizeWorkbook(all, ['九月']).recognition.sheet).toBe('九月')
  })
  test.each<[string, StoredValue[][], string]>([
    [
      'a staff list',
      [
        ['姓名', '手机号', '岗位'],
        ['张三', '13800138000', '会计'],
      ],
      'member_list',
    ],
    ['a template', [['姓名', '基本工资', '实发工资']], 'template'],
    [
      'free text items',
      [
        ['邮箱', '姓名', '条目1', '条目2'],
        ['a@example.com', '张三', '甲', '乙'],
      ],
      'wage',
    ],
    [
      'a sheet of another kind',
      [
        ['商品', '单价', '库存'],
        ['苹果', 5, 7],
      ],
      'not_a_wage_sheet',
    ],
    ['nothing', [], 'not_a_wage_sheet'],
  ])('%s', (_, rows, kind) => expect(read(rows).kind).toBe(kind))

  test('keeps the fingerprint of the columns next month', () => {
    const october = read([
      ['姓名', '扣10月养老保险', '实发 工资'],
      ['张三', 1, 1],
    ])
    const november = read([['十一月工资'], ['姓名', '扣11月养老保险', '实发\n工资'], ['李四', 1, 1]])
    expect(october.fingerprint).toBe(november.fingerprint)
  })
})
