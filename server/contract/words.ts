/**
 * The shared vocabulary: shapes and statuses that more than one call speaks. A word is spelled here once and has the same
 * spelling in columns, JSON, pages and tests.
 */
import * as z from 'zod/mini'
import { mobilePattern } from './phone.ts'
import { rows_a_part } from './row-number.ts'

export { maskMobile, mobilePattern } from './phone.ts'
export { rows_a_part } from './row-number.ts'

/** An opaque identifier (UUIDv7 made by the application; never guessable, never a sequence). */
export const id = z.string().check(z.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, '编号不正确'))

/** Money: an integer number of fen (1/100 yuan). Fields that carry it end in `_fen`. */
export const fen = z.int()

/** A month as `2026-10`. */
export const month = z.string().check(z.regex(/^(19|20)\d\d-(0[1-9]|1[0-2])$/, '月份应写作 2026-10'))

/** An instant, ISO 8601 with offset. */
export const time = z.iso.datetime({ offset: true })

/** A mainland mobile number: 1 and ten digits. */
export const mobile = z
  .string()
  .check(z.minLength(1, '手机号不能为空'), z.regex(new RegExp(mobilePattern), '手机号格式有误，请重新输入'))

/** Names that people choose: no brackets of a signature, no addresses, no control characters, so that no title can play a bank. */
export function plainName(text: string, max: number): string {
  const clean = text
    .normalize('NFC')
    // oxlint-disable-next-line no-control-regex -- control characters are exactly what must go
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff【】[\]]/g, '')
    .replace(/(?:https?:|www\.)\S*/gi, '')
    .replace(/\s+/g, ' ')
    .trim()
  return [...clean].slice(0, max).join('')
}

/** No control characters, and no half of a pair: a database keeps neither. */
const writable = z.regex(
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not enter
  /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ud800-\udfff]*$/u,
  '含有不可见的控制字符，请删除后重试',
)
/** Text a person types: trimmed, writable, with a limit that the message names. */
export const words = (max: number, empty = '请填写') =>
  z.string().check(z.trim(), z.minLength(1, empty), z.maxLength(max, `最多 ${max} 个字`), writable)
/** The same, where nothing written is allowed. */
export const wordsOrNone = (max: number) => z.string().check(z.trim(), z.maxLength(max, `最多 ${max} 个字`), writable)

export const password = z.string().check(z.minLength(1, '密码不能为空'), z.maxLength(64, '密码最多 64 位'))
/** A new password: 6 to 64 characters of any kind; the server also refuses the commonest. */
export const newPassword = z.string().check(z.minLength(6, '密码至少 6 位'), z.maxLength(64, '密码最多 64 位'))
export const code = z.string().check(z.regex(/^\d{6}$/, '请输入 6 位验证码'))

/** What every list takes. */
export const pageInput = {
  page: z._default(z.int().check(z.gte(1), z.lte(100_000)), 1),
  pagesize: z._default(z.int().check(z.gte(1), z.lte(100)), 10),
}
/** What every list answers. */
export const listOf = <T extends z.ZodMiniType>(item: T) =>
  z.object({ list: z.array(item), page: z.object({ page: z.int(), pagesize: z.int(), total: z.int() }) })
export const nothing = z.object({})

// Wage sheets -----------------------------------------------------------------------------------------------------------

/** What a column of a wage sheet is for. Exactly one column may be `net`, at most one each of the identifying ones. */
export const columnRoles = [
  'name',
  'last_name',
  'first_name',
  'mobile',
  'id_card',
  'employee_no',
  'department',
  'email',
  'bank_account',
  'net',
  'gross',
  'tax',
  'earning',
  'deduction',
  'employer',
  'info',
  'ignore',
] as const
export type ColumnRole = (typeof columnRoles)[number]
export const columnRole = z.enum(columnRoles)

export const cellKinds = ['money', 'number', 'text', 'date', 'empty', 'error'] as const
export type CellKind = (typeof cellKinds)[number]
/** A cell keeps what the sheet said, as text, beside what it was understood to be. */
export const cell = z.object({ value: z.string(), kind: z.enum(cellKinds) })
export type Cell = z.infer<typeof cell>

export const problemKinds = [
  'no_name',
  'no_contact',
  'bad_mobile',
  'bad_id_card',
  'unknown_person',
  'several_persons',
  'name_mismatch',
  'duplicate_person',
  'left_person',
  'out_of_scope',
  'not_a_number',
  'formula_error',
  'damaged_number',
  'missing_net',
  'sum_mismatch',
  'negative_net',
  'net_outlier',
  'tax_mismatch',
  'total_row_mismatch',
  'empty_row',
  'same_file',
  'same_month',
  // Beside the person's own earlier months, and the sheet of last month:
  /** Two people got each other's figures. */
  'swapped_rows',
  /** From a row on everybody got a neighbour's figures. */
  'shifted_rows',
  /** A column holds what another one held last month. */
  'column_moved',
  /** One item far from what this person got before. */
  'item_outlier',
  /** A whole column is ten, a hundred or ten thousand times what it was: yuan against fen or ten thousands. */
  'scale_changed',
  /** Not one figure differs from last month. */
  'unchanged',
  /** The sheet names another month than the title. */
  'other_month',
  /** Hidden in the sheet, and about to be paid. */
  'hidden_row',
  /** Two people with the same phone, ID card or bank account. */
  'same_number',
] as const
export type ProblemKind = (typeof problemKinds)[number]
/** What is asked about a sheet before it is trusted. */
export const questionKinds = [
  /** What a column is for, where neither its header nor its cells say. */
  'role',
  /** Beside the sheet remembered: a column it did not have, one that is gone, one that seems to bear another name. */
  'new_column',
  'missing_column',
  'renamed_column',
  /** Hidden in the file: people in hidden rows, and amounts in hidden columns. */
  'hidden_rows',
  'hidden_columns',
  /** Other sheets, or another table on the same one, that hold people too. */
  'several_sheets',
  'several_tables',
  /** Amounts in thousands or ten thousands of yuan. */
  'unit',
] as const
export type QuestionKind = (typeof questionKinds)[number]

/** A row of a batch (`rows_a_part`). */
export const rowNumber = z.int().check(z.gte(1), z.lte(100 * rows_a_part))

/** `restore` is for rows that were skipped; no problem offers it, because a skipped row has none. */
export const fixes = ['match', 'create', 'skip', 'edit', 'accept', 'restore'] as const
export type Fix = (typeof fixes)[number]

// Statuses --------------------------------------------------------------------------------------------------------------

export const batchStatuses = ['draft', 'checked', 'scheduled', 'sending', 'paused', 'sent', 'withdrawn'] as const
export type BatchStatus = (typeof batchStatuses)[number]
export const batchStatus = z.enum(batchStatuses)

export const salaryStatuses = ['waiting', 'queued', 'sent', 'viewed', 'confirmed', 'failed', 'withdrawn'] as const
export type SalaryStatus = (typeof salaryStatuses)[number]
export const salaryStatus = z.enum(salaryStatuses)

/** What became of one message asked of the outside world. `unknown`: we asked and cannot tell; never repeated by itself. */
export const deliveryStatuses = ['queued', 'leased', 'accepted', 'failed', 'unknown', 'cancelled'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

export const channels = ['platform', 'sms', 'link'] as const
export type Channel = (typeof channels)[number]
export const channel = z.enum(channels)

export const memberStatuses = ['invited', 'active', 'left'] as const
export type MemberStatus = (typeof memberStatuses)[number]
export const providers = ['lark', 'wecom', 'dingtalk'] as const
export type Provider = (typeof providers)[number]
/** Pay runs: monthly wages, a bonus, anything else. */
export const titleKinds = ['monthly', 'bonus', 'other'] as const
export type TitleKind = (typeof titleKinds)[number]
