/** Totals, subtotals, numbers of two people, and tax beside the cumulative rule. */
import { describe, expect, it } from 'vitest'
import type { TitleKind } from '../../server/contract/words.ts'
import type { EarlierMonth } from '../../server/domain/sheet/check/last-run.ts'
import { taxProblem } from '../../server/domain/sheet/check/tax.ts'
import type { RowCell } from '../../server/domain/sheet/rules/amounts.ts'
import { Figures, whole } from '../../server/domain/sheet/rules/check/history.ts'
import { Roster } from '../../server/domain/sheet/rules/check/matching.ts'
import { Check, type CheckSheet, type Taxed } from '../../server/domain/sheet/rules/check/problems.ts'
import type { CheckColumn } from '../../server/domain/sheet/rules/check/problems-amounts.ts'
import { statedTotals } from '../../server/domain/sheet/rules/check/problems-sheet.ts'
import { taxReader } from '../../server/domain/sheet/rules/check/tax-figures.ts'
import { nothingKnown, staff, typed } from '../kit/check.ts'

const columns: CheckColumn[] = [
  { key: 'c0', label: '姓名', role: 'name' },
  { key: 'c1', label: '手机号', role: 'mobile' },
  { key: 'c2', label: '银行卡号', role: 'bank_account' },
  { key: 'c3', label: '基本工资', role: 'earning' },
  { key: 'c4', label: '奖金', role: 'earning' },
  { key: 'c5', label: '应发合计', role: 'gross' },
  { key: 'c6', label: '社保', role: 'deduction' },
  { key: 'c7', label: '个税', role: 'tax' },
  { key: 'c8', label: '实发', role: 'net' },
]
const people = staff(['张三', '李四', '王五'])
const sheet: CheckSheet = {
  ...nothingKnown,
  columns,
  formula: { plus: ['c5'], minus: ['c6', 'c7'], net: 'c8', holds: 9, of: 9 },
  subtotals: [{ key: 'c5', plus: ['c3', 'c4'], minus: [], holds: 9, of: 9 }],
}
const cellsOf = (texts: readonly string[]) => typed(columns, texts)
const zhang = ['张三', '13800000000', '6222020000000001', '7000', '1000', '8000', '500', '0', '7500']
const li = ['李四', '13800000001', '6222020000000002', '5000', '', '5000', '300', '0', '4700']
const changed = (line: string[], change: Record<number, string>) => line.map((text, at) => change[at] ?? text)
function problems(lines: string[][], more: Partial<CheckSheet> = {}, skipped: number[] = []) {
  const check = new Check(
    { ...sheet, ...more },
    { roster: new Roster(people), last: null, already: new Set(), idCardIndex: (card) => card },
  )
  lines.forEach((texts, at) =>
    check.add({ row: at + 2, cells: cellsOf(texts), member_id: null, skipped: skipped.includes(at + 2), accepted: [] }),
  )
  return check.finish({ same_file: null, earlier: () => [], tax: [] }).problems
}
const told = (...more: Parameters<typeof problems>) => problems(...more).map(({ id, level }) => `${id} ${level}`)

describe('subtotals', () => {
  it('agree to the fen, row by row', () => {
    expect(told([zhang, li])).toEqual([])
    expect(told([changed(zhang, { 5: '8000.01', 8: '7500.01' }), li])).toEqual(['2:sum_mismatch:c5 error'])
  })
  it('ask only where they are no rule of the sheet', () => {
    const subtotals = [{ key: 'c5', plus: ['c3', 'c4'], minus: [], holds: 3, of: 9 }]
    expect(told([changed(zhang, { 5: '8100', 8: '7600' }), li], { subtotals })).toEqual(['2:sum_mismatch:c5 warning'])
  })
  it('are not asked where one of their cells is no amount, or they are not written', () => {
    expect(told([changed(zhang, { 4: '见备注' }), li])).toEqual(['2:not_a_number:c4 error'])
    expect(told([changed(zhang, { 5: '', 8: '-500' }), li]).filter((one) => one.includes('c5'))).toEqual([])
  })
})

describe('the total row', () => {
  const places = new Map(columns.map(({ key }, at) => [key, at]))
  const stated = (cells: string[], power: 0 | 3 | 4 = 0) => statedTotals(9, cells, columns, places, power)
  const total = ['合计', '', '', '12,000.00', '1000', '13000', '800', '-', '12200']

  it('is compared in every column of amounts', () => {
    expect(told([zhang, li], { stated: stated(total) })).toEqual([])
    expect(told([zhang, li], { stated: stated(changed(total, { 6: '700', 8: '12300' })) })).toEqual([
      '9:total_row_mismatch:c6 warning',
      '9:total_row_mismatch:c8 warning',
    ])
    expect(told([zhang, li], { stated: stated(changed(total, { 6: '700' })), accepted: ['total_row_mismatch:c6'] })).toEqual([])
  })
  it('counts rows that are left out here: they are in the sheet', () => {
    expect(told([zhang, li], { stated: stated(total) }, [3])).toEqual([])
  })
  it('that disagrees everywhere is one question', () => {
    const found = problems([zhang, li, changed(zhang, { 0: '王五', 1: '13800000002', 2: '' })], { stated: stated(total) })
    expect(found.map(({ id }) => id)).toEqual(['9:total_row_mismatch:c8'])
    expect(found[0]?.message).toContain('5 列')
  })
  it('shown without its decimals is still the same amount', () => {
    expect(stated(['', '', '', '13', '12.5', '12.50']).amounts).toEqual([
      { key: 'c3', fen: 1_300, within: 50 },
      { key: 'c4', fen: 1_250, within: 5 },
      { key: 'c5', fen: 1_250, within: 0 },
    ])
    expect(stated(['', '', '', '1.3'], 4).amounts).toEqual([{ key: 'c3', fen: 1_300_000, within: 50_000 }])
  })
})

describe('a number that two people share', () => {
  it.each([
    ['a phone', { 1: '138 0000 0000' }, 'c1', '手机号'],
    ['a bank account', { 2: '6222 0200 0000 0001' }, 'c2', '银行卡号'],
  ])('%s', (_, change, column, word) => {
    const found = problems([zhang, changed(li, change)]).filter(({ kind }) => kind === 'same_number')
    expect(found.map(({ id }) => id)).toEqual([`2:same_number:${column}`, `3:same_number:${column}`])
    expect(found[0]?.message).toContain(`第 2、3 行的${word}相同`)
  })
  it('a word in its place, the same person again, and numbers of rows left out say nothing', () => {
    const of = (...more: Parameters<typeof problems>) => told(...more).filter((one) => one.includes('same_number'))
    expect(of([changed(zhang, { 2: '现金' }), changed(li, { 2: '现金' })])).toEqual([])
    expect(of([zhang, zhang])).toEqual([])
    expect(of([zhang, changed(li, { 2: zhang[2] ?? '' })], {}, [3])).toEqual([])
  })
})

describe('tax', () => {
  const yuan = (amount: number) => Math.round(amount * 100)
  type Paid = [gross: number, tax: number, special: number]
  const monthsOf = (year: number, from: number, paid: Paid[], kind: TitleKind = 'monthly'): EarlierMonth[] =>
    paid.map(([gross, tax, special], at) => {
      const figures = new Figures()
      figures.add('p0', figures.open([whole.gross, whole.tax, whole.special]), [yuan(gross), yuan(tax), yuan(special)])
      return { month: `${year}-${String(from + at).padStart(2, '0')}`, kind, figures }
    })
  const row = (gross: number, tax: number, special: number, more: Partial<Taxed> = {}): Taxed => ({
    row: 2,
    name: '张三',
    member_id: 'p0',
    gross: yuan(gross),
    tax: yuan(tax),
    special: yuan(special),
    apart: false,
    cumulative: null,
    ...more,
  })
  const same = (count: number): Paid[] => Array.from({ length: count }, () => [20_000, 360, 3_000])

  it.each<[string, Taxed, string, EarlierMonth[], string | null, boolean]>([
    ['the third month, as the rule has it', row(20_000, 360, 3_000), '2026-03', monthsOf(2026, 1, same(2)), null, false],
    [
      'less than the rule: there may be special additional deductions',
      row(20_000, 0, 3_000),
      '2026-03',
      monthsOf(2026, 1, same(2)),
      null,
      false,
    ],
    ['a nought too many', row(20_000, 3_600, 3_000), '2026-03', monthsOf(2026, 1, same(2)), null, true],
    ['a yuan more is rounding', row(20_000, 361, 3_000), '2026-03', monthsOf(2026, 1, same(2)), null, false],
    ['a gap in the year: nothing is certain', row(20_000, 3_600, 3_000), '2026-04', monthsOf(2026, 1, same(2)), null, false],
    ['since the month of entry', row(20_000, 3_600, 3_000), '2026-04', monthsOf(2026, 3, same(1)), '2026-03-09', true],
    [
      'into ten per cent',
      row(20_000, 1_200, 3_000),
      '2026-05',
      monthsOf(2026, 1, [...same(3), [20_000, 1_200, 3_000]]),
      null,
      false,
    ],
    [
      'into ten per cent a month sooner: December was paid in January',
      row(20_000, 1_080, 3_000),
      '2026-03',
      [...monthsOf(2025, 12, same(1)), ...monthsOf(2026, 1, same(2))],
      null,
      false,
    ],
    [
      'what was withheld too little before may be caught up',
      row(20_000, 720, 3_000),
      '2026-02',
      monthsOf(2026, 1, [[20_000, 0, 3_000]]),
      null,
      false,
    ],
    [
      'a bonus of the year raises the most',
      row(20_000, 3_360, 3_000),
      '2026-02',
      [...monthsOf(2026, 1, same(1)), ...monthsOf(2026, 1, [[40_000, 0, 0]], 'bonus')],
      null,
      false,
    ],
    [
      'a bonus taxed apart on the same sheet',
      row(20_000, 3_600, 3_000, { apart: true }),
      '2026-03',
      monthsOf(2026, 1, same(2)),
      null,
      false,
    ],
    ['January begins anew', row(20_000, 36_000, 3_000), '2026-01', [], null, true],
    ['before the rule', row(20_000, 36_000, 3_000), '2018-12', [], null, false],
  ])('the most that may be withheld: %s', (_, one, month, months, entered, wrong) => {
    const found = taxProblem(one, month, 'c7', { months, entered })
    expect(found?.kind ?? null).toBe(wrong ? 'tax_mismatch' : null)
    if (wrong) expect(found).toMatchObject({ level: 'warning', column: 'c7', fix: ['accept', 'edit', 'skip'] })
  })

  it('tells its steps', () => {
    expect(
      taxProblem(row(20_000, 3_600, 3_000), '2026-03', 'c7', { months: monthsOf(2026, 1, same(2)), entered: null })?.message,
    ).toContain(
      '个税 3,600.00 多于按累计预扣法最多能扣的 360.00：1–3 月收入 60,000.00，减 5,000 × 3 个月、社保公积金 9,000.00，余 36,000.00 × 3% − 已扣 720.00',
    )
  })

  it.each<[string, number, NonNullable<Taxed['cumulative']>, string | null]>([
    ['right', 360, { taxable: yuan(24_000), withheld: yuan(360), relief: 0 }, null],
    ['nothing withheld', 0, { taxable: yuan(24_000), withheld: yuan(360), relief: 0 }, '个税应为 360.00，写的是 0.00'],
    ['ten per cent', 1_200, { taxable: yuan(48_000), withheld: yuan(1_080), relief: 0 }, null],
    ['this month is among what was withheld', 360, { taxable: yuan(24_000), withheld: yuan(720), relief: 0 }, null],
    ['relief', 180, { taxable: yuan(24_000), withheld: yuan(360), relief: yuan(180) }, null],
    ['overpaid: nothing is paid back', 0, { taxable: yuan(10_000), withheld: yuan(360), relief: 0 }, null],
  ])('exact, where the sheet carries the sums of the year: %s', (_, tax, cumulative, message) => {
    const found = taxProblem(row(20_000, tax, 3_000, { cumulative }), '2026-02', 'c7', null)
    if (message === null) expect(found).toBeNull()
    else expect(found?.message).toContain(message)
  })

  it('is read from a row: own insurance that the net pay is less by, once', () => {
    const named = (label: string, at: number, role: CheckColumn['role']): CheckColumn => ({ key: `c${at}`, label, role })
    const wide = [
      named('应发', 0, 'gross'),
      named('养老保险', 1, 'deduction'),
      named('公积金', 2, 'deduction'),
      named('社保公积金合计', 3, 'deduction'),
      named('公司养老保险', 4, 'employer'),
      named('累计应纳税所得额', 5, 'info'),
      named('累计已预缴税额', 6, 'info'),
      named('个税', 7, 'tax'),
      named('实发', 8, 'net'),
    ]
    const cells: Record<string, RowCell> = {}
    ;['10000', '800', '700', '1500', '1600', '3500', '60', '45', '8455'].forEach((value, at) => {
      cells[`c${at}`] = { value, kind: 'number' }
    })
    const subtotals = [{ key: 'c3', plus: ['c1', 'c2'], minus: [], holds: 3, of: 3 }]
    const read = (formula: { plus: string[]; minus: string[] } | null) =>
      taxReader({ columns: wide, formula, subtotals })?.(cells)
    expect(read({ plus: ['c0'], minus: ['c3', 'c7'] })).toEqual({
      gross: 1_000_000,
      tax: 4_500,
      special: 150_000,
      apart: false,
      cumulative: { taxable: 350_000, withheld: 6_000, relief: 0 },
    })
    // Without a formula the sum and its parts cannot be told apart: the largest is surely taken off.
    expect(read(null)?.special).toBe(150_000)
    expect(read({ plus: ['c0'], minus: ['c7'] })?.special).toBe(0)
    expect(taxReader({ columns: wide.slice(1), formula: null, subtotals: [] })).toBeNull()
  })
})
