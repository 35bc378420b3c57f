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
export function composeMessage(saying: MessageContent, { style, signature }: MessageFormat): ComposedMessage | null {
  const whole = getMessageVariables(saying)
  const wanted = style === 'brief' ? getMessageVariables(saying, briefMessageTemplates) : whole
  const variables = style === 'named' ? toNamedVariables(saying, wanted) : wanted
  if (!variables) return null
  const link = 'link' in saying.params ? saying.params.link : null
  return { kind: saying.kind, text: renderMessage(saying, signature, whole), variables, link }
}

/** Of a link the person's own part. */
function toNamedVariables(
  { kind }: MessageContent,
  variables: ComposedMessage['variables'],
): ComposedMessage['variables'] | null {
  const named = variables.map(([name, value]) => (name === 'link' ? getLinkVariables(kind, value) : { [name]: value }))
  return named.includes(null) ? null : named.flatMap((some) => Object.entries(some ?? {}))
}
