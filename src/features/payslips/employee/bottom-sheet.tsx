import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import styles from './m.module.css'

/**
 * A dialog at the bottom of the screen, or centered on a wide one. It is the browser's own dialog: Esc closes it, the
 * focus stays inside and returns to where it was.
 */
export function BottomSheet(props: { open: boolean; title: string; onClose: () => void; children: ReactNode }) {
  const { open, title, onClose, children } = props
  const dialogRef = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Opening is a method of the element; closing it while it is still in the DOM restores the focus.
  useLayoutEffect(() => {
    const dialog = dialogRef.current
    if (!open || !dialog) return
    // Safari before 15.4 has no modal dialog; there it is shown in its place in the page.
    if (typeof dialog.showModal === 'function') dialog.showModal()
    else dialog.setAttribute('open', '')
    return () => (typeof dialog.close === 'function' ? dialog.close() : dialog.removeAttribute('open'))
  }, [open])
  if (!open) return null
  return (
    <dialog
      ref={dialogRef}
      className={`${styles.sheet} no-print`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === dialogRef.current && onClose()}
    >
      <div className={styles.sheetInside}>
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
