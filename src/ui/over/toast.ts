/**
 * Short messages (spec §9): 3 seconds, a tip 1.2 (one glance: 「已复制」). Who shows them is decided by the half of the product that is open: the desk hands in antd's
 * message, /m antd-mobile's Toast; so neither half loads the other's library.
 */
export type Message = { kind: 'done' | 'fail' | 'info' | 'tip'; text: string; title?: string | undefined }
type Show = (message: Message) => void

let show: Show | null = null
const waiting: Message[] = []
const say = (message: Message) => (show ? show(message) : void waiting.push(message))

export const toast = {
  done: (text: string) => say({ kind: 'done', text }),
  fail: (text: string, title?: string) => say({ kind: 'fail', text, title }),
  info: (text: string) => say({ kind: 'info', text }),
  tip: (text: string) => say({ kind: 'tip', text }),
}

/** Called by a layout when it mounts; answers how to let go again. */
export function showToastsWith(next: Show): () => void {
  show = next
  for (const message of waiting.splice(0)) next(message)
  return () => {
    if (show === next) show = null
  }
}
export const toastSeconds = ({ kind }: Pick<Message, 'kind'>): number => (kind === 'tip' ? 1.2 : 3)
