/** Renders messages from their templates: as the recipient reads them, and as operators register them with gateways. */
import {
  homePath,
  type MessageContent,
  type MessageKind,
  type MessageVariable,
  messageKindNames,
  messageKinds,
  messageVariables,
} from './sms-templates.ts'

/** A template split into parts: literal text, and the names of the variables between them. */
type TemplateSections = { readonly sections: readonly string[]; readonly names: readonly MessageVariable[] }
const templateSectionsCache = new Map<string, TemplateSections>()
function parseTemplate(text: string): TemplateSections {
  const existing = templateSectionsCache.get(text)
  if (existing) return existing
  const sections = text.split(/\{(\w+)\}/)
  const names = sections.filter((_, at) => at % 2 === 1).filter((name): name is MessageVariable => name !== 'home')
  const made: TemplateSections = { sections, names }
  templateSectionsCache.set(text, made)
  return made
}
const namesIn = (text: string): readonly MessageVariable[] => parseTemplate(text).names
const fillTemplate = (text: string, values: ReadonlyMap<string, string>): string =>
  parseTemplate(text)
    .sections.map((part, at) => (at % 2 === 1 ? (values.get(part) ?? '') : part))
    .join('')

/** Whether the value is message content: of a known kind, with all its variables. */
export const isMessageContent = (one: {
  readonly kind: string
  readonly params: Readonly<Record<string, string>>
}): one is MessageContent =>
  messageKindNames.some((kind) => kind === one.kind && namesIn(messageKinds[kind].full).every((name) => name in one.params))

/** Returns the sanitized variables of a message, in the order of its template. */
export function getMessageVariables(
  { kind, params }: MessageContent,
  form: 'full' | 'brief' = 'full',
): [MessageVariable, string][] {
  const provided: Readonly<Record<string, string>> = params
  return namesIn(messageKinds[kind][form]).map((name) => [name, messageVariables[name](provided[name] ?? '')])
}

/**
 * Returns the recipient's own part of a link as gateway variables, each of at most 35 characters; null where the link
 * is not ours. An invite is longer than that and is split into two halves (server/web/short-links.ts joins them).
 */
export function getLinkVariables(kind: MessageKind, link: string): { link: string; rest?: string } | null {
  const { linkPath, splitPath } = messageKinds[kind]
  const at = linkPath ? link.indexOf(linkPath) : -1
  const own = linkPath && at >= 0 ? link.slice(at + linkPath.length) : ''
  if (!splitPath) return /^[\w-]{1,35}$/.test(own) ? { link: own } : null
  const half = Math.ceil(own.length / 2)
  return /^[\w-]{2,70}$/.test(own) ? { link: own.slice(0, half), rest: own.slice(half) } : null
}

export const defaultSignature = '薪函'
/** Renders the whole message as the recipient reads it. `variables`: of the message, where the caller has them. */
export const renderMessage = (
  message: MessageContent,
  signature: string = defaultSignature,
  variables = getMessageVariables(message),
): string => `【${signature}】${fillTemplate(messageKinds[message.kind].full, new Map<string, string>(variables))}`

/**
 * Renders the template that an operator registers with the gateway for one kind: with named variables (`${corp}`), or
 * numbered ones (`{1}`) in the brief form.
 */
export function renderGatewayTemplate(kind: MessageKind, form: 'named' | 'numbered', origin: string): string {
  const { full, brief, linkPath, splitPath } = messageKinds[kind]
  let count = 0
  return (form === 'named' ? full : brief).replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'home') return `${origin}${homePath}`
    if (form === 'numbered') return `{${++count}}`
    if (name !== 'link') return `\${${name}}`
    return splitPath ? `${origin}${splitPath}\${link}/\${rest}` : `${origin}${linkPath}\${link}`
  })
}

/** The format of a gateway: its signature, and whether it takes the brief templates. */
export type SmsFormat = { readonly signature: string; readonly brief: boolean }
/** Renders the message as the gateway sends it. */
export function renderSms(message: MessageContent, { signature, brief }: SmsFormat, origin: string): string {
  if (!brief) return renderMessage(message, signature)
  const values = new Map<string, string>([...getMessageVariables(message, 'brief'), ['home', `${origin}${homePath}`]])
  return `【${signature}】${fillTemplate(messageKinds[message.kind].brief, values)}`
}
