/** Mail servers behind the port in `carrier.ts`. */
import { createHash } from 'node:crypto'
import { type CarrierSender, createCarrierSender, type MailboxConfig, type ReadInbox } from '../carrier.ts'
import type { MailOptions } from './options.ts'
import { createSmtpCarrier } from './smtp.ts'

/** Creates a reader of bounces in customers' mailboxes. The library is loaded with the first read. */
export const createInboxReader =
  (options: MailOptions): ReadInbox =>
  async (app, since) =>
    (await import('./inbox.ts')).readInbox(app, options, since)

/** Creates the message sender of one customer; two customers with the same mailbox share its rate limit. */
export const createMailSender = (app: MailboxConfig, options: MailOptions): CarrierSender => {
  const mailbox = createHash('sha256').update(`${app.host}|${app.port}|${app.user}`).digest('hex').slice(0, 16)
  return createCarrierSender(`mail:${mailbox}`, createSmtpCarrier(options), app)
}
