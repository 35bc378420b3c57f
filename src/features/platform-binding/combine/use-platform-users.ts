import { useCallback, useEffect, useState } from 'react'
import { type PlatformUserPicker, UserPickerError, type UserPickerErrorReason } from '../../../../platform/chat/client-module.ts'
import { detectProvider } from '../../../../platform/client/index.ts'
import { loadBrowser } from '../../../../platform/client/load-browser.ts'
import { jsConfigCalls } from '../../../../server/contract/auth/platform-sign-in.ts'
import { type ChatProvider, chatProviders } from '../../../../server/contract/shared/providers.ts'
import { sendRequest } from '../../../api-core.ts'
import type { PlatformBinding } from '../binding-card.tsx'

/** What the platform's client shows about users whose names it hides from us. */
export type PlatformUserView =
  /** The platform discloses names. */
  | { readonly state: 'told' }
  /** The page is open in a browser or in another client. */
  | { readonly state: 'outside' }
  | { readonly state: 'waiting' }
  /** `lost` means that the platform's script failed to load. */
  | { readonly state: 'failed'; readonly reason: UserPickerErrorReason | 'lost'; retry(): void }
  | { readonly state: 'shown'; readonly userPicker: PlatformUserPicker }

/** What a document may load is fixed when it is opened: at this page, or at the desktop page the user came from. */
const isDocumentOfPage = () => {
  const [navigation] = performance.getEntriesByType('navigation')
  return navigation === undefined || new URL(navigation.name).pathname === location.pathname
}

async function loadUserPicker(provider: ChatProvider, corp_id: string, retry: () => void): Promise<PlatformUserView> {
  const { createUserPicker } = await loadBrowser(provider)
  if (!createUserPicker) return { state: 'told' }
  const sign = (url: string) => sendRequest(jsConfigCalls[provider], { url, corp: corp_id, of: 'application' }).catch(() => null)
  try {
    return { state: 'shown', userPicker: await createUserPicker(window, { sign }) }
  } catch (error) {
    return { state: 'failed', reason: error instanceof UserPickerError ? error.reason : 'old', retry }
  }
}

export function usePlatformUserView({
  provider,
  corp_id,
  capabilities,
}: Pick<PlatformBinding, 'provider' | 'corp_id' | 'capabilities'>): PlatformUserView {
  const isHidden = chatProviders[provider].hidesNames === true && !capabilities.names
  const [view, setView] = useState<PlatformUserView>(
    isHidden ? { state: detectProvider(navigator) === provider ? 'waiting' : 'outside' } : { state: 'told' },
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
    loadUserPicker(provider, corp_id, retry).then(update, () => update({ state: 'failed', reason: 'lost', retry }))
    return () => {
      isDisposed = true
    }
  }, [isWaiting, provider, corp_id, retry])
  return view
}
