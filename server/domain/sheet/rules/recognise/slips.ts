/**
 * Slips one below the other, a label beside each value (姓名 张三 / 基本工资 5000), and tables that lie on their side (a person a column): turned
 * into rows of people, so that everything else reads them like any sheet. The rows are numbered anew.
 */
import { cellAt, cellId, filledColumns, type Grid, type Mark, type Stored, textAt } from '../grid.ts'
import { isKnown, labelMeaning, type Meaning } from './meaning.ts'
import { isPersonName } from './rows.ts'

interface Pair {
  row: number
  column: number
  label: string
  meaning: Meaning
  value: Stored
}

/** Slips are short: a sheet with more rows is a table. */
const searched = 20_000
const alike = 0.8

/** Title, header, then a row a person; null where the sheet is a table. */
export function turn(grid: Grid): Grid | 'one slip' | null {
  if (grid.rows.length > searched) return null
  const name = firstName(grid)
  if (!name) return null
  return onItsSide(grid, name) ?? slips(grid, name)
}

const sureLabel = (text: string) => {
  if (text === '' || text.length > 30) return null
  const meaning = labelMeaning(text)
  return isKnown(meaning) && meaning.confidence >= 0.7 ? meaning : null
}

/** 姓名 with somebody's name to its right instead of another label. */
function firstName(grid: Grid): { row: number; column: number } | null {
  for (let row = 0; row < Math.min(grid.rows.length, 60); row++)
    for (const column of filledColumns(grid, row)) if (isNamePair(grid, row, column)) return { row, column }
  return null
}

/** The last column of a table on its side. */
const sumOfAll = /^(?:合计|小计|总计|共计|total|sum)$/i

export function isNamePair(grid: Grid, row: number, column: number): boolean {
  const text = textAt(grid, row, column)
  if (text.length > 12 || labelMeaning(text).role !== 'name' || labelMeaning(text).confidence < 0.9) return false
  const right = cellAt(grid, row, column + 1)
  // Under the 姓名 of a table stands a name, under that of a slip the next label.
  const under = cellAt(grid, row + 1, column)
  if (under.kind !== 'empty' && !isKnown(labelMeaning(under.text))) return false
  // In a row of a slip every label has its value beside it; in a header labels stand beside labels.
  const besideLabels = filledColumns(grid, row).every((at) => {
    if (!sureLabel(textAt(grid, row, at)) || sumOfAll.test(textAt(grid, row, at))) return true
    const value = cellAt(grid, row, at + 1)
    return value.kind !== 'empty' && !sureLabel(value.text)
  })
  return besideLabels && isPersonName(right) && right.text.length <= 20 && !isKnown(labelMeaning(right.text))
}

/** 姓名 张三 李四 王五 over 基本工资 5000 6000 7000. */
function onItsSide(grid: Grid, { row: top, column }: { row: number; column: number }): Grid | null {
  const people: number[] = []
  for (let at = column + 1; at < (grid.rows[top]?.length ?? 0); at++) {
    const cell = cellAt(grid, top, at)
    if (isKnown(labelMeaning(cell.text))) break
    // Somebody without a name among them has amounts all the same.
    if (isPersonName(cell) || (people.length > 0 && cell.text !== '' && !sumOfAll.test(cell.text))) people.push(at)
    else break
  }
  if (people.length < 2) return null
  const lines: number[] = []
  let paid = 0
  for (let row = top; row < Math.min(grid.rows.length, top + 100); row++) {
    const meaning = sureLabel(textAt(grid, row, column))
    const numbers = people.filter((at) => cellAt(grid, row, at).decimal !== null).length
    if (textAt(grid, row, column) === '') continue
    if (!meaning && numbers === 0) continue
    if (meaning?.nature === 'money' && numbers > 0) paid++
    lines.push(row)
  }
  if (paid < 2) return null
  // Lines over the names (部门, 工号) belong to them.
  const above = [top - 1, top - 2, top - 3].filter((row) => row >= 0 && sureLabel(textAt(grid, row, column))?.nature === 'who')
  const all = [...above.toReversed(), ...lines]
  return lying(grid, Math.min(top, ...above), [
    all.map((row) => textAt(grid, row, column)),
    ...people.map((at) => all.map((row) => ({ row, column: at }))),
  ])
}

function slips(grid: Grid, first: { row: number; column: number }): Grid | 'one slip' | null {
  const blocks: Pair[][] = []
  for (let row = first.row; row < grid.rows.length; row++) {
    const filled = filledColumns(grid, row)
    if (filled.some((column) => isNamePair(grid, row, column))) blocks.push([])
    for (const column of filled) {
      const label = textAt(grid, row, column)
      const meaning = sureLabel(label)
      if (!meaning) continue
      const right = cellAt(grid, row, column + 1)
      if (right.kind === 'empty' || (right.kind === 'text' && right.decimal === null && sureLabel(right.text))) continue
      blocks.at(-1)?.push({ row, column, label, meaning, value: grid.rows[row]?.[column + 1] })
    }
  }
  const paid = blocks.filter(
    (block) => block.filter(({ meaning, value }) => meaning.nature === 'money' && isAmount(value)).length >= 2,
  )
  const [one, ...more] = paid
  if (!one || paid.length * 2 < blocks.length) return null
  if (more.length === 0) return 'one slip'
  const labels = one.map(({ label }) => label)
  const same = (block: Pair[]) => block.filter(({ label }) => labels.includes(label)).length >= labels.length * alike
  if (!more.every(same)) return null
  const columns = new Map<string, string>()
  const people = paid.map((block) => {
    const times = new Map<string, number>()
    return new Map(
      block.map(({ label, row, column }): [string, CellPlace] => {
        // 其他 among the earnings and 其他 among the deductions are two columns.
        const time = (times.get(label) ?? 0) + 1
        times.set(label, time)
        columns.set(`${label} ${time}`, label)
        return [`${label} ${time}`, { row, column: column + 1 }]
      }),
    )
  })
  return lying(grid, first.row, [
    [...columns.values()],
    ...people.map((places) => [...columns.keys()].map((name) => places.get(name) ?? null)),
  ])
}

const isAmount = (value: Stored) =>
  typeof value === 'number' || (typeof value === 'string' && /^[¥￥]?-?[\d,]+(?:\.\d+)?元?$/.test(value.trim()))

export type CellPlace = { row: number; column: number }

/** Cells of the sheet laid anew, with what is marked about them. The longest text over the first person stays the title. */
export function lying(grid: Grid, top: number, lines: readonly (string | CellPlace | null)[][]): Grid {
  let title = ''
  for (let row = 0; row < top; row++)
    for (const column of filledColumns(grid, row))
      if (textAt(grid, row, column).length > title.length) title = textAt(grid, row, column)
  const marks = new Map<number, Mark>()
  const rows = lines.map((line, at) =>
    line.map((cell, column): Stored => {
      if (cell === null || typeof cell === 'string') return cell
      const mark = grid.marks.get(cellId(cell.row, cell.column))
      if (mark) marks.set(cellId(at + 1, column), mark)
      return grid.rows[cell.row]?.[cell.column]
    }),
  )
  return { ...grid, rows: [[title], ...rows], marks, merges: [], hidden_rows: new Set(), hidden_columns: new Set() }
}
