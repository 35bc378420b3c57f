import { useCallback, useEffect, useRef, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { editPaySheetTitle, type getLayout, type Layout } from '../../../server/contract/sheet.ts'
import { ApiError, useCall } from '../../api.ts'

export type Draft = Pick<Layout, 'sort_list' | 'hide_empty' | 'hide_zero' | 'hint'>
/** `overtaken`: somebody else arranged meanwhile; nothing is saved over it until one has chosen whose stays. */
export type Saving = 'saved' | 'waiting' | 'failed' | 'overtaken'
const overtakes = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.is('wrong_state') && typeof error.data.version === 'number'
const rest = 500

/** The arrangement as it is being changed. It saves itself when the hand rests, when one goes on and when one leaves. */
export function useLayoutDraft(batch_id: string, layout: OutputOf<typeof getLayout>) {
  const { sort_list, hide_empty, hide_zero, hint } = layout
  const [draft, setDraft] = useState<Draft>({ sort_list, hide_empty, hide_zero, hint })
  const [saving, setSaving] = useState<Saving>('saved')
  // Not the answer's, which comes anew by itself: a change that is not drawn here has not been seen.
  const seen = useRef(layout.version)
  const [other, setOther] = useState<{ why: string; version: number } | null>(null)
  const { mutateAsync } = useCall(editPaySheetTitle, { handles: overtakes })
  const unsaved = useRef<Draft | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const running = useRef<Promise<boolean>>(Promise.resolve(true))

  /** True when everything is on the server. Saves run one after the other, so that the last one wins. */
  const flush = useCallback(async (): Promise<boolean> => {
    clearTimeout(timer.current)
    running.current = running.current.then(async () => {
      const now = unsaved.current
      if (!now) return true
      unsaved.current = null
      try {
        const { version } = await mutateAsync({ batch_id, ...now, version: seen.current })
        seen.current = version
        if (!unsaved.current) setSaving('saved')
        return true
      } catch (error) {
        // Kept, unless something newer was typed meanwhile.
        unsaved.current ??= now
        if (overtakes(error)) setOther({ why: error.message, version: Number(error.data.version) })
        setSaving(overtakes(error) ? 'overtaken' : 'failed')
        return false
      }
    })
    return running.current
  }, [batch_id, mutateAsync])

  const edit = (next: Partial<Draft>) => {
    const whole = { ...draft, ...next }
    setDraft(whole)
    // A name must not be empty on its way to becoming another one.
    if (whole.sort_list.some(({ value }) => value.trim() === '')) return
    unsaved.current = whole
    setSaving('waiting')
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void flush(), rest)
  }
  // Leaving the page must not lose the last half second.
  useEffect(() => () => void flush(), [flush])
  // Nor must closing the window or loading it anew: the browser asks, and meanwhile it is saved.
  useEffect(() => {
    if (saving === 'saved') return
    const ask = (event: BeforeUnloadEvent) => {
      event.preventDefault()
      void flush()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [saving, flush])
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
  /** For calls that change the groups: upon which arrangement, and which one it is afterwards. */
  const hand = {
    version: () => seen.current,
    onSuccess: ({ version }: { version: number }) => {
      seen.current = version
    },
  }
  return { draft, edit, flush, saving, hand, overtaken: other?.why ?? null, insist, letGo }
}
