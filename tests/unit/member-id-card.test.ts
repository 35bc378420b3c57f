import { describe, expect, it } from 'vitest'
import { checkOf, isIdCard, maskIdCard } from '../../server/domain/member/rules/id-card.ts'

describe('identity card numbers', () => {
  it.each([
    ['11010519491231002X', true, 'the example of GB 11643-1999'],
    ['11010519491231002x', true, 'a small x'],
    ['440524188001010014', false, 'the other example: correct, but born in 1880'],
    ['110105194912310021', false, 'a wrong check character'],
    ['11010519491231002', false, '17 digits'],
    ['11010519490231002X', false, 'the 31st of February'],
    ['01010519491231002X', false, 'no region begins with 0'],
    ['１１０１０５１９４９１２３１００２Ｘ', false, 'full-width digits'],
    ['', false, 'nothing'],
  ])('%s → %s (%s)', (card, expected) => {
    expect(isIdCard(card)).toBe(expected)
  })

  it('a mask shows the region and the last four', () => {
    expect(maskIdCard('11010519491231002X')).toBe('1101**********002X')
  })

  it('any single wrong digit is found', () => {
    const card = '11010519491231002X'
    for (let at = 0; at < 17; at += 1) {
      const wrong = `${card.slice(0, at)}${(Number(card[at]) + 1) % 10}${card.slice(at + 1)}`
      expect(checkOf(wrong)).not.toBe('X')
    }
  })
})
