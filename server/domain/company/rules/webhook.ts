/** What becomes of a message to a company's own system, and what may be an address. Pure. */

/** A status of HTTP, or a word for why there is none. */
type Answer = { readonly status: number } | { readonly fault: string }

const s = 1_000
const min = 60 * s
const h = 60 * min
/** How long one waits after each try that failed: a little over five days in all, as the Standard Webhooks specification advises. */
export const waits_ms: readonly number[] = [5 * s, 5 * min, 30 * min, 2 * h, 5 * h, 10 * h, 14 * h, 20 * h, 24 * h, 48 * h]
/** A former secret signs so long beside the present one. */
export const overlap_ms = 24 * h
/** Nothing taken for so long: the address is told nothing any more. */
export const patience_ms = 5 * 24 * h
/** What was told is kept so long. */
export const kept_ms = 30 * 24 * h

export type WebhookOutcome =
  | { readonly is: 'taken'; readonly answer: string }
  | { readonly is: 'again'; readonly answer: string; readonly wait_ms: number }
  | { readonly is: 'failed'; readonly answer: string; readonly gone: boolean }

/**
 * After the try with this number (1 is the first). 2xx is taken; 410 says that nobody is there any more; everything else, redirects too, is tried again
 * until the tries are used up.
 */
export function outcomeOf(answer: Answer, tries: number): WebhookOutcome {
  const word = 'status' in answer ? String(answer.status) : answer.fault
  if ('status' in answer && answer.status >= 200 && answer.status < 300) return { is: 'taken', answer: word }
  if (word === '410') return { is: 'failed', answer: word, gone: true }
  const wait_ms = waits_ms[tries - 1]
  return wait_ms === undefined ? { is: 'failed', answer: word, gone: false } : { is: 'again', answer: word, wait_ms }
}

/** Why this cannot be an address to tell; null when it can. Where its name leads is asked each time it is told. */
export function addressFault(text: string, { private_hosts }: { readonly private_hosts: boolean }): string | null {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return '接收地址应以 https:// 开头，例如 https://hr.example.com/webhook'
  if (url.protocol === 'http:' && !private_hosts) return '接收地址必须使用 https'
  if (url.username !== '' || url.password !== '') return '接收地址里不能有账号和密码，请用签名核对来源'
  if (url.hash !== '') return '接收地址里不能有 #'
  return null
}

/** What is told: the event, when it happened, and which slip; who may read more asks for it. */
export const bodyOf = (event: {
  readonly event: string
  readonly at: Date
  readonly salary_id: string | null
  readonly batch_id: string | null
}): string =>
  JSON.stringify({
    type: event.event,
    timestamp: event.at.toISOString(),
    data: event.salary_id ? { slip_id: event.salary_id, batch_id: event.batch_id } : {},
  })
