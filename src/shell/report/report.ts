/** An error of the client goes to the server's log: what happened, on which page, in which release; nothing of what was shown. */
import { log } from '../../../server/contract/account/account.ts'
import { ApiError, NetworkError, send } from '../../api-core.ts'
import { pageOfReport, reportLimit, withoutValues } from './limits.ts'

const mayReport = reportLimit()

/** Refusals, lost networks and what was given up are not errors of the client. */
const isOurs = (error: unknown) =>
  !(error instanceof ApiError || error instanceof NetworkError || (error instanceof DOMException && error.name === 'AbortError'))

/** `number` is what the page shows of it. */
export function report(thrown: unknown, number: string): void {
  const page = pageOfReport(location.pathname)
  if (!isOurs(thrown) || !mayReport(page, Date.now())) return
  const { message, stack, name } = thrown instanceof Error ? thrown : new Error(String(thrown))
  send(log, {
    level: 'error',
    message: `${number} ${name}: ${withoutValues(message)}`.slice(0, 1000),
    url: page,
    release: import.meta.env.VITE_RELEASE,
    ...(stack ? { stack: withoutValues(stack).slice(0, 3000) } : {}),
  }).catch(() => {
    // Reporting must never be the second failure.
  })
}
