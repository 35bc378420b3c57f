/**
 * Compares findings with known-exceptions.json, which lists the existing violations. A new or larger violation fails,
 * and so does an entry that is no longer needed.
 * `UPDATE_EXCEPTIONS=1 npm test -- architecture` removes entries that are no longer needed; nothing adds any.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Match } from './source.ts'

export type Lists = Record<string, Match>
const file = join(import.meta.dirname, 'known-exceptions.json')
export const listed = (): Lists => JSON.parse(readFileSync(file, 'utf8')) as Lists

export type Difference = { readonly new: string[]; readonly grown: string[]; readonly removed: string[] }
/**
 * `slack` is how far a count may fall before its entry must be lowered. By default an entry is only removed when its
 * violation no longer exists.
 */
export function compare(match: Match, list: Match, slack = Number.POSITIVE_INFINITY): Difference {
  return {
    new: Object.keys(match).filter((key) => !(key in list)),
    grown: Object.entries(match).flatMap(([key, size]) => {
      const allowed = list[key] ?? size
      return size > allowed ? [`${key}: ${size}, allowed ${allowed}`] : []
    }),
    removed: Object.entries(list).flatMap(([key, allowed]) =>
      allowed - (match[key] ?? Number.NEGATIVE_INFINITY) > slack || !(key in match) ? [key] : [],
    ),
  }
}

/** Returns the list without entries that no longer match, and with lowered counts. */
export const shortened = (match: Match, list: Match): Match =>
  Object.fromEntries(
    Object.entries(list).flatMap(([key, allowed]) => (key in match ? [[key, Math.min(allowed, match[key] ?? 0)]] : [])),
  )

export function shorten(rule: string, match: Match): void {
  if (process.env.UPDATE_EXCEPTIONS !== '1') return
  const lists = listed()
  writeFileSync(file, `${JSON.stringify({ ...lists, [rule]: shortened(match, lists[rule] ?? {}) }, null, 2)}\n`)
}
