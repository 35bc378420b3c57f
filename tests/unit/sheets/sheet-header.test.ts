/** Which row is the header, what is next to the table, what is no table at all, and whether it is about pay. */
import { describe, expect, test } from 'vitest'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { grid } from '../../support/files/grid.ts'
import { layout } from '../../support/files/sheet-layouts.ts'
import { asExpected, getLines, readLayout } from '../../support/sheets/drawn.ts'

type Case = [what: string, sheet: string, expected: string]
const notify = (cases: readonly Case[]) =>
  test.each(cases)('%s', (_, sheet, expected) =>
    expect(asExpected(expected, readLayout(sheet))).toBe(getLines(expected).join('\n')),
  )

describe('header', () => {
  notify([
    [
      'titles with a year, a month or a company are none',
      `2026年10月工资表 | 某某科技有限公司 | 奖金明细表
       姓名 | 基本工资 | 实发工资
       张三 | 5000 | 5000`,
      '表头 2\n人员 3',
    ],
    [
      'a row of sums over the header speaks of pay and names nobody',
      `基本工资 | 奖金 | 应发工资 | 社保 | 公积金 | 个税 | 实发工资
       11000 | 300 | 11300 | 700 | 500 | 30 | 10070
       姓名 | 实发工资 |
       张三 | 5000 |
       李四 | 5070 |`,
      '表头 3\n人员 4 5',
    ],
    [
      'a form about one person over the table',
      `姓名 | 王经理 | 部门 | 财务部
       电话 | '13800138000 | 岗位 | 会计

       姓名 | 基本工资 | 奖金 | 实发工资
       张三 | 5000 | 100 | 5100
       李四 | 6000 | 200 | 6200`,
      '表头 4\n人员 5 6',
    ],
    [
      'a form alone is no table',
      `姓名 | 王经理 | 部门 | 财务部
       电话 | '13800138000 | 岗位 | 会计
       性别 | 女 | 学历 | 本科`,
      '是 not_a_wage_sheet',
    ],
    [
      'two words of pay over amounts are enough',
      `甲 | 基本工资 | 实发工资
       张晓明 | 5000 | 5000
       李思远 | 6000 | 6000`,
      '是 wage\n表头 1\n人员 2 3\n必答 role:c0→name',
    ],
    [
      'two words in a text are not',
      `使用说明 | 基本工资 | 实发工资
       第一步 | 填基本工资 | 填实发
       第二步 | 保存 | 上传`,
      '是 not_a_wage_sheet',
    ],
    [
      'merged over two rows',
      `姓名 | 应发 | < | 扣款 | < | 实发
       ^ | 基本工资 | 奖金 | 社保 | 个税 | ^
       张三 | 5000 | 100 | 300 | 10 | 4790`,
      '表头 1 2\n人员 3\n列 姓名=name 应发 / 基本工资=earning 应发 / 奖金=earning 扣款 / 社保=deduction 扣款 / 个税=tax 实发=net',
    ],
  ])
})

describe('content next to the table', () => {
  const table = (a: string, b: string, c: string, d: string) => `
    姓名 | 基本工资 | 奖金 | 实发工资 ${a}
    张三 | 5000 | 100 | 5100 ${b}
    李四 | 6000 | 200 | 6200 ${c}
    王五 | 7000 | 300 | 7300 ${d}`
  const only = '人员 2 3 4\n实发 18600\n列 姓名=name 基本工资=earning 奖金=earning 实发工资=net'
  notify([
    [
      'a list of departments behind two blank columns',
      table('| | | 科室 | 金额', '| | | 财务 | 5100', '| | | 销售 | 13500', ''),
      only,
    ],
    ['one without a header of its own', table('', '| | 合计 | 18600', '| | 平均 | 6200', ''), only],
    ['one with labels of the table', table('| | 部门 | 实发工资', '| | 财务 | 5100', '| | 销售 | 13500', ''), only],
    ['one that is shorter than the table', table('| | 费率 | 比例', '| | 养老 | 0.08', '', ''), only],
    [
      'a blank column within the table parts nothing',
      table('| | 社保 | 备注', '| | 300 | 甲', '| | 400 | 乙', '| | 500 | 丙'),
      '人员 2 3 4\n列 姓名=name 基本工资=earning 奖金=earning 实发工资=net 社保=info 备注=info',
    ],
    [
      'to the left of the table',
      `费率 | 比例 | | | 姓名 | 基本工资 | 实发工资
       养老 | 0.08 | | | 张三 | 5000 | 5000
       医疗 | 0.02 | | | 李四 | 6000 | 6000`,
      '人员 2 3\n列 姓名=name 基本工资=earning 实发工资=net',
    ],
  ])

  const seeds = Array.from({ length: 200 }, (_, at) => at + 20_000)
  test.each(seeds)('layout %i with a summary table next to it', (seed) => {
    const { rows, merges, truth } = layout(seed)
    const width = Math.max(...rows.map((cells) => cells.length)) + 2
    const top = (truth.header_rows[0] ?? 1) - 1
    const block = [
      ['部门', '实发工资', '奖金'],
      ['甲', 18_600, 100],
      ['乙', 7300, 50],
    ]
    const wide = rows.map((cells, row) => {
      const comparison = block[row - top]
      return comparison ? [...cells, ...Array.from({ length: width - cells.length }, () => null), ...comparison] : cells
    })
    const match = recognizeWorkbook([grid(wide, { merges })]).recognition
    expect({
      people: match.data_rows,
      net: match.columns.find(({ role }) => role === 'net')?.col,
      net_sum_fen: match.net_sum_fen,
      columns: match.columns.filter(({ key }) => Number(key.slice(1)) >= width - 1),
    }).toEqual({ people: truth.people, net: truth.net, net_sum_fen: truth.net_sum_fen, columns: [] })
  })
})

describe('one row per item', () => {
  notify([
    [
      'is turned into a row a person',
      `姓名 | 部门 | 项目 | 金额
       张三 | 财务 | 基本工资 | 5000
       张三 | 财务 | 奖金 | 100
       张三 | 财务 | 实发工资 | 5100
       李四 | 销售 | 基本工资 | 6000
       李四 | 销售 | 奖金 | 200
       李四 | 销售 | 实发工资 | 6200`,
      '人员 3 4\n列 姓名=name 部门=department 基本工资=earning 奖金=earning 实发工资=net\n实发 11300\n提醒 …行号是转换之后的',
    ],
    [
      'an item that stands there twice is two columns, a line without a name is nobody’s and stays',
      `工号 | 姓名 | 工资项 | 金额
       '0001 | 张三 | 基本工资 | 5000
       '0001 | 张三 | 奖金 | 100
       '0001 | 张三 | 奖金 | 50
       '0002 | 李四 | 基本工资 | 6000
       '0002 | 李四 | 奖金 | 200
       | | 奖金 | 800`,
      '人员 3 4\n归谁 5\n列 工号=employee_no 姓名=name 基本工资=earning 奖金=earning 奖金=earning',
    ],
    [
      'namesakes with numbers of their own are two people',
      `工号 | 姓名 | 工资项 | 金额
       '0001 | 张三 | 基本工资 | 5000
       '0001 | 张三 | 实发工资 | 5000
       '0002 | 张三 | 基本工资 | 6000
       '0002 | 张三 | 实发工资 | 6000`,
      '人员 3 4\n实发 11000',
    ],
    [
      'one person over many months with remarks is none of these',
      `姓名 | 备注 | 金额
       张三 | 一月工资 | 5000
       李四 | 二月工资 | 6000
       王五 | 三月工资 | 6100
       赵六 | 四月工资 | 6200`,
      '人员 2 3 4 5',
    ],
  ])
})

describe('transposed table', () => {
  notify([
    [
      'somebody without a name among the others keeps his amounts',
      `姓名 | 张三 | 1024 | 李四
       基本工资 | 5000 | 7000 | 6000
       奖金 | 100 | 300 | 200
       实发工资 | 5100 | 7300 | 6200`,
      '人员 3 5\n归谁 4\n实发 11300',
    ],
    [
      'the sum at its end is nobody',
      `姓名 | 张三 | 李四 | 合计
       基本工资 | 5000 | 6000 | 11000
       实发工资 | 5100 | 6200 | 11300`,
      '人员 3 4\n归谁\n实发 11300',
    ],
  ])
})

describe('detection of lists about pay', () => {
  const requested = '是 wage\n必答 …about_pay'
  const list = (label: string, title = '') => `
    ${title}
    姓名 | 金额 | ${label}
    张三 | 50 | 5
    李四 | 60 | 6`
  notify([
    ['a collection of money', list('份数'), requested],
    ['a bill', list('合计'), requested],
    ['rent', list('水费'), requested],
  ])
  test.each(['2026年10月工资发放表', '十月奖金', '劳务报酬', '薪酬'])('detects a list about pay by the title %s', (title) => {
    expect(readLayout(list('份数', title)).questions.map(({ id }) => id)).not.toContain('about_pay')
  })
  test.each(['工资', '奖金', '津贴', '实发', '绩效', '加班费', '劳务费', '课时费'])(
    'detects a list about pay by a column %s',
    (label) => {
      expect(readLayout(list(label)).questions.map(({ id }) => id)).not.toContain('about_pay')
    },
  )
  test.each(['份数', '合计', '水费', '房租'])('detects no list about pay by a column %s', (label) => {
    expect(readLayout(list(label)).questions.map(({ id }) => id)).toContain('about_pay')
  })
  test('lets the answer to the question deny that a list is about pay', () => {
    const question = readLayout(list('份数')).questions.find(({ id }) => id === 'about_pay')
    expect(question?.choices.map(({ value }) => value)).toEqual(['yes', 'no'])
  })
  test('detects a list about pay by the name of the sheet', () => {
    expect(readLayout(list('份数'), { name: '十月工资' }).questions.map(({ id }) => id)).not.toContain('about_pay')
  })
  test('does not treat a list of goods as one about pay', () => {
    expect(asExpected('是 not_a_wage_sheet', readLayout('商品 | 单价 | 库存\n苹果 | 5 | 7\n梨 | 6 | 8'))).toBe(
      '是 not_a_wage_sheet',
    )
  })
})
