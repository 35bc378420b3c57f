/**
 * Two realistic consecutive months of a company: raises, joining and leaving employees, bonuses, new insurance bases,
 * changed columns, another order.
 */

import { selectSpotChecks } from '../../../server/modules/payslips/rules/spot-checks.ts'
import type { CheckColumn } from '../../../server/modules/sheets/rules/check/amount-issues.ts'
import {
  getFen,
  MemberAmounts,
  type PayItemColumn,
  toPayItems,
} from '../../../server/modules/sheets/rules/check/member-amounts.ts'
import { type PayrollMember, Roster } from '../../../server/modules/sheets/rules/check/member-match.ts'
import {
  type CheckCompletion,
  SheetCheck,
  type SheetCheckResult,
} from '../../../server/modules/sheets/rules/check/sheet-check.ts'
import type { RowCells } from '../../../server/rules/amounts.ts'
import { nothingStored, typed } from '../check.ts'
import type { Random } from '../random.ts'

const items = ['base', 'post', 'age', 'merit', 'overtime', 'meal', 'pension', 'medical', 'fund', 'absence', 'tax'] as const
export type Item = (typeof items)[number]
const labels: Record<Item, string> = {
  base: '基本工资',
  post: '岗位工资',
  age: '工龄工资',
  merit: '绩效工资',
  overtime: '加班费',
  meal: '餐补',
  pension: '养老保险',
  medical: '医疗保险',
  fund: '公积金',
  absence: '缺勤扣款',
  tax: '个税',
}
const accepted: ReadonlySet<Item> = new Set(['pension', 'medical', 'fund', 'absence', 'tax'])
export type Pay = Record<Item, number>
export type PaidLine = { readonly owner: string; readonly name: string; readonly mobile: string; pay: Pay }

type Employee = {
  readonly id: string
  readonly name: string
  readonly mobile: string
  base: number
  post: number
  age: number
  insured: number
}
const yuan = 100

function employee({ below, pick, chance }: Random, at: number): Employee {
  const grade = below(6)
  const base = chance(0.5) ? 3_000 * yuan + grade * 800 * yuan + below(4) * 200 * yuan : 3_500 * yuan + below(170) * 50 * yuan
  const insured = chance(0.25) ? 4_879 * yuan : base + below(3_000 * yuan)
  return {
    id: `p${at}`,
    name:
      pick([...'赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨']) +
      pick([...'伟芳娜敏静丽强磊军洋']) +
      pick([...'伟芳娜敏静丽强磊军洋勇艳杰涛明']),
    mobile: `138${String(at).padStart(8, '0')}`,
    base,
    post: below(5) * 300 * yuan,
    age: below(12) * 50 * yuan,
    insured,
  }
}

/** Returns the usual pay of a month, which raises no question. */
function paidIn({ below, chance }: Random, one: Employee): Pay {
  const gross = one.base + one.post + one.age
  const overtime = chance(0.6) ? below(2_500) * yuan : 0
  const merit = Math.round((gross * (10 + below(20))) / 100)
  return {
    base: one.base,
    post: one.post,
    age: one.age,
    merit,
    overtime,
    meal: (18 + below(5)) * 15 * yuan,
    pension: Math.round(one.insured * 0.08),
    medical: Math.round(one.insured * 0.02) + 300,
    fund: Math.round((one.insured * 0.07) / 100) * 100,
    absence: chance(0.08) ? below(400) * yuan : 0,
    tax: gross > 6_000 * yuan ? Math.round((gross + merit + overtime - 5_000 * yuan) * 0.03) : 0,
  }
}

export type TwoMonths = {
  readonly people: readonly PayrollMember[]
  readonly before: PaidLine[]
  readonly lines: PaidLine[]
  readonly keys: readonly Item[]
}

export function twoMonths(random: Random): TwoMonths {
  const { below, chance, shuffled, pick } = random
  const staff = Array.from({ length: 8 + below(chance(0.2) ? 120 : 40) }, (_, at) => employee(random, at))
  const line = (one: Employee): PaidLine => ({ owner: one.id, name: one.name, mobile: one.mobile, pay: paidIn(random, one) })
  const before = staff.map(line)
  // Happens once a year: new insurance bases for all, and raises for all or for some.
  const adjusted = chance(1 / 12)
  const raised = chance(1 / 12) ? 1 + below(8) / 100 : 1
  const bonus = chance(1 / 10)
  const staying = staff.filter(() => !chance(0.03))
  for (const one of staying) {
    if (raised > 1) one.base = Math.round(one.base * raised)
    else if (chance(0.05)) one.base += (2 + below(10)) * 100 * yuan
    if (chance(0.08)) one.age += 50 * yuan
    if (adjusted && one.insured !== 4_879 * yuan) one.insured = Math.round(one.insured * (1 + below(12) / 100))
    else if (adjusted) one.insured = 5_013 * yuan
  }
  const joined = Array.from({ length: chance(0.5) ? below(4) : 0 }, (_, at) => employee(random, staff.length + at))
  const order = chance(0.25)
    ? shuffled
    : chance(0.2)
      ? <T>(list: readonly T[]): T[] => list.toReversed()
      : <T>(list: readonly T[]): T[] => [...list]
  const lines = order([...staying, ...joined]).map(line)
  if (bonus) for (const one of lines) if (chance(0.7)) one.pay.merit += below(9_000) * yuan
  // A wage sheet has some of the columns, and sometimes one more or one less than last month.
  const always: Item[] = ['base', 'pension']
  const keys = items.filter((item) => always.includes(item) || !chance(0.25))
  const visible = chance(0.1) ? keys.filter((item) => item !== pick(['meal', 'age', 'post'])) : keys
  for (const one of lines) for (const item of items) if (!visible.includes(item)) one.pay[item] = 0
  for (const one of before) for (const item of items) if (!keys.includes(item)) one.pay[item] = 0
  return { people: [...staff, ...joined].map(({ id, ...who }) => getRoster({ owner: id, ...who })), before, lines, keys: visible }
}

export const getRoster = ({ owner, name, mobile }: Pick<PaidLine, 'owner' | 'name' | 'mobile'>): PayrollMember => ({
  id: owner,
  name,
  mobile,
  employee_no: '',
  id_card_index: null,
  status: 'active',
  departments: '',
  in_scope: true,
})

/** Varies every amount a little, as with paid hours or recomputed amounts. */
export function blurred({ next }: Random, pay: Pay, share: number): Pay {
  const blurredPay = { ...pay }
  for (const item of items) blurredPay[item] = Math.round(pay[item] * (1 + (next() * 2 - 1) * share))
  return blurredPay
}

export const isEqual = (one: Pay, other: Pay): boolean => items.every((item) => one[item] === other[item])

/** Checks this month against the last; `before` is null if there is nothing to compare with. */
export const checkedWithComparison = (months: TwoMonths, before: readonly PaidLine[] | null, isViewed = true): SheetCheckResult =>
  getCheck(months, before, isViewed).finish(nothingAfter)
export const nothingAfter: CheckCompletion = { same_file: null, getEarlierAmounts: () => [], taxIssues: [] }

/** Returns the rows that must be reviewed before sending. */
export function lookedComparison({ before }: TwoMonths, { rows, unproven }: SheetCheckResult): number[] {
  const paid = new Set(before.map(({ owner }) => owner))
  const untold = new Set(unproven)
  const existing = rows.map((row) => ({
    ...row,
    wasPaidBefore: paid.has(row.member_id ?? ''),
    isUnproven: untold.has(row.row),
    positions: [],
  }))
  return selectSpotChecks(existing).map(({ row }) => row)
}

/** Items that stay about the same for an employee; the others vary freely from month to month. */
const stored: readonly Item[] = ['base', 'post', 'age', 'pension', 'medical', 'fund']
/**
 * If two employees were swapped, this many amounts may differ from last month's by more than the general variation, and
 * it still counts as a raise and not as a swap: of 30 employees one or two get one in any month.
 */
export const alike_figures = 3
/**
 * The general variation of a month is what nine of ten employees stay within: it includes raises for all and new
 * insurance bases.
 */
const nearly_all = 0.9
/**
 * Returns the amounts of a row that exceed the general variation: further from last month's than every amount varies,
 * and than those of nine of ten employees in the correct wage sheet (`due`). Nothing is known of new employees.
 */
export function beyondNoise(
  { owner, pay }: PaidLine,
  { before, keys }: TwoMonths,
  noise: number,
  due: ReadonlyMap<string, Pay>,
): number {
  const last = new Map(before.map((line) => [line.owner, line.pay]))
  const was = last.get(owner)
  if (!was) return 0
  const rounding = 12
  const split = (now: number, then: number): number => (now === then ? 0 : Math.abs(now - then) / then)
  return stored.filter((item) => {
    if (!keys.includes(item)) return false
    const shares = [...due].map(([one, right]) => split(right[item], last.get(one)?.[item] ?? Number.NaN))
    const all = shares.filter((share) => !Number.isNaN(share)).toSorted((a, b) => a - b)
    const typical = all[Math.floor((all.length - 1) * nearly_all)] ?? 0
    return Math.abs(pay[item] - was[item]) > Math.max(noise, typical) * was[item] + rounding
  }).length
}

/** Returns the check with every row read and nothing compared yet. */
export function getCheck(
  { people, lines, keys }: TwoMonths,
  before: readonly PaidLine[] | null,
  /** Whether the checking user may view the last month. Otherwise it is the company's, and the user only gets questions. */
  isViewed = true,
): SheetCheck {
  const columns: CheckColumn[] = [
    { key: 'c0', label: '姓名', role: 'name' },
    { key: 'c1', label: '手机号', role: 'mobile' },
    ...keys.map(
      (item, at): CheckColumn => ({
        key: `c${at + 2}`,
        label: labels[item],
        role: item === 'tax' ? 'tax' : accepted.has(item) ? 'deduction' : 'earning',
      }),
    ),
    { key: `c${keys.length + 2}`, label: '应发合计', role: 'gross' },
    { key: `c${keys.length + 3}`, label: '实发工资', role: 'net' },
  ]
  const getCells = ({ name, mobile, pay }: PaidLine): RowCells => {
    const sum = (request: (item: Item) => boolean) => keys.filter(request).reduce((all, item) => all + pay[item], 0)
    const gross = sum((item) => !accepted.has(item))
    const amounts = [...keys.map((item) => pay[item]), gross, gross - sum((item) => accepted.has(item))]
    return typed(columns, [name, mobile, ...amounts.map((fen) => (fen / 100).toFixed(2))])
  }
  const check = new SheetCheck(
    { ...nothingStored, columns },
    {
      roster: new Roster(people),
      lastMonth: isViewed ? before && getFigures(before, columns, getCells) : null,
      alreadyPaid: new Set(),
      getIdCardIndex: (card) => card,
    },
  )
  lines.forEach((line, at) => check.add({ row: at + 2, cells: getCells(line), member_id: null, skipped: false, accepted: [] }))
  if (!isViewed && before) check.compareWith(getFigures(before, columns, getCells), true)
  return check
}

function getFigures(
  lines: readonly PaidLine[],
  columns: readonly PayItemColumn[],
  getCells: (line: PaidLine) => RowCells,
): MemberAmounts {
  const figures = new MemberAmounts()
  const named = toPayItems(columns)
  const places = figures.addItems(named.map(({ item }) => item))
  for (const line of lines) {
    const cells = getCells(line)
    figures.add(
      line.owner,
      places,
      named.map(({ column }) => getFen(cells, column.key)),
    )
  }
  return figures
}
