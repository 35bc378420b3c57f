/** One call as an operation of the API document. */
import type { CallAccess } from '../access.ts'
import { getCallScopes } from '../api-keys/scope-calls.ts'
import type { Call } from '../call.ts'
import { callNames } from '../index.ts'
import { callsBeyondSpec } from '../openapi.ts'
import { apiKeyErrorResponses, combineAlternatives, errorResponses, listErrorSchemas, toSuccessSchema } from './errors.ts'
import type { ComponentSchemas, JsonSchema } from './schemas.ts'

type SecurityRequirement = Readonly<Record<string, readonly string[]>>
/** Calls that a user makes before any sign-in; some of them need the cookie that identifies the browser. */
const publicSecurity: readonly SecurityRequirement[] = [{}, { device: [] }]

const formatAccess = (access: CallAccess): string =>
  typeof access === 'string'
    ? access
    : `powers ${access.powers.join(', ')} of ${access.companyType === 'any' ? 'any company' : `a ${access.companyType} company`} (4 holds all)`

function getSecurity(call: Call): readonly SecurityRequirement[] {
  const { access, method } = call
  if (access === 'public') return publicSecurity
  const names = ['token', access === 'operator' ? 'operatorCookie' : 'cookie', ...(method === 'GET' ? [] : ['xsrf'])]
  const session = Object.fromEntries(names.map((name) => [name, []]))
  return getCallScopes(call).length > 0 ? [session, { apiKey: [] }] : [session]
}

export type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly deprecated?: true
  readonly tags: readonly string[]
  readonly security: readonly SecurityRequirement[]
  readonly parameters?: readonly object[]
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, object | undefined>> }
  readonly responses: Readonly<Record<string, object>>
  readonly [extension: `x-${string}`]: unknown
}

function buildRequest(call: Call, input: JsonSchema) {
  const { properties = {}, required = [] } = input as { properties?: Record<string, JsonSchema>; required?: string[] }
  const parameters = [
    ...(call.requestType === 'query'
      ? Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
      : []),
    ...(call.idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ]
  const form = {
    ...input,
    type: 'object',
    properties: { ...properties, file: { type: 'string', format: 'binary' } },
    required: [...required, 'file'],
  }
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(call.requestType !== 'query' && {
      requestBody: {
        required: true,
        content:
          call.requestType === 'file' ? { 'multipart/form-data': { schema: form } } : { 'application/json': { schema: input } },
      },
    }),
  }
}

const requestIdHeader = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }

function buildResponses(call: Call, components: ComponentSchemas, name: string) {
  const errors = Object.fromEntries(
    Object.entries({ ...errorResponses, ...(getCallScopes(call).length > 0 && apiKeyErrorResponses) }).map(
      ([status, [component]]) => [status, { $ref: `#/components/responses/${component}` }],
    ),
  )
  const errorSchemas = listErrorSchemas(call)
  const success = call.responseType === 'json' ? [toSuccessSchema(components.convert(call.output, 'output', name))] : []
  return {
    200: {
      description:
        call.responseType === 'redirect'
          ? 'One of the errors that a user can cause; success is a redirect.'
          : 'The outcome: success, or one of the errors that a user can cause.',
      headers: requestIdHeader,
      content: {
        ...(call.responseType === 'bytes' && { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }),
        'application/json': { schema: combineAlternatives([...success, ...errorSchemas]) },
      },
    },
    ...(call.responseType === 'redirect' && { 302: { description: 'Redirects the browser.', headers: requestIdHeader } }),
    ...errors,
  }
}

export function buildOperation(call: Call, components: ComponentSchemas): Operation {
  const { name, subject } = callNames.get(call) ?? { name: call.name, subject: 'auth' }
  const componentName = `${name[0]?.toUpperCase()}${name.slice(1)}`
  const reason = callsBeyondSpec[call.route]
  return {
    operationId: name,
    summary: call.summary,
    description: `Who: ${formatAccess(call.access)}. Evidence: ${call.audit}. Rate: ${call.rateLimit}.`,
    tags: [subject],
    'x-permissions': typeof call.access === 'string' ? { access: call.access } : call.access,
    ...(getCallScopes(call).length > 0 && { 'x-scopes': getCallScopes(call) }),
    'x-audit': call.audit,
    'x-rate-limit': call.rateLimit,
    ...(call.requiredFeature && { 'x-required-feature': call.requiredFeature }),
    ...(subject === 'operator' && { 'x-internal': true }),
    ...(reason && { 'x-beyond-the-specification': reason }),
    security: getSecurity(call),
    ...buildRequest(call, components.convert(call.input, 'input', componentName)),
    responses: buildResponses(call, components, componentName),
  }
}
