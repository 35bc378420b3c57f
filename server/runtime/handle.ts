/**
 * What a handler is given. `handle`: one transaction of one company and no network. `handleOutside`: the outside world and no
 * transaction until it asks for one. The types make the other thing impossible.
 */
import type { Call, InputOf, OutputOf } from '../contract/call.ts'
import { type RefusalName, refusals } from '../contract/refusals.ts'
import type { CorpRole, Edition, Power } from '../contract/who.ts'
import type { Saying } from '../contract/words/messages.ts'
import type { Operator } from './data/operators.ts'
import type { Outdoors } from './data/outdoors.ts'
import type { Database, Tx } from './db.ts'
import type { JobOptions, Jobs } from './jobs.ts'
import type { Log } from './log.ts'
import type { CarrierLines } from './post/index.ts'
import type { Secrets, Vault } from './secrets.ts'

/** Somebody who is signed in to a company. */
export type Me = {
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
  readonly own_ids: readonly string[]
  /** He works here for that agency, until that day; null for the company's own people. */
  readonly agency: { readonly id: string; readonly until: string } | null
  /** He has left, on that day, and may read his slips until the other one, each time after a code to his phone. */
  readonly left: { readonly on: string; readonly until: string } | null
  readonly is_employee: boolean
  /** His phone in the roster is somebody else's word so far: no slip is shown to him. */
  readonly unconfirmed: boolean
  readonly name: string
  readonly mobile: string
  /** Departments one manages, children included. `all` makes the list meaningless. */
  readonly scope: { readonly all: boolean; readonly department_ids: readonly string[] }
  /** Until when slips that need a view password may be read. */
  readonly view_until: Date | null
}

/** A session that has no company yet. */
export type HalfMe = { readonly session_id: string; readonly account_id: string; readonly mobile: string }

export type Upload = { readonly file_name: string; readonly bytes: Buffer }

/** How many pieces an SMS is charged as. */
export type CountPieces = (saying: Saying) => number

/** What lights up on a locked phone of a message that goes this way; `title` is empty where there is only a text. */
export type ShowMessage = (
  channel: 'platform' | 'sms' | 'email',
  saying: Saying,
) => { readonly title: string; readonly text: string }

type Common = {
  readonly now: Date
  readonly request_id: string
  /** The peer's address, for limits and evidence. */
  readonly address: string
  /** The public address of this installation, no slash at the end. */
  readonly origin: string
  /** How many pieces an SMS is charged as. */
  readonly pieces: CountPieces
  /** What is seen of a message before it is opened. */
  readonly shown: ShowMessage
  /** Adds ids and counts (never values) to the audit line of this call. */
  about(ids: Record<string, string | number | null>): void
}

/** What a handler works with: everything belongs to `company_id` and to one transaction. */
export type Ctx = Common & {
  readonly db: Tx
  readonly me: Me
  readonly company_id: string
  /** Seals and opens what belongs to this company. */
  readonly vault: Vault
  /** Bytes that a call may write that is done although the disk is nearly full; null where there is plenty. */
  readonly spare: number | null
  /** Jobs are inserted by this transaction: they exist when it commits. */
  readonly jobs: {
    send(name: string, data: Record<string, unknown>, options?: JobOptions): Promise<void>
  }
}

/**
 * The same for what changes who may do what: the rows of all administrators are held, so that two such changes come one after the other, and
 * nobody acts meanwhile on a right that is just being taken.
 */
export type RightsCtx = Ctx & { readonly rights: 'held' }

/** By whom and when people are helped; `qr` is a picture as data: address. */
export type Service = { readonly phone: string; readonly hours: string; readonly qr: string | null }

/** What an outside handler works with. */
export type OutsideCtx = Common & {
  /** Shown to whatever is outside the house. */
  readonly outdoors: Outdoors
  readonly me: Me | null
  readonly half: HalfMe | null
  /** A transaction of the session's company, which begins at the door again: who asks may have lost the right meanwhile. */
  inTransaction<T>(fn: (ctx: Ctx) => Promise<T>): Promise<T>
  /**
   * The one that does what was asked, while he who asks still may; its line of evidence is written with it. With the key of a call that is `once`
   * it answers the first answer and does nothing.
   */
  deed<T>(fn: (ctx: Ctx) => Promise<T>): Promise<T>
  /** The same where it changes who may do what. `outcome` is what the line says. */
  deedOnRights<T>(outcome: 'done' | RefusalName, fn: (ctx: RightsCtx) => Promise<T>): Promise<T>
  /** The database's doors for people who have no company yet. */
  readonly database: Database
  readonly secrets: Secrets
  /** The ways out for messages. */
  readonly lines: CarrierLines
  readonly jobs: Jobs
  readonly log: Log
  readonly service: Service
  /** Nothing here is in earnest: what would leave stays in the outbox. */
  readonly demo: boolean
  readonly upload: Upload | null
  /** Reads of a company that somebody names who may be in none: for public calls only, and nothing can be written. */
  lookIn<T>(company_id: string, fn: (tx: Tx) => Promise<T>): Promise<T>
  /** Text of the request that outside calls may need: cookie, user agent. */
  readonly request: {
    readonly user_agent: string
    readonly cookies: Readonly<Record<string, string | undefined>>
    readonly https: boolean
  }
  setCookie(name: string, value: string, options: { http_only: boolean; max_age_s: number }): void
  /** Answers bytes instead of the envelope (for calls that give bytes); what is read as it goes says its size. */
  sendBytes(file: { name: string; bytes: Buffer | SentInPieces; type: string }): void
  /** Sends the browser elsewhere (for calls that give a redirect). The address is never taken from the request. */
  goTo(url: string): void
  readonly signal: AbortSignal
}

export type SentInPieces = { readonly size: number; pieces(): AsyncIterable<Buffer> }

/** What is left to do when the transaction has committed: it may wait, with no transaction open. */
export type AfterCtx = {
  readonly company_id: string
  readonly database: Database
  /** Nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

/** What is done in one company by the hand of an operator: no key comes with it, so nothing sealed is read. */
export type OpsCompany = Pick<Ctx, 'db' | 'company_id' | 'now' | 'jobs'>
/** What answers whoever runs the server: a transaction that sees of companies what they buy (`Database.asOperator`). */
export type OpsCtx = Common & {
  readonly db: Tx
  readonly operator: Operator
  readonly upload: Upload | null
  /** Seals what is for a company with the installation's own key. */
  readonly seal: Secrets['seal']
  /** Narrows the same transaction to one company. */
  inCompany<T>(company_id: string, work: (company: OpsCompany) => Promise<T>): Promise<T>
}

export type Handler =
  | {
      readonly call: Call
      readonly where: 'inside'
      /** It changes who may do what. */
      readonly onRights: true
      readonly fn: (ctx: RightsCtx, input: never) => Promise<unknown>
      after?: undefined
    }
  | {
      readonly call: Call
      readonly where: 'inside'
      readonly onRights: false
      readonly fn: (ctx: Ctx, input: never) => Promise<unknown>
      after?(ctx: AfterCtx, input: unknown, output: unknown): Promise<unknown>
    }
  | { readonly call: Call; readonly where: 'outside'; readonly fn: (ctx: OutsideCtx, input: never) => Promise<unknown> }
  | { readonly call: Call; readonly where: 'ops'; readonly fn: (ctx: OpsCtx, input: never) => Promise<unknown> }

/** What answers this call and no other. */
export type HandlerOf<C extends Call> = Handler & { readonly call: C }

/**
 * Binds a call to a function that runs in one transaction of one company. `after` is for an answer that waits for what the transaction has
 * set off: it begins when that has committed, and again where a key is repeated.
 */
export function handle<C extends Call>(
  call: C,
  fn: (ctx: Ctx, input: InputOf<C>) => Promise<OutputOf<C>>,
  after?: (ctx: AfterCtx, input: InputOf<C>, output: OutputOf<C>) => Promise<OutputOf<C>>,
): HandlerOf<C> {
  return { call, where: 'inside', onRights: false, fn: fn, ...(after ? { after } : {}) }
}

/** Binds a call that changes who may do what. */
export function handleRights<C extends Call>(
  call: C,
  fn: (ctx: RightsCtx, input: InputOf<C>) => Promise<OutputOf<C>>,
): HandlerOf<C> {
  return { call, where: 'inside', onRights: true, fn: fn }
}

/** Binds a call to a function that touches the outside world, or people who have no company yet. */
export function handleOutside<C extends Call>(
  call: C,
  fn: (ctx: OutsideCtx, input: InputOf<C>) => Promise<OutputOf<C>>,
): HandlerOf<C> {
  return { call, where: 'outside', fn: fn }
}

/** Binds a call of whoever runs the server. */
export function handleOps<C extends Call>(call: C, fn: (ctx: OpsCtx, input: InputOf<C>) => Promise<OutputOf<C>>): HandlerOf<C> {
  return { call, where: 'ops', fn: fn }
}

type CallsIn<M> = { readonly [K in keyof M as M[K] extends Call ? K : never]: M[K] extends Call ? HandlerOf<M[K]> : never }

/**
 * `implement(contract, { getMe, getSlip, … })`: every call of a file of the contract with what answers it. One that is missing, or that the
 * contract does not have, does not compile.
 */
export function implement<M extends object>(contract: M, handlers: CallsIn<M>): Handler[] {
  const calls = new Map<string, unknown>(Object.entries(contract))
  return Object.entries<Handler>({ ...handlers }).map(([name, handler]) => {
    // Two calls that take and give the same look alike to the compiler.
    if (handler.call !== calls.get(name)) throw new Error(`${name} is answered by ${handler.call.at}`)
    return handler
  })
}

/** A no that a user can understand. Thrown anywhere in a handler: the transaction is rolled back, the envelope says why. */
export class Refusal extends Error {
  readonly refusal: RefusalName
  readonly data: Record<string, unknown>
  constructor(refusal: RefusalName, message?: string, data: Record<string, unknown> = {}) {
    super(message ?? refusals[refusal].message)
    this.refusal = refusal
    this.data = data
  }
}

/** `throw refuse('wrong_state', '这一批已经发送过了', { status })` */
export const refuse = (name: RefusalName, message?: string, data?: Record<string, unknown>): Refusal =>
  new Refusal(name, message, data)
/** Input that the schema could not know to be wrong: names the field. */
export const invalid = (field: string, message: string): Refusal => new Refusal('invalid', message, { field })

/** Throws unless the verdict of `can.…` is true. */
export function must(verdict: true | string, data: Record<string, unknown> = {}): void {
  if (verdict !== true) throw new Refusal('wrong_state', verdict, data)
}
