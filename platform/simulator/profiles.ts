/** The providers that have a simulator: each one's folder has its calls (`index.ts`) and its profile. */
import type { Provider } from '../chat/providers.ts'
import { dingtalkProfile } from './dingtalk/profile.ts'
import { larkProfile } from './lark/profile.ts'
import type { SimulatorProfile } from './profile.ts'
import { wecomProfile } from './wecom/profile.ts'

const profiles = { lark: larkProfile, wecom: wecomProfile, dingtalk: dingtalkProfile }
export type SimulatedProvider = keyof typeof profiles
export const simulatedProviders = Object.keys(profiles) as readonly SimulatedProvider[]

export function getProfile(provider: Provider): SimulatorProfile {
  const profile = (profiles as Partial<Record<Provider, SimulatorProfile>>)[provider]
  if (!profile) throw new Error(`${provider} has no simulator`)
  return profile
}
