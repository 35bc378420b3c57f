/**
 * What WeCom hides from applications of its store it shows in its own program: names, drawn into elements of the page that nobody but it can read, and a
 * picker in which somebody chooses a colleague (documents 91958, 94516, 99206; platform/wecom.md §1.4 has the names of the calls).
 */
import type { PageSigner } from './frame/index.ts'
import { loadScript } from './script.ts'
import { loadWecomSdk } from './wecom.ts'

/** Made for whoever asks, so it cannot be kept with our own files. */
const namesScriptUrl = 'https://open.work.weixin.qq.com/wwopen/js/jwxwork-1.0.0.js'

/** `user_id`: null where the application may not see whom somebody chose. */
export type SelectedPlatformUser = { readonly ticket: string; readonly user_id: string | null }
export type PlatformUserPicker = {
  /** Into an element `ww-open-data` that says whose name: a `type` and an `openid`. */
  renderName(element: Element): void
  /** Null: nobody was chosen. */
  selectUser(): Promise<SelectedPlatformUser | null>
}

/** `unsigned`: the platform gave us no signature · `refused`: it does not take the page for the application's · `old`: the program knows no names. */
export type UserPickerErrorReason = 'unsigned' | 'refused' | 'old'
export class UserPickerError extends Error {
  readonly reason: UserPickerErrorReason
  constructor(why: UserPickerErrorReason) {
    super(why)
    this.name = 'NotShown'
    this.reason = why
  }
}

type OpenDataGlobal = { WWOpenData?: { bind?(element: Element): void } }
const hasErrorSuffix = (error: unknown, suffix: string): boolean =>
  typeof error === 'object' && error !== null && 'errMsg' in error && String(error.errMsg).endsWith(suffix)

export async function createWecomUserPicker(window: Window & OpenDataGlobal, signer: PageSigner): Promise<PlatformUserPicker> {
  const ww = await loadWecomSdk(signer, 'getAgentConfigSignature', ['selectPrivilegedContact'])
  if (!ww) throw new UserPickerError('unsigned')
  await ww.ensureAgentConfigReady().catch(() => {
    throw new UserPickerError('refused')
  })
  // Some programs bring what draws with them; whether it is there is seen below.
  if (!window.WWOpenData) await loadScript(window.document, namesScriptUrl, { tells: true })
  await ww.initOpenData().catch(() => {
    throw new UserPickerError('old')
  })
  const openData = window.WWOpenData
  if (!openData?.bind) throw new UserPickerError('old')
  return {
    renderName: (element) => openData.bind?.(element),
    async selectUser() {
      const asking = { fromDepartmentId: 0, mode: ww.SelectPrivilegedContactMode.single, selectedContextContact: false }
      try {
        const { result } = await ww.selectPrivilegedContact(asking)
        return { ticket: result.selectedTicket, user_id: result.userList[0]?.openUserId ?? null }
      } catch (error) {
        if (hasErrorSuffix(error, ':cancel')) return null
        throw error
      }
    },
  }
}
