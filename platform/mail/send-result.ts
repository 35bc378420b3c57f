/** What a mail server's no, or its silence, means for a message: by the reply codes of RFC 5321 and the status codes of RFC 3463. */
import type { SendOutcome } from '../carrier.ts'
import { findReplyReason, type MailStep, type ReplyReason } from './reply-reason.ts'

export type MailFailure = {
  readonly step: MailStep
  /** Three digits; null where nothing was answered. */
  readonly reply: number | null
  /** The text of the answer. */
  readonly text: string
  /** The first byte of the message itself had left. */
  readonly started: boolean
  /** What was wrong before anything could be said: the address, or the way to encrypt. */
  readonly cause?: 'not_public' | 'encryption'
}

/** What an administrator reads beside a message that failed: the reason, and what to do. */
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

/** What an administrator reads while a message waits. */
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
  retryAfterSeconds: retryAfterSeconds,
  recipientOnly: recipientOnly,
  ...(hasDelayMessage(reason) ? { code: `mail_${reason}`, message: mailDelayMessages[reason] } : {}),
})
const unreachableRetrySeconds = 30
/** Servers that put off whom they do not know want to see the same message again after some minutes. */
const greylistRetrySeconds = 300
/** The shortest windows by which Chinese providers count what a mailbox sends are some minutes long; asking sooner makes them longer. */
const rateLimitRetrySeconds = 300
/** Aliyun says with a code of its own, which looks like a temporary one, that the sender is not who signed in. */
const aliyunSenderMismatchCode = 440

/**
 * A silence after the message began to leave is unclear: the server may have it. Before that nothing has left. Of what was answered the code
 * decides; RFC 5321 §4.2.1: with a 4 or a 5 nothing was taken, except that whoever hangs up (421) may have said so too late. Only a server that
 * gives the sender's pace or quota as its reason has surely not taken the message, whatever the code.
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
 * What the messages behind a refused one come to without being tried: null where they may fare better. What is said to the sender's address, or of
 * its pace, holds for all of them, and asking on makes the limit last longer. Those that were not tried are due a second earlier, so that one
 * message that always gets this answer never keeps the others waiting.
 */
export function getResultForRest({ step, reply }: MailFailure, sendResult: MailSendResult): MailSendResult | null {
  const isRateLimit = sendResult.result === 'put_off' && sendResult.code === 'mail_pace'
  if (!isRateLimit && (step !== 'sender' || reply === null)) return null
  return sendResult.result === 'put_off' ? { ...sendResult, retryAfterSeconds: sendResult.retryAfterSeconds - 1 } : sendResult
}

/** Explains a message that came back: a server further on refused it for good, and nobody tries again. */
export function explainBounce({ reply, text }: Pick<MailFailure, 'text'> & { readonly reply: number }): string {
  const reason = findReplyReason({ step: 'recipient', reply, text })
  if (reason === 'pace' || reason === 'recipient_pace') return bounceRateLimitMessage
  return mailFailureMessages[reason ?? 'unknown']
}
const bounceRateLimitMessage = '发件邮箱发送太快，被对方服务器拒收，请稍后重发或改用其他渠道'
