/**
 * WeCom: by its own package. What spreads a page is taken out of the menu, what helps reading it (size of letters, a browser of one's own) stays; a program
 * too old for that hides the whole menu. Its title follows the page's own.
 */
import { loadWecomSdk } from '../wecom.ts'
import type { ChatFrame, PageSigner } from './index.ts'

const hiddenMenuItems = ['share:appMessage', 'share:wechat', 'favorite', 'copyUrl', 'share:email'].map(
  (item) => `menuItem:${item}`,
)

export async function createWecomFrame(signer: PageSigner): Promise<ChatFrame | null> {
  const ww = await loadWecomSdk(signer, 'getConfigSignature', ['hideMenuItems', 'hideOptionMenu', 'closeWindow'])
  if (!ww) return null
  const isResolved = (call: Promise<unknown>) =>
    call.then(
      () => true,
      () => false,
    )
  void isResolved(ww.hideMenuItems({ menuList: hiddenMenuItems })).then(
    (is_hidden) => is_hidden || isResolved(ww.hideOptionMenu()),
  )
  return { kind: 'wecom', setTitle: () => undefined, close: () => isResolved(ww.closeWindow()) }
}
