import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import styles from './m.module.css'

/**
 * A dialog from the bottom of the screen, in the middle of a wide one. The browser's own: Esc closes it, the focus stays inside
 * and returns where it was.
 */
export function BottomSheet(props: { open: boolean; title: string; onClose: () => void; children: ReactNode }) {
  const { open, title, onClose, children } = props
  const dialogRef = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Opening is a method of the element; closing it while it is still in the page gives the focus back.
  useLayoutEffect(() => {
    const dialog = dialogRef.current
    if (!open || !dialog) return
    // Before Safari 15.4 there is no modal dialog; it is then shown in its place in the page.
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
