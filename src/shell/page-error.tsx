import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { queryClient } from '../api.ts'
import { ErrorState } from '../ui/state/error-state.tsx'
import { createErrorNumber, reportError } from './report/report-error.ts'

/** A new version has replaced the files that this page was made of. */
const isChunkLoadError = (error: unknown) =>
  error instanceof Error && /dynamically imported module|importing a module script|error loading/i.test(error.message)

/** A page that failed while drawing itself: says so kindly, with the number under which it stands in the log. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const [errorNumber] = useState(createErrorNumber)
  // Reported once per error, after it is on the screen.
  useEffect(() => reportError(error, errorNumber), [error, errorNumber])
  // What the page could not draw is asked for anew, or it would break again.
  const retry = () => {
    queryClient.removeQueries({ type: 'inactive' })
    reset()
  }
  const apiError = error instanceof Error && 'request_id' in error ? error : null
  return (
    <main style={{ display: 'grid', placeItems: 'center', minHeight: '60vh' }}>
      <ErrorState
        error={apiError ?? { request_id: errorNumber }}
        retry={isChunkLoadError(error) ? () => location.reload() : retry}
      />
    </main>
  )
}
