/** DingTalk: its navigation bar needs no signature (platform/dingtalk.md §1.4); `dd.closePage` is the newer close call. */
import { type ChatFrame, callWithTimeout } from '../client-module.ts'
import { loadDingtalkScript } from './client.ts'

type Callbacks = { onSuccess?(): void; onFail?(): void }
type DingTalkGlobal = {
  dd?: {
    ready?(then: () => void): void
    closePage?(ask: Callbacks): void
    biz?: {
      navigation?: {
        setRight?(ask: Callbacks & { show: boolean; control: boolean; text: string }): void
        setTitle?(ask: Callbacks & { title: string }): void
        close?(ask: Callbacks): void
      }
    }
  }
}

export async function createDingtalkFrame(window: Window & DingTalkGlobal): Promise<ChatFrame | null> {
  if (!(await loadDingtalkScript(window))) return null
  const { dd } = window
  if (!dd) return null
  const navigation = dd.biz?.navigation
  const whenReady = (then: () => void) => (dd.ready ? dd.ready(then) : then())
  // Single items of its menu cannot be hidden, so forwarding is hidden with the entire menu.
  void callWithTimeout((onSuccess, onFail) =>
    whenReady(() => navigation?.setRight?.({ show: false, control: false, text: '', onSuccess, onFail })),
  )
  return {
    setTitle: (title) =>
      void callWithTimeout((onSuccess, onFail) => whenReady(() => navigation?.setTitle?.({ title, onSuccess, onFail }))),
    close: async () => {
      const close = dd.closePage?.bind(dd) ?? navigation?.close?.bind(navigation)
      return close ? callWithTimeout((onSuccess, onFail) => whenReady(() => close({ onSuccess, onFail }))) : false
    },
  }
}
