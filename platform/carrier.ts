/**
 * The port for carriers of outgoing messages: SMS gateways, chat platforms, mail servers and webhooks share one
 * interface. A carrier does not know the subject and stores nothing; `App` holds the credentials it sends with: a
 * customer's keys, an application on a platform, an address.
 */

import type { ResolveHost } from './host-resolver.ts'

/** A message as it is passed to a carrier. */
export type OutgoingMessage = {
  /** Our own id, the same for every attempt; used as the carrier's idempotency key or reference where it has one. */
  readonly id: string
  /** A phone number, a user id on the platform, a mailbox or an address. */
  readonly to: string
  /** The message type. SMS gateways in China send approved templates, one per type. */
  readonly kind: string
  /** The full text as the recipient reads it. */
  readonly text: string
  /** Values of the template variables in order, in the `style` that the carrier describes. */
  readonly variables: readonly (readonly [name: string, value: string])[]
  /** URL that the message links to; null if it has no link. */
  readonly link: string | null
  /** The recipient's masked name, displayed in the demo only. */
  readonly name: string
}

/** The outcome of one attempt. Must be `unclear` whenever it is unknown whether the carrier accepted the message. */
export type SendOutcome = { readonly id: string } & (
  | { readonly result: 'accepted'; readonly ref: string }
  /** Definitely not accepted, and a retry is pointless. `message` is for an administrator. */
  | { readonly result: 'refused'; readonly code: string; readonly message: string }
  /**
   * The message was definitely not accepted and may be retried after the given time. If `recipientOnly` is true, other
   * recipients are not affected. `code` and `message` give the reason for an administrator where the carrier provided
   * one.
   */
  | {
      readonly result: 'put_off'
      readonly retryAfterSeconds: number
      readonly recipientOnly: boolean
      readonly code?: string
      readonly message?: string
    }
  | { readonly result: 'unclear' }
)

/** A message that may or may not have been sent. Some carriers can look up an id only together with the address and the day. */
export type AttemptedMessage = {
  readonly id: string
  readonly to: string
  /** Time of the last attempt, or slightly later. */
  readonly attemptedAt: Date
}
export type LookupOutcome = { readonly id: string } & (
  | { readonly result: 'accepted'; readonly ref: string }
  /** Definitely not accepted. */
  | { readonly result: 'not_accepted' }
  /** The carrier cannot tell: its records lag. Do not send again. `retryInMs`: when they have caught up. */
  | { readonly result: 'unsure'; readonly retryInMs?: number }
  /** The carrier keeps no records, so the outcome remains unknown. */
  | { readonly result: 'never_known' }
)

/** A message that was accepted and should no longer be visible. */
export type AcceptedMessage = { readonly id: string; readonly to: string; readonly ref: string }
/** An accepted message that is out of date: `statusText` is the new status, short. `hasLink`: its link still works. */
export type OutdatedMessage = AcceptedMessage &
  Pick<OutgoingMessage, 'text' | 'link'> & { readonly at: Date; readonly statusText: string; readonly hasLink: boolean }
/** With `gone` the recipient no longer sees the message; with `unclear` the update is retried later. */
export type UpdateResult = 'updated' | 'too_late' | 'gone' | 'unsupported' | 'refused' | 'unclear'
export type UpdateOutcome = { readonly id: string; readonly result: UpdateResult }
export type RecallOutcome = { readonly id: string; readonly result: 'recalled' | 'refused' | 'unclear' }

export type CarrierDescription = {
  /** Maximum number of messages per call of `send`; larger sets need several calls. */
  readonly maxPerCall: number
  /** Maximum number of messages per period for one `App`; null if no limit is documented. */
  readonly rateLimit: { readonly count: number; readonly perMs: number } | null
  /**
   * Defines which content the carrier receives. `whole` is the text, `named` the variables of the text by name (of a
   * link only its individual part), `brief` the variables of the short texts, which contain no link.
   */
  readonly style: 'whole' | 'named' | 'brief'
  /** The signature that the carrier puts before the text, without brackets. */
  readonly signature: string
  /** Whether `recall` can succeed at all. */
  readonly canRecall: boolean
  /** How often one message can be updated; undefined if it cannot. */
  readonly updateSupport?: 'once' | 'often'
}

export type Carrier<App> = {
  describe(app: App): CarrierDescription
  /** Returns one outcome per message, in any order. Throws only if nothing is known about any of them. */
  send(app: App, messages: readonly OutgoingMessage[]): Promise<readonly SendOutcome[]>
  /** Returns one outcome per message. Throws if the carrier cannot be queried at all. */
  find(app: App, messages: readonly AttemptedMessage[]): Promise<readonly LookupOutcome[]>
  recall(app: App, messages: readonly AcceptedMessage[]): Promise<readonly RecallOutcome[]>
  /** Updates accepted messages with the current status of their subject. Undefined if the carrier cannot update messages. */
  updateMessages?(app: App, messages: readonly OutdatedMessage[]): Promise<readonly UpdateOutcome[]>
}

/** A carrier bound to its application or credentials: everything that sending code needs to know. */
export type CarrierSender = {
  /** Identifies the application; all nodes count against the rate limit under this key. */
  readonly key: string
  readonly description: CarrierDescription
  send(messages: readonly OutgoingMessage[]): Promise<readonly SendOutcome[]>
  find(messages: readonly AttemptedMessage[]): Promise<readonly LookupOutcome[]>
  recall(messages: readonly AcceptedMessage[]): Promise<readonly RecallOutcome[]>
  updateMessage(messages: readonly OutdatedMessage[]): Promise<readonly UpdateOutcome[]>
  /** Returns whether recipients have read their messages; undefined if the carrier never knows. */
  getReadStatus?(messages: readonly ReadStatusRequest[]): Promise<readonly ReadStatus[]>
}
export type ReadStatusRequest = { readonly id: string; readonly to: string; readonly ref: string; readonly sentAt: Date }
/** The value is null if the carrier no longer reports the status. */
export type ReadStatus = { readonly id: string; readonly isRead: boolean | null }

/** The carrier rejected the message permanently; it must not be retried. */
export class MessageRejectedError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The carrier accepts nothing now and says when it will. Nothing was sent; the message may be retried after that. */
export class RateLimitedError extends Error {
  readonly retryAfterSeconds: number
  /** Concerns only this recipient, who has reached a limit; others are not affected. */
  readonly recipientOnly: boolean
  constructor(retry_after_s: number, message = 'the carrier asks for patience', { one_address = false } = {}) {
    super(message)
    this.retryAfterSeconds = retry_after_s
    this.recipientOnly = one_address
  }
}

/** Sends messages one by one through a carrier that throws, and returns their outcomes. Other errors leave them unclear. */
export const sendOneByOne = (
  messages: readonly OutgoingMessage[],
  send: (message: OutgoingMessage) => Promise<{ readonly ref: string }>,
): Promise<SendOutcome[]> =>
  Promise.all(
    messages.map(async (message): Promise<SendOutcome> => {
      const { id } = message
      try {
        return { id, result: 'accepted', ref: (await send(message)).ref }
      } catch (error) {
        if (error instanceof MessageRejectedError) return { id, result: 'refused', code: error.code, message: error.message }
        if (error instanceof RateLimitedError)
          return { id, result: 'put_off', retryAfterSeconds: error.retryAfterSeconds, recipientOnly: error.recipientOnly }
        return { id, result: 'unclear' }
      }
    }),
  )

/** `recall` for carriers that cannot recall accepted messages. */
export const rejectRecalls = async (messages: readonly AcceptedMessage[]): Promise<RecallOutcome[]> =>
  messages.map(({ id }) => ({ id, result: 'refused' }))

export const createCarrierSender = <App>(key: string, carrier: Carrier<App>, app: App): CarrierSender => ({
  key,
  description: carrier.describe(app),
  send: (messages) => carrier.send(app, messages),
  find: (messages) => carrier.find(app, messages),
  recall: (messages) => carrier.recall(app, messages),
  updateMessage: async (messages) =>
    carrier.updateMessages ? carrier.updateMessages(app, messages) : messages.map(({ id }) => ({ id, result: 'unsupported' })),
})

// Bounces: mail that returns after a server accepted it, read from the mailbox it was sent from

/** A mail server and account as configured by a customer: SMTP to send, IMAP to read. */
export type MailServerConfig = {
  readonly host: string
  readonly port: number
  /** `tls` from the first byte (port 465, 993), `starttls` before anything else is sent, `none` only inside a private network. */
  readonly security: 'tls' | 'starttls' | 'none'
  readonly user: string
  readonly password: string
}
/** A customer's own mailbox, from which mail to its employees is sent. */
export type MailboxConfig = MailServerConfig & {
  /** The address in From, and its display name. */
  readonly from: string
  readonly sender: string
  /** Returns the mark that proves a message was ours: 32 hexadecimal digits for an id. */
  readonly getMark?: (id: string) => string
}
export type Bounce = {
  /** Our own message id and the mark the message was sent with, not yet verified. */
  readonly id: string
  readonly mark: string
  /** `delayed`: the server keeps trying. */
  readonly result: 'failed' | 'delayed'
  /** Message for an administrator. */
  readonly message: string
}
/** How far a mailbox has been read: `uid` is the next one, valid while the server's UIDVALIDITY is unchanged. */
export type InboxCursor = { readonly validity: string; readonly uid: number }
/** Why the mailbox could not be read. */
export type InboxError = 'not_public' | 'sign_in' | 'encryption' | 'timeout' | 'unreadable' | 'no_connection'
/** `hasMore`: unread mail remains for the next call. */
export type InboxReadResult =
  | { readonly cursor: InboxCursor; readonly bounces: readonly Bounce[]; readonly hasMore: boolean }
  | { readonly error: InboxError }
export type ReadInbox = (
  app: MailServerConfig,
  since: { readonly from: InboxCursor | null; readonly now: Date },
) => Promise<InboxReadResult>

// Webhooks: messages to a company's own systems, not to employees

export type WebhookMessage = {
  /** The id is the same for every attempt, so that receivers can detect duplicates. */
  readonly id: string
  readonly body: string
  /** Time of this attempt; receivers reject messages older than five minutes. */
  readonly sentAt: Date
}
export type WebhookEndpoint = {
  readonly url: string
  /** Every secret signs the message; there are several during a key rotation. */
  readonly secrets: readonly Buffer[]
}
/** Why there is no response: a private or unknown address, nothing listens, an invalid certificate, or a timeout. */
export type WebhookError = 'not_public' | 'no_address' | 'no_connection' | 'timeout'
export type WebhookResponse = { readonly status: number } | { readonly error: WebhookError }
export type WebhookOptions = {
  /** Whether addresses in the network of this installation are allowed, also without TLS. */
  readonly allowPrivateHosts: boolean
  readonly timeoutMs?: number
  /** Resolves the receiver's name; by default the resolver for customers' hosts. */
  readonly resolveHost?: ResolveHost
}
/** Posts one message; returns the HTTP status or the error. */
export type PostWebhook = (to: WebhookEndpoint, message: WebhookMessage, options: WebhookOptions) => Promise<WebhookResponse>
