/** An error of the client goes to the server's log: what happened, on which page, in which release; nothing of what was shown. */
import { logClientError } from '../../../server/contract/auth/sign-in.ts'
import { ApiError, NetworkError, sendRequest } from '../../api-core.ts'
import { createReportLimiter, redactPath, redactValues } from './redaction.ts'

const canReport = createReportLimiter()

/** Refusals, lost networks and what was given up are not errors of the client. */
const isClientError = (error: unknown) =>
  !(error instanceof ApiError || error instanceof NetworkError || (error instanceof DOMException && error.name === 'AbortError'))

/** `errorNumber` is what the page shows of it. */
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
    // Reporting must never be the second failure.
  })
}
