/**
 * What the formats of a workbook say about its numbers: which are dates, and how a percentage, a month or a number with its
 * zeros is shown. The file holds 0.08 and a serial number; the sheet shows 8% and 2026年3月. Nothing else of a style is read.
 */
import { formatPercent } from '../../cells.ts'
import { formatDate, type StoredValue } from '../../grid.ts'
import { parseTimeFormat } from './times.ts'
import { forEachTag } from './xml.ts'

/**
 * How a value is shown, where its format says more than the value; null where this value is none of the format's. A time needs the number that
 * stands in the file: its date has lost how many days of hours it counts.
 */
export type ValueFormatter = (stored: StoredValue, serial: number) => string | null

export interface CellStyles {
  isDate(style: number): boolean
  getFormatter(style: number): ValueFormatter | null
  /** Whether the format shows nothing of such a number. */
  isHiddenValue(style: number, value: StoredValue): boolean
}

/** Built-in formats that show dates or times, in any locale. */
export const isDateFormatId = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

const noonFormat = '上午/下午h"时"mm"分"'
/** Built-in formats of percentages and times, as a Chinese Excel shows them ([ECMA-376] 18.8.30). */
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
/** How values are shown in a built-in format, or in one of the file's own. */
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

/** What is written literally is no part of the code: texts, single signs, colours and conditions; but not `[h]`, hours beyond a day. */
const literalPattern = /"[^"]*"|[\\*_].|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi

/** Whether a number of this format is a point in time. A lone `m` may be minutes or a unit and decides nothing. */
export const isDateFormatCode = (code: string) =>
  /[ydhs]|m{3}|am\/pm|a\/p|\[m/i.test(code.replace(literalPattern, '').replace(/general/gi, ''))

export type HiddenNumberTest = (value: number) => boolean

/** `;;;` shows nothing, `0;-0;;@` nothing of zeros: which numbers a format hides; null where it hides none. A condition in it decides nothing. */
export function parseHiddenNumbers(code: string | undefined): HiddenNumberTest | null {
  if (code === undefined || code === '' || code.length > 200 || /\[[<>=]/.test(code)) return null
  const isEmpty = splitSections(code).map(
    (section) => /\[(?:white|白色)\]/i.test(section) || section.replace(/""|\[[^\]]*\]|[_*].|\s/g, '') === '',
  )
  if (!isEmpty.some(Boolean)) return null
  const getSection = (value: number) => (value > 0 ? 0 : value < 0 ? 1 : 2)
  return (value) => isEmpty[getSection(value)] ?? isEmpty[0] === true
}

/** Of positive numbers, negative ones, zeros and texts; a semicolon in quotes parts nothing. */
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
  // Months and dates with words; the plain ones are shown as 2026-03-05 anyway.
  if (/y/i.test(plain) && !/[dh]/i.test(plain))
    return (stored) => (stored instanceof Date ? stored.toISOString().slice(0, 7) : null)
  if (isDateFormatCode(code) && /h/i.test(plain) && !/s/i.test(plain)) return formatWithoutSeconds
  return null
}

/** The moment to the minute, where the sheet hides seconds that the value has. */
const formatWithoutSeconds: ValueFormatter = (stored) => {
  if (!(stored instanceof Date)) return null
  const minutes = new Date(Math.floor(Math.round(stored.getTime() / 1000) / 60) * 60_000)
  return minutes.getTime() === stored.getTime() ? null : formatDate(minutes)
}

/** 7 in the format 0000 or "GH"0000 is somebody's number, and stands there as 0007 or GH0007. */
const zeroPaddedPattern =
  (before: string, digits: number): ValueFormatter =>
  (stored) =>
    typeof stored === 'number' && Number.isInteger(stored) && stored >= 0
      ? `${before}${String(stored).padStart(digits, '0')}`
      : null
