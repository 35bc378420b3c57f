/** For whoever reckons a month of the whole company: everybody's deductions in one query. */
import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../../runtime/handle.ts'
import { deductionsKept } from './document.ts'
import { type DeductionsOfMonth, deductionsIn, type Employed } from './month.ts'

type Here = Pick<Ctx, 'db' | 'company_id' | 'vault'>
/** People opened between turns of the event loop. */
const a_turn = 200

/** Who has nothing entered is not in it. Whom this may be asked of is the caller's business. */
export async function deductionsFor(
  ctx: Here,
  month: string,
  people: readonly (Employed & { readonly member_id: string })[],
): Promise<Map<string, DeductionsOfMonth>> {
  const byId = new Map(people.map((one) => [one.member_id, one]))
  const rows = await deductionsKept.sealed(ctx, [...byId.keys()])
  const found = new Map<string, DeductionsOfMonth>()
  for (const [at, row] of rows.entries()) {
    if (at % a_turn === a_turn - 1) await setImmediate()
    const person = byId.get(row.member_id)
    if (person) found.set(row.member_id, deductionsIn(deductionsKept.open(ctx, row), month, person))
  }
  return found
}
