/** A roster as it lies on somebody's disk becomes people of the company. calls.md §4. Nothing is written before `uploadMembers`. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineCall } from '../call.ts'
import { id, importRowStates, pageParams, paginatedList, time } from '../shared/schemas.ts'

/** What the columns of a roster can be for. */
export const rosterColumnRoles = [
  'name',
  'given_name',
  'family_name',
  'mobile',
  'employee_no',
  'id_card',
  'bank_account',
  'email',
  'department',
  'position',
  'entry_date',
  'status',
  'info',
] as const
export type RosterColumnRole = (typeof rosterColumnRoles)[number]
export const importStages = ['waiting', 'reading', 'planned', 'applying', 'done', 'undone'] as const
export type ImportStage = (typeof importStages)[number]
const importFields = [
  'name',
  'id_card',
  'bank_account',
  'employee_no',
  'mobile',
  'email',
  'position',
  'entry_on',
  'departments',
] as const

const rosterEditors = { access: requirePower('2', '3') } as const
const importRef = z.object({ import_id: id })
const count = z.int()

export const importInfo = z.object({
  import_id: id,
  stage: z.enum(importStages),
  /** Of what is under way: rows, or (waiting) files before this one. */
  done: count,
  total: count,
  /** Somebody works on it at this moment. False while it says `reading` or `applying`: it was cut off, and nothing was changed. */
  is_running: z.boolean(),
  file_name: z.string(),
  sheet: z.string(),
  columns: z.array(z.object({ letter: z.string(), label: z.string(), role: z.enum(rosterColumnRoles) })),
  /** The columns are for what somebody said when he brought the last sheet with this header. */
  uses_saved_mapping: z.boolean(),
  counts: z.object({
    new: count,
    changed: count,
    back: count,
    leaves: count,
    conflict: count,
    fault: count,
    same: count,
    skipped: count,
  }),
  /** Departments that would be made, from the top; the first of them, and how many. */
  departments_new: z.array(z.string()),
  departments_count: count,
  /** How many would get another phone. */
  phones_changed: count,
  /** How many come without a phone, and for how many the phone of the file also stands beside others, so that it is taken for none of them. */
  without_phone: count,
  shared_phones: count,
  /** Entry dates of which only the month is written, kept as its first day; and those that cannot be taken at all (2020.1: January or October). */
  entry_months: count,
  entries_lost: count,
  /** Papers other than a citizen's identity card, as the tax client calls them. */
  documents: z.array(z.object({ kind: z.string(), count })),
  /** Who would be marked as left; the first of them. How many: `counts.leaves`. */
  leaving: z.array(z.string()),
  /** What is written about the status that may mean either; what it was said to mean, null where it is still asked. */
  status_labels: z.array(
    z.object({
      word: z.string(),
      count,
      names: z.array(z.string()),
      take: z.nullable(z.enum(['active', 'left', 'skip'])),
    }),
  ),
  result: z.nullable(z.object({ created: count, updated: count, terminated: count, skipped: count, departments: count })),
  /** Until when it can be taken back; null where it cannot. */
  undo_until: z.nullable(time),
})
export type ImportInfo = z.infer<typeof importInfo>

/** A sheet of the file that looks like a list of staff. */
export const importSheet = z.object({
  name: z.string(),
  member_count: count,
  /** Its people are in this import. Those of the others are not. */
  is_included: z.boolean(),
  /** Why it cannot be read as one list with the others: other columns than the first that was read, or people who left. Null where it can. */
  excluded_reason: z.nullable(z.enum(['columns', 'left'])),
})
export type ImportSheet = z.infer<typeof importSheet>
/** An import, and what else its file holds; `sheet` is the first that was read. */
const importWithSheets = z.extend(importInfo, {
  /** In the order of the file. None of them is read where forms of one person each are: those are read all. */
  sheets: z.array(importSheet),
})
export type ImportWithSheets = z.infer<typeof importWithSheets>

export const importMemberFile = defineCall('POST /api/Member/importMemberFile', {
  summary:
    'Read a roster and tell what an import would do, or read the one that is there with other roles or sheets (no file). Nothing is written yet',
  access: requirePower('2', '3'),
  idempotent: true,
  audit: 'change',
  rateLimit: 'costly',
  requestType: 'file',
  input: z.object({
    /** Chosen by the browser, to ask `getImport` with while it is read. */
    import_id: z.optional(id),
    /** The sheets to read as one list, one name a line; without it the one that looks most like the staff. Answers are for the sheets they were given to. */
    sheet: z.optional(z.string().check(z.maxLength(6_000))),
    /** What each column is for, a line each: `B=mobile`. Remembered for the next roster with this header. */
    roles: z.optional(z.string().check(z.maxLength(10_000))),
  }),
  output: z.extend(importWithSheets, {
    rows_ok: count,
    /** The first of them. `field` is the letter of the column; `sheet` its sheet, where several were read as one. */
    rows_bad: z.array(
      z.object({ row: count, sheet: z.nullable(z.string()), field: z.nullable(z.string()), message: z.string() }),
    ),
  }),
  errors: ['unreadable_sheet', 'not_found', 'wrong_state'],
})

export const getImport = defineCall('POST /api/Member/getImport', {
  ...rosterEditors,
  summary: 'How far an import of mine is, and what it would do or has done; without a number, the last one of today',
  idempotent: false,
  audit: 'none',
  isPolling: true,
  input: z.object({ import_id: z.optional(id) }),
  output: z.object({ import: z.nullable(importWithSheets) }),
  errors: ['not_found'],
})

const memberChoice = z.object({ ID: id, NAME: z.string(), MOBILE: z.string(), EMPLOYEE_NO: z.string(), TERMINATED: z.boolean() })
export const importRow = z.object({
  row: count,
  /** Its sheet, where several were read: tables as one list, or people on forms of their own; null in a single table. */
  sheet: z.nullable(z.string()),
  name: z.string(),
  mobile: z.string(),
  employee_no: z.string(),
  departments: z.string(),
  state: z.enum(importRowStates),
  /** What is asked or wrong; the column where one cell is it. */
  message: z.string(),
  column: z.nullable(z.string()),
  changes: z.array(z.object({ field: z.enum(importFields), old: z.string(), new: z.string() })),
  /** Whom a row that is asked about may be, and whether it may be somebody new. */
  choices: z.array(memberChoice),
  can_create: z.boolean(),
  /** Its status is asked: still working here, or left. */
  may_status: z.boolean(),
  /** The answer. */
  decision: z.nullable(z.enum(['skip', 'new', 'person', 'status'])),
})
export type ImportRowView = z.infer<typeof importRow>

export const getImportRows = defineCall('POST /api/Member/getImportRows', {
  ...rosterEditors,
  summary: 'The rows of an import of mine with what becomes of each: old and new, field by field',
  idempotent: false,
  audit: 'none',
  input: z.extend(importRef, { state: z.optional(z.enum(importRowStates)), ...pageParams }),
  output: paginatedList(importRow),
  errors: ['not_found'],
})

export const answerImport = defineCall('POST /api/Member/answerImport', {
  ...rosterEditors,
  summary:
    'Say what a row that is asked about is: somebody new, one of those who stand there, or nothing; null asks again. Or all alike',
  idempotent: false,
  audit: 'none',
  input: z.extend(importRef, {
    answers: z
      .array(
        z.object({
          row: count,
          take: z.nullable(z.enum(['skip', 'new', 'person', 'active', 'left'])),
          member_id: z.optional(id),
        }),
      )
      .check(z.maxLength(500)),
    /** What a word about the status means, for every row in which it stands; null asks again. */
    statuses: z.optional(
      z.array(z.object({ word: z.string(), take: z.nullable(z.enum(['active', 'left', 'skip'])) })).check(z.maxLength(100)),
    ),
    /** Every row that is still asked about. */
    all: z.optional(z.enum(['skip', 'new'])),
  }),
  output: importWithSheets,
  errors: ['not_found', 'wrong_state'],
})

export const uploadMembers = defineCall('POST /api/Member/uploadMembers', {
  ...rosterEditors,
  summary:
    'Carry an import out, all of it or nothing. What is asked about, or faulty, stays out; with `whole` nothing may stay out. More than three people leave only where their number is confirmed',
  idempotent: true,
  audit: 'change',
  rateLimit: 'costly',
  input: z.extend(importRef, {
    mode: z.enum(['skip', 'update']),
    all_or_nothing: z.optional(z.boolean()),
    /** How many will be marked as left, said by whoever has seen their names; needed for more than three. */
    leaving: z.optional(count),
  }),
  output: z.object({ created: count, updated: count, terminated: count, skipped: count, departments: count }),
  errors: ['not_found', 'wrong_state'],
})

export const undoImport = defineCall('POST /api/Member/undoImport', {
  ...rosterEditors,
  summary: 'Take a whole import back within a day, while nothing was built on it',
  idempotent: true,
  audit: 'change',
  allowedOnFullDisk: true,
  input: importRef,
  output: z.object({ removed: count, restored: count }),
  errors: ['not_found', 'wrong_state'],
})

export const exportImportErrors = defineCall('POST /api/Member/exportImportFaults', {
  ...rosterEditors,
  summary: 'The roster again with what is wrong or asked written beside its cells',
  idempotent: false,
  audit: 'none',
  rateLimit: 'costly',
  input: importRef,
  output: z.object({ oss_path: z.string(), file_name: z.string(), rows: count }),
  errors: ['not_found', 'wrong_state', 'unreadable_sheet'],
})
