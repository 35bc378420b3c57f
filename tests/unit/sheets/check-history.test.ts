/** A sheet compared with earlier months, as the issue page shows it: one table per kind. */
import { describe, expect, it } from 'vitest'
import { getRead, getRoster, type Input } from '../../support/clerk.ts'
import { september } from '../../support/sheets/tables.ts'

const roster = getRoster('姓名\n赵一\n钱二\n孙三\n李四\n周五\n吴六\n郑七\n王八\n冯九\n陈十')
/** The same sheet with every employee row changed; `at` counts from 0. */
const changed = (sheet: string, change: (cells: string[], at: number) => string[]): string =>
  sheet
    .trim()
    .split('\n')
    .map((line, row) => (row === 0 ? line : change(line.split('|'), row - 1).join('|')))
    .join('\n')
const replaced = (cells: string[], column: number, text: string) => cells.map((cell, at) => (at === column ? ` ${text} ` : cell))
/** October: overtime differs for everybody. */
const october = changed(september, (cells, at) => replaced(cells, 2, (33.3 * (at + 1)).toFixed(2)))
/** Replaces the line of that employee. */
const withLine = (line: string, sheet = october): string =>
  changed(sheet, (cells) => (cells[0]?.trim() === line.split(' ')[0] ? line.split('|') : cells))
const times = (column: number, by: number): string =>
  changed(october, (cells) => replaced(cells, column, (Number(cells[column]) * by).toFixed(2)))

type Case = [situation: string, given: Input, read: string[]]
const reads = (cases: Case[]) =>
  it.each(cases)('%s', (_, provided, expected) => expect(getRead({ roster, last: september, ...provided })).toEqual(expected))

describe('实发与上次相差很大', () => {
  const one = (now: string, last: string, more: Partial<Input> = {}): Input => ({
    sheet: `姓名 | 实发\n赵一 | ${now}`,
    last: `姓名 | 实发\n赵一 | ${last}`,
    ...more,
  })
  reads([
    ['half as much again: not yet', one('6000', '4000'), []],
    [
      'a fen more than that',
      one('6000.01', '4000'),
      [
        '请确认 实发与上次相差很大：第 2 行 赵一（实发 6000.01） 实发 6,000.01，上次 4,000.00，相差超过一半，请确认 → 修改单元格｜接受｜跳过此人',
      ],
    ],
    ['half: not yet', one('2000', '4000'), []],
    [
      'a fen less than that',
      one('1999.99', '4000'),
      [
        '请确认 实发与上次相差很大：第 2 行 赵一（实发 1999.99） 实发 1,999.99，上次 4,000.00，相差超过一半，请确认 → 修改单元格｜接受｜跳过此人',
      ],
    ],
    [
      'nothing at all this time',
      one('0', '4000'),
      [
        '请确认 实发与上次相差很大：第 2 行 赵一（实发 0） 实发 0.00，上次 4,000.00，相差超过一半，请确认 → 修改单元格｜接受｜跳过此人',
      ],
    ],
    ['nothing last time: there is nothing to compare', one('6000', '0'), []],
    ['he had as much before that', one('6000.01', '4000', { after: { getEarlierAmounts: () => [600_000, 600_000] } }), []],
    [
      'two months more say the same',
      one('9000', '4000', { after: { getEarlierAmounts: () => [400_000, 420_000] } }),
      [
        '请确认 实发与上次相差很大：第 2 行 赵一（实发 9000） 实发 9,000.00，上次 4,000.00，此前 3 个月通常在 4,000.00 左右，相差超过一半，请确认 → 修改单元格｜接受｜跳过此人',
      ],
    ],
    ['accepted', one('9000', '4000', { accepted: { 2: ['net_outlier:c1'] } }), []],
    ['left out', one('9000', '4000', { skipped: [2] }), []],
    [
      'no number: told once',
      one('待定', '4000'),
      ['必须处理 金额不是数字：第 2 行 赵一（实发 待定） 「实发」不是数字；请改正，或跳过这一行 → 修改单元格｜跳过此人'],
    ],
    [
      'empty: told once',
      one('', '4000'),
      ['必须处理 没有任何金额：第 2 行 赵一（实发 空） 这一行没有任何金额；请跳过，或填写实发金额 → 修改单元格｜跳过此人'],
    ],
    ['somebody who was not paid last time', { sheet: '姓名 | 实发\n钱二 | 9000', last: '姓名 | 实发\n赵一 | 4000' }, []],
  ])
})

describe('某一项相差很大', () =>
  reads([
    ['an ordinary month', { sheet: october }, []],
    [
      'a nought too many',
      { sheet: withLine('李四 | 120000 | 33.3 | 768 | 600 | 118665.3') },
      [
        '请确认 某一项相差很大：第 5 行 李四（基本工资 120000） 「基本工资」120,000.00，上次 12,000.00，相差很大，请确认是否多写或漏写了数字 → 修改单元格｜接受｜跳过此人',
        '请确认 实发与上次相差很大：第 5 行 李四（实发 118665.3） 实发 118,665.30，上次 10,632.00，相差超过一半，请确认 → 修改单元格｜接受｜跳过此人',
      ],
    ],
    [
      'as it always was but for last month',
      {
        sheet: withLine('李四 | 120000 | 33.3 | 768 | 600 | 118665.3'),
        after: { getEarlierAmounts: (_, item) => (item === '基本工资' ? [12_000_000, 12_000_000] : [11_866_530, 11_866_530]) },
      },
      [],
    ],
    [
      'an insurance that lost a place, fixed for three months',
      {
        sheet: withLine('郑七 | 15200 | 33.3 | 97.28 | 760 | 14376.02'),
        after: { getEarlierAmounts: (_, item) => (item === '养老保险' ? [97_280, 97_280] : []) },
      },
      [
        '请确认 某一项相差很大：第 8 行 郑七（养老保险 97.28） 「养老保险」97.28，上次 972.80，此前 3 个月通常在 972.80 左右，相差很大，请确认是否多写或漏写了数字 → 修改单元格｜接受｜跳过此人',
      ],
    ],
    [
      'everybody’s overtime: the season, not a mistake of each',
      { sheet: changed(october, (cells) => replaced(cells, 3, String(Number(cells[3]) + 2000))) },
      [],
    ],
    [
      'the same after a single month: under a thousand yuan nothing is asked',
      { sheet: withLine('郑七 | 15200 | 33.3 | 97.28 | 760 | 14376.02') },
      [],
    ],
    [
      'a renamed column is still the same item',
      {
        sheet: withLine('李四 | 120000 | 33.3 | 768 | 600 | 118665.3').replace('基本工资', '岗位工资'),
        renamed: new Map([['c1', '基本工资']]),
      },
      [
        '请确认 某一项相差很大：第 5 行 李四（岗位工资 120000） 「岗位工资」120,000.00，上次 12,000.00，相差很大，请确认是否多写或漏写了数字 → 修改单元格｜接受｜跳过此人',
        '请确认 实发与上次相差很大：第 5 行 李四（实发 118665.3） 实发 118,665.30，上次 10,632.00，相差超过一半，请确认 → 修改单元格｜接受｜跳过此人',
      ],
    ],
    [
      'an unknown column has no months before',
      { sheet: withLine('李四 | 120000 | 33.3 | 768 | 600 | 118665.3').replace('基本工资', '岗位工资') },
      [
        '请确认 实发与上次相差很大：第 5 行 李四（实发 118665.3） 实发 118,665.30，上次 10,632.00，相差超过一半，请确认 → 修改单元格｜接受｜跳过此人',
      ],
    ],
  ]))

describe('金额单位变了', () =>
  reads([
    [
      'fen for yuan',
      { sheet: times(1, 100) },
      [
        '必须处理 金额单位变了：整张表 「基本工资」几乎每个人都是上次的 100 倍（元与分），金额单位可能变了；请核对，确认无误才接受 → 接受',
      ],
    ],
    [
      'ten times: perhaps it is meant',
      { sheet: times(4, 10) },
      ['请确认 金额单位变了：整张表 「公积金」几乎每个人都是上次的 10 倍，金额单位可能变了；请核对，确认无误才接受 → 接受'],
    ],
    [
      'ten thousands of yuan',
      { sheet: times(1, 0.0001) },
      [
        '必须处理 金额单位变了：整张表 「基本工资」几乎每个人都只有上次的 1/10,000，金额单位可能变了；请核对，确认无误才接受 → 接受',
      ],
    ],
    ['twice as much is no unit', { sheet: times(4, 2) }, []],
    ['accepted', { sheet: times(4, 10), accepted: { 0: ['scale_changed:c4'] } }, []],
  ]))

describe('列的内容换了位置', () =>
  reads([
    [
      'two columns under each other’s headings',
      { sheet: october.replace('养老保险 | 公积金', '公积金 | 养老保险') },
      [
        '必须处理 列的内容换了位置：整张表 「公积金」这一列里是上次「养老保险」的数（10 人中有 10 人相同），可能整列放错了位置；请核对表头和内容，确认无误才接受 → 接受',
        '必须处理 列的内容换了位置：整张表 「养老保险」这一列里是上次「公积金」的数（10 人中有 10 人相同），可能整列放错了位置；请核对表头和内容，确认无误才接受 → 接受',
      ],
    ],
    [
      'accepted',
      {
        sheet: october.replace('养老保险 | 公积金', '公积金 | 养老保险'),
        accepted: { 0: ['column_moved:c3', 'column_moved:c4'] },
      },
      [],
    ],
    [
      'a column that was moved with its heading',
      {
        sheet:
          '姓名 | 公积金 | 基本工资 | 养老保险\n赵一 | 400 | 8000 | 512.4\n钱二 | 475 | 9500 | 608.2\n孙三 | 360 | 7200 | 460.8',
      },
      [],
    ],
  ]))

describe('与上月一模一样', () =>
  reads([
    [
      'last month’s sheet again',
      { sheet: september },
      ['请确认 与上月一模一样：整张表 10 个人的每一项金额都与上次完全相同，可能误传了上次的表；请确认 → 接受'],
    ],
    [
      'in another order',
      {
        sheet: september
          .trim()
          .split('\n')
          .toSorted((a, b) => Number(b.includes('姓名')) - Number(a.includes('姓名')) || b.localeCompare(a))
          .join('\n'),
      },
      ['请确认 与上月一模一样：整张表 10 个人的每一项金额都与上次完全相同，可能误传了上次的表；请确认 → 接受'],
    ],
    ['one amount is another one', { sheet: september.replace('120.5', '120.6') }, []],
    ['somebody has left', { sheet: september.replace(/^.*陈十.*$/m, '').replace(/\n\s*\n/g, '\n') }, []],
    ['accepted', { sheet: september, accepted: { 0: ['unchanged:'] } }, []],
  ]))

/** Compares only the heading: how a shift is described is tested in sheet-problems-history. */
const heads = (cases: Case[]) =>
  it.each(cases)('%s', (_, provided, expected) =>
    expect(getRead({ roster, last: september, ...provided }).map((sentence) => sentence.split('：')[0])).toEqual(expected),
  )

describe('两人金额疑似互换', () => {
  const swapped = withLine('孙三 | 15200 | 33.3 | 972.8 | 760 | 13500.5', withLine('郑七 | 7200 | 33.3 | 460.8 | 360 | 6412.5'))
  heads([
    ['the rows of two people', { sheet: swapped }, ['必须处理 两人金额疑似互换']],
    ['accepted', { sheet: swapped, accepted: { 4: ['swapped_rows:'] } }, []],
  ])
})

describe('整列错行', () => {
  const above = (at: number, column: number) => october.split('\n')[at]?.split('|')[column]?.trim() ?? ''
  const slipped = (column: number, from: number, to: number) =>
    changed(october, (cells, at) => (at >= from && at <= to ? replaced(cells, column, above(at, column)) : cells))
  heads([
    ['one column slipped down by one row', { sheet: slipped(3, 3, 8) }, ['必须处理 整列错行']],
    ['a single row is no slip', { sheet: slipped(3, 3, 3) }, []],
    ['accepted', { sheet: slipped(3, 3, 8), accepted: { 5: ['shifted_rows:c3'] } }, []],
  ])
})
