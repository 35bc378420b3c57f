/** Identity card numbers: GB 11643-1999, 17 digits and a check character (ISO 7064, MOD 11-2). */
import { normalizeText } from './text.ts'

const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
const checkCharacters = '10X98765432'
/** An earlier birth year is a typing error. */
const minBirthYear = 1900

/** Normalizes a number for storage and indexing: no spaces, ASCII digits and capitals. */
export const normalizeIdCard = (text: string): string => normalizeText(text).replace(/\s/g, '').toUpperCase()

/** Returns whether the number is valid: format and check character. */
export function isIdCard(text: string): boolean {
  const card = normalizeIdCard(text)
  return isLikelyIdCard(card) && getCheckCharacter(card) === card[17]
}

/**
 * Returns whether the text has the format of an identity card number with a valid birth date, regardless of its check
 * character. Accepts normalized numbers and a lower case x.
 */
export function isLikelyIdCard(text: string): boolean {
  const match = /^[1-9]\d{5}(\d{4})(\d\d)(\d\d)\d{3}[\dXx]$/.exec(text)
  if (!match) return false
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number)
  if (year < minBirthYear || year >= minBirthYear + 200) return false
  // An invalid date such as 30 February rolls over into another month.
  const birth = new Date(Date.UTC(year, month - 1, day))
  return birth.getUTCMonth() + 1 === month && birth.getUTCDate() === day
}

/** Returns the check character of the first 17 digits. */
export const getCheckCharacter = (digits: string): string =>
  checkCharacters.charAt(weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0) % 11)

/** Returns the birth date (`1990-01-01`) of a number with a valid format. */
export const getBirthDate = (card: string): string => `${card.slice(6, 10)}-${card.slice(10, 12)}-${card.slice(12, 14)}`
/** Returns the sex, which the seventeenth digit encodes. */
export const getSex = (card: string): '男' | '女' => (Number(card[16]) % 2 === 1 ? '男' : '女')

/** Masks a number: `110105199001011234` → `1101**********1234`. */
export const maskIdCard = (card: string): string => `${card.slice(0, 4)}**********${card.slice(-4)}`
