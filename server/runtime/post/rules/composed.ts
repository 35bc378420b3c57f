/** A saying as a carrier is handed it: the whole text, and the variables in the form in which the carrier wants them. */
import { briefMessages, ownParts, type Saying, textOf, variablesOf } from '../../../contract/words/messages.ts'

/** How a carrier wants messages: of its description, what matters for the words. */
export type WordsWanted = { readonly texts: 'whole' | 'named' | 'brief'; readonly signature: string }
export type Composed = {
  readonly kind: string
  readonly text: string
  readonly variables: readonly (readonly [string, string])[]
  readonly link: string | null
}

/** Null where the carrier cannot be told it: a link that is none of ours. */
export function composed(saying: Saying, { texts, signature }: WordsWanted): Composed | null {
  const whole = variablesOf(saying)
  const wanted = texts === 'brief' ? variablesOf(saying, briefMessages) : whole
  const variables = texts === 'named' ? namedOf(saying, wanted) : wanted
  if (!variables) return null
  const link = 'link' in saying.params ? saying.params.link : null
  return { kind: saying.kind, text: textOf(saying, signature, whole), variables, link }
}

/** Of a link the person's own part. */
function namedOf({ kind }: Saying, variables: Composed['variables']): Composed['variables'] | null {
  const named = variables.map(([name, value]) => (name === 'link' ? ownParts(kind, value) : { [name]: value }))
  return named.includes(null) ? null : named.flatMap((some) => Object.entries(some ?? {}))
}
