/**
 * Schemas and statuses that more than one call uses. Each value is defined here once and is spelled alike in columns,
 * JSON, pages and tests.
 */
import * as z from 'zod/mini'
import { rowsPerSheet } from '../sheets/row-number.ts'
import { batchStatuses, cellKinds, channels, columnRoleNames, payslipStatuses } from './enums.ts'
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

/**
 * Sanitizes names that users choose: no signature brackets, no URLs, no control characters, so that no title can
 * impersonate a bank.
 */
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

/** No control characters and no lone surrogates: databases store neither. */
const storableText = z.regex(
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not enter
  /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ud800-\udfff]*$/u,
  '含有不可见的控制字符，请删除后重试',
)
/** Text typed by a user: trimmed, storable, with a limit that the message names. */
export const requiredText = (max: number, empty = '请填写') =>
  z.string().check(z.trim(), z.minLength(1, empty), z.maxLength(max, `最多 ${max} 个字`), storableText)
/** Text like the above that may also be empty. */
export const optionalText = (max: number) => z.string().check(z.trim(), z.maxLength(max, `最多 ${max} 个字`), storableText)

export const password = z.string().check(z.minLength(1, '密码不能为空'), z.maxLength(64, '密码最多 64 位'))
/** A new password: 6 to 64 characters of any kind; the server also refuses the most common ones. */
export const newPassword = z.string().check(z.minLength(6, '密码至少 6 位'), z.maxLength(64, '密码最多 64 位'))
/**
 * After `other_holder`: states that the user is not the person of the account that has this phone, or gives that
 * person's name in the rosters.
 */
export const phoneOwnerFields = {
  is_new_owner: z.optional(z.boolean()),
  holder_name: z.optional(z.string().check(z.maxLength(60))),
}
export const code = z.string().check(z.regex(/^\d{6}$/, '请输入 6 位验证码'))
/** A code, or two earlier codes from verification calls, concatenated, where the phone may not be called again. */
export const codeOrCodePair = z.string().check(z.regex(/^\d{6}(\d{6})?$/, '请输入 6 位验证码'))

/** Parameters of every list. */
export const pageParams = {
  page: z._default(z.int().check(z.gte(1), z.lte(100_000)), 1),
  pagesize: z._default(z.int().check(z.gte(1), z.lte(100)), 10),
}
/** The page that a list returns, and the number of all its entries. */
export const page = z.object({ page: z.int(), pagesize: z.int(), total: z.int() })
/** The response of every list. */
export const paginatedList = <T extends z.ZodMiniType>(item: T) => z.object({ list: z.array(item), page })
export const emptyObject = z.object({})

// Schemas of the enumerations

export const columnRole = z.enum(columnRoleNames)

/** A cell stores the original text of the wage sheet and its recognised kind. */
export const cell = z.object({ value: z.string(), kind: z.enum(cellKinds) })
export type Cell = z.infer<typeof cell>

/** The number of a row in a batch (`rowsPerSheet`). */
export const rowNumber = z.int().check(z.gte(1), z.lte(100 * rowsPerSheet))

export const batchStatus = z.enum(batchStatuses)
export const payslipStatus = z.enum(payslipStatuses)
export const channel = z.enum(channels)

// Recipients

/** Fields that identify an employee; frozen with a plan. */
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
 * Why nothing is sent to a recipient. `changed` and `other_name`: the roster changed after the plan; the changed field
 * precedes the message.
 * `unconfirmed`: another person set the phone · `other_phone`: the roster's phone differs from the one the member signs
 * in with.
 */
export const blockReasons = ['changed', 'other_name', 'unconfirmed', 'other_phone'] as const
export type BlockReason = (typeof blockReasons)[number]
export const blockMessages: Readonly<Record<BlockReason, string>> = {
  changed: '在确认发送之后改过，没有发送；请核对是不是同一个人，是本人就对他单独点「重发」',
  other_name: '在确认发送之后改过，没有发送；请核对是谁的工资，撤回这张工资条后重新上传核对再发送',
  unconfirmed: '手机号由管理员改过，还没有确认是本人；请本人登录后用原手机号或原密码确认，或在「花名册」请另一位管理员确认',
  other_phone: '登记的手机号不是本人登录用的手机号；请在「花名册」核实并更新手机号',
}

/**
 * Messages sent before a withdrawal that may still arrive after its response, because a gateway is slow or silent.
 * Their links open nothing.
 */
export const inFlightCount = z.int()
