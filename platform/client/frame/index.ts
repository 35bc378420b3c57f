/**
 * The chat program's own window around a page of ours: what may be passed on from it, what stands over it, how it goes. Only what one program knows is
 * loaded, and only there. Nothing here is needed: whatever a program does not know, or refuses, is left as it is.
 */
import type { ClientSignature, Provider, PublicApp } from '../../types.ts'

export type Frame = {
  readonly kind: Provider
  /** What stands over the page. */
  title(text: string): void
  /** Closes the window and goes back to the chat; false where the program would not. */
  close(): Promise<boolean>
}
/** The application a page speaks for, and the signature of the page's address; null where there is none. */
export type FrameSigned = Pick<PublicApp, 'corp_id' | 'agent_id'> & { readonly config: ClientSignature | null }
export type FrameAsk = { sign(url: string): Promise<FrameSigned | null> }

/** Takes the page out of what can be forwarded: a slip is nobody else's. Null where the program's script does not come. */
export async function frameOf(kind: Provider, window: Window, ask: FrameAsk): Promise<Frame | null> {
  switch (kind) {
    case 'lark':
      return (await import('./lark.ts')).larkFrame(window)
    case 'wecom':
      return (await import('./wecom.ts')).wecomFrame(ask)
    case 'dingtalk':
      return (await import('./dingtalk.ts')).dingtalkFrame(window)
  }
}

/** One answer of a program that calls back: whether it did it; no answer is none. (A function named `call` the build takes for one without effect.) */
export function done(begin: (yes: () => void, no: () => void) => void, patience_ms = 2_000): Promise<boolean> {
  return new Promise((tell) => {
    const late = setTimeout(() => tell(false), patience_ms)
    const finish = (did: boolean) => () => {
      clearTimeout(late)
      tell(did)
    }
    try {
      begin(finish(true), finish(false))
    } catch {
      finish(false)()
    }
  })
}
