/**
 * Every situation in which a row with an amount could be lost silently: it belongs to an employee, or the user is asked
 * whose it is.
 */
import { describe, expect, test } from 'vitest'
import { listRowsToStore } from '../../../server/spreadsheets/child/response.ts'
import type { StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { trimRows } from '../../../server/spreadsheets/read/trim.ts'
import { sheetLimits } from '../../../server/spreadsheets/read/unreadable-error.ts'
import { grid, read } from '../../support/files/grid.ts'
import { layout } from '../../support/files/sheet-layouts.ts'
import { asExpected, getLines, readLayout } from '../../support/sheets/drawn.ts'

type Case = [what: string, sheet: string, expected: string]
const notify = (cases: readonly Case[]) =>
  test.each(cases)('%s', (_, sheet, expected) =>
    expect(asExpected(expected, readLayout(sheet))).toBe(getLines(expected).join('\n')),
  )
const table = (row: string, above = '') => `${above}
  姓名 | 工号 | 基本工资 | 奖金 | 实发工资
  张三 | A1001 | 5000 | 100 | 5100
  ${row}
  李四 | A1002 | 6000 | 200 | 6200
  王五 | A1003 | 7000 | 300 | 7300`

describe('content of a row', () => {
  notify([
    ...['3000(现金)', '5000元/月', '叁仟元整', '5k', '约3000元', '1.2万', '两千元', '800（已付）', '3000元整'].map(
      (message): Case => [`an amount in words: ${message}`, table(`无 | | | | ${message}`), '人员 2 4 5\n归谁 3'],
    ),
    ...['见附表', '另发', '2026年10月', '第3页', '签字：', '2026/10/31', '10月', '3人', '--'].map(
      (message): Case => [`no amount: ${message}`, table(`无 | | | | ${message}`), '人员 2 4 5\n归谁'],
    ),
    ['an error where an amount should be', table('无 | | | | #REF!'), '人员 2 4 5\n归谁 3'],
    ['a blank row with an error is nobody', table('| | | | #REF!'), '人员 2 4 5\n归谁'],
    ['a total word beside somebody’s number', table('合计 | A1009 | 4000 | 0 | 4000'), '人员 2 4 5\n归谁 3'],
    ['somebody called Sum', table('Sum | A1009 | 4000 | 0 | 4000'), '人员 2 3 4 5\n归谁'],
    ['a total', table('合计 | | 5000 | 100 | 5100'), '人员 2 4 5\n归谁\n忽略 3 「合计」行，不是员工'],
    [
      'amounts of which only half are sums of those above',
      `姓名 | 基本工资 | 奖金 | 补贴 | 实发工资
       张三 | 5000 | 100 | 30 | 5130
       李四 | 6000 | 200 | 40 | 6240
       | 11000 | 300 | 90 | 9000
       王五 | 7000 | 300 | 50 | 7350`,
      '人员 2 3 5\n归谁 4',
    ],
    ['column codes', table('A | B | C | D | E=C+D'), '人员 2 4 5\n归谁\n忽略 3 列编号行'],
    ['numbers of the columns', table('1 | 2 | 3 | 4 | 5'), '人员 2 4 5\n归谁\n忽略 3 列编号行'],
    ['column codes with pay in them', table('A1 | B1 | C1 | 300 | 5300'), '人员 2 3 4 5\n归谁'],
    ['codes for a name and pay', table('1 | B2 | C2 | D2 | 5300'), '人员 2 4 5\n归谁 3'],
    [
      'the header again, with amounts in it',
      `姓名 | 部门 | 岗位 | 工龄 | 备注 | 学历 | 实发工资
       张三 | 财务部 | 会计 | 3 | 无 | 本科 | 5100
       姓名 | 部门 | 岗位 | 工龄 | 备注 | 学历 | 800
       李四 | 财务部 | 会计 | 3 | 无 | 本科 | 5100`,
      '人员 2 4\n归谁 3',
    ],
    ['the header again', table('姓名 | 工号 | 基本工资 | 奖金 | 实发工资'), '人员 2 4 5\n归谁\n忽略 3 重复的表头'],
    [
      'an amount in a column without a label',
      `姓名 | 基本工资 | | 实发工资
       张三 | 5000 | 500 | 5500
       无 | | 800 |
       李四 | 6000 | 600 | 6600`,
      '人员 2 4\n归谁 3',
    ],
  ])
})

describe('content above the header', () => {
  notify([
    [
      'a person, where the header was sorted with the rows',
      table('赵六 | A1004 | 8000 | 400 | 8400', '\n陈七 | A1005 | 4000 | 0 | 4000'),
      '表头 2\n人员 3 4 5 6\n归谁 1\n忽略 1 在表头之上，有金额',
    ],
    ['several people', table('', '\n陈七 | A1005 | 4000 | 0 | 4000\n冯八 | A1006 | 3000 | 50 | 3050'), '人员 4 6 7\n归谁 1 2'],
    ['somebody without a name', table('', '\n | A1005 | 4000 | 0 | 4000'), '人员 3 5 6\n归谁 1'],
    ['a name and one amount', table('', '\n陈七 | | | | 4000'), '人员 3 5 6\n归谁 1'],
    [
      'a sum of everything that does not say so',
      table('', '\n| | 18000 | 600 | 18600'),
      '人员 3 5 6\n归谁\n忽略 1 合计行，没有写「合计」；4 空行',
    ],
    ['a sum that says so', table('', '\n合计 | | 18000 | 600 | 18600'), '人员 3 5 6\n归谁'],
    ['a title with a year', table('', '\n2026年10月工资表 | | 2026 | 10 |'), '人员 3 5 6\n归谁'],
    ['working days', table('', '\n本月应出勤 | | 22 | |'), '人员 3 5 6\n归谁'],
  ])
})

describe('several tables', () => {
  const labels = '甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥天地玄黄宇宙洪荒日月盈昃'
  const many = (count: number, other: (at: number) => string): StoredValue[][] =>
    Array.from({ length: count }, (_, at): StoredValue[][] => [
      ['姓名', '基本工资', other(at), '绩效工资', '全勤奖', '实发工资'],
      [`张${labels[at]}`, 5000 + at, 100, 1, 2, 5103 + at],
      [],
    ]).flat()
  test('reads all of seven tables with different columns', () => {
    const match = read(many(7, (at) => `${labels[at]}项补贴`))
    expect(match.people).toBe(7)
    expect(match.net_sum_fen).toBe(7 * 5103_00 + 21_00)
  })
  test('refuses a sheet with more tables than can be combined instead of reading a part', () => {
    const match = read(many(34, (at) => `${labels[at]}项补贴`))
    expect(match.kind).toBe('not_a_wage_sheet')
    expect(match.reason).toContain('拆成几个工作表')
  })
  notify([
    [
      'a bonus of the same people beside the table',
      `姓名 | 基本工资 | 实发工资 | | | 姓名 | 补发工资
       张三 | 5000 | 5000 | | | 张三 | 800
       李四 | 6000 | 6000 | | | 李四 | 900`,
      '人员 2 3\n必答 several_tables→one',
    ],
    [
      'people beside the table without a header',
      `姓名 | 基本工资 | 实发工资 | | |
       张三 | 5000 | 5000 | | | 王小五 | 800
       李四 | 6000 | 6000 | | |`,
      '人员 2 3\n必答 several_tables→one',
    ],
    [
      'rates beside the table are nobody',
      `姓名 | 基本工资 | 实发工资 | | | 费率 | 基数
       张三 | 5000 | 5000 | | | 养老 | 3800
       李四 | 6000 | 6000 | | | 医疗 | 4200`,
      '人员 2 3\n必答',
    ],
    [
      'a second table of amounts that nobody claims',
      `姓名 | 基本工资 | 实发工资
       张三 | 5000 | 5000
       李四 | 6000 | 6000
       | |
       编组 | 工时工资 | 餐补 | 加班费 | 奖金 | 社保 | 实发工资
       1 | 800 | 100 | 50 | 20 | 10 | 960
       2 | 850 | 100 | 50 | 20 | 10 | 1010`,
      '人员 2 3\n必答 several_tables→one',
    ],
  ])
  test('reports sheets beyond the number that is read', () => {
    const one = grid([
      ['姓名', '基本工资', '实发工资'],
      ['张三', 5000, 5000],
      ['李四', 6000, 6000],
    ])
    const sheets = Array.from({ length: 61 }, (_, at) => ({ ...one, name: `部门${at}` }))
    const format = (list: typeof sheets) => recognizeWorkbook(list).recognition.warnings.join()
    expect(format(sheets)).toContain('文件里有 61 个工作表，只看了前 60 个')
    expect(format(sheets.slice(0, 60))).not.toContain('只看了')
  })
  notify([
    [
      'a merge over header and people makes no header of them',
      `姓名 | 基本工资 | 奖金 | 实发工资 | 备注
       张三 | 5000 | 100 | 5100 | ^
       李四 | 6000 | 200 | 6200 | ^
       王五 | 7000 | 300 | 7300 |`,
      '表头 1\n人员 2 3 4',
    ],
    [
      'an amount alone in a long table',
      `姓名 | 项目 | 金额
       张三 | 基本工资 | 5000
       张三 | 奖金 | 100
       李四 | 基本工资 | 6000
       李四 | 奖金 | 200
       | | 700`,
      '人员 3 4\n归谁 5',
    ],
  ])
})

describe('rows beyond the limit', () => {
  const at = (row: number, cells: StoredValue[]) => {
    const rows: StoredValue[][] = [['姓名'], ['张三']]
    rows[row] = cells
    return rows
  }
  test.each<[string, StoredValue[][], boolean]>([
    ['a distant cell is a mistake', at(sheetLimits.rows + 7, [null, 1]), false],
    ['a distant row is an employee', at(sheetLimits.rows + 7, ['李四', 'A1', 5000]), true],
    ['the last row that is read', at(sheetLimits.rows - 1, ['李四', 'A1', 5000]), false],
  ])('%s', (_, rows, refused) => {
    if (refused) expect(() => trimRows(rows)).toThrow('10 万行')
    else expect(() => trimRows(rows)).not.toThrow()
  })
})

/** A row inserted anywhere in any layout is kept whatever replaces its name. */
describe('row with an amount in any layout', () => {
  const says: StoredValue[] = ['1024', '无', null, '财务部', '备注：临时工', '制表人：王五', 'xxx', 7, '示例', '待定']
  const seeds = Array.from({ length: 120 }, (_, at) => at + 31_000)
  test.each(seeds)('keeps the row with an amount in layout %i', (seed) => {
    const { rows, merges, truth } = layout(seed, { header: 'one row', body: seed % 3 ? 'plain' : 'slips' })
    const last = truth.people.at(-1) ?? 1
    const name = (truth.identity['name']?.charCodeAt(0) ?? 65) - 65
    const net = truth.net.charCodeAt(0) - 65
    const stray: StoredValue[] = Array.from({ length: Math.max(name, net) + 1 }, () => null)
    stray[name] = says[seed % says.length] ?? null
    stray[net] = 4321.5
    const match = recognizeWorkbook([grid([...rows.slice(0, last), stray, ...rows.slice(last)], { merges })]).recognition
    expect(listRowsToStore(match)).toEqual([...truth.people, last + 1])
    expect(match.unclaimed).toEqual([last + 1])
  })
})
