/**
 * The chat app's window around a page: forwarding, title, closing. Only the code for the detected app is loaded, and
 * only inside that app. Nothing here is essential: anything an app does not support or rejects is left as it is.
 */
import type { ClientSignature, Provider, PublicChatApp } from '../../types.ts'

export type ChatAppBridge = {
  readonly kind: Provider
  /** Sets the title above the page. */
  setTitle(text: string): void
  /** Closes the window and returns to the chat; false if the app does not close it. */
  close(): Promise<boolean>
}
/** The application a page belongs to and the signature for the page's URL; null if there is none. */
export type SignedPage = Pick<PublicChatApp, 'corp_id' | 'agent_id'> & { readonly config: ClientSignature | null }
export type PageSigner = { sign(url: string): Promise<SignedPage | null> }

/** Disables forwarding of the page, because a payslip is personal. Null if the app's script cannot be loaded. */
export async function createFrame(kind: Provider, window: Window, signer: PageSigner): Promise<ChatAppBridge | null> {
  switch (kind) {
    case 'lark':
      return (await import('./lark.ts')).createLarkFrame(window)
    case 'wecom':
      return (await import('./wecom.ts')).createWecomFrame(signer)
    case 'dingtalk':
      return (await import('./dingtalk.ts')).createDingtalkFrame(window)
  }
}

/**
 * Waits for the callback of an app's call and returns whether it succeeded; no callback counts as failure. (The bundler
 * would treat a function named `call` as free of side effects.)
 */
export function callWithTimeout(start: (yes: () => void, no: () => void) => void, timeoutMs = 2_000): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), timeoutMs)
    const settle = (succeeded: boolean) => () => {
      clearTimeout(timer)
      resolve(succeeded)
    }
    try {
      start(settle(true), settle(false))
    } catch {
      settle(false)()
    }
  })
}
