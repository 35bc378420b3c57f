/** A layout with one thing changed in it, and its truth with it: lines over the header, columns between, the same people in another shape. */
import { listStoredRows } from '../../../server/spreadsheets/child/response.ts'
import type { Grid, StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { everyRow, grid, type Read } from '../files/grid.ts'
import { type Choice, type Layout, layout } from '../files/sheet-layouts.ts'
import { type Random, seeded } from '../random.ts'
import { trial } from '../run/trial.ts'

export const indexOf = (letter: string) => (letter.length === 1 ? letter.charCodeAt(0) - 65 : letter.charCodeAt(1) - 39)
const letterOf = (index: number) => (index < 26 ? String.fromCharCode(65 + index) : `A${String.fromCharCode(39 + index)}`)
export const copied = ({ rows }: Pick<Layout, 'rows'>): StoredValue[][] => rows.map((cells) => [...cells])
export const gridOf = ({ rows, merges }: Pick<Layout, 'rows' | 'merges'>): Grid => grid(copied({ rows }), { merges })
export const understood = (one: Pick<Layout, 'rows' | 'merges'>): Read => recognizeWorkbook([gridOf(one)]).recognition

/** Where its own header stands, 0-based. */
export const headOf = ({ truth }: Layout) => (truth.header_rows[0] ?? 1) - 1
export const leavesOf = ({ truth }: Layout) => (truth.header_rows.at(-1) ?? 1) - 1

/** Lines put in over a row, 0-based. */
export function withLines(one: Layout, at: number, lines: readonly StoredValue[][]): Layout {
  const moved = (row: number) => (row > at ? row + lines.length : row)
  return {
    ...one,
    rows: [...one.rows.slice(0, at), ...lines.map((cells) => [...cells]), ...one.rows.slice(at)],
    merges: one.merges.map((merge) =>
      merge.top < at ? merge : { ...merge, top: merge.top + lines.length, bottom: merge.bottom + lines.length },
    ),
    truth: { ...one.truth, header_rows: one.truth.header_rows.map(moved), people: one.truth.people.map(moved) },
  }
}

/** Columns put in before one, 0-based: a label over them, and a value for each person. The header may stand there again and again. */
export function withColumns(
  one: Layout,
  at: number,
  labels: readonly StoredValue[],
  value: (row: number, nth: number) => StoredValue,
): Layout {
  const people = new Set(one.truth.people)
  const leaves = one.rows[leavesOf(one)]?.join('|')
  const blank = labels.map((): StoredValue => null)
  const cellsOf = (cells: readonly StoredValue[], row: number) =>
    people.has(row + 1) ? labels.map((_, nth) => value(row, nth)) : cells.join('|') === leaves ? [...labels] : blank
  const rows = one.rows.map((cells, row) => {
    const wide = [...cells, ...Array.from({ length: Math.max(0, at - cells.length) }, (): StoredValue => null)]
    return [...wide.slice(0, at), ...cellsOf(cells, row), ...wide.slice(at)]
  })
  const moved = (letter: string) => (indexOf(letter) < at ? letter : letterOf(indexOf(letter) + labels.length))
  const { truth } = one
  const merges = one.merges.map((merge) => ({
    ...merge,
    left: merge.left >= at ? merge.left + labels.length : merge.left,
    right: merge.right >= at ? merge.right + labels.length : merge.right,
  }))
  const identity = Object.fromEntries(Object.entries(truth.identity).map(([role, letter]) => [role, moved(letter)]))
  return { ...one, rows, merges, truth: { ...truth, identity, net: moved(truth.net), gross: moved(truth.gross) } }
}

/** What differs from the truth of a layout; nothing where all is as it ought to be. */
export function wrongIn(one: Layout, found: Read = understood(one)): string | null {
  const { truth } = one
  const at = (role: string) => found.columns.find((column) => column.role === role)?.col
  const said: [what: string, is: unknown, ought: unknown][] = [
    ['header', found.header.rows, truth.header_rows],
    ['people', found.data_rows, truth.people],
    ['name', at('name'), truth.identity.name],
    ['net', at('net'), truth.net],
    ['sum', found.net_sum_fen, truth.net_sum_fen],
    ['asked', found.questions.flatMap(({ must, id }) => (must ? [id] : [])), []],
  ]
  const wrong = said.filter(([, is, ought]) => JSON.stringify(is) !== JSON.stringify(ought))
  return wrong.length === 0 ? null : wrong.map(([what, is, ought]) => `${what} ${is} instead of ${ought}`).join(', ')
}

/** Everybody with the texts under each label; `?` before whoever is not recognised. Labels that stand twice are counted. */
export function everybody(grids: readonly Grid[], wanted?: readonly string[]): Map<string, string>[] {
  const { recognition, grids: read } = recognizeWorkbook(grids, wanted)
  const { columns } = recognition
  const kept = everyRow(read, recognition)
  if (kept.length !== listStoredRows(recognition).length) throw new Error('a row is missing')
  const people = new Set(recognition.data_rows)
  return kept.map(({ row, cells }) => {
    const texts = new Map<string, string>(people.has(row) ? [] : [['?', '']])
    for (const { key, label, col } of columns) {
      const { value = '' } = cells[key] ?? {}
      let word = label || col
      while (texts.has(word)) word += '+'
      if (value !== '') texts.set(word, value)
    }
    return texts
  })
}

/** One rule, tried in 200 layouts: answers what is wrong with a layout, nothing where all is as it ought to be. */
export const over = (
  name: string,
  title: string,
  choice: Choice | ((seed: number) => Choice),
  wrong: (one: Layout, random: Random, seed: number) => string | null,
) =>
  trial(name, title, { whole: 200, sample: 15, of: 'layouts' }, (run) => {
    const said = Array.from({ length: run.size }, (_, at) => {
      const seed = run.seed * 1_000 + at
      const one = layout(seed, typeof choice === 'function' ? choice(seed) : choice)
      const found = wrong(one, seeded(seed + 7), seed)
      return found === null ? [] : [`${one.what}: ${found}`]
    }).flat()
    if (said.length > 0) throw new Error(`${said.length} of ${run.size}: ${said.slice(0, 8).join('\n')}`)
  })
