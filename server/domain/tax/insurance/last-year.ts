/** What people earned in a month on average last year, by their slips: the base that a city asks for from its next year on (§11). */
import type { Ctx } from '../../../runtime/handle.ts'
import { paidTo } from '../../pay/index.ts'
import { visibleBetween } from '../../sheet/index.ts'

export type LastYear = { readonly average_fen: number; readonly months: number }

/** By months with a slip, as one divides by the months worked; of runs that I may see. Who has no gross pay anywhere is not in it. */
export async function lastYearOf(ctx: Ctx, member_ids: readonly string[], year: number): Promise<Map<string, LastYear>> {
  const batches = await visibleBetween(ctx, `${year}-01`, `${year}-12`)
  const monthOf = new Map(batches.map(({ id, month }) => [id, month]))
  const sums = new Map<string, Map<string, number>>()
  for await (const page of paidTo(ctx, member_ids, [...monthOf.keys()]))
    for (const { member_id, batch_id, content } of page) {
      const month = monthOf.get(batch_id)
      if (content.gross_fen === null || month === undefined) continue
      const own = sums.get(member_id) ?? new Map<string, number>()
      own.set(month, (own.get(month) ?? 0) + content.gross_fen)
      sums.set(member_id, own)
    }
  return new Map([...sums].map(([member_id, months]) => [member_id, averageOf([...months.values()])]))
}

const averageOf = (months: readonly number[]): LastYear => ({
  average_fen: Math.round(months.reduce((sum, one) => sum + one, 0) / months.length),
  months: months.length,
})
