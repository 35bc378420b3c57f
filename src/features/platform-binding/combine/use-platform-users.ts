import { useCallback, useEffect, useState } from 'react'
import { detectProvider } from '../../../../platform/client/index.ts'
import type { PlatformUserPicker, UserPickerErrorReason } from '../../../../platform/client/user-picker.ts'
import { jsConfigCalls } from '../../../../server/contract/auth/platform-sign-in.ts'
import { sendRequest } from '../../../api-core.ts'
import type { PlatformBinding } from '../binding-card.tsx'

/** What the platform's client shows of users whose names it hides from us. */
export type PlatformUserView =
  /** The platform discloses names. */
  | { readonly state: 'told' }
  /** The page is open in a browser or in another client. */
  | { readonly state: 'outside' }
  | { readonly state: 'waiting' }
  /** `lost`: the platform's script failed to load. */
  | { readonly state: 'failed'; readonly reason: UserPickerErrorReason | 'lost'; retry(): void }
  | { readonly state: 'shown'; readonly userPicker: PlatformUserPicker }

const isInWecom = () => detectProvider(navigator) === 'wecom'
/** What a document may load is fixed when it is opened: at this page, or at the desktop page the user came from. */
const isDocumentOfPage = () => {
  const [navigation] = performance.getEntriesByType('navigation')
  return navigation === undefined || new URL(navigation.name).pathname === location.pathname
}

async function loadUserPicker(corp_id: string, retry: () => void): Promise<PlatformUserView> {
  const sign = (url: string) => sendRequest(jsConfigCalls.wecom, { url, corp: corp_id, of: 'application' }).catch(() => null)
  const { UserPickerError, createWecomUserPicker } = await import('../../../../platform/client/user-picker.ts')
  try {
    return { state: 'shown', userPicker: await createWecomUserPicker(window, { sign }) }
  } catch (error) {
    return { state: 'failed', reason: error instanceof UserPickerError ? error.reason : 'old', retry }
  }
}

export function usePlatformUserView({
  provider,
  corp_id,
  capabilities,
}: Pick<PlatformBinding, 'provider' | 'corp_id' | 'capabilities'>): PlatformUserView {
  const isHidden = provider === 'wecom' && !capabilities.names
  const [view, setView] = useState<PlatformUserView>(
    isHidden ? { state: isInWecom() ? 'waiting' : 'outside' } : { state: 'told' },
  )
  const retry = useCallback(() => setView({ state: 'waiting' }), [])
  const isWaiting = view.state === 'waiting'
  // Loads and initializes the platform client's script.
  useEffect(() => {
    if (!isWaiting) return
    if (!isDocumentOfPage()) return location.reload()
    let isDisposed = false
    const update = (next: PlatformUserView) => {
      if (!isDisposed) setView(next)
    }
    loadUserPicker(corp_id, retry).then(update, () => update({ state: 'failed', reason: 'lost', retry }))
    return () => {
      isDisposed = true
    }
  }, [isWaiting, corp_id, retry])
  return view
}
