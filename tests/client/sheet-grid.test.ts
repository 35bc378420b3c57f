/** Geometry of a drawn sheet: rows, windows, columns and keyboard navigation. */
import { describe, expect, it } from 'vitest'
import {
  createGridLines,
  findColumnAt,
  formatColumnLetters,
  getColumnWidth,
  getOffsets,
  getRowWindow,
  getRowWindows,
  getVisibleRange,
  headerLine,
  moveCell,
  parseColumnKey,
} from '../../src/features/sheets/grid/geometry.ts'

const one = [{ last_row: 450 }]
const two = [{ last_row: 3 }, { last_row: 1_000_002 }]

describe('grid rows', () => {
  it('lists the grid rows of a single sheet', () => {
    const lines = createGridLines(one)
    expect(lines.count).toBe(450)
    expect(lines.getLine(0)).toEqual({ sheetIndex: 0, row: 1 })
    expect(lines.getLineOfRow(450)).toBe(449)
    expect(lines.getLineOfRow(9_000)).toBe(449)
  })

  it('starts with a name row for each of several sheets', () => {
    const lines = createGridLines(two)
    expect(Array.from({ length: lines.count }, (_, at) => lines.getLine(at).row)).toEqual([
      null,
      1,
      2,
      3,
      null,
      1_000_001,
      1_000_002,
    ])
    expect(lines.getLine(4)).toEqual({ sheetIndex: 1, row: null })
    for (const row of [1, 3, 1_000_001, 1_000_002]) expect(lines.getLine(lines.getLineOfRow(row)).row).toBe(row)
  })

  it('lists no grid rows without a sheet', () => {
    expect(createGridLines([]).count).toBe(0)
  })
})

describe('requested windows', () => {
  it.each([
    [0, 40, [{ from: 1, count: 200 }]],
    [
      190,
      210,
      [
        { from: 1, count: 200 },
        { from: 201, count: 200 },
      ],
    ],
    [199, 200, [{ from: 1, count: 200 }]],
    [440, 450, [{ from: 401, count: 50 }]],
    [
      0,
      450,
      [
        { from: 1, count: 200 },
        { from: 201, count: 200 },
        { from: 401, count: 50 },
      ],
    ],
    [0, 0, []],
  ])('covers rows %i to %i with complete windows, each once', (from, to, windows) => {
    expect(getRowWindows(createGridLines(one), one, from, to)).toEqual(windows)
  })

  it('covers the windows of several sheets', () => {
    expect(getRowWindows(createGridLines(two), two, 0, 7)).toEqual([
      { from: 1, count: 3 },
      { from: 1_000_001, count: 2 },
    ])
    expect(getRowWindow(1_000_002, 1_000_002)).toEqual({ from: 1_000_001, count: 2 })
  })
})

describe('grid columns', () => {
  it('finds columns by their distance from the left', () => {
    const offsets = getOffsets([100, 50, 200])
    expect(offsets).toEqual([0, 100, 150, 350])
    expect([0, 99, 100, 149, 150, 900].map((x) => findColumnAt(offsets, x))).toEqual([0, 0, 1, 1, 2, 2])
  })

  it('renders visible columns with a margin', () => {
    const offsets = getOffsets(Array<number>(500).fill(100))
    const range = getVisibleRange({ top: 32_000, left: 10_000, width: 1_000, height: 640 }, 10_000, offsets)
    expect(range.from).toBeLessThanOrEqual(1_000)
    expect(range.to).toBeGreaterThanOrEqual(1_020)
    expect(range.to - range.from).toBeLessThan(50)
    expect([range.left, range.right]).toEqual([98, 113])
  })

  it('makes columns as wide as their content, within limits', () => {
    expect(getColumnWidth(['工号'])).toBe(112)
    expect(getColumnWidth(['一个很长很长很长很长很长很长的列名'])).toBe(220)
    expect(getColumnWidth(['基本工资标准（元）'])).toBe(146)
  })

  it.each([
    [0, 'A'],
    [25, 'Z'],
    [26, 'AA'],
    [701, 'ZZ'],
    [702, 'AAA'],
  ])('names column %i %s', (at, letters) => {
    expect(formatColumnLetters(at)).toBe(letters)
  })

  it('gives columns keys', () => {
    expect(['c0', 'c12', 'x', '', 'c'].map(parseColumnKey)).toEqual([0, 12, null, null, null])
  })
})

describe('keyboard navigation', () => {
  const size = { lines: 100, columns: 10, page: 20 }
  const at = { line: 50, col: 5 }
  const alone = { top: 50, bottom: 50, left: 5, right: 5 }
  it.each([
    ['ArrowDown', false, { line: 51, col: 5 }],
    ['ArrowUp', false, { line: 49, col: 5 }],
    ['ArrowLeft', false, { line: 50, col: 4 }],
    ['ArrowRight', false, { line: 50, col: 6 }],
    ['ArrowDown', true, { line: 99, col: 5 }],
    ['ArrowUp', true, { line: headerLine, col: 5 }],
    ['Home', false, { line: 50, col: 0 }],
    ['End', false, { line: 50, col: 9 }],
    ['Home', true, { line: headerLine, col: 0 }],
    ['End', true, { line: 99, col: 9 }],
    ['PageUp', false, { line: 30, col: 5 }],
    ['PageDown', false, { line: 70, col: 5 }],
    ['a', false, null],
  ])('moves with %s (with Ctrl: %s) to %o', (key, ctrl, to) => {
    expect(moveCell(key, ctrl, at, size, alone)).toEqual(to)
  })

  it('leaves merged cells at their edge and never leaves the sheet', () => {
    const block = { top: 48, bottom: 52, left: 4, right: 9 }
    expect(moveCell('ArrowDown', false, at, size, block)).toEqual({ line: 53, col: 5 })
    expect(moveCell('ArrowUp', false, at, size, block)).toEqual({ line: 47, col: 5 })
    expect(moveCell('ArrowRight', false, at, size, block)).toEqual({ line: 50, col: 9 })
    expect(moveCell('ArrowUp', false, { line: headerLine, col: 0 }, size, { top: -1, bottom: -1, left: 0, right: 0 })).toEqual({
      line: headerLine,
      col: 0,
    })
  })
})
