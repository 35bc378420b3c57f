import { useEffect, useState } from 'react'
import type { ChatFrame } from '../../../platform/client/frame/index.ts'

/** The chat program's window, as soon as it is known; null elsewhere. What it takes is fetched only there, after the page. */
export function useChatFrame(): ChatFrame | null {
  const [frame, setFrame] = useState<ChatFrame | null>(null)
  // A file and a program's script are fetched.
  useEffect(() => {
    if (!/wxwork\/|\b(?:Lark|Feishu)\/|DingTalk/i.test(navigator.userAgent)) return
    void import('./frame.ts').then(({ openChatFrame }) => openChatFrame()).then(setFrame, () => undefined)
  }, [])
  return frame
}
