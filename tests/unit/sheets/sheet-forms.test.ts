/**
 * Which column is the net pay, and shapes that are no plain table: forms of one employee, dates as labels, rows of
 * items.
 */
import { describe, expect, test } from 'vitest'
import { asExpected, getLines, readLayout, storedOf } from '../../support/sheets/drawn.ts'

type Case = [what: string, sheet: string, expected: string]
const notify = (cases: readonly Case[]) =>
  test.each(cases)('%s', (_, sheet, expected) =>
    expect(asExpected(expected, readLayout(sheet))).toBe(getLines(expected).join('\n')),
  )

describe('choice of the net column', () => {
  notify([
    [
      'two that say so: the later one adds up to nothing, none is suggested',
      `姓名 | 基本工资 | 奖金 | 社保 | 实发金额 | 实发工资
       张三 | 5000 | 100 | 300 | 4800 | 4000
       李四 | 6000 | 200 | 400 | 5800 | 5100
       王五 | 7000 | 300 | 500 | 6800 | 6300`,
      '必答 net→无建议',
    ],
    [
      'neither adds up: none is suggested',
      `姓名 | 基本工资 | 奖金 | 社保 | 实发金额 | 实发工资
       张三 | 5000 | 100 | 300 | 4801 | 4000
       李四 | 6000 | 200 | 400 | 5899 | 5100
       王五 | 7000 | 300 | 500 | 6805 | 6300`,
      '必答 net→无建议',
    ],
    [
      'only the later one adds up: it is suggested',
      `姓名 | 基本工资 | 奖金 | 社保 | 实发金额 | 实发工资
       张三 | 5000 | 100 | 300 | 4000 | 4800
       李四 | 6000 | 200 | 400 | 5100 | 5800
       王五 | 7000 | 300 | 500 | 6300 | 6800`,
      '必答 net→net:c5',
    ],
    [
      'none that says so: arithmetic first',
      `姓名 | 应发合计 | 社保 | 个税 | 结余工资
       张三 | 5000 | 300 | 10 | 4690
       李四 | 6000 | 400 | 20 | 5580`,
      '必答 net→net:c4',
    ],
    [
      'a lone amount',
      `姓名 | 工号 | 奖金
       张三 | A1001 | 300
       李四 | A1002 | 400`,
      '必答 net→net:c2',
    ],
    [
      'nothing is taken off: what is earned',
      `姓名 | 基本工资 | 奖金 | 应发工资
       张三 | 5000 | 300 | 5300
       李四 | 6000 | 400 | 6400`,
      '必答 net→net:c3',
    ],
  ])
})

describe('forms of one employee are no header', () => {
  notify([
    [
      'label, value, label, value',
      `姓名 | 张三 | 部门 | 财务部
       基本工资 | 5000 | 奖金 | 100
       社保 | 300 | 实发工资 | 4800`,
      '是 not_a_wage_sheet\n原因 …一个人的工资条',
    ],
    [
      'with a title over it',
      `张三2026年10月工资条
       姓名 | 张三 | 工号 | A1001
       基本工资 | 5000 | 奖金 | 100
       实发工资 | 5100 | |`,
      '是 not_a_wage_sheet\n原因 …一个人的工资条',
    ],
    [
      'three pairs in a row',
      `姓名 | 张三 | 部门 | 财务部 | 岗位 | 会计
       基本工资 | 5000 | 奖金 | 100 | 补贴 | 50
       社保 | 300 | 个税 | 10 | 实发工资 | 4840`,
      '是 not_a_wage_sheet\n原因 …一个人的工资条',
    ],
  ])
})

describe('dates as labels are attendance', () => {
  const days = (labels: string) => `
    姓名 | ${labels} | 基本工资 | 实发工资
    张三 | 8 | 8 | 8 | 5000 | 5000
    李四 | 8 | 7.5 | 8 | 6000 | 6000`
  notify(
    [
      '1 | 2 | 3',
      '1日 | 2日 | 3日',
      '2026-10-01 | 2026-10-02 | 2026-10-03',
      '10月1日 | 10月2日 | 10月3日',
      '周一 | 周二 | 周三',
    ].map((labels): Case => [labels, days(labels), '表头 1\n人员 2 3\n实发 11000']),
  )
  test.each(['1日 | 2日 | 3日', '10月1日 | 10月2日 | 10月3日', '星期一 | 星期二 | 星期三'])('refuses %s as an amount', (labels) =>
    expect(
      readLayout(days(labels))
        .columns.slice(1, 4)
        .map(({ role, kind }) => `${role} ${kind}`),
    ).toEqual(['info number', 'info number', 'info number']),
  )
})

describe('one row per item, or one row per employee', () => {
  const turned: Case[] = [
    [
      'name, item and amount',
      `姓名 | 项目 | 金额
       张三 | 基本工资 | 5000
       张三 | 奖金 | 100
       张三 | 实发工资 | 5100
       李四 | 基本工资 | 6000
       李四 | 实发工资 | 6000`,
      `张三：基本工资 5000，奖金 100，实发工资 5100
       李四：基本工资 6000，实发工资 6000`,
    ],
    [
      'with a number and a department',
      `工号 | 姓名 | 部门 | 工资项目 | 金额
       A1 | 张三 | 甲 | 基本工资 | 5000
       A1 | 张三 | 甲 | 实发工资 | 5000
       A2 | 李四 | 乙 | 基本工资 | 6000
       A2 | 李四 | 乙 | 实发工资 | 6000`,
      `张三：工号 A1，部门 甲，基本工资 5000，实发工资 5000
       李四：工号 A2，部门 乙，基本工资 6000，实发工资 6000`,
    ],
    [
      'two namesakes distinguished by their numbers',
      `工号 | 姓名 | 工资项目 | 金额
       A1 | 张三 | 基本工资 | 5000
       A1 | 张三 | 实发工资 | 5000
       A2 | 张三 | 基本工资 | 6000
       A2 | 张三 | 实发工资 | 6000`,
      `张三：工号 A1，基本工资 5000，实发工资 5000
       张三：工号 A2，基本工资 6000，实发工资 6000`,
    ],
  ]
  test.each(turned)('%s', (_, sheet, expected) => expect(storedOf(sheet)).toEqual(getLines(expected)))
})
