/**
 * WeCom hides the names of users from store applications but displays them in its own app: names are rendered into
 * elements that only WeCom can read, and a picker lets the user choose a colleague (documents 91958, 94516, 99206;
 * platform/wecom.md §1.4 lists the names of the calls).
 */
import { type PageSigner, type PlatformUserPicker, UserPickerError } from '../client-module.ts'
import { loadScript } from '../load-script.ts'
import { loadWecomSdk } from './client.ts'

/** Generated per origin, so it cannot be served with our own files. */
const namesScriptUrl = 'https://open.work.weixin.qq.com/wwopen/js/jwxwork-1.0.0.js'

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
