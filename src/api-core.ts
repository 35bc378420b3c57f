/**
 * Sends one request to the server: headers, envelope and errors. Small enough for the sign-in page, which has neither
 * router nor query cache; every other page calls the server through `api.ts`.
 */
import type { Call, CallOutput, CallRequest, Envelope } from '../server/contract/call.ts'
import { type ErrorName, errorCodes, successCode } from '../server/contract/errors.ts'
import { takePrefetched } from './app/preload/first-calls.ts'
import { networkErrorMessage, session, timeoutMessage } from './browser.ts'

export { session } from './browser.ts'

/** An error response from the server. `message` is Chinese and says what to do; `field` names the invalid input field. */
export class ApiError extends Error {
  readonly code: number
  readonly data: Record<string, unknown>
  constructor(code: number, message: string, data: unknown) {
    super(message || errorCodes.internal_error.message)
    this.name = 'ApiError'
    this.code = code
    this.data = typeof data === 'object' && data !== null ? { ...data } : {}
  }
  get field(): string | undefined {
    return typeof this.data.field === 'string' ? this.data.field : undefined
  }
  get request_id(): string | undefined {
    return typeof this.data.request_id === 'string' ? this.data.request_id : undefined
  }
  /** Seconds after which a retry is worthwhile. */
  get retryAfterSeconds(): number | undefined {
    return typeof this.data.retry_after === 'number' ? this.data.retry_after : undefined
  }
  is(name: ErrorName): boolean {
    return this.code === errorCodes[name].code
  }
}

/** The request or its response was lost in transit; whether the call took effect is unknown. */
export class NetworkError extends Error {
  constructor(cause?: unknown, message: string = networkErrorMessage) {
    super(message, { cause })
    this.name = 'NetworkError'
  }
}

const getCookie = (name: string) =>
  document.cookie
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)

export type RequestOptions = {
  signal?: AbortSignal | undefined
  /** The idempotency key of the user's intent: the same key never takes effect twice. If omitted, each request gets its own. */
  key?: string | undefined
  /** Progress from 0 to 1, for calls that upload a file. */
  onProgress?: ((done: number) => void) | undefined
  /** The request completes even if the page is left at the same moment. */
  keepalive?: boolean | undefined
}

export const createIdempotencyKey = (): string =>
  // `randomUUID` needs a secure context; a trial installation on plain HTTP in an office network is not one.
  typeof crypto.randomUUID === 'function'
    ? crypto.randomUUID()
    : Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

function buildHeaders(call: Call, key: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  if (session.token) headers['user-token'] = session.token
  const xsrf = getCookie('XSRF-TOKEN')
  if (call.method !== 'GET' && xsrf) headers['X-XSRF-TOKEN'] = decodeURIComponent(xsrf)
  if (call.idempotent) headers['Idempotency-Key'] = key ?? createIdempotencyKey()
  return headers
}

const toQueryString = (input: unknown) => {
  const pairs = Object.entries(input ?? {}).filter(([, value]) => value !== undefined && value !== null)
  return pairs.length ? `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}` : ''
}

/** An envelope, or the HTTP status of a response that is none. */
type EnvelopeOrStatus<T> = Envelope<T> | number
function unwrapEnvelope<T>(envelope: EnvelopeOrStatus<T>): T {
  // 504: a gateway gave up waiting for the server; the page itself never does (spec §7).
  if (typeof envelope === 'number') throw new NetworkError(envelope, envelope === 504 ? timeoutMessage : undefined)
  if (envelope.error_code !== successCode) throw new ApiError(envelope.error_code, envelope.error_msg, envelope.data)
  return envelope.data
}
const parseEnvelope = (text: string, status: number): EnvelopeOrStatus<never> => {
  try {
    const envelope = JSON.parse(text)
    return envelope.error_code >= 0 ? envelope : status
  } catch {
    return status
  }
}

type Transport = (address: string, request: RequestInit) => Promise<Response>
/** Carries the requests. The desktop app installs ky (`shell/ky-transport.ts`); pages of few kilobytes use `fetch`. */
let transport: Transport = (address, request) => fetch(address, request)
export const setTransport = (newTransport: Transport): void => {
  transport = newTransport
}

/**
 * Sends a request and retries it when the server shed load before starting work. Throws `ApiError` for an error
 * response, `NetworkError` when no response arrived, and an `AbortError` when aborted.
 */
export async function sendRequest<C extends Call>(
  call: C,
  input: CallRequest<C>,
  options: RequestOptions = {},
): Promise<CallOutput<C>> {
  if (call.requestType === 'file') return unwrapEnvelope(await uploadForm(call, input, options))
  // All attempts share one key: the server has not started any of the requests it shed.
  const key = call.idempotent ? (options.key ?? createIdempotencyKey()) : undefined
  for (let attempts = 0; ; attempts += 1) {
    const response = await sendAttempt(call, input, { ...options, key })
    const retryAfterSeconds = getSheddingRetryAfter(response)
    if (!retryAfterSeconds || attempts >= maxAttempts) return unwrapEnvelope(response)
    await delay(retryAfterSeconds * 1_000 * (0.5 + Math.random() + attempts), options.signal)
  }
}

const maxAttempts = 3
/** Returns the seconds after which a retry is worthwhile; null if the server did start work on the request. */
function getSheddingRetryAfter(response: EnvelopeOrStatus<unknown>): number | null {
  if (typeof response === 'number') return null
  const error = new ApiError(0, '', response.data)
  return error.data.shed === true ? (error.retryAfterSeconds ?? null) : null
}
const delay = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    const cancel = () => {
      clearTimeout(timer)
      reject(new DOMException('given up', 'AbortError'))
    }
    signal?.addEventListener('abort', cancel, { once: true })
  })

async function sendAttempt(call: Call, input: unknown, options: RequestOptions): Promise<EnvelopeOrStatus<never>> {
  const inQuery = call.requestType === 'query' || call.method === 'GET'
  try {
    const body = inQuery ? undefined : JSON.stringify(input)
    const preloaded = body === undefined ? null : takePrefetched(call.path, body, session.token)
    const response = await (preloaded ??
      transport(call.path + (inQuery ? toQueryString(input) : ''), {
        method: call.method,
        headers: { ...buildHeaders(call, options.key), ...(inQuery ? {} : { 'content-type': 'application/json' }) },
        credentials: 'include',
        ...(body === undefined ? {} : { body }),
        ...(options.signal ? { signal: options.signal } : {}),
        ...(options.keepalive ? { keepalive: true } : {}),
      }))
    return parseEnvelope(await response.text(), response.status)
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new NetworkError(error)
  }
}

/** Sends a form with one file named `file`. Uses XMLHttpRequest because fetch reports no upload progress. */
const uploadForm = (call: Call, input: unknown, { signal, key, onProgress }: RequestOptions) =>
  new Promise<EnvelopeOrStatus<never>>((resolve, reject) => {
    const form = new FormData()
    // The file comes last: a server that reads the form as a stream then already knows the other fields.
    const fields = Object.entries(input ?? {}).filter(([, value]) => value !== undefined && value !== null)
    for (const [name, value] of fields) if (!(value instanceof Blob)) form.append(name, String(value))
    for (const [name, value] of fields) if (value instanceof Blob) form.append(name, value)
    const request = new XMLHttpRequest()
    request.open(call.method, call.path)
    request.withCredentials = true
    for (const [name, value] of Object.entries(buildHeaders(call, key))) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', (event) => event.lengthComputable && onProgress?.(event.loaded / event.total))
    request.addEventListener('load', () => resolve(parseEnvelope(request.responseText, request.status)))
    request.addEventListener('error', () => reject(new NetworkError()))
    request.addEventListener('abort', () => reject(new DOMException('given up', 'AbortError')))
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
