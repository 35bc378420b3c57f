/** A correction and the sums of its sheet, in yuan: what is updated automatically, and what is refused. */
import { expect, test } from 'vitest'
import { type ColumnSum, propagateTotals } from '../../../server/contract/payslips/send.ts'

const keys = { 基本: 'c1', 奖金: 'c2', 应发: 'c3', 社保: 'c4', 扣款: 'c5', 实发: 'c6' } as const
type Word = keyof typeof keys
type Yuan = Partial<Record<Word, number>>
const sums: ColumnSum[] = [
  { key: 'c3', plus: ['c1', 'c2'], minus: [] },
  { key: 'c5', plus: ['c4'], minus: [] },
  { key: 'c6', plus: ['c3'], minus: ['c5'] },
]
const amounts = (yuan: Yuan) => new Map(Object.entries(yuan).map(([word, value]) => [keys[word as Word], value * 100]))
const labels = new Map(Object.entries(keys).map(([word, key]) => [key as string, word]))
const before = { 基本: 8000, 奖金: 1000, 应发: 9000, 社保: 500, 扣款: 500, 实发: 8500 }
const oddly = { ...before, 实发: 8400 }

test.each<[string, Yuan, Yuan, Yuan, Yuan]>([
  ['an item updates gross and net', before, { 奖金: 1200 }, { 应发: 9200, 实发: 8700 }, {}],
  ['a deduction updates its total and the net', before, { 社保: 600 }, { 扣款: 600, 实发: 8400 }, {}],
  ['both', before, { 奖金: 1100, 社保: 600 }, { 应发: 9100, 扣款: 600 }, {}],
  ['an item that was empty', { ...before, 奖金: 0, 基本: 9000 }, { 奖金: 50 }, { 应发: 9050, 实发: 8550 }, {}],
  ['a cleared item', before, { 奖金: 0 }, { 应发: 8000, 实发: 7500 }, {}],
  [
    'amounts that did not add up change by the same difference and are not silently corrected',
    oddly,
    { 奖金: 1100 },
    { 应发: 9100, 实发: 8500 },
    {},
  ],
  ['totals typed with their computed values', before, { 奖金: 1200, 应发: 9200, 实发: 8700 }, {}, {}],
  ['the net pay alone', before, { 实发: 8600 }, {}, { 实发: 8500 }],
  ['the net alone, corrected manually', oddly, { 实发: 8500 }, {}, {}],
  ['an item with another net', before, { 奖金: 1200, 实发: 8800 }, { 应发: 9200 }, { 实发: 8700 }],
  ['another gross: the net uses the typed value', before, { 应发: 9100 }, { 实发: 8600 }, { 应发: 9000 }],
  ['a sheet without the total: nothing is added', { 基本: 8000, 实发: 8000 }, { 基本: 8100 }, {}, {}],
])('%s', (_what, was, typed, followed, uneven) => {
  const match = propagateTotals(sums, amounts(was), amounts(typed))
  expect(Object.fromEntries([...match.updatedTotals].map(([key, fen]) => [labels.get(key), fen / 100]))).toEqual(followed)
  expect(Object.fromEntries(match.mismatchedTotals.map(({ key, expected }) => [labels.get(key), expected / 100]))).toEqual(uneven)
})
