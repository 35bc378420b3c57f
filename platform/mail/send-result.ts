/** Decides what a mail server's rejection or silence means for a message, by the codes of RFC 5321 and RFC 3463. */
import type { SendOutcome } from '../carrier.ts'
import { findReplyReason, type MailStep, type ReplyReason } from './reply-reason.ts'

export type MailFailure = {
  readonly step: MailStep
  /** The code has three digits; it is null if there was no reply. */
  readonly reply: number | null
  /** Text of the reply. */
  readonly text: string
  /** Whether the first byte of the message itself was sent. */
  readonly started: boolean
  /** The error occurred before the dialogue started and concerns the address or the encryption. */
  readonly cause?: 'not_public' | 'encryption'
}

/** Messages for the administrator about a failed message: the reason and what to do. */
export const mailFailureMessages = {
  mailbox: '邮箱地址不存在或已停用，请在花名册核对邮箱后重发',
  full: '对方邮箱已满，请联系本人清理后重发，或改用其他渠道',
  spam: '对方邮箱把邮件当作垃圾邮件拒收，请联系本人把发件邮箱加入白名单，或改用其他渠道',
  unknown: '邮件服务器没有收下这封邮件，也没有说清原因，请稍后重发或改用其他渠道',
  sender: '邮件服务器不允许用这个发件地址，请在工资条设置里把发件地址改成登录邮箱本身',
  quota: '发件邮箱今天的发送量已达上限，请明天重发或改用其他渠道',
  blocked: '发件邮箱被邮件服务商限制发信，请登录发件邮箱查看原因（是否停用、未开启 SMTP 服务），或改用其他渠道',
  sign_in: '发件邮箱的账号或授权码不正确，请在工资条设置里重新填写',
  encryption:
    '没能和邮件服务器建立加密连接（证书不可信，或不支持所选的方式），为了不泄露内容没有发送，请检查服务器地址、端口和加密方式',
  not_public: '发件服务器的地址不能使用，请填写公网的邮件服务器',
  content: '邮件服务器拒绝了邮件内容，请改用其他渠道或联系邮箱管理员',
} as const

export const mailDelayMessages = {
  pace: '发件邮箱发送太快，被邮件服务器限制了，过几分钟会自动继续发送',
  recipient_pace: '对方邮箱收信太频繁，暂时没有收下，过几分钟会自动再发',
  full: '对方邮箱已满，暂时没有收下，会自动再发；也可以联系本人清理',
} as const

export type MailSendResult = SendOutcome extends infer One
  ? One extends { readonly id: string }
    ? Omit<One, 'id'>
    : never
  : never
const toRejected = (code: keyof typeof mailFailureMessages): MailSendResult => ({
  result: 'refused',
  code: `mail_${code}`,
  message: mailFailureMessages[code],
})
const hasDelayMessage = (reason: ReplyReason | null): reason is keyof typeof mailDelayMessages =>
  reason !== null && Object.hasOwn(mailDelayMessages, reason)
const toDelayed = (retryAfterSeconds: number, recipientOnly = false, reason: ReplyReason | null = null): MailSendResult => ({
  result: 'put_off',
  retryAfterSeconds,
  recipientOnly,
  ...(hasDelayMessage(reason) ? { code: `mail_${reason}`, message: mailDelayMessages[reason] } : {}),
})
const unreachableRetrySeconds = 30
/** Servers with greylisting expect an unknown sender to retry the same message after some minutes. */
const greylistRetrySeconds = 300
/** The shortest rate limit windows of Chinese providers are some minutes long; retrying earlier extends them. */
const rateLimitRetrySeconds = 300
/** Aliyun reports a sender that differs from the signed-in account with its own code, which looks like a temporary error. */
const aliyunSenderMismatchCode = 440

/**
 * Converts an SMTP failure to an outcome. Without a reply the outcome is unclear once the message has started, because
 * the server may have it; before that nothing was sent. With a reply the code decides (RFC 5321 §4.2.1): after 4xx or
 * 5xx nothing was accepted, except that a server that closes the connection (421) may have done so too late. Only a
 * server that gives the sender's rate or quota as its reason has definitely not accepted the message, regardless of the
 * code.
 */
export function toMailSendResult({ step, reply, text, started, cause }: MailFailure): MailSendResult {
  if (cause) return toRejected(cause)
  if (reply === null) return started ? { result: 'unclear' } : toDelayed(unreachableRetrySeconds)
  const reason = findReplyReason({ step, reply, text })
  if (reason === 'quota') return toRejected('quota')
  if (reason === 'pace') return toDelayed(rateLimitRetrySeconds, false, reason)
  if (reason === 'recipient_pace') return toDelayed(greylistRetrySeconds, true, reason)
  if (step === 'content' && reply === 421) return { result: 'unclear' }
  if (reply < 500 && reply !== aliyunSenderMismatchCode)
    return step === 'recipient' || step === 'content'
      ? toDelayed(greylistRetrySeconds, reply !== 421, reason)
      : toDelayed(unreachableRetrySeconds)
  return toRejected(reason ?? 'unknown')
}

/**
 * Returns the outcome for the messages after a rejected one, without trying them; null if they may succeed. A rejection
 * of the sender's address or a rate limit applies to all of them, and further attempts extend the limit. Untried
 * messages become due one second earlier, so that one message that always gets this reply never blocks the others.
 */
export function getResultForRest({ step, reply }: MailFailure, sendResult: MailSendResult): MailSendResult | null {
  const isRateLimit = sendResult.result === 'put_off' && sendResult.code === 'mail_pace'
  if (!isRateLimit && (step !== 'sender' || reply === null)) return null
  return sendResult.result === 'put_off' ? { ...sendResult, retryAfterSeconds: sendResult.retryAfterSeconds - 1 } : sendResult
}

/** Explains a bounced message: a later server rejected it permanently, and there is no retry. */
export function explainBounce({ reply, text }: Pick<MailFailure, 'text'> & { readonly reply: number }): string {
  const reason = findReplyReason({ step: 'recipient', reply, text })
  if (reason === 'pace' || reason === 'recipient_pace') return bounceRateLimitMessage
  return mailFailureMessages[reason ?? 'unknown']
}
const bounceRateLimitMessage = '发件邮箱发送太快，被对方服务器拒收，请稍后重发或改用其他渠道'
