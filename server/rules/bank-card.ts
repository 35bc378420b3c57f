/** Numbers of bank cards (ISO/IEC 7812: up to 19 digits, the last one Luhn's check digit). */
import { tidy } from './text.ts'

const digitsOf = (text: string): string => tidy(text).replace(/[\s-]/g, '')

/** As it is kept and compared: its digits alone. */
export const normalBankCard = digitsOf

/** 12 to 19 digits, blanks allowed between. */
export const looksLikeBankCard = (text: string): boolean => /^\d{12,19}$/.test(digitsOf(text))

/** Such a number with the check digit that bank cards have. Accounts and passbooks need not have one. */
export function isBankCard(text: string): boolean {
  const digits = digitsOf(text)
  if (!/^\d{15,19}$/.test(digits)) return false
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    sum += at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2
  }
  return sum % 10 === 0
}

/** `6222 **** 0123`: what is shown of a number that is kept. */
export const maskBankCard = (text: string): string => `${digitsOf(text).slice(0, 4)} **** ${digitsOf(text).slice(-4)}`
