import { useEffect, useState } from 'react'
import type { CallOutput } from '../../../../server/contract/call.ts'
import { editPaySheetTitle, type getLayout, type Layout } from '../../../../server/contract/sheets/sheet.ts'
import { useCallMutation } from '../../../api.ts'
import { isEditConflict, useAutosave } from '../use-autosave.ts'

export type LayoutDraft = Pick<Layout, 'sort_list' | 'hide_empty' | 'hide_zero' | 'hint'>

/** The layout being edited. */
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
    // A name may be empty while the user retypes it; it is not saved then.
    if (merged.sort_list.every(({ value }) => value.trim() !== '')) scheduleSave(merged)
  }
  // Closing or reloading the window must not lose changes either: the browser asks, and meanwhile the draft is saved.
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
