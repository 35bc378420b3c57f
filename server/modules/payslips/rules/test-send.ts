/** Who may receive a test send, and the sample amounts shown to users who may not view anybody's pay. */

import type { ColumnRole } from '../../../contract/shared/schemas.ts'
import { getSampleText, isDeductionOrTax, isEarning, isGross, isNet, moneyRoles } from '../../../contract/sheets/column-roles.ts'
import type { RowCells } from '../../../rules/amounts.ts'

/** Test sends are free and therefore limited per company and day. */
export const maxTestSendsPerDay = 30

type TestCandidate = {
  readonly name: string
  readonly status: string
  readonly mobile: string
  readonly account_id: string | null
  /** The phone of the account. */
  readonly account_mobile: string | null
  readonly unconfirmed: boolean
}

/**
 * Returns why the member may not receive a test send; null if they may. Only members who have proven the phone in the
 * roster may, because nobody else's phone may be contacted for a test.
 */
export function getTestBlockReason({
  name,
  status,
  mobile,
  account_id,
  account_mobile,
  unconfirmed,
}: TestCandidate): string | null {
  if (status === 'left') return `${name} 已离职，不能参加试发`
  if (account_id === null) return `${name} 还没有登录过，打不开试发；请先邀请，或换一个人`
  if (unconfirmed || account_mobile !== mobile) return `${name} 的手机号还没有确认是本人的，不能参加试发`
  return null
}

// Sample amounts

type PayslipColumn = { readonly key: string; readonly role: ColumnRole }
type PayslipFormula = { readonly plus: readonly string[]; readonly minus: readonly string[] } | null

const toMoneyCell = (fen: number) => ({ value: (fen / 100).toFixed(2), kind: 'money' as const, fen })

/**
 * Amounts are derived from a column's position, never from the sheet: 1,000 yuan and more for earnings, 100 and more
 * for deductions. Net pay follows from the formula, or is earnings less deductions.
 */
export function createSampleCells(columns: readonly PayslipColumn[], formula: PayslipFormula): RowCells {
  const amounts = new Map<string, number>()
  for (const [at, { key, role }] of columns.entries())
    if (moneyRoles.has(role)) amounts.set(key, isDeductionOrTax(role) ? 10_000 + at * 1_000 : 100_000 + at * 10_000)
  const sumAmounts = (keys: readonly string[]) => keys.reduce((sum, key) => sum + (amounts.get(key) ?? 0), 0)
  const getKeys = (matchesRole: (role: PayslipColumn['role']) => boolean) =>
    columns.filter(({ role }) => matchesRole(role)).map(({ key }) => key)
  const earned = sumAmounts(getKeys(isEarning))
  for (const key of getKeys(isGross)) amounts.set(key, earned || (amounts.get(key) ?? 0))
  const gross = earned || Math.max(0, ...getKeys(isGross).map((key) => amounts.get(key) ?? 0))
  const net = formula ? sumAmounts(formula.plus) - sumAmounts(formula.minus) : gross - sumAmounts(getKeys(isDeductionOrTax))
  for (const key of getKeys(isNet)) amounts.set(key, net > 0 ? net : 300_000)
  return Object.fromEntries(
    columns.map(({ key, role }) => {
      const fen = amounts.get(key)
      return [key, fen === undefined ? { value: getSampleText(role), kind: 'text' as const } : toMoneyCell(fen)]
    }),
  )
}
