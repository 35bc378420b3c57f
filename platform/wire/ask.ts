/** One request to a platform: a time limit, no redirects, an answer of bounded size that is JSON. Addresses come from code, never from input. */
import { PlatformError, type Provider } from '../types.ts'

const patience_ms = 6_000
/** A whole department of a large company comes in one answer. */
const longest_answer = 33_554_432
/** The connection never came to be, so nothing of ours has arrived. */
const neverArrived = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])

type Question = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** A form with one file in it, as some platforms take files. */
  readonly file?: { readonly field: string; readonly name: string; readonly bytes: Uint8Array }
}
const formOf = ({ field, name, bytes }: NonNullable<Question['file']>): FormData => {
  const form = new FormData()
  form.set(field, new Blob([new Uint8Array(bytes)]), name)
  return form
}
/** `wait_s`: so long the platform wants to be left alone, where it says so. */
type Answer = { readonly status: number; readonly body: Record<string, unknown>; readonly wait_s: number | null }

export async function ask(provider: Provider, question: Question): Promise<Answer> {
  const { method, url, headers = {}, json, file } = question
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: 'application/json', ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(json === undefined ? (file ? { body: formOf(file) } : {}) : { body: JSON.stringify(json) }),
      redirect: 'error',
      signal: AbortSignal.timeout(patience_ms),
    })
    const wait = Number(response.headers.get('x-ogw-ratelimit-reset') ?? response.headers.get('retry-after'))
    return { status: response.status, body: read(await textOf(response)), wait_s: wait > 0 ? wait : null }
  } catch (error) {
    // The cause names the address, and with it a token or a code: it goes no further.
    const late = error instanceof Error && error.name === 'TimeoutError'
    const away = neverArrived.has(String(inside(inside(error).cause).code))
    throw new PlatformError(
      provider,
      'temporary',
      late ? 'timeout' : away ? 'unreachable' : 'network',
      'no answer from the platform',
    )
  }
}

async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > longest_answer) throw new Error('the answer is too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function read(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) throw new Error('the answer is no object')
  return inside(value)
}

/** A text that should be an object; null where it is none. */
export function objectOf(json: string): Record<string, unknown> | null {
  try {
    return read(json)
  } catch {
    return null
  }
}
/** A field of an answer as text; empty and absent are null. */
export const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
export const inside = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})
/** A list of an answer; what is none is empty. */
export const listOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.map(inside) : [])
/** A list of ids, whatever they are written as. */
export const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.flatMap((one) => text(one) ?? []) : [])
/** A mobile as we keep it: eleven digits of mainland China, else with its plus; one that is masked is none. */
export function mobileOf(value: unknown): string | null {
  const given = (text(value) ?? '').replace(/[\s-]/g, '')
  const [, own] = /^(?:\+?86)?(1\d{10})$/.exec(given) ?? []
  return own ?? (/^\+\d{6,15}$/.test(given) ? given : null)
}
/** A field without which the answer is of no use. */
export function needed(provider: Provider, value: unknown): string {
  const given = text(value)
  if (given === null) throw new PlatformError(provider, 'unknown', 'incomplete', 'the answer lacks a field')
  return given
}
