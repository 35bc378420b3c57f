/** What one cell says, beside its amount: how a number is shown, what a text looks like. */
import { decimalToFen, fenToDecimal, formatNumberAsDecimal, parseDecimal, roundToSignificantDigits } from '../rules/decimal.ts'

/** As a cell of the format "General" shows it: at most eleven digits. */
export function formatGeneral(value: number): string {
  const fen = Math.round(value * 100)
  // Nearly every number of a sheet: as `storedValueToFen`, and all its digits are shown.
  if (fen / 100 === value && Math.abs(fen) < 1e10) return fenToDecimal(fen)
  const exact = formatNumberAsDecimal(value)
  if (exact.length <= 12 || Number.isInteger(value)) return exact
  return formatNumberAsDecimal(Number(value.toPrecision(11)))
}

/** 0.085 with one place → `8.5%`; rounded half away from zero on the decimal, as Excel does. */
export function formatPercent(value: number, places: number): string {
  const decimal = roundToSignificantDigits(formatNumberAsDecimal(value))
  const [integerDigits = '0', fraction = ''] = decimal.replace('-', '').split('.')
  const digits = fraction.padEnd(2 + places + 1, '0')
  const rounded = BigInt(integerDigits + digits.slice(0, 2 + places)) + (digits.charCodeAt(2 + places) >= 53 ? 1n : 0n)
  const text = rounded.toString().padStart(places + 1, '0')
  const formatted = places > 0 ? `${text.slice(0, -places)}.${text.slice(-places)}` : text
  return `${decimal.startsWith('-') && rounded !== 0n ? '-' : ''}${formatted}%`
}

/** Excel keeps 15 digits: a whole number with more has lost its last ones for good (ID cards, bank cards). */
export const hasLostDigits = (value: number) => Math.abs(value) >= 1e15

/** A stored value to fen without going through a cell; the quick path of sums over ten thousand rows. */
export function storedValueToFen(stored: unknown): number | null {
  if (typeof stored === 'number') {
    // Plus nothing: −0 is 0.
    if (Number.isInteger(stored)) return Math.abs(stored) < 9e13 ? stored * 100 + 0 : null
    // The double nearest to so many fen is this very number: then it is so many fen, exactly.
    const fen = Math.round(stored * 100)
    if (fen / 100 === stored && Math.abs(fen) < 1e14) return fen
    return decimalToFen(formatNumberAsDecimal(stored))
  }
  return typeof stored === 'string' ? decimalToFen(parseDecimal(stored)) : null
}

export const isLikelyEmail = (text: string) => text.length <= 254 && /^[^\s@]{1,64}@[^\s@]+\.[^\s@.]{2,}$/.test(text)

/** A date or a month written as text: 2026-03 · 2026年3月 · 2026/3/5 · 202603 · 1990. 1. 1. */
export const isLikelyDate = (text: string) =>
  /^(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}(?:\s?[-/.月]\s?\d{0,2}\s?[日.]?)?(?:\s\d{1,2}:\d\d(?::\d\d)?)?$/.test(text) ||
  /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?$/.test(text)

export const isPercent = (text: string) => /^-?\d+(?:\.\d+)?\s?[%％‰]$/.test(text)
