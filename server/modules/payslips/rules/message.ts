/** Message texts about a payslip. They state that there is one and where, never an amount or a name. */
import { type MessageContent, messageKinds } from '../../../contract/messages/sms-templates.ts'
import { toShortCode } from '../../../rules/short-ids.ts'
import { parsePurpose } from './dispatch.ts'

/**
 * The URL of a chat card: through /entry, which signs the recipient in automatically and continues to the payslip. The
 * URL differs for every version, reminder and answer, because WeCom drops a message with content seen within the last
 * hours; it grants no access.
 */
export function getChatLink(origin: string, slip: { salary_id: string; version: number; purpose: string }): string {
  return `${origin}/entry?page=${encodeURIComponent(getPagePath(slip)).replaceAll('%2F', '/')}`
}

function getPagePath({ salary_id, version, purpose }: { salary_id: string; version: number; purpose: string }): string {
  const kind = parsePurpose(purpose)
  const messageKey = purpose.replace(/^(?:remind|answered)-/, '').replaceAll('-', '')
  if (kind === 'answered') return `/m/feedback/${salary_id}?a=${messageKey}`
  if (kind === 'corrected') return `/m/slip/${salary_id}?v=${version}`
  return `/m/slip/${salary_id}${kind === 'remind' ? `?r=${messageKey}` : ''}`
}

/** Short links for SMS, where every character counts; server/web/short-links.ts redirects to the payslip or its feedback. */
export const getShortLink = (origin: string, slip: { salary_id: string; purpose: string }): string =>
  `${origin}${messageKinds.slip.linkPath}${toShortCode(slip.salary_id, { isFeedback: parsePurpose(slip.purpose) === 'answered' })}`

export const createMessageContent = (input: {
  corp_name: string
  title: string
  purpose: string
  link: string
}): MessageContent => ({
  kind: parsePurpose(input.purpose),
  params: { corp: input.corp_name, title: input.title, link: input.link },
})

/** Masks a name, as in 张三丰 → 张**, for lists of deliveries. */
export const maskName = (name: string): string => {
  const [first = ''] = name
  return `${first}${'*'.repeat(Math.min(3, Math.max(1, [...name].length - 1)))}`
}

/** Sums up the SMS segments charged for these messages. */
export const sumSmsSegments = (rows: readonly { readonly channel: string; readonly segments: number }[]): number =>
  rows.reduce((sum, { channel, segments }) => (channel === 'sms' ? sum + segments : sum), 0)
