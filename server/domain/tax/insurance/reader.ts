/** For whoever reckons a month of the whole company: everybody's contributions, in one query each for bases and schemes. */
import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../../runtime/handle.ts'
import { insuranceKept } from './document.ts'
import { entryIn, type InsuranceOfMonth, insuranceIn } from './month.ts'
import { schemesNow } from './schemes.ts'

/** People reckoned between turns of the event loop. */
const a_turn = 100

/** Who has nothing entered for the month, or is not insured, is not in it. Whom this may be asked of is the caller's business. */
export async function insuranceFor(
  ctx: Pick<Ctx, 'db' | 'company_id' | 'vault'>,
  month: string,
  member_ids: readonly string[],
): Promise<Map<string, InsuranceOfMonth>> {
  const schemes = await schemesNow(ctx)
  const found = new Map<string, InsuranceOfMonth>()
  for (const [at, row] of (await insuranceKept.sealed(ctx, member_ids)).entries()) {
    if (at % a_turn === a_turn - 1) await setImmediate()
    const one = insuranceIn(entryIn(insuranceKept.open(ctx, row), month), month, schemes)
    if (one) found.set(row.member_id, one)
  }
  return found
}
