/**
 * Lark: a tag in the page lists the menu items to hide; its script reads the tag when it loads (client documents,
 * hidemoremenuitems: 5.27 on mobile, not on desktop). `tt.closeWindow` needs no signature (platform/lark.md §1.3).
 */

import { type ChatFrame, callWithTimeout } from '../client-module.ts'
import { loadScript } from '../load-script.ts'
import { larkScript } from './client.ts'

type Callbacks = { success(): void; fail(): void }
type LarkGlobal = {
  tt?: { closeWindow?(ask: Callbacks): void }
  h5sdk?: { ready?(then: () => void): void; biz?: { navigation?: { setTitle?(ask: { title: string }): void } } }
}
const hiddenMenuItems = 'sendToChat,shareViaOtherApp,copyLink'

export async function createLarkFrame(window: Window & LarkGlobal): Promise<ChatFrame | null> {
  const { document } = window
  const tag = document.createElement('meta')
  tag.name = 'hideMenuItems'
  tag.content = hiddenMenuItems
  tag.setAttribute('lk-config', '')
  document.head.append(tag)
  if (!window.tt && !(await loadScript(document, larkScript))) return null
  const { tt, h5sdk } = window
  const whenReady = (then: () => void) => (h5sdk?.ready ? h5sdk.ready(then) : then())
  return {
    setTitle: (title) => whenReady(() => h5sdk?.biz?.navigation?.setTitle?.({ title })),
    close: async () => {
      const close = tt?.closeWindow?.bind(tt)
      return close ? callWithTimeout((success, fail) => whenReady(() => close({ success, fail }))) : false
    },
  }
}
