/** A legal value is a dated row: it applies to payments in its months and names its source document. */
import { LawError } from '../law-error.ts'

export type DatedRow<T> = {
  /** Months such as `2019-01`, both inclusive; null means that no end is known. */
  readonly valid_from: string
  readonly valid_to: string | null
  readonly document: string
  readonly value: T
}
/** Rows of one value in chronological order, without overlaps. */
export type EffectiveDatedTable<T> = { readonly name: string; readonly rows: readonly DatedRow<T>[] }

/** A month of payment; null if a case names none, which selects the latest row. */
export type PaymentMonth = string | null

const isValidIn = ({ valid_from, valid_to }: DatedRow<unknown>, month: string): boolean =>
  valid_from <= month && (valid_to === null || month <= valid_to)

/** Returns the row that applies to a month of payment; null if the rule did not exist yet or has expired. */
export const findDatedRow = <T>({ rows }: EffectiveDatedTable<T>, when: PaymentMonth): DatedRow<T> | null =>
  (when === null ? rows.at(-1) : rows.findLast((one) => isValidIn(one, when))) ?? null

/** A missing row is an error of the tables or of the caller, never zero. */
export function getDatedRow<T>(table: EffectiveDatedTable<T>, when: PaymentMonth): DatedRow<T> {
  const row = findDatedRow(table, when)
  if (row) return row
  const availableRanges = table.rows.map(({ valid_from, valid_to }) => `${valid_from} 至 ${valid_to ?? '今'}`).join('、')
  throw new LawError(
    `「${table.name}」`,
    `没有适用于 ${when ?? '任何月份'} 的规定（已录入：${availableRanges || '无'}）；请先录入该月份的规定和出处`,
  )
}
