import { useRef, useState } from 'react'

/** One submission at a time, even before it is drawn; `onError` says it at its field. Without a look, for every form at a desk and on phones. */
export function useSubmit(onError: (error: unknown) => void, onBusy?: (busy: boolean) => void) {
  const [busy, setBusy] = useState(false)
  // A second press can come before `busy` has been drawn.
  const inFlight = useRef(false)
  const updateBusy = (isBusy: boolean) => {
    inFlight.current = isBusy
    setBusy(isBusy)
    onBusy?.(isBusy)
  }
  /** True when it was done; deaf while the last one is under way. */
  const submit = async (run: () => Promise<unknown>): Promise<boolean> => {
    if (inFlight.current) return false
    updateBusy(true)
    try {
      await run()
      return true
    } catch (error) {
      onError(error)
      return false
    } finally {
      updateBusy(false)
    }
  }
  return { busy, attempt: submit }
}
