/**
 * Typed calls for pages: `useQuery(callQuery(getIndex, {}))`, `const save = useCallMutation(editMemberInfo)`, `await
 * callApi(call, input)`. Error handling is defined here once (spec §8).
 */
import {
  type DefaultError,
  type MutateOptions,
  MutationCache,
  type Query,
  QueryCache,
  QueryClient,
  queryOptions,
  type UseMutationOptions,
  useMutation,
} from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import type { ZodMiniType } from 'zod/mini'
import type { Call, CallOutput, CallRequest } from '../server/contract/call.ts'
import { errorCodes } from '../server/contract/errors.ts'
import { parseBySchema } from '../server/contract/parse-input.ts'
import { ApiError, createIdempotencyKey, NetworkError, type RequestOptions, sendRequest, session } from './api-core.ts'
import { networkErrorMessage, savePhone, signOutNotice } from './browser.ts'
import { getNotice, type Notice, setNotice } from './components/overlay/notice.ts'
import { toast } from './components/overlay/toast.ts'
import { isLoadError } from './components/state/load-error.ts'
import { getPageSize } from './components/state/page-size.ts'

export { ApiError, createIdempotencyKey, NetworkError }

/**
 * Returns the URL of the sign-in page for the current part of the product (desktop or mobile). `page` leads back to the
 * current page after signing in.
 */
export function getSignInUrl(): string {
  const { pathname, search } = location
  const returnPath = /^\/landing\/?$/i.test(pathname) ? (new URLSearchParams(search).get('page') ?? '') : pathname + search
  const page = returnPath === '/' || returnPath === '' ? '' : `?page=${encodeURIComponent(returnPath)}`
  return (/^\/m(\/|$)/i.test(pathname) ? '/m/login' : '/pc/page/login/login.html') + page
}

let isLeaving = false
/** Replaces the redirect to the sign-in page in areas with sessions of their own; null for the company area. */
let exitHandler: (() => void) | null = null
export const setExitHandler = (handler: () => void): void => {
  exitHandler = handler
}
/** Leaves the app because the session is over or never existed. Navigates the whole window so that no state remains. */
export function redirectToSignIn({ back: keepReturnPage = true }: { back?: boolean } = {}) {
  // Requests still in flight fail from now on; the user need not see those errors.
  isLeaving = true
  if (exitHandler) return exitHandler()
  session.clearToken()
  if (!keepReturnPage) savePhone(null)
  location.replace(keepReturnPage ? getSignInUrl() : (getSignInUrl().split('?')[0] ?? '/'))
}
/** Redirects to the sign-in page once, after a delay that leaves time to read the reason. */
function redirectAfterDelay() {
  isLeaving = true
  setTimeout(() => redirectToSignIn(), 1500)
}
/** Marks the session as ended when the page itself says so: requests that fail from now on need no message of their own. */
export const markSessionEnded = () => {
  isLeaving = true
}

/** Handles errors as in spec §8. `isHandled`: the page shows the error itself; the session's end is always handled here. */
function handleError(error: unknown, isHandled: boolean) {
  if (error instanceof ApiError && error.is('signed_out')) {
    if (isLeaving) return
    toast.error(error.message)
    signOutNotice.save(error.message)
    redirectAfterDelay()
  } else if (error instanceof ApiError && error.is('transferred')) {
    if (isLeaving) return
    toast.success('移交成功')
    redirectAfterDelay()
  } else if (isHandled) return
  else if (error instanceof NetworkError) toast.error(error.message, '网络异常')
  else if (isLoadError(error)) toast.error(networkErrorMessage, '网络异常')
  else if (error instanceof ApiError) toast.error(error.message, '失败')
  else if (!(error instanceof DOMException && error.name === 'AbortError')) toast.error('页面出了问题，请刷新后重试', '失败')
}

declare module '@tanstack/react-query' {
  interface Register {
    /** `quiet` means that the page polls automatically and reports errors itself. */
    queryMeta: { quiet?: boolean }
    /** `saysLost`: the page itself reports network errors; `affects`: the calls whose results the mutation changes. */
    mutationMeta: { handles?: (error: ApiError) => boolean; saysLost?: boolean; affects?: readonly Call[] }
  }
}

/** Keeps the page as it is until the sign-in page appears once the session is over: a retry would be pointless. */
function holdIfSessionEnded(error: unknown): Promise<never> {
  if (!(error instanceof ApiError && (error.is('signed_out') || error.is('transferred')))) throw error
  handleError(error, true)
  return new Promise(() => undefined)
}

/** Idempotency keys of pressed buttons by their input: a repeated attempt of one press takes effect at most once. */
const attemptKeys = new WeakMap<object, string>()
const isKeyHolder = (input: unknown): input is object => typeof input === 'object' && input !== null

let lostAction: Notice | null = null
/** Keeps an action that did not reach the server on the page: its toast is gone after three seconds. */
function offerRetry(retry: () => Promise<unknown>): void {
  const close = () => {
    if (getNotice() === lostAction) setNotice(null)
    lostAction = null
  }
  lostAction = {
    text: '网络断开，刚才的操作没有完成',
    retry: () => {
      close()
      // The cache of mutations reports the next error as well.
      void retry().catch(() => undefined)
    },
    close,
  }
  setNotice(lostAction)
}

export const queryClient = new QueryClient({
  // A page without data shows the error in its place, with a retry button; a background refresh that fails shows a
  // toast.
  queryCache: new QueryCache({
    onError: (error, requested) => handleError(error, requested.state.data === undefined || requested.meta?.quiet === true),
  }),
  mutationCache: new MutationCache({
    onError: (error, input, _result, mutation) => {
      const isLost = error instanceof NetworkError
      const saysLost = mutation.meta?.saysLost === true
      handleError(error, error instanceof ApiError ? mutation.meta?.handles?.(error) === true : isLost && saysLost)
      if (isLost && !saysLost && isKeyHolder(input) && attemptKeys.has(input)) offerRetry(() => mutation.execute(input))
    },
    onSuccess: (_data, _input, _result, { meta }) => {
      lostAction?.close?.()
      void refreshQueries(({ queryKey }) => meta?.affects?.some((call) => toQueryName(call) === queryKey[0]) ?? true)
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      retry: (count, error) => error instanceof NetworkError && count < 2,
      // Otherwise TanStack Query would pause while the browser believes it is offline, which is often wrong in chat
      // clients.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/**
 * Refetches all matching queries, because a mutation may have changed everything on the page. The library cancels a
 * running request only if the query already has data; a first request could be answered with the state before the
 * mutation and then look current.
 */
export function refreshQueries(matches: (query: Query) => boolean = () => true): Promise<void> {
  const isFirst = (candidate: Query) => candidate.state.data === undefined && matches(candidate)
  for (const pendingQuery of queryClient.getQueryCache().findAll({ fetchStatus: 'fetching', predicate: isFirst })) {
    void pendingQuery.cancel({ silent: true })
    void pendingQuery.fetch().catch(() => undefined)
  }
  return queryClient.invalidateQueries({ predicate: matches })
}

/** The first part of the keys of all queries of a call. */
export const toQueryName = (call: Call): string => call.name + call.route

/** A list whose address names no number of rows shows as many as the user chose last. */
const withPageSize = <I>(input: I): I =>
  typeof input === 'object' && input !== null && 'pagesize' in input && input.pagesize === undefined
    ? { ...input, pagesize: getPageSize() }
    : input

/** Builds the options of a cached query: `useQuery(callQuery(getMemberList, { page: 1 }))`. */
export const callQuery = <C extends Call>(call: C, request: CallRequest<C>) => {
  const input = withPageSize(request)
  return queryOptions<CallOutput<C>, DefaultError, CallOutput<C>, readonly [string, CallRequest<C>]>({
    queryKey: [toQueryName(call), input],
    queryFn: ({ signal }) => sendRequest(call, input, { signal }).catch(holdIfSessionEnded),
  })
}

/** Sends a request without caching; errors go to the caller. */
export const callApi = sendRequest

type CallOptions<C extends Call> = Pick<UseMutationOptions<CallOutput<C>, Error, CallRequest<C>>, 'onSuccess' | 'onSettled'> & {
  /** Returns true if the page shows this error itself (at a field or in place); otherwise it becomes a toast. */
  handles?: (error: ApiError) => boolean
  /** Whether the page itself reports network errors. */
  handlesNetworkError?: boolean
  /** The calls whose results the mutation changes; without it every query is refetched. */
  affects?: readonly Call[]
  /** Leaves validation to the server: spec §5 has hints that the client does not enforce. */
  skipValidation?: boolean
  /** Disables single flight: every press sends a request, even while another one is in flight. */
  parallel?: boolean
  /**
   * One idempotency key for several attempts, for example those of one dialog: `useState(createIdempotencyKey)[0]`.
   * Otherwise each `mutate` gets its own key.
   */
  key?: string
  onProgress?: (done: number) => void
  signal?: AbortSignal
}
/** Adds the file of a form to the input; a file is not a field of any contract. */
export const withFile = <I extends object>(input: I, file: File): I => ({ ...input, file })

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Blob)

/** Compares two inputs by value. Files are compared by identity, whatever they contain. */
function isDeepEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, at) => isDeepEqual(value, other[at]))
  if (!isRecord(one) || !isRecord(other)) return Object.is(one, other)
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => isDeepEqual(one[name], other[name]))
}

/**
 * Single flight (spec §4): while a request is in flight, a second press with the same input sends nothing and receives
 * the first one's response. Different input of the same call waits in the mutation's `scope`: when two switches are
 * toggled one after the other, both changes are sent in order.
 */
class SingleFlight<I, O> {
  readonly #inFlight = new Set<{ readonly input: I; readonly answer: Promise<O> }>()
  run(input: I, start: () => Promise<O>): Promise<O> {
    for (const flight of this.#inFlight) if (isDeepEqual(flight.input, input)) return flight.answer
    const flight = { input, answer: start() }
    this.#inFlight.add(flight)
    const land = () => void this.#inFlight.delete(flight)
    flight.answer.then(land, land)
    return flight.answer
  }
}

type CallMutateOptions<C extends Call> = MutateOptions<CallOutput<C>, Error, CallRequest<C>>
/**
 * Creates a mutation: `const withdraw = useCallMutation(withdrawBatchPaySheet, { onSuccess: close })`,
 * `withdraw.mutate({ batch_id })`. Mutations run one at a time; a press that repeats the request in flight sends
 * nothing.
 */
export function useCallMutation<C extends Call>(call: C, options: CallOptions<C> = {}) {
  // A form that is submitted again after a lost connection repeats its request: the server may have received it.
  const lostAttempt = useRef<{ readonly input: CallRequest<C>; readonly key: string } | null>(null)
  const { handles, handlesNetworkError = false, affects, skipValidation, parallel, key, onProgress, signal, ...rest } = options
  const mutation = useMutation<CallOutput<C>, Error, CallRequest<C>>({
    mutationFn: async (input) => {
      if (call.requestType === 'json' && !skipValidation) await validateInput(call, input)
      const lostKey = isDeepEqual(lostAttempt.current?.input, input) ? lostAttempt.current?.key : undefined
      const attemptKey = key ?? (isKeyHolder(input) ? attemptKeys.get(input) : undefined) ?? lostKey ?? createIdempotencyKey()
      lostAttempt.current = null
      try {
        return await sendRequest(call, input, { key: attemptKey, onProgress, signal } satisfies RequestOptions)
      } catch (error) {
        if (error instanceof NetworkError) lostAttempt.current = { input, key: attemptKey }
        throw error
      }
    },
    ...(parallel ? {} : { scope: { id: call.route } }),
    meta: { ...(handles && { handles }), ...(affects && { affects }), saysLost: handlesNetworkError },
    ...rest,
  })
  const { mutateAsync: startMutation } = mutation
  const [singleFlight] = useState(() => new SingleFlight<CallRequest<C>, CallOutput<C>>())
  const mutateAsync = useCallback(
    (input: CallRequest<C>, mutateOptions?: CallMutateOptions<C>) =>
      parallel ? startMutation(input, mutateOptions) : singleFlight.run(input, () => startMutation(input, mutateOptions)),
    [singleFlight, startMutation, parallel],
  )
  // Behaves like the library's own `mutate`: errors of a call that is not awaited are reported by the mutation cache.
  const mutate = useCallback(
    (input: CallRequest<C>, mutateOptions?: CallMutateOptions<C>) => {
      if (isKeyHolder(input)) attemptKeys.set(input, createIdempotencyKey())
      void mutateAsync(input, mutateOptions).catch(() => undefined)
    },
    [mutateAsync],
  )
  return { ...mutation, mutate, mutateAsync }
}

/**
 * Loads the input schema of a call. A built page does not contain it from the start (`build/contract.ts`). Returns null
 * if loading failed: then only the server can validate the input.
 */
async function loadInputSchema(schema: ZodMiniType | (() => Promise<ZodMiniType>)): Promise<ZodMiniType | null> {
  return typeof schema === 'function' ? schema().catch(() => null) : schema
}

/** Validates input against the contract before it is sent. Throws for the first invalid field in the contract's order. */
export async function validateInput<C extends Call>(call: C, input: unknown): Promise<void> {
  const schema = await loadInputSchema(call.input)
  if (!schema) return
  let { issue } = parseBySchema(schema, input)
  if (!issue) return
  const [field] = issue.path
  // An untouched form field is missing from the input; it gets the message for empty text.
  const sent = isRecord(input) ? input : {}
  if (typeof field === 'string' && sent[field] === undefined) issue = parseBySchema(schema, { ...sent, [field]: '' }).issue
  throw new ApiError(errorCodes.invalid.code, issue?.message ?? errorCodes.invalid.message, {
    field: issue?.field ?? String(field),
  })
}

/** Downloads through a navigation: the bytes never pass through the page. */
export function downloadFile(call: Call, input: Record<string, string>) {
  const link = document.createElement('a')
  link.href = `${call.path}?${new URLSearchParams(input)}`
  link.download = ''
  document.body.append(link)
  link.click()
  link.remove()
}
