/** The rows of a roster in few signs, on their way from the child and sealed: of twenty thousand people the names of fields were two thirds. */
import type { RosterRow } from './rows.ts'

type Maybe = string | null
type PackedPerson = readonly [
  row: number,
  name: string,
  mobile: Maybe,
  employee_no: Maybe,
  id_card: Maybe,
  bank_account: Maybe,
  departments: readonly number[],
  position: Maybe,
  entry_on: Maybe,
  email: Maybe,
  status: RosterRow['status'],
  form?: string | undefined,
]
export type PackedPeople = {
  /** Each way that a row names, once; rows name their numbers. */
  readonly ways: readonly (readonly string[])[]
  readonly lines: readonly PackedPerson[]
}

export function packPeople(rows: readonly RosterRow[]): PackedPeople {
  const numbers = new Map<string, number>()
  const ways: (readonly string[])[] = []
  /** Most are the very same, and are known without being spelled. */
  const same = new Map<readonly string[], number>()
  const numberOf = (way: readonly string[]): number => {
    let number = same.get(way)
    if (number !== undefined) return number
    const key = JSON.stringify(way)
    number = numbers.get(key)
    if (number === undefined) {
      number = ways.push(way) - 1
      numbers.set(key, number)
    }
    same.set(way, number)
    return number
  }
  const lines = rows.map((one): PackedPerson => {
    const { row, name, mobile, employee_no, id_card, bank_account, position, entry_on, email, status, form } = one
    const departments = one.departments.map(numberOf)
    const said = [row, name, mobile, employee_no, id_card, bank_account, departments, position, entry_on, email, status] as const
    return form === undefined ? said : [...said, form]
  })
  return { ways, lines }
}

/** People of one department have one and the same way. */
export function unpackPeople({ ways, lines }: PackedPeople): RosterRow[] {
  return lines.map((one) => {
    const [row, name, mobile, employee_no, id_card, bank_account, numbers, position, entry_on, email, status, form] = one
    const departments = numbers.map((number) => ways[number] ?? [])
    const said = { row, name, mobile, employee_no, id_card, bank_account, departments, position, entry_on, email, status }
    return form === undefined ? said : { ...said, form }
  })
}
