/** Mail servers behind the port in `carrier.ts`. */
import { createHash } from 'node:crypto'
import { type CarrierSender, createCarrierSender, type MailboxConfig, type ReadInbox } from '../carrier.ts'
import { createSmtpCarrier } from './smtp.ts'

export type MailOptions = {
  /** Whether a customer's mail server may be in our own network. */
  readonly allowPrivateHosts: boolean
  /** Certificates of a private authority, in addition to the public ones. */
  readonly ca?: string
  /** Maximum inactivity within a step. */
  readonly stepTimeoutMs?: number
  /** Maximum duration of one read of a mailbox. */
  readonly readTimeoutMs?: number
}

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
