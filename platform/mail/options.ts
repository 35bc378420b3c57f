/** Settings of the mail adapters. */

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
