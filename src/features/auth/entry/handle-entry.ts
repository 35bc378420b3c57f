/** Decides what /entry does, given its address and the client that opened it. No user interface. */
import type { ChatHost } from '../../../../platform/client/index.ts'
import {
  authorizeCalls,
  jsConfigCalls,
  loginByPlatform,
  type SignInErrorReason,
} from '../../../../server/contract/auth/platform-sign-in.ts'
import { type ChatProvider, providers } from '../../../../server/contract/shared/providers.ts'
import { ApiError, sendRequest } from '../../../api-core.ts'
import type { SignInResult } from '../sign-in/types.ts'

export type EntryResult =
  /** Leaves to another page in this window: the platform's, or our own login page. */
  | { kind: 'leave'; to: string }
  | { kind: 'in'; into: SignInResult }
  /** The platform knows the user, but we do not yet. */
  | { kind: 'join'; provider: ChatProvider; binding_token: string }

/** `page` is the address to continue to (`?page=…`). */
export const getLoginUrl = (reason: SignInErrorReason, width: number, page = ''): string =>
  `${width < 800 ? '/m/login' : '/pc/page/login/login.html'}?why=${reason}${page.replace('?', '&')}`

export function getSignInErrorReason(error: unknown): SignInErrorReason {
  if (!(error instanceof ApiError)) return 'unavailable'
  if (error.is('not_found')) return 'no_app'
  if (error.is('wrong_state') || error.is('invalid')) return 'expired'
  if (!error.is('platform_refused')) return 'unavailable'
  const { kind } = error.data
  if (kind === 'temporary' || kind === 'rate_limited') return 'unavailable'
  return kind === 'code_refused' ? 'expired' : 'refused'
}

/**
 * What is known before any request: the window width, the address to continue to (`?page=…`), and whether this browser
 * is signed in.
 */
type EntryContext = {
  readonly width: number
  readonly page?: string
  readonly isSignedIn?: boolean
  /**
   * The company whose application it is. `isRemembered` means that it is taken from last time, so it may be outdated.
   */
  readonly companyId?: string
  readonly isRemembered?: boolean
}

export async function handleEntry(address: URL, host: ChatHost, context: EntryContext): Promise<EntryResult> {
  const { width, page = '', isSignedIn = false, companyId, isRemembered = false } = context
  const redirect = (to: string): EntryResult => ({ kind: 'leave', to })
  const redirectToLogin = (reason: SignInErrorReason): EntryResult => redirect(getLoginUrl(reason, width, page))
  const query = address.searchParams
  const state = query.get('state')
  try {
    if (query.has('error')) return redirectToLogin('cancelled')
    const code = query.get('code') ?? query.get('authCode')
    if (code) {
      // A code that we did not request may come from an attacker: without a state it is ignored.
      const provider = providers.find((existing) => state?.startsWith(existing))
      return provider && state ? await redeemCode(provider, { code, state }) : redirectToLogin('expired')
    }
    // A signed-in user only follows a link; if the session has expired, that page redirects back here.
    const targetPage = new URLSearchParams(page).get('page') ?? ''
    if (isSignedIn && /^\/m\/\w/.test(targetPage)) return redirect(targetPage)
    if (host.kind === 'browser') return redirectToLogin('not_here')
    const provider = host.kind
    const params = { url: address.href.split('#')[0] ?? '', ...(companyId ? { corp: companyId } : {}) }
    const config = await sendRequest(jsConfigCalls[provider], params).catch((error: unknown) => {
      if (isRemembered && error instanceof ApiError && error.is('not_found')) return null
      throw error
    })
    // That company has left its platform in the meantime; without its id there may be only one other company.
    if (!config) return await handleEntry(address, host, { width, page, isSignedIn })
    const authCode = await host.getAuthCode(config)
    if (authCode) return await redeemCode(provider, { code: authCode, state: config.state, corp: config.corp_id })
    return redirect(`${authorizeCalls[provider].path}${companyId ? `?corp=${encodeURIComponent(companyId)}` : ''}`)
  } catch (error) {
    if (error instanceof Error && error.name === 'CodeRefused')
      return redirectToLogin('cancelled' in error && error.cancelled === true ? 'cancelled' : 'refused')
    return redirectToLogin(getSignInErrorReason(error))
  }
}

async function redeemCode(provider: ChatProvider, params: { code: string; state: string; corp?: string }): Promise<EntryResult> {
  try {
    return { kind: 'in', into: await sendRequest(loginByPlatform, { provider, ...params }) }
  } catch (error) {
    const binding_token = error instanceof ApiError && error.is('not_found') ? error.data.binding_token : undefined
    if (typeof binding_token !== 'string') throw error
    return { kind: 'join', provider, binding_token }
  }
}
