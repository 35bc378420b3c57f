/** Message quotas documented by each platform: one table for the adapters and for the warnings before sending. */
import type { Provider } from './chat-app.ts'

export type ChatQuota = {
  /** Messages to one user from one application; null: not documented. */
  readonly perPersonPerDay: number | null
  readonly perPersonPerMinute: number | null
  /** Messages from one application, regardless of the recipient. */
  readonly perDay: number | null
  /** Messages from one application per member that the company may have (WeCom counts recipients). */
  readonly perMemberPerDay: number | null
  /** Recipients per minute in total. */
  readonly perMinute: number | null
}

/**
 * Sources: wecom.md §5, dingtalk.md §5, lark.md §5.1 and §5.2 (Lark's daily limit applies to batches; single messages
 * only have a rate limit).
 */
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
