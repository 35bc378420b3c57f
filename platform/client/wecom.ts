/** WeCom's own package, with the page made known as the application's: for the company, or for an application of its store (platform/wecom.md §1.2). */
import type * as wecom from '@wecom/jssdk'
import type { ClientSignature } from '../types.ts'
import type { PageSigner } from './frame/index.ts'

type WecomSdk = typeof wecom
type SignatureMethod = 'getConfigSignature' | 'getAgentConfigSignature'

/** Null where the page gets no signature. It is fetched only there, and signs the address anew at every call that needs it. */
export async function loadWecomSdk(
  { sign }: PageSigner,
  signatureMethod: SignatureMethod,
  apiNames: readonly string[],
): Promise<WecomSdk | null> {
  const getPageUrl = () => location.href.split('#')[0] ?? ''
  const signed = await sign(getPageUrl())
  if (!signed?.config) return null
  const ww = await import('@wecom/jssdk')
  // The first signature is at hand; another address asks for another one.
  let cachedSignature: ClientSignature | null = signed.config
  const getSignature = async (url: string) => {
    const config = (url === getPageUrl() && cachedSignature) || (await sign(url))?.config
    cachedSignature = null
    if (!config) throw new Error('no signature')
    return { timestamp: Number(config.timestamp), nonceStr: config.nonce, signature: config.signature }
  }
  ww.register({ corpId: signed.corp_id, agentId: signed.agent_id, jsApiList: [...apiNames], [signatureMethod]: getSignature })
  return ww
}
