/**
 * WeCom: uses its own package. Menu items that share a page are hidden; items that help reading it (font size, open in
 * browser) stay. An app that is too old for that hides the entire menu. The window title follows the page's title.
 */

import type { ChatFrame, PageSigner } from '../client-module.ts'
import { loadWecomSdk } from './client.ts'

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
  return { setTitle: () => undefined, close: () => isResolved(ww.closeWindow()) }
}
