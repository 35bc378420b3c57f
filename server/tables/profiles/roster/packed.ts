/**
 * The rows of a roster in few signs, on their way from the child and sealed: a column is one list. Of twenty thousand people the names of fields were
 * two thirds, and a list a person is half again as much to write and to read.
 */
import type { RosterRow } from './rows.ts'

/** What a row says or does not say; where nobody says anything there is no list. */
type Said<T = string> = readonly (T | null)[] | null
export type PackedPeople = {
  /** Each way that a row names, once; rows name their numbers. */
  readonly ways: readonly (readonly string[])[]
  readonly row: readonly number[]
  readonly name: readonly string[]
  /** Most people are in one. */
  readonly departments: readonly (number | readonly number[])[]
  readonly mobile: Said
  readonly employee_no: Said
  readonly id_card: Said
  readonly bank_account: Said
  readonly position: Said
  readonly entry_on: Said
  readonly email: Said
  readonly status: Said<'active' | 'left'>
  readonly status_word: Said
  readonly form: Said
  readonly sheet: Said
}

export function packPeople(rows: readonly RosterRow[]): PackedPeople {
  const ways: (readonly string[])[] = []
  const numberOf = numbering(ways)
  const row: number[] = []
  const name: string[] = []
  const departments: (number | number[])[] = []
  for (const one of rows) {
    row.push(one.row)
    name.push(one.name)
    const [only] = one.departments
    departments.push(only && one.departments.length === 1 ? numberOf(only) : one.departments.map(numberOf))
  }
  const said = <T>(of: (row: RosterRow) => T | null): Said<T> => {
    const list: (T | null)[] = []
    let isSaid = false
    for (const one of rows) {
      const value = of(one)
      if (value !== null) isSaid = true
      list.push(value)
    }
    return isSaid ? list : null
  }
  return {
    ways,
    row,
    name,
    departments,
    mobile: said(({ mobile }) => mobile),
    employee_no: said(({ employee_no }) => employee_no),
    id_card: said(({ id_card }) => id_card),
    bank_account: said(({ bank_account }) => bank_account),
    position: said(({ position }) => position),
    entry_on: said(({ entry_on }) => entry_on),
    email: said(({ email }) => email),
    status: said(({ status }) => status),
    status_word: said(({ status_word }) => status_word ?? null),
    form: said(({ form }) => form ?? null),
    sheet: said(({ sheet }) => sheet ?? null),
  }
}

/** The place of a way among all. Most are the very same, and are known without being spelled. */
function numbering(ways: (readonly string[])[]): (way: readonly string[]) => number {
  const same = new Map<readonly string[], number>()
  const spelled = new Map<string, number>()
  return (way) => {
    let number = same.get(way)
    if (number !== undefined) return number
    const key = JSON.stringify(way)
    number = spelled.get(key) ?? ways.push(way) - 1
    spelled.set(key, number)
    same.set(way, number)
    return number
  }
}

/** People of one department have one and the same way. */
export function unpackPeople({ ways, row: rows, name, departments, ...said_of }: PackedPeople): RosterRow[] {
  const { mobile, employee_no, id_card, bank_account, position, entry_on, email, status } = said_of
  return rows.map((row, at): RosterRow => {
    const numbers = departments[at] ?? []
    const said: RosterRow = {
      row,
      name: name[at] ?? '',
      mobile: mobile?.[at] ?? null,
      employee_no: employee_no?.[at] ?? null,
      id_card: id_card?.[at] ?? null,
      bank_account: bank_account?.[at] ?? null,
      departments: typeof numbers === 'number' ? [ways[numbers] ?? []] : numbers.map((number) => ways[number] ?? []),
      position: position?.[at] ?? null,
      entry_on: entry_on?.[at] ?? null,
      email: email?.[at] ?? null,
      status: status?.[at] ?? null,
    }
    const status_word = said_of.status_word?.[at] ?? null
    if (status_word !== null) said.status_word = status_word
    const form = said_of.form?.[at] ?? null
    const sheet = said_of.sheet?.[at] ?? null
    if (form !== null) said.form = form
    if (sheet !== null) said.sheet = sheet
    return said
  })
}
