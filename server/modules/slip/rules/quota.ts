/** What a chat platform still takes today, by what its documents allow and by what went out already. Pure. */
import type { ChatProvider } from '../../../contract/shared/schemas.ts'

export type QuotaRule = {
  /** Messages a day to one person. */
  readonly person_day: number | null
  /** Receivers a day of the application, for each member of the company. */
  readonly app_day_each: number | null
  /** Receivers a minute. */
  readonly app_minute: number | null
}
/** Of a company's own application; the adapters say the same (tests/unit/platform-quota). Lark's cap of a day is for batches, and slips go out one by one. */
export const quotaRules: Readonly<Record<ChatProvider, QuotaRule>> = {
  lark: { person_day: null, app_day_each: null, app_minute: 1000 },
  wecom: { person_day: null, app_day_each: 200, app_minute: null },
  dingtalk: { person_day: 500, app_day_each: null, app_minute: 5000 },
}

export type TodayUsage = {
  /** Everybody who got something through the company's application since midnight, counted as often as he did. */
  readonly used: number
  /** The most that one of those had who are to get something now. */
  readonly most_of_one: number
  /** People of the company who are known on the platform: its own cap can only be higher. */
  readonly people: number
}
export type RemainingQuota = {
  /** Receivers a day for the whole application; `at_least` where the platform counts by a size that it does not tell. */
  readonly day: { readonly limit: number; readonly left: number; readonly at_least: boolean } | null
  /** Messages a day for one person; `left` of whoever has fewest. */
  readonly person: { readonly limit: number; readonly left: number } | null
  /** So many minutes it takes at least; null where no pace is written. */
  readonly minutes: number | null
  /** So many of the wanted would be over what is allowed today. */
  readonly over: number
}

export function getRemainingQuota(
  quota: QuotaRule,
  requestedCount: number,
  { used, most_of_one, people }: TodayUsage,
): RemainingQuota {
  const limit = quota.app_day_each === null ? null : quota.app_day_each * Math.max(people, 1)
  const day = limit === null ? null : { limit, left: Math.max(0, limit - used), at_least: true }
  const person = quota.person_day === null ? null : { limit: quota.person_day, left: Math.max(0, quota.person_day - most_of_one) }
  return {
    day,
    person,
    minutes: quota.app_minute === null ? null : Math.max(1, Math.ceil(requestedCount / quota.app_minute)),
    over: day ? Math.max(0, requestedCount - day.left) : 0,
  }
}
