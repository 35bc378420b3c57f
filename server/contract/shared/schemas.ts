/**
 * The shared vocabulary: shapes and statuses that more than one call speaks. A word is spelled here once and has the same
 * spelling in columns, JSON, pages and tests.
 */
import * as z from 'zod/mini'
import { rowsPerSheet } from '../sheets/row-number.ts'
import { batchStatuses, cellKinds, channels, columnRoles, payslipStatuses } from './enums.ts'
import { mobilePattern } from './phone.ts'

export { rowsPerSheet } from '../sheets/row-number.ts'
export * from './enums.ts'
export { maskMobile, mobilePattern } from './phone.ts'

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
export function sanitizeName(text: string, max: number): string {
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
const storableText = z.regex(
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not enter
  /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ud800-\udfff]*$/u,
  '含有不可见的控制字符，请删除后重试',
)
/** Text a person types: trimmed, writable, with a limit that the message names. */
export const requiredText = (max: number, empty = '请填写') =>
  z.string().check(z.trim(), z.minLength(1, empty), z.maxLength(max, `最多 ${max} 个字`), storableText)
/** The same, where nothing written is allowed. */
export const optionalText = (max: number) => z.string().check(z.trim(), z.maxLength(max, `最多 ${max} 个字`), storableText)

export const password = z.string().check(z.minLength(1, '密码不能为空'), z.maxLength(64, '密码最多 64 位'))
/** A new password: 6 to 64 characters of any kind; the server also refuses the commonest. */
export const newPassword = z.string().check(z.minLength(6, '密码至少 6 位'), z.maxLength(64, '密码最多 64 位'))
/** After `other_holder`: that he is not the person of the account that has this phone, or what the rosters call that person. */
export const phoneOwnerFields = {
  is_new_owner: z.optional(z.boolean()),
  holder_name: z.optional(z.string().check(z.maxLength(60))),
}
export const code = z.string().check(z.regex(/^\d{6}$/, '请输入 6 位验证码'))
/** The same, or two that rang the phone earlier, one behind the other, where it may ring no more. */
export const codeOrCodePair = z.string().check(z.regex(/^\d{6}(\d{6})?$/, '请输入 6 位验证码'))

/** What every list takes. */
export const pageParams = {
  page: z._default(z.int().check(z.gte(1), z.lte(100_000)), 1),
  pagesize: z._default(z.int().check(z.gte(1), z.lte(100)), 10),
}
/** What every list answers. */
export const paginatedList = <T extends z.ZodMiniType>(item: T) =>
  z.object({ list: z.array(item), page: z.object({ page: z.int(), pagesize: z.int(), total: z.int() }) })
export const emptyObject = z.object({})

// From the vocabulary -----------------------------------------------------------------------------------------------------

export const columnRole = z.enum(columnRoles)

/** A cell keeps what the sheet said, as text, beside what it was understood to be. */
export const cell = z.object({ value: z.string(), kind: z.enum(cellKinds) })
export type Cell = z.infer<typeof cell>

/** A row of a batch (`rowsPerSheet`). */
export const rowNumber = z.int().check(z.gte(1), z.lte(100 * rowsPerSheet))

export const batchStatus = z.enum(batchStatuses)
export const payslipStatus = z.enum(payslipStatuses)
export const channel = z.enum(channels)

// Who a slip is for -----------------------------------------------------------------------------------------------------

/** By what a person is known; frozen with a plan. */
export const identityFields = ['name', 'mobile', 'employee_no', 'id_card', 'account', 'platform', 'left'] as const
export type IdentityField = (typeof identityFields)[number]
export const identityLabels: Readonly<Record<IdentityField, string>> = {
  name: '姓名',
  mobile: '手机号',
  employee_no: '工号',
  id_card: '身份证号',
  account: '登录账号',
  platform: '办公平台账号',
  left: '在职状态',
}
/**
 * Why nothing leaves for a person. `changed` and `other_name`: the roster changed after the plan; what changed stands before the sentence.
 * `unconfirmed`: his phone was given by somebody else · `other_phone`: the roster's phone is not the one he signs in with.
 */
export const blockReasons = ['changed', 'other_name', 'unconfirmed', 'other_phone'] as const
export type BlockReason = (typeof blockReasons)[number]
export const blockMessages: Readonly<Record<BlockReason, string>> = {
  changed: '在确认发送之后改过，没有发送；请核对是不是同一个人，是本人就对他单独点「重发」',
  other_name: '在确认发送之后改过，没有发送；请核对是谁的工资，撤回这张工资条后重新上传核对再发送',
  unconfirmed: '手机号由管理员改过，还没有确认是本人；请本人登录后用原手机号或原密码确认，或在「花名册」请另一位管理员确认',
  other_phone: '登记的手机号不是本人登录用的手机号；请在「花名册」核实并更新手机号',
}

/** Messages that left before a withdrawal and may still arrive after its answer, of a slow or silent gateway. Their links open nothing. */
export const inFlightCount = z.int()
