import { useEffect, useState } from 'react'
import type { CallOutput } from '../../../server/contract/call.ts'
import { editPaySheetTitle, type getLayout, type Layout } from '../../../server/contract/sheets/sheet.ts'
import { useCallMutation } from '../../api.ts'
import { isEditConflict, useAutosave } from '../sheet/use-autosave.ts'

export type LayoutDraft = Pick<Layout, 'sort_list' | 'hide_empty' | 'hide_zero' | 'hint'>

/** The arrangement as it is being changed. */
export function useLayoutDraft(batch_id: string, layout: CallOutput<typeof getLayout>) {
  const { sort_list, hide_empty, hide_zero, hint } = layout
  const [draft, setDraft] = useState<LayoutDraft>({ sort_list, hide_empty, hide_zero, hint })
  const { mutateAsync } = useCallMutation(editPaySheetTitle, { handles: isEditConflict })
  const {
    saving,
    put: scheduleSave,
    flush,
    ...other
  } = useAutosave<LayoutDraft>(layout.version, (current, version) => mutateAsync({ batch_id, ...current, version }))
  const edit = (next: Partial<LayoutDraft>) => {
    const merged = { ...draft, ...next }
    setDraft(merged)
    // A name must not be empty on its way to becoming another one.
    if (merged.sort_list.every(({ value }) => value.trim() !== '')) scheduleSave(merged)
  }
  // Nor must closing the window or loading it anew lose anything: the browser asks, and meanwhile it is saved.
  useEffect(() => {
    if (saving === 'saved') return
    const confirmUnload = (event: BeforeUnloadEvent) => {
      event.preventDefault()
      void flush()
    }
    window.addEventListener('beforeunload', confirmUnload)
    return () => window.removeEventListener('beforeunload', confirmUnload)
  }, [saving, flush])
  const flushAndCheck = async (): Promise<boolean> => (await flush()) === 'saved'
  return { draft, edit, flush: flushAndCheck, saving, ...other }
}
