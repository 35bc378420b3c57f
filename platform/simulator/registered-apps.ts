import type { ChatApp, Provider, Suite } from '../types.ts'
import type { SimulatedRange } from './company.ts'
/** Applications and suites registered with the simulated platforms. */

/** Where an application receives change events. */
export type CallbackTarget = { readonly url: string; readonly token: string; readonly aes_key: string }

export type RegisteredApp = ChatApp & {
  /** Origin to which its sign-in page may redirect. */
  readonly origin: string
  /** Permissions as named by the platform's console; all if undefined. */
  readonly permissions?: readonly string[]
  /** Everything if undefined. */
  readonly range?: SimulatedRange
  /** Disabled by the company. */
  readonly isStopped?: boolean
  /** The setting makes WeCom treat calls as coming from an untrusted IP address. */
  readonly isUntrustedAddress?: boolean
  /** WeCom: `old` applications can still read phone numbers; `contacts` is the secret of the directory assistant. */
  readonly kind?: 'new' | 'old' | 'contacts'
  /** In WeCom's store, each member consents individually, instead of an administrator for all. */
  readonly isMemberAuthorized?: boolean
  /** For store applications, the administrator who installed it. */
  readonly installer?: string
  /** For DingTalk's store, the application is installed but not yet activated; the value is the activation code. */
  readonly activationCode?: string
  readonly callback?: CallbackTarget
}

/** A store application and its tickets. */
export type RegisteredSuite = Suite & {
  readonly provider: Provider
  readonly callback?: CallbackTarget
}
