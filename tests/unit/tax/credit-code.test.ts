/** Unified social credit codes. The first is the worked example of GB 32100-2015. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizeCreditCode, validateCreditCode } from '../../../server/rules/credit-code.ts'

const good = '91350100M000100Y43'
const characters = '0123456789ABCDEFGHJKLMNPQRTUWXY'

describe('unified social credit code', () => {
  it.each(['91350100M000100Y43', '9135 0100 M000 100Y 43', '91350100m000100y43'])('accepts the code %s', (text) =>
    expect(validateCreditCode(text)).toBeNull(),
  )
  it.each([
    ['', '应为 18 位，现在是 0 位'],
    [good.slice(1), '应为 18 位，现在是 17 位'],
    [`${good}0`, '应为 18 位，现在是 19 位'],
    [good.replace('M', 'I'), '里没有「I」'],
    [good.replace('Y', 'Z'), '里没有「Z」'],
    [good.replace('3501', '3510'), '校验位不对'],
  ])('refuses %s', (text, why) => expect(validateCreditCode(text)).toContain(why))

  it('detects any changed character and any swap of two neighbours', () => {
    fc.assert(
      fc.property(fc.nat(17), fc.constantFrom(...characters), (at, other) => {
        fc.pre(good[at] !== other)
        expect(validateCreditCode(good.slice(0, at) + other + good.slice(at + 1))).not.toBeNull()
      }),
      { seed: 20_261_123, numRuns: 300 },
    )
    for (let at = 0; at < 17; at += 1) {
      const exchanged = good.slice(0, at) + good[at + 1] + good[at] + good.slice(at + 2)
      if (exchanged !== good) expect(validateCreditCode(exchanged), exchanged).not.toBeNull()
    }
  })
  it('stores a code in capitals without spaces', () => expect(normalizeCreditCode(' 9135 0100 m000-100y 43 ')).toBe(good))
})
