import { Link, useCanGoBack, useRouter } from '@tanstack/react-router'
import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import { isFocusLost } from '../../../components/form/focus.ts'
import { Icon } from '../../../components/icon.tsx'
import styles from './m.module.css'

/** Moves the focus to the heading of a new page or step, so that screen reader users know where they are. */
export function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null)
  // The focus belongs to the browser; an element that the user focused keeps it.
  useEffect(() => {
    if (isFocusLost()) heading.current?.focus({ preventScroll: true })
  }, [])
  return heading
}

/**
 * The top bar of a /m page that was opened from another one. Back uses the history if the previous entry is ours: the
 * same as the phone's back button, without an extra history entry.
 */
export function PageTopBar({ title, to, action }: { title: string; to: string; action?: ReactNode }) {
  const { history } = useRouter()
  const canGoBack = useCanGoBack()
  const heading = useHeadingFocus()
  const goBack = (event: MouseEvent) => {
    if (!canGoBack || event.metaKey || event.ctrlKey) return
    event.preventDefault()
    history.back()
  }
  return (
    <header className={`${styles.top} no-print`}>
      <Link to={to} replace className={styles.icon} aria-label="返回" onClick={goBack}>
        <Icon name="back" size={22} />
      </Link>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <div>{action}</div>
    </header>
  )
}
