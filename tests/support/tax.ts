/** Locking a tax period as a user does who has read its open issues. */
import * as periods from '../../server/contract/tax/periods.ts'
import type { Caller } from './world.ts'

export async function getOpenIssues(clerk: Caller, period_id: string): Promise<periods.TaxIssueCount[]> {
  const { kinds } = await clerk.must(periods.checkPeriod, { period_id })
  return kinds.map(({ kind, count }) => ({ kind, count }))
}

/** Locks the period, and accepts whatever is open. */
export const lockPeriod = async (clerk: Caller, period_id: string) =>
  clerk.must(periods.lockPeriod, { period_id, accepted_issues: await getOpenIssues(clerk, period_id) })
