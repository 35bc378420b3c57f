/** A figure of law is a dated row: it holds for money paid in its months, and says which document it comes from. */
import { LawError } from '../law-error.ts'

export type DatedRow<T> = {
  /** Months as `2019-01`, both included; null: no end is known. */
  readonly valid_from: string
  readonly valid_to: string | null
  readonly document: string
  readonly value: T
}
/** Rows of one figure, in the order of their months, none beside another. */
export type DatedTable<T> = { readonly name: string; readonly rows: readonly DatedRow<T>[] }

/** A month of payment; null where a case names none: then the row that holds last. */
export type PaymentMonth = string | null

const isValidIn = ({ valid_from, valid_to }: DatedRow<unknown>, month: string): boolean =>
  valid_from <= month && (valid_to === null || month <= valid_to)

/** The row that holds for a month of payment, or null: the rule did not exist yet, or has run out. */
export const findDatedRow = <T>({ rows }: DatedTable<T>, when: PaymentMonth): DatedRow<T> | null =>
  (when === null ? rows.at(-1) : rows.findLast((one) => isValidIn(one, when))) ?? null

/** That no row holds is an error of the tables or of the caller, never a zero. */
export function getDatedRow<T>(table: DatedTable<T>, when: PaymentMonth): DatedRow<T> {
  const row = findDatedRow(table, when)
  if (row) return row
  const availableRanges = table.rows.map(({ valid_from, valid_to }) => `${valid_from} 至 ${valid_to ?? '今'}`).join('、')
  throw new LawError(
    `「${table.name}」`,
    `没有适用于 ${when ?? '任何月份'} 的规定（已录入：${availableRanges || '无'}）；请先录入该月份的规定和出处`,
  )
}
