/** Import of members from a roster file. calls.md §4. Nothing is written before `uploadMembers`. */
import * as z from 'zod/mini'
import { requirePowerAnywhere } from '../access/any-company.ts'
import { defineChange, defineRead } from '../call.ts'
import { id, importRowStates, pageParams, paginatedList, time } from '../shared/schemas.ts'

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

const rosterEditors = requirePowerAnywhere('2', '3')
const importRef = z.object({ import_id: id })
const count = z.int()

export const importInfo = z.object({
  import_id: id,
  stage: z.enum(importStages),
  /** Progress in rows or, while waiting, in files ahead of this one. */
  done: count,
  total: count,
  /** The import is being processed now. False in `reading` or `applying`: it was interrupted and nothing was changed. */
  is_running: z.boolean(),
  file_name: z.string(),
  sheet: z.string(),
  columns: z.array(z.object({ letter: z.string(), label: z.string(), role: z.enum(rosterColumnRoles) })),
  /** The column roles come from the mapping saved with the last file that had this header. */
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
  /** The first of the departments that would be created, top level first; and their number. */
  departments_new: z.array(z.string()),
  departments_count: count,
  /** How many members would receive another phone. */
  phones_changed: count,
  /** How many rows have no phone, and how many share a phone with other rows, so that it is used for none of them. */
  without_phone: count,
  shared_phones: count,
  /** Entry dates with only a month, stored as its first day; and entry dates that cannot be used (2020.1: January or October). */
  entry_months: count,
  entries_lost: count,
  /** Identity documents other than a citizen's identity card, named as in the tax client. */
  documents: z.array(z.object({ kind: z.string(), count })),
  /** The first of the members that would be marked as terminated. Their number is `counts.leaves`. */
  leaving: z.array(z.string()),
  /** Status labels with an ambiguous meaning; `take` is the chosen meaning, null while the question is open. */
  status_labels: z.array(
    z.object({
      word: z.string(),
      count,
      names: z.array(z.string()),
      take: z.nullable(z.enum(['active', 'left', 'skip'])),
    }),
  ),
  result: z.nullable(z.object({ created: count, updated: count, terminated: count, skipped: count, departments: count })),
  /** The time until which the import can be undone; null where it cannot. */
  undo_until: z.nullable(time),
})
export type ImportInfo = z.infer<typeof importInfo>

/** A sheet of the file that looks like a roster. */
export const importSheet = z.object({
  name: z.string(),
  member_count: count,
  /** The members of this sheet are part of the import. Those of the other sheets are not. */
  is_included: z.boolean(),
  /**
   * Why the sheet cannot be read together with the others: its columns differ from the first sheet's, or it lists
   * terminated employees. Null where it can.
   */
  excluded_reason: z.nullable(z.enum(['columns', 'left'])),
})
export type ImportSheet = z.infer<typeof importSheet>
/** An import and the sheets of its file; `sheet` is the first one that was read. */
const importWithSheets = z.extend(importInfo, {
  /**
   * Sheets are in the order of the file. None is included where the file contains forms of one member each, because
   * then all forms are read.
   */
  sheets: z.array(importSheet),
})
export type ImportWithSheets = z.infer<typeof importWithSheets>

export const importMemberFile = defineChange('POST /api/Member/importMemberFile', rosterEditors, {
  summary:
    'Reads a roster and returns what an import would do, or reads the stored file again with other column roles or worksheets (no file). Writes nothing to the roster yet.',
  rateLimit: 'costly',
  requestType: 'file',
  input: z.object({
    /** Chosen by the browser, so that it can poll `getImport` while the file is read. */
    import_id: z.optional(id),
    /**
     * The sheets to read as one roster, one name per line; by default the one that looks most like a roster. Answers
     * apply only to the selection of sheets they were given for.
     */
    sheet: z.optional(z.string().check(z.maxLength(6_000))),
    /** The role of each column, one per line: `B=mobile`. Saved for the next roster with this header. */
    roles: z.optional(z.string().check(z.maxLength(10_000))),
  }),
  output: z.extend(importWithSheets, {
    rows_ok: count,
    /** The first invalid rows. `field` is the letter of the column; `sheet` is set where several sheets were read as one. */
    rows_bad: z.array(
      z.object({ row: count, sheet: z.nullable(z.string()), field: z.nullable(z.string()), message: z.string() }),
    ),
  }),
  errors: ['unreadable_sheet', 'not_found', 'wrong_state'],
})

export const getImport = defineRead('POST /api/Member/getImport', rosterEditors, {
  summary:
    'Returns the progress of an import of the caller and what it would do or has done. Without an id: their last one of today.',
  isPolling: true,
  input: z.object({ import_id: z.optional(id) }),
  output: z.object({ import: z.nullable(importWithSheets) }),
  errors: ['not_found'],
})

const memberChoice = z.object({ ID: id, NAME: z.string(), MOBILE: z.string(), EMPLOYEE_NO: z.string(), TERMINATED: z.boolean() })
export const importRow = z.object({
  row: count,
  /** The sheet of the row, where several were read (tables as one roster, or one form per member); null for a single table. */
  sheet: z.nullable(z.string()),
  name: z.string(),
  mobile: z.string(),
  employee_no: z.string(),
  departments: z.string(),
  state: z.enum(importRowStates),
  /** The question or error; `column` is set where it concerns a single cell. */
  message: z.string(),
  column: z.nullable(z.string()),
  changes: z.array(z.object({ field: z.enum(importFields), old: z.string(), new: z.string() })),
  /** The members that a row in question may be, and whether it may be a new member. */
  choices: z.array(memberChoice),
  can_create: z.boolean(),
  /** The question is about the status: active or terminated. */
  may_status: z.boolean(),
  /** The administrator's answer. */
  decision: z.nullable(z.enum(['skip', 'new', 'person', 'status'])),
})
export type ImportRowView = z.infer<typeof importRow>

export const getImportRows = defineRead('POST /api/Member/getImportRows', rosterEditors, {
  summary: 'Lists the rows of an import of the caller with the outcome of each, old and new value by field.',
  input: z.extend(importRef, { state: z.optional(z.enum(importRowStates)), ...pageParams }),
  output: paginatedList(importRow),
  errors: ['not_found'],
})

export const answerImport = defineRead('POST /api/Member/answerImport', rosterEditors, {
  summary:
    'Answers the question about a row: a new member, one of the existing members, or skip. Null withdraws the answer. `all` answers every open row alike.',
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
    /** The meaning of a status label, for every row that has it; null reopens the question. */
    statuses: z.optional(
      z.array(z.object({ word: z.string(), take: z.nullable(z.enum(['active', 'left', 'skip'])) })).check(z.maxLength(100)),
    ),
    /** The value applies to every row with an open question. */
    all: z.optional(z.enum(['skip', 'new'])),
  }),
  output: importWithSheets,
  errors: ['not_found', 'wrong_state'],
})

export const uploadMembers = defineChange('POST /api/Member/uploadMembers', rosterEditors, {
  summary:
    'Executes an import, all of it or nothing. Rows with open questions or errors are skipped; with `whole` none may be skipped. Terminating more than three members requires their number as confirmation.',
  rateLimit: 'costly',
  input: z.extend(importRef, {
    mode: z.enum(['skip', 'update']),
    all_or_nothing: z.optional(z.boolean()),
    /** How many members will be marked as terminated, confirmed after viewing their names; required for more than three. */
    leaving: z.optional(count),
  }),
  output: z.object({ created: count, updated: count, terminated: count, skipped: count, departments: count }),
  errors: ['not_found', 'wrong_state'],
})

export const undoImport = defineChange('POST /api/Member/undoImport', rosterEditors, {
  summary: 'Undoes a whole import within a day, as long as no later change depends on it.',
  allowedOnFullDisk: true,
  input: importRef,
  output: z.object({ removed: count, restored: count }),
  errors: ['not_found', 'wrong_state'],
})

export const exportImportErrors = defineRead('POST /api/Member/exportImportFaults', rosterEditors, {
  summary: 'Exports the roster with errors and questions as comments on its cells.',
  rateLimit: 'costly',
  input: importRef,
  output: z.object({ oss_path: z.string(), file_name: z.string(), rows: count }),
  errors: ['not_found', 'wrong_state', 'unreadable_sheet'],
})
