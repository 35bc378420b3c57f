/**
 * Short messages (spec §9): 3 seconds, a tip 1.2 (for a glance: 「已复制」). The open half of the product shows them:
 * desktop provides antd's message, /m antd-mobile's Toast, so that neither half loads the other's library.
 */
export type ToastMessage = { kind: 'done' | 'fail' | 'info' | 'tip'; text: string; title?: string | undefined }
type ToastHandler = (message: ToastMessage) => void

let handler: ToastHandler | null = null
const pendingMessages: ToastMessage[] = []
const showMessage = (message: ToastMessage) => (handler ? handler(message) : void pendingMessages.push(message))

export const toast = {
  success: (text: string) => showMessage({ kind: 'done', text }),
  error: (text: string, title?: string) => showMessage({ kind: 'fail', text, title }),
  info: (text: string) => showMessage({ kind: 'info', text }),
  brief: (text: string) => showMessage({ kind: 'tip', text }),
}

/** Called by a layout on mount; returns a function that removes the handler. */
export function setToastHandler(newHandler: ToastHandler): () => void {
  handler = newHandler
  for (const message of pendingMessages.splice(0)) newHandler(message)
  return () => {
    if (handler === newHandler) handler = null
  }
}
export const getToastSeconds = ({ kind }: Pick<ToastMessage, 'kind'>): number => (kind === 'tip' ? 1.2 : 3)
