/** What a chat platform still takes today, by what its documents allow and by what went out already. Pure. */
import type { ChatProvider } from '../../../contract/shared/schemas.ts'

export type QuotaRule = {
  /** Messages a day to one person. */
  readonly perPersonPerDay: number | null
  /** Receivers a day of the application, for each member of the company. */
  readonly perMemberPerDay: number | null
  /** Receivers a minute. */
  readonly perMinute: number | null
}
/** Of a company's own application; the adapters say the same (tests/unit/platform-quota). Lark's cap of a day is for batches, and slips go out one by one. */
export const quotaRules: Readonly<Record<ChatProvider, QuotaRule>> = {
  lark: { perPersonPerDay: null, perMemberPerDay: null, perMinute: 1000 },
  wecom: { perPersonPerDay: null, perMemberPerDay: 200, perMinute: null },
  dingtalk: { perPersonPerDay: 500, perMemberPerDay: null, perMinute: 5000 },
}

export type TodayUsage = {
  /** Everybody who got something through the company's application since midnight, counted as often as he did. */
  readonly usedCount: number
  /** The most that one of those had who are to get something now. */
  readonly most_of_one: number
  /** People of the company who are known on the platform: its own cap can only be higher. */
  readonly platformUserCount: number
}
export type RemainingQuota = {
  /** Receivers a day for the whole application; `at_least` where the platform counts by a size that it does not tell. */
  readonly day: { readonly limit: number; readonly remaining: number; readonly is_estimate: boolean } | null
  /** Messages a day for one person; `left` of whoever has fewest. */
  readonly person: { readonly limit: number; readonly remaining: number } | null
  /** So many minutes it takes at least; null where no pace is written. */
  readonly minutes: number | null
  /** So many of the wanted would be over what is allowed today. */
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
