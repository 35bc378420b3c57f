/** Mail servers behind the port of `carrier.ts`. */
import { createHash } from 'node:crypto'
import { type CarrierSender, createCarrierSender, type MailboxConfig, type ReadInbox } from '../carrier.ts'
import { createSmtpCarrier } from './smtp.ts'

export type MailOptions = {
  /** Whether a customer's mail server may stand in our own network. */
  readonly allowPrivateHosts: boolean
  /** Certificates of one's own authority, beside those that everybody knows. */
  readonly ca?: string
  /** Longest silence within a step. */
  readonly stepTimeoutMs?: number
  /** Longest look into a mailbox. */
  readonly readTimeoutMs?: number
}

/** Looks for bounces in customers' mailboxes. The library is loaded by the first look. */
export const createInboxReader =
  (options: MailOptions): ReadInbox =>
  async (app, since) =>
    (await import('./inbox.ts')).readInbox(app, options, since)

/** The line of one customer; two that use the same mailbox share its pace. */
export const createMailSender = (app: MailboxConfig, options: MailOptions): CarrierSender => {
  const mailbox = createHash('sha256').update(`${app.host}|${app.port}|${app.user}`).digest('hex').slice(0, 16)
  return createCarrierSender(`mail:${mailbox}`, createSmtpCarrier(options), app)
}
