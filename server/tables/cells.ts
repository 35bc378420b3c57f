/**
 * What one cell says, read sign by sign. An amount never becomes a float: text and stored numbers turn into an exact decimal,
 * the decimal into fen. What cannot be read exactly is null, never a guess.
 */
import { parseFen } from '../contract/money.ts'
import { tidy } from '../rules/text.ts'

const currency = /^(?:RMB|CNY|人民币|[¥$€£₩₫₽])\s*|\s*(?:元整?|RMB|CNY|[¥€₩₫₽])$/gi
const grouped = /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/
const plain = /^(?:\d+(?:\.\d*)?|\.\d+)$/

/**
 * The exact decimal a text stands for: `1,234.5` · `(5)` · `5-` · `￥１２` · `-¥3`; null when it is not plainly a number.
 * `234,22` and `1 234,50` are not: whether the comma groups or divides cannot be known.
 */
export function readDecimal(text: string): string | null {
  if (text.length > 60 || !/[0-9０-９]/.test(text)) return null
  let rest = tidy(text).replace(/[−–﹣]/g, '-')
  let negative = false
  if (rest.startsWith('(') && rest.endsWith(')')) {
    negative = true
    rest = rest.slice(1, -1).trim()
  }
  const sign = () => {
    if (!/^[+-]/.test(rest)) return
    if (rest.startsWith('-')) negative = !negative
    rest = rest.slice(1).trim()
  }
  const before = rest
  sign()
  rest = rest.replace(currency, '').replace(currency, '').trim()
  if (rest !== before && !/^[+-]/.test(before)) sign()
  if (rest.endsWith('-') && !/^[+-]/.test(before)) {
    negative = !negative
    rest = rest.slice(0, -1).trim()
  }
  if (grouped.test(rest)) rest = rest.replaceAll(',', '')
  else if (!plain.test(rest)) return null
  return canonical(rest, negative)
}

function canonical(digits: string, negative: boolean): string {
  const [whole = '', fraction = ''] = digits.split('.')
  const left = whole.replace(/^0+(?=\d)/, '') || '0'
  const right = fraction.replace(/0+$/, '')
  const value = right ? `${left}.${right}` : left
  return negative && value !== '0' ? `-${value}` : value
}

/** The shortest decimal that reads back as this number, without exponent: 7.104e2 → `710.4`, 1e-7 → `0.0000001`. */
export function decimalOfNumber(value: number): string {
  const text = String(value)
  // Nearly every number is written plainly; asking a pattern each time was a tenth of an upload.
  if (!text.includes('e')) return text
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (!match) return text
  const [, sign = '', whole = '', fraction = '', power = '0'] = match
  const digits = whole + fraction
  const point = whole.length + Number(power)
  if (point <= 0) return canonical(`0.${'0'.repeat(-point)}${digits}`, sign === '-')
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length)
  return canonical(`${digits.slice(0, point)}.${digits.slice(point)}`, sign === '-')
}

/** As a cell of the format "General" shows it: at most eleven digits. */
export function generalText(value: number): string {
  const exact = decimalOfNumber(value)
  if (exact.length <= 12 || Number.isInteger(value)) return exact
  return decimalOfNumber(Number(value.toPrecision(11)))
}

/** 0.085 with one place → `8.5%`; rounded half away from zero on the decimal, as Excel does. */
export function percentText(value: number, places: number): string {
  const decimal = decimalOfNumber(value)
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.')
  const digits = fraction.padEnd(2 + places + 1, '0')
  const kept = BigInt(whole + digits.slice(0, 2 + places)) + (digits.charCodeAt(2 + places) >= 53 ? 1n : 0n)
  const text = kept.toString().padStart(places + 1, '0')
  const shown = places > 0 ? `${text.slice(0, -places)}.${text.slice(-places)}` : text
  return `${decimal.startsWith('-') && kept !== 0n ? '-' : ''}${shown}%`
}

/** Excel keeps 15 digits: a whole number with more has lost its last ones for good (ID cards, bank cards). */
export const isDamaged = (value: number) => Math.abs(value) >= 1e15

/**
 * Fen of an exact decimal, rounded half away from zero: `71413.035` → 7141304, `710.4000000000001` → 71040. Null when there is
 * no number or an integer cannot hold it.
 */
export function fenOfDecimal(decimal: string | null): number | null {
  return decimal === null ? null : parseFen(decimal)
}

/** A stored value to fen without going through a cell; the quick path of sums over ten thousand rows. */
export function fenOfStored(stored: unknown): number | null {
  if (typeof stored === 'number') {
    // Plus nothing: −0 is 0.
    if (Number.isInteger(stored)) return Math.abs(stored) < 9e13 ? stored * 100 + 0 : null
    // The double nearest to so many fen is this very number: then it is so many fen, exactly.
    const fen = Math.round(stored * 100)
    if (fen / 100 === stored && Math.abs(fen) < 1e14) return fen
    return parseFen(decimalOfNumber(stored))
  }
  return typeof stored === 'string' ? fenOfDecimal(readDecimal(stored)) : null
}

/** Signs that stand for "nothing" in a money column. */
export const isDash = (text: string) => /^[-—–_/\\－﹣~]{1,4}$/.test(text) || /^(?:无|none|nil|n\/a)$/i.test(text)

export const looksLikeEmail = (text: string) => text.length <= 254 && /^[^\s@]{1,64}@[^\s@]+\.[^\s@.]{2,}$/.test(text)

/** A date or a month written as text: 2026-03 · 2026年3月 · 2026/3/5 · 202603 · 1990. 1. 1. */
export const looksLikeDate = (text: string) =>
  /^(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}(?:\s?[-/.月]\s?\d{0,2}\s?[日.]?)?(?:\s\d{1,2}:\d\d(?::\d\d)?)?$/.test(text) ||
  /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?$/.test(text)

export const isPercent = (text: string) => /^-?\d+(?:\.\d+)?\s?[%％‰]$/.test(text)
