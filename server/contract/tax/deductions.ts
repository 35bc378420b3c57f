/** Members' 专项附加扣除 and 个人养老金: what each may deduct, in which period, confirmed for which year. calls.md §10. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineView } from '../call.ts'
import { fen, id, month, optionalText, pageParams, paginatedList } from '../shared/schemas.ts'
import { deductionKinds, deductionStates } from './kinds.ts'

/** How a deduction is shared with another taxpayer. */
export const deductionShares = ['whole', 'half'] as const
/** Fields of a deduction; `fieldsByKind` (modules/tax/deduction/items.ts) defines which of them a kind requires. */
export const deductionFieldNames = ['whose', 'born', 'from', 'to', 'share', 'only_child', 'amount_fen', 'city_tier'] as const
export type DeductionFieldName = (typeof deductionFieldNames)[number]

/** A day, or a month. */
const day = z.string().check(z.regex(/^(19|20)\d\d-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?$/, '日期应写作 2026-10-08'))
/** Ten million yuan: above any possible amount. */
const maxAmountFen = 1_000_000_000
const amount = fen.check(z.gte(0, '金额不能小于零'), z.lte(maxAmountFen, '金额太大，请核对'))
export const deductionItem = z.object({
  kind: z.enum(deductionKinds),
  /** The child, parent, landlord or certificate, as named in the list. */
  whose: optionalText(60),
  /** Birth date of the child or parent. */
  born: z.nullable(day),
  from: z.nullable(month),
  /** The last month; null: open-ended. */
  to: z.nullable(month),
  share: z.enum(deductionShares),
  /** For parents, whether the member is an only child; otherwise `amount_fen` is the share. */
  only_child: z.boolean(),
  /** The monthly share (parents), the monthly payment (pension), or the expenses borne (illness). */
  amount_fen: z.nullable(amount),
  city_tier: z.nullable(z.int().check(z.gte(1, '请选择城市档次'), z.lte(3, '请选择城市档次'))),
})
export type DeductionItem = z.infer<typeof deductionItem>

const payroll = requirePower('2')
const count = z.int()

const deductionItemInMonth = z.extend(deductionItem, {
  /** The amount in this month; null: only in the annual reconciliation. */
  month_fen: z.nullable(fen),
  /** State in the displayed month: not yet started, in effect, ended, or only in the annual reconciliation. */
  period_state: z.enum(['before', 'counts', 'over', 'settlement']),
  /** The last day on which it counts, `2026-12-31`, and the days left; null: open-ended. */
  last_day: z.nullable(z.string()),
  days_left: z.nullable(count),
})
const memberDeductions = z.object({
  member_id: id,
  name: z.string(),
  employee_no: z.string(),
  departments: z.string(),
  /** 0: nothing has been entered yet. */
  version: count,
  /** The last year for which the deductions were confirmed. */
  confirmed_year: z.nullable(count),
  items: z.array(deductionItemInMonth),
  /** Total in this month; 专项附加扣除 only. */
  month_fen: fen,
  /** Total of this year up to this month. */
  year_fen: fen,
  /** Why no deduction counts. */
  error_message: z.nullable(z.string()),
  /** The calculation of the year's sum in Chinese, with the legal articles. */
  steps: z.array(z.string()),
})
export type MemberDeductions = z.infer<typeof memberDeductions>

export const getDeductionList = defineView('POST /api/tax/getDeductionList', payroll, {
  summary:
    "Lists the deductions of the members in the caller's scope: what applies this month, what ends soon, and what is not confirmed for the year.",
  rateLimit: 'costly',
  input: z.object({
    name: z.optional(optionalText(50)),
    department_id: z.optional(id),
    kind: z.optional(z.enum(deductionKinds)),
    state: z.optional(z.enum(deductionStates)),
    ...pageParams,
  }),
  output: z.extend(paginatedList(memberDeductions), {
    month,
    /** The year to be confirmed: in December the next year. */
    confirm_year: count,
    counts: z.object({ people: count, entered: count, expiring: count, unconfirmed: count, invalid: count, none: count }),
  }),
  errors: ['not_found'],
})

export const saveDeduction = defineChange('POST /api/tax/saveDeduction', payroll, {
  summary: 'Replaces all deductions of one member. Fails if two exclude each other or a figure differs from the law.',
  input: z.object({
    member_id: id,
    /** The version that the user has seen; 0 where there was none. */
    version: z.int().check(z.gte(0)),
    items: z.array(deductionItem).check(z.maxLength(30, '一个人最多填写 30 项')),
  }),
  output: z.object({ version: count }),
  errors: ['not_found', 'wrong_state'],
})

export const confirmDeduction = defineChange('POST /api/tax/confirmDeduction', payroll, {
  summary: 'Records that members have confirmed their deductions for a year.',
  input: z.object({
    year: z.int().check(z.gte(2019, '年份不正确'), z.lte(2099, '年份不正确')),
    member_ids: z.array(id).check(z.minLength(1, '请先选择员工'), z.maxLength(500, '一次最多确认 500 人')),
  }),
  output: z.object({ confirmed: count, nothing: count }),
  errors: ['not_found', 'wrong_state'],
})

const importedDeduction = z.object({
  sheet: z.string(),
  row: count,
  /** The invalid cell, such as `D5`; null if the whole row is invalid. */
  cell: z.nullable(z.string()),
  name: z.string(),
  kind: z.nullable(z.enum(deductionKinds)),
  what: z.enum(['new', 'changed', 'same', 'fault']),
  reason: z.string(),
})
export type ImportedDeduction = z.infer<typeof importedDeduction>

export const importDeduction = defineChange('POST /api/tax/importDeduction', payroll, {
  summary:
    'Reads the official deduction lists from a file and returns the changes row by row; with `apply` it writes them. A repeated import changes nothing.',
  requiredFeature: 'tax',
  rateLimit: 'costly',
  requestType: 'file',
  input: z.object({ apply: z.optional(z.enum(['1'])) }),
  output: z.object({
    applied: z.boolean(),
    /** Number of members whose deductions change or would change. */
    people: count,
    counts: z.object({ new: count, changed: count, same: count, fault: count }),
    /** The first rows, those that cannot be imported first. */
    rows: z.array(importedDeduction),
    /** Sheets that are not deduction lists. */
    other_sheets: z.array(z.string()),
  }),
  errors: ['unreadable_sheet'],
})
