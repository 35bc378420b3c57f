/** What `adapter.ts` in a provider's folder exports, as `adapter`. */
import type { Platform } from '../types.ts'
import type { TokenCache } from '../wire/tokens.ts'
import type { Provider } from './providers.ts'

type Hosts = Readonly<Record<string, string>>
/**
 * Hosts of the platforms. They are fixed in the adapters and never taken from a request or a setting (C11); tests and
 * the demo use a simulator.
 */
export type PlatformHosts = Readonly<Partial<Record<Provider, Hosts>>>

export type ChatAdapter<H extends Hosts = Hosts> = {
  readonly vendorHosts: H
  /** Returns hosts that all point to one simulator: `apiUrl` is called by our server, `pageUrl` is opened by browsers. */
  readonly getSimulatorHosts: (apiUrl: string, pageUrl: string) => H
  // A method, so that an adapter that needs certain hosts is an adapter.
  createPlatform(hosts: H, tokens: TokenCache, now: () => number): Platform
}
