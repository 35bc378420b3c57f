/** Mobile numbers as people write them. */
import { normalizeText } from './text.ts'

/** Eleven digits beginning with 1, as people write them: blanks, dashes and +86 allowed; null when it is not one. */
export function parseMobile(text: string): string | null {
  const digits = normalizeText(text)
    .replace(/[\s-]/g, '')
    .replace(/^(?:\+|00)?86(?=1\d{10}$)/, '')
  return /^1\d{10}$/.test(digits) ? digits : null
}

/** Carriers keep a number back for three months before somebody else gets it: who was here since has it still. */
export const numberReuseDelayMs = 90 * 86_400_000
