/**
 * Totals of departments and of each of several sheets: which rows they cover, and what is reported where they are not
 * their sum.
 */
import { describe, expect, test } from 'vitest'
import { totalsMessage } from '../../support/sheets/checked.ts'

type Case = [what: string, sheet: string, said: readonly string[]]
const notify = (cases: readonly Case[], requested?: readonly string[]) =>
  test.each(cases)('%s', (_, sheet, messages) => expect(totalsMessage(sheet, requested ? { requested } : {})).toEqual(messages))

const right = ['小计 | | 11000 | 11000', '小计 | | 15000 | 15000', '总计 | | 26000 | 26000'] as const
const table = (first: string, second: string, all: string) => `
  部门 | 姓名 | 基本工资 | 实发工资
  甲 | 张三 | 5000 | 5000
  甲 | 李四 | 6000 | 6000
  ${first}
  乙 | 王五 | 7000 | 7000
  乙 | 赵六 | 8000 | 8000
  ${second}
  ${all}`

describe('小计对不上: department totals', () => {
  notify([
    ['all right', table(...right), []],
    [
      'one amount of the first is wrong',
      table('小计 | | 11000 | 11100', right[1], right[2]),
      ['小计对不上 第 4 行：「小计」行的「实发工资」写的是 11,100.00，上面 2 行相加是 11,000.00，请核对是否漏行或改过数'],
    ],
    [
      'an item of the second, while its net pay is right',
      table(right[0], '乙部门小计 | | 14000 | 15000', right[2]),
      ['小计对不上 第 7 行：「乙部门小计」行的「基本工资」写的是 14,000.00，上面 2 行相加是 15,000.00，请核对是否漏行或改过数'],
    ],
    [
      'the first row of a department was left out of its sum',
      table(right[0], '小计 | | 8000 | 8000', right[2]),
      [
        '小计对不上 第 7 行：「小计」行的「基本工资」写的是 8,000.00，上面 2 行相加是 15,000.00，请核对是否漏行或改过数',
        '小计对不上 第 7 行：「小计」行的「实发工资」写的是 8,000.00，上面 2 行相加是 15,000.00，请核对是否漏行或改过数',
      ],
    ],
    [
      'the one over everybody is told by itself',
      table(right[0], right[1], '总计 | | 26000 | 27000'),
      ['合计行对不上 第 8 行：表里合计行的「实发工资」写的是 27,000.00，各行相加是 26,000.00，请核对是否漏行或改过数'],
    ],
    [
      'it may not leave out a department either',
      table(right[0], right[1], '总计 | | 15000 | 15000'),
      [
        '合计行对不上 第 8 行：表里合计行的「基本工资」写的是 15,000.00，各行相加是 26,000.00，请核对是否漏行或改过数',
        '合计行对不上 第 8 行：表里合计行的「实发工资」写的是 15,000.00，各行相加是 26,000.00，请核对是否漏行或改过数',
      ],
    ],
    ['there is none over everybody', table('甲合计 | | 11000 | 11000', '乙合计 | | 15000 | 15000', ''), []],
    ['running totals', table('累计 | | 11000 | 11000', '累计 | | 26000 | 26000', right[2]), []],
    ['without an amount under the net pay', table('小计 | | 11000 |', right[1], right[2]), []],
    ['an average is no total', table('平均 | | 5500 | 5500', right[1], right[2]), []],
    [
      'one over everybody stands right under the header',
      `姓名 | 基本工资 | 实发工资
       合计 | 11000 | 11000
       张三 | 5000 | 5000
       李四 | 6000 | 6000`,
      [],
    ],
    [
      'totals stand over their departments',
      `部门 | 姓名 | 基本工资 | 实发工资
       甲小计 | | 11000 | 11000
       甲 | 张三 | 5000 | 5000
       甲 | 李四 | 6000 | 6000
       乙小计 | | 15000 | 15000
       乙 | 王五 | 7000 | 7000
       乙 | 赵六 | 8000 | 8000`,
      [],
    ],
    [
      'a total of totals, and departments without any',
      `部门 | 姓名 | 基本工资 | 实发工资
       总经办 | 钱七 | 9000 | 9000
       甲 | 张三 | 5000 | 5000
       甲 | 李四 | 6000 | 6000
       甲小计 | | 11000 | 11000
       乙 | 王五 | 7000 | 7000
       乙 | 赵六 | 8000 | 8000
       乙小计 | | 15000 | 15000
       车间合计 | | 26000 | 26000
       总计 | | 35000 | 35000`,
      [],
    ],
    [
      'many columns are one question',
      `部门 | 姓名 | 基本工资 | 奖金 | 补贴 | 应发合计 | 实发工资
       甲 | 张三 | 5000 | 1 | 2 | 5003 | 5003
       甲 | 李四 | 6000 | 3 | 4 | 6007 | 6007
       甲小计 | | 5000 | 1 | 2 | 5003 | 5003
       乙 | 王五 | 7000 | 5 | 6 | 7011 | 7011
       总计 | | 18000 | 9 | 12 | 18021 | 18021`,
      [
        '小计对不上 第 4 行：「甲小计」行的「实发工资」写的是 5,003.00，上面 2 行相加是 11,010.00；这一行共有 5 列不一致，请核对是否漏行',
      ],
    ],
    [
      'in tens of thousands',
      `单位：万元
       部门 | 姓名 | 基本工资 | 实发工资
       甲 | 张三 | 0.5 | 0.5
       甲 | 李四 | 0.6 | 0.6
       小计 | | 1.1 | 1.2
       乙 | 王五 | 0.7 | 0.7
       总计 | | 1.8 | 1.8`,
      ['小计对不上 第 5 行：「小计」行的「实发工资」写的是 12,000.00，上面 2 行相加是 11,000.00，请核对是否漏行或改过数'],
    ],
  ])

  test('accepts each wrong department total separately', () => {
    const both = table('小计 | | 11000 | 1', '小计 | | 15000 | 2', right[2])
    expect(totalsMessage(both).map((message) => message.slice(0, 12))).toEqual(['小计对不上 第 4 行：', '小计对不上 第 7 行：'])
    const left = totalsMessage(both, { accepted: ['subtotal_mismatch:c3@4'] })
    expect(left.map((message) => message.slice(0, 12))).toEqual(['小计对不上 第 7 行：'])
  })
})

describe('小计对不上: every total of several sheets', () => {
  const sheets = (first: string, second: string) => `
    姓名 | 基本工资 | 实发工资
    张三 | 5000 | 5000
    李四 | 6000 | 6000
    ${first}
    ----
    姓名 | 基本工资 | 实发工资
    王五 | 7000 | 7000
    赵六 | 8000 | 8000
    ${second}`
  const both = ['Sheet1', 'Sheet2']
  notify(
    [
      ['each of its own', sheets('合计 | 11000 | 11000', '合计 | 15000 | 15000'), []],
      ['the last one of all', sheets('合计 | 11000 | 11000', '合计 | 26000 | 26000'), []],
      [
        'the first one is wrong',
        sheets('合计 | 11000 | 11001', '合计 | 15000 | 15000'),
        ['小计对不上 第 4 行：「合计」行的「实发工资」写的是 11,001.00，上面 2 行相加是 11,000.00，请核对是否漏行或改过数'],
      ],
      [
        'an item of the last one is wrong',
        sheets('合计 | 11000 | 11000', '合计 | 15001 | 15000'),
        ['小计对不上 第 4 行：「合计」行的「基本工资」写的是 15,001.00，全部 2 行相加是 15,000.00，请核对是否漏行或改过数'],
      ],
    ],
    both,
  )
})

describe('小计对不上: rows that a wrong total claims to cover', () => {
  notify([
    [
      'over its department, as the totals of the others are',
      `部门 | 姓名 | 实发工资
       小计 | | 11000
       甲 | 张三 | 5000
       甲 | 李四 | 6000
       小计 | | 15001
       乙 | 王五 | 7000
       乙 | 赵六 | 8000
       小计 | | 19000
       丙 | 钱七 | 9000
       丙 | 孙八 | 10000`,
      ['小计对不上 第 5 行：「小计」行的「实发工资」写的是 15,001.00，下面 2 行相加是 15,000.00，请核对是否漏行或改过数'],
    ],
    [
      'under everybody, by the department that it names',
      `部门 | 姓名 | 实发工资
       甲 | 张三 | 5000
       甲 | 李四 | 6000
       乙 | 王五 | 7000
       乙 | 赵六 | 8000
       甲合计 | | 11001
       乙合计 | | 15000
       总计 | | 26000`,
      ['小计对不上 第 6 行：「甲合计」行的「实发工资」写的是 11,001.00，甲 2 行相加是 11,000.00，请核对是否漏行或改过数'],
    ],
    [
      'with nothing under an item, rows that have nothing there',
      `部门 | 姓名 | 基本工资 | 奖金 | 实发工资
       小计 | | 5000 | 0 | 5001
       甲 | 张三 | 5000 | | 5000
       乙 | 李四 | 5000 | 700 | 5700
       总计 | | 10000 | 700 | 10700`,
      ['小计对不上 第 2 行：「小计」行的「实发工资」写的是 5,001.00，甲 1 行相加是 5,000.00，请核对是否漏行或改过数'],
    ],
  ])
})
