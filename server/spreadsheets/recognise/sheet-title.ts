/**
 * What a sheet says it is: its title, and the month it is for. Only what is plainly written counts; two months are none. Where months of the same
 * people stand one below the other, each is a table of its own: nobody is paid twice because last month still stands there.
 */

import { findMonths, isOtherDateLabel, joinSpacedText, sortMonths } from '../../rules/months.ts'
import { type Grid, getFilledColumns, getText, type StoredValue } from '../grid.ts'
import type { CombinedTable } from '../profiles/wage/combined-table.ts'
import type { TableReading } from '../profiles/wage/table-reading.ts'
import type { Header } from './header.ts'
import { mentionsPayTerms } from './synonyms.ts'

export interface SheetTitle {
  title: string | null
  /** `2026-10` */
  month: string | null
  /** Where it is said of several, these, the last one last; of one without a year, that one: `-10`. */
  months?: string[]
}

/** 2026年度, not the one of 2026年9月. */
const yearPattern = /(?<!\d)(20\d\d)(?:年度|年|$)(?!\s?(?:\d{1,2}|[一二三四五六七八九十]{1,3})月)(?!度)/g
const payTitlePattern =
  /工\s*资|薪|奖金|报酬|劳务|津贴|补贴|payroll|salary|salaries|wage|pay ?slip|bonus|給与|給料|賃金|급여|임금|lương|зарплат|заработн/i
const notTitlePattern = /[:：]|^注|说明|单位|部门|制表|编制|page/i

/** The month of a title: 2026年10月工资表, 十月份工资, 10月. Notes and what stands aside are no titles; two months are none. */
export function parseTitleMonth(text: string): string {
  if (text.length > 60 || notTitlePattern.test(text) || !/月|20\d\d/.test(text)) return ''
  const plain = joinSpacedText(text)
  if (!payTitlePattern.test(plain) && !bareMonthPattern.test(plain)) return ''
  const months = new Set(findMonths(plain, undefined))
  const [month = ''] = months
  return months.size === 1 ? month : ''
}
const bareMonthPattern = /^(?:20\d\d\s?年?[-./]?)?(?:\d{1,2}|[一二三四五六七八九十]{1,3})月(?:份)?$/

/** Rows over the header, then the name of the sheet, then a column of months, in this order; a month without a year is none. */
export function findSheetTitle(grid: Grid, top: number, sheet: string, months: readonly StoredValue[]): SheetTitle {
  const declared = findDeclaredTitle(grid, top, sheet, months)
  if (declared.month === null || declared.month.length === 7) return declared
  return { title: declared.title, month: null, months: [declared.month] }
}

/** The same; where no year is said the month is `-10`. */
function findDeclaredTitle(grid: Grid, top: number, sheet: string, months: readonly StoredValue[]): SheetTitle {
  const texts: string[] = []
  const dates: Date[] = []
  for (let row = 0; row < Math.min(top, 60); row++) {
    if (grid.hidden_rows.has(row)) continue
    let before = ''
    for (const column of getFilledColumns(grid, row)) {
      const stored = grid.rows[row]?.[column]
      const text = joinSpacedText(getText(grid, row, column))
      // Beside 发放日期 stands when it is paid, beside 制表日期 when it was made.
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
  // 十月 without a year waits for a source that says which.
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

/** Speaks of pay, before anything that is no aside; the longest of equals. */
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

/** A cell of a month column: a date, 202610, 2026-10, 2026年10月. Two months in one cell are none. */
function parseMonthCell(stored: StoredValue): string {
  if (stored instanceof Date) return Number.isNaN(stored.getTime()) ? '' : stored.toISOString().slice(0, 7)
  const text = joinSpacedText(String(stored ?? ''))
  if (/^-\d\d$/.test(text)) return text
  const months = new Set(findMonths(text, undefined))
  return months.size === 1 ? ([...months][0] ?? '') : ''
}

// Months one below the other: by a column that names the month, or by a title over each block ---------------------------------------

type MonthGrids = readonly { readonly month: string; readonly grid: Grid }[]

const payPrefixPattern = '(?:工资|薪资|薪酬|所属|归属|发薪|发放|计薪|核算|结算)'
const monthColumnPattern = new RegExp(
  `^${payPrefixPattern}*(?:月份|年月|月度|所属期间?)$|^${payPrefixPattern}+(?:月|期间)$|^(?:(?:pay|salary|wage|payroll) ?)?month$|^(?:pay|salary|wage|payroll) ?period$`,
  'i',
)
const yearColumnPattern = new RegExp(`^${payPrefixPattern}*(?:年|年份|年度)$|^(?:(?:pay|salary|wage|payroll) ?)?year$`, 'i')
/** 月 alone may count months of service. */
const bareMonthLabelPattern = /^月$/

/** Columns that say of each row which month it is for. `year`: where it stands in a column of its own. */
export type MonthColumns = { readonly month: number; readonly year: number | undefined; readonly isBare: boolean }

export function findMonthColumns(columns: readonly { readonly label: string; readonly index: number }[]): MonthColumns | null {
  const at = (pattern: RegExp) => columns.find(({ label }) => pattern.test(label.trim()))?.index
  const year = at(yearColumnPattern)
  const plain = at(monthColumnPattern)
  const month = plain ?? at(bareMonthLabelPattern)
  return month === undefined ? null : { month, year, isBare: plain === undefined }
}

/** The month that a row says it is for: `2026-10`, `-10` where no year is said, nothing where it says none. */
export function readRowMonth(cells: readonly StoredValue[] | undefined, { month, year }: MonthColumns): string {
  const text = joinSpacedText(String(cells?.[month] ?? ''))
  const [, declaredYear] =
    year === undefined ? [] : (/^(20\d\d)(?:年度?)?$/.exec(joinSpacedText(String(cells?.[year] ?? ''))) ?? [])
  const [, number] = /^(0?[1-9]|1[0-2])$/.exec(text) ?? []
  // A number alone counts anything, unless the column or the year beside it says that it is a month.
  if (number !== undefined) return `${declaredYear ?? ''}-${number.padStart(2, '0')}`
  const parsed = parseMonthCell(cells?.[month])
  return parsed.length === 3 && declaredYear !== undefined ? `${declaredYear}${parsed}` : parsed
}

/** 2026年10月 */
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
  // One total under all of them is of no month.
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

/** The month that each row is of: its own, else that of the rows above it; over the header only titles are of a month. */
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

/** One text alone in its row, merged or not. */
function getTitleRowMonth(grid: Grid, row: number): string {
  const filled = getFilledColumns(grid, row)
  const text = getText(grid, row, filled[0] ?? 0)
  return text !== '' && filled.every((column) => getText(grid, row, column) === text) ? parseTitleMonth(text) : ''
}

/** Most of those who stand there at all stand there in more than one month; one person over many months is his own list. */
function haveSameMembers({ grid, columns }: TableReading, months: readonly (readonly number[])[]): boolean {
  const identityColumns = columns.filter(({ role }) =>
    ['name', 'last_name', 'first_name', 'employee_no', 'id_card'].includes(role),
  )
  const times = new Map<string, number>()
  for (const rows of months)
    for (const person of new Set(rows.map((row) => identityColumns.map(({ index }) => getText(grid, row, index)).join('|'))))
      times.set(person, (times.get(person) ?? 0) + 1)
  const repeated = [...times.values()].filter((count) => count > 1).length
  return identityColumns.length > 0 && times.size > 1 && repeated * 2 >= times.size
}

/** What a table says it is for; `-10` where no year is said. */
export function getDeclaredMonth({ grid, header, sheet, rows, columns, month }: TableReading): string | null {
  if (month !== undefined) return month
  return findDeclaredTitle(grid, header?.top ?? 0, sheet, listMonthCells(grid, rows.memberRows, columns)).month
}

const listMonthCells = (grid: Grid, people: readonly number[], columns: TableReading['columns']): StoredValue[] => {
  const monthColumns = findMonthColumns(columns)
  const months = monthColumns ? people.map((row) => readRowMonth(grid.rows[row], monthColumns)) : []
  return monthColumns?.isBare ? months.filter((month) => month.length === 7) : months
}

/** What the sheet says it is; of several months the one that is read, whatever stands over the first of them. Of months that differ, none. */
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
  // 10月 is no other month than 2026-10.
  const distinctMonths = sortMonths(named).filter(
    (one) => one.length === 7 || !named.some((other) => other.length === 7 && other.endsWith(one)),
  )
  if (distinctMonths.length > 1) return { ...declared, month: null, months: distinctMonths }
  const left = months ?? (distinctMonths.length > 0 && distinctMonths.every((one) => one.length < 7) ? distinctMonths : undefined)
  return { ...declared, month, ...(month === null && left && { months: left }) }
}

/** Whether the sheet speaks of pay: in its labels, over its header, in its name. */
export const mentionsPay = (grid: Grid, header: Header): boolean => mentionsPayTerms(header, ...listTitleTexts(grid, header))

/** The name of the sheet and what stands over the header. */
export const listTitleTexts = (grid: Grid, { top }: Header): string[] => [
  grid.name,
  ...Array.from({ length: top }, (_, row) => getFilledColumns(grid, row).map((column) => getText(grid, row, column))).flat(),
]
