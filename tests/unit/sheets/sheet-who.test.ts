/**
 * The member of a row, and that no row with an amount is lost: sheets as clerks design them, with what is recognised,
 * asked and skipped.
 */
import { describe, expect, test } from 'vitest'
import { listRowsToStore } from '../../../server/spreadsheets/child/response.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { everyRow, grid } from '../../support/files/grid.ts'
import { layout } from '../../support/files/sheet-layouts.ts'
import { asExpected, getLines, readLayout } from '../../support/sheets/drawn.ts'

type Case = [what: string, sheet: string, expected: string]
const notify = (cases: readonly Case[]) =>
  test.each(cases)('%s', (_, sheet, expected) =>
    expect(asExpected(expected, readLayout(sheet))).toBe(getLines(expected).join('\n')),
  )

describe('unassigned rows with an amount', () => {
  const table = (row: string) => `
    姓名 | 基本工资 | 奖金 | 实发工资
    张三 | 5000 | 100 | 5100
    ${row}
    李四 | 6000 | 200 | 6200`
  notify([
    ...['1024', "'1024", '无', 'xxx', '待定', '某某', '/', '-', '0', '销售部', '仓储中心', '第一车间', '姓名'].map(
      (name): Case => [`the name is ${name}`, table(`${name} | 7000 | 300 | 7300`), '人员 2 4\n归谁 3'],
    ),
    ['no name', table('| 7000 | 300 | 7300'), '人员 2 4\n归谁 3\n忽略 3 有金额但没有姓名'],
    ['a date for a name', table('2026-10-01 | 7000 | 300 | 7300'), '人员 2 4\n归谁 3'],
    ['a note with an amount', table('备注：临时工 | | | 800'), '人员 2 4\n归谁 3'],
    ['a note with an amount written as text', table("注：临时工 | | | '800"), '人员 2 4\n归谁 3'],
    ['a signature with an amount', table('制表人：王五 | | 审核：赵六 | 800'), '人员 2 4\n归谁 3'],
    ['zeros of formulas dragged too far are nobody', table('| 0 | 0 | 0'), '人员 2 4\n归谁\n忽略 3 没有姓名'],
    ['nobody and nothing', table('无 | | |'), '人员 2 4\n归谁\n忽略 3 姓名一栏不是姓名'],
    ['a note', table('备注：本月含高温补贴 | | |'), '归谁\n忽略 3 说明文字'],
    ['a signature', table('制表：王五 | | 审核：赵六 |'), '归谁\n忽略 3 签字或审批行'],
    ['阿部 and 长谷部 are people', table('长谷部 | 7000 | 300 | 7300'), '人员 2 3 4\n归谁'],
    ['王科 and 李组 are people', table('王科 | 7000 | 300 | 7300'), '人员 2 3 4\n归谁'],
  ])
  notify([
    [
      'an amount under a label that nobody knows',
      `姓名 | 水站 | 开门红 | 实发工资
       张三 | 500 | 100 | 600
       无 | 800 | |
       李四 | 600 | 200 | 800`,
      '人员 2 4\n归谁 3',
    ],
    [
      'a small number under such a label counts something else',
      `姓名 | 座位 | 实发工资
       张三 | 5 | 600
       无 | 8 |
       李四 | 6 | 800`,
      '人员 2 4\n归谁',
    ],
    [
      'a total that does not say so, and one of a department',
      `部门 | 姓名 | 基本工资 | 奖金 | 实发工资
       甲 | 张三 | 5000 | 100 | 5100
       甲 | 李四 | 6000 | 200 | 6200
       | | 11000 | 300 | 11300
       乙 | 王五 | 7000 | 300 | 7300
       乙 | 赵六 | 8000 | 400 | 8400
       | | 15000 | 700 | 15700
       | | 26000 | 1000 | 27000`,
      '人员 2 3 5 6\n归谁\n忽略 4 合计行，没有写「合计」；7 合计行，没有写「合计」；8 合计行，没有写「合计」',
    ],
    [
      'the only amount of three people added up',
      `姓名 | 实发工资
       张三 | 5000
       李四 | 6000
       王五 | 7000
       | 18000`,
      '人员 2 3 4\n归谁',
    ],
    [
      'of two people it may be anything',
      `姓名 | 实发工资
       张三 | 5000
       李四 | 6000
       | 11000`,
      '人员 2 3\n归谁 4',
    ],
    [
      'a total that is wrong and does not say what it is',
      `姓名 | 基本工资 | 实发工资
       张三 | 5000 | 5000
       李四 | 6000 | 6000
       | 11000 | 12000`,
      '人员 2 3\n归谁 4',
    ],
    [
      'Max has a number of his own, the largest has none',
      `工号 | 姓名 | 基本工资 | 实发工资
       '1001 | Max | 5000 | 5000
       '1002 | Min | 6000 | 6000
       | Max | 6000 | 6000`,
      '人员 2 3\n归谁\n忽略 4 统计行，不是员工',
    ],
    [
      'a number and no name is somebody: the roster knows who, the check asks',
      `工号 | 姓名 | 基本工资 | 实发工资
       A1001 | 张三 | 5000 | 5000
       A1002 | | 6000 | 6000`,
      '人员 2 3\n归谁',
    ],
  ])

  const names = ['1024', 1024, '无', 'xxx', null, '财务部', '待定'] as const
  const seeds = Array.from({ length: 210 }, (_, at) => at + 9000)
  test.each(seeds)('layout %i: keeps the row of an employee with any replaced name', (seed) => {
    const { rows, merges, truth } = layout(seed, { header: 'one row', body: seed % 2 ? 'plain' : 'subtotals' })
    const column = truth.identity['name']
    const at = (column?.charCodeAt(0) ?? 65) - 65
    const strong = ['mobile', 'id_card', 'employee_no'].some((role) => truth.identity[role] !== undefined)
    const victim = truth.people[seed % truth.people.length] ?? 0
    const name = names[seed % names.length]
    const changed = rows.map((cells, row) => (row === victim - 1 ? cells.with(at, name) : cells))
    const sheet = grid(changed, { merges })
    const { recognition: match, grids } = recognizeWorkbook([sheet])
    const isSomebody = strong && name === null
    expect(match.unclaimed).toEqual(isSomebody ? [] : [victim])
    expect(match.data_rows).toEqual(truth.people.filter((row) => isSomebody || row !== victim))
    // The row is stored with the others, and the check asks whose it is.
    expect(listRowsToStore(match)).toEqual(truth.people)
    expect(everyRow(grids, match).map(({ row }) => row)).toEqual(truth.people)
  })
})

describe('identity columns', () => {
  notify([
    [
      'a label that nobody knows over names',
      `序号 | 老师 | 基本工资 | 奖金 | 实发工资
       1 | 张晓明 | 5000 | 100 | 5100
       2 | 李思远 | 6000 | 200 | 6200
       3 | 王大力 | 7000 | 300 | 7300`,
      '人员 2 3 4\n必答 role:c1→name\n实发 18600',
    ],
    [
      'no label over the names',
      `序号 | | 基本工资 | 奖金 | 实发工资
       1 | 张晓明 | 5000 | 100 | 5100
       2 | 李思远 | 6000 | 200 | 6200`,
      '人员 2 3\n必答 role:c1→name',
    ],
    [
      'the column called 姓名 is empty, the names stand beside it',
      `姓名 | 称呼 | 基本工资 | 奖金 | 实发工资
       | 张晓明 | 5000 | 100 | 5100
       | 李思远 | 6000 | 200 | 6200`,
      '人员 2 3\n必答 role:c1→name\n列 姓名=info 称呼=name 基本工资=earning 奖金=earning 实发工资=net',
    ],
    [
      'the same 员工 in every row is nobody',
      `员工 | 对象 | 基本工资 | 奖金 | 实发工资
       某某公司全体 | 张晓明 | 5000 | 100 | 5100
       某某公司全体 | 李思远 | 6000 | 200 | 6200`,
      '人员 2 3\n必答 role:c1→name',
    ],
    [
      'unless there is nobody else: one person over many months',
      `月份 | 姓名 | 基本工资 | 实发工资
       2026-01-01 | 张三 | 5000 | 5000
       2026-02-01 | 张三 | 6000 | 6000`,
      '人员 2 3\n必答',
    ],
    [
      'departments and posts are no names',
      `部门 | 岗位 | 基本工资 | 奖金 | 实发工资
       财务部 | 会计 | 5000 | 100 | 5100
       销售部 | 经理 | 6000 | 200 | 6200`,
      '是 wage\n人员\n归谁 2 3\n必答 who→name:c0',
    ],
    [
      'nobody recognised: a question, never a template',
      `姓名 | 基本工资 | 奖金 | 实发工资
       1024 | 5000 | 100 | 5100
       1025 | 6000 | 200 | 6200`,
      '是 wage\n人员\n归谁 2 3\n必答 who→employee_no:c0\n实发 无',
    ],
    [
      'letters of the roster only',
      `代号 | 甲方 | 基本工资 | 奖金 | 实发工资
       A-1 | 同上 | 5000 | 100 | 5100
       A-2 | 同上 | 6000 | 200 | 6200`,
      '是 wage\n归谁 2 3\n必答 who→employee_no:c0',
    ],
    ['a template stays one', '姓名 | 基本工资 | 奖金 | 实发工资', '是 template\n必答'],
    [
      'so does one with zeros',
      `姓名 | 基本工资 | 实发工资
       | 0 | 0
       | 0 | 0`,
      '是 template\n归谁',
    ],
    [
      'numbers of employees without names',
      `工号 | 基本工资 | 奖金 | 实发工资
       A01 | 5000 | 100 | 5100
       A02 | 6000 | 200 | 6200
       | 800 | 0 | 800`,
      '是 wage\n人员 2 3\n归谁 4\n必答\n列 工号=employee_no 基本工资=earning 奖金=earning 实发工资=net',
    ],
    ...['员工编码', '人员编码', '职工编码', '人员代号', '员工代号', '职员编码'].map(
      (label): Case => [
        `${label} is a number of an employee`,
        `${label} | 基本工资 | 实发工资
         '0012 | 5000 | 5000
         '0013 | 6000 | 6000`,
        `人员 2 3\n列 ${label}=employee_no 基本工资=earning 实发工资=net`,
      ],
    ),
    [
      '编号 with leading zeros is one, 编号 1 2 3 counts',
      `编号 | 姓名 | 基本工资 | 实发工资
       '001 | 张三 | 5000 | 5000
       '002 | 李四 | 6000 | 6000`,
      '列 编号=employee_no 姓名=name 基本工资=earning 实发工资=net',
    ],
    [
      '1 2 3',
      `编号 | 姓名 | 基本工资 | 实发工资
       1 | 张三 | 5000 | 5000
       2 | 李四 | 6000 | 6000`,
      '列 编号=info 姓名=name 基本工资=earning 实发工资=net',
    ],
    [
      'the slip of one person who is named in a sentence is no table',
      `급여명세서
       성명 : 홍길동
       근무일자 | 급여액수 | 주휴수당 | 상여금
       2025.07.01 | 924000 | 184800 | 200000
       2025.07.02 | 924001 | 184801 | 200001`,
      '是 not_a_wage_sheet',
    ],
  ])
})
