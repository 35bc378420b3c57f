/** Mobile numbers as users type them. */
import { normalizeText } from './text.ts'

/** Parses a mobile number of eleven digits that begins with 1; spaces, dashes and +86 are allowed. Null if it is not one. */
export function parseMobile(text: string): string | null {
  const digits = normalizeText(text)
    .replace(/[\s-]/g, '')
    .replace(/^(?:\+|00)?86(?=1\d{10}$)/, '')
  return /^1\d{10}$/.test(digits) ? digits : null
}

/** Carriers do not reassign a number for three months: a user who was active since then still owns it. */
export const numberReuseDelayMs = 90 * 86_400_000
