/**
 * The port to whoever carries messages out of the house: SMS gateways, chat platforms, mail servers, webhooks, all of one shape. A carrier
 * knows no subject and keeps nothing; `App` is what it is asked with: a customer's keys, an application on a platform, an address.
 */

/** A message as it is handed over. */
export type OutgoingMessage = {
  /** Ours, and the same for every try: the carrier's own idempotency key or reference, where it has one. */
  readonly id: string
  /** A phone, a person's id on the platform, a mailbox, an address. */
  readonly to: string
  /** What sort of message: gateways in China send approved templates, one a kind. */
  readonly kind: string
  /** The whole text as the person reads it. */
  readonly text: string
  /** What fills the template's places, in their order, as `texts` of the carrier wants them. */
  readonly variables: readonly (readonly [name: string, value: string])[]
  /** Where the message leads; null where it leads nowhere. */
  readonly link: string | null
  /** The person's name, masked: for the eyes of the demo. */
  readonly name: string
}

/** What became of one try. Nothing but `unclear` may be said of a message of which nobody knows whether it was taken. */
export type SendOutcome = { readonly id: string } & (
  | { readonly result: 'accepted'; readonly ref: string }
  /** Surely not taken, and never will be. `message` is for an administrator. */
  | { readonly result: 'refused'; readonly code: string; readonly message: string }
  /**
   * Surely not taken; it may be asked again after so long. `one_address`: others are served meanwhile. `code` and `message` say why, for an
   * administrator, where the carrier gave a reason.
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

/** A message that may or may not have left. Some carriers know an id only together with the address and the day. */
export type AttemptedMessage = {
  readonly id: string
  readonly to: string
  /** When it was last tried, or a little later. */
  readonly attemptedAt: Date
}
export type LookupOutcome = { readonly id: string } & (
  | { readonly result: 'accepted'; readonly ref: string }
  /** Surely not taken. */
  | { readonly result: 'not_accepted' }
  /** It cannot tell, because its books are behind: such a message must not be repeated. `tells_in_ms`: until they have caught up. */
  | { readonly result: 'unsure'; readonly retryInMs?: number }
  /** It keeps no books: nobody will ever know. */
  | { readonly result: 'never_known' }
)

/** A message that was taken and should not be seen any more. */
export type AcceptedMessage = { readonly id: string; readonly to: string; readonly ref: string }
/** One of which more is known by now than it says: `state` is that, in a word. `leads`: its link still leads to something. */
export type OutdatedMessage = AcceptedMessage &
  Pick<OutgoingMessage, 'text' | 'link'> & { readonly at: Date; readonly statusText: string; readonly hasLink: boolean }
/** `gone`: the person does not see it any more. `unclear`: ask again later. */
export type UpdateResult = 'updated' | 'too_late' | 'gone' | 'unsupported' | 'refused' | 'unclear'
export type UpdateOutcome = { readonly id: string; readonly result: UpdateResult }
export type RecallOutcome = { readonly id: string; readonly result: 'recalled' | 'refused' | 'unclear' }

export type CarrierDescription = {
  /** Most messages in one call of `send`; whoever has more calls more often. */
  readonly maxPerCall: number
  /** So many messages in so long, for one `App`; null where nothing is documented. */
  readonly rateLimit: { readonly count: number; readonly perMs: number } | null
  /**
   * How it is told what to say. `whole`: the text. `named`: the variables of the text by name, of a link the person's own part only.
   * `brief`: the variables of the short texts, which hold no link.
   */
  readonly style: 'whole' | 'named' | 'brief'
  /** What it writes before the text, without brackets. */
  readonly signature: string
  /** Whether `recall` can ever succeed. */
  readonly canRecall: boolean
  /** How often one message can be amended; left out where it cannot. */
  readonly updateSupport?: 'once' | 'often'
}

export type Carrier<App> = {
  describe(app: App): CarrierDescription
  /** One outcome a message, in any order. Throws only where nothing is known of all of them. */
  send(app: App, messages: readonly OutgoingMessage[]): Promise<readonly SendOutcome[]>
  /** One outcome a message. Throws where it cannot be asked at all. */
  find(app: App, messages: readonly AttemptedMessage[]): Promise<readonly LookupOutcome[]>
  recall(app: App, messages: readonly AcceptedMessage[]): Promise<readonly RecallOutcome[]>
  /** Writes on messages that were taken what became of what they told. Left out where nothing can be written on them. */
  updateMessages?(app: App, messages: readonly OutdatedMessage[]): Promise<readonly UpdateOutcome[]>
}

/** A carrier together with whom it is asked as: all that whoever sends has to know. */
export type CarrierSender = {
  /** Names the application: what is counted for it is counted under this name, by all nodes. */
  readonly key: string
  readonly description: CarrierDescription
  send(messages: readonly OutgoingMessage[]): Promise<readonly SendOutcome[]>
  find(messages: readonly AttemptedMessage[]): Promise<readonly LookupOutcome[]>
  recall(messages: readonly AcceptedMessage[]): Promise<readonly RecallOutcome[]>
  updateMessage(messages: readonly OutdatedMessage[]): Promise<readonly UpdateOutcome[]>
  /** Whether people have seen their messages, where the carrier knows; left out where it never does. */
  getReadStatus?(messages: readonly ReadStatusRequest[]): Promise<readonly ReadStatus[]>
}
export type ReadStatusRequest = { readonly id: string; readonly to: string; readonly ref: string; readonly sentAt: Date }
/** Null: not told any more. */
export type ReadStatus = { readonly id: string; readonly isRead: boolean | null }

/** The carrier said no, and will say no again: not to be repeated. */
export class MessageRejectedError extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The carrier takes nothing now and says when it will: nothing left, the same message may be asked again after that time. */
export class RateLimitedError extends Error {
  readonly retryAfterSeconds: number
  /** It is about this one address, which has had enough for now; others are served. */
  readonly recipientOnly: boolean
  constructor(retry_after_s: number, message = 'the carrier asks for patience', { one_address = false } = {}) {
    super(message)
    this.retryAfterSeconds = retry_after_s
    this.recipientOnly = one_address
  }
}

/** For carriers that take messages one by one and throw: what each of them came to. Any other error leaves the outcome unclear. */
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

/** For carriers that cannot take back what they took. */
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

// Mail that comes back after a server took it: looked for in the mailbox that it left by --------------------------------------

/** A server of mail and an account there, as a customer says them: SMTP to send, IMAP to read. */
export type MailServerConfig = {
  readonly host: string
  readonly port: number
  /** `tls` from the first byte (port 465, 993), `starttls` before anything is said, `none` only inside of one's own network. */
  readonly security: 'tls' | 'starttls' | 'none'
  readonly user: string
  readonly password: string
}
/** A customer's own mailbox, from which his people are written to. */
export type MailboxConfig = MailServerConfig & {
  /** The address in From and its name. */
  readonly from: string
  readonly sender: string
  /** What proves that a message was ours: 32 hexadecimal digits for an id. */
  readonly getMark?: (id: string) => string
}
export type Bounce = {
  /** Our own id of the message, and the mark it left with: not compared yet. */
  readonly id: string
  readonly mark: string
  /** `delayed`: the server goes on trying. */
  readonly result: 'failed' | 'delayed'
  /** For an administrator. */
  readonly message: string
}
/** How far a mailbox has been looked through: `uid` comes next, as long as the server counts as it did. */
export type InboxCursor = { readonly validity: string; readonly uid: number }
/** Why nothing could be read. */
export type InboxError = 'not_public' | 'sign_in' | 'encryption' | 'timeout' | 'unreadable' | 'no_connection'
/** `more`: mail was left for the next look. */
export type InboxReadResult =
  | { readonly cursor: InboxCursor; readonly bounces: readonly Bounce[]; readonly hasMore: boolean }
  | { readonly error: InboxError }
export type ReadInbox = (
  app: MailServerConfig,
  since: { readonly from: InboxCursor | null; readonly now: Date },
) => Promise<InboxReadResult>

// Webhooks: not a carrier of messages to people, but to a company's own systems ----------------------------------------------

export type WebhookMessage = {
  /** The same at every try: whoever is told twice knows it by this. */
  readonly id: string
  readonly body: string
  /** Of this try; receivers refuse what is older than five minutes. */
  readonly sentAt: Date
}
export type WebhookEndpoint = {
  readonly url: string
  /** Each signs; several while one replaces another. */
  readonly secrets: readonly Buffer[]
}
/** Why nothing came back: the name leads inside, nowhere, nobody listens or the certificate is wrong, or it took too long. */
export type WebhookError = 'not_public' | 'no_address' | 'no_connection' | 'timeout'
export type WebhookResponse = { readonly status: number } | { readonly error: WebhookError }
export type WebhookOptions = {
  /** Whether an address in the network of this installation may be told, and without TLS. */
  readonly allowPrivateHosts: boolean
  readonly timeoutMs?: number
  readonly resolveHost?: (host: string) => Promise<readonly string[]>
}
/** Posts one message: a status, or why there is none. */
export type PostWebhook = (to: WebhookEndpoint, message: WebhookMessage, desk: WebhookOptions) => Promise<WebhookResponse>
