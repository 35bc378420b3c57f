/**
 * WeCom: by its own package, which signs the address at every call that needs it. What spreads a page is taken out of the menu, what helps reading it (size
 * of letters, a browser of one's own) stays; a program too old for that hides the whole menu. Its title follows the page's own.
 */
import type { ClientSignature } from '../../types.ts'
import type { Frame, FrameAsk } from './index.ts'

const hidden = ['share:appMessage', 'share:wechat', 'favorite', 'copyUrl', 'share:email'].map((item) => `menuItem:${item}`)

export async function wecomFrame({ sign }: FrameAsk): Promise<Frame | null> {
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
  ww.register({
    corpId: signed.corp_id,
    agentId: signed.agent_id,
    jsApiList: ['hideMenuItems', 'hideOptionMenu', 'closeWindow'],
    getConfigSignature: asked,
  })
  const did = (call: Promise<unknown>) =>
    call.then(
      () => true,
      () => false,
    )
  void did(ww.hideMenuItems({ menuList: hidden })).then((is_hidden) => is_hidden || did(ww.hideOptionMenu()))
  return { kind: 'wecom', title: () => undefined, close: () => did(ww.closeWindow()) }
}
