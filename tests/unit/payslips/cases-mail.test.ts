/** Replies of real mail servers: whom each one concerns, and what the administrator reads. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { MailStep } from '../../../platform/mail/reply-reason.ts'
import {
  explainBounce,
  getResultForRest,
  mailDelayMessages,
  mailFailureMessages,
  toMailSendResult,
} from '../../../platform/mail/send-result.ts'

type Reported = { step: MailStep; reply: number; text: string; right: string }
const reported = JSON.parse(
  readFileSync(new URL('../../cases/bug-reports/18-mail-replies.json', import.meta.url), 'utf8'),
) as Reported[]

/** `pace` and the other values with "waits" mean that delivery is postponed; the others fail at once. */
type Expected =
  | keyof typeof mailFailureMessages
  | 'pace waits'
  | 'recipient_pace waits'
  | 'full waits'
  | 'waits'
  | 'address waits'
  | 'unclear'

function describeResult(step: MailStep, reply: number, text: string): string {
  const result = toMailSendResult({ step, reply, text, started: step === 'content' })
  if (result.result === 'refused') return result.code.replace('mail_', '')
  if (result.result !== 'put_off') return result.result
  if (result.code) return `${result.code.replace('mail_', '')} waits`
  return result.recipientOnly ? 'address waits' : 'waits'
}

const blames_address = [mailFailureMessages.mailbox, mailFailureMessages.sender]

describe('replies of a mail server', () => {
  test.each(reported)('classifies $text at $step as rate limit or quota of the sender', ({ step, reply, text }) => {
    const result = toMailSendResult({ step, reply, text, started: false })
    expect(['pace waits', 'quota']).toContain(describeResult(step, reply, text))
    expect(blames_address).not.toContain('message' in result ? result.message : '')
  })
})

describe('sender over the rate limit waits, and the administrator is notified', () => {
  test.each<[MailStep, number, string]>([
    // QQ and Exmail
    ['sender', 550, 'Sender frequency limited'],
    ['content', 550, 'Connection frequency limited. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000722'],
    ['sender', 550, '发信频率过高，请稍后再试'],
    ['connect', 550, 'Ip frequency limited [a1b2c3d4 IP: 1.2.3.4]'],
    ['content', 550, 'Domain frequency limited [a1b2]. https://service.mail.qq.com/detail/122/166'],
    // NetEase: 163, 126, yeah.net
    ['content', 451, 'MI:SFQ smtp7,C8CowABXl,1 http://mail.163.com/help/help_spam_16.htm'],
    ['recipient', 451, 'RP:QRC 163 smtp1,D9GowED5JEt5 http://mail.163.com/help/help_spam_16.htm'],
    ['connect', 421, 'HL:IFC 126 smtp12 http://mail.163.com/help/help_spam_16.htm?ip=1.2.3.4'],
    ['connect', 421, 'HL:ICC 163 mx13'],
    ['sender', 450, 'MI:DMC 163 smtp5'],
    ['recipient', 550, 'Requested mail action not taken: too much recipient'],
    ['sign_in', 451, 'Requested mail action not taken: too much fail authentication'],
    ['sign_in', 554, 'IP is rejected, smtp auth error limit exceed'],
    // Aliyun
    ['sender', 450, '4.7.1 send frequency exceed limit, please try again later'],
    ['connect', 421, 'Too many connections from your ip'],
    ['recipient', 550, '发送过于频繁，请稍后再试'],
    ['content', 554, '当前连接数过多，已被限流'],
    // Microsoft 365 and Outlook.com
    ['content', 432, '4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded'],
    ['connect', 421, '4.3.2 The maximum number of concurrent connections has exceeded a limit, closing transmission channel'],
    ['recipient', 451, '4.7.500 Server busy. Message rate limit for this client was exceeded'],
    ['recipient', 452, '4.5.3 Too many recipients (AS780090)'],
    ['content', 421, '4.7.0 The message submission rate for this client has exceeded the configured limit'],
    // Gmail
    ['sign_in', 454, '4.7.0 Too many login attempts, please try again later'],
    ['content', 421, '4.7.28 Gmail has detected an unusual rate of unsolicited mail originating from your IP address'],
    [
      'content',
      550,
      '550-5.7.28 Our system has detected an unusual rate of\n550 5.7.28 unsolicited mail originating from your IP address.',
    ],
    ['recipient', 421, '4.7.0 IP not in whitelist for RCPT domain, too many messages'],
    // Postfix, Exim, Yahoo
    ['sender', 450, '4.7.1 Error: too much mail from 1.2.3.4'],
    ['recipient', 450, '4.7.1 <a@b.cn>: Recipient address rejected: Policy Rejection- Message rate exceeded, slow down'],
    ['connect', 421, '4.7.0 [TSS04] Messages from 1.2.3.4 temporarily deferred due to unexpected volume or user complaints'],
    ['recipient', 550, '5.7.1 You have exceeded the limit of 100 messages per hour'],
    ['recipient', 451, '4.3.0 throttled, please slow down'],
  ])('%s %i %s', (step, reply, text) => {
    expect(describeResult(step, reply, text)).toBe('pace waits')
    const result = toMailSendResult({ step, reply, text, started: false })
    // The whole mailbox is slowed down, not one address.
    expect(result).toMatchObject({ recipientOnly: false, retryAfterSeconds: 300, message: mailDelayMessages.pace })
  })
})

describe('sender without remaining quota fails with that reason', () => {
  test.each<[MailStep, number, string]>([
    ['sender', 550, 'User is over flow'],
    ['recipient', 550, 'User is over flow'],
    ['content', 550, '今日发送量已达上限'],
    ['recipient', 550, '您的邮箱当日发信数量已超过限额'],
    ['sender', 552, 'Daily sending quota exceeded'],
    ['recipient', 550, 'RP:TRC 163 smtp3 http://mail.163.com/help/help_spam_16.htm'],
    ['content', 550, 'MI:STC smtp9'],
    ['sender', 550, 'DayQuota exceeded'],
    ['recipient', 550, '发送额度不足，账户欠费'],
    ['content', 550, '550-5.4.5 Daily user sending limit exceeded. For more information on Gmail\n550 5.4.5 sending limits'],
    ['content', 550, '5.7.1 Daily SMTP relay limit exceeded for customer'],
    ['content', 554, '5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException'],
    ['recipient', 550, "5.1.90 Your message can't be sent because you've reached your daily limit for message recipients"],
    ['content', 550, '5.7.233 Your message cannot be sent because your tenant exceeded its external recipient rate limit'],
    ['recipient', 450, '4.7.1 Message limit of 500 per day reached'],
    ['sender', 550, 'quota exceeded'],
    ['recipient', 550, 'The user has reached the maximum number of outgoing messages'],
  ])('%s %i %s', (step, reply, text) => {
    expect(describeResult(step, reply, text)).toBe('quota')
  })
})

describe('replies about the recipient, the account or something else keep their meaning', () => {
  test.each<[MailStep, number, string, Expected]>([
    // No such recipient
    ['recipient', 550, '5.1.1 The email account that you tried to reach does not exist. Please try double-checking', 'mailbox'],
    ['recipient', 550, 'Mailbox not found. http://service.mail.qq.com/detail/0/53', 'mailbox'],
    ['recipient', 550, 'Mailbox unavailable or access denied', 'mailbox'],
    ['recipient', 550, 'Invalid User: a@163.com', 'mailbox'],
    ['recipient', 550, 'User not found: a@126.com', 'mailbox'],
    ['recipient', 550, "RCPT (a@b.cn) dosn't exist", 'mailbox'],
    ['recipient', 559, 'Invalid rcptto [@sm050102]', 'mailbox'],
    ['recipient', 550, '5.4.1 Recipient address rejected: Access denied. AS(201806281)', 'mailbox'],
    ['recipient', 550, '5.5.0 Requested action not taken: mailbox unavailable', 'mailbox'],
    ['recipient', 550, '5.2.1 The email account that you tried to reach is disabled', 'mailbox'],
    ['recipient', 550, '5.1.1 <a@b.cn>: Recipient address rejected: User unknown in virtual mailbox table', 'mailbox'],
    ['recipient', 550, '5.1.10 RESOLVER.ADR.RecipientNotFound; not found', 'mailbox'],
    ['recipient', 550, 'No such user here', 'mailbox'],
    ['recipient', 550, '收件人地址不存在', 'mailbox'],
    ['recipient', 551, 'user not local', 'mailbox'],
    // A full mailbox, and one that receives too much at the moment
    ['recipient', 552, '5.2.2 The email account that you tried to reach is over quota', 'full'],
    ['recipient', 552, 'Requested mail action aborted: exceeded storage allocation', 'full'],
    ['content', 554, '5.2.2 mailbox full', 'full'],
    ['recipient', 550, '对方邮箱空间已满', 'full'],
    ['recipient', 452, '4.2.2 The email account that you tried to reach is over quota', 'full waits'],
    [
      'recipient',
      450,
      '4.2.1 The user you are trying to contact is receiving mail at a rate that prevents',
      'recipient_pace waits',
    ],
    ['recipient', 550, '5.2.1 The user you are trying to contact is receiving mail too quickly', 'recipient_pace waits'],
    ['content', 554, '5.2.122 The recipient has exceeded their limit for the number of messages', 'recipient_pace waits'],
    // Greylisting: the server does not know the sender yet
    ['recipient', 451, '4.7.1 Greylisted, please try again later', 'address waits'],
    ['recipient', 450, '4.7.1 Client host rejected: cannot find your hostname', 'address waits'],
    ['connect', 421, 'Service not available', 'waits'],
    ['content', 421, 'shutting down', 'unclear'],
    // The sender's address and account
    ['sender', 501, 'mail from address must be same as authorization user', 'sender'],
    ['recipient', 553, '5.7.1 <a@b.cn>: Sender address rejected: not owned by user hr@b.cn', 'sender'],
    ['sender', 553, 'Mail from must equal authorized user', 'sender'],
    ['recipient', 440, "mail from account doesn't conform with authentication (Auth Account:hr@b.cn)", 'sender'],
    ['content', 554, '5.7.60 SMTP; Client does not have permissions to send as this sender', 'sender'],
    ['sender', 550, 'User suspended', 'blocked'],
    ['content', 550, '5.1.8 Access denied, bad outbound sender', 'blocked'],
    ['sign_in', 550, 'User has no permission', 'blocked'],
    ['sign_in', 535, '5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant', 'blocked'],
    ['connect', 554, 'HL:IPB 163 mx IP is in blacklist', 'blocked'],
    ['recipient', 554, '5.7.1 <a@b.cn>: Relay access denied', 'blocked'],
    [
      'sign_in',
      535,
      'Login fail. Account is abnormal, service is not open, password is incorrect, login frequency limited, or system is busy',
      'sign_in',
    ],
    ['sign_in', 535, '5.7.3 Authentication unsuccessful', 'sign_in'],
    ['recipient', 530, '5.7.1 Authentication required', 'sign_in'],
    // The content
    ['content', 554, 'DT:SPM 163 smtp http://mail.163.com/help/help_spam_16.htm', 'spam'],
    ['content', 550, 'Suspected spam', 'spam'],
    ['recipient', 550, '5.7.1 rejected by SPF policy', 'spam'],
    ['content', 552, 'Requested mail action aborted: exceeded mailsize limit', 'content'],
    ['content', 552, '5.3.4 Message size exceeds fixed maximum message size', 'content'],
    ['content', 554, 'transaction failed', 'content'],
    // Replies without a recognisable meaning
    ['recipient', 550, 'Error', 'unknown'],
    ['recipient', 550, 'Connection denied', 'unknown'],
    ['recipient', 553, 'policy 37', 'unknown'],
    ['recipient', 554, 'Transaction failed, see our frequently asked questions', 'unknown'],
    ['sender', 554, 'no', 'unknown'],
    ['connect', 554, 'No SMTP service here', 'unknown'],
  ])('%s %i %s: %s', (step, reply, text, expected) => {
    expect(describeResult(step, reply, text)).toBe(expected)
  })
})

describe('bounces', () => {
  test.each<[number, string, string]>([
    [550, '5.0.0 550 Connection frequency limited', '发件邮箱发送太快，被对方服务器拒收，请稍后重发或改用其他渠道'],
    [550, '5.7.1 550 User is over flow', mailFailureMessages.quota],
    [550, '5.1.1 user unknown', mailFailureMessages.mailbox],
    [550, '5.0.0 it did not work', mailFailureMessages.unknown],
  ])('explains the bounce %i %s as final, because nothing retries it', (reply, text, labels) => {
    expect(explainBounce({ reply, text })).toBe(labels)
  })
})

describe('messages queued behind a rejected one', () => {
  const restFor = (step: MailStep, reply: number, text: string) => {
    const error = { step, reply, text, started: false }
    return getResultForRest(error, toMailSendResult(error))
  }
  test('waits a second less than the message that exceeded the rate limit', () => {
    expect(restFor('recipient', 550, 'frequency limited')).toMatchObject({ result: 'put_off', retryAfterSeconds: 299 })
  })
  test('fails with the rejected message when the sender is rejected', () => {
    expect(restFor('sender', 550, 'User is over flow')).toMatchObject({ result: 'refused', code: 'mail_quota' })
  })
  test('attempts queued messages when only one recipient is rejected', () => {
    expect(restFor('recipient', 550, '5.1.1 unknown')).toBeNull()
    expect(restFor('recipient', 550, 'daily limit exceeded')).toBeNull()
  })
})
