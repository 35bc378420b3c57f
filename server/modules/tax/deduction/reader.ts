/** Deductions of all members in one query, for computing a month of the whole company. */
import { setImmediate } from 'node:timers/promises'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import { computeMonthDeductions, type EmploymentMonths, type MonthDeductions } from './month.ts'
import { deductionStore } from './store.ts'

/** Members decrypted between yields to the event loop. */
const membersPerRound = 200

/** Members without items are left out. The caller checks access to the members. */
export async function loadMonthDeductions(
  ctx: CompanyVaultTx,
  month: string,
  members: readonly (EmploymentMonths & { readonly member_id: string })[],
): Promise<Map<string, MonthDeductions>> {
  const byId = new Map(members.map((one) => [one.member_id, one]))
  const rows = await deductionStore.sealed(ctx, [...byId.keys()])
  const byMember = new Map<string, MonthDeductions>()
  for (const [at, row] of rows.entries()) {
    if (at % membersPerRound === membersPerRound - 1) await setImmediate()
    const person = byId.get(row.member_id)
    if (person) byMember.set(row.member_id, computeMonthDeductions(deductionStore.open(ctx, row), month, person))
  }
  return byMember
}
