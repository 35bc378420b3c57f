/**
 * Typed calls for pages: `useQuery(query(getIndex, {}))`, `const save = useCall(editMemberInfo)`, `await ask(call, input)`.
 * What is to happen with errors stands here once (spec §8).
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
import { useCallback, useState } from 'react'
import type { ZodMiniType } from 'zod/mini'
import type { Call, CallOutput, CallRequest } from '../server/contract/call.ts'
import { errorCodes } from '../server/contract/errors.ts'
import { ApiError, createIdempotencyKey, NetworkError, type RequestOptions, sendRequest, session } from './api-core.ts'
import { signOutNotice } from './browser.ts'
import { toast } from './ui/overlay/toast.ts'

export { ApiError, createIdempotencyKey, NetworkError }

/** The sign-in page of this half of the product. `page` brings one back after signing in. */
export function getSignInUrl(): string {
  const { pathname, search } = location
  const returnPath = /^\/landing\/?$/i.test(pathname) ? (new URLSearchParams(search).get('page') ?? '') : pathname + search
  const page = returnPath === '/' || returnPath === '' ? '' : `?page=${encodeURIComponent(returnPath)}`
  return (/^\/m(\/|$)/i.test(pathname) ? '/m/login' : '/pc/page/login/login.html') + page
}

let isLeaving = false
/** The way out of an area with sessions of its own; null: that of companies. */
let exitHandler: (() => void) | null = null
export const setExitHandler = (handler: () => void): void => {
  exitHandler = handler
}
/** Out of the app: this session is over, or was never there. A navigation of the whole window, so that nothing is left behind. */
export function redirectToSignIn({ back: keepReturnPage = true }: { back?: boolean } = {}) {
  // What is still being asked will be refused now; nobody needs to hear of it.
  isLeaving = true
  if (exitHandler) return exitHandler()
  session.clearToken()
  location.replace(keepReturnPage ? getSignInUrl() : (getSignInUrl().split('?')[0] ?? '/'))
}
/** The same once, with time to read why. */
function redirectAfterDelay() {
  isLeaving = true
  setTimeout(() => redirectToSignIn(), 1500)
}
/** The session is over and the page says so itself: what is refused from now on needs no sentence of its own. */
export const markSessionEnded = () => {
  isLeaving = true
}

/** Spec §8. `isHandled` means that the page shows the refusal itself; endings of the session are nobody's own business. */
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
  else if (error instanceof ApiError) toast.error(error.message, '失败')
  else if (!(error instanceof DOMException && error.name === 'AbortError')) toast.error('页面出了问题，请刷新后重试', '失败')
}

declare module '@tanstack/react-query' {
  interface Register {
    /** `quiet`: the page asks by itself, and says itself what follows. */
    queryMeta: { quiet?: boolean }
    /** `saysLost`: the page says itself that the network was lost. */
    mutationMeta: { handles?: (error: ApiError) => boolean; saysLost?: boolean }
  }
}

/** When the session is over, the page waits as it is for the sign-in page: a retry would lead nowhere. */
function holdIfSessionEnded(error: unknown): Promise<never> {
  if (!(error instanceof ApiError && (error.is('signed_out') || error.is('transferred')))) throw error
  handleError(error, true)
  return new Promise(() => undefined)
}

export const queryClient = new QueryClient({
  // A page without data shows the error in its place, with a retry; a refresh that fails in the background says so in a toast.
  queryCache: new QueryCache({
    onError: (error, requested) => handleError(error, requested.state.data === undefined || requested.meta?.quiet === true),
  }),
  mutationCache: new MutationCache({
    onError: (error, _input, _result, mutation) =>
      handleError(
        error,
        error instanceof ApiError
          ? mutation.meta?.handles?.(error) === true
          : error instanceof NetworkError && mutation.meta?.saysLost === true,
      ),
    onSuccess: () => void refreshQueries(),
  }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      retry: (count, error) => error instanceof NetworkError && count < 2,
      // TanStack would otherwise wait while the browser believes to be offline, which it often does wrongly in chat clients.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})

/**
 * Everything on the page may have changed by what was just done. The library gives up what is under way only where there was an answer already; what is
 * asked for the first time could be answered from before, and stand there as if from after.
 */
export function refreshQueries(matches: (asked: Query) => boolean = () => true): Promise<void> {
  const isFirst = (candidate: Query) => candidate.state.data === undefined && matches(candidate)
  for (const pendingQuery of queryClient.getQueryCache().findAll({ fetchStatus: 'fetching', predicate: isFirst })) {
    void pendingQuery.cancel({ silent: true })
    void pendingQuery.fetch().catch(() => undefined)
  }
  return queryClient.invalidateQueries({ predicate: matches })
}

/** A question whose answer is kept: `useQuery(query(getMemberList, { page: 1 }))`. */
export const callQuery = <C extends Call>(call: C, input: CallRequest<C>) =>
  queryOptions<CallOutput<C>, DefaultError, CallOutput<C>, readonly [string, CallRequest<C>]>({
    queryKey: [call.name + call.route, input],
    queryFn: ({ signal }) => sendRequest(call, input, { signal }).catch(holdIfSessionEnded),
  })

/** Asks now and keeps nothing; errors go to the caller. */
export const callApi = sendRequest

type CallOptions<C extends Call> = Pick<UseMutationOptions<CallOutput<C>, Error, CallRequest<C>>, 'onSuccess' | 'onSettled'> & {
  /** True when the page shows this refusal itself (a field, a sentence in place); otherwise it becomes a toast. */
  handles?: (error: ApiError) => boolean
  /** True when the page says itself that the network was lost. */
  handlesNetworkError?: boolean
  /** Only the server says what is wrong: spec §5 has hints that the client does not enforce. */
  skipValidation?: boolean
  /** Out of the rule of single flight: every press sends, also beside one that is under way. */
  parallel?: boolean
  /** One intent over several tries, for example a dialog's: `useState(intent)[0]`. Otherwise each `mutate` is one. */
  key?: string
  onProgress?: (done: number) => void
  signal?: AbortSignal
}
/** With the one file of a form: a file is no field of a contract. */
export const withFile = <I extends object>(input: I, file: File): I => ({ ...input, file })

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Blob)

/** What is sent alike. A file is itself and no other, whatever it holds. */
function isDeepEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, at) => isDeepEqual(value, other[at]))
  if (!isRecord(one) || !isRecord(other)) return Object.is(one, other)
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => isDeepEqual(one[name], other[name]))
}

/**
 * Single flight (spec §4): while one press is under way, the same press again sends nothing and hears the first one's answer. Other input of the
 * same call waits its turn (the mutation's `scope`): two switches turned one after the other are both meant, in their order.
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
 * Doing something: `const withdraw = useCall(withdrawBatchPaySheet, { onSuccess: close })`, `withdraw.mutate({ batch_id })`. One at a time: a
 * press that repeats what is under way sends nothing.
 */
export function useCallMutation<C extends Call>(call: C, options: CallOptions<C> = {}) {
  const { handles, handlesNetworkError = false, skipValidation, parallel, key, onProgress, signal, ...rest } = options
  const mutation = useMutation<CallOutput<C>, Error, CallRequest<C>>({
    mutationFn: async (input) => {
      if (call.requestType === 'json' && !skipValidation) await validateInput(call, input)
      return sendRequest(call, input, { key, onProgress, signal } satisfies RequestOptions)
    },
    ...(parallel ? {} : { scope: { id: call.route } }),
    ...(handles || handlesNetworkError ? { meta: { ...(handles && { handles }), saysLost: handlesNetworkError } } : {}),
    ...rest,
  })
  const { mutateAsync: startMutation } = mutation
  const [singleFlight] = useState(() => new SingleFlight<CallRequest<C>, CallOutput<C>>())
  const mutateAsync = useCallback(
    (input: CallRequest<C>, mutateOptions?: CallMutateOptions<C>) =>
      parallel ? startMutation(input, mutateOptions) : singleFlight.run(input, () => startMutation(input, mutateOptions)),
    [singleFlight, startMutation, parallel],
  )
  // As the library's own `mutate`: whoever does not wait for the answer hears of a refusal by the cache.
  const mutate = useCallback(
    (input: CallRequest<C>, mutateOptions?: CallMutateOptions<C>) =>
      void mutateAsync(input, mutateOptions).catch(() => undefined),
    [mutateAsync],
  )
  return { ...mutation, mutate, mutateAsync }
}

/**
 * The shape of what a call takes. A built page does not carry it from the start (`build/contract.ts`). Null when it did not come: then
 * only the server says what is wrong, if it can be reached.
 */
async function loadInputSchema(schema: ZodMiniType | (() => Promise<ZodMiniType>)): Promise<ZodMiniType | null> {
  return typeof schema === 'function' ? schema().catch(() => null) : schema
}

/** Refuses what the contract refuses, before the server has to: the first wrong field, in the order of the contract's fields. */
export async function validateInput<C extends Call>(call: C, input: unknown): Promise<void> {
  const schema = await loadInputSchema(call.input)
  let error = schema?.safeParse(input).error
  const field = error?.issues[0]?.path[0]
  // An untouched field of a form is missing; the sentence for it is the one for empty text.
  const sent = isRecord(input) ? input : {}
  if (typeof field === 'string' && sent[field] === undefined) error = schema?.safeParse({ ...sent, [field]: '' }).error
  const issue = error?.issues[0]
  if (!issue) {
    if (field === undefined) return
    throw new ApiError(errorCodes.invalid.code, errorCodes.invalid.message, { field: String(field) })
  }
  // Sentences of our own are Chinese; the schema library's are not meant for users.
  const message = /[一-龥]/.test(issue.message) ? issue.message : errorCodes.invalid.message
  throw new ApiError(errorCodes.invalid.code, message, { field: issue.path.map(String).join('.') })
}

/** Downloads with a navigation: the bytes never pass through the page. */
export function downloadFile(call: Call, input: Record<string, string>) {
  const link = document.createElement('a')
  link.href = `${call.path}?${new URLSearchParams(input)}`
  link.download = ''
  document.body.append(link)
  link.click()
  link.remove()
}
