import { useRef, useState } from 'react'

/**
 * Runs one submission at a time, even before `busy` is rendered; `onError` shows errors at their field. Without a user
 * interface, for both skins of the form kit.
 */
export function useSubmit(onError: (error: unknown) => void | Promise<void>, onBusy?: (busy: boolean) => void) {
  const [busy, setBusy] = useState(false)
  // A second press can come before `busy` is rendered.
  const inFlight = useRef(false)
  const updateBusy = (isBusy: boolean) => {
    inFlight.current = isBusy
    setBusy(isBusy)
    onBusy?.(isBusy)
  }
  /** Resolves to true on success; ignored while the previous submission is running. */
  const submit = async (run: () => Promise<unknown>): Promise<boolean> => {
    if (inFlight.current) return false
    updateBusy(true)
    try {
      await run()
      return true
    } catch (error) {
      await onError(error)
      return false
    } finally {
      updateBusy(false)
    }
  }
  return { busy, attempt: submit }
}
