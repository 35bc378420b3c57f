/** What each row of a roster says of somebody, and the cells that cannot be taken. */
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

/** A cell that cannot be taken as it stands. */
export interface UnreadableCell {
  /** 1-based. */
  row: number
  /** By its letter. */
  column: string
  /** A Chinese sentence: what is wrong with it. */
  why: string
}

/** What a row says of somebody. */
export interface RosterRow {
  /** 1-based; of people who stand beside others in the same rows numbered as in a batch (`rows_a_part`). */
  row: number
  /** The sheet, where a form of his own was read. */
  form?: string
  /** Its sheet, where several tables were read as one. */
  sheet?: string
  name: string
  mobile: string | null
  employee_no: string | null
  id_card: string | null
  /** Its digits. */
  bank_account: string | null
  /** Each way from the top. */
  departments: readonly (readonly string[])[]
  position: string | null
  /** `2026-03-05`, or `2026-03` where only the month is written. */
  entry_on: string | null
  email: string | null
  status: 'active' | 'left' | null
  /** What is written about the status where nobody can tell by it whether the person works here: somebody has to be asked. */
  status_word?: string
}

/** What stands under 离职日期: whoever has a day there that is not still to come has left. */
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
  /** What a row says in the column of this role. */
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

  const ways = columns.filter(({ role }) => role === 'department').toSorted((one, other) => (one.rank ?? 0) - (other.rank ?? 0))
  const waysIn = createDepartmentsReader(
    ways.map((column) => detectPathFormat(texts(column), /路径|层级|path/i.test(column.label))),
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
    // A heading over the row, or a remark behind the name, is no column of its own: somebody says what it means.
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
      departments: waysIn(ways.map((column) => text(row, column))),
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

/** 张三（退休返聘）: a remark about the status is no part of the name. Any other remark may be what tells two namesakes apart. */
function splitStatusRemark(name: string): { name: string; remark?: string } {
  const split = splitRemark(name)
  if (!split) return { name }
  const read = parseStatus(split.remark)
  return read === 'active' || read === 'left' || /离职|退休|辞职|离岗|停薪|内退|待岗/.test(split.remark) ? split : { name }
}

/**
 * The month of a cell that names no day. A spreadsheet shows October typed as the number 2020.10 as `2020.1`: which month that is, only the other
 * cells of the column can tell (2020.10 beside it, or 2020.03).
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

/** `20089.0` of a number that a program wrote is 20089. */
const toWrittenNumber = (text: string): string | null => {
  const plain = normalizeText(text).replace(/^(\d+)\.0+$/, '$1')
  return plain === '' || /^[-—–/\\]+$/.test(plain) ? null : plain
}

const truncateText = (text: string) => {
  const plain = removeNameMarks(text)
  // 张 三 is 张三; words written with letters keep their blanks.
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
/** Of twenty thousand people few have a day of their own: each that is written is read once. */
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

/** A month is enough to have been born in; nothing is done with it but that what cannot be read is seen. */
function readBirthDate(grid: Grid, row: number, column: number, dayIn: DateReader): CellResult<string> {
  if (grid.rows[row]?.[column] instanceof Date) return { value: null }
  const read = dayIn(row, column)
  return read.error !== undefined && !/年月|分不清/.test(read.error) ? read : { value: null }
}

/** Departments of many are written in the same words: read once each. */
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

/** One way from the columns of its levels, or the ways that one cell names. */
function readDepartmentPaths(texts: readonly string[], forms: readonly PathFormat[]): string[][] {
  const read = texts.map((text, at) => parseDepartmentPaths(text, forms[at] ?? { stepSeparator: null, listSeparator: null }))
  if (read.length === 1) return read[0] ?? []
  const path: string[] = []
  for (const [first = []] of read) for (const part of first) if (part !== path.at(-1)) path.push(part)
  return path.length > 0 ? [path] : []
}
