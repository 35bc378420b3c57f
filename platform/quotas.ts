/** How many messages each platform's documents allow: one table for the adapters and for whoever tells people before they send. */
import type { Provider } from './types.ts'

export type ChatQuota = {
  /** To one person by one application; null: nothing is written. */
  readonly person_day: number | null
  readonly person_minute: number | null
  /** By an application, whoever they are for. */
  readonly app_day: number | null
  /** By an application, for each member that the company may have (WeCom counts receivers). */
  readonly app_day_each: number | null
  /** Receivers by the minute, all of them together. */
  readonly app_minute: number | null
}

/** wecom.md §5, dingtalk.md §5, lark.md §5.1 and §5.2 (Lark's cap of a day is on batches; single messages have only a pace). */
export function getChatQuota(provider: Provider, { store: isStoreApp = false } = {}): ChatQuota {
  switch (provider) {
    case 'lark':
      return { person_day: null, person_minute: 300, app_day: 500_000, app_day_each: null, app_minute: 1000 }
    case 'wecom':
      return { person_day: null, person_minute: 30, app_day: null, app_day_each: 200, app_minute: null }
    case 'dingtalk':
      return { person_day: isStoreApp ? 100 : 500, person_minute: null, app_day: null, app_day_each: null, app_minute: 5000 }
  }
}
