/** What a sheet says it is: its title, and the month it is for. Only what is plainly written counts; two months are none. */
import { filledColumns, type Grid, type Stored, textAt } from '../grid.ts'

export interface Says {
  title: string | null
  /** `2026-10` */
  month: string | null
}

/** 2026年度, not the one of 2026年9月. */
const yearAlone = /(?<!\d)(20\d\d)(?:年度|年|$)(?!\s?(?:\d{1,2}|[一二三四五六七八九十]{1,3})月)(?!度)/g
const about =
  /工\s*资|薪|奖金|报酬|劳务|津贴|补贴|payroll|salary|salaries|wage|pay ?slip|bonus|給与|給料|賃金|급여|임금|lương|зарплат|заработн/i
const aside = /[:：]|^注|说明|单位|部门|制表|编制|page/i

/** Rows over the header, then the name of the sheet, then a column of months, in this order. */
export function saysOf(grid: Grid, top: number, sheet: string, months: readonly Stored[]): Says {
  const texts: string[] = []
  const dates: Date[] = []
  for (let row = 0; row < Math.min(top, 60); row++) {
    if (grid.hidden_rows.has(row)) continue
    for (const column of filledColumns(grid, row)) {
      const stored = grid.rows[row]?.[column]
      if (stored instanceof Date) dates.push(stored)
      else texts.push(joined(textAt(grid, row, column)))
    }
  }
  const title = titleOf(texts)
  const years = new Set([...texts, sheet].flatMap((text) => [...text.matchAll(yearAlone)].map((found) => found[1] ?? '')))
  const year = years.size === 1 ? [...years][0] : undefined
  const sources: (() => string[])[] = [
    () => monthsIn(title ?? '', year),
    () => texts.flatMap((text) => monthsIn(text, year)),
    () => dates.filter((date) => !Number.isNaN(date.getTime())).map((date) => date.toISOString().slice(0, 7)),
    () => monthsIn(joined(sheet), year),
    () => months.map((stored) => monthOf(stored)).filter((month) => month !== ''),
  ]
  // 十月 without a year waits for a source that says which.
  let waiting: string | undefined
  for (const source of sources) {
    const found = new Set(source())
    if (found.size === 0) continue
    const [month = ''] = found
    if (found.size > 1 || (waiting !== undefined && !month.endsWith(waiting))) return { title, month: null }
    if (month.length === 7) return { title, month }
    waiting = month
  }
  return { title, month: null }
}

/** `工 资 表` is 工资表. */
const joined = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .replace(/(?<=[\d⺀-鿿〇])\s(?=[\d⺀-鿿〇])/g, (blank, at: number, whole: string) =>
      /\d/.test(whole[at - 1] ?? '') && /\d/.test(whole[at + 1] ?? '') ? blank : '',
    )
    .trim()

/** Speaks of pay, before anything that is no aside; the longest of equals. */
function titleOf(texts: readonly string[]): string | null {
  const rank = (text: string) => (about.test(text) ? 4 : 0) + (aside.test(text) ? 0 : 2) + (text.length <= 60 ? 1 : 0)
  let best: string | null = null
  for (const text of texts) {
    if (text === '' || text.length > 200 || !/\p{L}/u.test(text)) continue
    if (best === null || rank(text) > rank(best) || (rank(text) === rank(best) && text.length > best.length)) best = text
  }
  return best !== null && rank(best) >= 2 ? best.slice(0, 100) : null
}

const digits = '〇一二三四五六七八九'
/** 二〇二六 → 2026, 十一 → 11; undefined when it is no number. */
function chinese(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text)
  const plain = text.replace(/[零○0]/g, '〇').replace(/[1-9]/g, (digit) => digits[Number(digit)] ?? digit)
  const ten = /^([一二三四五六七八九])?十([一二三四五六七八九])?$/.exec(plain)
  if (ten) return (ten[1] ? digits.indexOf(ten[1]) : 1) * 10 + (ten[2] ? digits.indexOf(ten[2]) : 0)
  return /^[〇一二三四五六七八九]+$/.test(plain) ? Number([...plain].map((sign) => digits.indexOf(sign)).join('')) : undefined
}

const english = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** The months a text names; one without a year is of the year given, else `-10`. */
function monthsIn(text: string, year: string | undefined): string[] {
  const found: string[] = []
  const add = (y: number | undefined, m: number | undefined) => {
    if (y !== undefined && m !== undefined && y >= 2000 && y <= 2099 && m >= 1 && m <= 12)
      found.push(`${y}-${String(m).padStart(2, '0')}`)
  }
  // 2026年9月-10月 is two months.
  const years = '(20\\d\\d|[二2][〇零○0][\\d〇零○一二三四五六七八九]{2})'
  const months = '(\\d{1,2}|[一二三四五六七八九十]{1,3})'
  for (const [, y = '', m = '', to] of text.matchAll(
    new RegExp(`${years}年度?${months}月份?(?:[-~～—–至到]${months}月)?`, 'g'),
  )) {
    add(chinese(y), chinese(m))
    if (to !== undefined) add(chinese(y), chinese(to))
  }
  if (found.length > 0) return found
  for (const [, y = '', m = ''] of text.matchAll(/(?<!\d)(20\d\d)[-./年](\d{1,2})(?!\d)/g)) add(Number(y), Number(m))
  for (const [, y = '', m = ''] of text.matchAll(/(?<![\d.])(20\d\d)(0[1-9]|1[0-2])(?!\d)/g)) add(Number(y), Number(m))
  for (const [, m = '', y = ''] of text.matchAll(/(?<!\d)(0?[1-9]|1[0-2])[./](20\d\d)(?!\d)/g)) add(Number(y), Number(m))
  for (const [, y = '', m = ''] of text.matchAll(/(20\d\d)년\s?(\d{1,2})월/g)) add(Number(y), Number(m))
  for (const [, m = '', y = ''] of text.matchAll(/(?:tháng|месяц)\s?(\d{1,2})\s?(?:năm|[/-])\s?(20\d\d)/gi))
    add(Number(y), Number(m))
  for (const [, m = '', y = ''] of text.matchAll(
    /\b(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.?[\s,'/-]*(20\d\d)/gi,
  ))
    add(Number(y), english.indexOf(m.slice(0, 3).toLowerCase()) + 1)
  if (found.length > 0) return found
  for (const [, m = ''] of text.matchAll(
    /(?<![\d\-./年个满前后])(1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月(?!\d|底|初|前|后)/g,
  ))
    if (year !== undefined) add(Number(year), chinese(m))
    else found.push(`-${String(chinese(m)).padStart(2, '0')}`)
  if (found.length > 0) return found
  for (const [, m = ''] of text.matchAll(/\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)(?:[a-z]{2,6})?\b/g)) {
    const month = english.indexOf(m.slice(0, 3).toLowerCase()) + 1
    if (year !== undefined) add(Number(year), month)
    else found.push(`-${String(month).padStart(2, '0')}`)
  }
  return found
}

/** A cell of a month column: a date, 202610, 2026-10, 2026年10月. */
function monthOf(stored: Stored): string {
  if (stored instanceof Date) return Number.isNaN(stored.getTime()) ? '' : stored.toISOString().slice(0, 7)
  return monthsIn(joined(String(stored ?? '')), undefined)[0] ?? ''
}
