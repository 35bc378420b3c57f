/** The chat platforms behind the port. No request is made and no SDK is loaded before the first use. */
import { type CarrierSender, createCarrierSender, type ReadStatus, type ReadStatusRequest } from './carrier.ts'
import type { ChatAdapter, PlatformHosts } from './chat/adapter-module.ts'
import { mapProviders, type Provider, providers } from './chat/providers.ts'
import type { ChatApp, Platforms, TokenStore } from './types.ts'
import { addCorpToLink } from './wire/entry-link.ts'
import { TokenCache } from './wire/tokens.ts'

/**
 * Each adapter is loaded from the provider's folder, so that a provider is named once. A folder without one ends the
 * start. The client has the same list and must not bundle the adapters, therefore the list cannot name them.
 */
const adapters = Object.fromEntries(
  await Promise.all(
    providers.map(async (provider) => [provider, (await import(`./chat/${provider}/adapter.ts`)).adapter as ChatAdapter]),
  ),
) as Readonly<Record<Provider, ChatAdapter>>

/** Returns hosts that all point to one simulator: `apiUrl` is called by our server, `pageUrl` is opened by browsers. */
export const getSimulatorHosts = (apiUrl: string, pageUrl: string = apiUrl): PlatformHosts =>
  mapProviders((provider) => adapters[provider].getSimulatorHosts(apiUrl, pageUrl))

type PlatformOptions = {
  readonly hosts?: PlatformHosts
  readonly now?: () => number
  /** Token store shared by all nodes; without it each node caches its own tokens. */
  readonly store?: TokenStore
}
export function createPlatforms({ hosts = {}, now = Date.now, store }: PlatformOptions = {}): Platforms {
  const tokens = new TokenCache(now, store)
  return mapProviders((provider) => {
    const adapter = adapters[provider]
    return adapter.createPlatform(hosts[provider] ?? adapter.vendorHosts, tokens, now)
  })
}

/** Creates the message sender of one application, for the delivery ledger; its bindings share its rate limit. */
export function createChatSender(platforms: Platforms, app: ChatApp): CarrierSender {
  const { carrier, messages } = platforms[app.provider]
  const baseSender = createCarrierSender(`chat:${app.provider}:${app.corp_id}:${app.app_id}:${app.agent_id}`, carrier, app)
  const sender: CarrierSender = {
    ...baseSender,
    send: (all) => baseSender.send(all.map((one) => addCorpToLink(one, app))),
    updateMessage: (all) => baseSender.updateMessage(all.map((one) => addCorpToLink(one, app))),
  }
  if (!messages.describe(app).reportsReads) return sender
  const getReadStatus = async ({ id, ref, to, sentAt }: ReadStatusRequest): Promise<ReadStatus> => {
    const [one] = await messages.getDeliveryStatus(app, { ref, to: [to], sent_at: sentAt })
    return { id, isRead: one?.read ?? null }
  }
  return { ...sender, getReadStatus: (requested) => Promise.all(requested.map(getReadStatus)) }
}
