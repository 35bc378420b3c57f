/**
 * Money is an integer number of fen. Text is parsed digit by digit and never through a float: `Math.round(x * 100)` is
 * wrong for one amount in 220 with three decimals.
 */
declare const fenBrand: unique symbol
export type Fen = number & { readonly [fenBrand]: 'fen' }

/** Converts an integer to fen; throws on anything that is not an integer or that a double cannot represent exactly. */
export function toFen(value: number): Fen {
  if (!Number.isSafeInteger(value)) throw new RangeError('an amount must be a safe integer of fen')
  return (Object.is(value, -0) ? 0 : value) as Fen
}

/**
 * Parses fen from a plain decimal such as `-8333.335`, rounded half away from zero; `null` when it is not one.
 * Thousands separators, signs in unusual positions and units are handled by the wage sheet's parser.
 */
export function parseFen(text: string): Fen | null {
  const match = /^([+-]?)(\d{1,15})(?:\.(\d{0,40}))?$/.exec(text)
  if (!match) return null
  const [, sign, full = '', fraction = ''] = match
  const value = Number(full) * 100 + Number(`${fraction}00`.slice(0, 2)) + (fraction.charCodeAt(2) >= 53 ? 1 : 0)
  return Number.isSafeInteger(value) ? toFen(sign === '-' ? -value : value) : null
}

/** `1234567` → `12,345.67`; negative with a real minus sign. */
export function formatFen(value: number): string {
  const digits = String(Math.abs(toFen(value))).padStart(3, '0')
  const full = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',')
  return `${value < 0 ? '−' : ''}${full}.${digits.slice(-2)}`
}

/** `-1234` → `-12.34`, digit by digit: as typed by a user and as read by a spreadsheet. */
export function formatPlainFen(value: number): string {
  const digits = String(Math.abs(toFen(value))).padStart(3, '0')
  return `${value < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/**
 * How an amount is displayed relative to its wage sheet: unchanged (`own`); with a minus sign even where the sheet
 * omits it (`minus`); or with the sign reversed where the sheet's sum subtracts it (`turned`). Deductions always have a
 * minus sign.
 */
export const amountSigns = ['own', 'minus', 'turned'] as const
export type AmountSign = (typeof amountSigns)[number]
export const applySign = (value: number, sign: AmountSign): Fen =>
  toFen(sign === 'turned' || (sign === 'minus' && value > 0) ? -value : value)

export const sumFen = (values: Iterable<number>): Fen => {
  let total = toFen(0)
  for (const value of values) total = toFen(total + value)
  return total
}

/** `value` × `rate` parts per million, rounded half away from zero to the fen. Exact for every safe amount. */
export function multiplyByRate(value: Fen, rate_ppm: number): Fen {
  const product = BigInt(value) * BigInt(rate_ppm)
  const half = product < 0n ? -500_000n : 500_000n
  return toFen(Number((product + half) / 1_000_000n))
}
