/**
 * A call: one object from which the route, the validation of input and output, the typed client, the query key, the
 * page guard, the OpenAPI document and the permission tests are derived. The function that defines it states its audit class,
 * the second argument its access: neither has a default. Everything else is stated where it differs from the default.
 */
import type * as z from 'zod/mini'
import type { CallAccess } from './access.ts'
import type { Feature } from './billing/editions.ts'
import type { ErrorName } from './errors.ts'

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const
export type Method = (typeof methods)[number]

/**
 * Rate limit per user or address: `normal` 600 per minute; `costly` (reads a whole batch or a file) 120 per minute;
 * `guess` for input that can be guessed.
 */
export type RateLimitClass = 'normal' | 'costly' | 'guess'

/** Transport and rate limit of a call. */
export type CallTransport = {
  /** Default: `normal`. */
  readonly rateLimit: RateLimitClass
  /** The encoding of the request: a JSON body, the query string (the only choice for GET), or a form with one file `file`. */
  readonly requestType: 'json' | 'query' | 'file'
  /** The response: the envelope (default), the bytes of a file, or a redirect for a browser that navigates. */
  readonly responseType: 'json' | 'bytes' | 'redirect'
}

/** The calls below this path are for programs: parameters in the path, no envelope, problem details (RFC 9457). */
const versionedPrefix = '/api/v1/'
export const isVersionedPath = (url: string): boolean => url.toLowerCase().startsWith(versionedPrefix)

type AuditClass = 'none' | 'view' | 'change' | 'sign_in'

/** What a call states besides its route, its access and, by the function that defines it, its audit class. */
type CallOptions<I extends z.ZodMiniType, O extends z.ZodMiniType> = Partial<CallTransport> & {
  /** One line for readers of the API document. */
  readonly summary: string
  /** Supports `Idempotency-Key`: a repeated key returns the first response and does nothing twice. */
  readonly idempotent?: boolean
  /** The call withdraws or stops something, or answers an employee: allowed while a nearly full disk refuses other changes. */
  readonly allowedOnFullDisk?: true
  /** Only companies whose edition has this feature may make the call (`contract/billing/editions.ts`). */
  readonly requiredFeature?: Feature
  /** An open page makes this call automatically: it does not extend the session. */
  readonly isPolling?: true
  /** The call is for operators of an installation that is not yet in production, and is absent in production. */
  readonly diagnosticOnly?: true
  readonly input: I
  readonly output: O
  /** The errors it may return besides `commonErrors`; the tests fail on any other. */
  readonly errors?: readonly ErrorName[]
}

export type Call<I extends z.ZodMiniType = z.ZodMiniType, O extends z.ZodMiniType = z.ZodMiniType> = CallTransport &
  CallOptions<I, O> & {
    readonly access: CallAccess
    readonly audit: AuditClass
    readonly idempotent: boolean
    readonly errors: readonly ErrorName[]
    /** Method and path as one greppable string. */
    readonly route: string
    readonly method: Method
    readonly path: string
    /** The last segment of the path: the name of the call everywhere. */
    readonly name: string
  }

export type CallInput<C extends Call> = z.infer<C['input']>
/** Fields that a client may omit are optional here (the server fills in defaults). */
export type CallRequest<C extends Call> = z.input<C['input']>
export type CallOutput<C extends Call> = z.infer<C['output']>

const createDefinition =
  (audit: AuditClass, idempotent: boolean) =>
  <I extends z.ZodMiniType, O extends z.ZodMiniType>(
    route: `${Method} /${string}`,
    access: CallAccess,
    options: CallOptions<I, O>,
  ): Call<I, O> => {
    const cut = route.indexOf(' ')
    const path = route.slice(cut + 1)
    const method = methods.find((one) => one === route.slice(0, cut)) ?? 'GET'
    const transport: CallTransport = {
      rateLimit: 'normal',
      requestType: method === 'GET' ? 'query' : 'json',
      responseType: 'json',
    }
    const name = path.slice(path.lastIndexOf('/') + 1)
    return { ...transport, access, audit, idempotent, errors: [], ...options, route, method, path, name }
  }

/** Defines a call that needs no audit log entry. */
export const defineRead = createDefinition('none', false)
/** Defines a call that shows salary data: it leaves an entry in the access log. */
export const defineView = createDefinition('view', false)
/** Defines a call that changes something that must be auditable; it supports `Idempotency-Key` unless it says otherwise. */
export const defineChange = createDefinition('change', true)
/** Defines a call that concerns sign-in, also where the user is not known yet. */
export const defineSignIn = createDefinition('sign_in', false)

/**
 * The response of every call. `errmsg` repeats `error_msg` for older clients; so does `errcode`, of `error_code`, in the
 * calls of payment (spec §3).
 */
export type Envelope<T = unknown> = { error_code: number; error_msg: string; errmsg: string; errcode?: number; data: T }
export const isPaymentPath = (path: string): boolean => path.toLowerCase().startsWith('/api/pay/')
