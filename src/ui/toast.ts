/**
 * Short messages, 3 seconds. Who shows them is decided by the half of the product that is open: the desk hands in antd's
 * message, /m antd-mobile's Toast; so neither half loads the other's library.
 */
export type Message = { kind: 'done' | 'fail' | 'info'; text: string; title?: string | undefined }
type Show = (message: Message) => void

let show: Show | null = null
const waiting: Message[] = []
const say = (message: Message) => (show ? show(message) : void waiting.push(message))

export const toast = {
  done: (text: string) => say({ kind: 'done', text }),
  fail: (text: string, title?: string) => say({ kind: 'fail', text, title }),
  info: (text: string) => say({ kind: 'info', text }),
}

/** Called by a layout when it mounts; answers how to let go again. */
export function showToastsWith(next: Show): () => void {
  show = next
  for (const message of waiting.splice(0)) next(message)
  return () => {
    if (show === next) show = null
  }
}
export const toastSeconds = 3
