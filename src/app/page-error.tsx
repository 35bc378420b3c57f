import type { ErrorComponentProps } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { queryClient } from '../api.ts'
import { ErrorState } from '../components/state/error-state.tsx'
import { createErrorNumber, reportError } from './report/report-error.ts'

/** Returns whether a file of the page is missing because a new version was deployed. */
const isChunkLoadError = (error: unknown) =>
  error instanceof Error && /dynamically imported module|importing a module script|error loading/i.test(error.message)

/** Shown when a page failed to render: a message with the error number for the log. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const [errorNumber] = useState(createErrorNumber)
  // Reported once per error, after it is displayed.
  useEffect(() => reportError(error, errorNumber), [error, errorNumber])
  // Removes the data that could not be rendered; otherwise the page would fail again.
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
