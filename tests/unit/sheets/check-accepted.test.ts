/**
 * What follows from a check without another one: accepted issues, edited rows; and shortcuts of the comparison that
 * must not change its result.
 */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Issue } from '../../../server/contract/sheets/sheet.ts'
import type { CheckColumn } from '../../../server/modules/sheets/rules/check/amount-issues.ts'
import type { CheckRow } from '../../../server/modules/sheets/rules/check/check-input.ts'
import {
  getFen,
  getMatchedShare,
  MemberAmounts,
  selectMedian,
  selectNth,
  toPayItems,
} from '../../../server/modules/sheets/rules/check/member-amounts.ts'
import { type PayrollMember, Roster } from '../../../server/modules/sheets/rules/check/member-match.ts'
import { RowReader, type RowReading } from '../../../server/modules/sheets/rules/check/row-reader.ts'
import {
  type CheckCompletion,
  SheetCheck,
  type SheetCheckResult,
} from '../../../server/modules/sheets/rules/check/sheet-check.ts'
import { getAcceptanceMark, isSheetIssue } from '../../../server/modules/sheets/rules/check/sheet-issues.ts'
import { ComparisonCache } from '../../../server/modules/sheets/rules/months/comparison-cache.ts'
import type { MonthSimilarity } from '../../../server/modules/sheets/rules/months/month-similarity.ts'
import { type CheckOutcome, removeAcceptedIssues } from '../../../server/modules/sheets/rules/outcome.ts'
import type { RowCells } from '../../../server/rules/amounts.ts'
import { nothingStored, staff, typed } from '../../support/check.ts'
import { type Random, seeded } from '../../support/random.ts'
import { trial } from '../../support/run/trial.ts'

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
  { key: 'c9', label: '部门', role: 'department' },
]
const yuan = (fen: number): string => (fen / 100).toFixed(2)
type Line = { name: string; mobile: string; card: string; pay: number[]; net: string }

/** Employees with their last month, and errors of all kinds, some that may be accepted and some that may not. */
function getSheet(random: Random, least = 6) {
  const { below, chance, pick } = random
  const people = staff(Array.from({ length: least + below(30) }, (_, at) => `员工${at}`)).map(
    (person, at): PayrollMember => ({
      ...person,
      departments: at % 2 ? '销售部' : '财务部',
      bank_account_index: at % 3 ? `6222${at}0000` : null,
    }),
  )
  const paid = () => [(50 + below(40)) * 10_000, below(6) * 10_000, below(90_000), (40 + below(20)) * 1_000, below(5_000)]
  const before = people.map(paid)
  const channel = pick(['stays', 'stays', 'varies', 'half'])
  const next = (fen: number, position: number): number => {
    if (position === 2 && channel !== 'varies') return below(90_000)
    if (channel === 'varies') return Math.round(fen * (0.97 + below(600) / 10_000))
    return channel === 'half' && chance(0.55) ? fen + below(20) * 1_000 : fen
  }
  const lines = people.map(({ name, mobile }, at): Line => {
    const pay = before[at]?.map(next) ?? []
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
    const cells = typed(columns, [name, mobile, card, ...pay.map(yuan), net, at % 2 ? '销售部' : '财务部'])
    return { row: at + 2, cells, member_id: chance(0.05) ? pick(people).id : null, skipped: chance(0.05), accepted: [] }
  })
  const last = new MemberAmounts()
  const named = toPayItems(columns)
  const places = last.addItems(named.map(({ item }) => item))
  for (const [at, pay] of before.entries()) {
    const [base = 0, post = 0, overtime = 0, fund = 0, tax = 0] = pay
    const cells = typed(columns, ['', '', '', ...pay.map(yuan), yuan(base + post + overtime - fund - tax)])
    last.add(
      people[at]?.id ?? '',
      places,
      named.map(({ column }) => getFen(cells, column.key)),
    )
  }
  const sheet = {
    ...nothingStored,
    columns,
    formula: { plus: ['c3', 'c4', 'c5'], minus: ['c6', 'c7'], net: 'c8', holds: 8, of: 10 },
    declared_month: chance(0.3) ? '2026-09' : null,
    title_month: '2026-10',
    hidden_rows: new Set(chance(0.3) ? [2, 3] : []),
    totals_row: chance(0.3) ? { row: 999, net_fen: 5, agrees: false } : null,
    totals: chance(0.3) ? [{ row: 999, label: '合计', amounts: [{ key: 'c3', fen: 5, tolerance: 0 }] }] : [],
    declared: chance(0.3) ? { row: 999, label: '合计', amounts: [{ key: 'c4', fen: 5, tolerance: 0 }] } : null,
    expected: chance(0.3) ? { plus: ['c3', 'c4'], minus: [], net: 'c8', holds: 9, of: 10 } : null,
  }
  const after: CheckCompletion = {
    same_file: chance(0.3) ? { title: '工资', month: '', by: 'file' } : null,
    getEarlierAmounts: () => [],
    taxIssues: [],
  }
  const around = {
    roster: new Roster(people),
    lastMonth: chance(0.8) ? last : null,
    alreadyPaid: new Set(['p1']),
    getIdCardIndex: (card: string) => card,
    getBankCardIndex: (card: string) => card,
  }
  return { rows, sheet, around, after }
}
type Sheet = ReturnType<typeof getSheet>

/** The whole check with these issues accepted. */
function full({ rows, sheet, around, after }: Sheet, accepted: readonly Issue[]): SheetCheckResult {
  const marks = (request: (one: Issue) => boolean): string[] => accepted.filter(request).map(getAcceptanceMark)
  const check = new SheetCheck({ ...sheet, accepted: marks(isSheetIssue) }, around)
  for (const row of rows) check.add({ ...row, accepted: marks((one) => !isSheetIssue(one) && one.row === row.row) })
  return check.finish(after)
}
const getOutcome = (checked: SheetCheckResult): CheckOutcome => ({
  checked,
  last: null,
  paidBefore: new Set(),
  joined: [],
  missing: [],
  largest_changes: [],
  comparison_others: null,
  same_file: null,
  content: '',
})

describe('accepted issues', () => {
  trial(
    'check-accepted',
    'removes accepted issues as a complete check would',
    { full: 3_000, sample: 30, of: 'sheets' },
    ({ size, seed, tried, says }) => {
      const kinds = new Set<string>()
      for (let at = 0; at < size; at++) {
        const random = seeded(seed * 100_000 + at)
        const sheet = getSheet(random)
        let outcome = getOutcome(full(sheet, []))
        const accepted: Issue[] = []
        for (let slot = 0; slot < 3; slot++) {
          const some = outcome.checked.issues.filter(({ fix }) => fix.includes('accept') && random.chance(0.4))
          for (const { kind } of some) kinds.add(kind)
          accepted.push(...some)
          outcome = removeAcceptedIssues(outcome, some)
          expect(outcome.checked, `sheet ${at} of seed ${seed}`).toEqual(full(sheet, accepted))
        }
      }
      tried(size)
      says(`${kinds.size} kinds accepted`)
      expect(kinds.size).toBeGreaterThan(7)
    },
  )
})

const money = ['c3', 'c4', 'c5', 'c6', 'c7', 'c8']
const getAmounts = ({ cells }: CheckRow): RowCells =>
  Object.fromEntries(money.flatMap((key) => (cells[key] ? [[key, cells[key]]] : [])))

/** The computed values of a comparison, as far as `requested` has them too. */
function storedIn(one: ComparisonCache<MonthSimilarity>, requested: ComparisonCache<MonthSimilarity>): unknown {
  const { similarity } = one
  const stages = ['weighed', 'stretches', 'disordered', 'edges', 'counted'] as const
  return [
    similarity && [similarity.measurements, similarity.proven, similarity.settled, similarity.memberByRow],
    ...stages.map((stage) => requested[stage].entries.map((_, column) => one[stage].entries[column]?.value)),
  ]
}

/** Corrects or breaks a row; `before` holds the rows before the change. */
function mend({ rows }: Sheet, { below, chance, pick }: Random, before: Map<number, CheckRow>): string {
  const at = below(rows.length)
  const [row, other] = [rows[at], pick(rows)]
  if (!row) return 'nothing'
  const put = (position: number, fields: Partial<CheckRow>): void => {
    const was = rows[position]
    if (!was) return
    before.set(position, was)
    rows[position] = { ...was, ...fields }
  }
  const write = (key: string, text: string) => {
    const { [key]: _old, ...cells } = row.cells
    const { [key]: cell } = typed(
      columns,
      columns.map((column) => (column.key === key ? text : '')),
    )
    put(at, { cells: cell ? { ...cells, [key]: cell } : cells, accepted: [] })
  }
  const amount = () => pick(['', '见备注', '-5', yuan(below(900_000)), yuan((50 + below(40)) * 10_000)])
  const fixes: Readonly<Record<string, () => void>> = {
    'an amount': () => write(pick(['c3', 'c4', 'c5', 'c6', 'c7']), amount()),
    'the net': () => write('c8', amount()),
    'the amount of another': () => put(at, { cells: { ...row.cells, c3: other.cells.c3 ?? { value: '', kind: 'empty' } } }),
    'a name': () => write('c0', chance(0.3) ? '' : (other.cells.c0?.value ?? '')),
    'a phone': () => write('c1', chance(0.3) ? '123' : (other.cells.c1?.value ?? '')),
    'a card': () => write('c2', other.cells.c2?.value ?? ''),
    'a department': () => write('c9', pick(['', '销售部', '财务部'])),
    'left out, or brought back': () => put(at, { skipped: !row.skipped }),
    'amounts that change places': () => {
      const position = rows.indexOf(other)
      put(at, { cells: { ...row.cells, ...getAmounts(other) } })
      put(position, { cells: { ...other.cells, ...getAmounts(row) } })
    },
    'amounts of another': () => put(at, { cells: { ...row.cells, ...getAmounts(other) } }),
    'a column that slips': () => {
      const key = pick(money)
      for (let position = at; position < Math.min(rows.length - 1, at + 9); position++) {
        const [one, next] = [rows[position], rows[position + 1]]
        const cell = next?.cells[key]
        if (one && cell) put(position, { cells: { ...one.cells, [key]: cell } })
      }
    },
    'rows that slip': () => {
      for (let position = at; position < Math.min(rows.length - 1, at + 6); position++) {
        const [one, next] = [rows[position], rows[position + 1]]
        if (one && next) put(position, { cells: { ...one.cells, ...getAmounts(next) } })
      }
    },
    'people who change places': () => {
      const who = ({ cells: { c0, c1 } }: CheckRow) => ({ ...(c0 && { c0 }), ...(c1 && { c1 }) })
      const position = rows.indexOf(other)
      put(at, { cells: { ...row.cells, ...who(other) } })
      put(position, { cells: { ...other.cells, ...who(row) } })
    },
    'a person': () => put(at, { member_id: row.member_id === null ? `p${below(rows.length)}` : null }),
    accepted: () => put(at, { accepted: ['net_outlier:c8', 'item_outlier:c3', 'swapped_rows:'] }),
    'taken back': () => {
      const [position, was] = pick([...before, [at, row] as const])
      put(position, was)
    },
  }
  const what = pick(Object.keys(fixes))
  fixes[what]?.()
  return what
}

describe('edited rows', () => {
  trial(
    'check-mended',
    'checks edited rows with stored results as a complete check would',
    { full: 3_000, sample: 30, of: 'sheets' },
    ({ size, seed, tried, says }) => {
      const fixes = new Set<string>()
      const kinds = new Set<string>()
      for (let at = 0; at < size; at++) {
        const random = seeded(seed * 100_000 + at)
        // Beyond 130 rows not every distance is compared.
        const sheet = getSheet(random, at % 12 === 0 ? 140 : 6)
        const reader = new RowReader(sheet.sheet, sheet.around)
        const comparison = new ComparisonCache<MonthSimilarity>()
        const readings = new Map<CheckRow, RowReading>()
        const before = new Map<number, CheckRow>()
        for (let slot = 0; slot < 7; slot++) {
          if (slot > 0) fixes.add(mend(sheet, random, before))
          const check = new SheetCheck(sheet.sheet, sheet.around, reader, comparison)
          for (const row of sheet.rows) {
            const reading = readings.get(row) ?? reader.read(row)
            readings.set(row, reading)
            check.addReading(reading)
          }
          const notified = check.finish(sheet.after)
          for (const { kind } of notified.issues) kinds.add(kind)
          const retry = new ComparisonCache<MonthSimilarity>()
          const again = new SheetCheck(sheet.sheet, sheet.around, undefined, retry)
          for (const row of sheet.rows) again.add(row)
          const where = `sheet ${at} of seed ${seed}, fix ${slot}`
          expect(notified, where).toEqual(again.finish(sheet.after))
          expect(isDeepStrictEqual(storedIn(comparison, retry), storedIn(retry, retry)), `what is kept of ${where}`).toBe(true)
        }
      }
      tried(size)
      says(`${fixes.size} kinds of fixes, ${kinds.size} kinds of problems`)
      expect([fixes.size, kinds.size > 12]).toEqual([16, true])
    },
  )
})

describe('selection without sorting', () => {
  it('finds the median and the value at any rank', () => {
    const random = seeded(7)
    for (let round = 0; round < 400; round++) {
      const values = Array.from({ length: round % 40 }, () => random.below(round % 3 === 0 ? 4 : 1_000) - 2)
      const sorted = values.toSorted((a, b) => a - b)
      expect(selectMedian(values)).toBe(sorted[(sorted.length - 1) >> 1] ?? 0)
      for (const position of sorted.keys()) expect(selectNth(Float64Array.from(values), position)).toBe(sorted[position])
    }
  })

  it('computes the share of amounts that an employee had', () => {
    const random = seeded(8)
    for (let round = 0; round < 400; round++) {
      const some = () =>
        Float64Array.from({ length: random.below(30) }, () => (random.chance(0.1) ? Number.NaN : random.below(25)))
      const [now, was] = [some(), some()]
      const hold = (figure: number): number => was.filter((one) => one === figure).length
      const telling = [...now].filter((figure) => !Number.isNaN(figure) && hold(figure) <= 3)
      const share = telling.length < 3 ? 0 : telling.filter((figure) => hold(figure) > 0).length / telling.length
      expect(getMatchedShare(now, was)).toBe(share < 0.4 ? 0 : share)
    }
  })
})
