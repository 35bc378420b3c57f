/** For whoever reckons a month of the whole company: everybody's contributions, in one query each for bases and schemes. */
import { setImmediate } from 'node:timers/promises'
import type { HandlerContext } from '../../../http/handler.ts'
import { computeMonthInsurance, findEntry, type MonthInsurance } from './month.ts'
import { loadCurrentSchemes } from './schemes.ts'
import { insuranceStore } from './store.ts'

/** People reckoned between turns of the event loop. */
const membersPerRound = 100

/** Who has nothing entered for the month, or is not insured, is not in it. Whom this may be asked of is the caller's business. */
export async function loadMonthInsurance(
  ctx: Pick<HandlerContext, 'db' | 'company_id' | 'vault'>,
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
