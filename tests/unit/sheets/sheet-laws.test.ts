/**
 * Invariants of every sheet: units changed and changed back, rows that only moved, columns in any order.
 * Property-based, with a seed.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashCell, isSameCell } from '../../../server/modules/sheets/rules/check/cell-comparison.ts'
import { reapplyEdits } from '../../../server/modules/sheets/rules/check/edits.ts'
import {
  applyUnitPowers,
  parseFenInUnit,
  shiftDecimalPoint,
  toSheetUnit,
  toYuanCells,
  type UnitPower,
} from '../../../server/modules/sheets/rules/unit.ts'
import { parseTypedCell, type RowCells } from '../../../server/rules/amounts.ts'
import { carried, getDifference, pairRows, typed } from '../../support/check.ts'
import { read } from '../../support/files/grid.ts'

const seeded = { seed: 20_261_122, numRuns: 200 }
const power = fc.constantFrom<UnitPower>(0, 3, 4)
const decimal = fc
  .tuple(fc.boolean(), fc.nat(999_999), fc.nat(9999))
  .map(
    ([negative, full, rest]) =>
      `${negative && full + rest > 0 ? '-' : ''}${full}${rest ? `.${String(rest).padStart(4, '0').replace(/0+$/, '')}` : ''}`,
  )

describe('units', () => {
  it('restores a number after its decimal point was shifted forward and back', () =>
    fc.assert(
      fc.property(decimal, fc.integer({ min: 0, max: 6 }), (text, by) => {
        expect(shiftDecimalPoint(shiftDecimalPoint(text, by), -by)).toBe(text)
      }),
      seeded,
    ))
  it('reads thousands as a thousand times the yuan, to the fen', () =>
    fc.assert(
      fc.property(fc.integer({ min: -90_000, max: 90_000 }), power, (full, by) => {
        expect(parseFenInUnit(String(full), by)).toBe(full * 10 ** by * 100)
      }),
      seeded,
    ))
  it('stores an amount entered in yuan in the sheet’s unit and reads it as the same fen', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 900_000_000 }), power, (fen, by) => {
        const text = `${Math.trunc(fen / 100)}.${String(fen % 100).padStart(2, '0')}`
        const cell = parseTypedCell(text, 'net')
        if (!cell) throw new Error('an amount is a cell')
        expect(parseFenInUnit(toSheetUnit(cell, by).value, by)).toBe(fen)
      }),
      seeded,
    ))
  it.each<[string, string, UnitPower, string]>([
    ['ten thousands', '0.8512', 4, '8,512.00'],
    ['thousands', '8.5', 3, '8,500.00'],
    ['an amount below a fen, which is rounded', '0.00000051', 4, '0.01'],
    ['a negative amount', '-0.05', 4, '−500.00'],
    ['yuan as originally written', '8512', 0, '8512'],
  ])('shows employees yuan: %s', (_, text, by, visible) => {
    const cells = applyUnitPowers({ c0: { value: text, kind: 'number' } }, new Map([['c0', by]]))
    expect(toYuanCells(cells, new Map([['c0', by]])).c0?.value).toBe(visible)
  })
  it.each<[string, RowCells[string], UnitPower]>([
    ['a percentage', { value: '3%', kind: 'number' }, 4],
    ['a date', { value: '2026-03-05', kind: 'date' }, 4],
    ['an error', { value: '#REF!', kind: 'error' }, 4],
    ['a word', { value: '现金', kind: 'text' }, 4],
  ])('does not multiply %s', (_, cell, by) => expect(applyUnitPowers({ c0: cell }, new Map([['c0', by]])).c0).toEqual(cell))
  it('blocks the row for an impossible amount', () =>
    expect(applyUnitPowers({ c0: { value: '99999999', kind: 'number' } }, new Map([['c0', 4]])).c0).toMatchObject({
      flaw: 'damaged',
    }))
})

const columns = [
  { key: 'c0', label: '姓名', role: 'name' },
  { key: 'c1', label: '工号', role: 'employee_no' },
  { key: 'c2', label: '实发', role: 'net' },
] as const
const keyMap = new Map(columns.map(({ key }) => [key, key]))
const sides = { before: columns, after: columns, newKeyByOld: keyMap }
const people = fc.uniqueArray(
  fc.record({ no: fc.nat(9999), name: fc.constantFrom('张三', '李四', '王芳'), fen: fc.nat(9_999_999) }),
  {
    selector: ({ no }) => no,
    minLength: 1,
    maxLength: 20,
  },
)
const getRows = (all: { no: number; name: string; fen: number }[]) =>
  all.map(({ no, name, fen }, at) => ({ row: at + 2, cells: typed(columns, [name, `N${no}`, (fen / 100).toFixed(2)]) }))

describe('corrected sheet', () => {
  it('does not report moved rows, and pairs each with itself', () =>
    fc.assert(
      fc.property(people, fc.nat(), (all, slot) => {
        const at = slot % all.length
        const moved = [...all.slice(at), ...all.slice(0, at)]
        const [before, after] = [getRows(all), getRows(moved)]
        const { pairs, removed, added } = pairRows(before, after, sides)
        expect([pairs.length, removed, added]).toEqual([all.length, [], []])
        for (const pair of pairs)
          expect([pair.before.cells.c1?.value, pair.isCertain]).toEqual([pair.after.cells.c1?.value, true])
        expect(getDifference({ columns, rows: before }, { columns, rows: after }, keyMap)).toMatchObject({
          unchanged_count: all.length,
          changed_count: 0,
        })
      }),
      seeded,
    ))
  it('pairs no row twice and loses none', () =>
    fc.assert(
      fc.property(people, people, (one, other) => {
        const [before, after] = [getRows(one), getRows(other)]
        const { pairs, removed, added } = pairRows(before, after, sides)
        const numbers = (rows: readonly { row: number }[]) => rows.map(({ row }) => row).toSorted((a, b) => a - b)
        expect(numbers([...pairs.map((pair) => pair.before), ...removed])).toEqual(numbers(before))
        expect(numbers([...pairs.map((pair) => pair.after), ...added])).toEqual(numbers(after))
        expect([pairs.length + removed.length, pairs.length + added.length]).toEqual([before.length, after.length])
      }),
      seeded,
    ))
  it('keeps decisions only with their employee', () =>
    fc.assert(
      fc.property(people, fc.nat(), (all, slot) => {
        const before = getRows(all).map((row) => ({
          ...row,
          member_id: `of ${row.cells.c1?.value}`,
          skipped: row.row % 2 === 0,
          accepted: [],
        }))
        const at = slot % all.length
        const after = getRows([...all.slice(at), ...all.slice(0, at)])
        const decisions = carried(before, after, sides)
        for (const { row, cells } of after) {
          const was = before.find((one) => one.cells.c1?.value === cells.c1?.value)
          expect(decisions.get(row)).toEqual({ member_id: was?.member_id, skipped: was?.skipped, accepted: [] })
        }
      }),
      seeded,
    ))

  it.each<[string, string, string, string[]]>([
    ['the same', '7000.00', '7000.00', ['net_outlier:c2', 'sum_mismatch:c2']],
    ['written differently', '7000.00', '7,000', ['net_outlier:c2', 'sum_mismatch:c2']],
    ['one fen more, which is asked again', '7000.00', '7000.01', []],
  ])('handles an accepted issue of an amount that is %s', (_, was, is, accepted) => {
    const decided = {
      row: 2,
      cells: typed(columns, ['张三', 'N1', was]),
      member_id: null,
      skipped: false,
      accepted: ['net_outlier:c2', 'sum_mismatch:c2'],
    }
    expect(carried([decided], [{ row: 9, cells: typed(columns, ['张三', 'N1', is]) }], sides).get(9)?.accepted).toEqual(accepted)
  })
  it('drops decisions where a name was corrected, because it may be another member', () => {
    const decided = { row: 2, cells: typed(columns, ['张三', 'N1', '1']), member_id: 'p0', skipped: true, accepted: [] }
    expect([...carried([decided], [{ row: 2, cells: typed(columns, ['李四', 'N1', '1']) }], sides)]).toEqual([])
  })
  it('compares two texts symmetrically', () =>
    fc.assert(
      fc.property(
        fc.constantFrom('', '1', '1.00', '１', ' 1 ', '-', '现金', '2'),
        fc.constantFrom('', '1', '1.0', '一', '0', '2'),
        (a, b) => {
          const [one, other] = [parseTypedCell(a, 'net') ?? undefined, parseTypedCell(b, 'net') ?? undefined]
          expect(isSameCell(one, other)).toBe(isSameCell(other, one))
          expect(isSameCell(one, one)).toBe(true)
          // The trace of a cell distinguishes exactly what the comparison does.
          expect(hashCell(one) === hashCell(other)).toBe(isSameCell(one, other))
        },
      ),
      seeded,
    ))

  it.each<[string, string[], string, string]>([
    ['keeps edited cells', ['工资'], '8000', '8000'],
    ['two tables on one sheet, where the cell is ambiguous', ['工资', '工资'], '8000', '7000'],
    ['another wage sheet', ['奖金'], '8000', '7000'],
  ])('reads the same file again: %s', (_, before, written, becomes) => {
    const was = {
      sourceTables: before.map((sheet) => ({ sheet })),
      rows: [{ row: 2, cells: typed(columns, ['张三', 'N1', written]) }],
    }
    const is = { sections: [{ sheet: '工资' }], rows: [{ row: 2, cells: typed(columns, ['张三', 'N1', '7000']) }] }
    expect(reapplyEdits(was, is, keyMap)[0]?.cells.c2?.value).toBe(becomes)
  })
})

describe('recognition of a sheet', () => {
  const head = ['姓名', '工号', '手机号', '基本工资', '加班费', '应发合计', '养老保险', '个人所得税', '实发工资']
  const line = (at: number) => {
    const [base, overtime, pension, tax] = [6000 + at * 517, 100 + at * 31, 400 + at * 7, 10 + at]
    const numbers = [base, overtime, base + overtime, pension, tax, base + overtime - pension - tax]
    return [`员工${'甲乙丙丁戊己'[at]}`, `A00${at}`, `1380000000${at}`, ...numbers.map(String)]
  }
  const rows = [head, ...[0, 1, 2, 3, 4, 5].map(line)]
  const getRoles = (sheet: string[][]) => Object.fromEntries(read(sheet).columns.map(({ label, role }) => [label, role]))
  const peopleIn = (match: ReturnType<typeof read>) => match.parts.reduce((sum, { people_rows }) => sum + people_rows, 0)
  const typical = getRoles(rows)
  it('returns what the sheet states', () =>
    expect(typical).toEqual({
      姓名: 'name',
      工号: 'employee_no',
      手机号: 'mobile',
      基本工资: 'earning',
      加班费: 'earning',
      应发合计: 'gross',
      养老保险: 'deduction',
      个人所得税: 'tax',
      实发工资: 'net',
    }))
  it('recognises a sheet independently of the column order, with correct sums', () =>
    fc.assert(
      fc.property(fc.shuffledSubarray([...head.keys()], { minLength: head.length }), (order) => {
        const turned = rows.map((cells) => order.map((at) => cells[at] ?? ''))
        expect(getRoles(turned)).toEqual(typical)
        expect(read(turned).formula).toMatchObject({ holds: 6, of: 6 })
      }),
      { ...seeded, numRuns: 40 },
    ))
  it('recognises the same with rows above the table, and keeps the row numbers', () =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5 }), fc.boolean(), (blank, titled) => {
        const above = [...(titled ? [['某某公司2026年10月工资表']] : []), ...Array.from({ length: blank }, () => [''])]
        const match = read([...above, ...rows])
        expect(match.header).toMatchObject({ rows: [above.length + 1], first_data_row: above.length + 2 })
      }),
      seeded,
    ))
  it('recognises the same with a row of totals, which is no employee', () => {
    const totals = [
      '合计',
      '',
      '',
      ...[3, 4, 5, 6, 7, 8].map((at) => String(rows.slice(1).reduce((sum, cells) => sum + Number(cells[at]), 0))),
    ]
    const match = read([...rows, totals])
    expect([peopleIn(match), match.totals_row?.row, match.totals_row?.agrees]).toEqual([6, 8, true])
    const wrong = read([...rows, totals.with(8, String(Number(totals[8]) + 1))])
    expect([peopleIn(wrong), wrong.totals_row?.agrees]).toEqual([6, false])
  })
})
