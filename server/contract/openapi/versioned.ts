/** The calls below /api/v1 as operations: parameters in the path, plain responses, problem details by HTTP status. */
import type { CallAccess } from '../access.ts'
import { getCallScopes } from '../api-keys/scope-calls.ts'
import { type Deprecation, deprecations } from '../api-v1/deprecations.ts'
import { versionedExamples } from '../api-v1/examples.ts'
import type { Call } from '../call.ts'
import { commonErrors, type ErrorName, errorCodes, getHttpStatus } from '../errors.ts'
import { callNames } from '../index.ts'
import { callsBeyondSpec } from '../openapi.ts'
import { combineAlternatives } from './errors.ts'
import type { Operation } from './operation.ts'
import type { ComponentSchemas, JsonSchema } from './schemas.ts'

/** Fastify writes `:batch_id` where OpenAPI writes `{batch_id}`. */
export const toTemplatePath = ({ path }: Pick<Call, 'path'>): string => path.replace(/:(\w+)/g, '{$1}')
const getPathParams = ({ path }: Call): ReadonlySet<string> =>
  new Set([...path.matchAll(/:(\w+)/g)].map((match) => match[1] ?? ''))

const toProblemName = (name: ErrorName): string =>
  `${name
    .split('_')
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join('')}Problem`
const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** A session ends with this one; a key has none. */
const sessionErrors: ReadonlySet<ErrorName> = new Set(['transferred'])
const listErrors = (call: Call): ErrorName[] =>
  [...new Set([...commonErrors, ...call.errors])].filter((name) => !sessionErrors.has(name))
/** The errors of one call by their HTTP status. */
const groupErrors = (call: Call): [number, ErrorName[]][] =>
  [...Map.groupBy(listErrors(call), getHttpStatus)].toSorted(([a], [b]) => a - b)

/** Adds the components of the errors that these calls may return: `code` tells them apart. */
export function addProblemSchemas(components: ComponentSchemas, calls: readonly Call[]): void {
  for (const name of new Set(calls.flatMap(listErrors)))
    components.add(toProblemName(name), {
      type: 'object',
      description: errorCodes[name].message,
      required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
      properties: {
        type: { type: 'string', description: 'The address of the explanation.' },
        title: { type: 'string' },
        status: { type: 'integer' },
        detail: { type: 'string', description: 'What is wrong with this request, in Chinese.' },
        code: { type: 'string', const: name },
        request_id: { type: 'string', description: 'For questions to the operator.' },
        field: { type: 'string', description: 'The field of the request that is wrong, such as employees.3.mobile.' },
        retry_after: { type: 'integer', description: 'Seconds after which the request may be repeated.' },
      },
    })
}

/** Headers of every response to a program. */
export const rateLimitHeaders = {
  RateLimitLimit: { description: 'Requests of this kind a minute.', schema: { type: 'integer' } },
  RateLimitRemaining: { description: 'Requests that remain now.', schema: { type: 'integer' } },
  RateLimitReset: { description: 'Seconds until all requests are available again.', schema: { type: 'integer' } },
} as const
const headerRef = (name: string) => ({ $ref: `#/components/headers/${name}` })
const headers = {
  'X-Request-Id': headerRef('RequestId'),
  'RateLimit-Limit': headerRef('RateLimitLimit'),
  'RateLimit-Remaining': headerRef('RateLimitRemaining'),
  'RateLimit-Reset': headerRef('RateLimitReset'),
}
const retryAfter = { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 0 } } }

type ObjectSchema = { readonly properties?: Readonly<Record<string, JsonSchema>>; readonly required?: readonly string[] }

function buildVersionedRequest(call: Call, input: JsonSchema, request: Readonly<Record<string, unknown>>) {
  const { properties = {}, required = [] } = input as ObjectSchema
  const inPath = getPathParams(call)
  const isQuery = call.requestType === 'query'
  const parameters = Object.entries(properties)
    .filter(([name]) => inPath.has(name) || isQuery)
    .map(([name, schema]) => ({
      name,
      in: inPath.has(name) ? 'path' : 'query',
      required: inPath.has(name) || required.includes(name),
      schema,
      ...(name in request && { example: request[name] }),
    }))
  const all = [...parameters, ...(call.idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [])]
  const fields = Object.entries(properties).filter(([name]) => !inPath.has(name))
  const file = call.requestType === 'file'
  const body = {
    ...input,
    type: 'object',
    properties: { ...Object.fromEntries(fields), ...(file && { file: { type: 'string', format: 'binary' } }) },
    required: [...required.filter((name) => !inPath.has(name)), ...(file ? ['file'] : [])],
  }
  const example = Object.fromEntries(Object.entries(request).filter(([name]) => !inPath.has(name)))
  return {
    ...(all.length > 0 && { parameters: all }),
    ...(!isQuery &&
      (fields.length > 0 || file) && {
        requestBody: {
          required: true,
          content: file ? { 'multipart/form-data': { schema: body } } : { 'application/json': { schema: body, example } },
        },
      }),
  }
}

const formatDeprecation = ({ field, deprecated_on, ends_on, replacement }: Deprecation): string =>
  `Deprecated since ${deprecated_on}, ends on ${ends_on}: ${field ?? 'this call'}. ${replacement}`
const formatKeyAccess = (access: CallAccess): string =>
  typeof access === 'string' ? access : `an API key whose scopes give the power ${access.powers.join(' or ')}`

const deprecationHeaders = {
  Deprecation: { description: 'Since when (RFC 9745).', schema: { type: 'string' } },
  Sunset: { description: 'Until when (RFC 8594).', schema: { type: 'string' } },
}
/** Marks the properties with these names, of the call's own shapes. */
function markDeprecated(schema: JsonSchema, fields: ReadonlySet<string | undefined>): JsonSchema {
  if (fields.size === 0) return schema
  const mark = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(mark)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        key,
        key === 'properties' && typeof one === 'object' && one !== null
          ? Object.fromEntries(
              Object.entries(one).map(([name, property]) => [
                name,
                fields.has(name) ? { ...(mark(property) as object), deprecated: true } : mark(property),
              ]),
            )
          : mark(one),
      ]),
    )
  }
  return mark(schema) as JsonSchema
}

export function buildVersionedOperation(
  call: Call,
  components: ComponentSchemas,
  table: readonly Deprecation[] = deprecations,
): Operation {
  const { name } = callNames.get(call) ?? { name: call.name }
  const componentName = `${name[0]?.toUpperCase()}${name.slice(1)}`
  const example = versionedExamples[name]
  const scopes = getCallScopes(call)
  const ending = table.filter((entry) => entry.call === call)
  const fields = new Set(ending.flatMap(({ field }) => field ?? []))
  const convert = (direction: 'input' | 'output') =>
    markDeprecated(components.convert(call[direction], direction, componentName), fields)
  const errors = groupErrors(call).map(([status, names]) => [
    status,
    {
      description: names.join(', '),
      headers: { ...headers, ...(status === 429 && retryAfter) },
      content: {
        'application/problem+json': { schema: combineAlternatives(names.map((one) => refTo(toProblemName(one)))) },
      },
    },
  ])
  return {
    operationId: name,
    summary: call.summary,
    description: [
      `Who: ${formatKeyAccess(call.access)}. Scopes: ${scopes.join(' or ')}. Rate: ${call.rateLimit}.`,
      ...ending.map(formatDeprecation),
    ].join(' '),
    ...(ending.some(({ field }) => field === undefined) && { deprecated: true as const }),
    ...(ending.length > 0 && { 'x-deprecations': ending.map(formatDeprecation) }),
    tags: ['api-v1'],
    'x-permissions': call.access,
    'x-scopes': scopes,
    'x-audit': call.audit,
    'x-rate-limit': call.rateLimit,
    'x-beyond-the-specification': callsBeyondSpec[call.route],
    security: [{ apiKey: [] }],
    ...buildVersionedRequest(call, convert('input'), example?.request ?? {}),
    responses: {
      200: {
        description: 'Success.',
        headers: { ...headers, ...(ending.length > 0 && deprecationHeaders) },
        content: {
          'application/json': {
            schema: convert('output'),
            ...(example && { example: example.response }),
          },
        },
      },
      ...Object.fromEntries(errors),
      503: {
        description: 'The server is overloaded, or another change is being made; the request may be repeated.',
        headers: { ...headers, ...retryAfter },
        content: { 'application/problem+json': { schema: refTo('TooOftenProblem') } },
      },
    },
  }
}
