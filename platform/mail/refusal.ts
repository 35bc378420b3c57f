/** What a mail server's no, or its silence, means for a message: by the reply codes of RFC 5321 and the status codes of RFC 3463. */
import type { SendOutcome } from '../carrier.ts'

/** At which step it was said. `connect` includes greeting and encryption; `content` is the answer to the whole message. */
export type MailStep = 'connect' | 'sign_in' | 'sender' | 'recipient' | 'content'

export type MailFault = {
  readonly step: MailStep
  /** Three digits; null where nothing was answered. */
  readonly reply: number | null
  /** The text of the answer. */
  readonly text: string
  /** The first byte of the message itself had left. */
  readonly begun: boolean
  /** What was wrong before anything could be said: the address, or the way to encrypt. */
  readonly cause?: 'not_public' | 'encryption'
}

/** What an administrator reads beside a message that failed: the reason, and what to do. */
export const mailWords = {
  mailbox: '邮箱地址不存在或已停用，请在花名册核对邮箱后重发',
  full: '对方邮箱已满，请联系本人清理后重发，或改用其他渠道',
  spam: '对方邮箱把邮件当作垃圾邮件拒收，请联系本人把发件邮箱加入白名单，或改用其他渠道',
  recipient: '对方邮箱拒绝了这封邮件，请核对邮箱或改用其他渠道',
  sender: '邮件服务器不允许用这个发件地址，请在工资条设置里把发件地址改成登录邮箱本身',
  quota: '发件邮箱今天的发送量已达上限，请明天重发或改用其他渠道',
  sign_in: '发件邮箱的账号或授权码不正确，请在工资条设置里重新填写',
  encryption:
    '没能和邮件服务器建立加密连接（证书不可信，或不支持所选的方式），为了不泄露内容没有发送，请检查服务器地址、端口和加密方式',
  not_public: '发件服务器的地址不能使用，请填写公网的邮件服务器',
  content: '邮件服务器拒绝了邮件内容，请改用其他渠道或联系邮箱管理员',
} as const

type Verdict = SendOutcome extends infer One ? (One extends { readonly id: string } ? Omit<One, 'id'> : never) : never
const refused = (code: keyof typeof mailWords): Verdict => ({
  result: 'refused',
  code: `mail_${code}`,
  message: mailWords[code],
})
const later = (wait_s: number, one_address = false): Verdict => ({ result: 'put_off', wait_s, one_address })
const away_s = 30
/** Servers that put off whom they do not know want to see the same message again after some minutes. */
const greylisted_s = 300

/**
 * A silence after the message began to leave is unclear: the server may have it. Before that nothing has left. Of what was answered the code
 * decides; RFC 5321 §4.2.1: with a 4 or a 5 nothing was taken, except that whoever hangs up (421) may have said so too late.
 */
export function verdictOf({ step, reply, text, begun, cause }: MailFault): Verdict {
  if (cause) return refused(cause)
  if (reply === null) return begun ? { result: 'unclear' } : later(away_s)
  if (step === 'content' && reply === 421) return { result: 'unclear' }
  if (reply < 500) return step === 'recipient' || step === 'content' ? later(greylisted_s, reply !== 421) : later(away_s)
  return refused(permanent(step, reply, text))
}

function permanent(step: MailStep, reply: number, text: string): keyof typeof mailWords {
  // Class, subject and detail, as in 5.1.1.
  const [, subject, detail] = /\b5\.(\d)\.(\d{1,3})\b/.exec(text) ?? []
  if (step === 'sign_in' || reply === 535 || reply === 530) return 'sign_in'
  if (/quota|limit exceeded|too many|frequency|频率|上限/i.test(text) && step !== 'recipient') return 'quota'
  if (step === 'sender') return 'sender'
  if (subject === '2' && detail === '2') return 'full'
  if (subject === '7' || /spam|blacklist|blocked|reputation|dmarc|spf|dkim/i.test(text)) return 'spam'
  if (reply === 552) return step === 'recipient' ? 'full' : 'content'
  if (step === 'recipient') return reply === 550 || reply === 551 || reply === 553 || subject === '1' ? 'mailbox' : 'recipient'
  return step === 'content' ? (subject === '1' ? 'mailbox' : 'content') : 'sign_in'
}
