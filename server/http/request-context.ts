/** The context of one request, which Fastify's request carries, and the application's dependencies. */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RegistrationPolicy } from '../contract/access.ts'
import type { ApiKeyScope } from '../contract/api-keys/api-keys.ts'
import type { Deprecation } from '../contract/api-v1/deprecations.ts'
import type { Call } from '../contract/call.ts'
import type { ErrorName } from '../contract/errors.ts'
import type { Secrets } from '../crypto/secrets.ts'
import type { Database } from '../database/database.ts'
import type { JobQueue } from '../jobs/queue.ts'
import type { Log } from '../observability/log.ts'
import type { ChannelSenders, CountSmsSegments } from '../outbox/index.ts'
import type { Clock } from '../shared/clock.ts'
import type { AuditLinker } from './audit-chain.ts'
import type { AuditDetails } from './audit-log.ts'
import { readApiKey, readCredentials } from './credentials.ts'
import type { CurrentAccount, CurrentUser } from './current-user.ts'
import type { FormReader, MultipartForm } from './form-reader.ts'
import type { Handler, PreviewMessage, SupportContact } from './handler.ts'
import { type ConcurrencyLimiters, getConcurrencyClass } from './limits/concurrency.ts'
import type { DiskGuard } from './limits/disk-guard.ts'
import type { ProvenCallers } from './limits/proven-callers.ts'
import { type TokenBuckets, toPeerAddress } from './limits/rate-limits.ts'
import { getOperatorCookieName } from './operators.ts'
import { getSessionCookieName, type Session } from './sessions.ts'

export type RequestDeps = {
  readonly database: Database
  readonly secrets: Secrets
  readonly jobs: JobQueue
  readonly auditLinker: Pick<AuditLinker, 'touch'>
  readonly diskGuard: DiskGuard
  readonly clock: Clock
  /** Counts the segments that an SMS is charged as. */
  readonly countSegments: CountSmsSegments
  /** Builds the preview of a message before it is opened. */
  readonly previewMessage: PreviewMessage
  /** The senders of the message channels. */
  readonly senders: ChannelSenders
  readonly log: Log
  readonly supportContact: SupportContact
  readonly demo: boolean
  /** Whether editions are sold here; where they are not, every company has all features. */
  readonly billing: boolean
  readonly registration: RegistrationPolicy
  readonly origin: string
  readonly https: boolean
  /** Validates every response against its schema before it is sent: on everywhere except in production. */
  readonly validateResponses: boolean
  /** Called when a client presents the token of this session without its cookie. */
  readonly onStolenToken: (
    session: Session,
    details: { readonly call: Call; readonly address: string; readonly request_id: string; readonly now: Date },
  ) => Promise<void>
  /** Called when a call returns an error that its contract does not declare: logged for the operator; fails a test. */
  readonly onUndeclaredError: (call: Call, error: ErrorName) => void
  /**
   * Refuses calls when the concurrency limits are reached or the event loop delay exceeds this; null in tests, which
   * make thousands of calls at once.
   */
  readonly loadShedding: { readonly loop_ms: number } | null
  /** Widens the in-memory limits (tests make thousands of calls from one address). */
  readonly rateLimitScale: number
  /** What ends in /api/v1, in place of the table of the contract: for tests. */
  readonly deprecations?: readonly Deprecation[]
}

/** Dependencies shared by all requests. */
export type AppDeps = RequestDeps & {
  readonly buckets: TokenBuckets
  readonly formReader: FormReader
  readonly limiters: ConcurrencyLimiters
  readonly provenCallers: ProvenCallers
}

export type Principal = {
  readonly session_id: string | null
  readonly me: CurrentUser | null
  readonly account: CurrentAccount | null
  /** The key of a program, which signs in without a session. */
  readonly apiKey: { readonly id: string; readonly scopes: readonly ApiKeyScope[] } | null
}
export const anonymous: Principal = { session_id: null, me: null, account: null, apiKey: null }

export type RefusedApiKey = {
  readonly company_id: string
  readonly id: string
  readonly account_id: string
  readonly name: string
}

export type RequestContext = {
  readonly handler: Handler
  readonly call: Call
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** The time of the request: when its body was read and its processing starts. */
  now: Date
  /** Its owner for limits before it is authenticated; null where the caller has proved no account. */
  readonly provenOwner: string | null
  /** Whether the request was counted by a rate limit. */
  isRateCounted: boolean
  /** Called when the handler has succeeded. */
  onSuccess: () => void
  /** Ids and counts for the audit log entry. */
  readonly auditDetails: AuditDetails
  principal: Principal
  /** Facts noted during authentication, to be written after its transaction. */
  readonly deferred: {
    stolenSession: Session | null
    sessionToTouch: string | null
    apiKeyToTouch: { readonly company_id: string; readonly id: string } | null
    /** A key that exists and is not accepted; null once it is. */
    refusedApiKey: RefusedApiKey | null
  }
  /** The number of bytes that the call may write on a nearly full disk; null while there is enough space. */
  spareBytes: number | null
  /** The input, once parsed. */
  input: unknown
  /** The audit log entry was written with the change. */
  isAudited: boolean
  /** The handler's response in place of the envelope: bytes, or the URL of a redirect. */
  rawResponse: { readonly bytes?: Buffer | Readable; readonly address?: string } | null
  /** The form of an upload, once it was read. */
  form: MultipartForm | null
  /** Releases the concurrency slot. */
  releaseSlot: () => void
  /** Releases the memory of the form. */
  releaseForm: () => void
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler of a route that is a call of the contract. */
    handler?: Handler
  }
  interface FastifyRequest {
    requestContext: RequestContext | null
  }
}

export function registerRequestContext(app: FastifyInstance, deps: AppDeps): void {
  app.decorateRequest('requestContext', null)
  app.addHook('onRequest', async (request, reply) => {
    const { handler } = request.routeOptions.config
    if (handler) request.requestContext = createRequestContext(deps, handler, request, reply)
  })
  app.addHook('preValidation', async (request) => {
    getRequestContext(request).now = deps.clock.now()
  })
}

function readCallerCredentials({ https }: AppDeps, { kind }: Handler, { headers, cookies }: FastifyRequest) {
  const key = readApiKey(headers)
  if (key !== null) return { token: key, cookie: null }
  return readCredentials(headers, cookies, kind === 'operator' ? getOperatorCookieName(https) : getSessionCookieName(https))
}

const createRequestContext = (app: AppDeps, handler: Handler, request: FastifyRequest, reply: FastifyReply): RequestContext => ({
  handler,
  call: handler.call,
  request,
  reply,
  now: app.clock.now(),
  provenOwner: app.provenCallers.find(readCallerCredentials(app, handler, request)),
  isRateCounted: false,
  onSuccess: () => undefined,
  auditDetails: {},
  principal: anonymous,
  deferred: { stolenSession: null, sessionToTouch: null, apiKeyToTouch: null, refusedApiKey: null },
  spareBytes: null,
  input: null,
  isAudited: false,
  rawResponse: null,
  form: null,
  releaseSlot: () => undefined,
  releaseForm: () => undefined,
})

export function getRequestContext({ requestContext }: FastifyRequest): RequestContext {
  if (!requestContext) throw new TypeError('The route is not a call of the contract')
  return requestContext
}

/**
 * Whether the request authenticates in the transaction of its handler, with nothing awaited in between. A costly call
 * waits for its slot, and so authenticates before as well.
 */
export const authenticatesInTransaction = ({ handler, call }: RequestContext): boolean =>
  handler.kind === 'company' && getConcurrencyClass(call) !== 'costly'

/** Returns the owner of the request for limits: an API key, an account, or the client's address. */
export const getRateLimitKey = ({ principal, request }: RequestContext): string =>
  principal.apiKey?.id ?? principal.account?.account_id ?? toPeerAddress(request.ip)
