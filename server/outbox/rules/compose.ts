/** A saying as a carrier is handed it: the whole text, and the variables in the form in which the carrier wants them. */
import {
  briefMessageTemplates,
  getLinkVariables,
  getMessageVariables,
  type MessageContent,
  renderMessage,
} from '../../contract/shared/message-templates.ts'

/** How a carrier wants messages: of its description, what matters for the words. */
export type MessageFormat = { readonly style: 'whole' | 'named' | 'brief'; readonly signature: string }
export type ComposedMessage = {
  readonly kind: string
  readonly text: string
  readonly variables: readonly (readonly [string, string])[]
  readonly link: string | null
}

/** Null where the carrier cannot be told it: a link that is none of ours. */
export function composeMessage(message: MessageContent, { style, signature }: MessageFormat): ComposedMessage | null {
  const full = getMessageVariables(message)
  const requested = style === 'brief' ? getMessageVariables(message, briefMessageTemplates) : full
  const variables = style === 'named' ? toNamedVariables(message, requested) : requested
  if (!variables) return null
  const link = 'link' in message.params ? message.params.link : null
  return { kind: message.kind, text: renderMessage(message, signature, full), variables, link }
}

/** Of a link the person's own part. */
function toNamedVariables(
  { kind }: MessageContent,
  variables: ComposedMessage['variables'],
): ComposedMessage['variables'] | null {
  const named = variables.map(([name, value]) => (name === 'link' ? getLinkVariables(kind, value) : { [name]: value }))
  return named.includes(null) ? null : named.flatMap((some) => Object.entries(some ?? {}))
}
