/** The texts of a platform's console, which only the binding page loads. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { loadBrowser } from '../../../platform/client/load-browser.ts'
import type { ChatProvider } from '../../../server/contract/shared/providers.ts'

export const chatConsoleQuery = (provider: ChatProvider) =>
  queryOptions({
    queryKey: ['chat-console', provider],
    queryFn: async () => (await loadBrowser(provider)).loadConsole(),
    staleTime: Number.POSITIVE_INFINITY,
  })
export const useChatConsole = (provider: ChatProvider) => useQuery(chatConsoleQuery(provider)).data
