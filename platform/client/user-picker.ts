/**
 * WeCom hides the names of users from store applications but displays them in its own app: names are rendered into
 * elements that only WeCom can read, and a picker lets the user choose a colleague (documents 91958, 94516, 99206;
 * platform/wecom.md §1.4 lists the names of the calls).
 */
import type { PageSigner } from './frame/index.ts'
import { loadScript } from './script.ts'
import { loadWecomSdk } from './wecom.ts'

/** Generated per origin, so it cannot be served with our own files. */
const namesScriptUrl = 'https://open.work.weixin.qq.com/wwopen/js/jwxwork-1.0.0.js'

/** `user_id`: null if the application is not allowed to see the selected user. */
export type SelectedPlatformUser = { readonly ticket: string; readonly user_id: string | null }
export type PlatformUserPicker = {
  /** Renders a name into a `ww-open-data` element that identifies the user by `type` and `openid`. */
  renderName(element: Element): void
  /** Null: nobody was selected. */
  selectUser(): Promise<SelectedPlatformUser | null>
}

/**
 * `unsigned`: the platform gave us no signature · `refused`: it does not accept the page as part of the application ·
 * `old`: the app cannot display names.
 */
export type UserPickerErrorReason = 'unsigned' | 'refused' | 'old'
export class UserPickerError extends Error {
  readonly reason: UserPickerErrorReason
  constructor(reason: UserPickerErrorReason) {
    super(reason)
    this.name = 'UserPickerError'
    this.reason = reason
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
  // Some apps bring the rendering script with them; its presence is checked below.
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
