/** The rows of a roster as an import takes them: with their departments placed, and what keeps a row out. */
import { type ImportRole, rosterRoles } from '../../../contract/people/import.ts'
import { type InTurns, Turn } from '../../../rules/turns.ts'
import type { BadCell, RosterRow } from '../../../tables/rules.ts'
import type { Placed } from './import-departments.ts'
import { steps_a_row } from './import-keys.ts'
import type { ImportRow } from './import-plan.ts'

/** What else a roster can hold is of no use to an import. */
export const roleOf = (role: string): ImportRole => rosterRoles.find((one) => one === role) ?? 'info'

interface Column {
  readonly letter: string
  readonly label: string
  readonly role: string
}
const longest = { name: 50, employee_no: 30, position: 50 } as const
const words = { name: '姓名', employee_no: '工号', position: '职位' } as const
// oxlint-disable-next-line no-control-regex -- control characters are exactly what must not enter
const unwritable = /[\u0000-\u001f\u007f]/

type Fault = NonNullable<ImportRow['fault']>

export function* importRows(
  read: { readonly rows: readonly RosterRow[]; readonly bad: readonly BadCell[]; readonly columns: readonly Column[] },
  placed: (way: readonly string[]) => Placed,
  indexOf: Record<'id_card' | 'bank_account', (number: string) => string>,
): InTurns<ImportRow[]> {
  const byLetter = new Map(read.columns.map((column) => [column.letter, column]))
  const bad = Map.groupBy(
    read.bad.filter(({ column }) => roleOf(byLetter.get(column)?.role ?? 'info') !== 'info'),
    ({ row }) => row,
  )
  const letterOf = (role: ImportRole) => read.columns.find((column) => column.role === role)?.letter ?? null
  const turn = new Turn()
  const rows: ImportRow[] = []
  for (const row of read.rows) {
    if (turn.isOver(steps_a_row)) yield
    const places = row.departments.map(placed)
    const lost = places.find((one) => 'why' in one)
    const said = bad.get(row.row) ?? []
    const fault: Fault | null =
      said.length > 0
        ? {
            why: said.map(({ column, why }) => sayOf(byLetter.get(column)?.label ?? column, why)).join('；'),
            column: said[0]?.column ?? null,
          }
        : (tooLong(row, letterOf) ?? (lost ? { why: lost.why, column: letterOf('department') } : null))
    const ways = places.flatMap((one) => ('way' in one ? [one.way] : []))
    // The same department twice is one.
    const departments = ways.length < 2 ? ways : [...new Map(ways.map((way) => [way.join('\n'), way])).values()]
    const id_card = row.id_card === null ? null : indexOf.id_card(row.id_card)
    const bank_account = row.bank_account === null ? null : indexOf.bank_account(row.bank_account)
    rows.push({ ...row, departments, id_card, bank_account, fault })
  }
  return rows
}

/** The words of the cell, with what stands over it where they do not say it. */
const sayOf = (label: string, why: string): string => (why.includes(label) ? why : `${label}：${why}`)

function tooLong(row: Pick<RosterRow, keyof typeof longest>, letterOf: (role: ImportRole) => string | null): Fault | null {
  for (const field of ['name', 'employee_no', 'position'] as const) {
    const text = row[field] ?? ''
    if (text.length > longest[field] && [...text].length > longest[field])
      return { why: `${words[field]}最多 ${longest[field]} 个字`, column: letterOf(field) }
    if (unwritable.test(text) || !text.isWellFormed())
      return { why: `${words[field]}里有不可见的控制字符，请删除后重试`, column: letterOf(field) }
  }
  return null
}
