/** The mailbox from which a company sends mail to employees: any SMTP server. Beyond calls.md; the reason is in openapi.ts. */
import * as z from 'zod/mini'
import { requirePower } from '../access.ts'
import { defineChange, defineRead } from '../call.ts'
import { email } from '../shared/email.ts'
import { emptyObject, requiredText, time } from '../shared/schemas.ts'

/** The mailbox is a credential of the whole company: payroll administrators see it, enterprise administrators set it. */
const viewers = requirePower('1', '2')
const heads = requirePower('1')
/** `tls` from the first byte (465), `starttls` before any other command (587), `none` only within the private network. */
export const mailSecurities = ['tls', 'starttls', 'none'] as const
export type MailSecurity = (typeof mailSecurities)[number]

/** A host name or IP address; a mistake in it shows with the first message. */
const host = z
  .string()
  .check(
    z.trim(),
    z.toLowerCase(),
    z.maxLength(253, '服务器地址太长'),
    z.regex(/^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d]{1,63}$/, '服务器地址应写作 smtp.example.com'),
  )
const server = {
  host,
  port: z.int().check(z.gte(1, '端口号不正确'), z.lte(65_535, '端口号不正确')),
  security: z.enum(mailSecurities),
}
/** The IMAP inbox that receives bounces, accessed with the user and password of the mailbox. */
const bounceInbox = z.object(server)
const mailbox = {
  ...server,
  /** Usually the address itself. */
  user: requiredText(200, '请填写登录账号'),
  from: email,
  sender: requiredText(30, '请填写发件人名称'),
}

export const getMailbox = defineRead('GET /api/wage/setting/mail', viewers, {
  summary: 'Returns the mailbox that sends the payslip emails, without its password.',
  input: emptyObject,
  output: z.object({
    mail: z.nullable(
      z.object({
        ...mailbox,
        host: z.string(),
        from: z.string(),
        /** When a test message was last accepted; null: never, and then no mail is sent. */
        tested_at: z.nullable(time),
        /** Null: bounces are not read. `read_at`: when the inbox was last read; `fault`: why it could not be, and what to do. */
        inbox: z.nullable(z.object({ ...server, host: z.string(), read_at: z.nullable(time), fault: z.nullable(z.string()) })),
      }),
    ),
    /** Whether a server in the private network, without encryption, is allowed here. */
    allows_private_hosts: z.boolean(),
    /** Why the current user may not change the mailbox, and who may; null: they may. */
    disabled_reason: z.nullable(z.string()),
  }),
})

export const saveMailbox = defineChange('POST /api/wage/setting/mail', heads, {
  summary:
    'Saves the mailbox; without `password` the stored one stays, as long as user and servers stay the same. It is used only after a test message has been accepted.',
  idempotent: false,
  rateLimit: 'guess',
  input: z.object({
    ...mailbox,
    password: z.optional(requiredText(200, '请填写密码或授权码')),
    inbox: z._default(z.nullable(bounceInbox), null),
  }),
  output: emptyObject,
  errors: ['not_found'],
})

export const deleteMailbox = defineChange('DELETE /api/wage/setting/mail', heads, {
  summary: 'Deletes the mailbox. No more emails are sent.',
  idempotent: false,
  input: emptyObject,
  output: emptyObject,
})

export const testMailbox = defineChange('POST /api/wage/setting/mail/test', heads, {
  summary: 'Sends a test message from the stored mailbox. Once it is accepted, payslips are sent by email.',
  idempotent: false,
  rateLimit: 'costly',
  input: z.object({ to: email }),
  /** `message`: why the message was not accepted; `inbox`: why bounces cannot be read, or null. Both say what to do. */
  output: z.object({ is_accepted: z.boolean(), message: z.string(), inbox: z.nullable(z.string()) }),
  errors: ['not_found'],
})
