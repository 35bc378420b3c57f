/** The three platform adapters behind the port. No request is made and no SDK is loaded before the first use. */
import { type CarrierSender, createCarrierSender, type ReadStatus, type ReadStatusRequest } from './carrier.ts'
import { createDingtalkPlatform } from './dingtalk/index.ts'
import { createLarkPlatform } from './lark/index.ts'
import type { ChatApp, Platforms, TokenStore } from './types.ts'
import { createWecomPlatform } from './wecom/index.ts'
import { addCorpToLink } from './wire/entry-link.ts'
import { type PlatformHosts, vendorHosts } from './wire/hosts.ts'
import { TokenCache } from './wire/tokens.ts'

export { getSimulatorHosts } from './wire/hosts.ts'

type PlatformOptions = {
  readonly hosts?: PlatformHosts
  readonly now?: () => number
  /** Token store shared by all nodes; without it each node caches its own tokens. */
  readonly store?: TokenStore
}
export function createPlatforms({ hosts = vendorHosts, now = Date.now, store }: PlatformOptions = {}): Platforms {
  const tokens = new TokenCache(now, store)
  return {
    lark: createLarkPlatform(hosts.lark, tokens, now),
    wecom: createWecomPlatform(hosts.wecom, tokens, now),
    dingtalk: createDingtalkPlatform(hosts.dingtalk, tokens, now),
  }
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
