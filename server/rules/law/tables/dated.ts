/** A figure of law is a dated row: it holds for money paid in its months, and says which document it comes from. */
import { LawRefusal } from '../refused.ts'

export type Dated<T> = {
  /** Months as `2019-01`, both included; null: no end is known. */
  readonly valid_from: string
  readonly valid_to: string | null
  readonly document: string
  readonly value: T
}
/** Rows of one figure, in the order of their months, none beside another. */
export type DatedRows<T> = { readonly name: string; readonly rows: readonly Dated<T>[] }

/** A month of payment; null where a case names none: then the row that holds last. */
export type When = string | null

const holds = ({ valid_from, valid_to }: Dated<unknown>, month: string): boolean =>
  valid_from <= month && (valid_to === null || month <= valid_to)

/** The row that holds for a month of payment, or null: the rule did not exist yet, or has run out. */
export const rowIn = <T>({ rows }: DatedRows<T>, when: When): Dated<T> | null =>
  (when === null ? rows.at(-1) : rows.findLast((one) => holds(one, when))) ?? null

/** That no row holds is an error of the tables or of the caller, never a zero. */
export function rowFor<T>(table: DatedRows<T>, when: When): Dated<T> {
  const row = rowIn(table, when)
  if (row) return row
  const known = table.rows.map(({ valid_from, valid_to }) => `${valid_from} 至 ${valid_to ?? '今'}`).join('、')
  throw new LawRefusal(
    `「${table.name}」`,
    `没有适用于 ${when ?? '任何月份'} 的规定（已录入：${known || '无'}）；请先录入该月份的规定和出处`,
  )
}
