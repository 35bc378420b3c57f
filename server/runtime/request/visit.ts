/** One request on its way through a call, and the house it is in. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Call } from '../../contract/call.ts'
import type { RefusalName } from '../../contract/refusals.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../db.ts'
import type { Forms } from '../files/uploads.ts'
import type { CountPieces, HalfMe, Handler, Me, Service, ShowMessage } from '../handle.ts'
import type { Jobs } from '../jobs.ts'
import type { Lanes } from '../load/lanes.ts'
import type { Room } from '../load/room.ts'
import type { Log } from '../log.ts'
import type { CarrierLines } from '../post/index.ts'
import type { Secrets } from '../secrets.ts'
import type { About } from './audit.ts'
import type { Buckets } from './limits.ts'
import type { Session } from './sessions.ts'

export type Parts = {
  readonly database: Database
  readonly secrets: Secrets
  readonly jobs: Jobs
  readonly room: Room
  readonly clock: Clock
  /** How many pieces an SMS is charged as. */
  readonly pieces: CountPieces
  /** What is seen of a message before it is opened. */
  readonly shown: ShowMessage
  /** The ways out for messages. */
  readonly lines: CarrierLines
  readonly log: Log
  readonly service: Service
  readonly demo: boolean
  /** Whether editions are sold here; where they are not, everybody has everything. */
  readonly billing: boolean
  readonly origin: string
  readonly https: boolean
  /** Checks every answer against its schema before it is sent: on everywhere but in production. */
  readonly strict: boolean
  /** Somebody has the token of this session and not its cookie. */
  readonly onStolenToken: (
    session: Session,
    seen: { readonly call: Call; readonly address: string; readonly request_id: string; readonly now: Date },
  ) => Promise<void>
  /** A call refused what its contract does not say: a line in the log of whoever runs it; a test fails. */
  readonly onUndeclared: (call: Call, refusal: RefusalName) => void
  /** Turns away what finds the lanes full or the event loop further behind than this; null in tests, which ask thousands of calls at once. */
  readonly shed: { readonly loop_ms: number } | null
  /** Widens the in-memory limits (tests walk thousands of calls from one address). */
  readonly limit_scale: number
}

/** What all requests share. */
export type House = Parts & { readonly buckets: Buckets; readonly forms: Forms; readonly lanes: Lanes }

export type Visitor = { readonly session_id: string | null; readonly me: Me | null; readonly half: HalfMe | null }
export const nobody: Visitor = { session_id: null, me: null, half: null }

export type Visit = {
  readonly handler: Handler
  readonly call: Call
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly now: Date
  /** Ids and counts for the line of evidence. */
  readonly about: About
  known: Visitor
  /** What the door has seen and leaves to be written after its transaction. */
  readonly left: { stolen: Session | null; unseen: string | null }
  /** Bytes it may write on a disk that is nearly full; null where there is plenty. */
  spare: number | null
  /** What was asked, once it has been read. */
  input: unknown
  /** The line of evidence was written with the deed. */
  isTold: boolean
  /** Leaves the lane it waited in. */
  leave: () => void
}

/** Whose the request is, for limits: an account, or the address it comes from. */
export const peerIn = ({ known, request }: Visit): string => known.half?.account_id ?? request.ip
