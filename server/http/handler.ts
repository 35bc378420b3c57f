/**
 * Handlers and their contexts. A handler has one transaction of one company and no network; an external handler has
 * external services and no transaction until it opens one. The types prevent mixing the two.
 */

import type { RegistrationPolicy } from '../contract/access.ts'
import type { Call, CallInput, CallOutput } from '../contract/call.ts'
import type { ErrorName } from '../contract/errors.ts'
import type { MessageContent } from '../contract/messages/sms-templates.ts'
import type { Secrets, Vault } from '../crypto/secrets.ts'
import type { Database, Tx } from '../database/database.ts'
import type { NoTransaction } from '../database/no-transaction.ts'
import type { JobOptions, JobQueue } from '../jobs/queue.ts'
import type { Log } from '../observability/log.ts'
import type { ChannelSenders, CountSmsSegments } from '../outbox/index.ts'
import type { CurrentAccount, CurrentUser } from './current-user.ts'
import type { CallerCredentials } from './limits/proven-callers.ts'
import type { Operator } from './operators.ts'

export type { CurrentAccount, CurrentUser } from './current-user.ts'
export { AppError, assertAllowed, fail, invalidInput } from './errors.ts'

export type UploadedFile = { readonly file_name: string; readonly bytes: Buffer }

/** Builds the lock screen preview of a message in this channel; `title` is empty where there is only a text. */
export type PreviewMessage = (
  channel: 'platform' | 'sms' | 'email',
  saying: MessageContent,
) => { readonly title: string; readonly text: string }

type CommonContext = {
  readonly now: Date
  readonly request_id: string
  /** The client's address, for rate limits and the audit log. */
  readonly address: string
  /** The public URL of this installation, without a trailing slash. */
  readonly origin: string
  /** Whether editions and messages are sold here. */
  readonly billing: boolean
  /** Counts the segments that an SMS is charged as. */
  readonly countSegments: CountSmsSegments
  /** Builds the preview of a message before it is opened. */
  readonly previewMessage: PreviewMessage
  /** Adds ids and counts (never values) to the audit log entry of this call. */
  addAuditDetails(ids: Record<string, string | number | null>): void
}

/** The context of a handler: everything belongs to `company_id` and to one transaction. */
export type HandlerContext = CommonContext & {
  readonly db: Tx
  readonly currentUser: CurrentUser
  readonly company_id: string
  /** Encrypts and decrypts data of this company. */
  readonly vault: Vault
  /** The number of bytes that a call allowed on a nearly full disk may write; null while there is enough space. */
  readonly spareBytes: number | null
  /** The disk is full and the transaction reads only: what a read would record besides is left out. */
  readonly isReadOnly: boolean
  /** Jobs are inserted by this transaction: they exist once it commits. */
  readonly jobs: {
    send(name: string, data: Record<string, unknown>, options?: JobOptions): Promise<void>
  }
}

/**
 * The context of a handler that changes access rights: the rows of all administrators are locked, so that two such
 * changes are serialized and no one uses a right that is just being revoked.
 */
export type AccessContext = HandlerContext & { readonly accessLock: 'held' }

/** Contact and hours of the support; `qr` is a picture as a data: URL. */
export type SupportContact = { readonly phone: string; readonly hours: string; readonly qr: string | null }

/** The context of an external handler. */
export type ExternalContext = CommonContext & {
  /** Required by functions that call external services. */
  readonly noTransaction: NoTransaction
  readonly me: CurrentUser | null
  readonly currentAccount: CurrentAccount | null
  /** Opens a transaction of the session's company. It authorizes again, because the user may have lost the right meanwhile. */
  inTransaction<T>(fn: (ctx: HandlerContext) => Promise<T>): Promise<T>
  /**
   * Opens the transaction that makes the requested change, if the user is still authorized; writes the audit log entry
   * with it. With the key of a call that is
   * `idempotent` it returns the first response and does nothing.
   */
  mutate<T>(fn: (ctx: HandlerContext) => Promise<T>): Promise<T>
  /** The same for changes of access rights. `outcome` goes into the audit log entry. */
  mutateAccess<T>(outcome: 'done' | ErrorName, fn: (ctx: AccessContext) => Promise<T>): Promise<T>
  /** Database access for users who have no company yet. */
  readonly database: Database
  readonly secrets: Secrets
  /** Counts the next requests with a session that was just issued as the account's in the concurrency limits. */
  rememberCaller(credentials: CallerCredentials, account_id: string): void
  /** The senders of the message channels. */
  readonly senders: ChannelSenders
  readonly jobs: JobQueue
  readonly log: Log
  readonly supportContact: SupportContact
  readonly registration: RegistrationPolicy
  /** Demo mode: messages stay in the outbox. */
  readonly demo: boolean
  readonly upload: UploadedFile | null
  /** Reads data of a named company on behalf of a user who may be in none: for public calls only, read-only. */
  readCompany<T>(company_id: string, fn: (tx: Tx) => Promise<T>): Promise<T>
  /** Headers that external handlers may need: cookies, user agent. */
  readonly request: {
    readonly user_agent: string
    readonly cookies: Readonly<Record<string, string | undefined>>
    readonly https: boolean
  }
  setCookie(name: string, value: string, options: { http_only: boolean; max_age_s: number }): void
  /** Responds with bytes instead of the envelope (for calls with such a response); a stream states its size. */
  sendBytes(file: { name: string; bytes: Buffer | ChunkedBody; type: string }): void
  /** Redirects the browser (for calls with such a response). The URL is never taken from the request. */
  redirect(url: string): void
  readonly signal: AbortSignal
}

export type ChunkedBody = { readonly size: number; chunks(): AsyncIterable<Buffer> }

/** The context of work after the transaction has committed: it may wait, because no transaction is open. */
export type AfterCommitContext = {
  readonly company_id: string
  readonly database: Database
  /** Aborts when the client no longer waits for the response. */
  readonly signal: AbortSignal
}

/** The context of an operator's action in one company: it has no key, so no encrypted data can be read. */
export type OperatorCompanyContext = Pick<HandlerContext, 'db' | 'company_id' | 'now' | 'jobs'>
/** The context of an operator's handler: a transaction that sees only the purchases of companies (`Database.asOperator`). */
export type OperatorContext = CommonContext & {
  readonly db: Tx
  readonly operator: Operator
  readonly upload: UploadedFile | null
  /** Encrypts data for a company with the installation's own key. */
  readonly seal: Secrets['seal']
  /** Narrows the same transaction to one company. */
  inCompany<T>(company_id: string, work: (company: OperatorCompanyContext) => Promise<T>): Promise<T>
}

/** What a handler needs, where it differs from one transaction of one company. */
export type HandlerOptions<C extends Call> = {
  /** `external`: external services, or users without a company; no transaction is open until the handler opens one. */
  readonly kind?: 'external' | 'operator'
  /** Locks the access rights of the company while the handler changes them. */
  readonly locks?: 'access'
  /** For a response that waits for work of the transaction: runs after the commit, and for a repeated idempotency key. */
  readonly afterCommit?: (ctx: AfterCommitContext, input: CallInput<C>, output: CallOutput<C>) => Promise<CallOutput<C>>
} & ({ readonly kind: 'external' | 'operator'; readonly locks?: never; readonly afterCommit?: never } | { readonly kind?: never })

/** The context that belongs to these options: a handler cannot have both a transaction and `noTransaction`. */
export type ContextFor<O> = O extends { kind: 'external' }
  ? ExternalContext
  : O extends { kind: 'operator' }
    ? OperatorContext
    : O extends { locks: 'access' }
      ? AccessContext
      : HandlerContext

/** Declared as methods, so that one type covers the functions of all calls: `defineHandler` has checked each of them. */
export type CompanyHandler = {
  readonly call: Call
  readonly kind: 'company'
  /** The call changes access rights. */
  readonly locksAccess: boolean
  run(ctx: AccessContext, input: unknown): Promise<unknown>
  afterCommit?(ctx: AfterCommitContext, input: unknown, output: unknown): Promise<unknown>
}
export type ExternalHandler = {
  readonly call: Call
  readonly kind: 'external'
  run(ctx: ExternalContext, input: unknown): Promise<unknown>
}
export type OperatorHandler = {
  readonly call: Call
  readonly kind: 'operator'
  run(ctx: OperatorContext, input: unknown): Promise<unknown>
}
export type Handler = CompanyHandler | ExternalHandler | OperatorHandler

/** The handler of exactly this call. */
export type HandlerFor<C extends Call> = Handler & { readonly call: C }

type HandlerFunction<Ctx, C extends Call> = (ctx: Ctx, input: CallInput<C>) => Promise<CallOutput<C>>

/**
 * Binds a call to its function. `defineHandler(call, fn)` runs in one transaction of one company and cannot reach the
 * network; options change that: `defineHandler(call, { kind: 'external' }, fn)`.
 */
export function defineHandler<C extends Call>(call: C, fn: HandlerFunction<HandlerContext, C>): HandlerFor<C>
export function defineHandler<C extends Call, const O extends HandlerOptions<C>>(
  call: C,
  options: O,
  fn: HandlerFunction<ContextFor<O>, C>,
): HandlerFor<C>
export function defineHandler<C extends Call>(
  call: C,
  ...args: [HandlerFunction<never, C>] | [HandlerOptions<C>, HandlerFunction<never, C>]
): HandlerFor<C> {
  const [options, run] = args.length === 1 ? [{}, args[0]] : args
  const { kind, locks, afterCommit } = options
  if (kind) return { call, kind, run }
  return { call, kind: 'company', locksAccess: locks === 'access', run, ...(afterCommit && { afterCommit }) }
}

type HandlersByCall<M> = {
  readonly [K in keyof M as M[K] extends Call ? K : never]: M[K] extends Call ? HandlerFor<M[K]> : never
}

/**
 * `bindHandlers(contract, { getMe, getSlip, … })`: binds every call of a contract file to its handler. A missing call,
 * or one that the contract does not have, does not compile.
 */
export function bindHandlers<M extends object>(contract: M, handlers: HandlersByCall<M>): Handler[] {
  const calls = new Map<string, unknown>(Object.entries(contract))
  return Object.entries<Handler>({ ...handlers }).map(([name, handler]) => {
    // Two calls with equal input and output are the same type to the compiler.
    if (handler.call !== calls.get(name)) throw new Error(`${name} is answered by ${handler.call.route}`)
    return handler
  })
}
