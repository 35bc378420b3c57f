/**
 * Which members are asked about where every amount differs a little: two whose rows were swapped, not two who got a
 * raise.
 */
import { describe, expect, it } from 'vitest'
import { seeded } from '../../support/random.ts'
import { blurred, checkedWithComparison, getRoster, type Item, type PaidLine, type Pay } from '../../support/sheets/pay-months.ts'

const keys: readonly Item[] = ['base', 'post', 'overtime', 'pension', 'fund']
const pay = (base: number, post: number, insured: number): Pay => ({
  base: base * 100,
  post: post * 100,
  pension: insured * 8,
  fund: insured * 7,
  age: 0,
  merit: 0,
  overtime: 0,
  meal: 0,
  medical: 0,
  absence: 0,
  tax: 0,
})
const names = [...'赵钱孙李周吴郑王冯陈褚卫'].map((surname) => `${surname}一`)
/** Twelve employees in no order of pay; the last one is nearly equal to the one before. */
const pays = names.map((_, at) => {
  const step = (at * 5) % 12
  return at === 11 ? pay(4_900, 600, 4_850) : pay(4_000 + step * 433, (step % 4) * 300, 4_100 + step * 397)
})
const before = pays.map(
  (own, at): PaidLine => ({ owner: `p${at}`, name: names[at] ?? '', mobile: `138${String(at).padStart(8, '0')}`, pay: own }),
)

/**
 * Changes every amount by up to 3 %, then applies the change. Returns the rows that are asked about, or the kind of
 * issue that blocks.
 */
function request(happens: (lines: PaidLine[]) => unknown, paid: readonly PaidLine[] = before): readonly (number | string)[] {
  const random = seeded(8)
  const lines = before.map((line): PaidLine => ({ ...line, pay: blurred(random, line.pay, 0.03) }))
  happens(lines)
  const months = { people: before.map((line) => getRoster(line)), before: [...paid], lines, keys }
  const { issues, unproven } = checkedWithComparison(months, paid)
  return [...issues.flatMap(({ level, kind, row }) => (level === 'error' ? [`${kind} ${row}`] : [])), ...unproven]
}
const exchange =
  (one: number, other: number, ...items: readonly Item[]) =>
  (lines: PaidLine[]) => {
    const [a, b] = [lines[one], lines[other]]
    if (!a || !b) return
    const [current, theirs] = [a.pay, b.pay]
    for (const item of items.length > 0 ? items : keys) {
      a.pay = { ...a.pay, [item]: theirs[item] }
      b.pay = { ...b.pay, [item]: current[item] }
    }
  }
const change = (at: number, item: Item, to: number) => (lines: PaidLine[]) => {
  const line = lines[at]
  if (line) line.pay = { ...line.pay, [item]: to }
}

describe('swap detection with amounts that vary by up to 3 %', () => {
  it.each<[string, ReturnType<typeof request>, ReturnType<typeof request>]>([
    ['an ordinary month: nobody', request(() => {}), []],
    ['two with similar pay, one twentieth apart', request(exchange(4, 9, 'base', 'pension', 'fund')), [6, 11]],
    ['two with very different pay', request(exchange(0, 7)), ['swapped_rows 2']],
    ['two who differ by less than the usual variation: undecidable', request(exchange(10, 11, 'base', 'pension', 'fund')), []],
    ['one raise to the amount of another member', request(change(4, 'base', 790_000)), []],
    [
      'two raises to other amounts',
      request((lines) => [change(2, 'base', 890_000), change(8, 'base', 640_000)].map((one) => one(lines))),
      [],
    ],
    ['a new member with the amounts of another', request(exchange(2, 6), before.toSpliced(6, 1)), [4, 8]],
    [
      'two in a month of raises: only one of them fell',
      request((lines) => {
        for (const at of [0, 1, 3]) change(at, 'base', Math.round((lines[at]?.pay.base ?? 0) * 1.14))(lines)
        exchange(2, 7, 'base', 'pension', 'fund')(lines)
      }),
      [4, 9],
    ],
    [
      'three items of four rows shifted up by one row',
      request((lines) => [5, 6, 7].map((at) => exchange(at, at + 1, 'base', 'pension', 'fund')(lines))),
      ['shifted_rows 7'],
    ],
    [
      'one item of four rows shifted up by one row',
      request((lines) => [5, 6, 7].map((at) => exchange(at, at + 1, 'base')(lines))),
      ['shifted_rows 7', 7, 8, 9],
    ],
  ])('%s', (_, matches, expected) => expect(matches).toEqual(expected))
})

describe('swap detection with rotating overtime', () => {
  /** Shifts rows: each employee has about what the next one had; with `off` not to the fen. */
  const removedRound = (off: number) => {
    const hours = before.map((_, at) => 40_000 + ((at * 7) % 12) * 23_000)
    const paid = before.map((line, at): PaidLine => ({ ...line, pay: { ...line.pay, overtime: hours[at] ?? 0 } }))
    return request((lines) => {
      for (const [at, line] of lines.entries()) {
        const was = hours[(at + 1) % hours.length] ?? 0
        line.pay = { ...line.pay, overtime: Math.round(was * (at % 2 === 0 ? 1 + off : 1 - off)) }
      }
    }, paid)
  }
  it.each<[string, ReturnType<typeof request>, ReturnType<typeof request>]>([
    ["overtime within 1 % of the next member's", removedRound(0.01), ['shifted_rows 2']],
    ["overtime equal to the next member's to the fen", removedRound(0), ['shifted_rows 2']],
  ])('%s', (_, matches, expected) => expect(matches).toEqual(expected))
})
