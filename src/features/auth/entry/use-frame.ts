import { useEffect, useState } from 'react'
import type { ChatFrame } from '../../../../platform/client/frame/index.ts'

/** Returns the chat client's window as soon as it is known; null elsewhere. Its code loads only there, after the page. */
export function useChatFrame(): ChatFrame | null {
  const [frame, setFrame] = useState<ChatFrame | null>(null)
  // Loads a file and the client's script.
  useEffect(() => {
    if (!/wxwork\/|\b(?:Lark|Feishu)\/|DingTalk/i.test(navigator.userAgent)) return
    void import('./frame.ts').then(({ openChatFrame }) => openChatFrame()).then(setFrame, () => undefined)
  }, [])
  return frame
}
