/** What can be wrong with amounts, and with a sheet as a whole: a row as it is typed, and what is said about it. */
import { describe, expect, it } from 'vitest'
import { amountOf, cellOfText, type RowCell, type RowCells } from '../../server/domain/sheet/rules/amounts.ts'
import { Figures, whole } from '../../server/domain/sheet/rules/check/history.ts'
import { Roster } from '../../server/domain/sheet/rules/check/matching.ts'
import { type After, Check, type CheckRow, type CheckSheet } from '../../server/domain/sheet/rules/check/problems.ts'
import type { CheckColumn, Formula } from '../../server/domain/sheet/rules/check/problems-amounts.ts'
import { nothingKnown, staff, typed } from '../kit/check.ts'

const columns: CheckColumn[] = [
  { key: 'c0', label: '姓名', role: 'name' },
  { key: 'c1', label: '应发', role: 'gross' },
  { key: 'c2', label: '社保', role: 'deduction' },
  { key: 'c3', label: '个税', role: 'tax' },
  { key: 'c4', label: '实发', role: 'net' },
  { key: 'c5', label: '备注', role: 'info' },
]
const formula = (holds: number, of: number): Formula => ({ plus: ['c1'], minus: ['c2', 'c3'], net: 'c4', holds, of })
const people = staff(['张三', '李四', '王五', '赵六'])
const cellsOf = (texts: readonly (string | RowCell | null)[]): RowCells => typed(columns, texts)
type Line = { texts: (string | RowCell | null)[] } & Partial<CheckRow>
const nothingElse: CheckSheet = { ...nothingKnown, columns }
function netsOf(last: Record<string, number>): Figures {
  const figures = new Figures()
  const places = figures.open([whole.net])
  for (const [id, fen] of Object.entries(last)) figures.add(id, places, [fen])
  return figures
}
function check(
  lines: Line[],
  sheet: Partial<CheckSheet> = {},
  around: { last?: Record<string, number>; already?: string[]; earlier?: After['earlier']; same_file?: After['same_file'] } = {},
) {
  const run = new Check(
    { ...nothingElse, ...sheet },
    {
      roster: new Roster(people),
      last: around.last ? netsOf(around.last) : null,
      already: new Set(around.already),
      idCardIndex: (card) => card,
    },
  )
  lines.forEach(({ texts, ...more }, at) =>
    run.add({ row: at + 2, cells: cellsOf(texts), member_id: null, skipped: false, accepted: [], ...more }),
  )
  return run.finish({ same_file: around.same_file ?? null, earlier: around.earlier ?? (() => []), tax: [] })
}
const said = (lines: Line[], ...more: [Partial<CheckSheet>?, Parameters<typeof check>[2]?]) =>
  check(lines, ...more).problems.map(({ id, level, fix }) => `${id} ${level} ${fix.join('/')}`)

describe('an amount', () => {
  it.each([
    ['8000', 800_000, null],
    ['8,000.005', 800_001, null],
    ['￥１２.5', 1_250, null],
    ['(5)', -500, null],
    ['-', null, null],
    ['', null, null],
    ['见备注', null, 'not_a_number'],
    ['12.5.1', null, 'not_a_number'],
    ['99999999999999999', null, 'damaged_number'],
  ])('%j', (text, fen, flaw) => expect(amountOf(cellOfText(text, 'net') ?? undefined)).toEqual({ fen, flaw }))

  it.each<[string, RowCell, number | null, string | null]>([
    ['an error of Excel', { value: '#REF!', kind: 'error' }, null, 'formula_error'],
    ['a formula without a result', { value: '', kind: 'error', flaw: 'uncached' }, null, 'formula_error'],
    ['a number of 18 digits', { value: '123456789012345680', kind: 'number', flaw: 'damaged' }, null, 'damaged_number'],
    ['a date', { value: '2026-03-05', kind: 'date' }, null, 'not_a_number'],
    ['a number in a column that became one of money', { value: '12', kind: 'number' }, 1_200, null],
  ])('%s', (_, cell, fen, flaw) => expect(amountOf(cell)).toEqual({ fen, flaw }))
})

describe('a row', () => {
  it.each<[string, (string | RowCell | null)[], string[]]>([
    ['all is well', ['张三', '8000', '500', '10', '7490', ''], []],
    ['a remark in place of an amount', ['张三', '见备注', '500', '10', '7490', ''], ['2:not_a_number:c1 error edit/skip']],
    [
      'an error of Excel',
      ['张三', '8000', { value: '#N/A', kind: 'error' }, '10', '7490', ''],
      ['2:formula_error:c2 error edit/skip'],
    ],
    ['no net pay', ['张三', '8000', '500', '10', '', ''], ['2:missing_net:c4 error edit/skip']],
    ['a net pay that is no number', ['张三', '8000', '500', '10', '待定', ''], ['2:not_a_number:c4 error edit/skip']],
    ['no amount at all', ['张三', '', '-', '', '', '离职'], ['2:empty_row:c4 error skip/edit']],
    ['negative', ['张三', '0', '500', '10', '-510', ''], ['2:negative_net:c4 warning edit/accept/skip']],
    ['a fen too much', ['张三', '8000', '500', '10', '7490.01', ''], ['2:sum_mismatch:c4 error edit/accept/skip']],
    ['a cell that is empty counts nothing', ['张三', '8000', '510', '', '7490', ''], []],
  ])('%s', (_, texts, expected) => expect(said([{ texts }], { formula: formula(10, 10) })).toEqual(expected))

  it('asks only where the formula is no rule of the sheet', () => {
    const line: Line = { texts: ['张三', '8000', '500', '10', '7000', ''] }
    expect(said([line], { formula: formula(79, 100) })).toEqual(['2:sum_mismatch:c4 warning edit/accept/skip'])
    expect(said([line], { formula: formula(80, 100) })).toEqual(['2:sum_mismatch:c4 error edit/accept/skip'])
    expect(said([line])).toEqual([])
  })

  it('is compared with what the person got last time', () => {
    const line: Line = { texts: ['张三', '', '', '', '6000', ''] }
    expect(said([line], {}, { last: { p0: 400_000 } })).toEqual([])
    expect(said([line], {}, { last: { p0: 399_999 } })).toEqual(['2:net_outlier:c4 warning accept/edit/skip'])
    expect(said([line], {}, { last: { p0: 1_200_001 } })).toEqual(['2:net_outlier:c4 warning accept/edit/skip'])
    expect(said([line], {}, { already: ['p0'] })).toEqual(['2:same_month:c0 warning accept/skip'])
  })

  it.each([
    ['待定', 'not_a_number'],
    ['', 'missing_net'],
  ])('whose net pay is %j is told once, not compared with 0.00', (net, kind) => {
    const line: Line = { texts: ['张三', '8000', '', '', net, ''] }
    expect(said([line], {}, { last: { p0: 800_000 } })).toEqual([`2:${kind}:c4 error edit/skip`])
  })

  it('keeps quiet about what was accepted, and about rows that are left out', () => {
    const line: Line = { texts: ['张三', '8000', '500', '10', '-7000', ''] }
    expect(said([{ ...line, accepted: ['negative_net:c4', 'sum_mismatch:c4'] }], { formula: formula(9, 9) })).toEqual([])
    expect(said([{ ...line, skipped: true }], { formula: formula(9, 9) })).toEqual([])
    // An error without this way out stays, whatever stands in the list.
    expect(said([{ texts: ['张三', '', '', '', '', ''], accepted: ['empty_row:c4'] }])).toEqual([
      '2:empty_row:c4 error skip/edit',
    ])
  })

  it('for the same person as another row: both are said, whatever else is skipped', () => {
    const line: Line = { texts: ['张三', '', '', '', '1', ''] }
    expect(said([line, { texts: ['李四', '', '', '', '1', ''] }, line])).toEqual([
      '2:duplicate_person:c0 error skip/match',
      '4:duplicate_person:c0 error skip/match',
    ])
    expect(said([line, { ...line, skipped: true }])).toEqual([])
  })
})

describe('the sheet as a whole', () => {
  const line: Line = { texts: ['张三', '8000', '', '', '8000', ''] }
  it.each<[string, Partial<CheckSheet>, string[]]>([
    [
      'its totals do not agree',
      { totals_row: { row: 9, net_fen: 1, agrees: false } },
      ['9:total_row_mismatch:c4 warning accept'],
    ],
    ['its totals say nothing', { totals_row: { row: 9, net_fen: null, agrees: null } }, []],
    ['last time it added up, this time nothing does', { expected: formula(9, 9) }, ['0:sum_mismatch:c4 error accept']],
    ['last time it added up, this time too', { expected: formula(9, 9), formula: { ...formula(9, 9), minus: [] } }, []],
    ['accepted', { expected: formula(9, 9), accepted: ['sum_mismatch:c4'] }, []],
    ['another month', { says_month: '2026-09', title_month: '2026-10' }, ['0:other_month: warning accept']],
    ['the same month', { says_month: '2026-10', title_month: '2026-10' }, []],
    ['a hidden row', { hidden_rows: new Set([2, 3]) }, ['2:hidden_row:c0 warning accept/skip']],
  ])('%s', (_, sheet, expected) => expect(said([line], sheet)).toEqual(expected))

  it('was uploaded before: the same file, or the same in another file', () => {
    const before = { title: '十月工资', month: '2026-10' }
    expect(check([line], {}, { same_file: { ...before, by: 'file' } }).problems.map(({ message }) => message)).toEqual([
      '这个文件已经上传过（十月工资 2026-10），请确认不是重复发放',
    ])
    expect(said([line], {}, { same_file: { ...before, by: 'content' } })).toEqual(['0:same_file: warning accept'])
    expect(said([line], { accepted: ['same_file:'] }, { same_file: { ...before, by: 'content' } })).toEqual([])
  })

  it.each<[string, Partial<Formula>, string, string[]]>([
    ['of the same columns, but otherwise: two headers changed places', { minus: [] }, '8000', ['0:sum_mismatch:c4 error accept']],
    ['as it was', {}, '7490', []],
    ['of a column more', { plus: ['c1', 'c5'] }, '7600', []],
    ['of a new sum of deductions', { minus: ['c5'] }, '7890', []],
  ])('this month the net pay is made %s', (_, change, net, expected) => {
    const lines = ['张三', '李四', '王五'].map((name): Line => ({ texts: [name, '8000', '500', '10', net, '110'] }))
    const now = { ...formula(3, 3), ...change }
    expect(said(lines, { expected: formula(9, 9), formula: now, fresh: new Set(['c5']) })).toEqual(expected)
  })

  it('adds up the rows that count', () => {
    const { totals, skipped } = check([
      { texts: ['张三', '8000', '', '10', '7990', ''] },
      { texts: ['李四', '9000', '', '', '9000', ''] },
      { texts: ['王五', '1', '', '1', '1', ''], skipped: true },
    ])
    expect(totals).toEqual({ people: 2, gross_fen: 1_700_000, tax_fen: 1_000, net_fen: 1_699_000 })
    expect(skipped).toBe(1)
  })
})
