/** What follows from a check without another one: problems that were accepted. And shortcuts of the comparison that must not change what it says. */
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../server/contract/sheet.ts'
import { Figures, fenOf, itemsOf, knownShare, middleOf, smallest } from '../../server/domain/sheet/rules/check/history.ts'
import { Roster } from '../../server/domain/sheet/rules/check/matching.ts'
import { type After, Check, type Checked, type CheckRow } from '../../server/domain/sheet/rules/check/problems.ts'
import type { CheckColumn } from '../../server/domain/sheet/rules/check/problems-amounts.ts'
import { isOfSheet, markOf } from '../../server/domain/sheet/rules/check/problems-sheet.ts'
import { type CheckOutcome, withAccepted } from '../../server/domain/sheet/rules/outcome.ts'
import { nothingKnown, staff, typed } from '../kit/check.ts'
import { type Random, seeded } from '../kit/random.ts'
import { trial } from '../kit/trial.ts'

const columns: CheckColumn[] = [
  { key: 'c0', label: '姓名', role: 'name' },
  { key: 'c1', label: '手机号', role: 'mobile' },
  { key: 'c2', label: '银行卡号', role: 'bank_account' },
  { key: 'c3', label: '基本工资', role: 'earning' },
  { key: 'c4', label: '岗位工资', role: 'earning' },
  { key: 'c5', label: '加班费', role: 'earning' },
  { key: 'c6', label: '公积金', role: 'deduction' },
  { key: 'c7', label: '个税', role: 'tax' },
  { key: 'c8', label: '实发工资', role: 'net' },
]
const yuan = (fen: number): string => (fen / 100).toFixed(2)
type Line = { name: string; mobile: string; card: string; pay: number[]; net: string }

/** People beside their last month, with mistakes of all kinds that may be accepted, and of some that may not. */
function sheetOf(random: Random) {
  const { below, chance, pick } = random
  const people = staff(Array.from({ length: 6 + below(30) }, (_, at) => `员工${at}`))
  const paid = () => [(50 + below(40)) * 10_000, below(6) * 10_000, below(90_000), (40 + below(20)) * 1_000, below(5_000)]
  const before = people.map(paid)
  const lines = people.map(({ name, mobile }, at): Line => {
    const pay = before[at]?.map((fen, place) => (place === 2 ? below(90_000) : fen)) ?? []
    if (chance(0.1)) pay[0] = below(3_000_000)
    const [base = 0, post = 0, overtime = 0, fund = 0, tax = 0] = pay
    const net = base + post + overtime - fund - tax
    return { name, mobile, card: `6222${at}000${below(9)}`, pay, net: yuan(net) }
  })
  for (let times = below(6); times > 0; times--) {
    const [one, other] = [pick(lines), pick(lines)]
    pick<() => void>([
      () => ([one.pay, other.pay, one.net, other.net] = [other.pay, one.pay, other.net, one.net]),
      () => (one.card = other.card),
      () => (one.net = yuan(below(900_000))),
      () => (one.net = '见备注'),
      () => (one.mobile = '123'),
      () => (one.name = other.name),
      () => (one.net = '-1'),
    ])()
  }
  if (chance(0.2)) lines.push({ ...pick(lines) })
  const rows = lines.map(({ name, mobile, card, pay, net }, at): CheckRow => {
    const cells = typed(columns, [name, mobile, card, ...pay.map(yuan), net])
    return { row: at + 2, cells, member_id: chance(0.05) ? pick(people).id : null, skipped: chance(0.05), accepted: [] }
  })
  const last = new Figures()
  const named = itemsOf(columns)
  const places = last.open(named.map(({ item }) => item))
  for (const [at, pay] of before.entries()) {
    const [base = 0, post = 0, overtime = 0, fund = 0, tax = 0] = pay
    const cells = typed(columns, ['', '', '', ...pay.map(yuan), yuan(base + post + overtime - fund - tax)])
    last.add(
      people[at]?.id ?? '',
      places,
      named.map(({ column }) => fenOf(cells, column.key)),
    )
  }
  const sheet = {
    ...nothingKnown,
    columns,
    formula: { plus: ['c3', 'c4', 'c5'], minus: ['c6', 'c7'], net: 'c8', holds: 8, of: 10 },
    says_month: chance(0.3) ? '2026-09' : null,
    title_month: '2026-10',
    hidden_rows: new Set(chance(0.3) ? [2, 3] : []),
    totals_row: chance(0.3) ? { row: 99, net_fen: 5, agrees: false } : null,
  }
  const after: After = {
    same_file: chance(0.3) ? { title: '工资', month: '', by: 'file' } : null,
    earlier: () => [],
    tax: [],
  }
  const around = {
    roster: new Roster(people),
    last: chance(0.8) ? last : null,
    already: new Set(['p1']),
    idCardIndex: (card: string) => card,
  }
  return { rows, sheet, around, after }
}
type Sheet = ReturnType<typeof sheetOf>

/** The whole check, with this accepted. */
function whole({ rows, sheet, around, after }: Sheet, accepted: readonly Problem[]): Checked {
  const marks = (wanted: (one: Problem) => boolean): string[] => accepted.filter(wanted).map(markOf)
  const check = new Check({ ...sheet, accepted: marks(isOfSheet) }, around)
  for (const row of rows) check.add({ ...row, accepted: marks((one) => !isOfSheet(one) && one.row === row.row) })
  return check.finish(after)
}
const outcomeOf = (checked: Checked): CheckOutcome => ({
  checked,
  last: null,
  known: new Set(),
  joined: [],
  missing: [],
  beside_others: null,
  same_file: null,
  content: '',
})

describe('problems that were accepted', () => {
  trial(
    'check-accepted',
    'are gone as if everything had been checked again',
    { whole: 3_000, sample: 60, of: 'sheets' },
    ({ size, seed, tried, says }) => {
      const kinds = new Set<string>()
      for (let at = 0; at < size; at++) {
        const random = seeded(seed * 100_000 + at)
        const sheet = sheetOf(random)
        let outcome = outcomeOf(whole(sheet, []))
        const accepted: Problem[] = []
        for (let turn = 0; turn < 3; turn++) {
          const some = outcome.checked.problems.filter(({ fix }) => fix.includes('accept') && random.chance(0.4))
          for (const { kind } of some) kinds.add(kind)
          accepted.push(...some)
          outcome = withAccepted(outcome, some)
          expect(outcome.checked, `sheet ${at} of seed ${seed}`).toEqual(whole(sheet, accepted))
        }
      }
      tried(size)
      says(`${kinds.size} kinds accepted`)
      expect(kinds.size).toBeGreaterThan(7)
    },
  )
})

describe('what is found without putting all in order', () => {
  it('is the middle one, and the one at any place', () => {
    const random = seeded(7)
    for (let round = 0; round < 400; round++) {
      const values = Array.from({ length: round % 40 }, () => random.below(round % 3 === 0 ? 4 : 1_000) - 2)
      const sorted = values.toSorted((a, b) => a - b)
      expect(middleOf(values)).toBe(sorted[(sorted.length - 1) >> 1] ?? 0)
      for (const place of sorted.keys()) expect(smallest(Float64Array.from(values), place)).toBe(sorted[place])
    }
  })

  it('is the share of figures that somebody had', () => {
    const random = seeded(8)
    for (let round = 0; round < 400; round++) {
      const some = () =>
        Float64Array.from({ length: random.below(30) }, () => (random.chance(0.1) ? Number.NaN : random.below(25)))
      const [now, was] = [some(), some()]
      const held = (figure: number): number => was.filter((one) => one === figure).length
      const telling = [...now].filter((figure) => !Number.isNaN(figure) && held(figure) <= 3)
      const share = telling.length < 3 ? 0 : telling.filter((figure) => held(figure) > 0).length / telling.length
      expect(knownShare(now, was)).toBe(share < 0.4 ? 0 : share)
    }
  })
})
