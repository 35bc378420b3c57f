/** Statistics of a column over its rows, used to judge an unknown header. */
import { describe, expect, it } from 'vitest'
import type { StoredValue } from '../../../server/spreadsheets/grid.ts'
import { type ColumnProfile, profileColumn } from '../../../server/spreadsheets/recognise/column-profile.ts'
import { grid } from '../../support/files/grid.ts'

const profile = (cells: StoredValue[]): ColumnProfile =>
  profileColumn(
    grid(cells.map((cell) => [cell])),
    cells.map((_, row) => row),
    0,
  )
/** Only the fields above zero. */
const counted = (cells: StoredValue[], ...fields: (keyof ColumnProfile)[]) => {
  const match = profile(cells)
  return Object.fromEntries(fields.map((field) => [field, match[field]]))
}

describe('classification of a cell', () => {
  it.each<[string, StoredValue[], Partial<ColumnProfile>]>([
    ['stored numbers', [5000, 6000.5], { filled: 2, amounts: 2, numbers: 2, fractions: 1, texts: 0 }],
    ['numbers as text', ['5,000', '¥6000'], { filled: 2, amounts: 2, numbers: 0, texts: 0 }],
    ['words', ['张三', '李四'], { filled: 2, amounts: 0, texts: 2, distinct: 2 }],
    ['empty cells and dashes are no amounts', ['', null, '-', '——', '无', 5], { rows: 6, filled: 1, amounts: 1 }],
    ['a minus sign makes an amount negative', [-5, '(5)', 5], { amounts: 3, negatives: 2 }],
    ['zero is an amount, and not negative', [0, '-0'], { amounts: 2, negatives: 0, smallest: 0, largest: 0 }],
    ['the largest by absolute value, the smallest as it is', [-900, 5], { smallest: -900, largest: 900 }],
    ['percentages are no amounts', ['8%', '8.5％'], { amounts: 0, percents: 2, texts: 0 }],
    ['dates', [new Date(Date.UTC(2026, 9, 1)), '2026-10', '2026年10月1日'], { dates: 3, amounts: 0 }],
    ['a time of day is no amount', ['2026-10-01 12:30', '12:30'], { dates: 1, texts: 2 }],
    ['a month of six digits stored as a number is an amount', [202_610], { dates: 0, amounts: 1 }],
    ['an error is only a filled cell', ['#REF!'], { filled: 1, errors: 1, texts: 0, distinct: 0 }],
    ['numbers with leading zeros', ['001', '002'], { amounts: 2, padded: 2, numbers: 0 }],
    ['0.5 has no leading zero', ['0.5'], { padded: 0, amounts: 1, fractions: 1 }],
    ['phones', ['13800000001', '138 0000 0002', 13_800_000_003], { mobiles: 3, bank_cards: 0, id_cards: 0 }],
    ['identity cards', ['11010519491231002X', '11010519491231002x'], { id_cards: 2, bank_cards: 0, mobiles: 0 }],
    ['an ID card with a wrong check digit is still one', ['110105194912310021'], { id_cards: 1, bank_cards: 0 }],
    ['18 digits without a birthday are an account', ['622202021234567890'], { id_cards: 0, bank_cards: 1 }],
    ['a card with a correct check digit', ['4111 1111 1111 1111'], { bank_cards: 1, cards: 1 }],
    ['a card with a wrong check digit', ['4111 1111 1111 1112'], { bank_cards: 1, cards: 0 }],
    ['15 digits are exact, 16 are damaged', [622_202_123_456_789, 6_222_021_234_567_890], { damaged: 1 }],
    ['e-mail addresses', ['a@b.cn', 'a@b', '@b.cn'], { emails: 1, texts: 3 }],
    ['equal texts count once', ['甲', '甲', '乙'], { distinct: 2, filled: 3 }],
  ])('%s', (_, cells, expected) =>
    expect(counted(cells, ...(Object.keys(expected) as (keyof ColumnProfile)[]))).toEqual(expected),
  )
})

describe('column of consecutive numbers', () => {
  it.each<[string, StoredValue[], boolean]>([
    ['numbers that begin with one', [1, 2, 3], true],
    ['numbers that begin anywhere', [7, 8, 9], true],
    ['numbers as text', ['1', '2', '3'], true],
    ['with leading zeros', ['001', '002', '003'], true],
    ['numbers with a gap', [1, 2, 4], false],
    ['backwards', [3, 2, 1], false],
    ['identical numbers', [1, 1, 1], false],
    ['an empty cell in between', [1, '', 2], true],
    ['a word in between', [1, '小计', 2], false],
    ['nothing', ['', ''], false],
  ])('%s', (_, cells, counting) => expect(profile(cells).counting).toBe(counting))
})

describe('examples and sample size', () => {
  it('selects three different examples and shortens long ones', () => {
    expect(profile(['甲', '甲', '乙', '丙', '丁']).samples).toEqual(['甲', '乙', '丙'])
    expect(profile(['长'.repeat(60), '长'.repeat(61)]).samples.map((text) => text.length)).toEqual([60, 60])
  })
  it('stops after three hundred rows', () => {
    const match = profile([...Array.from({ length: 300 }, () => 5), '不会看到'])
    expect([match.rows, match.filled, match.texts]).toEqual([300, 300, 0])
  })
  it('returns nothing without rows', () => {
    expect(counted([], 'rows', 'filled', 'smallest', 'largest', 'counting')).toEqual({
      rows: 0,
      filled: 0,
      smallest: Number.POSITIVE_INFINITY,
      largest: 0,
      counting: false,
    })
  })
})
