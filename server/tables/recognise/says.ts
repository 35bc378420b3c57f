/**
 * What a sheet says it is: its title, and the month it is for. Only what is plainly written counts; two months are none. Where months of the same
 * people stand one below the other, each is a table of its own: nobody is paid twice because last month still stands there.
 */

import { inOrder, isOtherDateLabel, joined, monthsIn } from '../../rules/months.ts'
import { filledColumns, type Grid, type Stored, textAt } from '../grid.ts'
import type { Pool } from '../profiles/wage/pool.ts'
import type { Reading } from '../profiles/wage/reading.ts'
import type { Header } from './header.ts'
import { speaksOfPay } from './synonyms.ts'

export interface Says {
  title: string | null
  /** `2026-10` */
  month: string | null
  /** Where it is said of several, these, the last one last; of one without a year, that one: `-10`. */
  months?: string[]
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

/** Rows over the header, then the name of the sheet, then a column of months, in this order; a month without a year is none. */
export function saysOf(grid: Grid, top: number, sheet: string, months: readonly Stored[]): Says {
  const said = saidOver(grid, top, sheet, months)
  if (said.month === null || said.month.length === 7) return said
  return { title: said.title, month: null, months: [said.month] }
}

/** The same; where no year is said the month is `-10`. */
function saidOver(grid: Grid, top: number, sheet: string, months: readonly Stored[]): Says {
  const texts: string[] = []
  const dates: Date[] = []
  for (let row = 0; row < Math.min(top, 60); row++) {
    if (grid.hidden_rows.has(row)) continue
    let before = ''
    for (const column of filledColumns(grid, row)) {
      const stored = grid.rows[row]?.[column]
      const text = joined(textAt(grid, row, column))
      // Beside 发放日期 stands when it is paid, beside 制表日期 when it was made.
      if (!isOtherDateLabel(before))
        if (stored instanceof Date) dates.push(stored)
        else texts.push(text)
      before = text
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
    const several = waiting !== undefined && !month.endsWith(waiting) ? [waiting, ...found] : [...found]
    if (several.length > 1) return { title, month: null, months: inOrder(several) }
    if (month.length === 7) return { title, month }
    waiting = month
  }
  return { title, month: waiting ?? null }
}

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

/** A cell of a month column: a date, 202610, 2026-10, 2026年10月. Two months in one cell are none. */
function monthOf(stored: Stored): string {
  if (stored instanceof Date) return Number.isNaN(stored.getTime()) ? '' : stored.toISOString().slice(0, 7)
  const text = joined(String(stored ?? ''))
  if (/^-\d\d$/.test(text)) return text
  const months = new Set(monthsIn(text, undefined))
  return months.size === 1 ? ([...months][0] ?? '') : ''
}

// Months one below the other: by a column that names the month, or by a title over each block ---------------------------------------

type Months = readonly { readonly month: string; readonly grid: Grid }[]

const ofPay = '(?:工资|薪资|薪酬|所属|归属|发薪|发放|计薪|核算|结算)'
const monthLabel = new RegExp(
  `^${ofPay}*(?:月份|年月|月度|所属期间?)$|^${ofPay}+(?:月|期间)$|^(?:(?:pay|salary|wage|payroll) ?)?month$|^(?:pay|salary|wage|payroll) ?period$`,
  'i',
)
const yearLabel = new RegExp(`^${ofPay}*(?:年|年份|年度)$|^(?:(?:pay|salary|wage|payroll) ?)?year$`, 'i')
/** 月 alone may count months of service. */
const bareMonthLabel = /^月$/

/** Columns that say of each row which month it is for. `year`: where it stands in a column of its own. */
export type MonthColumns = { readonly month: number; readonly year: number | undefined; readonly isBare: boolean }

export function findMonthColumns(columns: readonly { readonly label: string; readonly index: number }[]): MonthColumns | null {
  const at = (pattern: RegExp) => columns.find(({ label }) => pattern.test(label.trim()))?.index
  const year = at(yearLabel)
  const plain = at(monthLabel)
  const month = plain ?? at(bareMonthLabel)
  return month === undefined ? null : { month, year, isBare: plain === undefined }
}

/** The month that a row says it is for: `2026-10`, `-10` where no year is said, nothing where it says none. */
export function readRowMonth(cells: readonly Stored[] | undefined, { month, year }: MonthColumns): string {
  const text = joined(String(cells?.[month] ?? ''))
  const [, saidYear] = year === undefined ? [] : (/^(20\d\d)(?:年度?)?$/.exec(joined(String(cells?.[year] ?? ''))) ?? [])
  const [, number] = /^(0?[1-9]|1[0-2])$/.exec(text) ?? []
  // A number alone counts anything, unless the column or the year beside it says that it is a month.
  if (number !== undefined) return `${saidYear ?? ''}-${number.padStart(2, '0')}`
  const found = monthOf(cells?.[month])
  return found.length === 3 && saidYear !== undefined ? `${saidYear}${found}` : found
}

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
  return inOrder([...people.keys()]).map((month) => ({
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
  const found = findMonthColumns(columns)
  const people = new Set(rows.people)
  const known = new Map<string, string>()
  const inColumn = (row: number): string => {
    if (!found) return ''
    const cells = grid.rows[row]
    const stored = cells?.[found.month]
    const key = `${String(found.year === undefined ? '' : cells?.[found.year])}|${stored instanceof Date ? stored.getTime() : String(stored)}`
    let month = known.get(key)
    if (month === undefined) known.set(key, (month = readRowMonth(cells, found)))
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

/** What a table says it is for; `-10` where no year is said. */
export function monthSaid({ grid, header, sheet, rows, columns, month }: Reading): string | null {
  if (month !== undefined) return month
  return saidOver(grid, header?.top ?? 0, sheet, monthCells(grid, rows.people, columns)).month
}

const monthCells = (grid: Grid, people: readonly number[], columns: Reading['columns']): Stored[] => {
  const found = findMonthColumns(columns)
  const months = found ? people.map((row) => readRowMonth(grid.rows[row], found)) : []
  return found?.isBare ? months.filter((month) => month.length === 7) : months
}

/** What the sheet says it is; of several months the one that is read, whatever stands over the first of them. Of months that differ, none. */
export function saysIn(chosen: readonly [Reading, ...Reading[]], { grid, people, columns, isOneMonth }: Pool): Says {
  const [first] = chosen
  const { months, ...said } = saysOf(first.grid, first.header?.top ?? 0, first.sheet, monthCells(grid, people, columns))
  const month = said.month ?? (first.month?.length === 7 && isOneMonth ? first.month : null)
  const named = chosen.flatMap((one) => monthSaid(one) ?? [])
  // 10月 is no other month than 2026-10.
  const apart = inOrder(named).filter(
    (one) => one.length === 7 || !named.some((other) => other.length === 7 && other.endsWith(one)),
  )
  if (apart.length > 1) return { ...said, month: null, months: apart }
  const left = months ?? (apart.length > 0 && apart.every((one) => one.length < 7) ? apart : undefined)
  return { ...said, month, ...(month === null && left && { months: left }) }
}

/** Whether the sheet speaks of pay: in its labels, over its header, in its name. */
export const saysPay = (grid: Grid, header: Header): boolean => speaksOfPay(header, ...textsOver(grid, header))

/** The name of the sheet and what stands over the header. */
export const textsOver = (grid: Grid, { top }: Header): string[] => [
  grid.name,
  ...Array.from({ length: top }, (_, row) => filledColumns(grid, row).map((column) => textAt(grid, row, column))).flat(),
]
