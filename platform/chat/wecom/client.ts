/** Loads WeCom's package and registers the page for the company or for a store application (platform/wecom.md §1.2). */
import type * as wecom from '@wecom/jssdk'
import type { ClientSignature, PageSigner } from '../client-module.ts'

type WecomSdk = typeof wecom
type SignatureMethod = 'getConfigSignature' | 'getAgentConfigSignature'

/** Null if the page gets no signature. The package is loaded only when signed, and signs the URL again for each call. */
export async function loadWecomSdk(
  { sign }: PageSigner,
  signatureMethod: SignatureMethod,
  apiNames: readonly string[],
): Promise<WecomSdk | null> {
  const getPageUrl = () => location.href.split('#')[0] ?? ''
  const signed = await sign(getPageUrl())
  if (!signed?.config) return null
  const ww = await import('@wecom/jssdk')
  // The first signature is already available; a different URL needs a new one.
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
