import type { ChatProviderBrowser } from '../chat/descriptor.ts'
import type { Provider } from '../chat/providers.ts'

/** Loads what runs in a provider's app or shows texts of its console, by the name of its folder. */
export const loadBrowser = async (provider: Provider): Promise<ChatProviderBrowser> =>
  (await import(`../chat/${provider}/browser.ts`)).browser
