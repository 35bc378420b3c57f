/**
 * What the small verifier reads and writes. It imports nothing but Node, so that it can be taken away and tried in an empty folder: the canonical
 * form of JSON (RFC 8785) stands here in a few lines, and a test holds it against the library that the server writes it with.
 */
import { createHash } from 'node:crypto'

/** Why something is not what it says it is. */
export class VerificationError extends Error {
  readonly reason: 'unreadable' | 'damaged' | 'unknown_key' | 'forged'
  constructor(why: VerificationError['reason'], message: string) {
    super(message)
    this.reason = why
  }
}

/** JSON after RFC 8785: JavaScript writes numbers and texts as it asks, and sorts names by their UTF-16 code units. */
export function canonicalizeJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalizeJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
    return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${canonicalizeJson(one)}`).join(',')}}`
  }
  return JSON.stringify(value)
}

/** SHA-256 of all of these one after the other, in base64url: 43 signs. */
export const sha256Base64Url = (...chunks: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest('base64url')
}

/** Bytes from base64url, of which there is one spelling only: the bits that the last sign has too many are zero. */
export function decodeBase64Url(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new VerificationError('damaged', '含有不属于原文的字符')
  return bytes
}

/** Text of these bytes; no byte may be anything else than UTF-8. */
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

/** An object that was written canonically, to the last byte: there is no room for anything that would not be looked at. */
export function parseCanonicalJson(text: string): JsonObject {
  let value: unknown
  let rewritten: string
  try {
    value = JSON.parse(text)
    // Of what is nested thousands of times Node has no stack for the second.
    rewritten = canonicalizeJson(value)
  } catch {
    throw new VerificationError('unreadable', '无法读取：内容不完整，或不是薪函的回执')
  }
  if (!isJsonObject(value)) throw new VerificationError('unreadable', '无法读取：不是薪函的回执')
  if (rewritten !== text) throw new VerificationError('damaged', '内容的写法被改动过')
  return value
}

/** What a field may be. */
type ObjectShape = Readonly<Record<string, (value: unknown) => boolean>>
export const isString = (value: unknown): value is string => typeof value === 'string'
export const isPositiveInteger = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0
export const nullable = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value)
export const isSha256Hash = (value: unknown): value is string => isString(value) && /^[\w-]{43}$/.test(value)
/** `2026-11-23T02:03:04.567Z`: years of four digits, so that texts compare as times do. */
export const isIsoTimestamp = (value: unknown): value is string => {
  if (!isString(value) || value.length !== 24) return false
  const at = new Date(value)
  return !Number.isNaN(at.getTime()) && at.toISOString() === value
}

/** Exactly these fields, each as it must be. */
export function matchesShape<T>(value: unknown, shape: ObjectShape): value is T {
  if (!isJsonObject(value)) return false
  const names = Object.keys(shape)
  return Object.keys(value).length === names.length && names.every((name) => name in value && shape[name]?.(value[name]))
}
