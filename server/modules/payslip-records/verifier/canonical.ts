/**
 * Canonical JSON (RFC 8785) and other helpers of the standalone verifier. It imports only Node modules, so that it can
 * be copied and run in an empty folder; a test compares this implementation with the library that the server uses.
 */
import { createHash } from 'node:crypto'

/** The reason why a document fails verification. */
export class VerificationError extends Error {
  readonly reason: 'unreadable' | 'damaged' | 'unknown_key' | 'forged'
  constructor(why: VerificationError['reason'], message: string) {
    super(message)
    this.reason = why
  }
}

/** Serializes JSON according to RFC 8785: numbers and strings as in JavaScript, keys sorted by UTF-16 code units. */
export function canonicalizeJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalizeJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
    return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${canonicalizeJson(one)}`).join(',')}}`
  }
  return JSON.stringify(value)
}

/** SHA-256 of the concatenated chunks, in base64url: 43 characters. */
export const sha256Base64Url = (...chunks: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest('base64url')
}

/** Decodes base64url. Only one spelling is accepted: unused bits of the last character must be zero. */
export function decodeBase64Url(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new VerificationError('damaged', '含有不属于原文的字符')
  return bytes
}

/** Decodes bytes as text; throws unless all of them are valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new VerificationError('damaged', '不是完整的文本文件')
  }
}

type JsonObject = Readonly<Record<string, unknown>>
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Parses an object and requires that the text is canonical to the last byte, so that nothing unchecked can be hidden in it. */
export function parseCanonicalJson(text: string): JsonObject {
  let value: unknown
  let rewritten: string
  try {
    value = JSON.parse(text)
    // Deep nesting that `JSON.parse` still accepts can overflow the stack here.
    rewritten = canonicalizeJson(value)
  } catch {
    throw new VerificationError('unreadable', '无法读取：内容不完整，或不是薪函的回执')
  }
  if (!isJsonObject(value)) throw new VerificationError('unreadable', '无法读取：不是薪函的回执')
  if (rewritten !== text) throw new VerificationError('damaged', '内容的写法被改动过')
  return value
}

/** A check for each field. */
type ObjectShape = Readonly<Record<string, (value: unknown) => boolean>>
export const isString = (value: unknown): value is string => typeof value === 'string'
export const isPositiveInteger = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
export const nullable = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value)
export const isSha256Hash = (value: unknown): value is string => isString(value) && /^[\w-]{43}$/.test(value)
/** Accepts `2026-11-23T02:03:04.567Z` with four-digit years, so that strings sort like times. */
export const isIsoTimestamp = (value: unknown): value is string => {
  if (!isString(value) || value.length !== 24) return false
  const at = new Date(value)
  return !Number.isNaN(at.getTime()) && at.toISOString() === value
}

/** Checks that the object has exactly these fields with valid values. */
export function matchesShape<T>(value: unknown, shape: ObjectShape): value is T {
  if (!isJsonObject(value)) return false
  const names = Object.keys(shape)
  return Object.keys(value).length === names.length && names.every((name) => name in value && shape[name]?.(value[name]))
}
