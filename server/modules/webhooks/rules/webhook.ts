/** The outcome of a webhook delivery, and which URLs are allowed. Pure. */

/** An HTTP status, or the reason why there is no response. */
type WebhookResponse = { readonly status: number } | { readonly error: string }

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
/** Delay after each failed attempt: a little over five days in total, as the Standard Webhooks specification advises. */
export const retryDelaysMs: readonly number[] = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
  48 * hourMs,
]
/** How long a former secret signs in addition to the current one. */
export const secretOverlapMs = 24 * hourMs
/** After this time without a successful delivery the webhook is disabled. */
export const disableAfterMs = 5 * 24 * hourMs
/** How long delivered events are stored. */
export const eventRetentionMs = 30 * 24 * hourMs

export type WebhookOutcome =
  | { readonly status: 'taken'; readonly response: string }
  | { readonly status: 'again'; readonly response: string; readonly retryInMs: number }
  | { readonly status: 'failed'; readonly response: string; readonly isRemoved: boolean }

/**
 * Returns the outcome of the attempt with this number (1 is the first). 2xx is success; 410 means that the receiver is
 * gone; everything else, redirects included, is retried until the attempts are used up.
 */
export function getWebhookOutcome(response: WebhookResponse, attempts: number): WebhookOutcome {
  const responseText = 'status' in response ? String(response.status) : response.error
  if ('status' in response && response.status >= 200 && response.status < 300) return { status: 'taken', response: responseText }
  if (responseText === '410') return { status: 'failed', response: responseText, isRemoved: true }
  const retryInMs = retryDelaysMs[attempts - 1]
  return retryInMs === undefined
    ? { status: 'failed', response: responseText, isRemoved: false }
    : { status: 'again', response: responseText, retryInMs }
}

/** Returns why the URL is not allowed; null if it is. The address behind its host name is checked at each delivery. */
export function validateWebhookUrl(text: string, { private_hosts }: { readonly private_hosts: boolean }): string | null {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return '接收地址应以 https:// 开头，例如 https://hr.example.com/webhook'
  if (url.protocol === 'http:' && !private_hosts) return '接收地址必须使用 https'
  if (url.username !== '' || url.password !== '') return '接收地址里不能有账号和密码，请用签名核对来源'
  if (url.hash !== '') return '接收地址里不能有 #'
  return null
}

/** What an event is about, with the numbers and external ids of the company. */
export type WebhookSubject = {
  readonly salary_id: string | null
  readonly batch_id: string | null
  readonly batch_external_id: string | null
  readonly member_id: string | null
  readonly employee_no: string | null
  readonly employee_external_id: string | null
  readonly feedback_id: string | null
}

/** Builds the body: the event, its time and what it is about; receivers request further data through the API. */
export function buildWebhookBody(event: WebhookSubject & { readonly event: string; readonly at: Date }): string {
  const { salary_id, batch_id, batch_external_id, member_id, employee_no, employee_external_id, feedback_id } = event
  const employee = member_id && { employee_id: member_id, external_id: employee_external_id, employee_no: employee_no ?? '' }
  return JSON.stringify({
    type: event.event,
    timestamp: event.at.toISOString(),
    data: {
      ...(feedback_id && { feedback_id }),
      ...(salary_id && { payslip_id: salary_id, slip_id: salary_id }),
      ...(batch_id && { batch_id, batch_external_id }),
      // An event of a payslip that an earlier version recorded does not name the employee.
      ...((salary_id ?? member_id) && { employee }),
    },
  })
}
