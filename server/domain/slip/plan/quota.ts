/** How many of today's messages the company's chat platform has left, asked before more are sent. */
import type { ChatPlatform } from '../../../contract/words/words.ts'
import { dayOf } from '../../../runtime/clock.ts'
import type { Ctx } from '../../../runtime/handle.ts'
import { sentSince } from '../../../runtime/post/index.ts'
import { countOnPlatform } from '../../member/index.ts'
import { quotaLeft, quotaRules } from '../rules/quota.ts'
import { slipsSentSince } from '../send/claims.ts'

/** Null: nobody of this plan is reached through the platform. */
export async function platformToday(ctx: Ctx, provider: ChatPlatform | null, member_ids: readonly string[]) {
  if (provider === null || member_ids.length === 0) return null
  const midnight = new Date(`${dayOf(ctx.now)}T00:00:00+08:00`)
  const { used, most_of_one } = await slipsSentSince(ctx, midnight, member_ids)
  const today = { used: used + (await sentSince(ctx, 'platform', midnight)), most_of_one, people: await countOnPlatform(ctx) }
  return { provider, ...quotaLeft(quotaRules[provider], member_ids.length, today) }
}
