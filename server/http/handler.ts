/**
 * What a handler is given. `defineHandler`: one transaction of one company and no network. `defineExternalHandler`: the outside world and no
 * transaction until it asks for one. The types make the other thing impossible.
 */

import type { CorpRole, Edition, Power } from '../contract/access.ts'
import type { Call, CallInput, CallOutput } from '../contract/call.ts'
import { type ErrorName, errorCodes } from '../contract/errors.ts'
import type { MessageContent } from '../contract/shared/message-templates.ts'
import type { Secrets, Vault } from '../crypto/secrets.ts'
import type { Database, Tx } from '../database/database.ts'
import type { NoTransaction } from '../database/no-transaction.ts'
import type { JobOptions, JobQueue } from '../jobs/queue.ts'
import type { Log } from '../observability/log.ts'
import type { ChannelSenders } from '../outbox/index.ts'
import type { Operator } from './operators.ts'

/** Somebody who is signed in to a company. */
export type CurrentUser = {
  readonly session_id: string
  readonly account_id: string
  readonly company_id: string
  readonly company_name: string
  readonly corp_role: CorpRole
  readonly power: readonly Power[]
  /** What the company may do at this moment. */
  readonly edition: Edition
  /** The administrator's row; null for people who are only employees. */
  readonly admin_id: string | null
  /** The person's own row in the roster, or the last one he had; null for administrators who are not employed here any more. */
  readonly member_id: string | null
  /** All rows whose slips are his: of a person who came back, or has left and may still read them, those of before as well. */
  readonly own_member_ids: readonly string[]
  /** He works here for that agency, until that day; null for the company's own people. */
  readonly agency: { readonly id: string; readonly until: string } | null
  /** He has left, on that day, and may read his slips until the other one, each time after a code to his phone. */
  readonly terminated: { readonly terminated_on: string; readonly access_until: string } | null
  readonly is_employee: boolean
  /** His phone in the roster is somebody else's word so far: no slip is shown to him. */
  readonly phone_unconfirmed: boolean
  readonly name: string
  readonly mobile: string
  /** Departments one manages, children included. `all` makes the list meaningless. */
  readonly scope: { readonly all: boolean; readonly department_ids: readonly string[] }
  /** Until when slips that need a view password may be read. */
  readonly view_granted_until: Date | null
}

/** A session that has no company yet. */
export type CurrentAccount = { readonly session_id: string; readonly account_id: string; readonly mobile: string }

export type UploadedFile = { readonly file_name: string; readonly bytes: Buffer }

/** How many pieces an SMS is charged as. */
export type CountSmsSegments = (saying: MessageContent) => number

/** What lights up on a locked phone of a message that goes this way; `title` is empty where there is only a text. */
export type PreviewMessage = (
  channel: 'platform' | 'sms' | 'email',
  saying: MessageContent,
) => { readonly title: string; readonly text: string }

type CommonContext = {
  readonly now: Date
  readonly request_id: string
  /** The peer's address, for limits and evidence. */
  readonly address: string
  /** The public address of this installation, no slash at the end. */
  readonly origin: string
  /** How many pieces an SMS is charged as. */
  readonly countSegments: CountSmsSegments
  /** What is seen of a message before it is opened. */
  readonly previewMessage: PreviewMessage
  /** Adds ids and counts (never values) to the audit line of this call. */
  addAuditDetails(ids: Record<string, string | number | null>): void
}

/** What a handler works with: everything belongs to `company_id` and to one transaction. */
export type HandlerContext = CommonContext & {
  readonly db: Tx
  readonly currentUser: CurrentUser
  readonly company_id: string
  /** Seals and opens what belongs to this company. */
  readonly vault: Vault
  /** Bytes that a call may write that is done although the disk is nearly full; null where there is plenty. */
  readonly spareBytes: number | null
  /** Jobs are inserted by this transaction: they exist when it commits. */
  readonly jobs: {
    send(name: string, data: Record<string, unknown>, options?: JobOptions): Promise<void>
  }
}

/**
 * The same for what changes who may do what: the rows of all administrators are held, so that two such changes come one after the other, and
 * nobody acts meanwhile on a right that is just being taken.
 */
export type AccessContext = HandlerContext & { readonly accessLock: 'held' }

/** By whom and when people are helped; `qr` is a picture as data: address. */
export type SupportContact = { readonly phone: string; readonly hours: string; readonly qr: string | null }

/** What an outside handler works with. */
export type ExternalContext = CommonContext & {
  /** Shown to whatever is outside the house. */
  readonly noTransaction: NoTransaction
  readonly me: CurrentUser | null
  readonly currentAccount: CurrentAccount | null
  /** A transaction of the session's company, which begins at the door again: who asks may have lost the right meanwhile. */
  inTransaction<T>(fn: (ctx: HandlerContext) => Promise<T>): Promise<T>
  /**
   * The one that does what was asked, while he who asks still may; its line of evidence is written with it. With the key of a call that is `once`
   * it answers the first answer and does nothing.
   */
  mutate<T>(fn: (ctx: HandlerContext) => Promise<T>): Promise<T>
  /** The same where it changes who may do what. `outcome` is what the line says. */
  mutateAccess<T>(outcome: 'done' | ErrorName, fn: (ctx: AccessContext) => Promise<T>): Promise<T>
  /** The database's doors for people who have no company yet. */
  readonly database: Database
  readonly secrets: Secrets
  /** The ways out for messages. */
  readonly senders: ChannelSenders
  readonly jobs: JobQueue
  readonly log: Log
  readonly supportContact: SupportContact
  /** Nothing here is in earnest: what would leave stays in the outbox. */
  readonly demo: boolean
  readonly upload: UploadedFile | null
  /** Reads of a company that somebody names who may be in none: for public calls only, and nothing can be written. */
  readCompany<T>(company_id: string, fn: (tx: Tx) => Promise<T>): Promise<T>
  /** Text of the request that outside calls may need: cookie, user agent. */
  readonly request: {
    readonly user_agent: string
    readonly cookies: Readonly<Record<string, string | undefined>>
    readonly https: boolean
  }
  setCookie(name: string, value: string, options: { http_only: boolean; max_age_s: number }): void
  /** Answers bytes instead of the envelope (for calls that give bytes); what is read as it goes says its size. */
  sendBytes(file: { name: string; bytes: Buffer | ChunkedBody; type: string }): void
  /** Sends the browser elsewhere (for calls that give a redirect). The address is never taken from the request. */
  redirect(url: string): void
  readonly signal: AbortSignal
}

export type ChunkedBody = { readonly size: number; chunks(): AsyncIterable<Buffer> }

/** What is left to do when the transaction has committed: it may wait, with no transaction open. */
export type AfterCommitContext = {
  readonly company_id: string
  readonly database: Database
  /** Nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** What is done in one company by the hand of an operator: no key comes with it, so nothing sealed is read. */
export type OperatorCompanyContext = Pick<HandlerContext, 'db' | 'company_id' | 'now' | 'jobs'>
/** What answers whoever runs the server: a transaction that sees of companies what they buy (`Database.asOperator`). */
export type OperatorContext = CommonContext & {
  readonly db: Tx
  readonly operator: Operator
  readonly upload: UploadedFile | null
  /** Seals what is for a company with the installation's own key. */
  readonly seal: Secrets['seal']
  /** Narrows the same transaction to one company. */
  inCompany<T>(company_id: string, work: (company: OperatorCompanyContext) => Promise<T>): Promise<T>
}

export type Handler =
  | {
      readonly call: Call
      readonly kind: 'inside'
      /** It changes who may do what. */
      readonly changesAccess: true
      readonly run: (ctx: AccessContext, input: never) => Promise<unknown>
      afterCommit?: undefined
    }
  | {
      readonly call: Call
      readonly kind: 'inside'
      readonly changesAccess: false
      readonly run: (ctx: HandlerContext, input: never) => Promise<unknown>
      afterCommit?(ctx: AfterCommitContext, input: unknown, output: unknown): Promise<unknown>
    }
  | { readonly call: Call; readonly kind: 'outside'; readonly run: (ctx: ExternalContext, input: never) => Promise<unknown> }
  | { readonly call: Call; readonly kind: 'ops'; readonly run: (ctx: OperatorContext, input: never) => Promise<unknown> }

/** What answers this call and no other. */
export type HandlerFor<C extends Call> = Handler & { readonly call: C }

/**
 * Binds a call to a function that runs in one transaction of one company. `after` is for an answer that waits for what the transaction has
 * set off: it begins when that has committed, and again where a key is repeated.
 */
export function defineHandler<C extends Call>(
  call: C,
  fn: (ctx: HandlerContext, input: CallInput<C>) => Promise<CallOutput<C>>,
  after?: (ctx: AfterCommitContext, input: CallInput<C>, output: CallOutput<C>) => Promise<CallOutput<C>>,
): HandlerFor<C> {
  return { call, kind: 'inside', changesAccess: false, run: fn, ...(after ? { afterCommit: after } : {}) }
}

/** Binds a call that changes who may do what. */
export function defineAccessHandler<C extends Call>(
  call: C,
  fn: (ctx: AccessContext, input: CallInput<C>) => Promise<CallOutput<C>>,
): HandlerFor<C> {
  return { call, kind: 'inside', changesAccess: true, run: fn }
}

/** Binds a call to a function that touches the outside world, or people who have no company yet. */
export function defineExternalHandler<C extends Call>(
  call: C,
  fn: (ctx: ExternalContext, input: CallInput<C>) => Promise<CallOutput<C>>,
): HandlerFor<C> {
  return { call, kind: 'outside', run: fn }
}

/** Binds a call of whoever runs the server. */
export function defineOperatorHandler<C extends Call>(
  call: C,
  fn: (ctx: OperatorContext, input: CallInput<C>) => Promise<CallOutput<C>>,
): HandlerFor<C> {
  return { call, kind: 'ops', run: fn }
}

type HandlersByCall<M> = {
  readonly [K in keyof M as M[K] extends Call ? K : never]: M[K] extends Call ? HandlerFor<M[K]> : never
}

/**
 * `implement(contract, { getMe, getSlip, … })`: every call of a file of the contract with what answers it. One that is missing, or that the
 * contract does not have, does not compile.
 */
export function bindHandlers<M extends object>(contract: M, handlers: HandlersByCall<M>): Handler[] {
  const calls = new Map<string, unknown>(Object.entries(contract))
  return Object.entries<Handler>({ ...handlers }).map(([name, handler]) => {
    // Two calls that take and give the same look alike to the compiler.
    if (handler.call !== calls.get(name)) throw new Error(`${name} is answered by ${handler.call.route}`)
    return handler
  })
}

/** A no that a user can understand. Thrown anywhere in a handler: the transaction is rolled back, the envelope says why. */
export class AppError extends Error {
  readonly error: ErrorName
  readonly details: Record<string, unknown>
  constructor(error: ErrorName, message?: string, data: Record<string, unknown> = {}) {
    super(message ?? errorCodes[error].message)
    this.error = error
    this.details = data
  }
}

/** `throw refuse('wrong_state', '这一批已经发送过了', { status })` */
export const fail = (name: ErrorName, message?: string, data?: Record<string, unknown>): AppError =>
  new AppError(name, message, data)
/** Input that the schema could not know to be wrong: names the field. */
export const invalidInput = (field: string, message: string): AppError => new AppError('invalid', message, { field })

/** Throws unless the verdict of `can.…` is true. */
export function assertAllowed(result: true | string, data: Record<string, unknown> = {}): void {
  if (result !== true) throw new AppError('wrong_state', result, data)
}
