/**
 * Decimals, read sign by sign. An amount never becomes a float: text and stored numbers turn into an exact decimal, the decimal into fen. What
 * cannot be read exactly is null, never a guess.
 */
import { parseFen } from '../contract/words/money.ts'
import { tidy } from './text.ts'

const currency = /^(?:RMB|CNY|人民币|[¥$€£₩₫₽])\s*|\s*(?:元整?|RMB|CNY|VN[DĐ]|đ(?:ồng)?|円|원|руб\.?|[¥€₩₫₽])$/gi
const words = /[A-Za-z\u4e00-\u9fff]/
const currencyWords = /RMB|CNY|人民币|元|VN[DĐ]|円/i
const grouped = /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/
/** Blanks or apostrophes between groups of three digits: `8 000.00`, `12'000`. */
const groupedApart = /^[1-9]\d{0,2}(?:(?: \d{3})+|(?:['’]\d{3})+)(\.\d{1,2})?$/
/**
 * What shows that the groups are two numbers or may be: a line break between them, and without a fraction a plain blank. A blank that keeps a
 * number together on its line (no-break, thin) is no such doubt.
 */
const brokenLine = /[\r\n]/
const plainBlank = /[ \t\r\n]\d/
/** `9000.-`: a dash instead of the two digits behind the point says that there are none. */
const noFraction = /(?<=\d)[.,][-—]{1,2}$/
/** Digits that a spreadsheet keeps of a number. */
const keptDigits = 15
/** As it is: most numbers of the house and phones. */
const whole = /^[1-9]\d{0,59}$/
const plain = /^(?:\d+(?:\.\d*)?|\.\d+)$/

/**
 * The exact decimal a text stands for: `1,234.5` · `(5)` · `5-` · `￥１２` · `-¥3` · `9000.-` · `8 000.00`; null when it is not plainly a number.
 * `234,22` and `1 234,50` are not: whether the comma groups or divides cannot be known. Nor is `8 000`, which may be two numbers.
 */
export function readDecimal(text: string): string | null {
  if (whole.test(text)) return text
  if (text.length > 60 || !/[0-9０-９]/.test(text)) return null
  // Names, numbers of the house and days: half of the cells of a roster.
  if (words.test(text) && !currencyWords.test(text)) return null
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
  if (noFraction.test(rest)) rest = rest.replace(noFraction, '')
  else if (rest.endsWith('-') && !/^[+-]/.test(before)) {
    negative = !negative
    rest = rest.slice(0, -1).trim()
  }
  if (grouped.test(rest)) rest = rest.replaceAll(',', '')
  else if (isGroupedApart(rest, text)) rest = rest.replace(/[ '’]/g, '')
  else if (!plain.test(rest)) return null
  return plainDecimal(rest, negative)
}

function isGroupedApart(rest: string, text: string): boolean {
  const groups = groupedApart.exec(rest)
  return groups !== null && !(groups[1] ? brokenLine : plainBlank).test(text)
}

/** Digits without what says nothing: `007.50` → `7.5`, no −0. */
function plainDecimal(digits: string, negative: boolean): string {
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
  if (point <= 0) return plainDecimal(`0.${'0'.repeat(-point)}${digits}`, sign === '-')
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length)
  return plainDecimal(`${digits.slice(0, point)}.${digits.slice(point)}`, sign === '-')
}

/**
 * The decimal that a spreadsheet shows: it keeps 15 digits, so what stands behind them is noise of its own arithmetic. `1234.5649999999998` →
 * `1234.565`. Whole numbers stay as they are: those of 16 digits are numbers of something, and their lost digits are another question.
 */
export function roundToKeptDigits(decimal: string): string {
  // Fifteen digits, a point and a sign.
  if (decimal.length <= keptDigits + 1) return decimal
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)\.(\d+)$/.exec(decimal) ?? []
  if (fraction === '' || whole.length >= keptDigits) return decimal
  const leading = whole === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : -whole.length
  const places = keptDigits + leading
  if (fraction.length <= places) return decimal
  const digits = BigInt(whole + fraction.slice(0, places)) + (fraction.charCodeAt(places) >= 53 ? 1n : 0n)
  const padded = digits.toString().padStart(places + 1, '0')
  return plainDecimal(`${padded.slice(0, -places)}.${padded.slice(-places)}`, sign === '-')
}

/**
 * Fen of a decimal as a spreadsheet shows it, rounded half away from zero: `71413.035` → 7141304, `710.4000000000001` → 71040,
 * `1234.5649999999998` → 123457. Null when there is no number or an integer cannot hold it.
 */
export function fenOfDecimal(decimal: string | null): number | null {
  return decimal === null ? null : parseFen(roundToKeptDigits(decimal))
}

/** The shortest decimal of so many fen, as `decimalOfNumber` writes the same amount in yuan: 123450 → `1234.5`. */
export function decimalOfFen(fen: number): string {
  const size = Math.abs(fen)
  const rest = size % 100
  if (rest === 0) return String(fen / 100)
  const whole = `${fen < 0 ? '-' : ''}${(size - rest) / 100}`
  return rest % 10 === 0 ? `${whole}.${rest / 10}` : `${whole}.${rest < 10 ? '0' : ''}${rest}`
}

/** Signs that stand for "nothing" in a money column. */
export const isDash = (text: string) => /^[-—–_/\\－﹣~]{1,4}$/.test(text) || /^(?:无|none|nil|n\/a)$/i.test(text)
