/**
 * The chat program's own window around a page of ours: what may be passed on from it, what stands over it, how it goes. Only what one program knows is
 * loaded, and only there. Nothing here is needed: whatever a program does not know, or refuses, is left as it is.
 */
import type { ClientSignature, Provider, PublicChatApp } from '../../types.ts'

export type ChatFrame = {
  readonly kind: Provider
  /** What stands over the page. */
  setTitle(text: string): void
  /** Closes the window and goes back to the chat; false where the program would not. */
  close(): Promise<boolean>
}
/** The application a page speaks for, and the signature of the page's address; null where there is none. */
export type SignedPage = Pick<PublicChatApp, 'corp_id' | 'agent_id'> & { readonly config: ClientSignature | null }
export type PageSigner = { sign(url: string): Promise<SignedPage | null> }

/** Takes the page out of what can be forwarded: a slip is nobody else's. Null where the program's script does not come. */
export async function createFrame(kind: Provider, window: Window, signer: PageSigner): Promise<ChatFrame | null> {
  switch (kind) {
    case 'lark':
      return (await import('./lark.ts')).createLarkFrame(window)
    case 'wecom':
      return (await import('./wecom.ts')).createWecomFrame(signer)
    case 'dingtalk':
      return (await import('./dingtalk.ts')).createDingtalkFrame(window)
  }
}

/** One answer of a program that calls back: whether it did it; no answer is none. (A function named `call` the build takes for one without effect.) */
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
