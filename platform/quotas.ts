/** How many messages each platform's documents allow: one table for the adapters and for whoever tells people before they send. */
import type { Provider } from './types.ts'

export type ChatQuota = {
  /** To one person by one application; null: nothing is written. */
  readonly perPersonPerDay: number | null
  readonly perPersonPerMinute: number | null
  /** By an application, whoever they are for. */
  readonly perDay: number | null
  /** By an application, for each member that the company may have (WeCom counts receivers). */
  readonly perMemberPerDay: number | null
  /** Receivers by the minute, all of them together. */
  readonly perMinute: number | null
}

/** wecom.md §5, dingtalk.md §5, lark.md §5.1 and §5.2 (Lark's cap of a day is on batches; single messages have only a pace). */
export function getChatQuota(provider: Provider, { store: isStoreApp = false } = {}): ChatQuota {
  switch (provider) {
    case 'lark':
      return { perPersonPerDay: null, perPersonPerMinute: 300, perDay: 500_000, perMemberPerDay: null, perMinute: 1000 }
    case 'wecom':
      return { perPersonPerDay: null, perPersonPerMinute: 30, perDay: null, perMemberPerDay: 200, perMinute: null }
    case 'dingtalk':
      return {
        perPersonPerDay: isStoreApp ? 100 : 500,
        perPersonPerMinute: null,
        perDay: null,
        perMemberPerDay: null,
        perMinute: 5000,
      }
  }
}
