/** WeCom's own package, with the page made known as the application's: for the company, or for an application of its store (platform/wecom.md §1.2). */
import type * as wecom from '@wecom/jssdk'
import type { ClientSignature } from '../types.ts'
import type { FrameAsk } from './frame/index.ts'

type Package = typeof wecom
type As = 'getConfigSignature' | 'getAgentConfigSignature'

/** Null where the page gets no signature. It is fetched only there, and signs the address anew at every call that needs it. */
export async function wecomPackage({ sign }: FrameAsk, as: As, calls: readonly string[]): Promise<Package | null> {
  const here = () => location.href.split('#')[0] ?? ''
  const signed = await sign(here())
  if (!signed?.config) return null
  const ww = await import('@wecom/jssdk')
  // The first signature is at hand; another address asks for another one.
  let at_hand: ClientSignature | null = signed.config
  const asked = async (url: string) => {
    const config = (url === here() && at_hand) || (await sign(url))?.config
    at_hand = null
    if (!config) throw new Error('no signature')
    return { timestamp: Number(config.timestamp), nonceStr: config.nonce, signature: config.signature }
  }
  ww.register({ corpId: signed.corp_id, agentId: signed.agent_id, jsApiList: [...calls], [as]: asked })
  return ww
}
