import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect } from 'react'
import { log } from '../../server/contract/account.ts'
import { send } from '../api-core.ts'
import { ErrorState } from '../ui/error-state.tsx'

/** A page that failed while drawing itself. The server's log gets the error, without anything the page showed. */
export function Broken({ error, reset }: ErrorComponentProps) {
  // Reported once per error, after it is on the screen.
  useEffect(() => {
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    const about = { message: message.slice(0, 1000), url: location.pathname.slice(0, 300), release: import.meta.env.MODE }
    send(log, { level: 'error', ...about, ...(stack ? { stack: stack.slice(0, 3000) } : {}) }).catch(() => {
      // Reporting must never be the second failure.
    })
  }, [error])
  return (
    <main style={{ display: 'grid', placeItems: 'center', minHeight: '60vh' }}>
      <ErrorState error={error} retry={reset} />
    </main>
  )
}
