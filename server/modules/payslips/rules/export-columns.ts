/** The columns of an exported sheet, and the totals in the last row. */

import type { ColumnRole, PayslipStatus } from '../../../contract/shared/schemas.ts'
import { isAnyName, isDepartment, isIgnored, moneyRoles } from '../../../contract/sheets/column-roles.ts'

export type ExportColumn = { readonly key: string; readonly label: string; readonly role: ColumnRole }
type NamedColumn = { readonly key: string; readonly value: string }

/** These values are shown first, from the roster; the sheet's columns would repeat them. */
const isFixedColumn = (role: ColumnRole): boolean => isAnyName(role) || isDepartment(role)

/**
 * Returns every column once, with its label on the payslip. Two columns with the same label and content are
 * distinguished by position.
 */
export function selectExportColumns(columns: readonly ExportColumn[], layoutColumns: readonly NamedColumn[]): ExportColumn[] {
  const names = new Map(layoutColumns.map(({ key, value }) => [key, value]))
  const selectedColumns = columns.filter(({ role }) => !isIgnored(role) && !isFixedColumn(role))
  const count = new Map<string, number>()
  return selectedColumns.map(({ key, label, role }) => {
    const name = names.get(key) || label
    const occurrence = (count.get(name) ?? 0) + 1
    count.set(name, occurrence)
    return { key, role, label: occurrence === 1 ? name : `${name} (${occurrence})` }
  })
}

/** Sums up the amounts of all rows; withdrawn payslips are not included and are counted separately. */
export class ExportTotals {
  readonly #sums = new Map<string, number>()
  #people = 0
  #withdrawn = 0

  /** `fen` contains totals by column index; null for columns that are no amounts. */
  add(status: PayslipStatus, columns: readonly ExportColumn[], fen: readonly (number | null)[]): void {
    if (status === 'withdrawn') {
      this.#withdrawn += 1
      return
    }
    this.#people += 1
    for (const [at, { key }] of columns.entries()) this.#sums.set(key, (this.#sums.get(key) ?? 0) + (fen[at] ?? 0))
  }

  /** `合计 12 人（不含已撤回 2 人）` */
  get label(): string {
    const without = this.#withdrawn > 0 ? `（不含已撤回 ${this.#withdrawn} 人）` : ''
    return `合计 ${this.#people} 人${without}`
  }
  /** The value is null for columns that are no amounts. */
  get = ({ key, role }: ExportColumn): number | null => (moneyRoles.has(role) ? (this.#sums.get(key) ?? 0) : null)
}
