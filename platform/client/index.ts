/** Detects which app shows this page and how it provides a sign-in code. Code for a single app is loaded only then. */
import type { Provider, PublicChatApp } from '../types.ts'

/** Parameters of a code request: the application, and the state that is returned with the code. */
export type AuthCodeParams = Pick<PublicChatApp, 'corp_id' | 'app_id' | 'agent_id'> & { readonly state: string }
export type ChatHost =
  | { readonly kind: 'browser' }
  /** `authCode`: null if the app provides codes on its sign-in page only. */
  | { readonly kind: Provider; getAuthCode(params: AuthCodeParams): Promise<string | null> }

/** The app declined: the user cancelled, or the application is not available to them. */
export class AuthCodeError extends Error {
  readonly cancelled: boolean
  constructor(cancelled: boolean) {
    super(cancelled ? 'cancelled' : 'refused')
    this.name = 'CodeRefused'
    this.cancelled = cancelled
  }
}

/** Null means a browser. WeCom also identifies itself as WeChat; plain WeChat is treated as a browser. */
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
