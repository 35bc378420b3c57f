import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applySign, formatFen, multiplyByRate, parseFen, sumFen, toFen } from '../../../server/contract/shared/money.ts'

describe('parsing text to fen digit by digit', () => {
  it.each([
    ['8333.33', 833_333],
    ['8333.335', 833_334],
    ['8333.3349999', 833_333],
    ['-0.005', -1],
    ['-0.004', 0],
    ['0', 0],
    ['12', 1200],
    ['.5', null],
    ['1,234.50', null],
    ['1e3', null],
    ['', null],
    ['９', null],
    ['1.005', 101],
    ['71413.035', 7_141_304],
    ['90071992547409.91', 9_007_199_254_740_991],
    ['90071992547409.92', null],
  ])('parses %s as %s fen', (text, expected) => {
    expect(parseFen(text)).toBe(expected)
  })

  it('parses what it has formatted', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e14, max: 1e14 }), (value) => {
        const text = `${value < 0 ? '-' : ''}${Math.trunc(Math.abs(value) / 100)}.${String(Math.abs(value) % 100).padStart(2, '0')}`
        expect(parseFen(text)).toBe(value === 0 ? 0 : value)
      }),
    )
  })
})

describe('formatting fen', () => {
  it.each([
    [0, '0.00'],
    [5, '0.05'],
    [-98_00, '−98.00'],
    [123_456_789, '1,234,567.89'],
  ])('formats %s as %s', (value, text) => {
    expect(formatFen(value)).toBe(text)
  })
  it.each([
    ['own', 1550, 1550],
    ['own', -1550, -1550],
    ['minus', 1550, -1550],
    ['minus', -1550, -1550],
    ['turned', 1550, -1550],
    ['turned', -1550, 1550],
    ['minus', 0, 0],
    ['turned', 0, 0],
  ] as const)('formats with sign %s: %s as %s', (sign, value, visible) => expect(applySign(value, sign)).toBe(visible))
  it('refuses an amount that is no integer of fen', () => {
    expect(() => toFen(0.5)).toThrow(RangeError)
    expect(() => sumFen([Number.MAX_SAFE_INTEGER, 1])).toThrow(RangeError)
  })
})

describe('rates and shares', () => {
  it.each([
    [1_000_000, 80_000, 80_000],
    [1, 500_000, 1],
    [-1, 500_000, -1],
    [3, 333_333, 1],
    [9_007_199_254_740_991, 1_000_000, 9_007_199_254_740_991],
  ])('multiplies %s fen by %s ppm to %s fen', (value, rate, expected) => {
    expect(multiplyByRate(toFen(value), rate)).toBe(expected)
  })
})
