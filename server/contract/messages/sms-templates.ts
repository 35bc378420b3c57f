/**
 * SMS templates and message texts (工资条 短信 模板): one entry per message kind. To change the payslip SMS text, edit `slip`
 * here and its two lines in docs/sms.zh-CN.md; nothing else repeats it.
 *
 * SMS gateways in China send only texts that they have approved as templates. Each kind therefore has two forms: `full`
 * with named variables (Alibaba Cloud: `${corp}`), which chat and mail use as well, and `brief` with numbered ones
 * (Tencent Cloud: `{1}`). Whoever changes either form must have the template approved again at that gateway before the
 * new version is installed: gateways refuse a text that differs from its approved template.
 *
 * A message is read on the lock screen, so no variable can carry an amount or a member's name (`messageVariables` below).
 */
import { notificationLabels } from '../notifications/kinds.ts'
import { sanitizeName } from '../shared/schemas.ts'

type SmsTemplateNeed = 'required' | 'optional' | 'none'
type MessageKindDescriptor<Full extends string, Need extends SmsTemplateNeed> = {
  readonly full: Full
  /** For gateways with variables of six characters and no URL part: `{home}` is fixed, variables other than numbers omitted. */
  readonly brief: string
  /**
   * Whether the operator registers a template for it: `required` to send SMS at all, `optional` (without it this kind
   * is refused with an explanation), or `none` for kinds that go by chat and mail only.
   */
  readonly smsTemplate: Need
} & (Full extends `${string}{link}${string}` ? LinkTarget : NoLinkTarget)
type LinkTarget = {
  /** The path of `{link}` up to the recipient's own part. It is fixed in the template; gateways take only that part. */
  readonly linkPath: string
  /** The path for gateways, where the recipient's part is too long for one variable: two halves follow. */
  readonly splitPath?: string
}
type NoLinkTarget = { readonly [K in keyof LinkTarget]?: never }
const defineKind = <const Full extends string, const Need extends SmsTemplateNeed>(kind: MessageKindDescriptor<Full, Need>) =>
  kind

export const messageKinds = {
  code: defineKind({
    full: '验证码 {code}，5 分钟内有效。请勿告诉他人。',
    brief: '验证码 {code}，5 分钟内有效。请勿告诉他人。',
    smsTemplate: 'required',
  }),
  /** The payslip message: a payslip was sent. */
  slip: defineKind({
    full: '{corp}：您的{title}已发放，请登录查看：{link}',
    brief: '您有新的工资条，请登录查看：{home}',
    smsTemplate: 'required',
    linkPath: '/s/',
  }),
  corrected: defineKind({
    full: '{corp}：您的{title}有更正，请登录查看：{link}',
    brief: '您的工资条有更正，请登录查看：{home}',
    smsTemplate: 'required',
    linkPath: '/s/',
  }),
  remind: defineKind({
    full: '{corp}：您的{title}还未查看，请登录查看：{link}',
    brief: '您有工资条还未查看，请登录查看：{home}',
    smsTemplate: 'required',
    linkPath: '/s/',
  }),
  /** A reply to an employee's feedback. */
  answered: defineKind({
    full: '{corp}：您的{title}反馈已回复，请登录查看：{link}',
    brief: '您的工资条反馈已回复，请登录查看：{home}',
    smsTemplate: 'required',
    linkPath: '/s/',
  }),
  /** A progress report for administrators: how many employees have not viewed or confirmed. */
  standing: defineKind({
    full: '{corp}：{title}还有 {unviewed} 人没有查看、{unconfirmed} 人没有确认',
    brief: '您关注的工资条还有 {unviewed} 人没有查看、{unconfirmed} 人没有确认',
    smsTemplate: 'required',
  }),
  /** A test send. */
  rehearsal: defineKind({
    full: '试发，不是正式通知。{corp}：您的{title}已发放，请登录查看：{link}',
    brief: '试发，不是正式通知。您有新的工资条，请登录查看：{home}',
    smsTemplate: 'optional',
    linkPath: '/t/',
  }),
  invite: defineKind({
    full: '{corp}已为您开通工资条查询，72 小时内有效，请登录查看：{link}',
    brief: '贵公司已为您开通工资条查询，请用本手机号登录查看：{home}',
    smsTemplate: 'required',
    linkPath: '/m/invite?code=',
    splitPath: '/i/',
  }),
  /** An administrator changed the member's phone: sent to the former phone. */
  phone_changed: defineKind({
    full: '您在{corp}的手机号已被管理员改为 尾号{tail}，如非本人知情请联系公司',
    brief: '您的手机号已被公司管理员改为 尾号{tail}，如非本人知情请联系公司',
    smsTemplate: 'required',
  }),
  own_phone_changed: defineKind({
    full: '您的薪函登录手机号已改为 尾号{tail}，如非本人操作请立即联系公司',
    brief: '您的薪函登录手机号已改为 尾号{tail}，如非本人操作请立即联系公司',
    smsTemplate: 'required',
  }),
  /** The member signs in with another platform account: sent to the former one, in the chat. */
  platform_replaced: defineKind({
    full: '您在{corp}的薪函登录已换成了另一个办公平台账号，如非本人操作请立即联系公司',
    brief: '您的薪函登录已换成了另一个办公平台账号，如非本人操作请立即联系公司',
    smsTemplate: 'none',
  }),
  /** A summary of an administrator's notifications. */
  notice: defineKind({
    full: '{corp}：您有 {count} 条新通知：{news}，请登录查看：{link}',
    brief: '您有 {count} 条新通知，请登录查看：{home}',
    smsTemplate: 'none',
    linkPath: '/entry?page=',
  }),
}

type MessageKinds = typeof messageKinds
export type MessageKind = keyof MessageKinds
export type SmsMessageKind = { [K in MessageKind]: MessageKinds[K] extends { smsTemplate: 'none' } ? never : K }[MessageKind]
export const messageKindNames = Object.keys(messageKinds) as MessageKind[]
/** Kinds that are also sent by SMS and need a gateway template. */
export const smsMessageKinds = messageKindNames.filter(
  (kind): kind is SmsMessageKind => messageKinds[kind].smsTemplate !== 'none',
)
/** The path of `{home}`: after sign-in the employee finds the newest payslip first. */
export const homePath = '/m'

type VariablesIn<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | VariablesIn<Rest> : never
export type MessageVariable = VariablesIn<MessageKinds[MessageKind]['full']>
/** The content of a message: a kind and exactly its variables. They are sanitized where the message is rendered. */
export type MessageContent = {
  [K in MessageKind]: {
    readonly kind: K
    readonly params: { readonly [name in VariablesIn<MessageKinds[K]['full']>]: string }
  }
}[MessageKind]

/** Six digits for the code, four for the end of a phone number, a count. Any other value is a programming error. */
const digits =
  (pattern: RegExp) =>
  (value: string): string => {
    if (!pattern.test(value)) throw new Error('a message was given something else than the digits it may carry')
    return value
  }
/**
 * Phones turn anything that looks like a URL into a link, with or without a scheme, also in full-width characters;
 * without its dots it is not recognised. Invisible characters, and brackets like those of a signature, are removed as
 * well.
 */
const removeLinks = (value: string): string =>
  value
    .replace(/[．／０-９：Ａ-Ｚａ-ｚ]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[\p{Cf}〔〕〖〗［］【】]/gu, '')
    .replace(/[a-z][a-z\d+.-]*:\/\/\S*/gi, '')
    .replace(/(?<=[\p{L}\p{N}])\.(?=\p{L})|(?<=[a-z\d])[。｡](?=[a-z\d])/giu, ' ')
    .replace(/\d{1,3}(?:\.\d{1,3}){3}/g, (address) => address.replaceAll('.', ' '))
/** Removes long numbers: a phone or account number is no part of a company's name. */
const removeLongNumbers = (value: string, most: number): string =>
  value.replace(/\d(?:[\s-]?\d)*/g, (run) => (run.replace(/\D/g, '').length > most ? '' : run))

/**
 * Reduces a title to its month: the rest is free text of an administrator, and 「离职补偿金」 or 「年终奖」 on a lock screen
 * reveals the kind of pay. The number of batches it stands for stays.
 */
function extractMonthLabel(title: string): string {
  const match =
    /(?:(20\d\d)\s*年\s*)?(?<!\d)(1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])\s*月/.exec(title) ??
    /(?<!\d)(20\d\d)[-./]?(1[0-2]|0[1-9])(?!\d)/.exec(title)
  const [, year, month] = match ?? []
  const more = /等\d{1,3}批$/.exec(title)?.[0] ?? ''
  return `${month ? `${year ? `${year}年` : ''}${month.replace(/^0/, '')}月工资` : '工资条'}${more}`
}

const notificationLabelSet: ReadonlySet<string> = new Set(Object.values(notificationLabels))

/** Memoizes the last value: ten thousand messages of a batch share one company and one title. */
function memoizeLast(work: (value: string) => string): (value: string) => string {
  let last: readonly [value: string, made: string] | null = null
  return (value) => {
    if (last?.[0] !== value) last = [value, work(value)]
    return last[1]
  }
}

/** The variables and how each value is sanitized. A template with another variable does not compile. */
export const messageVariables: Readonly<Record<MessageVariable, (value: string) => string>> = {
  corp: memoizeLast((value) => sanitizeName(removeLongNumbers(removeLinks(value), 6), 30) || '您的公司'),
  title: memoizeLast(extractMonthLabel),
  link: (value) => value,
  code: digits(/^\d{6}$/),
  tail: digits(/^\d{4}$/),
  unviewed: digits(/^\d{1,6}$/),
  unconfirmed: digits(/^\d{1,6}$/),
  count: digits(/^\d{1,6}$/),
  // Lists the kinds of notifications, never their content.
  news: (value) =>
    value
      .split('、')
      .filter((word) => notificationLabelSet.has(word))
      .join('、'),
}
