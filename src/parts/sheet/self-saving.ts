import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api.ts'

/** `overtaken`: somebody else changed it meanwhile; nothing is saved over his until one has chosen whose stays. */
type Saving = 'saved' | 'waiting' | 'failed' | 'overtaken'
type Saved = Exclude<Saving, 'waiting'>
export const overtakes = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.is('wrong_state') && typeof error.data.version === 'number'
const rest = 500

/**
 * Something of a batch that is being changed by hand. It saves itself when the hand rests, when one goes on (`flush`) and when one leaves; `save`
 * says upon which version, and answers the next one.
 */
export function useSelfSaving<T>(version: number, save: (now: T, upon: number) => Promise<{ version: number }>) {
  const [saving, setSaving] = useState<Saving>('saved')
  const [other, setOther] = useState<{ why: string; version: number } | null>(null)
  // Not the query's, which comes anew by itself: a change that is not drawn here has not been seen.
  const seen = useRef(version)
  const saves = useRef(save)
  useEffect(() => {
    saves.current = save
  }, [save])
  const unsaved = useRef<T | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const running = useRef<Promise<Saved>>(Promise.resolve('saved'))

  /** Saves run one after the other, so that the last one wins. */
  const flush = useCallback(async (): Promise<Saved> => {
    clearTimeout(timer.current)
    running.current = running.current.then(async () => {
      const now = unsaved.current
      if (now === null) return 'saved'
      unsaved.current = null
      try {
        seen.current = (await saves.current(now, seen.current)).version
        if (unsaved.current === null) setSaving('saved')
        return 'saved'
      } catch (error) {
        // Kept, unless something newer was chosen meanwhile.
        unsaved.current ??= now
        if (overtakes(error)) setOther({ why: error.message, version: Number(error.data.version) })
        const outcome = overtakes(error) ? 'overtaken' : 'failed'
        setSaving(outcome)
        return outcome
      }
    })
    return running.current
  }, [])

  const put = (whole: T) => {
    unsaved.current = whole
    setSaving('waiting')
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void flush(), rest)
  }
  // Leaving the page must not lose the last half second.
  useEffect(() => () => void flush(), [flush])
  /** Mine after all: whoever presses it knows that the other one's goes. */
  const insist = () => {
    seen.current = other?.version ?? seen.current
    setOther(null)
    return flush()
  }
  /** The other one's: what is in hand here is let go. */
  const letGo = () => {
    clearTimeout(timer.current)
    unsaved.current = null
    setOther(null)
    setSaving('saved')
  }
  /** Another call that changes the same, in turn with what is saved: what is typed meanwhile goes upon the version that this one leaves. */
  const inTurn = (change: (upon: number) => Promise<{ version: number }>): Promise<void> => {
    const before = running.current
    const changed = async (): Promise<void> => {
      await before
      seen.current = (await change(seen.current)).version
    }
    const mine = changed()
    running.current = mine.then<Saved, Saved>(
      () => 'saved',
      () => 'saved',
    )
    return mine
  }
  return { saving, put, flush, inTurn, overtaken: other?.why ?? null, insist, letGo }
}
