import { useEffect, useState } from 'react'
import type { ChatAppBridge } from '../../../../platform/client/frame.ts'
import { findProviderByUserAgent } from '../../../../server/contract/shared/providers.ts'

/** Returns the chat client's window as soon as it is known; null elsewhere. Its code loads only there, after the page. */
export function useChatFrame(): ChatAppBridge | null {
  const [frame, setFrame] = useState<ChatAppBridge | null>(null)
  // Loads a file and the client's script.
  useEffect(() => {
    if (!findProviderByUserAgent(navigator.userAgent)) return
    void import('./frame.ts').then(({ openChatFrame }) => openChatFrame()).then(setFrame, () => undefined)
  }, [])
  return frame
}
