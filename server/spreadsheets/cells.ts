/** Interpretation of a single cell, apart from its amount: how a number is displayed, what a text looks like. */
import { decimalToFen, fenToDecimal, formatNumberAsDecimal, parseDecimal, roundToSignificantDigits } from '../rules/decimal.ts'

/** Formats a number like a cell with the format "General": at most eleven digits. */
export function formatGeneral(value: number): string {
  const fen = Math.round(value * 100)
  // Fast path for nearly every number, like `storedValueToFen`; all of its digits are displayed.
  if (fen / 100 === value && Math.abs(fen) < 1e10) return fenToDecimal(fen)
  const exact = formatNumberAsDecimal(value)
  if (exact.length <= 12 || Number.isInteger(value)) return exact
  return formatNumberAsDecimal(Number(value.toPrecision(11)))
}

/** Formats a percentage: 0.085 with one place → `8.5%`; rounded half away from zero on the decimal, as Excel does. */
export function formatPercent(value: number, places: number): string {
  const decimal = roundToSignificantDigits(formatNumberAsDecimal(value))
  const [integerDigits = '0', fraction = ''] = decimal.replace('-', '').split('.')
  const digits = fraction.padEnd(2 + places + 1, '0')
  const rounded = BigInt(integerDigits + digits.slice(0, 2 + places)) + (digits.charCodeAt(2 + places) >= 53 ? 1n : 0n)
  const text = rounded.toString().padStart(places + 1, '0')
  const formatted = places > 0 ? `${text.slice(0, -places)}.${text.slice(-places)}` : text
  return `${decimal.startsWith('-') && rounded !== 0n ? '-' : ''}${formatted}%`
}

/** Excel stores 15 digits: a longer whole number has permanently lost its last ones (ID cards, bank cards). */
export const hasLostDigits = (value: number) => Math.abs(value) >= 1e15

/** Converts a stored value to fen without creating a cell; the fast path for sums over ten thousand rows. */
export function storedValueToFen(stored: unknown): number | null {
  if (typeof stored === 'number') {
    // Adding 0 turns −0 into 0.
    if (Number.isInteger(stored)) return Math.abs(stored) < 9e13 ? stored * 100 + 0 : null
    // If the double nearest to the amount in fen is this number, the amount is exact.
    const fen = Math.round(stored * 100)
    if (fen / 100 === stored && Math.abs(fen) < 1e14) return fen
    return decimalToFen(formatNumberAsDecimal(stored))
  }
  return typeof stored === 'string' ? decimalToFen(parseDecimal(stored)) : null
}

export const isLikelyEmail = (text: string) => text.length <= 254 && /^[^\s@]{1,64}@[^\s@]+\.[^\s@.]{2,}$/.test(text)

/** Matches a date or month written as text: 2026-03 · 2026年3月 · 2026/3/5 · 202603 · 1990. 1. 1. */
export const isLikelyDate = (text: string) =>
  /^(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}(?:\s?[-/.月]\s?\d{0,2}\s?[日.]?)?(?:\s\d{1,2}:\d\d(?::\d\d)?)?$/.test(text) ||
  /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?$/.test(text)

export const isPercent = (text: string) => /^-?\d+(?:\.\d+)?\s?[%％‰]$/.test(text)
