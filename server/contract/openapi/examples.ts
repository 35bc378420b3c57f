/** The versioned calls as examples from the API document: as curl for the reference page, as requests for a collection. */
import type { ErrorName } from '../errors.ts'
import type { buildOpenApiDocument } from './document.ts'

type ApiDocument = ReturnType<typeof buildOpenApiDocument>
type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly example?: unknown
}
type Content = Readonly<Record<string, { readonly schema?: unknown; readonly example?: unknown } | undefined>>

export type VersionedOperation = {
  readonly name: string
  readonly method: string
  /** With `{batch_id}` for parameters. */
  readonly path: string
  readonly summary: string
  readonly scopes: readonly string[]
  /** What of it ends, and what to use in its place. */
  readonly deprecations: readonly string[]
  readonly parameters: readonly { name: string; location: string; required: boolean; example: unknown }[]
  readonly isIdempotent: boolean
  readonly isUpload: boolean
  readonly requestSchema: unknown
  readonly requestExample: unknown
  readonly response: unknown
  readonly errors: readonly ErrorName[]
}

/** Lists the versioned calls in the order of the document. */
export const listVersionedOperations = (document: ApiDocument): VersionedOperation[] =>
  Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/api/v1/'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): VersionedOperation => {
        const all = (operation.parameters ?? []) as readonly (Parameter | { readonly $ref: string })[]
        const body = operation.requestBody?.content as Content | undefined
        const json = body?.['application/json']
        const form = body?.['multipart/form-data']
        const responses = operation.responses as Readonly<Record<string, { content?: Content; description: string }>>
        return {
          name: operation.operationId,
          method: method.toUpperCase(),
          path,
          summary: operation.summary,
          scopes: (operation['x-scopes'] ?? []) as string[],
          deprecations: (operation['x-deprecations'] ?? []) as string[],
          parameters: all.flatMap((one) =>
            'name' in one ? [{ name: one.name, location: one.in, required: one.required, example: one.example }] : [],
          ),
          isIdempotent: all.some((one) => '$ref' in one),
          isUpload: form !== undefined,
          requestSchema: (json ?? form)?.schema ?? null,
          requestExample: json?.example ?? null,
          response: responses[200]?.content?.['application/json']?.example ?? null,
          errors: Object.entries(responses).flatMap(([status, { description }]) =>
            status === '200' || status === '503' ? [] : (description.split(', ') as ErrorName[]),
          ),
        }
      }),
    )

/** The URL with the parameters of the example. */
export function toExampleUrl({ path, parameters }: VersionedOperation, origin: string): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(parameters.find((one) => one.name === name)?.example ?? name),
  )
  const query = parameters.filter(({ location, example }) => location === 'query' && example !== undefined)
  const search = new URLSearchParams(query.map(({ name, example }) => [name, String(example)])).toString()
  return `${origin}${filled}${search && `?${search}`}`
}

/** The example as a command. */
export function toCurl(operation: VersionedOperation, origin: string): string {
  const { method, isIdempotent, isUpload, requestExample } = operation
  return [
    `curl -X ${method} '${toExampleUrl(operation, origin)}'`,
    `-H "Authorization: Bearer $XINHAN_KEY"`,
    ...(isIdempotent ? [`-H "Idempotency-Key: $(uuidgen)"`] : []),
    ...(isUpload ? [`-F 'file=@工资表.xlsx'`] : []),
    ...(requestExample ? [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(requestExample)}'`] : []),
  ].join(' \\\n  ')
}
