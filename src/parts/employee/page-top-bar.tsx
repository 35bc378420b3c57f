import { Link, useCanGoBack, useRouter } from '@tanstack/react-router'
import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import { isFocusLost } from '../../ui/form/focus.ts'
import { Icon } from '../../ui/icon.tsx'
import styles from './m.module.css'

/** For the heading of a page or a step that has just come: whoever listens knows where he is. */
export function useHeadingFocus() {
  const heading = useRef<HTMLHeadingElement>(null)
  // The focus is the browser's; what somebody has chosen himself keeps it.
  useEffect(() => {
    if (isFocusLost()) heading.current?.focus({ preventScroll: true })
  }, [])
  return heading
}

/**
 * The bar over a page of /m that was opened from another one. Back goes back where there is something of ours behind: the same as the phone's
 * own button, and no step more in its history.
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
