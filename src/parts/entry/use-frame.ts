import { useEffect, useState } from 'react'
import type { Frame } from '../../../platform/client/frame/index.ts'

/** The chat program's window, as soon as it is known; null elsewhere. What it takes is fetched only there, after the page. */
export function useFrame(): Frame | null {
  const [frame, setFrame] = useState<Frame | null>(null)
  // A file and a program's script are fetched.
  useEffect(() => {
    if (!/wxwork\/|\b(?:Lark|Feishu)\/|DingTalk/i.test(navigator.userAgent)) return
    void import('./frame.ts').then(({ openFrame }) => openFrame()).then(setFrame, () => undefined)
  }, [])
  return frame
}
