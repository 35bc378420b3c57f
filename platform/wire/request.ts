/** One request to a platform: a time limit, no redirects, an answer of bounded size that is JSON. Addresses come from code, never from input. */
import { PlatformError, type Provider } from '../types.ts'

const requestTimeoutMs = 6_000
/** A whole department of a large company comes in one answer. */
const maxResponseBytes = 33_554_432
/** The connection never came to be, so nothing of ours has arrived. */
const connectErrorCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

type PlatformRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** A form with one file in it, as some platforms take files. */
  readonly file?: { readonly field: string; readonly name: string; readonly bytes: Uint8Array }
}
const toFormData = ({ field, name, bytes }: NonNullable<PlatformRequest['file']>): FormData => {
  const form = new FormData()
  form.set(field, new Blob([new Uint8Array(bytes)]), name)
  return form
}
/** `wait_s`: so long the platform wants to be left alone, where it says so. */
type PlatformResponse = {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly retryAfterSeconds: number | null
}

export async function requestPlatform(provider: Provider, request: PlatformRequest): Promise<PlatformResponse> {
  const { method, url, headers = {}, json, file } = request
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: 'application/json', ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(json === undefined ? (file ? { body: toFormData(file) } : {}) : { body: JSON.stringify(json) }),
      redirect: 'error',
      signal: AbortSignal.timeout(requestTimeoutMs),
    })
    const wait = Number(response.headers.get('x-ogw-ratelimit-reset') ?? response.headers.get('retry-after'))
    return { status: response.status, body: parseObject(await readText(response)), retryAfterSeconds: wait > 0 ? wait : null }
  } catch (error) {
    // The cause names the address, and with it a token or a code: it goes no further.
    const isTimeout = error instanceof Error && error.name === 'TimeoutError'
    const isUnreachable = connectErrorCodes.has(String(toObject(toObject(error).cause).code))
    throw new PlatformError(
      provider,
      'temporary',
      isTimeout ? 'timeout' : isUnreachable ? 'unreachable' : 'network',
      'no answer from the platform',
    )
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > maxResponseBytes) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) throw new Error('the answer is no object')
  return toObject(value)
}

/** A text that should be an object; null where it is none. */
export function tryParseObject(json: string): Record<string, unknown> | null {
  try {
    return parseObject(json)
  } catch {
    return null
  }
}
/** A field of an answer as text; empty and absent are null. */
export const toText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
export const toObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})
/** A list of an answer; what is none is empty. */
export const toObjectList = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.map(toObject) : [])
/** A list of ids, whatever they are written as. */
export const toTextList = (value: unknown): string[] => (Array.isArray(value) ? value.flatMap((one) => toText(one) ?? []) : [])
/** A mobile as we keep it: eleven digits of mainland China, else with its plus; one that is masked is none. */
export function normalizeMobile(value: unknown): string | null {
  const digits = (toText(value) ?? '').replace(/[\s-]/g, '')
  const [, mainlandMobile] = /^(?:\+?86)?(1\d{10})$/.exec(digits) ?? []
  return mainlandMobile ?? (/^\+\d{6,15}$/.test(digits) ? digits : null)
}
/** A field without which the answer is of no use. */
export function requireText(provider: Provider, value: unknown): string {
  const fieldText = toText(value)
  if (fieldText === null) throw new PlatformError(provider, 'unknown', 'incomplete', 'the answer lacks a field')
  return fieldText
}
