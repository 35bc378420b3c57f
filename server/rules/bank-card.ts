/** Bank card numbers (ISO/IEC 7812: up to 19 digits, the last one a Luhn check digit). */
import { normalizeText } from './text.ts'

const extractDigits = (text: string): string => normalizeText(text).replace(/[\s-]/g, '')

/** Normalizes a number for storage and comparison: digits only. */
export const normalizeBankCard = extractDigits

/** Accepts 12 to 19 digits, with spaces between them. */
export const isLikelyBankCard = (text: string): boolean => /^\d{12,19}$/.test(extractDigits(text))

/** The check digit of bank cards is required as well. Accounts and passbooks need not have one. */
export function isBankCard(text: string): boolean {
  const digits = extractDigits(text)
  if (!/^\d{15,19}$/.test(digits)) return false
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    sum += at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2
  }
  return sum % 10 === 0
}

/** Masks a stored number for display: `6222 **** 0123`. */
export const maskBankCard = (text: string): string => `${extractDigits(text).slice(0, 4)} **** ${extractDigits(text).slice(-4)}`
