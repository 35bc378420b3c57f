/** Parses the input of a call by its schema, alike on the server and in the browser. */
import type { ZodMiniType } from 'zod/mini'

/** `message` is the text that the schema states for users; null where it states none. */
export type InputIssue = { readonly path: readonly PropertyKey[]; readonly field: string; readonly message: string | null }

/**
 * The schema library asks this error map only where the schema states no message of its own. The empty text stands for
 * the library's default message, which is not meant for users.
 */
const withoutDefaultMessages = { error: () => '' }

/** Returns the parsed input, or the first issue in the order of the schema's fields. */
export function parseBySchema(schema: ZodMiniType, input: unknown): { data: unknown; issue: InputIssue | null } {
  const parsed = schema.safeParse(input, withoutDefaultMessages)
  if (parsed.success) return { data: parsed.data, issue: null }
  const { path = [], message = '' } = parsed.error.issues[0] ?? {}
  return { data: null, issue: { path, field: path.map(String).join('.'), message: message || null } }
}
