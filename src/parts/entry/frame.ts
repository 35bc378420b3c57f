/** The chat program's window around our pages: opened once a document, when the page is on the screen, and never in anybody's way. */
import { type ChatFrame, createFrame } from '../../../platform/client/frame/index.ts'
import { detectProvider } from '../../../platform/client/index.ts'
import { jsConfigCalls } from '../../../server/contract/auth/platform-sign-in.ts'
import { sendRequest } from '../../api-core.ts'
import { getEntryCompany } from './entry-params.ts'

let framePromise: Promise<ChatFrame | null> | null = null
export function openChatFrame(): Promise<ChatFrame | null> {
  framePromise ??= createChatFrame().catch(() => null)
  return framePromise
}

async function createChatFrame(): Promise<ChatFrame | null> {
  const kind = detectProvider(navigator)
  if (!kind) return null
  const { companyId } = getEntryCompany('')
  const sign = (url: string) =>
    sendRequest(jsConfigCalls[kind], { url, ...(companyId ? { corp: companyId } : {}) }).catch(() => null)
  const frame = await createFrame(kind, window, { sign })
  if (!frame) return null
  // What the program shows over the page follows the page's own title.
  const updateTitle = () => frame.setTitle(document.title.replace(/ · 薪函$/, ''))
  updateTitle()
  const title = document.querySelector('title')
  if (title) new MutationObserver(updateTitle).observe(title, { childList: true })
  // Caught here and not where the arrow is drawn: the first view of a slip carries nothing that only a chat program needs.
  addEventListener('click', (event) => isBackLinkClick(event) && closeOnBack(event, frame), true)
  return frame
}

/** The arrow over the first page, behind which there is nothing of ours: as the program's own button it leads back to the chat. */
const isBackLinkClick = ({ target, metaKey, ctrlKey }: MouseEvent): boolean =>
  target instanceof Element &&
  target.closest('header > a[aria-label=返回]') !== null &&
  !metaKey &&
  !ctrlKey &&
  !history.state?.__TSR_index

function closeOnBack(event: Event, frame: ChatFrame): void {
  event.preventDefault()
  event.stopPropagation()
  void closeFrame(frame)
}

/** Where the program would not close its window, on to the slips. */
export async function closeFrame(frame: ChatFrame): Promise<void> {
  if (!(await frame.close())) location.replace('/m/slips')
}
