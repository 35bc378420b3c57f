/** DingTalk: calls of its navigation bar need no signature (platform/dingtalk.md §1.4); `dd.closePage` is the newer name of closing. */
import { dingtalkScript } from '../dingtalk.ts'
import { loadScript } from '../script.ts'
import { done, type Frame } from './index.ts'

type Calls = { onSuccess?(): void; onFail?(): void }
type DingTalk = {
  dd?: {
    ready?(then: () => void): void
    closePage?(ask: Calls): void
    biz?: {
      navigation?: {
        setRight?(ask: Calls & { show: boolean; control: boolean; text: string }): void
        setTitle?(ask: Calls & { title: string }): void
        close?(ask: Calls): void
      }
    }
  }
}

export async function dingtalkFrame(window: Window & DingTalk): Promise<Frame | null> {
  if (!window.dd && !(await loadScript(window.document, dingtalkScript))) return null
  const { dd } = window
  if (!dd) return null
  const bar = dd.biz?.navigation
  const ready = (then: () => void) => (dd.ready ? dd.ready(then) : then())
  // Of its menu nothing can be left out alone: forwarding goes with the rest of it.
  void done((onSuccess, onFail) => ready(() => bar?.setRight?.({ show: false, control: false, text: '', onSuccess, onFail })))
  return {
    kind: 'dingtalk',
    title: (title) => void done((onSuccess, onFail) => ready(() => bar?.setTitle?.({ title, onSuccess, onFail }))),
    close: async () => {
      const close = dd.closePage?.bind(dd) ?? bar?.close?.bind(bar)
      return close ? done((onSuccess, onFail) => ready(() => close({ onSuccess, onFail }))) : false
    },
  }
}
