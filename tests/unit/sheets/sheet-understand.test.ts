/** Sheets as a payroll clerk would lay them out: the position of the header, and which rows are employees. */
import { describe, expect, test } from 'vitest'
import type { Merge, StoredValue } from '../../../server/spreadsheets/grid.ts'
import { getLabelMeaning } from '../../../server/spreadsheets/recognise/label-meaning.ts'
import { normalizeHeader } from '../../../server/spreadsheets/recognise/synonyms.ts'
import { type Read, read } from '../../support/files/grid.ts'

const roles = (read: Read) => Object.fromEntries(read.columns.map(({ label, role }) => [label, role]))
const why = (read: Read) => Object.fromEntries(read.ignored.map(({ row, why }) => [row, why]))
/** A merged range, inclusive and 0-based: top, left, bottom, right. */
const merge = (top: number, left: number, bottom: number, right: number): Merge => ({ top, left, bottom, right })

describe('meaning of a header', () => {
  test.each([
    [['姓名'], 'name'],
    [['* 姓  名 ：'], 'name'],
    [['员工编号(Y)'], 'employee_no'],
    [['手机号码（必填）'], 'mobile'],
    [['所属部门'], 'department'],
    [['油站名称'], 'department'],
    [['应发合计（元）'], 'gross'],
    [['实发工资'], 'net'],
    [['本月实付工资'], 'net'],
    [['实际扣款合计'], 'info'],
    [['税后补发'], 'earning'],
    [['电话补贴'], 'earning'],
    [['扣6月养老保险'], 'deduction'],
    [['养老金8%'], 'deduction'],
    [['公司应缴', '养老'], 'employer'],
    [['社保（个人）'], 'deduction'],
    [['单位', '公积金'], 'employer'],
    [['个人所得税'], 'tax'],
    [['加班费'], 'earning'],
    [['加班小时'], 'info'],
    [['社保基数'], 'info'],
    [['税率'], 'info'],
    [['代扣代缴款项', '其他1'], 'deduction'],
    [['应发', '项目甲'], 'earning'],
    [['去年核定工资'], 'info'],
    [['員工編號'], 'employee_no'],
    [['應領合計'], 'gross'],
    [['實領金額'], 'net'],
    [['勞保費'], 'deduction'],
    [['NettPay'], 'net'],
    [['Employer PF'], 'employer'],
    [['CPF_Employee'], 'deduction'],
    [['紧急联系人电话'], 'info'],
    [['客户名称'], 'info'],
    [['应发', '固定', '岗位'], 'earning'],
    [['累计代扣社保(个人)'], 'info'],
    [['Net Salary'], 'net'],
    [['OVERTIME HOURS'], 'info'],
    [['差引支給額'], 'net'],
    [['실수령액'], 'net'],
    [['Thực lĩnh'], 'net'],
    [['__proto__'], 'info'],
    [['constructor'], 'info'],
  ])('reads %j as %s', (path, role) => expect(getLabelMeaning(path).role).toBe(role))

  test('ignores decoration around labels', () => {
    expect(normalizeHeader(' ＊ 基 本\n工资（元）：')).toBe('基本工资')
    expect(normalizeHeader('net_salary')).toBe('net salary')
    expect(normalizeHeader('实\u200b发')).toBe('实发')
  })
})

describe('position of the header', () => {
  const people: StoredValue[][] = [
    [1, '张三', 5000, 200, 4800],
    [2, '李四', 6000, 300, 5700],
  ]

  test('finds the header under a title and a unit row', () => {
    const match = read([
      ['2026年10月工资表'],
      [null, null, null, null, '单位：元'],
      ['序号', '姓名', '基本工资', '社保', '实发'],
      ...people,
    ])
    expect(match.header).toEqual({ rows: [3], first_data_row: 4, last_data_row: 5 })
    expect(why(match)).toEqual({ 1: '标题行', 2: '说明行，在表头之上' })
    expect(match.net_sum_fen).toBe(1_050_000)
    expect(match.formula).toEqual({ plus: ['c2'], minus: ['c3'], net: 'c4', holds: 2, of: 2 })
  })

  test('reads a header of two rows with merged groups', () => {
    const rows: StoredValue[][] = [
      ['序号', '姓名', '应发', null, '扣款', '实发工资'],
      [null, null, '基本工资', '奖金', '社保'],
      [1, '张三', 5000, 100, 300, 4800],
    ]
    const match = read(rows, { merges: [merge(0, 0, 1, 0), merge(0, 1, 1, 1), merge(0, 2, 0, 3), merge(0, 5, 1, 5)] })
    expect(match.header.rows).toEqual([1, 2])
    expect(match.columns.map(({ label }) => label)).toEqual([
      '序号',
      '姓名',
      '应发 / 基本工资',
      '应发 / 奖金',
      '扣款 / 社保',
      '实发工资',
    ])
  })

  test('reads a header of two rows without any merge', () => {
    const match = read([
      ['员工信息', null, '应发', null, '扣款', null, '实发工资'],
      ['姓名', '工号', '基本工资', '奖金', '社保', '个税', null],
      ['张三', 'A01', 5000, 100, 300, 10, 4790],
    ])
    expect(match.header.rows).toEqual([1, 2])
    expect(match.columns.map(({ label }) => label)).toEqual([
      '员工信息 / 姓名',
      '员工信息 / 工号',
      '应发 / 基本工资',
      '应发 / 奖金',
      '扣款 / 社保',
      '扣款 / 个税',
      '实发工资',
    ])
    expect(match.people).toBe(1)
  })

  test('reads header words split over two cells', () => {
    const rows: StoredValue[][] = [
      ['职工', '姓名', '所属', '基本', '事假'],
      ['代码', null, '部门', '工资', '天数'],
      ['A001', '许振', '管理部', 3000, 2],
    ]
    const match = read(rows, { merges: [merge(0, 1, 1, 1)] })
    expect(match.header.rows).toEqual([1, 2])
    expect(roles(match)).toMatchObject({
      '职工 / 代码': 'employee_no',
      '所属 / 部门': 'department',
      '基本 / 工资': 'earning',
      '事假 / 天数': 'info',
    })
  })

  test('excludes machine keys above the header, hidden or not', () => {
    const rows: StoredValue[][] = [
      ['seq', 'name', 'pay_item_1', 'pay_item_2', 'net_pay'],
      ['序号', '姓名', '基本工资', '社保', '实发工资'],
      ...people,
    ]
    expect(read(rows).header.rows).toEqual([2])
    expect(read(rows, { hidden_rows: [0] }).header.rows).toEqual([2])
  })

  test('reads a header that is repeated before every employee in payslip strips', () => {
    const header = ['姓名', '基本工资', '实发工资']
    const match = read([header, ['张三', 10, 10], header, ['李四', 20, 20], header, ['王五', 30, 30]])
    expect(match.data_rows).toEqual([2, 4, 6])
    expect(why(match)).toEqual({ 3: '重复的表头', 5: '重复的表头' })
  })

  test('reads a header that is repeated with the title over every employee in payslip strips', () => {
    const header = ['姓名', '基本工资', '实发工资']
    const slip = (name: string): StoredValue[][] => [['2026年11月工资条'], header, [name, 100, 100], []]
    const match = read(['张三', '李四', '王五'].flatMap(slip))
    expect(match.data_rows).toEqual([3, 7, 11])
    expect(why(match)).toMatchObject({ 5: '重复的标题', 6: '重复的表头', 9: '重复的标题' })
  })

  test('reads titles that differ by employee, and counts a name without amounts as an employee', () => {
    const header = ['姓名', '基本工资', '实发工资']
    const match = read([header, ['张三', 100, 100], ['2026年10月份 工资单'], ['李四', 100, 100], ['王五', null, null]])
    expect(match.data_rows).toEqual([2, 4, 5])
  })

  test('reads a header with names of object properties', () => {
    const match = read([
      ['姓名', '__proto__', 'constructor', '实发工资'],
      ['张三', 1, 2, 3],
    ])
    expect(match.columns.map(({ label }) => label)).toEqual(['姓名', '__proto__', 'constructor', '实发工资'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

describe('rows of employees', () => {
  const header = ['序号', '姓名', '部门', '基本工资', '实发工资']
  const zhang: StoredValue[] = [1, '张三', '财务部', 5000, 4800]
  test.each<[string, StoredValue[], string]>([
    ['a total row', ['合计', null, null, 5000, 4800], '「合计」行，不是员工'],
    ['a total row with a spaced label', [null, '合  计', null, 5000, 4800], '「合计」行，不是员工'],
    ['a subtotal row', [null, '财务部小计', null, 5000, 4800], '「财务部小计」行，不是员工'],
    ['a row with an average', ['平均', null, null, 5000, 4800], '统计行，不是员工'],
    ['a signature row', ['制表：王芳', null, '审核：', null, '批准：'], '签字或审批行'],
    ['a row with a note', ['注：本月含高温津贴', null, null, null, null], '说明文字'],
    ['a row of column codes', ['A', 'B', 'C', 'D1', 'E=D1'], '列编号行'],
    ['a row of column numbers', [1, 2, 3, 4, 5], '列编号行'],
    ['an amount without a name', [null, null, null, 5000, 4800], '有金额但没有姓名'],
    ['default values without a name', [null, null, '财务部', null, null], '没有姓名'],
    ['a number as a name', [9, 15, null, null, null], '姓名一栏不是姓名'],
    ['the header as an employee', [9, '姓名', '销售部', 0, 0], '占位行：姓名一栏写的是表头'],
  ])('excludes %s from the rows of employees', (_, row, reason) => {
    const match = read([header, zhang, row])
    expect(match.data_rows).toEqual([2])
    expect(why(match)[3]).toBe(reason)
  })

  test.each<[string, StoredValue[]]>([
    ['a name with a space', [2, '佟 坤', '保卫部', 1, 1]],
    ['a row with a Latin name', [2, 'Smith', '保卫部', 1, 1]],
    ['a name that begins like the label of a total', [2, '何计', '合计部', 1, 1]],
    ['an employee without amounts', [2, '李四', '财务部', null, null]],
  ])('includes %s in the rows of employees', (_, row) => expect(read([header, zhang, row]).data_rows).toEqual([2, 3]))

  test('allows empty rows between employees and a matching total', () => {
    const match = read([header, zhang, [], [null, ' '], ['合计', null, null, 5000, 4800]])
    expect(match.data_rows).toEqual([2])
    expect(why(match)).toEqual({ 3: '空行', 4: '空行', 5: '「合计」行，不是员工' })
    expect(match.totals_row).toEqual({ row: 5, net_fen: 480_000, agrees: true })
  })

  test('lists at most a thousand other rows in addition to the rows of employees', () => {
    const match = read([header, zhang, ...Array.from({ length: 1500 }, (): StoredValue[] => [null, null, null, 5, 5])])
    expect(match.ignored).toHaveLength(1000)
    expect(match.warnings).toContain('还有 500 行不是员工，没有一一列出')
  })

  test('identifies employees by number alone without a name column', () => {
    const match = read([
      ['员工编号', '奖金', '实发工资'],
      [1001, 5, 5],
      ['合计', 5, 5],
    ])
    expect(match.data_rows).toEqual([2])
    expect(match.warnings).toContain('没有姓名列，只能按编号认人')
  })

  test('treats an employee with many months as one, and two namesakes as two', () => {
    const months = [['工号', '姓名', '月份', '实发工资'], ...[1, 2, 3].map((month) => ['A1', '张三', `${month}月`, 1])]
    expect(read(months).people).toBe(1)
    expect(
      read([
        ['姓名', '部门', '实发工资'],
        ['张三', '甲', 1],
        ['张三', '乙', 2],
      ]).people,
    ).toBe(2)
  })
})
