/**
 * Compact column-wise form of a roster, used by the child process and in encrypted storage. With twenty thousand people
 * field names were two thirds of the size, and one array per person takes half as long again to write and read.
 */
import type { RosterRow } from './rows.ts'

/** Optional values by row; null if no row has a value. */
type OptionalColumn<T = string> = readonly (T | null)[] | null
export type PackedRoster = {
  /** Each distinct department path; rows refer to it by index. */
  readonly paths: readonly (readonly string[])[]
  readonly row: readonly number[]
  readonly name: readonly string[]
  /** Most members have exactly one department. */
  readonly departments: readonly (number | readonly number[])[]
  readonly mobile: OptionalColumn
  readonly employee_no: OptionalColumn
  readonly id_card: OptionalColumn
  readonly bank_account: OptionalColumn
  readonly position: OptionalColumn
  readonly entry_on: OptionalColumn
  readonly email: OptionalColumn
  readonly status: OptionalColumn<'active' | 'left'>
  readonly status_word: OptionalColumn
  readonly form: OptionalColumn
  readonly sheet: OptionalColumn
}

export function packRoster(rows: readonly RosterRow[]): PackedRoster {
  const paths: (readonly string[])[] = []
  const getPathNumber = createPathNumbering(paths)
  const row: number[] = []
  const name: string[] = []
  const departments: (number | number[])[] = []
  for (const one of rows) {
    row.push(one.row)
    name.push(one.name)
    const [only] = one.departments
    departments.push(only && one.departments.length === 1 ? getPathNumber(only) : one.departments.map(getPathNumber))
  }
  const packColumn = <T>(of: (row: RosterRow) => T | null): OptionalColumn<T> => {
    const list: (T | null)[] = []
    let hasValue = false
    for (const one of rows) {
      const value = of(one)
      if (value !== null) hasValue = true
      list.push(value)
    }
    return hasValue ? list : null
  }
  return {
    paths,
    row,
    name,
    departments,
    mobile: packColumn(({ mobile }) => mobile),
    employee_no: packColumn(({ employee_no }) => employee_no),
    id_card: packColumn(({ id_card }) => id_card),
    bank_account: packColumn(({ bank_account }) => bank_account),
    position: packColumn(({ position }) => position),
    entry_on: packColumn(({ entry_on }) => entry_on),
    email: packColumn(({ email }) => email),
    status: packColumn(({ status }) => status),
    status_word: packColumn(({ status_word }) => status_word ?? null),
    form: packColumn(({ form }) => form ?? null),
    sheet: packColumn(({ sheet }) => sheet ?? null),
  }
}

/** Returns the index of a path. Most paths are the identical object and are found without comparing their text. */
function createPathNumbering(paths: (readonly string[])[]): (path: readonly string[]) => number {
  const same = new Map<readonly string[], number>()
  const spelled = new Map<string, number>()
  return (path) => {
    let number = same.get(path)
    if (number !== undefined) return number
    const key = JSON.stringify(path)
    number = spelled.get(key) ?? paths.push(path) - 1
    spelled.set(key, number)
    same.set(path, number)
    return number
  }
}

/** Members of one department share the same path object. */
export function unpackRoster({ paths, row: rows, name, departments, ...columns }: PackedRoster): RosterRow[] {
  const { mobile, employee_no, id_card, bank_account, position, entry_on, email, status } = columns
  return rows.map((row, at): RosterRow => {
    const numbers = departments[at] ?? []
    const getField: RosterRow = {
      row,
      name: name[at] ?? '',
      mobile: mobile?.[at] ?? null,
      employee_no: employee_no?.[at] ?? null,
      id_card: id_card?.[at] ?? null,
      bank_account: bank_account?.[at] ?? null,
      departments: typeof numbers === 'number' ? [paths[numbers] ?? []] : numbers.map((number) => paths[number] ?? []),
      position: position?.[at] ?? null,
      entry_on: entry_on?.[at] ?? null,
      email: email?.[at] ?? null,
      status: status?.[at] ?? null,
    }
    const status_word = columns.status_word?.[at] ?? null
    if (status_word !== null) getField.status_word = status_word
    const form = columns.form?.[at] ?? null
    const sheet = columns.sheet?.[at] ?? null
    if (form !== null) getField.form = form
    if (sheet !== null) getField.sheet = sheet
    return getField
  })
}
