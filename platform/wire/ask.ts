/** One request to a platform: a time limit, no redirects, an answer of bounded size that is JSON. Addresses come from code, never from input. */
import { PlatformError, type Provider } from '../types.ts'

const patience_ms = 6_000
const longest_answer = 1_048_576

export type Question = {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
}
export type Answer = { readonly status: number; readonly body: Record<string, unknown> }

export async function ask(provider: Provider, question: Question): Promise<Answer> {
  const { method, url, headers = {}, json } = question
  try {
    const response = await fetch(url, {
      method,
      headers: { accept: 'application/json', ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      redirect: 'error',
      signal: AbortSignal.timeout(patience_ms),
    })
    return { status: response.status, body: read(await textOf(response)) }
  } catch (error) {
    // The cause names the address, and with it a token or a code: it goes no further.
    const late = error instanceof Error && error.name === 'TimeoutError'
    throw new PlatformError(provider, 'temporary', late ? 'timeout' : 'network', 'no answer from the platform')
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
export const inside = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
/** A field without which the answer is of no use. */
export function needed(provider: Provider, value: unknown): string {
  const given = text(value)
  if (given === null) throw new PlatformError(provider, 'unknown', 'incomplete', 'the answer lacks a field')
  return given
}
