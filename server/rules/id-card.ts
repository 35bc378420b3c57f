/** Identity card numbers: GB 11643-1999, 17 digits and a check character (ISO 7064, MOD 11-2). */
import { normalizeText } from './text.ts'

const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
const checkCharacters = '10X98765432'
/** The number of somebody older is a slip of the pen. */
const minBirthYear = 1900

/** Without blanks, in plain digits and capitals: as it is kept and indexed. */
export const normalizeIdCard = (text: string): string => normalizeText(text).replace(/\s/g, '').toUpperCase()

/** Whether the number can exist: form and check character. */
export function isIdCard(text: string): boolean {
  const card = normalizeIdCard(text)
  return isLikelyIdCard(card) && getCheckCharacter(card) === card[17]
}

/** The form of a number with a day of birth that was, whatever its check character. Takes it as it is kept, or with a small x. */
export function isLikelyIdCard(text: string): boolean {
  const match = /^[1-9]\d{5}(\d{4})(\d\d)(\d\d)\d{3}[\dXx]$/.exec(text)
  if (!match) return false
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number)
  if (year < minBirthYear || year >= minBirthYear + 200) return false
  // A day that never was, such as 30 February, rolls over into another month.
  const birth = new Date(Date.UTC(year, month - 1, day))
  return birth.getUTCMonth() + 1 === month && birth.getUTCDate() === day
}

/** The check character of the first 17 digits. */
export const getCheckCharacter = (digits: string): string =>
  checkCharacters.charAt(weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0) % 11)

/** `1990-01-01`, of a number that has the form of one. */
export const getBirthDate = (card: string): string => `${card.slice(6, 10)}-${card.slice(10, 12)}-${card.slice(12, 14)}`
/** The seventeenth digit says it. */
export const getSex = (card: string): '男' | '女' => (Number(card[16]) % 2 === 1 ? '男' : '女')

/** `110105199001011234` → `1101**********1234`. */
export const maskIdCard = (card: string): string => `${card.slice(0, 4)}**********${card.slice(-4)}`
