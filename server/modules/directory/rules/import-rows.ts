/** Prepares the rows of a roster for an import: resolves their departments and determines why a row cannot be applied. */
import { type RosterColumnRole, rosterColumnRoles } from '../../../contract/directory/import.ts'
import { type CooperativeTask, YieldTimer } from '../../../rules/cooperative-task.ts'
import type { RosterRow, UnreadableCell } from '../../../spreadsheets/rules.ts'
import type { ResolvedPath } from './import-departments.ts'
import { rowCost } from './import-keys.ts'
import type { ImportRow } from './import-plan.ts'

/** An import ignores other columns of a roster. */
export const toImportRole = (role: string): RosterColumnRole => rosterColumnRoles.find((one) => one === role) ?? 'info'

interface RosterColumnInfo {
  readonly letter: string
  readonly label: string
  readonly role: string
}
const maxLengths = { name: 50, employee_no: 30, position: 50 } as const
const fieldLabels = { name: '姓名', employee_no: '工号', position: '职位' } as const
// oxlint-disable-next-line no-control-regex -- control characters are exactly what must not enter
const controlCharacters = /[\u0000-\u001f\u007f]/

type RowError = NonNullable<ImportRow['error']>

export function* toImportRows(
  read: {
    readonly rows: readonly RosterRow[]
    readonly bad: readonly UnreadableCell[]
    readonly columns: readonly RosterColumnInfo[]
  },
  resolvePath: (path: readonly string[]) => ResolvedPath,
  computeIndex: Record<'id_card' | 'bank_account', (number: string) => string>,
): CooperativeTask<ImportRow[]> {
  const byLetter = new Map(read.columns.map((column) => [column.letter, column]))
  const unreadableByRow = Map.groupBy(
    read.bad.filter(({ column }) => toImportRole(byLetter.get(column)?.role ?? 'info') !== 'info'),
    ({ row }) => row,
  )
  const getLetter = (role: RosterColumnRole) => read.columns.find((column) => column.role === role)?.letter ?? null
  const yieldTimer = new YieldTimer()
  const rows: ImportRow[] = []
  for (const row of read.rows) {
    if (yieldTimer.shouldYield(rowCost)) yield
    const resolvedPaths = row.departments.map(resolvePath)
    const unresolved = resolvedPaths.find((one) => 'why' in one)
    const unreadable = unreadableByRow.get(row.row) ?? []
    const error: RowError | null =
      unreadable.length > 0
        ? {
            reason: unreadable.map(({ column, why }) => formatCellError(byLetter.get(column)?.label ?? column, why)).join('；'),
            column: unreadable[0]?.column ?? null,
          }
        : (findLengthError(row, getLetter) ?? (unresolved ? { reason: unresolved.why, column: getLetter('department') } : null))
    const paths = resolvedPaths.flatMap((one) => ('path' in one ? [one.path] : []))
    // A repeated department counts once.
    const departments = paths.length < 2 ? paths : [...new Map(paths.map((path) => [path.join('\n'), path])).values()]
    const id_card = row.id_card === null ? null : computeIndex.id_card(row.id_card)
    const bank_account = row.bank_account === null ? null : computeIndex.bank_account(row.bank_account)
    rows.push({ ...row, departments, id_card, bank_account, error })
  }
  return rows
}

/** Formats the error of a cell, with the column's header unless the text already contains it. */
const formatCellError = (label: string, why: string): string => (why.includes(label) ? why : `${label}：${why}`)

function findLengthError(
  row: Pick<RosterRow, keyof typeof maxLengths>,
  getLetter: (role: RosterColumnRole) => string | null,
): RowError | null {
  for (const field of ['name', 'employee_no', 'position'] as const) {
    const text = row[field] ?? ''
    if (text.length > maxLengths[field] && [...text].length > maxLengths[field])
      return { reason: `${fieldLabels[field]}最多 ${maxLengths[field]} 个字`, column: getLetter(field) }
    if (controlCharacters.test(text) || !text.isWellFormed())
      return { reason: `${fieldLabels[field]}里有不可见的控制字符，请删除后重试`, column: getLetter(field) }
  }
  return null
}
