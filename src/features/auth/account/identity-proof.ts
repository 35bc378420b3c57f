import { useSyncExternalStore } from 'react'
import { ApiError } from '../../../api-core.ts'

/**
 * Files with amounts are exported only soon after a proof of identity. Where the last one is too old, a dialog asks for
 * it and the export continues by itself.
 */
let request: { readonly finish: (isProved: boolean) => void } | null = null
const listeners = new Set<() => void>()
const setRequest = (next: typeof request) => {
  request = next
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Returns whether the dialog has to be shown. */
export const useIdentityProofRequest = () => useSyncExternalStore(subscribe, () => request !== null)

/** Closes the dialog. */
export function finishIdentityProof(isProved: boolean): void {
  const finished = request
  setRequest(null)
  finished?.finish(isProved)
}

function requestIdentityProof(): Promise<boolean> {
  request?.finish(false)
  return new Promise((finish) => setRequest({ finish }))
}

export const isIdentityRequired = (error: unknown): boolean => error instanceof ApiError && error.is('view_locked')

/** Makes a call, and once more after the user has proved their identity where the call requires it. */
export async function withIdentityProof<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!isIdentityRequired(error) || !(await requestIdentityProof())) throw error
    return call()
  }
}
