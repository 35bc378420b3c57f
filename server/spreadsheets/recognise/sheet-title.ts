/**
 * The title of a sheet and its month. Only unambiguous text counts; two months mean none. If months of the same members
 * are below each other, each is a separate table, so that nobody is paid twice because last month is still in the
 * sheet.
 */

import { identityRoles, isMobile } from '../../contract/sheets/column-roles.ts'
import { findMonths, isOtherDateLabel, joinSpacedText, sortMonths } from '../../rules/months.ts'
import { type Grid, getFilledColumns, getText, type StoredValue } from '../grid.ts'
import type { CombinedTable, TableReading } from '../profiles/wage/types.ts'
import { mentionsPayTerms } from './synonyms.ts'
import type { Header } from './types.ts'

export interface SheetTitle {
  title: string | null
  /** `2026-10` */
  month: string | null
  /** If several months are named, all of them in order; for a month without a year, that one: `-10`. */
  months?: string[]
}

/** Matches 2026年度, but not the year of 2026年9月. */
const yearPattern = /(?<!\d)(20\d\d)(?:年度|年|$)(?!\s?(?:\d{1,2}|[一二三四五六七八九十]{1,3})月)(?!度)/g
const payTitlePattern =
  /工\s*资|薪|奖金|报酬|劳务|津贴|补贴|payroll|salary|salaries|wage|pay ?slip|bonus|給与|給料|賃金|급여|임금|lương|зарплат|заработн/i
const notTitlePattern = /[:：]|^注|说明|单位|部门|制表|编制|page/i

/** Returns the month of a title: 2026年10月工资表, 十月份工资, 10月. Notes and remarks are not titles; two months mean none. */
export function parseTitleMonth(text: string): string {
  if (text.length > 60 || notTitlePattern.test(text) || !/月|20\d\d/.test(text)) return ''
  const plain = joinSpacedText(text)
  if (!payTitlePattern.test(plain) && !bareMonthPattern.test(plain)) return ''
  const months = new Set(findMonths(plain, undefined))
  const [month = ''] = months
  return months.size === 1 ? month : ''
}
const bareMonthPattern = /^(?:20\d\d\s?年?[-./]?)?(?:\d{1,2}|[一二三四五六七八九十]{1,3})月(?:份)?$/

/**
 * Checks the rows above the header, then the sheet name, then a month column, in this order; a month without a year is
 * not used.
 */
export function findSheetTitle(grid: Grid, top: number, sheet: string, months: readonly StoredValue[]): SheetTitle {
  const declared = findDeclaredTitle(grid, top, sheet, months)
  if (declared.month === null || declared.month.length === 7) return declared
  return { title: declared.title, month: null, months: [declared.month] }
}

/** Returns the month like the previous function, but a month without a year as `-10`. */
function findDeclaredTitle(grid: Grid, top: number, sheet: string, months: readonly StoredValue[]): SheetTitle {
  const texts: string[] = []
  const dates: Date[] = []
  for (let row = 0; row < Math.min(top, 60); row++) {
    if (grid.hidden_rows.has(row)) continue
    let before = ''
    for (const column of getFilledColumns(grid, row)) {
      const stored = grid.rows[row]?.[column]
      const text = joinSpacedText(getText(grid, row, column))
      // The date next to 发放日期 is the payment date, that next to 制表日期 the creation date.
      if (!isOtherDateLabel(before))
        if (stored instanceof Date) dates.push(stored)
        else texts.push(text)
      before = text
    }
  }
  const title = selectTitle(texts)
  const years = new Set(
    [...texts, sheet].flatMap((text) => [...text.matchAll(yearPattern)].map((candidates) => candidates[1] ?? '')),
  )
  const year = years.size === 1 ? [...years][0] : undefined
  const sources: (() => string[])[] = [
    () => findMonths(title ?? '', year),
    () => texts.flatMap((text) => findMonths(text, year)),
    () => dates.filter((date) => !Number.isNaN(date.getTime())).map((date) => date.toISOString().slice(0, 7)),
    () => findMonths(joinSpacedText(sheet), year),
    () => months.map((stored) => parseMonthCell(stored)).filter((month) => month !== ''),
  ]
  // 十月 without a year waits for a source that contains the year.
  let monthWithoutYear: string | undefined
  for (const source of sources) {
    const candidates = new Set(source())
    if (candidates.size === 0) continue
    const [month = ''] = candidates
    const several =
      monthWithoutYear !== undefined && !month.endsWith(monthWithoutYear) ? [monthWithoutYear, ...candidates] : [...candidates]
    if (several.length > 1) return { title, month: null, months: sortMonths(several) }
    if (month.length === 7) return { title, month }
    monthWithoutYear = month
  }
  return { title, month: monthWithoutYear ?? null }
}

/** Selects the title: texts about pay first, then any that are not remarks; the longest of equals. */
function selectTitle(texts: readonly string[]): string | null {
  const rank = (text: string) =>
    (payTitlePattern.test(text) ? 4 : 0) + (notTitlePattern.test(text) ? 0 : 2) + (text.length <= 60 ? 1 : 0)
  let best: string | null = null
  for (const text of texts) {
    if (text === '' || text.length > 200 || !/\p{L}/u.test(text)) continue
    if (best === null || rank(text) > rank(best) || (rank(text) === rank(best) && text.length > best.length)) best = text
  }
  return best !== null && rank(best) >= 2 ? best.slice(0, 100) : null
}

/** Parses a cell of a month column: a date, 202610, 2026-10, 2026年10月. Two months in one cell mean none. */
function parseMonthCell(stored: StoredValue): string {
  if (stored instanceof Date) return Number.isNaN(stored.getTime()) ? '' : stored.toISOString().slice(0, 7)
  const text = joinSpacedText(String(stored ?? ''))
  if (/^-\d\d$/.test(text)) return text
  const months = new Set(findMonths(text, undefined))
  return months.size === 1 ? ([...months][0] ?? '') : ''
}

// Months one below the other: by a month column, or by a title above each block

type MonthGrids = readonly { readonly month: string; readonly grid: Grid }[]

const payPrefixPattern = '(?:工资|薪资|薪酬|所属|归属|发薪|发放|计薪|核算|结算)'
const monthColumnPattern = new RegExp(
  `^${payPrefixPattern}*(?:月份|年月|月度|所属期间?)$|^${payPrefixPattern}+(?:月|期间)$|^(?:(?:pay|salary|wage|payroll) ?)?month$|^(?:pay|salary|wage|payroll) ?period$`,
  'i',
)
const yearColumnPattern = new RegExp(`^${payPrefixPattern}*(?:年|年份|年度)$|^(?:(?:pay|salary|wage|payroll) ?)?year$`, 'i')
/** 月 alone may count months of service. */
const bareMonthLabelPattern = /^月$/

/** Columns that give the month of each row. `year` is the index of a separate year column. */
export type MonthColumns = { readonly month: number; readonly year: number | undefined; readonly isBare: boolean }

export function findMonthColumns(columns: readonly { readonly label: string; readonly index: number }[]): MonthColumns | null {
  const at = (pattern: RegExp) => columns.find(({ label }) => pattern.test(label.trim()))?.index
  const year = at(yearColumnPattern)
  const plain = at(monthColumnPattern)
  const month = plain ?? at(bareMonthLabelPattern)
  return month === undefined ? null : { month, year, isBare: plain === undefined }
}

/** Returns the month of a row, such as `2026-10`, or `-10` without a year; empty if there is none. */
export function readRowMonth(cells: readonly StoredValue[] | undefined, { month, year }: MonthColumns): string {
  const text = joinSpacedText(String(cells?.[month] ?? ''))
  const [, declaredYear] =
    year === undefined ? [] : (/^(20\d\d)(?:年度?)?$/.exec(joinSpacedText(String(cells?.[year] ?? ''))) ?? [])
  const [, number] = /^(0?[1-9]|1[0-2])$/.exec(text) ?? []
  // A number alone may count anything, unless the column or a year beside it shows that it is a month.
  if (number !== undefined) return `${declaredYear ?? ''}-${number.padStart(2, '0')}`
  const parsed = parseMonthCell(cells?.[month])
  return parsed.length === 3 && declaredYear !== undefined ? `${declaredYear}${parsed}` : parsed
}

/** Formats a month as 2026年10月. */
const formatMonthLabel = (month: string): string => {
  const [year = '', number = ''] = month.split('-')
  return `${year && `${year}年`}${Number(number)}月`
}

export function splitByMonth(reading: TableReading): MonthGrids | null {
  const { grid, header, rows: read } = reading
  if (!header || read.memberRows.length < 2) return null
  const at = assignMonthsToRows(reading)
  const rowsByMonth = new Map<string, number[]>()
  for (const row of read.memberRows) {
    const month = at[row]
    if (month === undefined) return null
    const rows = rowsByMonth.get(month)
    if (rows) rows.push(row)
    else rowsByMonth.set(month, [row])
  }
  if (rowsByMonth.size < 2 || !haveSameMembers(reading, [...rowsByMonth.values()])) return null
  // A single total below all months belongs to none of them.
  const totals = new Set(read.totals.length < rowsByMonth.size ? read.totals : [])
  return sortMonths([...rowsByMonth.keys()]).map((month) => ({
    month,
    grid: {
      ...grid,
      name: `${grid.name} · ${formatMonthLabel(month)}`,
      rows: grid.rows.map((cells, row) => {
        const own = row >= header.top && row <= header.bottom
        return own || (!totals.has(row) && (at[row] ?? month) === month) ? cells : undefined
      }),
    },
  }))
}

/** Returns the month of each row: its own, otherwise that of the rows above; above the header only titles have a month. */
function assignMonthsToRows({ grid, header, rows, columns }: TableReading): (string | undefined)[] {
  const monthColumns = findMonthColumns(columns)
  const people = new Set(rows.memberRows)
  const monthByKey = new Map<string, string>()
  const inColumn = (row: number): string => {
    if (!monthColumns) return ''
    const cells = grid.rows[row]
    const stored = cells?.[monthColumns.month]
    const key = `${String(monthColumns.year === undefined ? '' : cells?.[monthColumns.year])}|${stored instanceof Date ? stored.getTime() : String(stored)}`
    let month = monthByKey.get(key)
    if (month === undefined) monthByKey.set(key, (month = readRowMonth(cells, monthColumns)))
    return month
  }
  const months: (string | undefined)[] = []
  let last: string | undefined
  grid.rows.forEach((_, row) => {
    const isBody = row > (header?.bottom ?? 0)
    const own = (isBody ? inColumn(row) : '') || (people.has(row) ? '' : getTitleRowMonth(grid, row))
    if (own !== '') last = own
    months[row] = isBody || own !== '' ? last : undefined
  })
  return months
}

/** Returns the month of a row with a single text, merged or not. */
function getTitleRowMonth(grid: Grid, row: number): string {
  const filled = getFilledColumns(grid, row)
  const text = getText(grid, row, filled[0] ?? 0)
  return text !== '' && filled.every((column) => getText(grid, row, column) === text) ? parseTitleMonth(text) : ''
}

/** Returns whether most members appear in more than one month; one person over many months is a personal list. */
function haveSameMembers({ grid, columns }: TableReading, months: readonly (readonly number[])[]): boolean {
  const identityColumns = columns.filter(({ role }) => identityRoles.has(role) && !isMobile(role))
  const times = new Map<string, number>()
  for (const rows of months)
    for (const person of new Set(rows.map((row) => identityColumns.map(({ index }) => getText(grid, row, index)).join('|'))))
      times.set(person, (times.get(person) ?? 0) + 1)
  const repeated = [...times.values()].filter((count) => count > 1).length
  return identityColumns.length > 0 && times.size > 1 && repeated * 2 >= times.size
}

/** Returns the month that a table declares; `-10` without a year. */
export function getDeclaredMonth({ grid, header, sheet, rows, columns, month }: TableReading): string | null {
  if (month !== undefined) return month
  return findDeclaredTitle(grid, header?.top ?? 0, sheet, listMonthCells(grid, rows.memberRows, columns)).month
}

const listMonthCells = (grid: Grid, people: readonly number[], columns: TableReading['columns']): StoredValue[] => {
  const monthColumns = findMonthColumns(columns)
  const months = monthColumns ? people.map((row) => readRowMonth(grid.rows[row], monthColumns)) : []
  return monthColumns?.isBare ? months.filter((month) => month.length === 7) : months
}

/**
 * Returns the title of the sheet with the month; of several months the one that is read, regardless of the title above
 * the first of them. Differing months mean none.
 */
export function getSheetTitle(
  readings: readonly [TableReading, ...TableReading[]],
  { grid, memberRows, columns, isOneMonth }: CombinedTable,
): SheetTitle {
  const [first] = readings
  const { months, ...declared } = findSheetTitle(
    first.grid,
    first.header?.top ?? 0,
    first.sheet,
    listMonthCells(grid, memberRows, columns),
  )
  const month = declared.month ?? (first.month?.length === 7 && isOneMonth ? first.month : null)
  const named = readings.flatMap((one) => getDeclaredMonth(one) ?? [])
  // 10月 does not differ from 2026-10.
  const distinctMonths = sortMonths(named).filter(
    (one) => one.length === 7 || !named.some((other) => other.length === 7 && other.endsWith(one)),
  )
  if (distinctMonths.length > 1) return { ...declared, month: null, months: distinctMonths }
  const left = months ?? (distinctMonths.length > 0 && distinctMonths.every((one) => one.length < 7) ? distinctMonths : undefined)
  return { ...declared, month, ...(month === null && left && { months: left }) }
}

/** Returns whether the sheet mentions pay in its labels, above its header or in its name. */
export const mentionsPay = (grid: Grid, header: Header): boolean => mentionsPayTerms(header, ...listTitleTexts(grid, header))

/** Lists the sheet name and the texts above the header. */
export const listTitleTexts = (grid: Grid, { top }: Header): string[] => [
  grid.name,
  ...Array.from({ length: top }, (_, row) => getFilledColumns(grid, row).map((column) => getText(grid, row, column))).flat(),
]
