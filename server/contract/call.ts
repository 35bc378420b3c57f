/**
 * A call: one object from which come the route, the validation both ways, the typed client, the query key, the page guard, the
 * OpenAPI document and the permission walks of the tests. Who may, what is kept as evidence, whether a repeat does it again and what it may
 * refuse have no default: what is not said does not compile. How it travels and how often it may be asked are said only where it is not as usual.
 */
import type * as z from 'zod/mini'
import type { CallAccess } from './access.ts'
import type { Feature } from './billing/editions.ts'
import type { ErrorName } from './errors.ts'

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const
export type Method = (typeof methods)[number]

/** How often one person or address may make it: `normal` 600 a minute, `costly` (it reads a whole batch or a file) 120 a minute, `guess` for what can be guessed. */
export type RateLimitClass = 'normal' | 'costly' | 'guess'

/** How a call travels and how often it may be asked. */
export type CallTransport = {
  /** `normal` unless told. */
  readonly rateLimit: RateLimitClass
  /** How the request comes: a JSON body, the query string (always and only for GET, unless told), or a form with one file named `file`. */
  readonly requestType: 'json' | 'query' | 'file'
  /** What comes back: the envelope (unless told), the bytes of a file, or another address for a browser that navigates. */
  readonly responseType: 'json' | 'bytes' | 'redirect'
}

export type CallDefinition<I extends z.ZodMiniType, O extends z.ZodMiniType> = {
  /** One line for the reader of the API document. */
  readonly summary: string
  readonly access: CallAccess
  /** Honours `Idempotency-Key`: the same key answers the first answer and does nothing twice. */
  readonly idempotent: boolean
  /**
   * `view` shows salary data, `change` changes something worth evidence, `sign_in` is about how somebody gets in (also where nobody is known
   * yet), `none` nothing of these.
   */
  readonly audit: 'none' | 'view' | 'change' | 'sign_in'
  /** It takes back or stops something, or answers for somebody: done also while a disk that is nearly full refuses other changes. */
  readonly allowedOnFullDisk?: true
  /** Only companies whose edition has this may make it (`contract/corp/editions.ts`). */
  readonly requiredFeature?: Feature
  /** A page asks it by itself while it is open: it keeps no session alive. */
  readonly isPolling?: true
  /** For whoever looks after an installation that is not in use yet: absent in production. */
  readonly diagnosticOnly?: true
  readonly input: I
  readonly output: O
  /** The refusals it may give besides those of `always`. */
  readonly errors: readonly ErrorName[]
} & Partial<CallTransport>

export type Call<I extends z.ZodMiniType = z.ZodMiniType, O extends z.ZodMiniType = z.ZodMiniType> = Omit<
  CallDefinition<I, O>,
  keyof CallTransport
> &
  CallTransport & {
    /** Method and path, one greppable string. */
    readonly route: string
    readonly method: Method
    readonly path: string
    /** The last word of the path: the name of the call everywhere. */
    readonly name: string
  }

export type CallInput<C extends Call> = z.infer<C['input']>
/** What a client may leave out is optional here (defaults are filled in by the server). */
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

/** The answer of every call. `errmsg` repeats `error_msg` for older readers. */
export type Envelope<T = unknown> = { error_code: number; error_msg: string; errmsg: string; data: T }
