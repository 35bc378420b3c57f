/** One request on its way through a call, and the house it is in. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Call } from '../contract/call.ts'
import type { ErrorName } from '../contract/errors.ts'
import type { Secrets } from '../crypto/secrets.ts'
import type { Database } from '../database/database.ts'
import type { FormReader } from '../files/uploads.ts'
import type { JobQueue } from '../jobs/queue.ts'
import type { Log } from '../observability/log.ts'
import type { ChannelSenders } from '../outbox/index.ts'
import type { Clock } from '../shared/clock.ts'
import type { AuditDetails } from './audit-log.ts'
import type { CountSmsSegments, CurrentAccount, CurrentUser, Handler, PreviewMessage, SupportContact } from './handler.ts'
import type { ConcurrencyLimiters } from './limits/concurrency.ts'
import type { DiskGuard } from './limits/disk-guard.ts'
import type { TokenBuckets } from './limits/rate-limits.ts'
import type { Session } from './sessions.ts'

export type RequestDeps = {
  readonly database: Database
  readonly secrets: Secrets
  readonly jobs: JobQueue
  readonly diskGuard: DiskGuard
  readonly clock: Clock
  /** How many pieces an SMS is charged as. */
  readonly countSegments: CountSmsSegments
  /** What is seen of a message before it is opened. */
  readonly previewMessage: PreviewMessage
  /** The ways out for messages. */
  readonly senders: ChannelSenders
  readonly log: Log
  readonly supportContact: SupportContact
  readonly demo: boolean
  /** Whether editions are sold here; where they are not, everybody has everything. */
  readonly billing: boolean
  readonly origin: string
  readonly https: boolean
  /** Checks every answer against its schema before it is sent: on everywhere but in production. */
  readonly validateResponses: boolean
  /** Somebody has the token of this session and not its cookie. */
  readonly onStolenToken: (
    session: Session,
    seen: { readonly call: Call; readonly address: string; readonly request_id: string; readonly now: Date },
  ) => Promise<void>
  /** A call refused what its contract does not say: a line in the log of whoever runs it; a test fails. */
  readonly onUndeclaredError: (call: Call, refusal: ErrorName) => void
  /** Turns away what finds the lanes full or the event loop further behind than this; null in tests, which ask thousands of calls at once. */
  readonly loadShedding: { readonly loop_ms: number } | null
  /** Widens the in-memory limits (tests walk thousands of calls from one address). */
  readonly rateLimitScale: number
}

/** What all requests share. */
export type AppDeps = RequestDeps & {
  readonly buckets: TokenBuckets
  readonly formReader: FormReader
  readonly limiters: ConcurrencyLimiters
}

export type Principal = {
  readonly session_id: string | null
  readonly me: CurrentUser | null
  readonly account: CurrentAccount | null
}
export const anonymous: Principal = { session_id: null, me: null, account: null }

export type RequestContext = {
  readonly handler: Handler
  readonly call: Call
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly now: Date
  /** Ids and counts for the line of evidence. */
  readonly auditDetails: AuditDetails
  principal: Principal
  /** What the door has seen and leaves to be written after its transaction. */
  readonly deferred: { stolenSession: Session | null; sessionToTouch: string | null }
  /** Bytes it may write on a disk that is nearly full; null where there is plenty. */
  spareBytes: number | null
  /** What was asked, once it has been read. */
  input: unknown
  /** The line of evidence was written with the deed. */
  isAudited: boolean
  /** Leaves the lane it waited in. */
  releaseSlot: () => void
}

/** Whose the request is, for limits: an account, or the address it comes from. */
export const getRateLimitKey = ({ principal, request }: RequestContext): string => principal.account?.account_id ?? request.ip
