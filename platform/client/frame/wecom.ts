/**
 * WeCom: by its own package. What spreads a page is taken out of the menu, what helps reading it (size of letters, a browser of one's own) stays; a program
 * too old for that hides the whole menu. Its title follows the page's own.
 */
import { wecomPackage } from '../wecom.ts'
import type { Frame, FrameAsk } from './index.ts'

const hidden = ['share:appMessage', 'share:wechat', 'favorite', 'copyUrl', 'share:email'].map((item) => `menuItem:${item}`)

export async function wecomFrame(ask: FrameAsk): Promise<Frame | null> {
  const ww = await wecomPackage(ask, 'getConfigSignature', ['hideMenuItems', 'hideOptionMenu', 'closeWindow'])
  if (!ww) return null
  const did = (call: Promise<unknown>) =>
    call.then(
      () => true,
      () => false,
    )
  void did(ww.hideMenuItems({ menuList: hidden })).then((is_hidden) => is_hidden || did(ww.hideOptionMenu()))
  return { kind: 'wecom', title: () => undefined, close: () => did(ww.closeWindow()) }
}
