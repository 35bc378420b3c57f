/**
 * Message templates: one text per kind. SMS gateways in China send approved templates, so an operator registers these
 * texts with the gateway, and every variable is one of the few below. None of them can carry an amount or a member's
 * name, because a message is read on the lock screen.
 */
import { notificationLabels } from '../notifications/kinds.ts'
import { sanitizeName } from './schemas.ts'

export const messageTemplates = {
  code: '验证码 {code}，5 分钟内有效。请勿告诉他人。',
  slip: '{corp}：您的{title}已发放，请登录查看：{link}',
  corrected: '{corp}：您的{title}有更正，请登录查看：{link}',
  remind: '{corp}：您的{title}还未查看，请登录查看：{link}',
  answered: '{corp}：您对{title}的疑问有了回复，请登录查看：{link}',
  standing: '{corp}：「{title}」还有 {unviewed} 人没有查看、{unconfirmed} 人没有确认',
  rehearsal: '试发，不是正式通知。{corp}：您的{title}已发放，请登录查看：{link}',
  invite: '{corp}邀请您用薪函查看工资条，72 小时内有效：{link}',
  phone_changed: '您在{corp}的手机号已被管理员改为 尾号{tail}，如非本人知情请联系公司',
  own_phone_changed: '您的薪函登录手机号已改为 尾号{tail}，如非本人操作请立即联系公司',
  notice: '{corp}：您有 {count} 条新通知：{news}，请登录查看：{link}',
} as const

/**
 * Templates for gateways whose variables hold six characters and no part of a URL (Tencent Cloud): the URL is fixed,
 * and non-numeric variables are omitted.
 */
export const briefMessageTemplates = {
  code: '验证码 {code}，5 分钟内有效。请勿告诉他人。',
  slip: '您有新的工资条，请登录查看：{home}',
  corrected: '您的工资条有更正，请登录查看：{home}',
  remind: '您有工资条还未查看，请登录查看：{home}',
  answered: '您对工资条的疑问有了回复，请登录查看：{home}',
  standing: '您关注的工资条还有 {unviewed} 人没有查看、{unconfirmed} 人没有确认',
  rehearsal: '试发，不是正式通知。您有新的工资条，请登录查看：{home}',
  invite: '您的公司邀请您用薪函查看工资条，请用本手机号登录：{home}',
  phone_changed: '您的手机号已被公司管理员改为 尾号{tail}，如非本人知情请联系公司',
  own_phone_changed: '您的薪函登录手机号已改为 尾号{tail}，如非本人操作请立即联系公司',
  notice: '您有 {count} 条新通知，请登录查看：{home}',
} as const satisfies Record<keyof typeof messageTemplates, string>

/**
 * The path of `{link}` up to the recipient's own part. It is fixed in the template; gateways take only the variable
 * part.
 */
export const linkPaths = {
  slip: '/s/',
  corrected: '/s/',
  remind: '/s/',
  answered: '/s/',
  rehearsal: '/t/',
  invite: '/m/invite?code=',
} as const satisfies Record<KindWithLink, string>
type SmsKind = (typeof smsMessageKinds)[number]
type KindWithLink = { [K in SmsKind]: 'link' extends VariablesIn<(typeof messageTemplates)[K]> ? K : never }[SmsKind]
/** The same for an invite with gateways: two halves follow. */
export const invitePath = '/i/'
/** The path of `{home}`: after sign-in the employee finds the newest payslip first. */
export const homePath = '/m'

export type MessageKind = keyof typeof messageTemplates
/** Kinds that are also sent by SMS and need a gateway template: notifications are sent only by chat and mail. */
export const smsMessageKinds = [
  'code',
  'slip',
  'corrected',
  'remind',
  'answered',
  'standing',
  'rehearsal',
  'invite',
  'phone_changed',
  'own_phone_changed',
] as const satisfies readonly MessageKind[]
type VariablesIn<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | VariablesIn<Rest> : never
export type MessageParams<K extends MessageKind> = { readonly [name in VariablesIn<(typeof messageTemplates)[K]>]: string }
/**
 * The content of a message: a kind and exactly its variables, unsanitized; they are sanitized here, where they are
 * used.
 */
export type MessageContent = { [K in MessageKind]: { readonly kind: K; readonly params: MessageParams<K> } }[MessageKind]

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

/** The sanitizer of each variable. A template with an unknown variable does not compile. */
const variableSanitizers: Record<VariablesIn<(typeof messageTemplates)[MessageKind]>, (value: string) => string> = {
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

type Variable = keyof typeof variableSanitizers
/** A template split into parts: literal text, and the names of the variables between them. */
type TemplateSections = { readonly sections: readonly string[]; readonly names: readonly Variable[] }
const templateSectionsCache = new Map<string, TemplateSections>()
function parseTemplate(text: string): TemplateSections {
  const existing = templateSectionsCache.get(text)
  if (existing) return existing
  const sections = text.split(/\{(\w+)\}/)
  const names = sections.filter((_, at) => at % 2 === 1).filter((name): name is Variable => name !== 'home')
  const made: TemplateSections = { sections, names }
  templateSectionsCache.set(text, made)
  return made
}
const namesIn = (text: string): readonly Variable[] => parseTemplate(text).names
const fillTemplate = (text: string, values: ReadonlyMap<string, string>): string =>
  parseTemplate(text)
    .sections.map((part, at) => (at % 2 === 1 ? (values.get(part) ?? '') : part))
    .join('')

/** Whether the value is message content: of a known kind, with all its variables. */
export const isMessageContent = (one: {
  readonly kind: string
  readonly params: Readonly<Record<string, string>>
}): one is MessageContent =>
  Object.entries(messageTemplates).some(([kind, text]) => kind === one.kind && namesIn(text).every((name) => name in one.params))

/** Returns the sanitized variables of a message, in the order of its template. */
export function getMessageVariables(
  { kind, params }: MessageContent,
  texts: Record<MessageKind, string> = messageTemplates,
): [Variable, string][] {
  const provided: Readonly<Record<string, string>> = params
  return namesIn(texts[kind]).map((name) => [name, variableSanitizers[name](provided[name] ?? '')])
}

/**
 * Returns the recipient's own part of a link as gateway variables, each of at most 35 characters; null where the link
 * is not ours. An invite is longer than that and is split into two halves (server/web/short-links.ts joins them).
 */
export function getLinkVariables(kind: MessageKind, link: string): { link: string; rest?: string } | null {
  const paths: Partial<Record<MessageKind, string>> = linkPaths
  const path = paths[kind] ?? null
  const at = path ? link.indexOf(path) : -1
  const own = path && at >= 0 ? link.slice(at + path.length) : ''
  if (kind !== 'invite') return /^[\w-]{1,35}$/.test(own) ? { link: own } : null
  const half = Math.ceil(own.length / 2)
  return /^[\w-]{2,70}$/.test(own) ? { link: own.slice(0, half), rest: own.slice(half) } : null
}

export const defaultSignature = '薪函'
/**
 * Renders the whole message as the recipient reads it. `variables`: the message's variables, where the caller already
 * has them.
 */
export const renderMessage = (
  message: MessageContent,
  signature: string = defaultSignature,
  variables = getMessageVariables(message),
): string => `【${signature}】${fillTemplate(messageTemplates[message.kind], new Map<string, string>(variables))}`

/**
 * Renders the template that an operator registers with the gateway for one kind: with named variables (`${corp}`), or
 * numbered ones (`{1}`) in the brief form.
 */
export function renderGatewayTemplate(kind: MessageKind, form: 'named' | 'numbered', origin: string): string {
  const text = form === 'named' ? messageTemplates[kind] : briefMessageTemplates[kind]
  let count = 0
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'home') return `${origin}${homePath}`
    if (form === 'numbered') return `{${++count}}`
    if (name !== 'link') return `\${${name}}`
    if (kind === 'invite') return `${origin}${invitePath}\${link}/\${rest}`
    return `${origin}${kind === 'rehearsal' ? linkPaths.rehearsal : linkPaths.slip}\${link}`
  })
}

/** The format of a gateway: its signature, and whether it takes the brief templates. */
export type SmsFormat = { readonly signature: string; readonly brief: boolean }
/** Renders the message as the gateway sends it. */
export function renderSms(message: MessageContent, { signature, brief }: SmsFormat, origin: string): string {
  if (!brief) return renderMessage(message, signature)
  const values = new Map<string, string>([
    ...getMessageVariables(message, briefMessageTemplates),
    ['home', `${origin}${homePath}`],
  ])
  return `【${signature}】${fillTemplate(briefMessageTemplates[message.kind], values)}`
}

/**
 * GSM 03.38: these characters take one septet, those of the extension table two; any other character makes the whole
 * message UCS-2.
 */
const gsm =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
const gsmExtension = '\f^{}\\[~]|€'

/**
 * Counts the segments that gateways send and charge: 160 septets in a single segment, 153 in each of several; for UCS-2
 * 70 and 67 characters.
 */
export function countSmsSegments(text: string): number {
  const chars = [...text]
  if (chars.every((char) => gsm.includes(char) || gsmExtension.includes(char))) {
    const places = chars.map((char) => (gsmExtension.includes(char) ? 2 : 1))
    return places.reduce((sum, one) => sum + one, 0) <= 160 ? 1 : countSegments(places, 153)
  }
  const units = chars.map((char) => char.length)
  return text.length <= 70 ? 1 : countSegments(units, 67)
}

/** A character of two units is not split across segments. */
function countSegments(places: readonly number[], most: number): number {
  let segments = 1
  let used = 0
  for (const one of places) {
    if (used + one > most) {
      segments += 1
      used = 0
    }
    used += one
  }
  return segments
}
