/** Which program shows this page, and how it gives a code. What only one of them needs is loaded when that one is found. */
import type { Provider, PublicChatApp } from '../types.ts'

/** What a client is asked with: the application, and the state that comes back beside the code. */
export type AuthCodeParams = Pick<PublicChatApp, 'corp_id' | 'app_id' | 'agent_id'> & { readonly state: string }
export type ChatHost =
  | { readonly kind: 'browser' }
  /** `authCode`: null where the program gives codes on its sign-in page only. */
  | { readonly kind: Provider; getAuthCode(wanted: AuthCodeParams): Promise<string | null> }

/** The program said no: the person would not, or the application is not his. */
export class AuthCodeError extends Error {
  readonly cancelled: boolean
  constructor(cancelled: boolean) {
    super(cancelled ? 'cancelled' : 'refused')
    this.name = 'CodeRefused'
    this.cancelled = cancelled
  }
}

/** Null: a browser. WeCom says that it is WeChat as well; plain WeChat is a browser to us. */
export function detectProvider({ userAgent }: Pick<Navigator, 'userAgent'>): Provider | null {
  if (/wxwork\/[\d.]+/i.test(userAgent)) return 'wecom'
  if (/\b(Lark|Feishu)\//i.test(userAgent)) return 'lark'
  return /DingTalk/i.test(userAgent) ? 'dingtalk' : null
}

export function detectChatHost(navigator: Pick<Navigator, 'userAgent'>, window: Window): ChatHost {
  const kind = detectProvider(navigator)
  switch (kind) {
    case 'wecom':
      return { kind, getAuthCode: async () => null }
    case 'lark':
      return { kind, getAuthCode: async (requested) => (await import('./lark.ts')).getLarkAuthCode(window, requested) }
    case 'dingtalk':
      return { kind, getAuthCode: async (requested) => (await import('./dingtalk.ts')).getDingtalkAuthCode(window, requested) }
    default:
      return { kind: 'browser' }
  }
}
