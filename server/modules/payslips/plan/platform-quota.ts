/** The remaining quota of the company's chat platform for today, checked before sending. */
import { type ChatProvider, chatProviderRules } from '../../../contract/shared/providers.ts'
import type { HandlerContext } from '../../../http/handler.ts'
import { countSentSince } from '../../../outbox/index.ts'
import { toShanghaiDate } from '../../../shared/clock.ts'
import { countPlatformUsers } from '../../directory/index.ts'
import { getRemainingQuota } from '../rules/quota.ts'
import { countPlatformMessagesSince } from '../send/message-source.ts'

/** The value is null if no recipient of this plan is reached through the platform. */
export async function getPlatformQuota(ctx: HandlerContext, provider: ChatProvider | null, member_ids: readonly string[]) {
  if (provider === null || member_ids.length === 0) return null
  const midnight = new Date(`${toShanghaiDate(ctx.now)}T00:00:00+08:00`)
  const { used, most_of_one } = await countPlatformMessagesSince(ctx, midnight, member_ids)
  const usage = {
    usedCount: used + (await countSentSince(ctx, 'platform', midnight)),
    most_of_one,
    platformUserCount: await countPlatformUsers(ctx),
  }
  return { provider, ...getRemainingQuota(chatProviderRules[provider].quota, member_ids.length, usage) }
}
