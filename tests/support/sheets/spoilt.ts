/**
 * A layout with one change and its adapted expected result: rows above the header, columns in between, the same
 * employees in another form.
 */
import { listRowsToStore } from '../../../server/spreadsheets/child/response.ts'
import type { Grid, StoredValue } from '../../../server/spreadsheets/grid.ts'
import { recognizeWorkbook } from '../../../server/spreadsheets/profiles/wage/recognize-workbook.ts'
import { everyRow, grid, type Read } from '../files/grid.ts'
import { type Choice, type Layout, layout } from '../files/sheet-layouts.ts'
import { type Random, seeded } from '../random.ts'
import { trial } from '../run/trial.ts'

export const indexOf = (letter: string) => (letter.length === 1 ? letter.charCodeAt(0) - 65 : letter.charCodeAt(1) - 39)
const getLetter = (index: number) => (index < 26 ? String.fromCharCode(65 + index) : `A${String.fromCharCode(39 + index)}`)
export const copied = ({ rows }: Pick<Layout, 'rows'>): StoredValue[][] => rows.map((cells) => [...cells])
export const getGrid = ({ rows, merges }: Pick<Layout, 'rows' | 'merges'>): Grid => grid(copied({ rows }), { merges })
export const recognize = (one: Pick<Layout, 'rows' | 'merges'>): Read => recognizeWorkbook([getGrid(one)]).recognition

/** Returns the row of its own header, 0-based. */
export const getHead = ({ truth }: Layout) => (truth.header_rows[0] ?? 1) - 1
export const getLeaves = ({ truth }: Layout) => (truth.header_rows.at(-1) ?? 1) - 1

/** Inserts rows above a row, 0-based. */
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

/** Inserts columns before a column, 0-based: a label and a value for each employee. The header may be repeated. */
export function withColumns(
  one: Layout,
  at: number,
  labels: readonly StoredValue[],
  value: (row: number, nth: number) => StoredValue,
): Layout {
  const people = new Set(one.truth.people)
  const leaves = one.rows[getLeaves(one)]?.join('|')
  const blank = labels.map((): StoredValue => null)
  const getCells = (cells: readonly StoredValue[], row: number) =>
    people.has(row + 1) ? labels.map((_, nth) => value(row, nth)) : cells.join('|') === leaves ? [...labels] : blank
  const rows = one.rows.map((cells, row) => {
    const wide = [...cells, ...Array.from({ length: Math.max(0, at - cells.length) }, (): StoredValue => null)]
    return [...wide.slice(0, at), ...getCells(cells, row), ...wide.slice(at)]
  })
  const moved = (letter: string) => (indexOf(letter) < at ? letter : getLetter(indexOf(letter) + labels.length))
  const { truth } = one
  const merges = one.merges.map((merge) => ({
    ...merge,
    left: merge.left >= at ? merge.left + labels.length : merge.left,
    right: merge.right >= at ? merge.right + labels.length : merge.right,
  }))
  const identity = Object.fromEntries(Object.entries(truth.identity).map(([role, letter]) => [role, moved(letter)]))
  return { ...one, rows, merges, truth: { ...truth, identity, net: moved(truth.net), gross: moved(truth.gross) } }
}

/** Returns the difference from the expected result of a layout, or null. */
export function wrongIn(one: Layout, match: Read = recognize(one)): string | null {
  const { truth } = one
  const at = (role: string) => match.columns.find((column) => column.role === role)?.col
  const messages: [what: string, is: unknown, ought: unknown][] = [
    ['header', match.header.rows, truth.header_rows],
    ['people', match.data_rows, truth.people],
    ['name', at('name'), truth.identity.name],
    ['net', at('net'), truth.net],
    ['sum', match.net_sum_fen, truth.net_sum_fen],
    ['asked', match.questions.flatMap(({ must, id }) => (must ? [id] : [])), []],
  ]
  const wrong = messages.filter(([, is, ought]) => JSON.stringify(is) !== JSON.stringify(ought))
  return wrong.length === 0 ? null : wrong.map(([what, is, ought]) => `${what} ${is} instead of ${ought}`).join(', ')
}

/** Returns all employees with the texts by label; `?` marks unmatched ones. Repeated labels are numbered. */
export function everybody(grids: readonly Grid[], requested?: readonly string[]): Map<string, string>[] {
  const { recognition, grids: read } = recognizeWorkbook(grids, requested)
  const { columns } = recognition
  const stored = everyRow(read, recognition)
  if (stored.length !== listRowsToStore(recognition).length) throw new Error('a row is missing')
  const people = new Set(recognition.data_rows)
  return stored.map(({ row, cells }) => {
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

/** Tries one rule in 200 layouts. The function returns what is wrong with a layout, or null. */
export const over = (
  name: string,
  title: string,
  choice: Choice | ((seed: number) => Choice),
  wrong: (one: Layout, random: Random, seed: number) => string | null,
) =>
  trial(name, title, { full: 200, sample: 15, of: 'layouts' }, (run) => {
    const messages = Array.from({ length: run.size }, (_, at) => {
      const seed = run.seed * 1_000 + at
      const one = layout(seed, typeof choice === 'function' ? choice(seed) : choice)
      const match = wrong(one, seeded(seed + 7), seed)
      return match === null ? [] : [`${one.what}: ${match}`]
    }).flat()
    if (messages.length > 0) throw new Error(`${messages.length} of ${run.size}: ${messages.slice(0, 8).join('\n')}`)
  })
