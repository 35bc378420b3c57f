/** An error of the client goes to the server's log: what happened, on which page, in which release; nothing of what was shown. */
import { log } from '../../server/contract/account.ts'
import { ApiError, NetworkError, send } from '../api-core.ts'
import { pageOfReport, reportLimit, withoutValues } from './report-limits.ts'

const mayReport = reportLimit()

/** What the user can quote and the log can be searched for; letters that are not taken for one another. */
export const newNumber = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'[byte % 31]).join('')

/** Refusals, lost networks and what was given up are not errors of the client. */
const isOurs = (error: unknown) =>
  !(error instanceof ApiError || error instanceof NetworkError || (error instanceof DOMException && error.name === 'AbortError'))

/** `number` is what the page shows of it; without one nobody was told. */
export function report(thrown: unknown, number = newNumber()): void {
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
