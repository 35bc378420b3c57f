/** The layout of a batch's payslips before sending: layout, preview, and the wizard's unfinished state. calls.md §5. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineRead, defineView } from '../call.ts'
import { columnKey, payslip } from '../payslips/payslip.ts'
import {
  emptyObject,
  fen,
  id,
  month,
  optionalText,
  pageParams,
  paginatedList,
  requiredText,
  rowNumber,
  time,
} from '../shared/schemas.ts'

const payroll = requirePower('2')
const ofBatch = z.object({ batch_id: id })

/** The layout version that the user has seen: refused if it has changed since. Without it the input overwrites the layout. */
const layoutVersionInput = { version: z.optional(z.int()) }
const layoutVersionOutput = { version: z.int() }
/** Id of a group: one of the default groups of every layout, or created by `insertClassify`. */
const classId = z.string().check(z.regex(/^[\w-]{1,40}$/, '编号不正确'))
/** The payslip layout: groups of columns in order, and what is hidden. */
export const layout = z.object({
  groups: z.array(z.object({ class_id: z.string(), name: z.string() })),
  sort_list: z.array(
    z.object({ key: columnKey, value: z.string(), status: z.boolean(), class_id: z.nullable(z.string()), note: z.string() }),
  ),
  hide_empty: z.boolean(),
  hide_zero: z.boolean(),
  hint: z.string(),
})
export type Layout = z.infer<typeof layout>

export const getLayout = defineRead('POST /api/wage/getLayout', payroll, {
  summary: 'Returns the payslip layout of a batch.',
  input: ofBatch,
  output: z.extend(layout, { title: z.string(), month: z.nullable(month), version: z.int() }),
  errors: ['not_found', 'wrong_state'],
})

export const editPaySheetTitle = defineChange('POST /api/wage/editPaySheetTitle', payroll, {
  summary: 'Changes the payslip layout of a batch. Omitted fields stay unchanged.',
  idempotent: false,
  input: z.object({
    batch_id: id,
    title: z.optional(requiredText(40, '请填写标题')),
    month: z.optional(month),
    sort_list: z.optional(
      z
        .array(
          z.object({
            key: columnKey,
            value: requiredText(60, '请填写名称'),
            status: z.boolean(),
            class_id: z.optional(z.nullable(classId)),
            note: z.optional(optionalText(100)),
          }),
        )
        .check(z.maxLength(300)),
    ),
    hide_empty: z.optional(z.boolean()),
    hide_zero: z.optional(z.boolean()),
    hint: z.optional(optionalText(300)),
    ...layoutVersionInput,
  }),
  output: z.extend(layout, layoutVersionOutput),
  errors: ['not_found', 'wrong_state'],
})

export const insertClassify = defineChange('POST /api/wage/insertClassify', payroll, {
  summary: 'Adds a column group.',
  input: z.object({ batch_id: id, name: requiredText(20, '请填写分组名称'), ...layoutVersionInput }),
  output: z.object({ class_id: z.string(), ...layoutVersionOutput }),
  errors: ['not_found', 'wrong_state'],
})
export const updateClassify = defineChange('POST /api/wage/updateClassify', payroll, {
  summary: 'Renames a column group, or moves it to another position (0 is the first).',
  idempotent: false,
  input: z.object({
    batch_id: id,
    class_id: classId,
    name: z.optional(requiredText(20, '请填写分组名称')),
    position: z.optional(z.int().check(z.gte(0), z.lte(100))),
    ...layoutVersionInput,
  }),
  output: z.object(layoutVersionOutput),
  errors: ['not_found', 'wrong_state'],
})
export const clearClassify = defineChange('POST /api/wage/clearClassify', payroll, {
  summary: 'Removes a column group. Its columns stay without a group.',
  input: z.object({ batch_id: id, class_id: classId, ...layoutVersionInput }),
  output: z.object(layoutVersionOutput),
  errors: ['not_found', 'wrong_state'],
})

export const getPreview = defineView('POST /api/wage/getPreview', payroll, {
  summary: 'Returns the payslip of one row exactly as the employee will see it.',
  input: z.object({ batch_id: id, row: z.optional(rowNumber), salary_id: z.optional(id) }),
  output: payslip,
  errors: ['not_found'],
})

export const getPreviewMember = defineView('POST /api/wage/getPreviewMember', payroll, {
  summary: 'Lists the employees of a batch.',
  rateLimit: 'costly',
  input: z.object({ batch_id: id, name: z.optional(optionalText(50)), ...pageParams }),
  output: paginatedList(
    z.object({ row: z.int(), member_id: z.nullable(id), name: z.string(), department: z.string(), net_fen: z.nullable(fen) }),
  ),
  errors: ['not_found'],
})

const wizard = z.object({ step: z.enum(['wageSend1', 'check', 'wageSend2', 'wageSend3']), batch_id: id })
export const insertCache = defineRead('POST /api/wage/insertCache', payroll, {
  summary: 'Saves the unfinished state of the wizard, one for each user.',
  input: z.object({ wizard: z.nullable(wizard) }),
  output: emptyObject,
  errors: ['not_found'],
})
export const fetchCache = defineRead('POST /api/wage/fetchCache', payroll, {
  summary: 'Returns the unfinished state of the wizard.',
  input: emptyObject,
  output: z.object({ wizard: z.nullable(z.extend(wizard, { title: z.string(), saved_at: time })) }),
})

/**
 * Why a payslip must be viewed before a plan is sent. `unproven`: last month's amounts do not show whether these belong
 * to the employee.
 * `name_only`: matched only by name; a plan counts all of these and has some to view. `differs`: the roster has another
 * department, position or entry date.
 * `everybody`: no particular reason, but the wage sheet is small enough to view all of it.
 */
export const spotCheckReasons = [
  'first',
  'last',
  'middle',
  'unusual',
  'gap',
  'unproven',
  'name_only',
  'differs',
  'everybody',
] as const
export type SpotCheckReason = (typeof spotCheckReasons)[number]
/** A roster employee whose payslip must be viewed before a plan is sent. None where last month shows whose amounts are whose. */
export const spotCheck = z.object({
  row: z.int(),
  reason: z.enum(spotCheckReasons),
  name: z.string(),
  mobile_masked: z.string(),
  departments: z.string(),
  net_fen: z.nullable(fen),
})
