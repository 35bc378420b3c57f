import { useRef, useState } from 'react'

/** One submission at a time, even before it is drawn; `refused` says it at its field. Without a look, for every form at a desk and on phones. */
export function useAttempt(refused: (error: unknown) => void, onBusy?: (busy: boolean) => void) {
  const [busy, setBusy] = useState(false)
  // A second press can come before `busy` has been drawn.
  const underWay = useRef(false)
  const be = (now: boolean) => {
    underWay.current = now
    setBusy(now)
    onBusy?.(now)
  }
  /** True when it was done; deaf while the last one is under way. */
  const attempt = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (underWay.current) return false
    be(true)
    try {
      await work()
      return true
    } catch (error) {
      refused(error)
      return false
    } finally {
      be(false)
    }
  }
  return { busy, attempt }
}
