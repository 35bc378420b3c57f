import { QueryClientContext } from '@tanstack/react-query'
import { type ReactNode, use } from 'react'
import { ErrorBoundary, type FallbackProps } from 'react-error-boundary'
import { getErrorNumber } from './error-number.ts'
import { ErrorState } from './error-state.tsx'
import { isLoadError } from './load-error.ts'

/** The message in place of something that failed while rendering, or that could not be loaded. */
export function CaughtError({ error, retry }: { error: unknown; retry: () => void }) {
  const hasOwnMessage = isLoadError(error) || (error instanceof Error && 'request_id' in error)
  return <ErrorState error={hasOwnMessage ? error : { request_id: getErrorNumber(error) }} retry={retry} />
}

/** Removes the data that could not be rendered; otherwise the retry would fail again. */
export function useForgetData(): () => void {
  const client = use(QueryClientContext)
  return () => client?.removeQueries({ type: 'inactive' })
}

const AreaError = ({ error, resetErrorBoundary }: FallbackProps) => <CaughtError error={error} retry={resetErrorBoundary} />
/** Keeps an error of its content to itself: the message with a retry button takes the content's place. */
export function AreaBoundary({ children }: { children: ReactNode }) {
  const forgetData = useForgetData()
  return (
    <ErrorBoundary FallbackComponent={AreaError} onReset={forgetData}>
      {children}
    </ErrorBoundary>
  )
}
