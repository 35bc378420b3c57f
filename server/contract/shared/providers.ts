/** The chat providers: named in `platform/chat/providers.ts`, from which everything here is derived. */
import { chatProviders, mapProviders } from '../../../platform/chat/providers.ts'

export {
  chatProviderRules,
  chatProviders,
  findProviderByUserAgent,
  mapProviders,
  type Provider as ChatProvider,
  providers,
} from '../../../platform/chat/providers.ts'

/** Display names. */
export const providerLabels = mapProviders((provider) => chatProviders[provider].label)
