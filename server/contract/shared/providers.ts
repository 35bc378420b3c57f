/** The chat providers: named in `platform/chat/providers.ts`, from which everything here is derived. */
import {
  chatProviderRules,
  chatProviders,
  findProviderByUserAgent,
  type Provider,
  providers,
} from '../../../platform/chat/providers.ts'

export type ChatProvider = Provider
export { chatProviderRules, chatProviders, findProviderByUserAgent, providers }

/** Makes something for every provider. */
export const mapProviders = <T>(map: (provider: ChatProvider) => T): Readonly<Record<ChatProvider, T>> =>
  Object.fromEntries(providers.map((provider) => [provider, map(provider)])) as Record<ChatProvider, T>

/** Display names. */
export const providerLabels = mapProviders((provider) => chatProviders[provider].label)
