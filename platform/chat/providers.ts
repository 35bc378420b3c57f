/**
 * The chat providers. A new one is its folder beside this file (`descriptor.ts`, `adapter.ts`, `browser.ts` and what they need) and
 * its entry here: types, the contract, the database table `chat_provider`, the server and the client follow from it.
 */
import type { ChatProviderDescriptor, ChatProviderRules } from './descriptor.ts'
import { dingtalk, dingtalkRules } from './dingtalk/descriptor.ts'
import { lark, larkRules } from './lark/descriptor.ts'
import { wecom, wecomRules } from './wecom/descriptor.ts'

const descriptors = { lark, wecom, dingtalk }
// Apart from the descriptors, so that the client's bundle leaves them out.
const rules = { lark: larkRules, wecom: wecomRules, dingtalk: dingtalkRules }

export type Provider = keyof typeof descriptors
export const chatProviders: Readonly<Record<Provider, ChatProviderDescriptor>> = descriptors
export const chatProviderRules: Readonly<Record<Provider, ChatProviderRules>> = rules
export const providers = Object.keys(descriptors) as readonly Provider[]

/** Makes something for every provider. */
export const mapProviders = <T>(map: (provider: Provider) => T): Readonly<Record<Provider, T>> =>
  Object.fromEntries(providers.map((provider) => [provider, map(provider)])) as Record<Provider, T>

/** Returns the provider whose app shows the page; null means a browser. */
export const findProviderByUserAgent = (userAgent: string): Provider | null =>
  providers.find((provider) => chatProviders[provider].userAgent.test(userAgent)) ?? null
