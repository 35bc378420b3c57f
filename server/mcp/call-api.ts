/** Makes calls below /api/v1 with an API key: over the network, or within the server through the same pipeline. */
import type { ApiKeyScope } from '../contract/api-keys/api-keys.ts'
import { getApiKey } from '../contract/api-v1/key.ts'
import type { Call, CallOutput } from '../contract/call.ts'

/** Sends one request: `fetch`, or the server's own. */
export type SendRequest = (request: Request) => Promise<Response>

/** An error as the server answers it (RFC 9457). */
export class ApiError extends Error {
  readonly status: number
  readonly problem: Readonly<Record<string, unknown>>
  readonly retryAfter: string | null
  constructor(status: number, problem: Readonly<Record<string, unknown>>, retryAfter: string | null) {
    super(typeof problem.detail === 'string' ? problem.detail : `HTTP ${status}`)
    this.status = status
    this.problem = problem
    this.retryAfter = retryAfter
  }
}

type CallParams = Readonly<Record<string, unknown>>
export type CallApi = <C extends Call>(call: C, params: CallParams, file?: File) => Promise<CallOutput<C>>

const fillPath = (path: string, params: CallParams) =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')))

function createForm(params: CallParams, file: File): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(params)) if (value !== undefined) form.set(name, String(value))
  form.set('file', file)
  return form
}

/** Parameters of the path are in the path only; the others are the query of a GET, else the JSON body or a form. */
export function buildRequest(
  origin: string,
  key: string,
  { call, params, file }: { call: Call; params: CallParams; file?: File | undefined },
) {
  const url = new URL(fillPath(call.path, params), origin)
  const rest = Object.entries(params).filter(([name, value]) => value !== undefined && !call.path.includes(`:${name}`))
  const headers = new Headers({ authorization: `Bearer ${key}` })
  if (call.requestType === 'query') {
    for (const [name, value] of rest) url.searchParams.set(name, String(value))
    return new Request(url, { method: call.method, headers })
  }
  if (file) return new Request(url, { method: call.method, headers, body: createForm(Object.fromEntries(rest), file) })
  headers.set('content-type', 'application/json')
  return new Request(url, { method: call.method, headers, body: JSON.stringify(Object.fromEntries(rest)) })
}

export function createCallApi({ origin, key, send }: { origin: string; key: string; send: SendRequest }): CallApi {
  return async (call, params, file) => {
    const response = await send(buildRequest(origin, key, { call, params, file }))
    const text = await response.text()
    if (!response.headers.get('content-type')?.includes('json')) throw new ApiError(response.status, {}, null)
    const body = JSON.parse(text) as never
    if (!response.ok) throw new ApiError(response.status, body, response.headers.get('retry-after'))
    return body
  }
}

/** Returns what the key may do; throws `ApiError` for a key that is refused. */
export const loadScopes = async (callApi: CallApi): Promise<readonly ApiKeyScope[]> => (await callApi(getApiKey, {})).scopes
