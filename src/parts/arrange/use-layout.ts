import { useCallback, useEffect, useRef, useState } from 'react'
import { editPaySheetTitle, type Layout } from '../../../server/contract/sheet.ts'
import { useCall } from '../../api.ts'

export type Draft = Pick<Layout, 'sort_list' | 'hide_empty' | 'hide_zero' | 'hint'>
export type Saving = 'saved' | 'waiting' | 'failed'
const rest = 500

/** The arrangement as it is being changed. It saves itself when the hand rests, when one goes on and when one leaves. */
export function useLayoutDraft(batch_id: string, layout: Layout) {
  const { sort_list, hide_empty, hide_zero, hint } = layout
  const [draft, setDraft] = useState<Draft>({ sort_list, hide_empty, hide_zero, hint })
  const [saving, setSaving] = useState<Saving>('saved')
  const { mutateAsync } = useCall(editPaySheetTitle)
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
        await mutateAsync({ batch_id, ...now })
        if (!unsaved.current) setSaving('saved')
        return true
      } catch {
        // Kept, unless something newer was typed meanwhile.
        unsaved.current ??= now
        setSaving('failed')
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
  return { draft, edit, flush, saving }
}
