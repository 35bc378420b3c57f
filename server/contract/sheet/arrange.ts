/** How the slips of a batch look before they are sent: arrangement, preview, and the wizard's unfinished state. calls.md §5. */
import * as z from 'zod/mini'
import { call } from '../call.ts'
import { key, slip } from '../slip/payslip.ts'
import { holders } from '../who.ts'
import { fen, id, listOf, month, nothing, pageInput, rowNumber, time, words, wordsOrNone } from '../words/words.ts'

const payroll = holders('2')
const ofBatch = z.object({ batch_id: id })

/** The arrangement that one has seen: refused where it was changed since then. Without it what is sent is put upon whatever is there. */
const seen = { version: z.optional(z.int()) }
const changed = { version: z.int() }
/** Of a group: one of those that every arrangement begins with, or made by `insertClassify`. */
const classId = z.string().check(z.regex(/^[\w-]{1,40}$/, '编号不正确'))
/** How the slip is arranged: groups of columns in order, and what is hidden. */
export const layout = z.object({
  groups: z.array(z.object({ class_id: z.string(), name: z.string() })),
  sort_list: z.array(
    z.object({ key, value: z.string(), status: z.boolean(), class_id: z.nullable(z.string()), note: z.string() }),
  ),
  hide_empty: z.boolean(),
  hide_zero: z.boolean(),
  hint: z.string(),
})
export type Layout = z.infer<typeof layout>

export const getLayout = call('POST /api/wage/getLayout', {
  does: 'How the slips of a batch are arranged',
  who: payroll,
  once: false,
  audit: 'none',
  input: ofBatch,
  output: z.extend(layout, { title: z.string(), month: z.nullable(month), version: z.int() }),
  refuses: ['not_found', 'wrong_state'],
})

export const editPaySheetTitle = call('POST /api/wage/editPaySheetTitle', {
  does: 'Arrange the slips of a batch; what is left out stays',
  who: payroll,
  once: false,
  audit: 'change',
  input: z.object({
    batch_id: id,
    title: z.optional(words(40, '请填写标题')),
    month: z.optional(month),
    sort_list: z.optional(
      z
        .array(
          z.object({
            key,
            value: words(60, '请填写名称'),
            status: z.boolean(),
            class_id: z.optional(z.nullable(classId)),
            note: z.optional(wordsOrNone(100)),
          }),
        )
        .check(z.maxLength(300)),
    ),
    hide_empty: z.optional(z.boolean()),
    hide_zero: z.optional(z.boolean()),
    hint: z.optional(wordsOrNone(300)),
    ...seen,
  }),
  output: z.extend(layout, changed),
  refuses: ['not_found', 'wrong_state'],
})

export const insertClassify = call('POST /api/wage/insertClassify', {
  does: 'Add a group of columns',
  who: payroll,
  once: true,
  audit: 'change',
  input: z.object({ batch_id: id, name: words(20, '请填写分组名称'), ...seen }),
  output: z.object({ class_id: z.string(), ...changed }),
  refuses: ['not_found', 'wrong_state'],
})
export const updateClassify = call('POST /api/wage/updateClassify', {
  does: 'Rename a group, or move it to another place (0 is the first)',
  who: payroll,
  once: false,
  audit: 'change',
  input: z.object({
    batch_id: id,
    class_id: classId,
    name: z.optional(words(20, '请填写分组名称')),
    place: z.optional(z.int().check(z.gte(0), z.lte(100))),
    ...seen,
  }),
  output: z.object(changed),
  refuses: ['not_found', 'wrong_state'],
})
export const clearClassify = call('POST /api/wage/clearClassify', {
  does: 'Remove a group; its columns stay without one',
  who: payroll,
  once: true,
  audit: 'change',
  input: z.object({ batch_id: id, class_id: classId, ...seen }),
  output: z.object(changed),
  refuses: ['not_found', 'wrong_state'],
})

export const getPreview = call('POST /api/wage/getPreview', {
  does: 'The slip of one row, exactly as the employee will see it',
  who: payroll,
  once: false,
  audit: 'view',
  input: z.object({ batch_id: id, row: z.optional(rowNumber), salary_id: z.optional(id) }),
  output: slip,
  refuses: ['not_found'],
})

export const getPreviewMember = call('POST /api/wage/getPreviewMember', {
  does: 'The people of a batch',
  who: payroll,
  once: false,
  audit: 'view',
  rate: 'costly',
  input: z.object({ batch_id: id, name: z.optional(wordsOrNone(50)), ...pageInput }),
  output: listOf(
    z.object({ row: z.int(), member_id: z.nullable(id), name: z.string(), department: z.string(), net_fen: z.nullable(fen) }),
  ),
  refuses: ['not_found'],
})

const wizard = z.object({ step: z.enum(['wageSend1', 'check', 'wageSend2', 'wageSend3']), batch_id: id })
export const insertCache = call('POST /api/wage/insertCache', {
  does: "Keep the wizard's unfinished state, one per user",
  who: payroll,
  once: false,
  audit: 'none',
  input: z.object({ wizard: z.nullable(wizard) }),
  output: nothing,
  refuses: ['not_found'],
})
export const fetchCache = call('POST /api/wage/fetchCache', {
  does: "The wizard's unfinished state",
  who: payroll,
  once: false,
  audit: 'none',
  input: nothing,
  output: z.object({ wizard: z.nullable(z.extend(wizard, { title: z.string(), saved_at: time })) }),
  refuses: [],
})

/**
 * Why somebody's slip has to be looked at before a plan is sent. `unproven`: last month's figures do not tell whether these are his.
 * `name_only`: only his name found him; a plan counts all of them and has some to look at. `differs`: the roster has another department, position or day of entry.
 * `everybody`: nothing in particular, but the sheet is small enough that all of it is looked at.
 */
export const lookReasons = ['first', 'last', 'middle', 'unusual', 'gap', 'unproven', 'name_only', 'differs', 'everybody'] as const
export type LookReason = (typeof lookReasons)[number]
/** Somebody whose slip must have been looked at before a plan is sent: as the roster has him. None where last month tells whose figures are whose. */
export const look = z.object({
  row: z.int(),
  why: z.enum(lookReasons),
  name: z.string(),
  mobile_masked: z.string(),
  departments: z.string(),
  net_fen: z.nullable(fen),
})
