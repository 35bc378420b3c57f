/**
 * One request to the server: headers, envelope, errors. Small enough for the sign-in page, which has neither router nor query
 * cache; everything else asks through `api.ts`.
 */
import type { AskOf, Call, Envelope, OutputOf } from '../server/contract/call.ts'
import { type RefusalName, refusals, success } from '../server/contract/refusals.ts'
import { networkLost, session } from './browser.ts'
import { taken } from './parts/ahead/asked.ts'

export { session } from './browser.ts'

/** The server said no. `message` is Chinese and says what to do; `field` names the input that is wrong. */
export class ApiError extends Error {
  readonly code: number
  readonly data: Record<string, unknown>
  constructor(code: number, message: string, data: unknown) {
    super(message || refusals.our_fault.message)
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
  /** Seconds until it is worth trying again. */
  get retry_after(): number | undefined {
    return typeof this.data.retry_after === 'number' ? this.data.retry_after : undefined
  }
  is(name: RefusalName): boolean {
    return this.code === refusals[name].code
  }
}

/** The request or its answer was lost on the way; whether it took effect is not known. */
export class NetworkError extends Error {
  constructor(cause?: unknown) {
    super(networkLost, { cause })
    this.name = 'NetworkError'
  }
}

const cookie = (name: string) =>
  document.cookie
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)

export type AskOptions = {
  signal?: AbortSignal | undefined
  /** The user's intent: the same key never does a thing twice. Made anew for each ask when left out. */
  key?: string | undefined
  /** 0 to 1, for calls that take a file. */
  onProgress?: ((done: number) => void) | undefined
  /** It arrives also where the page is left in the same moment. */
  keepalive?: boolean | undefined
}

export const intent = (): string =>
  // randomUUID needs a secure context; a trial installation on plain http in an office network is none.
  typeof crypto.randomUUID === 'function'
    ? crypto.randomUUID()
    : Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

function headersOf(call: Call, key: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  if (session.token) headers['user-token'] = session.token
  const xsrf = cookie('XSRF-TOKEN')
  if (call.method !== 'GET' && xsrf) headers['X-XSRF-TOKEN'] = decodeURIComponent(xsrf)
  if (call.once) headers['Idempotency-Key'] = key ?? intent()
  return headers
}

const queryString = (input: unknown) => {
  const pairs = Object.entries(input ?? {}).filter(([, value]) => value !== undefined && value !== null)
  return pairs.length ? `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}` : ''
}

function open<T>(envelope: Envelope<T> | null): T {
  if (!envelope || typeof envelope.error_code !== 'number') throw new NetworkError('the answer is not an envelope')
  if (envelope.error_code !== success) throw new ApiError(envelope.error_code, envelope.error_msg, envelope.data)
  return envelope.data
}
const parsed = (text: string): Envelope<never> | null => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

type Carry = (address: string, request: RequestInit) => Promise<Response>
/** What carries a request. The desk puts ky here (`shell/carry.ts`); the pages whose first kilobytes count have what the browser brings. */
let carry: Carry = (address, request) => fetch(address, request)
export const carryWith = (other: Carry): void => {
  carry = other
}

/** Asks, and again where the server was full and had begun nothing. Throws `ApiError` for a refusal, `NetworkError` when nothing came back, an `AbortError` when given up. */
export async function send<C extends Call>(call: C, input: AskOf<C>, options: AskOptions = {}): Promise<OutputOf<C>> {
  if (call.takes === 'file') return open(await upload(call, input, options))
  // One key for all of them: the server has begun none of those that it turned away.
  const key = call.once ? (options.key ?? intent()) : undefined
  for (let tries = 0; ; tries += 1) {
    const answer = await sendOnce(call, input, { ...options, key })
    const wait_s = answer && turnedAway(answer)
    if (!wait_s || tries >= most_tries) return open(answer)
    await pause(wait_s * 1_000 * (0.5 + Math.random() + tries), options.signal)
  }
}

const most_tries = 3
/** Seconds after which it is worth asking again; null where the server did begin. */
function turnedAway({ data }: Envelope): number | null {
  const said = new ApiError(0, '', data)
  return said.data.shed === true ? (said.retry_after ?? null) : null
}
const pause = (ms: number, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    const clock = setTimeout(resolve, ms)
    const stop = () => {
      clearTimeout(clock)
      reject(new DOMException('given up', 'AbortError'))
    }
    signal?.addEventListener('abort', stop, { once: true })
  })

async function sendOnce(call: Call, input: unknown, options: AskOptions): Promise<Envelope<never> | null> {
  const inQuery = call.takes === 'query' || call.method === 'GET'
  let text: string
  try {
    const body = inQuery ? undefined : JSON.stringify(input)
    const ahead = body === undefined ? null : taken(call.path, body, session.token)
    const answer = await (ahead ??
      carry(call.path + (inQuery ? queryString(input) : ''), {
        method: call.method,
        headers: { ...headersOf(call, options.key), ...(inQuery ? {} : { 'content-type': 'application/json' }) },
        credentials: 'include',
        ...(body === undefined ? {} : { body }),
        ...(options.signal ? { signal: options.signal } : {}),
        ...(options.keepalive ? { keepalive: true } : {}),
      }))
    text = await answer.text()
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new NetworkError(error)
  }
  return parsed(text)
}

/** A form with one file named `file`; XMLHttpRequest because fetch tells no upload progress. */
const upload = (call: Call, input: unknown, { signal, key, onProgress }: AskOptions) =>
  new Promise<Envelope<never> | null>((resolve, reject) => {
    const form = new FormData()
    // The file last: a server that reads the form as a stream knows the other fields by then.
    const fields = Object.entries(input ?? {}).filter(([, value]) => value !== undefined && value !== null)
    for (const [name, value] of fields) if (!(value instanceof Blob)) form.append(name, String(value))
    for (const [name, value] of fields) if (value instanceof Blob) form.append(name, value)
    const request = new XMLHttpRequest()
    request.open(call.method, call.path)
    request.withCredentials = true
    for (const [name, value] of Object.entries(headersOf(call, key))) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', (event) => event.lengthComputable && onProgress?.(event.loaded / event.total))
    request.addEventListener('load', () => resolve(parsed(request.responseText)))
    request.addEventListener('error', () => reject(new NetworkError()))
    request.addEventListener('abort', () => reject(new DOMException('given up', 'AbortError')))
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
