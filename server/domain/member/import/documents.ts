/** What of an import lies sealed: what was read, what was answered, what it would do, and how it is taken back. */
import * as z from 'zod/mini'
import { documentKind } from '../../../runtime/data/document.ts'
import type { RosterRead } from '../../../tables/index.ts'
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
const maybe = ['mobile', 'employee_no', 'id_card', 'bank_account', 'position', 'entry_on', 'email'] as const
// Twenty thousand people are opened for each page of the list, and each time two objects are compared with what was kept of them.
type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isListOf = (value: unknown, is: (one: unknown) => boolean): boolean => Array.isArray(value) && value.every(is)
const isTexts = (value: unknown): boolean => isListOf(value, isText)
const isRow = (row: unknown): boolean =>
  isFields(row) &&
  Number.isSafeInteger(row.row) &&
  isText(row.name) &&
  maybe.every((field) => row[field] === null || isText(row[field])) &&
  isListOf(row.departments, isTexts) &&
  (row.form === undefined || isText(row.form)) &&
  (row.status === null || row.status === 'active' || row.status === 'left')
const isColumn = (column: unknown): boolean =>
  isFields(column) && Number.isSafeInteger(column.index) && isText(column.letter) && isText(column.label) && isText(column.role)
const isBad = (cell: unknown): boolean =>
  isFields(cell) && Number.isSafeInteger(cell.row) && isText(cell.column) && isText(cell.why)

export const readRosters = documentKind<ReadRoster>({
  kind: 'roster as it was read',
  version: 1,
  schema: z.object({
    sheet: z.string(),
    columns: z.array(z.object({ index: z.int(), letter: z.string(), label: z.string(), role: z.string() })),
    rows: z.array(
      z.object({
        row: z.int(),
        form: z.optional(z.string()),
        name: z.string(),
        mobile: text,
        employee_no: text,
        id_card: text,
        bank_account: text,
        departments: z.array(z.array(z.string())),
        position: text,
        entry_on: text,
        email: text,
        status: z.nullable(z.enum(['active', 'left'])),
      }),
    ),
    bad: z.array(z.object({ row: z.int(), column: z.string(), why: z.string() })),
    fingerprint: z.string(),
    remembered: z.boolean(),
  }),
  quick: (value): value is Fields & ReadRoster =>
    isText(value.sheet) &&
    isListOf(value.columns, isColumn) &&
    isListOf(value.rows, isRow) &&
    isListOf(value.bad, isBad) &&
    isText(value.fingerprint) &&
    typeof value.remembered === 'boolean',
})

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
