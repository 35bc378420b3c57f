/** Contributions of all members, with one query each for bases and schemes, for computing a month of the whole company. */
import { setImmediate } from 'node:timers/promises'
import type { CompanyVaultTx } from '../../../database/company-tx.ts'
import { computeMonthInsurance, findEntry, type MonthInsurance } from './month.ts'
import { loadCurrentSchemes } from './schemes.ts'
import { insuranceStore } from './store.ts'

/** Members computed between yields to the event loop. */
const membersPerRound = 100

/** Members without an entry for the month, and uninsured ones, are left out. The caller checks access to the members. */
export async function loadMonthInsurance(
  ctx: CompanyVaultTx,
  month: string,
  member_ids: readonly string[],
): Promise<Map<string, MonthInsurance>> {
  const schemes = await loadCurrentSchemes(ctx)
  const byMember = new Map<string, MonthInsurance>()
  for (const [at, row] of (await insuranceStore.sealed(ctx, member_ids)).entries()) {
    if (at % membersPerRound === membersPerRound - 1) await setImmediate()
    const computed = computeMonthInsurance(findEntry(insuranceStore.open(ctx, row), month), month, schemes)
    if (computed) byMember.set(row.member_id, computed)
  }
  return byMember
}
