import { useEffect, useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { editPaySheetTitle, type getLayout, type Layout } from '../../../server/contract/sheet/sheet.ts'
import { useCall } from '../../api.ts'
import { overtakes, useSelfSaving } from '../sheet/self-saving.ts'

export type Draft = Pick<Layout, 'sort_list' | 'hide_empty' | 'hide_zero' | 'hint'>

/** The arrangement as it is being changed. */
export function useLayoutDraft(batch_id: string, layout: OutputOf<typeof getLayout>) {
  const { sort_list, hide_empty, hide_zero, hint } = layout
  const [draft, setDraft] = useState<Draft>({ sort_list, hide_empty, hide_zero, hint })
  const { mutateAsync } = useCall(editPaySheetTitle, { handles: overtakes })
  const { saving, put, flush, ...other } = useSelfSaving<Draft>(layout.version, (now, version) =>
    mutateAsync({ batch_id, ...now, version }),
  )
  const edit = (next: Partial<Draft>) => {
    const whole = { ...draft, ...next }
    setDraft(whole)
    // A name must not be empty on its way to becoming another one.
    if (whole.sort_list.every(({ value }) => value.trim() !== '')) put(whole)
  }
  // Nor must closing the window or loading it anew lose anything: the browser asks, and meanwhile it is saved.
  useEffect(() => {
    if (saving === 'saved') return
    const ask = (event: BeforeUnloadEvent) => {
      event.preventDefault()
      void flush()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [saving, flush])
  const isSaved = async (): Promise<boolean> => (await flush()) === 'saved'
  return { draft, edit, flush: isSaved, saving, ...other }
}
