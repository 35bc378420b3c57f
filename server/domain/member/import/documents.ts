/** What of an import lies sealed: what was read, what was answered, what it would do, and how it is taken back. */
import * as z from 'zod/mini'
import { documentKind } from '../../../runtime/data/document.ts'
import type { Place, Vault } from '../../../runtime/secrets.ts'
import type { RosterRead } from '../../../tables/index.ts'
import { type PackedPeople, packPeople, type RosterRow, unpackPeople } from '../../../tables/rules.ts'
import type { Leader } from '../leave.ts'
import { importFields } from '../rules/import-changes.ts'
import type { ImportAnswer, PlannedRow } from '../rules/import-plan.ts'
import type { ArrivalMark, Snapshot } from './snapshots.ts'

/** As it was read; identity cards stand in it as they were written, sealed with it. */
export type ReadRoster = Pick<RosterRead, 'sheet' | 'rows' | 'bad'> & {
  readonly columns: readonly { readonly index: number; readonly letter: string; readonly label: string; readonly role: string }[]
  readonly fingerprint: string
  readonly remembered: boolean
}
const text = z.nullable(z.string())
// Twenty thousand people are opened for each page of the list, and each time two objects are compared with what was kept of them.
type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isListOf = (value: unknown, is: (one: unknown) => boolean): boolean => Array.isArray(value) && value.every(is)
const isTexts = (value: unknown): boolean => isListOf(value, isText)
const isWhole = (value: unknown): boolean => Number.isSafeInteger(value)
const isMaybe = (value: unknown): boolean => value === null || isText(value)
const isLine = (line: unknown): boolean =>
  Array.isArray(line) &&
  (line.length === 11 || (line.length === 12 && (line[11] === undefined || isText(line[11])))) &&
  isWhole(line[0]) &&
  isText(line[1]) &&
  isMaybe(line[2]) &&
  isMaybe(line[3]) &&
  isMaybe(line[4]) &&
  isMaybe(line[5]) &&
  isListOf(line[6], isWhole) &&
  isMaybe(line[7]) &&
  isMaybe(line[8]) &&
  isMaybe(line[9]) &&
  (line[10] === null || line[10] === 'active' || line[10] === 'left')
const isColumn = (column: unknown): boolean =>
  isFields(column) && Number.isSafeInteger(column.index) && isText(column.letter) && isText(column.label) && isText(column.role)
const isBad = (cell: unknown): boolean =>
  isFields(cell) && Number.isSafeInteger(cell.row) && isText(cell.column) && isText(cell.why)

const readRosters = documentKind<Omit<ReadRoster, 'rows'> & PackedPeople>({
  kind: 'roster as it was read',
  version: 2,
  schema: z.object({
    sheet: z.string(),
    columns: z.array(z.object({ index: z.int(), letter: z.string(), label: z.string(), role: z.string() })),
    ways: z.array(z.array(z.string())),
    lines: z.array(
      z.tuple([
        z.int(),
        z.string(),
        text,
        text,
        text,
        text,
        z.array(z.int()),
        text,
        text,
        text,
        z.nullable(z.enum(['active', 'left'])),
        z.optional(z.string()),
      ]),
    ),
    bad: z.array(z.object({ row: z.int(), column: z.string(), why: z.string() })),
    fingerprint: z.string(),
    remembered: z.boolean(),
  }),
  quick: (value): value is Fields & Omit<ReadRoster, 'rows'> & PackedPeople =>
    isText(value.sheet) &&
    isListOf(value.columns, isColumn) &&
    isListOf(value.ways, isTexts) &&
    isListOf(value.lines, isLine) &&
    isListOf(value.bad, isBad) &&
    isText(value.fingerprint) &&
    typeof value.remembered === 'boolean',
  upgrades: {
    // Of the first version each row had the names of its fields.
    1: ({ rows, ...rest }) => (areRows(rows) ? { ...rest, ...packPeople(rows) } : rest),
  },
})
const areRows = (rows: unknown): rows is RosterRow[] =>
  Array.isArray(rows) && rows.every((row) => isFields(row) && isListOf(row.departments, isTexts))

export const sealRead = (vault: Vault, place: Place, { rows, ...read }: ReadRoster): Buffer =>
  readRosters.seal(vault, place, { ...read, ...packPeople(rows) })
export function openRead(vault: Vault, place: Place, sealed: Buffer): ReadRoster {
  const { ways, lines, ...read } = readRosters.open(vault, place, sealed)
  return { ...read, rows: unpackPeople({ ways, lines }) }
}

export type ImportAnswers = readonly (readonly [row: number, answer: ImportAnswer])[]
export const importAnswers = documentKind<{ readonly answers: ImportAnswers }>({
  kind: 'answers to an import',
  version: 1,
  schema: z.object({
    answers: z.array(
      z.tuple([
        z.int(),
        z.discriminatedUnion('take', [
          z.object({ take: z.literal('skip') }),
          z.object({ take: z.literal('new') }),
          z.object({ take: z.literal('person'), person_id: z.string() }),
        ]),
      ]),
    ),
  }),
  unversioned: (answers) => ({ answers }),
})

export type ImportPlan = {
  readonly rows: readonly PlannedRow[]
  /** To be made, each after what it belongs to. */
  readonly departments: readonly (readonly string[])[]
}
const field = z.enum(importFields)
export const importPlans = documentKind<ImportPlan>({
  kind: 'plan of an import',
  version: 1,
  schema: z.object({
    rows: z.array(
      z.object({
        row: z.int(),
        decision: z.discriminatedUnion('kind', [
          z.object({ kind: z.enum(['new', 'skipped']) }),
          z.object({
            kind: z.enum(['same', 'back', 'changed', 'leaves']),
            person_id: z.string(),
            changes: z.array(z.object({ field, old: z.string(), new: z.string() })),
          }),
          z.object({
            kind: z.literal('conflict'),
            why: z.string(),
            field: z.enum(['id_card', 'employee_no', 'mobile', 'name']),
            person_ids: z.array(z.string()),
            rows: z.array(z.int()),
            may: z.array(z.enum(['new', 'person'])),
          }),
          z.object({ kind: z.literal('fault'), why: z.string(), column: text, field: z.nullable(field) }),
        ]),
      }),
    ),
    departments: z.array(z.array(z.string())),
  }),
})

/** How an import is taken back. `before` is null for who came by it. */
export type Undo = {
  readonly departments: readonly string[]
  readonly people: readonly (
    | { readonly before: Snapshot; readonly after: Snapshot }
    | { readonly before: null; readonly after: ArrivalMark | Snapshot }
  )[]
  /** Who left by it, and over which departments he was set. */
  readonly leaders: readonly Leader[]
}
// Rows as the database wrote them: its columns are its own to name.
const snapshot = z.looseObject({ id: z.string(), departments: z.array(z.string()) })
const arrival = z.object({ id: z.string(), name: z.string(), mark: z.string() })
const isSnapshot = (value: unknown): boolean => isFields(value) && isText(value.id) && isTexts(value.departments)
const isArrival = (value: unknown): boolean => isFields(value) && isText(value.id) && isText(value.name) && isText(value.mark)
const isChange = (value: unknown): boolean =>
  isFields(value) &&
  (value.before === null
    ? isArrival(value.after) || isSnapshot(value.after)
    : isSnapshot(value.before) && isSnapshot(value.after))
const isLeader = (value: unknown): boolean => isFields(value) && isText(value.id) && isText(value.leader_id)
export const importUndos = documentKind<Undo>({
  kind: 'way back of an import',
  version: 1,
  schema: z.object({
    departments: z.array(z.string()),
    people: z.array(
      z.union([
        z.object({ before: z.null(), after: z.union([arrival, snapshot]) }),
        z.object({ before: snapshot, after: snapshot }),
      ]),
    ),
    leaders: z.array(z.object({ id: z.string(), leader_id: z.string() })),
  }),
  quick: (value): value is Fields & Undo =>
    isTexts(value.departments) && isListOf(value.people, isChange) && isListOf(value.leaders, isLeader),
})
