/**
 * What ends in /api/v1: the one table from which the response headers, the API document and the reference page say so. An
 * entry stands here for at least twelve months before its end (docs/integration/compatibility.md).
 */
import type { Call } from '../call.ts'
import { callNames } from '../index.ts'

export type Deprecation = {
  readonly call: Call
  /** The parameter, or the field of the response, that ends; omitted where the whole call ends. */
  readonly field?: string
  /** Dates such as `2027-01-31`; the end is the first moment without it. */
  readonly deprecated_on: string
  readonly ends_on: string
  /** One sentence: what to use in its place. */
  readonly replacement: string
}

export const deprecations: readonly Deprecation[] = []

/** The beginning of the day in China. */
const parseDay = (day: string): Date => new Date(`${day}T00:00:00+08:00`)
const findFirst = (days: readonly string[]): Date => parseDay(days.toSorted()[0] ?? '')

/** Returns the headers of the responses of a call that ends wholly or in part: RFC 9745 and RFC 8594; null otherwise. */
export function buildDeprecationHeaders(call: Call, table: readonly Deprecation[]): Record<string, string> | null {
  const entries = table.filter((entry) => entry.call === call)
  if (entries.length === 0) return null
  return {
    deprecation: `@${findFirst(entries.map(({ deprecated_on }) => deprecated_on)).getTime() / 1000}`,
    sunset: findFirst(entries.map(({ ends_on }) => ends_on)).toUTCString(),
    link: `</api/reference#${callNames.get(call)?.name}>; rel="deprecation"; type="text/html"`,
  }
}
