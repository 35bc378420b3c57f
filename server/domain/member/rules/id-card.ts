/** Identity card numbers: GB 11643-1999, 17 digits and a check character (ISO 7064, MOD 11-2). */

const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
const checks = '10X98765432'

/** In capitals, as it is kept and indexed. */
export const normalIdCard = (text: string): string => text.trim().toUpperCase()

/** Whether the number can exist: shape, a day of birth that was, check character. */
export function isIdCard(text: string): boolean {
  const card = normalIdCard(text)
  if (!/^[1-9]\d{16}[\dX]$/.test(card)) return false
  const day = `${card.slice(6, 10)}-${card.slice(10, 12)}-${card.slice(12, 14)}`
  const birth = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(birth.getTime()) || birth.toISOString().slice(0, 10) !== day || day < '1900') return false
  return checkOf(card) === card[17]
}

/** The check character of the first 17 digits. */
export const checkOf = (digits: string): string =>
  checks.charAt(weights.reduce((sum, weight, at) => sum + weight * Number(digits[at]), 0) % 11)

/** `110105199001011234` → `1101**********1234`. */
export const maskIdCard = (card: string): string => `${card.slice(0, 4)}**********${card.slice(-4)}`
