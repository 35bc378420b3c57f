/** A single column whose name says that it varies, shifted against the names while its amounts stayed near last month's. */
import { describe, expect, it } from 'vitest'
import { seeded } from '../../support/random.ts'
import { blurred, checkedWithComparison, twoMonths } from '../../support/sheets/pay-months.ts'

type Part = 'none' | 'half' | 'whole'
/** Returns the messages that stop the sending of a month in which merit pay of a part of the rows moved by one row. */
function shiftMerit(seed: number, part: Part, noise: number): string[] {
  const random = seeded(seed)
  let months = twoMonths(random)
  while (months.before.length < 20 || !months.keys.includes('merit')) months = twoMonths(random)
  const lines = months.before.slice(0, 20).map((line) => ({ ...line, pay: blurred(random, line.pay, noise) }))
  const merits = lines.map(({ pay }) => pay.merit)
  const count = part === 'none' ? 0 : part === 'half' ? 10 : 20
  for (let at = 0; at < count; at++) {
    const line = lines[at]
    if (line) line.pay = { ...line.pay, merit: merits[(at + 1) % count] ?? 0 }
  }
  const { issues, unproven } = checkedWithComparison({ ...months, lines }, months.before)
  return [
    ...issues.filter(({ level }) => level === 'error').map(({ message }) => message),
    ...unproven.map((row) => `look ${row}`),
  ]
}
const noises = [0.01, 0.03, 0.05, 0.1]

describe('merit pay that moved by one row', () => {
  it.each(noises.flatMap((noise) => (['whole', 'half'] as const).map((part) => [part, noise] as const)))(
    '%s column, amounts within %f of last month: is never silent',
    (part, noise) => {
      const silent = [1, 2, 3, 4, 5, 6].filter((seed) => shiftMerit(seed, part, noise).length === 0)
      expect(silent).toEqual([])
    },
  )
  it.each([0, ...noises])('asks for nothing where each amount is within %f of the own one', (noise) => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].flatMap((seed) => shiftMerit(seed, 'none', noise))).toEqual([])
  })
})
