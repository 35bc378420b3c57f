import { describe, expect, it } from 'vitest'
import { getCheckCharacter, isIdCard, isLikelyIdCard, maskIdCard, normalizeIdCard } from '../../../server/rules/id-card.ts'

describe('ID card numbers', () => {
  it.each([
    ['11010519491231002X', true, 'the example of GB 11643-1999'],
    ['11010519491231002x', true, 'a small x'],
    ['440524188001010014', false, 'the other example: correct, but born in 1880'],
    ['110105194912310021', false, 'a wrong check character'],
    ['11010519491231002', false, '17 digits'],
    ['11010519490231002X', false, 'the 31st of February'],
    ['01010519491231002X', false, 'no region begins with 0'],
    ['１１０１０５１９４９１２３１００２Ｘ', true, 'full-width digits, as an input method makes them'],
    ['110105 19491231 002X', true, 'blanks, as people read it aloud'],
    ['110105200002290013', true, '29 February of a leap year'],
    ['110105190002280011', true, 'born in 1900'],
    ['110105210001010015', false, 'born in 2100'],
    ['', false, 'nothing'],
  ])('validates %s: %s (%s)', (card, expected) => {
    expect(isIdCard(card)).toBe(expected)
  })

  it.each([
    ['110105194912310021', true, 'a wrong check character still has the form'],
    ['11010519490230002X', false, 'the 30th of February has not'],
    ['110105194913010021', false, 'nor has a 13th month'],
    ['1101051949123100', false, 'nor have 16 digits'],
  ])('recognises the form of the number %s: %s (%s)', (card, expected) => {
    expect(isLikelyIdCard(card)).toBe(expected)
  })

  it.each([
    ['11010519491231002x', '11010519491231002X'],
    [' 110105 19491231 002X ', '11010519491231002X'],
    ['１１０１０５１９４９１２３１００２ｘ', '11010519491231002X'],
  ])('stores %s as %s', (written, stored) => {
    expect(normalizeIdCard(written)).toBe(stored)
  })

  it('masks all digits except the region and the last four', () => {
    expect(maskIdCard('11010519491231002X')).toBe('1101**********002X')
  })

  it('detects any single wrong digit', () => {
    const card = '11010519491231002X'
    for (let at = 0; at < 17; at += 1) {
      const wrong = `${card.slice(0, at)}${(Number(card[at]) + 1) % 10}${card.slice(at + 1)}`
      expect(getCheckCharacter(wrong)).not.toBe('X')
    }
  })
})
