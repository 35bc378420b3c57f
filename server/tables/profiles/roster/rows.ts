/** What each row of a roster says of somebody, and the cells that cannot be taken. */
import { tidy } from '../../../rules/text.ts'
import { cellAt, columnLetters, type Grid, textAt } from '../../grid.ts'
import { isPersonName } from '../../recognise/who.ts'
import {
  type CellRead,
  type DayOrder,
  dayOrderOf,
  isYearMonth,
  type PathForm,
  pathFormOf,
  readBankCard,
  readDay,
  readDepartments,
  readEmail,
  readIdCard,
  readPhone,
  readStatus,
} from './cells.ts'
import type { RosterColumn } from './columns.ts'
import { isPast, type RosterRole } from './words.ts'

/** A cell that cannot be taken as it stands. */
export interface BadCell {
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
  name: string
  mobile: string | null
  employee_no: string | null
  id_card: string | null
  /** Its digits. */
  bank_account: string | null
  /** Each way from the top. */
  departments: readonly (readonly string[])[]
  position: string | null
  /** `2026-03-05` */
  entry_on: string | null
  email: string | null
  status: 'active' | 'left' | null
}

/** What stands under 离职日期: whoever has a day there that is not still to come has left. */
const leaves =
  /^(?:离职|离岗|离厂|离司|退休|实际离职|最后工作)(?:日期|时间|日)$|^(?:last working day|leav(?:e|ing) date|termination date|date left)$/i

export function readRowsOf(
  grid: Grid,
  columns: readonly RosterColumn[],
  data: readonly number[],
  today = new Date().toISOString().slice(0, 10),
) {
  const bad: BadCell[] = []
  const byRole = new Map(columns.toReversed().map((column) => [column.role, column]))
  const at = (role: RosterRole) => byRole.get(role)
  const ways = columns.filter(({ role }) => role === 'department').toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
  const texts = (column: RosterColumn | undefined) => (column ? data.map((row) => textAt(grid, row, column.index)) : [])
  const forms = ways.map((column) => pathFormOf(texts(column), /路径|层级|path/i.test(column.label)))
  const entryIn = dayReader(grid, dayOrderOf(texts(at('entry_date'))))
  // Where days of entry are months by custom, nobody is kept out for that.
  const onlyMonths = isMostly(texts(at('entry_date')), isYearMonth)
  const gone = isPast(columns.map(({ label }) => label))
    ? undefined
    : columns.find(({ role, label }) => role === 'info' && leaves.test(tidy(label.split(' / ').at(-1) ?? '')))
  const leaveIn = dayReader(grid, dayOrderOf(texts(gone)))
  const hasLeft = (row: number): boolean => {
    const day = gone ? leaveIn(row, gone.index).value : null
    return day !== null && day <= today
  }
  const birthDayIn = dayReader(grid, dayOrderOf(texts(at('birth_date'))))
  const waysIn = departmentsReader(forms)
  const status = at('status')
  const rows = data.map((row): RosterRow => {
    const take = <T>(column: RosterColumn | undefined, read: (column: RosterColumn) => CellRead<T>): T | null => {
      if (!column) return null
      const { value, why } = read(column)
      if (why !== undefined) bad.push({ row: row + 1, column: column.letter, why })
      return value
    }
    const text = (column: RosterColumn) => textAt(grid, row, column.index)
    const plain = (role: RosterRole) => take(at(role), (column) => ({ value: written(text(column)) }))
    const name = nameIn(grid, row, columns)
    if (name.why !== undefined) bad.push({ row: row + 1, column: name.column, why: name.why })
    const said: RosterRow = {
      row: row + 1,
      name: name.value,
      mobile: take(at('mobile'), (column) => readPhone(text(column))),
      employee_no: plain('employee_no'),
      id_card: take(at('id_card'), (column) => readIdCard(text(column), cellAt(grid, row, column.index).damaged === true)),
      bank_account: take(at('bank_account'), (column) =>
        readBankCard(text(column), cellAt(grid, row, column.index).damaged === true),
      ),
      departments: waysIn(ways.map(text)),
      position: plain('position'),
      entry_on: take(at('entry_date'), (column) =>
        onlyMonths && isYearMonth(text(column)) ? { value: null } : entryIn(row, column.index),
      ),
      email: take(at('email'), (column) => readEmail(text(column))),
      status: (status ? readStatus(text(status)) : null) ?? (hasLeft(row) ? 'left' : null),
    }
    take(at('birth_date'), (column) => birthIn(grid, row, column.index, birthDayIn))
    return said
  })
  return { rows, bad }
}

function isMostly(texts: readonly string[], is: (text: string) => boolean): boolean {
  const filled = texts.filter((text) => text !== '')
  return filled.length > 0 && filled.filter(is).length * 2 > filled.length
}

/** `20089.0` of a number that a program wrote is 20089. */
const written = (text: string): string | null => {
  const plain = tidy(text).replace(/^(\d+)\.0+$/, '$1')
  return plain === '' || /^[-—–/\\]+$/.test(plain) ? null : plain
}

const shown = (text: string) => {
  const plain = tidy(text)
  // 张 三 is 张三; words written with letters keep their blanks.
  return /^[\u4e00-\u9fff\s]+$/.test(plain) ? plain.replace(/\s/g, '') : plain
}

const partsOfName: ReadonlySet<RosterRole> = new Set(['family_name', 'given_name'])
function nameIn(grid: Grid, row: number, columns: readonly RosterColumn[]): { value: string; column: string; why?: string } {
  const whole = columns.find(({ role }) => role === 'name')
  if (whole) {
    const cell = cellAt(grid, row, whole.index)
    const value = shown(cell.text)
    if (value === '' && !columns.some(({ role, index }) => partsOfName.has(role) && textAt(grid, row, index) !== ''))
      return { value, column: whole.letter, why: '没有姓名' }
    if (value !== '')
      return isPersonName(cell) ? { value, column: whole.letter } : { value: '', column: whole.letter, why: '不是姓名' }
  }
  const family = columns.find(({ role }) => role === 'family_name')
  const given = columns.find(({ role }) => role === 'given_name')
  const parts = [family, given]
    .map((column) => (column ? shown(textAt(grid, row, column.index)) : ''))
    .filter((part) => part !== '')
  const isChinese = parts.every((part) =>
    /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー・()（）]+$/u.test(part),
  )
  const value = isChinese ? parts.join('') : parts.toReversed().join(' ')
  const column = (family ?? given)?.letter ?? columnLetters(0)
  return value === '' ? { value, column, why: '没有姓名' } : { value, column }
}

type DayReader = (row: number, column: number) => CellRead<string>
/** Of twenty thousand people few have a day of their own: each that is written is read once. */
function dayReader(grid: Grid, order: DayOrder): DayReader {
  const known = new Map<string, CellRead<string>>()
  return (row, column) => {
    const stored = grid.rows[row]?.[column]
    if (stored instanceof Date && !Number.isNaN(stored.getTime())) {
      return stored.getUTCFullYear() < 1950
        ? { value: null, why: '日期不对，请核对' }
        : { value: stored.toISOString().slice(0, 10) }
    }
    const text = textAt(grid, row, column)
    const read = known.get(text) ?? readDay(text, order)
    if (known.size < most_known) known.set(text, read)
    return read
  }
}
const most_known = 10_000

/** A month is enough to have been born in; nothing is done with it but that what cannot be read is seen. */
function birthIn(grid: Grid, row: number, column: number, dayIn: DayReader): CellRead<string> {
  if (grid.rows[row]?.[column] instanceof Date) return { value: null }
  const read = dayIn(row, column)
  return read.why !== undefined && !/年月|分不清/.test(read.why) ? read : { value: null }
}

/** Departments of many are written in the same words: read once each. */
function departmentsReader(forms: readonly PathForm[]): (texts: readonly string[]) => string[][] {
  const known = new Map<string, string[][]>()
  return (texts) => {
    const [only = ''] = texts
    if (texts.length !== 1) return departmentsIn(texts, forms)
    const read = known.get(only) ?? departmentsIn(texts, forms)
    if (known.size < most_known) known.set(only, read)
    return read
  }
}

/** One way from the columns of its levels, or the ways that one cell names. */
function departmentsIn(texts: readonly string[], forms: readonly PathForm[]): string[][] {
  const read = texts.map((text, at) => readDepartments(text, forms[at] ?? { step: null, several: null }))
  if (read.length === 1) return read[0] ?? []
  const way: string[] = []
  for (const [first = []] of read) for (const part of first) if (part !== way.at(-1)) way.push(part)
  return way.length > 0 ? [way] : []
}
