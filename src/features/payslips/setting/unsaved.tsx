import { useBlocker } from '@tanstack/react-router'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'
import { ConfirmDialog } from '../../../components/overlay/dialogs.tsx'

/** A number that was typed and not saved. */
type UnsavedSetting = { readonly id: string; readonly text: string; readonly save: () => void }
type Report = (id: string, setting: UnsavedSetting | null) => void

const UnsavedContext = createContext<Report>(() => {})

/** Asks before the user leaves the page with numbers that were typed and not saved. */
export function UnsavedSettings({ children }: { children: ReactNode }) {
  const [unsaved, setUnsaved] = useState<readonly UnsavedSetting[]>([])
  const report = useCallback<Report>(
    (id, setting) => setUnsaved((before) => [...before.filter((other) => other.id !== id), ...(setting ? [setting] : [])]),
    [],
  )
  const blocker = useBlocker({
    // Pages of the template list are the same page.
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    disabled: unsaved.length === 0,
    enableBeforeUnload: unsaved.length > 0,
    withResolver: true,
  })
  return (
    <UnsavedContext value={report}>
      {children}
      <ConfirmDialog
        open={blocker.status === 'blocked'}
        title={`${unsaved.length} 项设置未保存`}
        action="保存并离开"
        onConfirm={() => {
          for (const { save } of unsaved) save()
          blocker.proceed?.()
        }}
        onClose={() => blocker.reset?.()}
      >
        <ul>
          {unsaved.map(({ id, text }) => (
            <li key={id}>{text}</li>
          ))}
        </ul>
        <button type="button" className="ui-link" onClick={() => blocker.proceed?.()}>
          不保存，直接离开
        </button>
      </ConfirmDialog>
    </UnsavedContext>
  )
}

/** Reports a typed number until it is saved or the field is gone. */
export function useUnsavedSetting(id: string, text: string | null, save: () => void): void {
  const report = useContext(UnsavedContext)
  useEffect(() => {
    report(id, text === null ? null : { id, text, save })
  }, [report, id, text, save])
  useEffect(() => () => report(id, null), [report, id])
}
