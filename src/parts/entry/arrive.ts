/** What /entry does with the address it was opened at, and with the program that opened it. Without a look. */
import type { Host } from '../../../platform/client/index.ts'
import { authorizeCalls, jsConfigCalls, loginByPlatform, type Why } from '../../../server/contract/account/platform-sign-in.ts'
import { type ChatPlatform, providers } from '../../../server/contract/words/words.ts'
import { ApiError, send } from '../../api-core.ts'
import type { SignedIn } from '../sign-in/sign-in.ts'

export type Arrival =
  /** On to another page of this window: the platform's, or our own login page. */
  | { kind: 'leave'; to: string }
  | { kind: 'in'; into: SignedIn }
  /** The platform knows him, we do not yet. */
  | { kind: 'join'; provider: ChatPlatform; bind_token: string }

/** `page`: `?page=…`, where to go on afterwards. */
export const loginAt = (why: Why, width: number, page = ''): string =>
  `${width < 800 ? '/m/login' : '/pc/page/login/login.html'}?why=${why}${page.replace('?', '&')}`

export function whyOf(error: unknown): Why {
  if (!(error instanceof ApiError)) return 'unavailable'
  if (error.is('not_found')) return 'no_app'
  if (error.is('wrong_state') || error.is('invalid')) return 'expired'
  if (!error.is('platform_refused')) return 'unavailable'
  const { kind } = error.data
  if (kind === 'temporary' || kind === 'rate_limited') return 'unavailable'
  return kind === 'code_refused' ? 'expired' : 'refused'
}

/** What is known before anybody is asked: how wide the window is, where to go on (`?page=…`), whether this browser is signed in. */
type Begun = {
  readonly width: number
  readonly page?: string
  readonly isSignedIn?: boolean
  /** Whose application; `isKept`: as it was the last time, which may be over. */
  readonly corp?: string
  readonly isKept?: boolean
}

export async function arrive(address: URL, host: Host, begun: Begun): Promise<Arrival> {
  const { width, page = '', isSignedIn = false, corp, isKept = false } = begun
  const leave = (to: string): Arrival => ({ kind: 'leave', to })
  const give = (why: Why): Arrival => leave(loginAt(why, width, page))
  const query = address.searchParams
  const state = query.get('state')
  try {
    if (query.has('error')) return give('cancelled')
    const code = query.get('code') ?? query.get('authCode')
    if (code) {
      // A code that we did not ask for is somebody else's: without a state it is not even looked at.
      const provider = providers.find((one) => state?.startsWith(one))
      return provider && state ? await redeem(provider, { code, state }) : give('expired')
    }
    // Whoever is signed in already only follows a link; should his session be over, that page brings him back here.
    const wanted = new URLSearchParams(page).get('page') ?? ''
    if (isSignedIn && /^\/m\/\w/.test(wanted)) return leave(wanted)
    if (host.kind === 'browser') return give('not_here')
    const provider = host.kind
    const asking = { url: address.href.split('#')[0] ?? '', ...(corp ? { corp } : {}) }
    const config = await send(jsConfigCalls[provider], asking).catch((error: unknown) => {
      if (isKept && error instanceof ApiError && error.is('not_found')) return null
      throw error
    })
    // That company has left its platform since: perhaps there is only one other.
    if (!config) return await arrive(address, host, { width, page, isSignedIn })
    const given = await host.authCode(config)
    if (given) return await redeem(provider, { code: given, state: config.state, corp: config.corp_id })
    return leave(`${authorizeCalls[provider].path}${corp ? `?corp=${encodeURIComponent(corp)}` : ''}`)
  } catch (error) {
    if (error instanceof Error && error.name === 'CodeRefused')
      return give('cancelled' in error && error.cancelled === true ? 'cancelled' : 'refused')
    return give(whyOf(error))
  }
}

async function redeem(provider: ChatPlatform, given: { code: string; state: string; corp?: string }): Promise<Arrival> {
  try {
    return { kind: 'in', into: await send(loginByPlatform, { provider, ...given }) }
  } catch (error) {
    const bind_token = error instanceof ApiError && error.is('not_found') ? error.data.bind_token : undefined
    if (typeof bind_token !== 'string') throw error
    return { kind: 'join', provider, bind_token }
  }
}
