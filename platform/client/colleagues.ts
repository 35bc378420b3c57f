/**
 * What WeCom hides from applications of its store it shows in its own program: names, drawn into elements of the page that nobody but it can read, and a
 * picker in which somebody chooses a colleague (documents 91958, 94516, 99206; platform/wecom.md §1.4 has the names of the calls).
 */
import type { FrameAsk } from './frame/index.ts'
import { loadScript } from './script.ts'
import { wecomPackage } from './wecom.ts'

/** Made for whoever asks, so it cannot be kept with our own files. */
const namesScript = 'https://open.work.weixin.qq.com/wwopen/js/jwxwork-1.0.0.js'

/** `user_id`: null where the application may not see whom somebody chose. */
export type ChosenColleague = { readonly ticket: string; readonly user_id: string | null }
export type Colleagues = {
  /** Into an element `ww-open-data` that says whose name: a `type` and an `openid`. */
  draw(element: Element): void
  /** Null: nobody was chosen. */
  choose(): Promise<ChosenColleague | null>
}

/** `unsigned`: the platform gave us no signature · `refused`: it does not take the page for the application's · `old`: the program knows no names. */
export type WhyNotShown = 'unsigned' | 'refused' | 'old'
export class NotShown extends Error {
  readonly why: WhyNotShown
  constructor(why: WhyNotShown) {
    super(why)
    this.name = 'NotShown'
    this.why = why
  }
}

type Drawing = { WWOpenData?: { bind?(element: Element): void } }
const is = (error: unknown, how: string): boolean =>
  typeof error === 'object' && error !== null && 'errMsg' in error && String(error.errMsg).endsWith(how)

export async function wecomColleagues(window: Window & Drawing, ask: FrameAsk): Promise<Colleagues> {
  const ww = await wecomPackage(ask, 'getAgentConfigSignature', ['selectPrivilegedContact'])
  if (!ww) throw new NotShown('unsigned')
  await ww.ensureAgentConfigReady().catch(() => {
    throw new NotShown('refused')
  })
  // Some programs bring what draws with them; whether it is there is seen below.
  if (!window.WWOpenData) await loadScript(window.document, namesScript, { tells: true })
  await ww.initOpenData().catch(() => {
    throw new NotShown('old')
  })
  const drawing = window.WWOpenData
  if (!drawing?.bind) throw new NotShown('old')
  return {
    draw: (element) => drawing.bind?.(element),
    async choose() {
      const asking = { fromDepartmentId: 0, mode: ww.SelectPrivilegedContactMode.single, selectedContextContact: false }
      try {
        const { result } = await ww.selectPrivilegedContact(asking)
        return { ticket: result.selectedTicket, user_id: result.userList[0]?.openUserId ?? null }
      } catch (error) {
        if (is(error, ':cancel')) return null
        throw error
      }
    },
  }
}
