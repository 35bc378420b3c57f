/** Message code shared by the three adapters: cards, outcomes from errors, chunks of a list, texts for the administrator. */
import type { OutdatedMessage, OutgoingMessage, SendOutcome, UpdateOutcome } from '../carrier.ts'
import { type ChatApp, type ChatCard, type ChatFailureReason, type ChatMessages, PlatformError } from '../types.ts'

/** Builds a card from the text alone: its first clause becomes the title, the rest and the company follow below. */
export function toChatCard({ text, link }: Pick<OutgoingMessage, 'text' | 'link'>): ChatCard {
  // The bracketed signature, which is for SMS only, and the URL are removed.
  const unsigned = text.replace(/^【[^】]*】/, '')
  const content = (link ? unsigned.replace(link, '') : unsigned).replace(/[，：:\s]+$/, '').trim()
  const at = content.indexOf('：')
  const [company, body] = at > 0 ? [content.slice(0, at), content.slice(at + 1)] : ['', content]
  const [title = body, ...rest] = body.split('，')
  return { title, lines: [rest.join('，'), company].filter((line) => line !== ''), link, button: '查看' }
}

/** Returns what a locked phone displays. */
export function previewChatMessage(message: Pick<OutgoingMessage, 'text' | 'link'>): { title: string; text: string } {
  const { title, lines } = toChatCard(message)
  return { title, text: lines.join(' · ') }
}

export const failureMessages: Readonly<Record<ChatFailureReason, string>> = {
  unlicensed: '这个人没有接口许可，请在管理后台为他分配后重发，或改用其他渠道',
  out_of_range: '这个人不在应用的可见范围内，请在管理后台把他加进可见范围后重发',
  not_there: '平台上没有这个人：可能已离职或没有加入企业，请核对后改用其他渠道',
  blocked: '这个人屏蔽或停用了应用的消息，请改用其他渠道',
  too_many_today: '这个人今天收到的消息已到平台的上限，请明天重发或改用其他渠道',
  repeated: '平台认为他已经收到过同样的消息',
  content: '平台拒绝了消息的内容，请修改标题后重发',
  app: '应用被停用，或缺少发送消息的权限，请系统管理员检查平台绑定',
  other: '平台拒绝了这条消息，请改用其他渠道或联系系统管理员',
}
export const toRejectedOutcome = (id: string, reason: ChatFailureReason, code: string): SendOutcome => ({
  id,
  result: 'refused',
  code: `${reason} ${code}`.slice(0, 60),
  message: failureMessages[reason],
})

/** Nothing was sent: the platform was unreachable, or the store ticket is pending. */
const notSentCodes = new Set(['unreachable', '10012', '40085', 'invalidSuiteTicket'])
/** Waiting time if the platform does not report one. */
const defaultRetrySeconds = 30
export type ChatSendFailure =
  | { readonly result: 'put_off'; readonly retryAfterSeconds: number }
  | { readonly result: 'refused'; readonly reason: ChatFailureReason; readonly code: string }
  | { readonly result: 'unclear' }
/** Converts a send error to an outcome. Only what certainly did not arrive, or was rejected, is reported as such. */
export function toSendFailure(error: unknown, reasons: Readonly<Record<string, ChatFailureReason>>): ChatSendFailure {
  if (!(error instanceof PlatformError)) return { result: 'unclear' }
  const { kind, code, retryAfterSeconds } = error
  const reason = reasons[code]
  if (reason) return { result: 'refused', reason, code }
  if (kind === 'rate_limited') return { result: 'put_off', retryAfterSeconds: retryAfterSeconds ?? defaultRetrySeconds }
  if (kind === 'temporary')
    return notSentCodes.has(code) ? { result: 'put_off', retryAfterSeconds: defaultRetrySeconds } : { result: 'unclear' }
  if (kind === 'token_invalid') return { result: 'put_off', retryAfterSeconds: defaultRetrySeconds }
  const isAppError = kind === 'app_disabled' || kind === 'not_permitted' || kind === 'ip_not_trusted' || kind === 'unauthorised'
  return { result: 'refused', reason: isAppError ? 'app' : 'other', code }
}
export function toSendOutcome(id: string, failure: ChatSendFailure): SendOutcome {
  if (failure.result === 'refused') return toRejectedOutcome(id, failure.reason, failure.code)
  return failure.result === 'put_off'
    ? { id, result: 'put_off', retryAfterSeconds: failure.retryAfterSeconds, recipientOnly: false }
    : { id, result: 'unclear' }
}

/** Creates the carrier's `updateMessages`, which updates each card. */
export const createMessageUpdater =
  (update: ChatMessages['update']) =>
  (app: ChatApp, messages: readonly OutdatedMessage[]): Promise<UpdateOutcome[]> =>
    Promise.all(
      messages.map(async ({ id, ref, to, at, statusText, hasLink, ...content }) => {
        const card = toChatCard(content)
        return {
          id,
          result: await update(app, { ref, to, card: hasLink ? card : { ...card, link: null }, state: statusText, sent_at: at }),
        }
      }),
    )

export const splitIntoChunks = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))

/** Truncates a text to a maximum number of bytes, between characters. */
export function truncateBytes(text: string, bytes: number): string {
  let size = 0
  let truncated = ''
  for (const character of text) {
    size += Buffer.byteLength(character)
    if (size > bytes) return truncated
    truncated += character
  }
  return truncated
}
