/**
 * Statistical evidence that an amount belongs to an employee: medians, row ranges, grid steps, item names. Small tables
 * of borderline cases.
 */
import { describe, expect, it } from 'vitest'
import { isNetOutlier } from '../../../server/modules/sheets/rules/check/column-issues.ts'
import {
  getCommonRise,
  getMatchedShare,
  getSampleSteps,
  MemberAmounts,
  median,
  NearestMembers,
  summaryItems,
  toPayItems,
} from '../../../server/modules/sheets/rules/check/member-amounts.ts'
import {
  formatRowNumber,
  isComparable,
  roundCoarsely,
  roundToGrid,
} from '../../../server/modules/sheets/rules/check/month-comparison.ts'
import {
  findRanges,
  getLowerMedian,
  listRows,
  removeOverlaps,
  type ScoredRange,
} from '../../../server/modules/sheets/rules/months/row-ranges.ts'
import { getGrid } from '../../support/clerk.ts'

describe('median of paid amounts', () => {
  it.each([
    ['nothing', [], 0],
    ['one earlier month', [800_000], 800_000],
    ['two months: the lower paid amount instead of an average', [800_000, 900_000], 800_000],
    ['in any order', [900_000, 100, 800_000], 800_000],
    ['one bonus does not change it', [800_000, 800_000, 5_000_000], 800_000],
    ['as numbers, not as text: 9 before 10', [1_000, 900, 10_000], 1_000],
    ['four months: the second amount', [4, 3, 2, 1], 2],
    ['negative amounts count', [-500, 0, 800], 0],
  ])('%s', (_, paid, expected) => {
    expect(median(paid)).toBe(expected)
    expect(getLowerMedian(paid)).toBe(expected)
  })
})

describe('net pay outliers', () => {
  it.each([
    ['exactly half more', 15_000, 10_000, false],
    ['a fen more than half more', 15_000.01, 10_000, true],
    ['exactly half less', 5_000, 10_000, false],
    ['one fen below half', 4_999.99, 10_000, true],
    ['no earlier amounts', 0, 10_000, true],
    ['from zero, when nothing was paid', 5_000, 0, false],
    ['a negative amount', 5_000, -100, false],
    ['the same amount', 10_000, 10_000, false],
  ])('%s', (_, now, before, far) => expect(isNetOutlier(Math.round(now * 100), Math.round(before * 100))).toBe(far))
})

describe('common raise', () => {
  it.each([
    ['no compared members', [], 0],
    ['the same amount for all', [0.05, 0.05, 0.05], 0.05],
    ['the same amount for all but one', [0.05, 0.05, 0.9, 0.05, 0.05], 0.05],
    ['the same amount for nearly all', [0.05, 0.051, 0.049, 0.05, 0.06], 0.05],
    ['a different amount for each member', [0.01, 0.05, 0.2, 0.4, 0.9], 0],
    ['half of the amounts rose and half fell', [0.05, 0.05, -0.05, -0.05, 0.3], 0],
    ['all amounts fell', [-0.1, -0.1, -0.1], -0.1],
    ['most are unchanged', [0, 0, 0, 0.5, 0.5], 0],
  ])('%s', (_, ratios, expected) => expect(getCommonRise(ratios)).toBe(expected))
})

describe('amounts that another employee had last month', () => {
  const nothing = Number.NaN
  const share = (now: number[], was: number[]) => getMatchedShare(Float64Array.from(now), Float64Array.from(was))
  it.each([
    ['the same amounts in another order', [3, 1, 4, 2], [1, 2, 3, 4], 1],
    ['three of four amounts', [3, 1, 9, 2], [1, 2, 3, 4], 0.75],
    ['one of four, which is chance', [9, 1, 8, 7], [1, 2, 3, 4], 0],
    ['two of five, which is the minimum', [1, 2, 7, 8, 9], [1, 2, 3, 4, 5], 0.4],
    ['two rows, which prove nothing', [1, 2], [1, 2], 0],
    ['an amount of four members, which identifies none', [5, 5, 5, 5], [5, 5, 5, 5], 0],
    ['an amount that three members share', [5, 5, 5, 1], [5, 5, 5, 1], 1],
    ['empty cells are not counted', [1, 2, 3, nothing, nothing], [1, 2, 3, nothing, nothing], 1],
    ['amounts that nobody had', [1, 2, 3], [nothing, nothing, nothing], 0],
  ])('%s', (_, now, was, expected) => expect(share(now, was)).toBe(expected))
})

describe('unrelated members for the comparison of a row', () => {
  it.each([
    ['nobody', 0, []],
    ['a single member has none', 1, []],
    ['two members have each other', 2, [1]],
    ['three', 3, [1, 2]],
    ['of thirteen, all the others', 13, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
    ['of 130, twelve from all around', 130, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120]],
  ])('%s', (_, people, expected) => expect(getSampleSteps(people)).toEqual(expected))

  it('never include the member themselves or a duplicate, whatever the number', () => {
    for (let people = 0; people < 300; people++) {
      const steps = getSampleSteps(people)
      expect(new Set(steps).size, `${people}`).toBe(steps.length)
      expect(
        steps.every((step) => step > 0 && step < people),
        `${people}`,
      ).toBe(true)
    }
  })
})

describe('neighbours by amount', () => {
  const nothing = Number.NaN
  const was = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, nothing]
  const near = (now: number) =>
    [...new NearestMembers(was.length, [0], (person) => was[person] ?? nothing).find(() => now)].toSorted((a, b) => a - b)
  it.each([
    ['in the middle: four on each side', 55, [1, 2, 3, 4, 5, 6, 7, 8]],
    ["including the member's own amount", 50, [0, 1, 2, 3, 4, 5, 6, 7]],
    ['below all amounts', 1, [0, 1, 2, 3]],
    ['above all amounts', 1_000, [6, 7, 8, 9]],
    ['no neighbours without an amount', nothing, []],
  ])('%s', (_, now, expected) => expect(near(now)).toEqual(expected))

  it('searches for neighbours in the three most informative columns only', () => {
    const requested: number[] = []
    new NearestMembers(3, [7, 2, 5, 1], (person) => person).find((column) => requested.push(column))
    expect(requested).toEqual([7, 2, 5])
  })
})

/** One character of `..++++.-` per row: better explained by another member, worse, no evidence (·). */
const getGains = (rendered: string): Float64Array =>
  Float64Array.from(rendered, (sign) => ({ '+': 0.5, '-': -0.5, '.': 0, '·': Number.NaN })[sign] ?? 0)

describe('row ranges with evidence', () => {
  it.each([
    ['none', '........', []],
    ['three consecutive rows', '..+++...', [[2, 4]]],
    ['two rows alone are too few', '···++···', []],
    ['a third row without a preference is included', '---++.--', [[3, 5]]],
    ['a range that ends at the last row', '.....+++', [[5, 7]]],
    ['a range that begins at the first row', '+++.....', [[0, 2]]],
    ['rows without evidence neither lengthen nor end a range', '+·+·+...', [[0, 4]]],
    ['rows without evidence at the end are excluded', '·+++·...', [[1, 3]]],
    ['one contradicting row in the middle of many', '+++-++++', [[0, 7]]],
    [
      'contradicting rows of the same length end a range',
      '+++----+++',
      [
        [0, 2],
        [7, 9],
      ],
    ],
    [
      'two ranges, the longer one first',
      '+++-----++++',
      [
        [8, 11],
        [0, 2],
      ],
    ],
  ])('%s: %s', (_, rendered, expected) =>
    expect(findRanges(getGains(rendered), () => true).map(({ from, to }) => [from, to])).toEqual(expected),
  )

  it('offers the next best range where one is rejected', () => {
    const matches = findRanges(getGains('++++-----+++'), ({ from }) => from > 0)
    expect(matches.map(({ from, to }) => [from, to])).toEqual([[9, 11]])
  })

  it('includes both end rows of a range', () => {
    expect(listRows({ from: 2, to: 4 })).toEqual([2, 3, 4])
    expect(listRows({ from: 3, to: 3 })).toEqual([3])
  })

  const one = (from: number, to: number, sum: number): ScoredRange => ({ from, to, sum })
  it.each([
    ['separate: both, from the top', [one(5, 8, 9), one(0, 3, 1)], [one(0, 3, 1), one(5, 8, 9)]],
    ['sharing a row: the better one', [one(0, 4, 1), one(4, 8, 2)], [one(4, 8, 2)]],
    ['adjacent', [one(0, 3, 1), one(4, 8, 2)], [one(0, 3, 1), one(4, 8, 2)]],
    ['a range inside another one', [one(0, 9, 2), one(3, 5, 1)], [one(0, 9, 2)]],
    ['the best of three leaves space for the third', [one(0, 4, 2), one(3, 7, 3), one(6, 9, 1)], [one(3, 7, 3)]],
    ['equal: the first one given', [one(2, 4, 1), one(4, 6, 1)], [one(2, 4, 1)]],
  ])('%s', (_, all, stored) => expect(removeOverlaps(all)).toEqual(stored))
})

describe('amounts on a grid, of batches outside the reviewer’s scope', () => {
  it.each([
    ['zero stays zero', 0, 0, true],
    ['8,000 and 8,400 differ', 8_000, 8_400, false],
    ['8,000 and 8,010 are equal', 8_000, 8_010, true],
    ['a negative amount is no pay', -8_000, 8_000, false],
    ['one fen and two', 0.01, 0.02, false],
  ])('%s', (_, one, other, same) =>
    expect(roundToGrid(Math.round(one * 100)) === roundToGrid(Math.round(other * 100))).toBe(same),
  )

  it.each([100, 12_345, 800_000, 999_999, 1_000_000_000, -800_000])('moves %i fen by at most one step', (fen) => {
    expect(Math.abs(roundToGrid(fen) / fen - 1)).toBeLessThan(0.0101)
    expect(Math.abs(roundCoarsely(fen) / fen - 1)).toBeLessThan(0.12)
    expect(roundToGrid(roundToGrid(fen))).toBeCloseTo(roundToGrid(fen), 3)
  })
})

describe('whether a batch supports a sheet', () => {
  it.each([
    ['half of its members', '张三 李四', '张三', true],
    ['less than half of its members', '张三 李四 王五', '张三', false],
    ['all', '张三 李四', '张三 李四 王五', true],
    ['nobody', '张三', '李四', false],
  ])('%s', (_, sheet, run, expected) =>
    expect(isComparable(sheet.split(' '), (who) => run.split(' ').includes(who))).toBe(expected),
  )
})

describe('row number in a message', () => {
  it.each([
    [2, '2'],
    [999_999, '999999'],
    [1_000_000, '0（第 2 个表）'],
    [1_000_005, '5（第 2 个表）'],
    [3_000_012, '12（第 4 个表）'],
  ])('names row %i in a message', (row, text) => expect(formatRowNumber(row)).toBe(text))
})

describe('items of a batch', () => {
  const items = (heads: string, renamed?: Map<string, string>) =>
    toPayItems(getGrid(heads).columns, renamed).map(({ column, item }) => `${column.label}=${item.replace('\u0000', '#')}`)
  it.each<[string, string, string[]]>([
    ['only amounts are items', '姓名 | 手机号 | 部门 | 基本工资', ['基本工资=基本工资']],
    ['sums are items whatever their label', '应发 | 实发', ['应发=#gross', '实发=#net']],
    ['the second of two equal headings is another item', '奖金 | 奖金 | 奖金', ['奖金=奖金', '奖金=奖金 2', '奖金=奖金 3']],
    ["the employer's share is an item", '公司社保 | 社保', ['公司社保=公司社保', '社保=社保']],
  ])('%s', (_, heads, expected) => expect(items(heads)).toEqual(expected))

  it('maps a renamed column to the item of last month', () => {
    expect(items('姓名 | 奖金 | 补贴', new Map([['c1', '补贴']]))).toEqual(['奖金=补贴', '补贴=补贴 2'])
  })

  it('adds two payslips of an employee, and counts later items as 0 before', () => {
    const figures = new MemberAmounts()
    figures.add('张三', figures.addItems([summaryItems.net, '奖金']), [500_000, 1_000])
    figures.add('张三', figures.addItems(['补贴', summaryItems.net]), [300, 200_000])
    figures.add('李四', figures.addItems([summaryItems.net]), [100])
    const read = (who: string) => [summaryItems.net, '奖金', '补贴', '没有的'].map((item) => figures.getAmount(who, item))
    expect([read('张三'), read('李四'), read('没有此人')]).toEqual([
      [700_000, 1_000, 300, 0],
      [100, 0, 0, 0],
      [0, 0, 0, 0],
    ])
    expect([figures.getColumn('补贴'), figures.getColumn('没有的'), figures.has('李四'), figures.has('王五')]).toEqual([
      2,
      -1,
      true,
      false,
    ])
  })
})
