/** The amounts of a member's month from a row of an imported list. Pure. */
import type { TaxAmounts } from '../../../rules/law/wages/amounts.ts'
import type { MemberAmountName, MemberAmountRow } from '../../../spreadsheets/rules.ts'
import { zeroAmounts } from './amounts.ts'

const amountByColumn = {
  income: 'income_fen',
  exempt: 'exempt_fen',
  social: 'social_fen',
  annuity: 'annuity_fen',
  health: 'health_fen',
  other: 'other_fen',
  donation: 'donation_fen',
  reduction: 'reduction_fen',
  bonus: 'bonus_fen',
} as const satisfies Partial<Record<MemberAmountName, keyof TaxAmounts>>
/** Where the file has no amount, the member's scheme computes it. */
const contributionByColumn = {
  pension: 'pension_fen',
  medical: 'medical_fen',
  unemployment: 'unemployment_fen',
  housing_fund: 'housing_fund_fen',
} as const satisfies Partial<Record<MemberAmountName, keyof TaxAmounts>>
const listEntries = <K extends string, V>(record: Readonly<Record<K, V>>) => Object.entries(record) as [K, V][]

/**
 * A column of the file replaces the member's amount, an empty cell by zero or, for insurance, by the member's scheme.
 * Amounts without a column stay as they were.
 */
export function readListedIncome(
  { fen }: Pick<MemberAmountRow, 'fen'>,
  columns: readonly MemberAmountName[],
  before: TaxAmounts | null,
): TaxAmounts | string {
  const changes: { -readonly [K in keyof TaxAmounts]?: TaxAmounts[K] } = {}
  for (const [column, name] of listEntries(amountByColumn)) if (columns.includes(column)) changes[name] = fen[column] ?? 0
  for (const [column, name] of listEntries(contributionByColumn))
    if (columns.includes(column)) changes[name] = fen[column] ?? null
  const amounts: TaxAmounts = { ...(before ?? zeroAmounts), ...changes }
  if (amounts.income_fen === 0 && amounts.bonus_fen === 0) return '没有收入；本期不发工资的人请不要写在表里'
  const items = [amounts.pension_fen, amounts.medical_fen, amounts.unemployment_fen]
  if (amounts.social_fen > 0 && items.some((one) => one !== null && one > 0)) return '社保既有合计又有分项，会扣两次；请只留一种'
  return amounts
}

/** The employee's insurance and housing fund; null where none is stated, so that the scheme computes them. */
export function sumSpecialAmounts(amounts: TaxAmounts): number | null {
  const { pension_fen, medical_fen, unemployment_fen, housing_fund_fen, social_fen } = amounts
  const items = [pension_fen, medical_fen, unemployment_fen, housing_fund_fen]
  if (social_fen === 0 && items.every((one) => one === null)) return null
  return items.reduce<number>((sum, one) => sum + (one ?? 0), social_fen)
}
