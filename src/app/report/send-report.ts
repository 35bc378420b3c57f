/** Sends a client error to the server's log: the error, the page and the release; none of the displayed data. */
import { logClientError } from '../../../server/contract/auth/sign-in.ts'
import { ApiError, NetworkError, sendRequest } from '../../api-core.ts'
import { isLoadError } from '../../components/state/load-error.ts'
import { createReportLimiter, redactPath, redactValues } from './redaction.ts'

const canReport = createReportLimiter()

/** API errors, network errors, files that could not be loaded and aborted requests are not client errors. */
const isClientError = (error: unknown) =>
  !(
    error instanceof ApiError ||
    error instanceof NetworkError ||
    isLoadError(error) ||
    (error instanceof DOMException && error.name === 'AbortError')
  )

/** `errorNumber` is the number that the page shows. */
export function sendErrorReport(cause: unknown, errorNumber: string): void {
  const page = redactPath(location.pathname)
  if (!isClientError(cause) || !canReport(page, Date.now())) return
  const { message, stack, name } = cause instanceof Error ? cause : new Error(String(cause))
  sendRequest(logClientError, {
    level: 'error',
    message: `${errorNumber} ${name}: ${redactValues(message)}`.slice(0, 1000),
    url: page,
    release: import.meta.env.VITE_RELEASE,
    ...(stack ? { stack: redactValues(stack).slice(0, 3000) } : {}),
  }).catch(() => {
    // Reporting must never cause a second error.
  })
}
