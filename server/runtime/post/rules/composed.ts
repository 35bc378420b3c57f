/** A saying as a carrier is handed it: the whole text, and the variables in the form in which the carrier wants them. */
import { briefMessages, ownParts, type Saying, textOf, variablesOf } from '../../../contract/messages.ts'

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
  const variables = texts === 'brief' ? variablesOf(saying, briefMessages) : variablesOf(saying)
  const told = texts === 'named' ? variables.map((one) => namedOf(saying, one)) : variables.map((one) => [one])
  if (told.includes(null)) return null
  return {
    kind: saying.kind,
    text: textOf(saying, signature),
    variables: told.flatMap((some) => some ?? []),
    link: 'link' in saying.params ? saying.params.link : null,
  }
}

function namedOf({ kind }: Saying, [name, value]: readonly [string, string]): [string, string][] | null {
  if (name !== 'link') return [[name, value]]
  const own = ownParts(kind, value)
  return own && Object.entries(own)
}
