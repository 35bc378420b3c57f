/** What of a sheet stands in the file that is exported, and what its last row adds up to. */
import { moneyRoles } from '../../../contract/sheet/column-roles.ts'
import type { ColumnRole, SalaryStatus } from '../../../contract/words/words.ts'

export type ExportColumn = { readonly key: string; readonly label: string; readonly role: ColumnRole }
type Named = { readonly key: string; readonly value: string }

/** Stand in front, as the roster has them: the sheet's own would say it a second time. */
const said: ReadonlySet<ColumnRole> = new Set(['name', 'last_name', 'first_name', 'department'])

/** Every column once, by the name that its slips give it. Of two columns of one name and content each is told by its place. */
export function exportColumns(columns: readonly ExportColumn[], arranged: readonly Named[]): ExportColumn[] {
  const names = new Map(arranged.map(({ key, value }) => [key, value]))
  const kept = columns.filter(({ role }) => role !== 'ignore' && !said.has(role))
  const count = new Map<string, number>()
  return kept.map(({ key, label, role }) => {
    const name = names.get(key) || label
    const times = (count.get(name) ?? 0) + 1
    count.set(name, times)
    return { key, role, label: times === 1 ? name : `${name} (${times})` }
  })
}

/** Adds up the amounts of every row; who was withdrawn gets nothing by it, and is counted apart. */
export class ExportTotals {
  readonly #sums = new Map<string, number>()
  #people = 0
  #withdrawn = 0

  /** `fen`: by the place of the column; null where it is no amount. */
  add(status: SalaryStatus, columns: readonly ExportColumn[], fen: readonly (number | null)[]): void {
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
  /** Null where a column is no amount. */
  of = ({ key, role }: ExportColumn): number | null => (moneyRoles.has(role) ? (this.#sums.get(key) ?? 0) : null)
}
