/** What was read of a roster, sealed. */
import * as z from 'zod/mini'
import { documentKind } from '../../../runtime/data/document.ts'
import type { Place, Vault } from '../../../runtime/secrets.ts'
import type { RosterRead } from '../../../tables/index.ts'
import { type PackedPeople, packPeople, type RosterRow, unpackPeople } from '../../../tables/rules.ts'
import { areNumbers, isListOf, isNamed, isText, isTexts, isWhole, type NamedValues } from './shapes.ts'

/** As it was read; identity cards stand in it as they were written, sealed with it. */
export type ReadRoster = Pick<RosterRead, 'sheet' | 'rows' | 'bad' | 'entries_lost'> & {
  readonly columns: readonly { readonly index: number; readonly letter: string; readonly label: string; readonly role: string }[]
  readonly fingerprint: string
  readonly remembered: boolean
}
type SealedRoster = Omit<ReadRoster, 'rows'> & { readonly people: PackedPeople }

const texts = z.array(z.string())
const said = z.nullable(z.array(z.nullable(z.string())))
const isSaid = (list: unknown): boolean => list === null || isListOf(list, (one) => one === null || isText(one))
const isStatus = (one: unknown): boolean => one === null || one === 'active' || one === 'left'
const arePeople = (value: unknown): boolean =>
  isNamed(value) &&
  isListOf(value.ways, isTexts) &&
  isListOf(value.row, isWhole) &&
  isTexts(value.name) &&
  isListOf(value.departments, areNumbers) &&
  isSaid(value.mobile) &&
  isSaid(value.employee_no) &&
  isSaid(value.id_card) &&
  isSaid(value.bank_account) &&
  isSaid(value.position) &&
  isSaid(value.entry_on) &&
  isSaid(value.email) &&
  (value.status === null || isListOf(value.status, isStatus)) &&
  isSaid(value.status_word) &&
  isSaid(value.form) &&
  isSaid(value.sheet)
const isColumn = (column: unknown): boolean =>
  isNamed(column) && isWhole(column.index) && isText(column.letter) && isText(column.label) && isText(column.role)
const isBad = (cell: unknown): boolean => isNamed(cell) && isWhole(cell.row) && isText(cell.column) && isText(cell.why)

const readRosters = documentKind<SealedRoster>({
  kind: 'roster as it was read',
  version: 5,
  schema: z.object({
    sheet: z.string(),
    columns: z.array(z.object({ index: z.int(), letter: z.string(), label: z.string(), role: z.string() })),
    people: z.object({
      ways: z.array(texts),
      row: z.array(z.int()),
      name: texts,
      departments: z.array(z.union([z.int(), z.array(z.int())])),
      mobile: said,
      employee_no: said,
      id_card: said,
      bank_account: said,
      position: said,
      entry_on: said,
      email: said,
      status: z.nullable(z.array(z.nullable(z.enum(['active', 'left'])))),
      status_word: said,
      form: said,
      sheet: said,
    }),
    bad: z.array(z.object({ row: z.int(), column: z.string(), why: z.string() })),
    entries_lost: z.int(),
    fingerprint: z.string(),
    remembered: z.boolean(),
  }),
  quick: (value): value is NamedValues & SealedRoster =>
    isText(value.sheet) &&
    isListOf(value.columns, isColumn) &&
    arePeople(value.people) &&
    isListOf(value.bad, isBad) &&
    isWhole(value.entries_lost) &&
    isText(value.fingerprint) &&
    typeof value.remembered === 'boolean',
  upgrades: {
    // Of the first version each row had the names of its fields.
    1: ({ rows, ...rest }) => (areRows(rows) ? { ...rest, people: packPeople(rows) } : rest),
    // Of the second each was a list of its own.
    2: ({ ways, lines, ...rest }) =>
      areLines(lines) && areWays(ways) ? { ...rest, people: packPeople(lines.map((line) => rowOf(line, ways))) } : rest,
    // Of the third only one sheet was read.
    3: ({ people, ...rest }) => ({ ...rest, people: isNamed(people) ? { sheet: null, ...people } : people }),
    // Of the fourth every status was read or ignored, and months of entry were dropped uncounted.
    4: ({ people, ...rest }) => ({
      ...rest,
      entries_lost: 0,
      people: isNamed(people) ? { ...people, status_word: people.status_word ?? null } : people,
    }),
  },
})
const areRows = (rows: unknown): rows is RosterRow[] =>
  Array.isArray(rows) && rows.every((row) => isNamed(row) && isListOf(row.departments, isTexts))

type Maybe = string | null
type Line = readonly [
  row: number,
  name: string,
  mobile: Maybe,
  employee_no: Maybe,
  id_card: Maybe,
  bank_account: Maybe,
  departments: readonly number[],
  position: Maybe,
  entry_on: Maybe,
  email: Maybe,
  status: RosterRow['status'],
  form?: string,
]
const areLines = (lines: unknown): lines is Line[] =>
  isListOf(lines, (line) => Array.isArray(line) && line.length > 10 && isListOf(line[6], isWhole))
const areWays = (ways: unknown): ways is string[][] => isListOf(ways, isTexts)
function rowOf(line: Line, ways: readonly (readonly string[])[]): RosterRow {
  const [row, name, mobile, employee_no, id_card, bank_account, numbers, position, entry_on, email, status, form] = line
  const departments = numbers.map((number) => ways[number] ?? [])
  const known = { row, name, mobile, employee_no, id_card, bank_account, departments, position, entry_on, email, status }
  return form === undefined ? known : { ...known, form }
}

/** `people`: its rows as the child has packed them. */
export const sealRead = (vault: Vault, place: Place, { rows, ...read }: ReadRoster, people = packPeople(rows)): Buffer =>
  readRosters.seal(vault, place, { ...read, people })
export function openRead(vault: Vault, place: Place, sealed: Buffer): ReadRoster {
  const { people, ...read } = readRosters.open(vault, place, sealed)
  return { ...read, rows: unpackPeople(people) }
}
