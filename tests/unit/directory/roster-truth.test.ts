/**
 * Rosters from outside the project with their expected results. They are stored next to the project and are not part of
 * it; without them this file reports their absence and passes.
 */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { formatRosterInspection } from '../../../server/commands/roster.ts'
import type { RecognizedRoster } from '../../../server/spreadsheets/profiles/roster/result.ts'
import { recognizeRoster } from '../../../server/spreadsheets/profiles/roster/roster.ts'
import { readGrids } from '../../../server/spreadsheets/read/read-grids.ts'

type Position = { col?: string; cols?: string[]; label?: string; optional?: boolean; also_acceptable_cols?: string[] } | null
type Person = Record<string, string | number>
interface Truth {
  file: string
  kind: RecognizedRoster['kind']
  kind_also_acceptable?: string[]
  container: string
  sheet: string
  header_rows: number[]
  first_data_row: number | null
  last_data_row: number | null
  people: number
  columns: Record<string, Position>
  mobiles?: { invalid_rows?: number[] }
  birth_dates?: { unreadable_as_written?: number[] }
  departments?: { max_depth?: number; distinct_paths?: number }
  first_person?: Person
  last_person?: Person
}

const folder = new URL('../../../../shared/rosters/', import.meta.url)
const context = existsSync(new URL('truth.json', folder))
const truths: Truth[] = context ? (JSON.parse(readFileSync(new URL('truth.json', folder), 'utf8')) as Truth[]) : []

/** Column letters by role: the expected one, or an accepted alternative. */
function expectColumns(read: RecognizedRoster, columns: Truth['columns']): void {
  for (const [role, position] of Object.entries(columns)) {
    const matches = read.columns.filter((column) => column.role === role).toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    const [first] = matches
    if ((position?.optional && !first) || (first && position?.also_acceptable_cols?.includes(first.letter))) continue
    expect(
      matches.map(({ letter }) => letter),
      role,
    ).toEqual(position === null ? [] : (position.cols ?? [position.col]))
    if (position?.label !== undefined) expect(first?.label).toBe(position.label)
  }
}

const asNotified = ({ departments, entry_on, ...row }: RecognizedRoster['rows'][number]): Record<string, unknown> => ({
  ...row,
  department: departments.map((channel) => channel.join('/')).join(', '),
  entry_date: entry_on,
})
/** The expected member as far as the row has values. An invalid cell is not compared. */
function expectPerson(row: RecognizedRoster['rows'][number] | undefined, person: Person | undefined): void {
  if (!row || !person) return
  const notified = asNotified(row)
  const messages = Object.entries(person).filter(([key]) => key in notified && notified[key] !== null && notified[key] !== '')
  expect(notified).toMatchObject(Object.fromEntries(messages))
}

const badRows = (read: RecognizedRoster, role: string): number[] => {
  const letter = read.columns.find((column) => column.role === role)?.letter
  return read.bad.filter(({ column }) => column === letter).map(({ row }) => row)
}

describe.skipIf(!context)('public rosters', () => {
  let right = 0
  test.each(truths.map((truth) => [truth.file, truth] as const))('%s', async (file, truth) => {
    const read = recognizeRoster(await readGrids(readFileSync(new URL(file, folder))))
    expect([truth.kind, ...(truth.kind_also_acceptable ?? [])]).toContain(read.kind)
    if (read.kind === 'not_a_roster') expect(read.reason).toMatch(/[\u4e00-\u9fff]/)
    else {
      const { header_rows, first_data_row, last_data_row, people } = truth
      expect(formatRosterInspection(read)).toMatchObject({
        header_rows,
        first_data_row,
        last_data_row,
        people,
        ...(truth.container !== 'csv' && { sheet: truth.sheet }),
      })
      expectColumns(read, truth.columns)
      if (truth.mobiles?.invalid_rows) expect(badRows(read, 'mobile')).toEqual(truth.mobiles.invalid_rows)
      if (truth.birth_dates) expect(badRows(read, 'birth_date')).toEqual(truth.birth_dates.unreadable_as_written ?? [])
      const ways = read.rows.flatMap((row) => row.departments)
      if (truth.departments?.max_depth)
        expect(Math.max(...ways.map((channel) => channel.length))).toBe(truth.departments.max_depth)
      if (truth.departments?.distinct_paths)
        expect(new Set(ways.map((channel) => channel.join('/'))).size).toBe(truth.departments.distinct_paths)
      expectPerson(read.rows[0], truth.first_person)
      expectPerson(read.rows.at(-1), truth.last_person)
    }
    right++
  })

  test('reports the score of public rosters', () => {
    process.stdout.write(`    open rosters recognition: ${right} of ${truths.length}\n`)
    expect(right).toBe(truths.length)
  })
})
