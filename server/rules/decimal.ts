/**
 * Exact decimals. An amount never becomes a floating point number: text and stored numbers are parsed to an exact
 * decimal, and the decimal is converted to fen. Anything that cannot be parsed exactly is null, never a guess.
 */
import { parseFen } from '../contract/shared/money.ts'
import { normalizeText } from './text.ts'

const currencyPattern = /^(?:RMB|CNY|人民币|[¥$€£₩₫₽])\s*|\s*(?:元整?|RMB|CNY|VN[DĐ]|đ(?:ồng)?|円|원|руб\.?|[¥€₩₫₽])$/gi
const letterPattern = /[A-Za-z\u4e00-\u9fff]/
const currencyNamePattern = /RMB|CNY|人民币|元|VN[DĐ]|円/i
const commaGroupedPattern = /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/
/** Spaces or apostrophes between groups of three digits: `8 000.00`, `12'000`. */
const spaceGroupedPattern = /^[1-9]\d{0,2}(?:(?: \d{3})+|(?:['’]\d{3})+)(\.\d{1,2})?$/
/**
 * Signs that the groups may be two numbers: a line break between them, or a plain space without a fraction. Spaces that
 * keep a number on one line (no-break, thin) are not ambiguous.
 */
const lineBreakPattern = /[\r\n]/
const plainBlankPattern = /[ \t\r\n]\d/
/** `9000.-`: a dash instead of the two decimal places means that there are none. */
const dashFractionPattern = /(?<=\d)[.,][-—]{1,2}$/
/** Number of significant digits that a spreadsheet stores. */
const significantDigits = 15
/** Needs no normalization: most employee numbers and phone numbers. */
const integerPattern = /^[1-9]\d{0,59}$/
const decimalPattern = /^(?:\d+(?:\.\d*)?|\.\d+)$/

/**
 * Parses a text to an exact decimal: `1,234.5` · `(5)` · `5-` · `￥１２` · `-¥3` · `9000.-` · `8 000.00`; null if it is
 * not clearly a number. `234,22` and `1 234,50` are not, because the comma may separate groups or decimals. Neither is
 * `8 000`, which may be two numbers.
 */
export function parseDecimal(text: string): string | null {
  if (integerPattern.test(text)) return text
  if (text.length > 60 || !/[0-9０-９]/.test(text)) return null
  // Fast path for names, employee numbers and dates, which are half of the cells of a roster.
  if (letterPattern.test(text) && !currencyNamePattern.test(text)) return null
  let rest = normalizeText(text).replace(/[−–﹣]/g, '-')
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
  rest = rest.replace(currencyPattern, '').replace(currencyPattern, '').trim()
  if (rest !== before && !/^[+-]/.test(before)) sign()
  if (dashFractionPattern.test(rest)) rest = rest.replace(dashFractionPattern, '')
  else if (rest.endsWith('-') && !/^[+-]/.test(before)) {
    negative = !negative
    rest = rest.slice(0, -1).trim()
  }
  if (commaGroupedPattern.test(rest)) rest = rest.replaceAll(',', '')
  else if (isSpaceGrouped(rest, text)) rest = rest.replace(/[ '’]/g, '')
  else if (!decimalPattern.test(rest)) return null
  return normalizeDecimal(rest, negative)
}

function isSpaceGrouped(rest: string, text: string): boolean {
  const groups = spaceGroupedPattern.exec(rest)
  return groups !== null && !(groups[1] ? lineBreakPattern : plainBlankPattern).test(text)
}

/** Removes redundant digits: `007.50` → `7.5`, no −0. */
function normalizeDecimal(digits: string, negative: boolean): string {
  const [integerDigits = '', fraction = ''] = digits.split('.')
  const left = integerDigits.replace(/^0+(?=\d)/, '') || '0'
  const right = fraction.replace(/0+$/, '')
  const value = right ? `${left}.${right}` : left
  return negative && value !== '0' ? `-${value}` : value
}

/** Formats a number as the shortest decimal that parses to it, without exponent: 7.104e2 → `710.4`, 1e-7 → `0.0000001`. */
export function formatNumberAsDecimal(value: number): string {
  const text = String(value)
  // Nearly every number has no exponent; matching a pattern for each one took a tenth of an upload.
  if (!text.includes('e')) return text
  const match = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (!match) return text
  const [, sign = '', integerDigits = '', fraction = '', power = '0'] = match
  const digits = integerDigits + fraction
  const point = integerDigits.length + Number(power)
  if (point <= 0) return normalizeDecimal(`0.${'0'.repeat(-point)}${digits}`, sign === '-')
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length)
  return normalizeDecimal(`${digits.slice(0, point)}.${digits.slice(point)}`, sign === '-')
}

/**
 * Rounds to the decimal that a spreadsheet displays: it stores 15 digits, and the digits behind them are rounding
 * noise. `1234.5649999999998` → `1234.565`. Whole numbers stay unchanged: those of 16 digits are identifiers, and their
 * lost digits are handled elsewhere.
 */
export function roundToSignificantDigits(decimal: string): string {
  // The maximum length is fifteen digits, a decimal point and a sign.
  if (decimal.length <= significantDigits + 1) return decimal
  const [, sign = '', integerDigits = '', fraction = ''] = /^(-?)(\d+)\.(\d+)$/.exec(decimal) ?? []
  if (fraction === '' || integerDigits.length >= significantDigits) return decimal
  const leading = integerDigits === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : -integerDigits.length
  const places = significantDigits + leading
  if (fraction.length <= places) return decimal
  const digits = BigInt(integerDigits + fraction.slice(0, places)) + (fraction.charCodeAt(places) >= 53 ? 1n : 0n)
  const padded = digits.toString().padStart(places + 1, '0')
  return normalizeDecimal(`${padded.slice(0, -places)}.${padded.slice(-places)}`, sign === '-')
}

/**
 * Converts a decimal to fen as a spreadsheet displays it, rounded half away from zero: `71413.035` → 7141304,
 * `710.4000000000001` → 71040, `1234.5649999999998` → 123457. Null if there is no number or it exceeds a safe integer.
 */
export function decimalToFen(decimal: string | null): number | null {
  return decimal === null ? null : parseFen(roundToSignificantDigits(decimal))
}

/** Formats fen as the shortest decimal in yuan, like `formatNumberAsDecimal`: 123450 → `1234.5`. */
export function fenToDecimal(fen: number): string {
  const size = Math.abs(fen)
  const rest = size % 100
  if (rest === 0) return String(fen / 100)
  const integerDigits = `${fen < 0 ? '-' : ''}${(size - rest) / 100}`
  return rest % 10 === 0 ? `${integerDigits}.${rest / 10}` : `${integerDigits}.${rest < 10 ? '0' : ''}${rest}`
}

/** Characters that mean "nothing" in an amount column. */
export const isEmptyMark = (text: string) => /^[-—–_/\\－﹣~]{1,4}$/.test(text) || /^(?:无|none|nil|n\/a)$/i.test(text)

/** Parts per million. `10`, `10%` and `0.1` are the same rate: no rate is below one percent. Null if it is not a number. */
export function parseRate(text: string): number | null {
  const decimal = parseDecimal(text.replace(/[%％]/g, ''))
  if (decimal === null) return null
  const [number = '', fraction = ''] = decimal.split('.')
  const isShare = !/[%％]/.test(text) && /^-?0$/.test(number)
  const digits = `${number}${fraction.padEnd(6, '0').slice(0, 6)}`
  return isShare ? Number(digits) : Number(digits) / 100
}
