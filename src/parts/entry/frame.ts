/** The chat program's window around our pages: opened once a document, when the page is on the screen, and never in anybody's way. */
import { type Frame, frameOf } from '../../../platform/client/frame/index.ts'
import { programOf } from '../../../platform/client/index.ts'
import { jsConfigCalls } from '../../../server/contract/account/platform-sign-in.ts'
import { send } from '../../api-core.ts'
import { corpAsked } from './page-asked.ts'

let opened: Promise<Frame | null> | null = null
export function openFrame(): Promise<Frame | null> {
  opened ??= open().catch(() => null)
  return opened
}

async function open(): Promise<Frame | null> {
  const kind = programOf(navigator)
  if (!kind) return null
  const { corp } = corpAsked('')
  const sign = (url: string) => send(jsConfigCalls[kind], { url, ...(corp ? { corp } : {}) }).catch(() => null)
  const frame = await frameOf(kind, window, { sign })
  if (!frame) return null
  // What the program shows over the page follows the page's own title.
  const tell = () => frame.title(document.title.replace(/ · 薪函$/, ''))
  tell()
  const title = document.querySelector('title')
  if (title) new MutationObserver(tell).observe(title, { childList: true })
  // Caught here and not where the arrow is drawn: the first view of a slip carries nothing that only a chat program needs.
  addEventListener('click', (event) => isWayOut(event) && leave(event, frame), true)
  return frame
}

/** The arrow over the first page, behind which there is nothing of ours: as the program's own button it leads back to the chat. */
const isWayOut = ({ target, metaKey, ctrlKey }: MouseEvent): boolean =>
  target instanceof Element &&
  target.closest('header > a[aria-label=返回]') !== null &&
  !metaKey &&
  !ctrlKey &&
  !history.state?.__TSR_index

function leave(event: Event, frame: Frame): void {
  event.preventDefault()
  event.stopPropagation()
  void shut(frame)
}

/** Where the program would not close its window, on to the slips. */
export async function shut(frame: Frame): Promise<void> {
  if (!(await frame.close())) location.replace('/m/slips')
}
