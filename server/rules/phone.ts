/** Mobile numbers as people write them. */
import { tidy } from './text.ts'

/** Eleven digits beginning with 1, as people write them: blanks, dashes and +86 allowed; null when it is not one. */
export function readMobile(text: string): string | null {
  const digits = tidy(text)
    .replace(/[\s-]/g, '')
    .replace(/^(?:\+|00)?86(?=1\d{10}$)/, '')
  return /^1\d{10}$/.test(digits) ? digits : null
}

/** Carriers keep a number back for three months before somebody else gets it: who was here since has it still. */
export const given_out_after_ms = 90 * 86_400_000
