/**
 * Decimals, read sign by sign. An amount never becomes a float: text and stored numbers turn into an exact decimal, the decimal into fen. What
 * cannot be read exactly is null, never a guess.
 */
import { parseFen } from '../contract/shared/money.ts'
import { normalizeText } from './text.ts'

const currencyPattern = /^(?:RMB|CNY|人民币|[¥$€£₩₫₽])\s*|\s*(?:元整?|RMB|CNY|VN[DĐ]|đ(?:ồng)?|円|원|руб\.?|[¥€₩₫₽])$/gi
const letterPattern = /[A-Za-z\u4e00-\u9fff]/
const currencyNamePattern = /RMB|CNY|人民币|元|VN[DĐ]|円/i
const commaGroupedPattern = /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/
/** Blanks or apostrophes between groups of three digits: `8 000.00`, `12'000`. */
const spaceGroupedPattern = /^[1-9]\d{0,2}(?:(?: \d{3})+|(?:['’]\d{3})+)(\.\d{1,2})?$/
/**
 * What shows that the groups are two numbers or may be: a line break between them, and without a fraction a plain blank. A blank that keeps a
 * number together on its line (no-break, thin) is no such doubt.
 */
const lineBreakPattern = /[\r\n]/
const plainBlankPattern = /[ \t\r\n]\d/
/** `9000.-`: a dash instead of the two digits behind the point says that there are none. */
const dashFractionPattern = /(?<=\d)[.,][-—]{1,2}$/
/** Digits that a spreadsheet keeps of a number. */
const significantDigits = 15
/** As it is: most numbers of the house and phones. */
const integerPattern = /^[1-9]\d{0,59}$/
const decimalPattern = /^(?:\d+(?:\.\d*)?|\.\d+)$/

/**
 * The exact decimal a text stands for: `1,234.5` · `(5)` · `5-` · `￥１２` · `-¥3` · `9000.-` · `8 000.00`; null when it is not plainly a number.
 * `234,22` and `1 234,50` are not: whether the comma groups or divides cannot be known. Nor is `8 000`, which may be two numbers.
 */
export function parseDecimal(text: string): string | null {
  if (integerPattern.test(text)) return text
  if (text.length > 60 || !/[0-9０-９]/.test(text)) return null
  // Names, numbers of the house and days: half of the cells of a roster.
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

/** Digits without what says nothing: `007.50` → `7.5`, no −0. */
function normalizeDecimal(digits: string, negative: boolean): string {
  const [integerDigits = '', fraction = ''] = digits.split('.')
  const left = integerDigits.replace(/^0+(?=\d)/, '') || '0'
  const right = fraction.replace(/0+$/, '')
  const value = right ? `${left}.${right}` : left
  return negative && value !== '0' ? `-${value}` : value
}

/** The shortest decimal that reads back as this number, without exponent: 7.104e2 → `710.4`, 1e-7 → `0.0000001`. */
export function formatNumberAsDecimal(value: number): string {
  const text = String(value)
  // Nearly every number is written plainly; asking a pattern each time was a tenth of an upload.
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
 * The decimal that a spreadsheet shows: it keeps 15 digits, so what stands behind them is noise of its own arithmetic. `1234.5649999999998` →
 * `1234.565`. Whole numbers stay as they are: those of 16 digits are numbers of something, and their lost digits are another question.
 */
export function roundToSignificantDigits(decimal: string): string {
  // Fifteen digits, a point and a sign.
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
 * Fen of a decimal as a spreadsheet shows it, rounded half away from zero: `71413.035` → 7141304, `710.4000000000001` → 71040,
 * `1234.5649999999998` → 123457. Null when there is no number or an integer cannot hold it.
 */
export function decimalToFen(decimal: string | null): number | null {
  return decimal === null ? null : parseFen(roundToSignificantDigits(decimal))
}

/** The shortest decimal of so many fen, as `formatNumberAsDecimal` writes the same amount in yuan: 123450 → `1234.5`. */
export function fenToDecimal(fen: number): string {
  const size = Math.abs(fen)
  const rest = size % 100
  if (rest === 0) return String(fen / 100)
  const integerDigits = `${fen < 0 ? '-' : ''}${(size - rest) / 100}`
  return rest % 10 === 0 ? `${integerDigits}.${rest / 10}` : `${integerDigits}.${rest < 10 ? '0' : ''}${rest}`
}

/** Signs that stand for "nothing" in a money column. */
export const isEmptyMark = (text: string) => /^[-—–_/\\－﹣~]{1,4}$/.test(text) || /^(?:无|none|nil|n\/a)$/i.test(text)
