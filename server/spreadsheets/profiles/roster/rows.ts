/** Reads the data of each roster row, and reports invalid cells. */
import { removeNameMarks, splitRemark } from '../../../rules/person-name.ts'
import { normalizeText } from '../../../rules/text.ts'
import { type Grid, getCell, getText, toColumnLetters } from '../../grid.ts'
import { isPersonName } from '../../recognise/identity-columns.ts'
import {
  type CellResult,
  type DayOrder,
  detectDayOrder,
  detectPathFormat,
  type PathFormat,
  parseBankCard,
  parseDate,
  parseDepartmentPaths,
  parseEmail,
  parseIdCard,
  parseMonth,
  parsePhone,
} from './cells.ts'
import type { RosterColumn } from './columns.ts'
import { isPastLabel, type RosterRole } from './labels.ts'
import { parseStatus } from './status.ts'

/** A cell with an invalid value. */
export interface UnreadableCell {
  /** 1-based. */
  row: number
  /** The letter of the column. */
  column: string
  /** In Chinese: the reason. */
  why: string
}

export interface RosterRow {
  /** 1-based; for members in adjacent tables numbered as in a batch (`rowsPerSheet`). */
  row: number
  /** The sheet name, if the row comes from an individual form. */
  form?: string
  /** The sheet name of the row, if several tables were read as one. */
  sheet?: string
  name: string
  mobile: string | null
  employee_no: string | null
  id_card: string | null
  /** Digits only. */
  bank_account: string | null
  /** Department paths, each from the top level. */
  departments: readonly (readonly string[])[]
  position: string | null
  /** The date as `2026-03-05`, or `2026-03` if only the month is given. */
  entry_on: string | null
  email: string | null
  status: 'active' | 'left' | null
  /** The status text if it does not determine whether the member is employed, so that the user must be asked. */
  status_word?: string
}

/** Matches 离职日期: a member with a date in such a column that is not in the future is terminated. */
const terminationLabelPattern =
  /^(?:离职|离岗|离厂|离司|退休|实际离职|最后工作)(?:日期|时间|日)$|^(?:last working day|leav(?:e|ing) date|termination date|date left)$/i

export function readRosterRows(
  grid: Grid,
  columns: readonly RosterColumn[],
  data: readonly number[],
  today = new Date().toISOString().slice(0, 10),
  leaverHeading: (row: number) => string | null = () => null,
) {
  const bad: UnreadableCell[] = []
  const byRole = new Map(columns.toReversed().map((column) => [column.role, column]))
  const text = (row: number, { index }: RosterColumn) => getText(grid, row, index)
  const texts = (column: RosterColumn | undefined) => (column ? data.map((row) => text(row, column)) : [])
  const isDamaged = (row: number, { index }: RosterColumn) => getCell(grid, row, index).damaged === true
  const take = <T>(row: number, column: RosterColumn | undefined, read: (row: number, column: RosterColumn) => CellResult<T>) => {
    if (!column) return null
    const { value, error } = read(row, column)
    if (error !== undefined) bad.push({ row: row + 1, column: column.letter, why: error })
    return value
  }
  /** Reads the cell in the column of a role. */
  const reader = <T>(role: RosterRole, read: (row: number, column: RosterColumn) => CellResult<T>) => {
    const column = byRole.get(role)
    return (row: number): T | null => take(row, column, read)
  }
  const plain = (row: number, column: RosterColumn) => ({ value: toWrittenNumber(text(row, column)) })

  const nameIn = createNameReader(grid, columns)
  const mobileIn = reader('mobile', (row, column) => parsePhone(text(row, column)))
  const numberIn = reader('employee_no', plain)
  const cardIn = reader('id_card', (row, column) => parseIdCard(text(row, column), isDamaged(row, column)))
  const accountIn = reader('bank_account', (row, column) => parseBankCard(text(row, column), isDamaged(row, column)))
  const positionIn = reader('position', plain)
  const emailIn = reader('email', (row, column) => parseEmail(text(row, column)))

  const departmentColumns = columns
    .filter(({ role }) => role === 'department')
    .toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
  const parsePaths = createDepartmentsReader(
    departmentColumns.map((column) => detectPathFormat(texts(column), /路径|层级|path/i.test(column.label))),
  )

  const entries = texts(byRole.get('entry_date'))
  const dayIn = createDateReader(grid, detectDayOrder(entries))
  const monthIn = createMonthReader(grid, entries)
  let entries_lost = 0
  const entryIn = reader('entry_date', (row, { index }) => {
    const month = monthIn(row, index)
    if (month === 'unclear') entries_lost += 1
    return month === 'unclear' ? { value: null } : month === null ? dayIn(row, index) : { value: month }
  })
  const birthDayIn = createDateReader(grid, detectDayOrder(texts(byRole.get('birth_date'))))
  const bornIn = reader('birth_date', (row, { index }) => readBirthDate(grid, row, index, birthDayIn))

  const status = byRole.get('status')
  const statusIn = (row: number, remark: string | undefined): Pick<RosterRow, 'status' | 'status_word'> => {
    const word = status ? text(row, status) : ''
    const read = status ? parseStatus(word, status.label, today) : null
    if (read === 'unsure') return { status: null, status_word: normalizeText(word).slice(0, maxStatusLength) }
    if (read !== null) return { status: read }
    if (hasLeft(row)) return { status: 'left' }
    // A heading above the row or a remark behind the name is not a status column; the user decides what it means.
    const heading = leaverHeading(row) ?? (remark !== undefined && parseStatus(remark) !== 'active' ? remark : null)
    return heading === null ? { status: null } : { status: null, status_word: heading.slice(0, maxStatusLength) }
  }
  const isTerminated = isPastLabel(columns.map(({ label }) => label))
    ? undefined
    : columns.find(
        ({ role, label }) => role === 'info' && terminationLabelPattern.test(normalizeText(label.split(' / ').at(-1) ?? '')),
      )
  const leaveIn = createDateReader(grid, detectDayOrder(texts(isTerminated)))
  const hasLeft = (row: number): boolean => {
    const day = isTerminated ? leaveIn(row, isTerminated.index).value : null
    return day !== null && day <= today
  }

  const rows = data.map((row): RosterRow => {
    const name = nameIn(row)
    if (name.error !== undefined) bad.push({ row: row + 1, column: name.column, why: name.error })
    const { name: own, remark } = splitStatusRemark(name.value)
    const statusText: RosterRow = {
      row: row + 1,
      name: own,
      mobile: mobileIn(row),
      employee_no: numberIn(row),
      id_card: cardIn(row),
      bank_account: accountIn(row),
      departments: parsePaths(departmentColumns.map((column) => text(row, column))),
      position: positionIn(row),
      entry_on: entryIn(row),
      email: emailIn(row),
      ...statusIn(row, remark),
    }
    bornIn(row)
    return statusText
  })
  return { rows, bad, entries_lost }
}
const maxStatusLength = 20

/** Splits a remark about the status from the name: 张三（退休返聘）. Other remarks may distinguish two of the same name. */
function splitStatusRemark(name: string): { name: string; remark?: string } {
  const split = splitRemark(name)
  if (!split) return { name }
  const read = parseStatus(split.remark)
  return read === 'active' || read === 'left' || /离职|退休|辞职|离岗|停薪|内退|待岗/.test(split.remark) ? split : { name }
}

/**
 * Reads the month of a cell without a day. A spreadsheet displays October typed as the number 2020.10 as `2020.1`: only
 * the other cells of the column (2020.10 or 2020.03) show which month is meant.
 */
function createMonthReader(grid: Grid, texts: readonly string[]): (row: number, column: number) => string | 'unclear' | null {
  const plain = texts.map(normalizeText)
  const tellsTen = plain.some((text) => /^\d{4}\.10$/.test(text))
  const hasZeros = plain.some((text) => /^\d{4}\.0\d$/.test(text))
  return (row, column) => {
    const text = normalizeText(getText(grid, row, column))
    if (!/^\d{4}\.1$/.test(text) || tellsTen) return parseMonth(text)
    return hasZeros ? `${text.slice(0, 4)}-10` : 'unclear'
  }
}

/** Normalizes numbers written by programs: `20089.0` is 20089. */
const toWrittenNumber = (text: string): string | null => {
  const plain = normalizeText(text).replace(/^(\d+)\.0+$/, '$1')
  return plain === '' || /^[-—–/\\]+$/.test(plain) ? null : plain
}

const truncateText = (text: string) => {
  const plain = removeNameMarks(text)
  // 张 三 is 张三; names in Latin letters keep their spaces.
  return /^[\u4e00-\u9fff\s]+$/.test(plain) ? plain.replace(/\s/g, '') : plain
}

const namePartRoles: ReadonlySet<RosterRole> = new Set(['family_name', 'given_name'])
type NameResult = { readonly value: string; readonly column: string; readonly error?: string }
function createNameReader(grid: Grid, columns: readonly RosterColumn[]): (row: number) => NameResult {
  const fullName = columns.find(({ role }) => role === 'name')
  const isSplitName = columns.filter(({ role }) => namePartRoles.has(role))
  const family = columns.find(({ role }) => role === 'family_name')
  const firstName = columns.find(({ role }) => role === 'given_name')
  const letter = (family ?? firstName)?.letter ?? toColumnLetters(0)
  return (row) => {
    if (fullName) {
      const cell = getCell(grid, row, fullName.index)
      const value = truncateText(cell.text)
      if (value === '' && !isSplitName.some(({ index }) => getText(grid, row, index) !== ''))
        return { value, column: fullName.letter, error: '没有姓名' }
      if (value !== '')
        return isPersonName(cell) ? { value, column: fullName.letter } : { value: '', column: fullName.letter, error: '不是姓名' }
    }
    const nameSegments = [family, firstName]
      .map((one) => (one ? truncateText(getText(grid, row, one.index)) : ''))
      .filter((part) => part !== '')
    const isChinese = nameSegments.every((part) =>
      /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー・()（）]+$/u.test(part),
    )
    const value = isChinese ? nameSegments.join('') : nameSegments.toReversed().join(' ')
    return value === '' ? { value, column: letter, error: '没有姓名' } : { value, column: letter }
  }
}

type DateReader = (row: number, column: number) => CellResult<string>
/** Caches parsed dates, because among twenty thousand members few dates are unique. */
function createDateReader(grid: Grid, order: DayOrder): DateReader {
  const cache = new Map<string, CellResult<string>>()
  return (row, column) => {
    const stored = grid.rows[row]?.[column]
    if (stored instanceof Date && !Number.isNaN(stored.getTime())) {
      return stored.getUTCFullYear() < 1950
        ? { value: null, error: '日期不对，请核对' }
        : { value: stored.toISOString().slice(0, 10) }
    }
    const text = getText(grid, row, column)
    const read = cache.get(text) ?? parseDate(text, order)
    if (cache.size < maxCachedDates) cache.set(text, read)
    return read
  }
}
const maxCachedDates = 10_000

/** A birth date may be just a month; it is validated so that invalid cells are reported, but not used otherwise. */
function readBirthDate(grid: Grid, row: number, column: number, dayIn: DateReader): CellResult<string> {
  if (grid.rows[row]?.[column] instanceof Date) return { value: null }
  const read = dayIn(row, column)
  return read.error !== undefined && !/年月|分不清/.test(read.error) ? read : { value: null }
}

/** Caches parsed departments, because many members have the same text. */
function createDepartmentsReader(forms: readonly PathFormat[]): (texts: readonly string[]) => string[][] {
  const cache = new Map<string, string[][]>()
  return (texts) => {
    const [only = ''] = texts
    if (texts.length !== 1) return readDepartmentPaths(texts, forms)
    const read = cache.get(only) ?? readDepartmentPaths(texts, forms)
    if (cache.size < maxCachedDates) cache.set(only, read)
    return read
  }
}

/** Returns one path from the level columns, or the paths that one cell names. */
function readDepartmentPaths(texts: readonly string[], forms: readonly PathFormat[]): string[][] {
  const read = texts.map((text, at) => parseDepartmentPaths(text, forms[at] ?? { stepSeparator: null, listSeparator: null }))
  if (read.length === 1) return read[0] ?? []
  const path: string[] = []
  for (const [first = []] of read) for (const part of first) if (part !== path.at(-1)) path.push(part)
  return path.length > 0 ? [path] : []
}
