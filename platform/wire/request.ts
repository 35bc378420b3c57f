/** Makes one request to a platform: with a timeout, no redirects, a JSON response of bounded size. URLs only from code. */
import { PlatformError, type Provider } from '../types.ts'

const requestTimeoutMs = 6_000
/** An entire department of a large company arrives in one response. */
const maxResponseBytes = 33_554_432
/** The connection was never established, so nothing has arrived. */
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
  /** A multipart form with one file, which some platforms expect. */
  readonly file?: { readonly field: string; readonly name: string; readonly bytes: Uint8Array }
}
const toFormData = ({ field, name, bytes }: NonNullable<PlatformRequest['file']>): FormData => {
  const form = new FormData()
  form.set(field, new Blob([new Uint8Array(bytes)]), name)
  return form
}
/** A platform's response with the waiting time, if the platform reports one. */
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
    // The cause contains the URL, and with it a token or a code, so it is not passed on.
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

/** Parses a JSON object; returns null if the text is not an object. */
export function tryParseObject(json: string): Record<string, unknown> | null {
  try {
    return parseObject(json)
  } catch {
    return null
  }
}
/** Returns a field of a response as text; empty and missing values become null. */
export const toText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
export const toObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})
/** Returns a list of objects from a response; an empty list if it is none. */
export const toObjectList = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.map(toObject) : [])
/** Returns a list of ids as text, whether they are written as strings or numbers. */
export const toTextList = (value: unknown): string[] => (Array.isArray(value) ? value.flatMap((one) => toText(one) ?? []) : [])
/** Normalizes a mobile number as stored: eleven digits for mainland China, otherwise with its plus; null if masked. */
export function normalizeMobile(value: unknown): string | null {
  const digits = (toText(value) ?? '').replace(/[\s-]/g, '')
  const [, mainlandMobile] = /^(?:\+?86)?(1\d{10})$/.exec(digits) ?? []
  return mainlandMobile ?? (/^\+\d{6,15}$/.test(digits) ? digits : null)
}
/** Returns a field without which the response is useless; throws if it is missing. */
export function requireText(provider: Provider, value: unknown): string {
  const fieldText = toText(value)
  if (fieldText === null) throw new PlatformError(provider, 'unknown', 'incomplete', 'the answer lacks a field')
  return fieldText
}
