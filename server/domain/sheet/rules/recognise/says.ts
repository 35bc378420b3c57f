/**
 * What a sheet says it is: its title, and the month it is for. Only what is plainly written counts; two months are none. Where months of the same
 * people stand one below the other, each is a table of its own: nobody is paid twice because last month still stands there.
 */
import { filledColumns, type Grid, type Stored, textAt } from '../grid.ts'
import type { Pool } from './pool.ts'
import type { Reading } from './reading.ts'

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

/** The month of a title: 2026年10月工资表, 十月份工资, 10月. Notes and what stands aside are no titles; two months are none. */
export function titleMonth(text: string): string {
  if (text.length > 60 || aside.test(text) || !/月|20\d\d/.test(text)) return ''
  const plain = joined(text)
  if (!about.test(plain) && !bareMonth.test(plain)) return ''
  const found = new Set(monthsIn(plain, undefined))
  const [month = ''] = found
  return found.size === 1 ? month : ''
}
const bareMonth = /^(?:20\d\d\s?年?[-./]?)?(?:\d{1,2}|[一二三四五六七八九十]{1,3})月(?:份)?$/

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

// Months one below the other: by a column that names the month, or by a title over each block ---------------------------------------

type Months = readonly { readonly month: string; readonly grid: Grid }[]

const monthLabel = /^(?:工资|所属|发薪|薪资|发放|计薪|核算)?(?:月份|年月|月度)$|^(?:pay )?month$/i
const isMonthLabel = (label: string): boolean => monthLabel.test(label.trim())

/** 2026年10月 */
const monthWords = (month: string): string => {
  const [year = '', number = ''] = month.split('-')
  return `${year && `${year}年`}${Number(number)}月`
}

export function monthsOf(reading: Reading): Months | null {
  const { grid, header, rows: read } = reading
  if (!header || read.people.length < 2) return null
  const at = monthByRow(reading)
  const people = new Map<string, number[]>()
  for (const row of read.people) {
    const month = at[row]
    if (month === undefined) return null
    const rows = people.get(month)
    if (rows) rows.push(row)
    else people.set(month, [row])
  }
  if (people.size < 2 || !areTheSame(reading, [...people.values()])) return null
  // One total under all of them is of no month.
  const totals = new Set(read.totals.length < people.size ? read.totals : [])
  return [...people.keys()].toSorted().map((month) => ({
    month,
    grid: {
      ...grid,
      name: `${grid.name} · ${monthWords(month)}`,
      rows: grid.rows.map((cells, row) => {
        const own = row >= header.top && row <= header.bottom
        return own || (!totals.has(row) && (at[row] ?? month) === month) ? cells : undefined
      }),
    },
  }))
}

/** The month that each row is of: its own, else that of the rows above it; over the header only titles are of a month. */
function monthByRow({ grid, header, rows, columns }: Reading): (string | undefined)[] {
  const column = columns.find(({ label }) => isMonthLabel(label))?.index
  const people = new Set(rows.people)
  const known = new Map<Stored, string>()
  const inColumn = (row: number): string => {
    const stored = column === undefined ? null : grid.rows[row]?.[column]
    const key = stored instanceof Date ? stored.getTime() : stored
    let month = known.get(key)
    if (month === undefined) known.set(key, (month = monthOf(stored)))
    return month
  }
  const months: (string | undefined)[] = []
  let last: string | undefined
  grid.rows.forEach((_, row) => {
    const isBody = row > (header?.bottom ?? 0)
    const own = (isBody ? inColumn(row) : '') || (people.has(row) ? '' : inTitle(grid, row))
    if (own !== '') last = own
    months[row] = isBody || own !== '' ? last : undefined
  })
  return months
}

/** One text alone in its row, merged or not. */
function inTitle(grid: Grid, row: number): string {
  const filled = filledColumns(grid, row)
  const text = textAt(grid, row, filled[0] ?? 0)
  return text !== '' && filled.every((column) => textAt(grid, row, column) === text) ? titleMonth(text) : ''
}

/** Most of those who stand there at all stand there in more than one month; one person over many months is his own list. */
function areTheSame({ grid, columns }: Reading, months: readonly (readonly number[])[]): boolean {
  const who = columns.filter(({ role }) => ['name', 'last_name', 'first_name', 'employee_no', 'id_card'].includes(role))
  const times = new Map<string, number>()
  for (const rows of months)
    for (const person of new Set(rows.map((row) => who.map(({ index }) => textAt(grid, row, index)).join('|'))))
      times.set(person, (times.get(person) ?? 0) + 1)
  const again = [...times.values()].filter((count) => count > 1).length
  return who.length > 0 && times.size > 1 && again * 2 >= times.size
}

/** What the sheet says it is; of several months the one that is read, whatever stands over the first of them. */
export function saysIn(first: Reading, { grid, people, columns, isOneMonth }: Pool): Says {
  const column = columns.find(({ label }) => isMonthLabel(label))
  const months = column ? people.map((row) => grid.rows[row]?.[column.index]) : []
  const said = saysOf(first.grid, first.header?.top ?? 0, first.sheet, months)
  return { ...said, month: said.month ?? (first.month?.length === 7 && isOneMonth ? first.month : null) }
}
