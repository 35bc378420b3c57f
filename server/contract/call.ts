/**
 * A call: one object from which the route, the validation of input and output, the typed client, the query key, the
 * page guard, the OpenAPI document and the permission tests are derived. Access, audit, idempotency and errors have no
 * defaults: an omission does not compile. Transport and rate limit are stated only where they differ from the default.
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
  /**
   * The encoding of the request: a JSON body, the query string (default and only choice for GET), or a form with one
   * file named `file`.
   */
  readonly requestType: 'json' | 'query' | 'file'
  /** The response: the envelope (default), the bytes of a file, or a redirect for a browser that navigates. */
  readonly responseType: 'json' | 'bytes' | 'redirect'
}

export type CallDefinition<I extends z.ZodMiniType, O extends z.ZodMiniType> = {
  /** One line for readers of the API document. */
  readonly summary: string
  readonly access: CallAccess
  /** Supports `Idempotency-Key`: a repeated key returns the first response and does nothing twice. */
  readonly idempotent: boolean
  /**
   * `view` shows salary data, `change` changes something that must be auditable, `sign_in` concerns sign-in (also where
   * the user is not known yet), `none` is none of these.
   */
  readonly audit: 'none' | 'view' | 'change' | 'sign_in'
  /**
   * The call withdraws or stops something, or answers an employee: it stays allowed while a nearly full disk refuses
   * other changes.
   */
  readonly allowedOnFullDisk?: true
  /** Only companies whose edition has this feature may make the call (`contract/billing/editions.ts`). */
  readonly requiredFeature?: Feature
  /** An open page makes this call automatically: it does not extend the session. */
  readonly isPolling?: true
  /** For operators of an installation that is not in production yet: absent in production. */
  readonly diagnosticOnly?: true
  readonly input: I
  readonly output: O
  /** The errors it may return besides `commonErrors`. */
  readonly errors: readonly ErrorName[]
} & Partial<CallTransport>

export type Call<I extends z.ZodMiniType = z.ZodMiniType, O extends z.ZodMiniType = z.ZodMiniType> = Omit<
  CallDefinition<I, O>,
  keyof CallTransport
> &
  CallTransport & {
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

export function defineCall<I extends z.ZodMiniType, O extends z.ZodMiniType>(
  at: `${Method} /${string}`,
  spec: CallDefinition<I, O>,
): Call<I, O> {
  const cut = at.indexOf(' ')
  const path = at.slice(cut + 1)
  const method = methods.find((one) => one === at.slice(0, cut)) ?? 'GET'
  const typical: CallTransport = { rateLimit: 'normal', requestType: method === 'GET' ? 'query' : 'json', responseType: 'json' }
  return { ...typical, ...spec, route: at, method, path, name: path.slice(path.lastIndexOf('/') + 1) }
}

/** The response of every call. `errmsg` repeats `error_msg` for older clients. */
export type Envelope<T = unknown> = { error_code: number; error_msg: string; errmsg: string; data: T }
