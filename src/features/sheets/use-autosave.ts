import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api.ts'

/** `overtaken`: another user changed it meanwhile; nothing is saved over their version until this user has chosen. */
type SaveStatus = 'saved' | 'waiting' | 'failed' | 'overtaken'
type SaveOutcome = Exclude<SaveStatus, 'waiting'>
export const isEditConflict = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.is('wrong_state') && typeof error.data.version === 'number'
const autosaveDelayMs = 500

/**
 * Autosaves an edited part of a batch: when input pauses, on continuing (`flush`) and on leaving; `save` receives the
 * version it is based on, and returns the next one.
 */
export function useAutosave<T>(version: number, save: (now: T, upon: number) => Promise<{ version: number }>) {
  const [status, setStatus] = useState<SaveStatus>('saved')
  const [conflict, setConflict] = useState<{ message: string; version: number } | null>(null)
  // This is not the query's version, which refetches by itself: a change that is not rendered here has not been viewed.
  const viewedVersion = useRef(version)
  const saveRef = useRef(save)
  useEffect(() => {
    saveRef.current = save
  }, [save])
  const unsaved = useRef<T | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const running = useRef<Promise<SaveOutcome>>(Promise.resolve('saved'))

  /** Saves run one after the other, so that the last one wins. */
  const flush = useCallback(async (): Promise<SaveOutcome> => {
    clearTimeout(timer.current)
    running.current = running.current.then(async () => {
      const value = unsaved.current
      if (value === null) return 'saved'
      unsaved.current = null
      try {
        viewedVersion.current = (await saveRef.current(value, viewedVersion.current)).version
        if (unsaved.current === null) setStatus('saved')
        return 'saved'
      } catch (error) {
        // Keeps the value for a retry, unless a newer one was set meanwhile.
        unsaved.current ??= value
        if (isEditConflict(error)) setConflict({ message: error.message, version: Number(error.data.version) })
        const outcome = isEditConflict(error) ? 'overtaken' : 'failed'
        setStatus(outcome)
        return outcome
      }
    })
    return running.current
  }, [])

  const scheduleSave = (next: T) => {
    unsaved.current = next
    setStatus('waiting')
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void flush(), autosaveDelayMs)
  }
  // Leaving the page must not lose the last half second of changes.
  useEffect(() => () => void flush(), [flush])
  /** Overwrites the other user's version after the user chose to. */
  const overwrite = () => {
    viewedVersion.current = conflict?.version ?? viewedVersion.current
    setConflict(null)
    return flush()
  }
  /** Takes the other user's version and discards local changes. */
  const discard = () => {
    clearTimeout(timer.current)
    unsaved.current = null
    setConflict(null)
    setStatus('saved')
  }
  /** Runs another call that changes the same data, in order with the saves: later ones build on the version it returns. */
  const runInOrder = (change: (upon: number) => Promise<{ version: number }>): Promise<void> => {
    const previous = running.current
    const applyChange = async (): Promise<void> => {
      await previous
      viewedVersion.current = (await change(viewedVersion.current)).version
    }
    const pending = applyChange()
    running.current = pending.then<SaveOutcome, SaveOutcome>(
      () => 'saved',
      () => 'saved',
    )
    return pending
  }
  return {
    saving: status,
    put: scheduleSave,
    flush,
    inSequence: runInOrder,
    overtaken: conflict?.message ?? null,
    insist: overwrite,
    letGo: discard,
  }
}
