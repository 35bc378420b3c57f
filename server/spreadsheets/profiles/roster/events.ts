/**
 * Detects lists in which the same people appear repeatedly with different dates or times: clock-in records, daily
 * attendance, shifts. They name the employees but are not a roster. Detection uses the values, not the labels.
 */
import { type Grid, getText } from '../../grid.ts'
import { detectDayOrder, parseDate } from './cells.ts'
import { isNameColumn, type RosterColumn } from './columns.ts'

/** A lower number of rows is not conclusive. */
const minRows = 4
/** If the dates of one person are further apart on average, they are not attendance but contracts, jobs or courses. */
const maxGapDays = 8
const dayMs = 86_400_000

export function isEventList(grid: Grid, columns: readonly RosterColumn[], people: readonly number[]): boolean {
  if (people.length < minRows) return false
  const names = columns.filter(isNameColumn)
  const [only] = names.length === 1 ? names : []
  const nameAt = (row: number): string =>
    only ? getText(grid, row, only.index) : names.map(({ index }) => getText(grid, row, index)).join(' ')
  // At least a third of the rows belong to a person who already appeared.
  if (new Set(people.map(nameAt)).size * 3 > people.length * 2) return false
  const byName = Map.groupBy(people, nameAt)
  const rows: RepeatedRows = { memberRows: people, repeated: [...byName.values()].filter((own) => own.length > 1) }
  return columns.some(({ role, index }) => {
    if (personalDateRoles.has(role)) return false
    const texts = (getMoment: (text: string) => number | null) => (row: number) => getMoment(getText(grid, row, index))
    return (
      hasChangingMoments(rows, texts(parseTime)) ||
      hasChangingMoments(rows, texts(createDayReader(grid, index, people)), maxGapDays)
    )
  })
}

/** Dates in these columns are personal data. */
const personalDateRoles: ReadonlySet<RosterColumn['role']> = new Set([
  'name',
  'family_name',
  'given_name',
  'mobile',
  'id_card',
  'birth_date',
  'entry_date',
])

interface RepeatedRows {
  memberRows: readonly number[]
  /** The rows of each person who occurs more than once. */
  repeated: readonly (readonly number[])[]
}
/** Returns whether most rows have a time and most repeated people have a different one in each row, close to the previous one. */
function hasChangingMoments(
  { memberRows, repeated }: RepeatedRows,
  getMoment: (row: number) => number | null,
  most_gap = Number.POSITIVE_INFINITY,
): boolean {
  if (memberRows.filter((row) => getMoment(row) !== null).length * 2 < memberRows.length) return false
  const changing = repeated.filter((rows) => {
    const moments = [...new Set(rows.map(getMoment).filter((one) => one !== null))].toSorted((a, b) => a - b)
    if (moments.length < 2 || moments.length * 2 < rows.length) return false
    const gaps = moments
      .slice(1)
      .map((one, at) => one - (moments[at] ?? 0))
      .toSorted((a, b) => a - b)
    return (gaps[Math.floor(gaps.length / 2)] ?? 0) <= most_gap
  })
  return changing.length * 2 > repeated.length
}

const timePattern = /(?:^|[\sT])([01]?\d|2[0-3])[:：]([0-5]\d)(?:[:：][0-5]\d)?/
/** Returns minutes of the day; of several times the first. */
function parseTime(text: string): number | null {
  const [, hours, minutes] = timePattern.exec(text) ?? []
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes)
}

const monthDayPattern = /^(\d{1,2})[-/.月](\d{1,2})日?$/
function createDayReader(grid: Grid, column: number, people: readonly number[]): (text: string) => number | null {
  const plain = (text: string) => text.replace(/[\s(（]*(?:星期|周)[一二三四五六日天][)）]?.*$/, '')
  const order = detectDayOrder(people.map((row) => plain(getText(grid, row, column))))
  return (text) => {
    const [, month, day] = monthDayPattern.exec(plain(text)) ?? []
    if (month !== undefined) return Date.UTC(2000, Number(month) - 1, Number(day)) / dayMs
    // 45931 may be any number.
    const { value } = /^\d+(?:\.\d+)?$/.test(text) && !/^20\d{6}$/.test(text) ? { value: null } : parseDate(plain(text), order)
    return value === null ? null : Date.parse(value) / dayMs
  }
}
