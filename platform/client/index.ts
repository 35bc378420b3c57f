/** Detects which app shows this page and how it provides a sign-in code. Code for a single app is loaded only then. */
import type { AuthCodeParams } from '../chat/client-module.ts'
import { findProviderByUserAgent, type Provider } from '../chat/providers.ts'
import { loadBrowser } from './load-browser.ts'

export { AuthCodeError, type AuthCodeParams } from '../chat/client-module.ts'

export type ChatHost =
  | { readonly kind: 'browser' }
  /** `authCode` is null if the app provides codes on its sign-in page only. */
  | { readonly kind: Provider; getAuthCode(params: AuthCodeParams): Promise<string | null> }

/** Null means a browser. */
export const detectProvider = ({ userAgent }: Pick<Navigator, 'userAgent'>): Provider | null => findProviderByUserAgent(userAgent)

export function detectChatHost(navigator: Pick<Navigator, 'userAgent'>, window: Window): ChatHost {
  const kind = detectProvider(navigator)
  return kind
    ? {
        kind,
        getAuthCode: async (params) => (await loadBrowser(kind)).getAuthCode?.(window, params) ?? null,
      }
    : { kind: 'browser' }
}
