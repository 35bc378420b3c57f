/** The chat client's window around our pages: initialized once per document after the page is rendered, and never blocking it. */
import { type ChatAppBridge, createFrame } from '../../../../platform/client/frame.ts'
import { detectProvider } from '../../../../platform/client/index.ts'
import { jsConfigCalls } from '../../../../server/contract/auth/platform-sign-in.ts'
import { sendRequest } from '../../../api-core.ts'
import { getEntryCompany } from './entry-params.ts'

let framePromise: Promise<ChatAppBridge | null> | null = null
export function openChatFrame(): Promise<ChatAppBridge | null> {
  framePromise ??= createChatFrame().catch(() => null)
  return framePromise
}

async function createChatFrame(): Promise<ChatAppBridge | null> {
  const kind = detectProvider(navigator)
  if (!kind) return null
  const { companyId } = getEntryCompany('')
  const sign = (url: string) =>
    sendRequest(jsConfigCalls[kind], { url, ...(companyId ? { corp: companyId } : {}) }).catch(() => null)
  const frame = await createFrame(kind, window, { sign })
  if (!frame) return null
  // The client's title bar follows the page title.
  const updateTitle = () => frame.setTitle(document.title.replace(/ · 薪函$/, ''))
  updateTitle()
  const title = document.querySelector('title')
  if (title) new MutationObserver(updateTitle).observe(title, { childList: true })
  // The link is handled here and not in the arrow's component, because the first view of a payslip contains no code
  // that only a chat client needs.
  addEventListener('click', (event) => isBackLinkClick(event) && closeOnBack(event, frame), true)
  return frame
}

/** The back arrow of the first page, with none of ours before it: like the client's own it leads back to the chat. */
const isBackLinkClick = ({ target, metaKey, ctrlKey }: MouseEvent): boolean =>
  target instanceof Element &&
  target.closest('header > a[aria-label=返回]') !== null &&
  !metaKey &&
  !ctrlKey &&
  !history.state?.__TSR_index

function closeOnBack(event: Event, frame: ChatAppBridge): void {
  event.preventDefault()
  event.stopPropagation()
  void closeFrame(frame)
}

/** Closes the client's window; if the client refuses, opens the payslip list. */
export async function closeFrame(frame: ChatAppBridge): Promise<void> {
  if (!(await frame.close())) location.replace('/m/slips')
}
