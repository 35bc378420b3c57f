/**
 * What a chat platform still accepts today, from its documented limits and the messages already sent. Pure. Payslips are
 * sent one by one, so a daily limit of batch messages (Lark) does not count.
 */
import type { ChatProvider, chatProviderRules } from '../../../contract/shared/providers.ts'

export type QuotaRule = Pick<
  (typeof chatProviderRules)[ChatProvider]['quota'],
  'perPersonPerDay' | 'perMemberPerDay' | 'perMinute'
>
export type TodayUsage = {
  /** Recipients of the company's application since midnight, each counted once per message. */
  readonly usedCount: number
  /** The highest number of messages already received today by one of the planned recipients. */
  readonly most_of_one: number
  /** Members linked to the platform: the platform's own count can only be higher. */
  readonly platformUserCount: number
}
export type RemainingQuota = {
  /** Recipients per day for the whole application; `is_estimate` where the platform counts by a size it does not disclose. */
  readonly day: { readonly limit: number; readonly remaining: number; readonly is_estimate: boolean } | null
  /** Messages per recipient and day; `remaining` refers to the recipient with the fewest left. */
  readonly person: { readonly limit: number; readonly remaining: number } | null
  /** The minimum duration in minutes; null where no rate is documented. */
  readonly minutes: number | null
  /** How many of the planned messages exceed today's limit. */
  readonly exceeding_count: number
}

export function getRemainingQuota(
  quota: QuotaRule,
  requestedCount: number,
  { usedCount, most_of_one, platformUserCount }: TodayUsage,
): RemainingQuota {
  const limit = quota.perMemberPerDay === null ? null : quota.perMemberPerDay * Math.max(platformUserCount, 1)
  const day = limit === null ? null : { limit, remaining: Math.max(0, limit - usedCount), is_estimate: true }
  const person =
    quota.perPersonPerDay === null
      ? null
      : { limit: quota.perPersonPerDay, remaining: Math.max(0, quota.perPersonPerDay - most_of_one) }
  return {
    day,
    person,
    minutes: quota.perMinute === null ? null : Math.max(1, Math.ceil(requestedCount / quota.perMinute)),
    exceeding_count: day ? Math.max(0, requestedCount - day.remaining) : 0,
  }
}
