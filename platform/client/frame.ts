/**
 * The chat app's window around a page: forwarding, title, closing. Only the code for the detected app is loaded, and
 * only inside that app. Nothing here is essential: anything an app does not support or rejects is left as it is.
 */
import type { ChatFrame, PageSigner } from '../chat/client-module.ts'
import type { Provider } from '../chat/providers.ts'
import { loadBrowser } from './load-browser.ts'

export type ChatAppBridge = ChatFrame & { readonly kind: Provider }

/** Disables forwarding of the page, because a payslip is personal. Null if the app's script cannot be loaded. */
export async function createFrame(kind: Provider, window: Window, signer: PageSigner): Promise<ChatAppBridge | null> {
  const frame = await (await loadBrowser(kind)).createFrame(window, signer)
  return frame && { ...frame, kind }
}
