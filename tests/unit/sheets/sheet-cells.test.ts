import { describe, expect, test } from 'vitest'
import { isLikelyBankCard } from '../../../server/rules/bank-card.ts'
import { decimalToFen, formatNumberAsDecimal, parseDecimal } from '../../../server/rules/decimal.ts'
import { isIdCard } from '../../../server/rules/id-card.ts'
import { parseMobile } from '../../../server/rules/phone.ts'
import {
  formatGeneral,
  formatPercent,
  hasLostDigits,
  isLikelyDate,
  storedValueToFen,
} from '../../../server/spreadsheets/cells.ts'
import { formatDate } from '../../../server/spreadsheets/grid.ts'

describe('amounts as users write them', () => {
  test.each([
    ['5000', '5000'],
    ['1,234.5', '1234.5'],
    ['12,345,678.90', '12345678.9'],
    ['(5)', '-5'],
    ['（5.50）', '-5.5'],
    ['5-', '-5'],
    ['-5', '-5'],
    ['−5', '-5'],
    ['- 5', '-5'],
    ['¥-5', '-5'],
    ['-¥5', '-5'],
    ['￥1,234.50', '1234.5'],
    ['１２３．４５', '123.45'],
    ['100元', '100'],
    ['RMB 8,000', '8000'],
    ['  42  ', '42'],
    ['234234.0', '234234'],
    ['.5', '0.5'],
    ['0012', '12'],
    ['-0.00', '0'],
  ])('reads %s as %s', (text, decimal) => expect(parseDecimal(text)).toBe(decimal))

  test.each([
    '',
    '-',
    '—',
    '234,22',
    '1,23',
    '1 234,50',
    '1.2.3',
    '12a',
    '5%',
    '1e5',
    '#REF!',
    '见备注',
    '--5',
    '(5',
    '１２，３４',
    '1,2345.6',
  ])('refuses %s as an amount', (text) => expect(parseDecimal(text)).toBeNull())
})

describe('stored number as its shortest decimal', () => {
  test.each([
    [0.1 + 0.2, '0.30000000000000004'],
    [1e-7, '0.0000001'],
    [1.5e21, '1500000000000000000000'],
    [-2.5e-8, '-0.000000025'],
    [-0, '0'],
    [71413.035, '71413.035'],
  ])('shortens %d to %s', (value, decimal) => expect(formatNumberAsDecimal(value)).toBe(decimal))

  test.each([
    [71413.035, 7141304],
    [710.4000000000001, 71040],
    [1.005, 101],
    [-1.005, -101],
    [8333.335, 833334],
    [0.285, 29],
    [51180.576, 5118058],
    [0.07, 7],
    [1234567.89, 123456789],
    [-0.004, 0],
    [1e300, null],
    [Number.POSITIVE_INFINITY, null],
  ])('reads %d as %d fen', (value, fen) => {
    expect(storedValueToFen(value)).toBe(fen)
  })

  test('computes the fast path equal to the digit by digit result', () => {
    for (let at = 0; at < 20_000; at++) {
      const value = ((at * 7919) % 1_000_003) / [100, 1000, 10_000, 3, 7][at % 5]!
      expect(storedValueToFen(value)).toBe(decimalToFen(formatNumberAsDecimal(value)))
    }
  })

  test('hides noise of binary fractions', () => {
    expect(formatGeneral(710.4000000000001)).toBe('710.4')
    expect(formatGeneral(7.333333333333333)).toBe('7.3333333333')
  })

  test('reports a number of 16 digits as damaged, but not one of 15', () => {
    expect(hasLostDigits(6222021234567890)).toBe(true)
    expect(hasLostDigits(342224199003101000)).toBe(true)
    expect(hasLostDigits(622202123456789)).toBe(false)
  })

  test.each([
    [0.08, 0, '8%'],
    [0.085, 1, '8.5%'],
    [0.145, 0, '15%'],
    [-0.005, 1, '-0.5%'],
    [1, 2, '100.00%'],
  ])('rounds %d with %d decimals to %s', (value, places, text) => expect(formatPercent(value, places)).toBe(text))
})

describe('identity values', () => {
  test.each([
    ['13800138000', '13800138000'],
    ['138 0013 8000', '13800138000'],
    ['+86 138-0013-8000', '13800138000'],
    ['8613800138000', '13800138000'],
    ['1380013800', null],
    ['23800138000', null],
    ['176', null],
  ])('recognises mobile %s', (text, mobile) => expect(parseMobile(text)).toBe(mobile))

  test.each([
    ['11010519491231002X', true],
    ['11010519491231002x', true],
    ['110105194912310021', false],
    ['342224199003101000', false],
    ['XXXXXXXXXXXXX010', false],
  ])('recognises ID card %s', (text, right) => expect(isIdCard(text)).toBe(right))

  test('recognises bank cards and dates', () => {
    expect(isLikelyBankCard('6222 0212 3456 7890 123')).toBe(true)
    expect(isLikelyBankCard('SALARY_AC_0001')).toBe(false)
    for (const text of ['2026-03', '2026年3月', '2026/3/5', '202603', '1990. 1. 1.', '2026-03-05 12:30'])
      expect(isLikelyDate(text)).toBe(true)
    for (const text of ['5000', '12.5', '20260']) expect(isLikelyDate(text)).toBe(false)
  })

  test('shows dates by their calendar day', () => {
    expect(formatDate(new Date(Date.UTC(2026, 2, 5)))).toBe('2026-03-05')
    expect(formatDate(new Date(Date.UTC(2026, 2, 5, 12, 23, 7)))).toBe('2026-03-05 12:23:07')
    expect(formatDate(new Date(Date.UTC(1899, 11, 31, 8, 30)))).toBe('08:30')
  })
})
