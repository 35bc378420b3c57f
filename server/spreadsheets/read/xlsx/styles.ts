/**
 * Interprets the number formats of a workbook: which numbers are dates, and how a percentage, a month or a zero-padded
 * number is displayed. The file contains 0.08 and a serial number; the sheet displays 8% and 2026年3月. Other parts of a
 * style are not read.
 */
import { formatPercent } from '../../cells.ts'
import { formatDate, type StoredValue } from '../../grid.ts'
import { parseTimeFormat } from './times.ts'
import { forEachTag } from './xml.ts'

/**
 * Formats a value if its number format adds information; null if the format does not apply to it. A time needs the
 * serial number of the file, because a date has lost how many days of hours it counts.
 */
export type ValueFormatter = (stored: StoredValue, serial: number) => string | null

export interface CellStyles {
  isDate(style: number): boolean
  getFormatter(style: number): ValueFormatter | null
  /** Returns whether the format hides such a number. */
  isHiddenValue(style: number, value: StoredValue): boolean
}

/** Returns whether a built-in format displays dates or times, in any locale. */
export const isDateFormatId = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

const noonFormat = '上午/下午h"时"mm"分"'
/** Built-in formats of percentages and times, as a Chinese Excel displays them ([ECMA-376] 18.8.30). */
const builtInFormats: Readonly<Record<number, string>> = {
  9: '0%',
  10: '0.00%',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'yyyy/m/d h:mm',
  32: 'h"时"mm"分"',
  33: 'h"时"mm"分"ss"秒"',
  34: noonFormat,
  35: `${noonFormat}ss"秒"`,
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
  55: noonFormat,
  56: `${noonFormat}ss"秒"`,
}
/** Returns the formatter for a built-in format or a custom one of the file. */
export const getFormatter = (id: number, code: string | undefined): ValueFormatter | null =>
  parseFormatter(code || (builtInFormats[id] ?? ''))

export function readStyles(part: Buffer | undefined): CellStyles {
  const codes = new Map<number, string>()
  const dates: boolean[] = []
  const shows: (ValueFormatter | null)[] = []
  const hides: (HiddenNumberTest | null)[] = []
  let inFormats = false
  if (part)
    forEachTag(part, {
      open(name, attribute) {
        if (name === 'numFmt') codes.set(Number(attribute('numFmtId')), attribute('formatCode') ?? '')
        else if (name === 'cellXfs') inFormats = true
        else if (name === 'xf' && inFormats) {
          const id = Number(attribute('numFmtId') ?? 0)
          const code = codes.get(id)
          dates.push(code ? isDateFormatCode(code) : isDateFormatId(id))
          shows.push(getFormatter(id, code))
          hides.push(parseHiddenNumbers(code))
        }
      },
      close(name) {
        if (name === 'cellXfs') inFormats = false
      },
    })
  return {
    isDate: (style) => dates[style] === true,
    getFormatter: (style) => shows[style] ?? null,
    isHiddenValue: (style, value) => typeof value === 'number' && hides[style]?.(value) === true,
  }
}

/** Literals that are not part of the code: texts, single characters, colors and conditions; but not `[h]`, hours beyond a day. */
const literalPattern = /"[^"]*"|[\\*_].|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi

/** Returns whether numbers with this format are dates or times. A single `m` may be minutes or a unit and is not conclusive. */
export const isDateFormatCode = (code: string) =>
  /[ydhs]|m{3}|am\/pm|a\/p|\[m/i.test(code.replace(literalPattern, '').replace(/general/gi, ''))

export type HiddenNumberTest = (value: number) => boolean

/**
 * Returns a test for the numbers that a format hides; null if it hides none. `;;;` hides everything, `0;-0;;@` hides
 * zeros. Formats with conditions are ignored.
 */
export function parseHiddenNumbers(code: string | undefined): HiddenNumberTest | null {
  if (code === undefined || code === '' || code.length > 200 || /\[[<>=]/.test(code)) return null
  const isEmpty = splitSections(code).map(
    (section) => /\[(?:white|白色)\]/i.test(section) || section.replace(/""|\[[^\]]*\]|[_*].|\s/g, '') === '',
  )
  if (!isEmpty.some(Boolean)) return null
  const getSection = (value: number) => (value > 0 ? 0 : value < 0 ? 1 : 2)
  return (value) => isEmpty[getSection(value)] ?? isEmpty[0] === true
}

/** Splits a format into its sections for positive numbers, negative ones, zeros and texts, ignoring quoted semicolons. */
const splitSections = (code: string): string[] =>
  code.replace(/"[^"]*"|\\./g, (literally) => (literally === '""' ? literally : 'x')).split(';')

export function parseFormatter(code: string): ValueFormatter | null {
  if (code === '' || code.length > 200) return null
  const zeros = /^((?:"[^"]*"|\\.)*)(0{2,})$/.exec(code)
  if (zeros) return zeroPaddedPattern(zeros[1]?.replace(/["\\]/g, '') ?? '', zeros[2]?.length ?? 0)
  const time = parseTimeFormat(code)
  if (time) return (stored, serial) => (stored instanceof Date ? time(serial) : null)
  const plain = code.replace(/"[^"]*"|\\.|\[[^\]]*\]/g, '')
  const percent = /^[^%]*?(?:\.(0+))?%/.exec(plain)
  if (percent) return (stored) => (typeof stored === 'number' ? formatPercent(stored, percent[1]?.length ?? 0) : null)
  // Months and dates with words; plain ones are formatted as 2026-03-05 anyway.
  if (/y/i.test(plain) && !/[dh]/i.test(plain))
    return (stored) => (stored instanceof Date ? stored.toISOString().slice(0, 7) : null)
  if (isDateFormatCode(code) && /h/i.test(plain) && !/s/i.test(plain)) return formatWithoutSeconds
  return null
}

/** Formats a date and time to the minute if the sheet hides the seconds of the value. */
const formatWithoutSeconds: ValueFormatter = (stored) => {
  if (!(stored instanceof Date)) return null
  const minutes = new Date(Math.floor(Math.round(stored.getTime() / 1000) / 60) * 60_000)
  return minutes.getTime() === stored.getTime() ? null : formatDate(minutes)
}

/** 7 in the format 0000 or "GH"0000 is an employee number and displayed as 0007 or GH0007. */
const zeroPaddedPattern =
  (before: string, digits: number): ValueFormatter =>
  (stored) =>
    typeof stored === 'number' && Number.isInteger(stored) && stored >= 0
      ? `${before}${String(stored).padStart(digits, '0')}`
      : null
