/** Reads the amounts of a payslip from an earlier pay run, by the columns of its own batch. */

import type { TitleKind } from '../../../contract/shared/schemas.ts'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import type { PaidPayslip } from '../../payslip-records/index.ts'
import { openRecognition } from '../recognition.ts'
import { getFen, MemberAmounts, summaryItems, toPayItems } from '../rules/check/member-amounts.ts'
import type { EarlierMonth } from '../rules/months/tax.ts'
import { createTaxReader } from '../rules/tax-columns.ts'

/** Earlier months loaded for a member: half a year, and the tax year from the December before it. */
export const typicalMonthCount = 6
export const getPreviousDecember = (month: string): string => `${Number(month.slice(0, 4)) - 1}-12`
/** Subtracts months: `2026-03` minus six → `2025-09`. */
export function subtractMonths(month: string, count: number): string {
  const at = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 - count
  return `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, '0')}`
}

/** Creates a function that records the amounts of payslips. Column roles are stored with the batch and read once per batch. */
export function createPayslipRecorder({
  db,
  company_id,
  vault,
}: CompanyVaultTx): (figures: MemberAmounts, slip: PaidPayslip) => Promise<void> {
  type Columns = { items: ReturnType<typeof toPayItems>; tax: ReturnType<typeof createTaxReader> }
  const columnsByBatch = new Map<string, Columns>()
  const loadColumns = async (batch_id: string): Promise<Columns> => {
    const batch = await db
      .selectFrom('batch')
      .select(['id', 'recognition'])
      .where('company_id', '=', company_id)
      .where('id', '=', batch_id)
      .executeTakeFirstOrThrow()
    const recognition = openRecognition({ vault }, batch)
    return { items: toPayItems(recognition.columns), tax: createTaxReader(recognition) }
  }
  return async (figures, { batch_id, member_id, content: { cells, gross_fen, tax_fen } }) => {
    const columns = columnsByBatch.get(batch_id) ?? (await loadColumns(batch_id))
    columnsByBatch.set(batch_id, columns)
    const { items, tax } = columns
    const hasGross = items.some(({ item }) => item === summaryItems.gross)
    const positions = figures.addItems([
      ...items.map(({ item }) => item),
      summaryItems.tax,
      summaryItems.special,
      ...(hasGross ? [] : [summaryItems.gross]),
    ])
    const amounts = items.map(({ column }) => getFen(cells, column.key))
    figures.add(member_id, positions, [
      ...amounts,
      tax_fen ?? 0,
      tax?.(cells).special ?? 0,
      ...(hasGross ? [] : [gross_fen ?? 0]),
    ])
  }
}

export class EarlierMonths {
  readonly #requested = new Set<string>()
  readonly #months = new Map<string, EarlierMonth>()
  /** Members with payslips in these months that the user may not see: the visible payslips are not all they were paid. */
  readonly partlyVisible = new Set<string>()
  /** Entry dates, where the roster has them. */
  readonly entryDates = new Map<string, string | null>()

  /** Marks members as requested and returns those that were not requested before. */
  addNew(people: readonly string[]): string[] {
    const fresh = people.filter((one) => !this.#requested.has(one))
    for (const one of fresh) this.#requested.add(one)
    return fresh
  }
  getAmounts(month: string, kind: TitleKind): MemberAmounts {
    const key = `${month} ${kind}`
    const existing = this.#months.get(key) ?? { month, kind, amounts: new MemberAmounts() }
    this.#months.set(key, existing)
    return existing.amounts
  }
  listAmounts = (): readonly MemberAmounts[] => [...this.#months.values()].map((one) => one.amounts)
  /** Lists the months, newest first. */
  listMonths = (): readonly EarlierMonth[] => [...this.#months.values()].toSorted((a, b) => (a.month < b.month ? 1 : -1))
}
