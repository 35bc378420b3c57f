/**
 * A sheet compared with last month's: rows with the amounts of another employee, whole columns, and one item of one
 * employee. Rows as a clerk would type them, in yuan.
 */
import { describe, expect, it } from 'vitest'
import type { CheckColumn } from '../../../server/modules/sheets/rules/check/amount-issues.ts'
import type { CheckSheet } from '../../../server/modules/sheets/rules/check/check-input.ts'
import { isOutlier } from '../../../server/modules/sheets/rules/check/column-issues.ts'
import { getFen, MemberAmounts, toPayItems } from '../../../server/modules/sheets/rules/check/member-amounts.ts'
import { type PayrollMember, Roster } from '../../../server/modules/sheets/rules/check/member-match.ts'
import { type CheckCompletion, SheetCheck } from '../../../server/modules/sheets/rules/check/sheet-check.ts'
import { parseTypedCell, type RowCell } from '../../../server/rules/amounts.ts'
import { nothingStored } from '../../support/check.ts'

const columns: CheckColumn[] = [
  { key: 'c0', label: '姓名', role: 'name' },
  { key: 'c1', label: '基本工资', role: 'earning' },
  { key: 'c2', label: '加班费', role: 'earning' },
  { key: 'c3', label: '养老保险', role: 'deduction' },
  { key: 'c4', label: '公积金', role: 'deduction' },
  { key: 'c5', label: '实发', role: 'net' },
]
const names = ['赵一', '钱二', '孙三', '李四', '周五', '吴六', '郑七', '王八', '冯九', '陈十']
const people: PayrollMember[] = names.map((name, at) => ({
  id: name,
  name,
  mobile: `1380000000${at}`,
  employee_no: '',
  id_card_index: null,
  status: 'active',
  departments: '',
  in_scope: true,
}))
/** Base, overtime, pension, fund. */
type Pay = [number, number, number, number]
const september: Record<string, Pay> = {
  赵一: [8000, 120.5, 512.4, 400],
  钱二: [9500, 0, 608.2, 475],
  孙三: [7200, 310, 460.8, 360],
  李四: [12000, 0, 768, 600],
  周五: [8000, 88, 512.4, 400],
  吴六: [6100, 450.75, 390.4, 305],
  郑七: [15200, 0, 972.8, 760],
  王八: [6600, 90, 422.4, 330],
  冯九: [10400, 0, 665.6, 520],
  陈十: [7900, 200.2, 505.6, 395],
}
/** October: overtime differs for everybody, the rest is unchanged. */
const october = (name: string, at: number): Pay => {
  const [base, , pension, fund] = september[name] ?? [0, 0, 0, 0]
  return [base, 33.3 * (at + 1), pension, fund]
}
type Row = [name: string, pay: Pay]
const getCells = (name: string, pay: Pay): Record<string, RowCell> => {
  const net = pay[0] + pay[1] - pay[2] - pay[3]
  const cells: Record<string, RowCell> = {}
  ;[name, ...[...pay, net].map((yuan) => yuan.toFixed(2))].forEach((text, at) => {
    const cell = parseTypedCell(text, columns[at]?.role ?? 'info')
    if (cell) cells[`c${at}`] = cell
  })
  return cells
}
function ledger(rows: Row[]): MemberAmounts {
  const figures = new MemberAmounts()
  const items = toPayItems(columns)
  const places = figures.addItems(items.map(({ item }) => item))
  for (const [name, pay] of rows) {
    const cells = getCells(name, pay)
    figures.add(
      name,
      places,
      items.map(({ column }) => getFen(cells, column.key)),
    )
  }
  return figures
}
const last = ledger(Object.entries(september))
const sheet: CheckSheet = { ...nothingStored, columns }
type Options = {
  last?: MemberAmounts
  sheet?: Partial<CheckSheet>
  accepted?: Record<number, string[]>
  earlier?: CheckCompletion['getEarlierAmounts']
}
function problems(rows: Row[], options: Options = {}) {
  const check = new SheetCheck(
    { ...sheet, ...options.sheet },
    { roster: new Roster(people), lastMonth: options.last ?? last, alreadyPaid: new Set(), getIdCardIndex: (card) => card },
  )
  rows.forEach(([name, pay], at) =>
    check.add({
      row: at + 2,
      cells: getCells(name, pay),
      member_id: null,
      skipped: false,
      accepted: options.accepted?.[at + 2] ?? [],
    }),
  )
  return check.finish({ same_file: null, getEarlierAmounts: options.earlier ?? (() => []), taxIssues: [] }).issues
}
const notify = (rows: Row[], options?: Options) => problems(rows, options).map(({ id, level }) => `${id} ${level}`)
const getDefault = (): Row[] => names.map((name, at) => [name, october(name, at)])
/** The names stay; row `at` gets the pay of row `from(at)`. */
const paidAs = (from: (at: number) => number): Row[] => {
  const rows = getDefault()
  return rows.map(([name], at) => [name, rows[from(at)]?.[1] ?? [0, 0, 0, 0]])
}

describe('amounts of another employee in a row', () => {
  it('reports nothing for an ordinary month in any order', () => {
    expect(notify(getDefault())).toEqual([])
    expect(notify(getDefault().toReversed())).toEqual([])
  })

  it('reports two swapped employees once, by name and row', () => {
    const rows = paidAs((at) => (at === 2 ? 6 : at === 6 ? 2 : at))
    expect(notify(rows)).toEqual(['4:swapped_rows: error'])
    expect(problems(rows)[0]?.message).toContain('「孙三」（第 4 行）和「郑七」（第 8 行）')
    expect(notify(rows, { accepted: { 4: ['swapped_rows:'] } })).toEqual([])
  })

  it('reports that every row has the amounts of the row below', () => {
    const rows = paidAs((at) => (at + 1) % names.length)
    const matches = problems(rows)
    expect(matches.every(({ level, kind }) => level === 'error' && (kind === 'shifted_rows' || kind === 'swapped_rows'))).toBe(
      true,
    )
    expect(matches.some(({ kind }) => kind === 'shifted_rows')).toBe(true)
    expect(matches.find(({ kind }) => kind === 'shifted_rows')?.message).toMatch(
      /第 \d+–\d+ 行的金额整体错位：每一行都更像是下方相邻一行的人上月的数/,
    )
  })

  it('reports that every row has the amounts of the row above, with a new employee in the first row', () => {
    const rows = getDefault()
    const matches = problems(rows.map(([name], at) => [name, rows[at - 1]?.[1] ?? [5000, 1, 2, 3]]))
    expect(matches.map(({ id }) => id)).toEqual(['3:shifted_rows:'])
    expect(matches[0]?.message).toContain(
      '第 3–11 行的金额整体错位：每一行都更像是上方相邻一行的人上月的数，例如「钱二」这一行更像是「赵一」的',
    )
  })

  it('reports one column shifted down by one in some rows', () => {
    const rows = getDefault().map(([name, pay], at, all): Row => {
      const above = all[at - 1]?.[1]
      return [name, at >= 3 && at <= 8 && above ? [pay[0], pay[1], above[2], pay[3]] : pay]
    })
    const matches = problems(rows).filter(({ kind }) => kind === 'shifted_rows')
    expect(matches).toHaveLength(1)
    expect(matches[0]).toMatchObject({ column: 'c3', level: 'error', fix: ['accept'] })
    expect(matches[0]?.message).toContain('「养老保险」')
    expect(matches[0]?.message).toContain('上方相邻一行')
  })

  it('asks one question with examples for sorted names, not one per row', () => {
    const order = [4, 0, 7, 2, 9, 1, 5, 8, 3, 6]
    const matches = problems(paidAs((at) => order[at] ?? at))
    expect(matches.map(({ kind, level }) => `${kind} ${level}`)).toEqual(['shifted_rows error'])
    expect(matches[0]?.message).toContain('金额和姓名对不上')
    expect(matches[0]?.message).toMatch(/第 \d+ 行「..」的金额更像是「..」的/)
  })

  it('does not treat a raise to the unchanged pay of a colleague as a swap', () => {
    const rows = getDefault()
    rows[2] = ['孙三', rows[3]?.[1] ?? [0, 0, 0, 0]]
    expect(notify(rows).filter((one) => one.includes('swapped'))).toEqual([])
  })

  it('ignores a round amount that two employees happen to have', () => {
    const few = ledger([
      ['赵一', [5000, 0, 0, 0]],
      ['钱二', [6000, 0, 0, 0]],
    ])
    const rows: Row[] = [
      ['赵一', [6000, 0, 0, 0]],
      ['钱二', [5500, 0, 0, 0]],
    ]
    expect(notify(rows, { last: few })).toEqual([])
  })
})

describe('one employee compared with earlier months', () => {
  it.each<[string, number, number[], boolean]>([
    ['one earlier month: four times as much', 5_000, [1_000], false],
    ['one month: an extra zero', 10_000, [1_000], true],
    ['fixed for three months, then half as much again', 13_000, [8_000, 8_000, 8_000], true],
    ['fixed for three months, then a usual raise', 9_000, [8_000, 8_000, 8_000], false],
    ['variable overtime', 1_600, [300, 900, 0, 1_200], false],
    ['overtime with an extra zero', 9_000, [300, 900, 0, 1_200], true],
    ['a small amount', 450, [30, 30, 30], false],
    ['a new component', 50_000, [0, 0, 0], false],
    ['half of a fixed amount', 3_900, [8_000, 8_000, 8_000], true],
  ])('%s', (_, now, before, far) =>
    expect(
      isOutlier(
        now * 100,
        before.map((yuan) => yuan * 100),
      ),
    ).toBe(far),
  )

  it('treats a change for many employees as seasonal, not as an error of each', () => {
    const rows = getDefault().map(([name, pay]): Row => [name, [pay[0], pay[1], pay[2] + 2_000, pay[3]]])
    expect(notify(rows).filter((one) => one.includes('item_outlier'))).toEqual([])
  })
})
