/**
 * A corrected sheet compared with the previous one: what it changes, and which decisions still apply. Also sheets with
 * amounts in ten thousands.
 */
import { describe, expect, it } from 'vitest'
import type { ColumnRole } from '../../../server/contract/shared/schemas.ts'
import { createFormulaCounter } from '../../../server/modules/sheets/rules/formula-fit.ts'
import type { DecidedRow } from '../../../server/modules/sheets/rules/reconcile.ts'
import {
  applyUnitPowers,
  parseFenInUnit,
  shiftDecimalPoint,
  toSheetUnit,
  toYuanCells,
  type UnitPower,
} from '../../../server/modules/sheets/rules/unit.ts'
import type { RowCells } from '../../../server/rules/amounts.ts'
import { carried, getDifference } from '../../support/check.ts'

const column = (key: string, label: string, role: ColumnRole) => ({ key, label, role })
const columns = [
  column('c0', '序号', 'ignore'),
  column('c1', '姓名', 'name'),
  column('c2', '工号', 'employee_no'),
  column('c3', '奖金', 'earning'),
  column('c4', '实发', 'net'),
]
const same = new Map(columns.map(({ key }) => [key, key]))
type Line = [row: number, name: string, number: string, bonus: string, net: string]
const getRow = ([row, name, number, bonus, net]: Line): { row: number; cells: RowCells } => {
  const texts = { c0: String(row), c1: name, c2: number, c3: bonus, c4: net }
  const cells = Object.entries(texts).flatMap(([key, value]) => (value ? [[key, { value, kind: 'text' as const }]] : []))
  return { row, cells: Object.fromEntries(cells) as RowCells }
}
const rows = (...lines: Line[]) => lines.map(getRow)
const before = rows([2, '赵一', 'A1', '100', '8,000.00'], [3, '钱二', 'A2', '', '7000'], [4, '孙三', '', '5', '6000'])

describe('differences', () => {
  const notify = (after: { row: number; cells: RowCells }[]) =>
    getDifference({ columns, rows: before }, { columns, rows: after }, same)
  it.each<[string, Line[], object]>([
    [
      'no difference, where rows moved and amounts are only formatted differently',
      [
        [2, '孙三', '', '5.00', '6000'],
        [3, '赵一', 'A1', '100', '8000'],
        [4, '钱 二', 'a2', '', '7,000'],
      ],
      {
        unchanged_count: 2,
        changed_count: 1,
        changed: [{ name: '钱 二', cells: [{ label: '姓名' }, { label: '工号' }] }],
        added_count: 0,
        removed_count: 0,
      },
    ],
    [
      'an amount, as the sheets show it',
      [
        [2, '赵一', 'A1', '100', '8,100.00'],
        [3, '钱二', 'A2', '50', '7000'],
        [4, '孙三', '', '', '6000'],
      ],
      {
        unchanged_count: 0,
        changed: [
          { row: 2, name: '赵一', cells: [{ label: '实发', from: '8,000.00', to: '8,100.00' }] },
          { row: 3, name: '钱二', cells: [{ label: '奖金', from: '', to: '50' }] },
          { row: 4, name: '孙三', cells: [{ label: '奖金', from: '5', to: '' }] },
        ],
      },
    ],
    [
      'a missing number, and a wrong name',
      [
        [2, '赵壹', 'A1', '100', '8000'],
        [3, '钱二', 'A2', '', '7000'],
        [4, '孙三', 'A3', '5', '6000'],
      ],
      {
        unchanged_count: 1,
        changed: [
          { name: '赵壹', cells: [{ label: '姓名', from: '赵一', to: '赵壹' }] },
          { name: '孙三', cells: [{ label: '工号', from: '', to: 'A3' }] },
        ],
      },
    ],
    [
      'new and missing members',
      [
        [2, '赵一', 'A1', '100', '8000'],
        [3, '李四', 'A9', '', '1'],
        [4, '孙三', '', '5', '6000'],
      ],
      { unchanged_count: 2, changed_count: 0, added: [{ row: 3, name: '李四' }], removed: [{ row: 3, name: '钱二' }] },
    ],
    [
      'namesakes without a number, which are not guessed',
      [
        [2, '赵一', 'A1', '100', '8000'],
        [3, '钱二', 'A2', '', '7000'],
        [4, '孙三', '', '5', '6000'],
        [5, '孙三', '', '9', '9'],
      ],
      { unchanged_count: 2, added_count: 2, removed_count: 1 },
    ],
  ])('%s', (_, lines, expected) => {
    expect(notify(rows(...lines))).toMatchObject(expected)
  })

  it('finds changed columns by identity and not by position', () => {
    const after = [
      column('c1', '姓名', 'name'),
      column('c2', '工号', 'employee_no'),
      column('c7', '实发', 'net'),
      column('c8', '餐补', 'earning'),
    ]
    const keyMap = new Map([
      ['c1', 'c1'],
      ['c2', 'c2'],
      ['c4', 'c7'],
    ])
    const moved = before.map(({ row, cells }) => ({
      row,
      cells: Object.fromEntries(
        ['c1', 'c2', 'c4'].flatMap((key) => (cells[key] ? [[keyMap.get(key), cells[key]]] : [])),
      ) as RowCells,
    }))
    expect(getDifference({ columns, rows: before }, { columns: after, rows: moved }, keyMap)).toMatchObject({
      unchanged_count: 3,
      changed_count: 0,
      columns_added: ['餐补'],
      columns_removed: ['序号', '奖金'],
    })
  })
})

describe('decisions in a corrected sheet', () => {
  const decided = (line: Line, more: Partial<DecidedRow>): DecidedRow => ({
    ...getRow(line),
    member_id: null,
    skipped: false,
    accepted: [],
    ...more,
  })
  const one: Line = [2, '赵一', '', '100', '8000']
  const carriedBy = (was: DecidedRow[], now: Line[], more: { columns?: typeof columns; keyMap?: Map<string, string> } = {}) =>
    carried(was, rows(...now), { before: columns, after: more.columns ?? columns, newKeyByOld: more.keyMap ?? same })

  it('keeps decisions with the employee when the row moves in a new upload', () => {
    const was = [decided(one, { member_id: 'm1' }), decided([3, '钱二', 'A2', '', '1'], { skipped: true })]
    expect(
      carriedBy(was, [
        [7, '钱二', 'A2', '', '2'],
        [9, '赵一', '', '100', '8000'],
      ]),
    ).toEqual(
      new Map([
        [9, { member_id: 'm1', skipped: false, accepted: [] }],
        [7, { member_id: null, skipped: true, accepted: [] }],
      ]),
    )
  })

  it.each<[string, Line[], Line[]]>([
    ['for another name', [one], [[2, '赵壹', '', '100', '8000']]],
    ['for another number', [one], [[2, '赵一', 'A7', '100', '8000']]],
    [
      'for another member of the same name',
      [one],
      [
        [2, '赵一', '', '100', '8000'],
        [3, '赵一', '', '9', '9'],
      ],
    ],
  ])('drops decisions %s', (_, was, now) => {
    expect(
      carriedBy(
        was.map((line) => decided(line, { member_id: 'm1', skipped: true })),
        now,
      ).size,
    ).toBe(0)
  })

  it('keeps decisions of an employee on two rows with the row of the same content', () => {
    const was = [decided(one, {}), decided([3, '赵一', '', '200', '9000'], { skipped: true })]
    expect([
      ...carriedBy(was, [
        [2, '赵一', '', '200', '9000'],
        [3, '赵一', '', '101', '8001'],
      ]).keys(),
    ]).toEqual([2])
  })

  it('drops decisions for namesakes whose rows both changed', () => {
    const was = [decided(one, { member_id: 'm1' }), decided([3, '赵一', '', '200', '9000'], { member_id: 'm2' })]
    const now: Line[] = [
      [2, '赵一', '', '210', '9010'],
      [3, '赵一', '', '110', '8010'],
    ]
    expect(carriedBy(was, now).size).toBe(0)
    expect([...carriedBy(was, [[2, '赵一', '', '200', '9000'], now[1] as Line])].map(([row, of]) => [row, of.member_id])).toEqual(
      [[2, 'm2']],
    )
  })

  it('keeps a member selected by name only within the same department', () => {
    const sited = [...columns, column('c5', '部门', 'department')]
    const at = (department: string) => {
      const { row, cells } = getRow(one)
      return { row, cells: { ...cells, c5: { value: department, kind: 'text' as const } } }
    }
    const sides = { before: sited, after: sited, newKeyByOld: new Map(sited.map(({ key }) => [key, key])) }
    const was = { ...at('一部'), member_id: 'm1', skipped: false, accepted: [] }
    expect(carried([was], [at('二部')], sides).get(2)?.member_id ?? null).toBeNull()
    expect(carried([was], [at('一部')], sides).get(2)?.member_id).toBe('m1')
  })

  it('treats the same text in another unit as another amount', () => {
    const was = decided(one, { accepted: ['net_outlier:c4'] })
    const counted = (fen: number) => {
      const { row, cells } = getRow(one)
      return { row, cells: { ...cells, c4: { value: '8000', kind: 'money' as const, fen } } }
    }
    const accepted = (fen: number) =>
      carried([{ ...was, ...counted(800_000) }], [counted(fen)], { before: columns, after: columns, newKeyByOld: same }).get(2)
        ?.accepted
    expect(accepted(800_000)).toEqual(['net_outlier:c4'])
    expect(accepted(8_000_000_000)).toEqual([])
    const notified = getDifference({ columns, rows: [counted(800_000)] }, { columns, rows: [counted(8_000_000_000)] }, same)
    expect(notified.changed_count).toBe(1)
  })

  it.each<[string, string, Line, string[]]>([
    ['the same cell', 'net_outlier:c4', [2, '赵一', '', '999', '8000'], ['net_outlier:c4']],
    ['a changed cell', 'net_outlier:c4', [2, '赵一', '', '100', '8001'], []],
    ['a sum with other changed cells', 'sum_mismatch:c4', [2, '赵一', '', '999', '8000'], []],
    ['a sum in a row that only moved', 'sum_mismatch:c4', [5, '赵一', '', '100', '8,000.00'], ['sum_mismatch:c4']],
    ['a missing column', 'net_outlier:c9', [2, '赵一', '', '100', '8000'], []],
  ])('keeps or drops accepted issues: %s', (_, mark, now, left) => {
    expect([...carriedBy([decided(one, { accepted: [mark] })], [now]).values()].map(({ accepted }) => accepted)).toEqual([left])
  })

  it('keeps a member selected by name only, not for a phone that was missing before', () => {
    const phone = [...columns, column('c5', '手机号', 'mobile')]
    const was = [decided(one, { member_id: 'm1', skipped: true })]
    const now = getRow(one)
    const message = { ...now, cells: { ...now.cells, c5: { value: '13900000000', kind: 'text' as const } } }
    const sides = { before: columns, after: phone, newKeyByOld: same }
    expect(carried(was, [message], sides).get(2)).toEqual({ member_id: null, skipped: true, accepted: [] })
    expect(carried(was, [now], sides).get(2)?.member_id).toBe('m1')
  })
})

describe('units', () => {
  it.each<[string, number, string]>([
    ['0.8512', 4, '8512'],
    ['0.85123456', 4, '8512.3456'],
    ['-1.5', 3, '-1500'],
    ['12', 4, '120000'],
    ['0', 4, '0'],
    ['8500', -4, '0.85'],
    ['-3', -3, '-0.003'],
    ['120000', -4, '12'],
  ])('shifts %s by %d to %s', (text, by, moved) => {
    expect(shiftDecimalPoint(text, by)).toBe(moved)
  })

  it.each<[string, UnitPower, number | null]>([
    ['0.8512345', 4, 851_235],
    ['1,234.5', 3, 123_450_000],
    ['（0.5）', 4, -500_000],
    ['见备注', 4, null],
    ['100000', 4, null],
  ])('reads %s with power %d as %s fen', (text, power, fen) => {
    expect(parseFenInUnit(text, power)).toBe(fen)
  })

  it('converts units in both directions, keeps text, and blocks the row for an impossible amount', () => {
    const cells: RowCells = {
      c1: { value: '赵一', kind: 'text' },
      c3: { value: '0.85', kind: 'money', fen: 85 },
      c4: { value: '—', kind: 'text' },
      c5: { value: '#REF!', kind: 'error' },
      c6: { value: '90000000', kind: 'money', fen: 9_000_000_000 },
    }
    const inPower = (power: UnitPower) => new Map(['c3', 'c4', 'c5', 'c6'].map((key) => [key, power]))
    const wan = applyUnitPowers(cells, inPower(4))
    expect(wan).toEqual({
      ...cells,
      c3: { value: '0.85', kind: 'money', fen: 850_000 },
      c6: { value: '90000000', kind: 'money', flaw: 'damaged' },
    })
    expect(applyUnitPowers(wan, inPower(4))).toEqual(wan)
    expect(applyUnitPowers(wan, inPower(0))).toEqual(cells)
    expect(toYuanCells(wan, inPower(4)).c3).toEqual({ value: '8,500.00', kind: 'money', fen: 850_000 })
    expect(toYuanCells(cells, inPower(0))).toBe(cells)
  })

  it('treats an amount entered by a user as yuan', () => {
    expect(toSheetUnit({ value: '8500', kind: 'money', fen: 850_000 }, 4)).toEqual({ value: '0.85', kind: 'money', fen: 850_000 })
    expect(toSheetUnit({ value: '8500', kind: 'money', fen: 850_000 }, 0).value).toBe('8500')
    expect(toSheetUnit({ value: '见备注', kind: 'text' }, 4).value).toBe('见备注')
  })
})

it('counts the rows in which a formula set by a user holds', () => {
  const count = createFormulaCounter({ plus: ['c3'], minus: ['c2'], net: 'c4' })
  for (const [number, bonus, net] of [
    ['1', '10', '9'],
    ['', '10', '10'],
    ['1', '10', '10'],
    ['无法', '10', '10'],
    ['1', '10', ''],
  ])
    count.add(getRow([1, '', number ?? '', bonus ?? '', net ?? '']).cells)
  expect(count.result()).toEqual({ holds: 2, of: 3 })
})
