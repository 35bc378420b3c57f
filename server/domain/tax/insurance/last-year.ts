/** What people earned in a month on average last year, by their slips: the base that a city asks for from its next year on (§11). */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { paid } from '../../../contract/words/states.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { payable } from '../../member/index.ts'
import { openContent, slipsOf } from '../../pay/index.ts'
import { visibleBetween } from '../../sheet/index.ts'

/** Slips opened between turns of the event loop. */
const a_turn = 300

export type LastYear = { readonly average_fen: number; readonly months: number }

/** By months with a slip, as one divides by the months worked; of runs and people that I may see. Who has no gross pay anywhere is not in it. */
export async function lastYearOf(ctx: Ctx, member_ids: readonly string[], year: number): Promise<Map<string, LastYear>> {
  const batches = new Map((await visibleBetween(ctx, `${year}-01`, `${year}-12`)).map(({ id, month }) => [id, month]))
  if (batches.size === 0 || member_ids.length === 0) return new Map()
  const slips = await slipsOf(ctx, member_ids)
    .select(['salary.id', 'salary.member_id', 'salary.version', 'salary.cells', 'salary.batch_id'])
    .where('salary.batch_id', '=', sql<string>`any(${[...batches.keys()]}::uuid[])`)
    .where('salary.status', 'in', paid)
    .where(payable(ctx))
    .execute()
  const sums = new Map<string, Map<string, number>>()
  for (const [at, slip] of slips.entries()) {
    if (at % a_turn === a_turn - 1) await setImmediate()
    const { gross_fen } = openContent(ctx.vault, slip)
    const month = batches.get(slip.batch_id)
    if (gross_fen === null || month === undefined) continue
    const own = sums.get(slip.member_id) ?? new Map<string, number>()
    own.set(month, (own.get(month) ?? 0) + gross_fen)
    sums.set(slip.member_id, own)
  }
  return new Map([...sums].map(([member_id, months]) => [member_id, averageOf([...months.values()])]))
}

const averageOf = (months: readonly number[]): LastYear => ({
  average_fen: Math.round(months.reduce((sum, one) => sum + one, 0) / months.length),
  months: months.length,
})
