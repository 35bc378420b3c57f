/** Composes messages for a carrier: the whole text, and the variables in the carrier's format. */

import { getLinkVariables, getMessageVariables, renderMessage } from '../../contract/messages/rendering.ts'
import type { MessageContent } from '../../contract/messages/sms-templates.ts'

/** The part of a carrier's description that matters for the text. */
export type MessageFormat = { readonly style: 'whole' | 'named' | 'brief'; readonly signature: string }
export type ComposedMessage = {
  readonly kind: string
  readonly text: string
  readonly variables: readonly (readonly [string, string])[]
  readonly link: string | null
}

/** Returns null where the carrier cannot express it: the link is not ours. */
export function composeMessage(message: MessageContent, { style, signature }: MessageFormat): ComposedMessage | null {
  const full = getMessageVariables(message)
  const requested = style === 'brief' ? getMessageVariables(message, 'brief') : full
  const variables = style === 'named' ? toNamedVariables(message, requested) : requested
  if (!variables) return null
  const link = 'link' in message.params ? message.params.link : null
  return { kind: message.kind, text: renderMessage(message, signature, full), variables, link }
}

/** Uses only the recipient's own part of a link. */
function toNamedVariables(
  { kind }: MessageContent,
  variables: ComposedMessage['variables'],
): ComposedMessage['variables'] | null {
  const named = variables.map(([name, value]) => (name === 'link' ? getLinkVariables(kind, value) : { [name]: value }))
  return named.includes(null) ? null : named.flatMap((some) => Object.entries(some ?? {}))
}
