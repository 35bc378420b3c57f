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
import type { AskOf, Call, OutputOf } from '../server/contract/call.ts'
import { refusals } from '../server/contract/refusals.ts'
import { ApiError, type AskOptions, intent, NetworkError, send, session } from './api-core.ts'
import { farewell } from './browser.ts'
import { toast } from './ui/over/toast.ts'

export { ApiError, intent, NetworkError }

/** The sign-in page of this half of the product. `page` brings one back after signing in. */
export function signInPage(): string {
  const { pathname, search } = location
  const asked = /^\/landing\/?$/i.test(pathname) ? (new URLSearchParams(search).get('page') ?? '') : pathname + search
  const page = asked === '/' || asked === '' ? '' : `?page=${encodeURIComponent(asked)}`
  return (/^\/m(\/|$)/i.test(pathname) ? '/m/login' : '/pc/page/login/login.html') + page
}

let leaving = false
/** The way out of an area with sessions of its own; null: that of companies. */
let exit: (() => void) | null = null
export const leaveBy = (way: () => void): void => {
  exit = way
}
/** Out of the app: this session is over, or was never there. A navigation of the whole window, so that nothing is left behind. */
export function toSignIn({ back = true }: { back?: boolean } = {}) {
  // What is still being asked will be refused now; nobody needs to hear of it.
  leaving = true
  if (exit) return exit()
  session.forget()
  location.replace(back ? signInPage() : (signInPage().split('?')[0] ?? '/'))
}
/** The same once, with time to read why. */
function leave() {
  leaving = true
  setTimeout(() => toSignIn(), 1500)
}
/** The session is over and the page says so itself: what is refused from now on needs no sentence of its own. */
export const endHere = () => {
  leaving = true
}

/** Spec §8. `handled` means that the page shows the refusal itself; endings of the session are nobody's own business. */
function settle(error: unknown, handled: boolean) {
  if (error instanceof ApiError && error.is('signed_out')) {
    if (leaving) return
    toast.fail(error.message)
    farewell.keep(error.message)
    leave()
  } else if (error instanceof ApiError && error.is('transferred')) {
    if (leaving) return
    toast.done('移交成功')
    leave()
  } else if (handled) return
  else if (error instanceof NetworkError) toast.fail(error.message, '网络异常')
  else if (error instanceof ApiError) toast.fail(error.message, '失败')
  else if (!(error instanceof DOMException && error.name === 'AbortError')) toast.fail('页面出了问题，请刷新后重试', '失败')
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
function unlessOver(error: unknown): Promise<never> {
  if (!(error instanceof ApiError && (error.is('signed_out') || error.is('transferred')))) throw error
  settle(error, true)
  return new Promise(() => undefined)
}

export const cache = new QueryClient({
  // A page without data shows the error in its place, with a retry; a refresh that fails in the background says so in a toast.
  queryCache: new QueryCache({
    onError: (error, asked) => settle(error, asked.state.data === undefined || asked.meta?.quiet === true),
  }),
  mutationCache: new MutationCache({
    onError: (error, _input, _result, mutation) =>
      settle(
        error,
        error instanceof ApiError
          ? mutation.meta?.handles?.(error) === true
          : error instanceof NetworkError && mutation.meta?.saysLost === true,
      ),
    onSuccess: () => void askAnew(),
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
export function askAnew(which: (asked: Query) => boolean = () => true): Promise<void> {
  const isFirst = (asked: Query) => asked.state.data === undefined && which(asked)
  for (const asked of cache.getQueryCache().findAll({ fetchStatus: 'fetching', predicate: isFirst })) {
    void asked.cancel({ silent: true })
    void asked.fetch().catch(() => undefined)
  }
  return cache.invalidateQueries({ predicate: which })
}

/** A question whose answer is kept: `useQuery(query(getMemberList, { page: 1 }))`. */
export const query = <C extends Call>(call: C, input: AskOf<C>) =>
  queryOptions<OutputOf<C>, DefaultError, OutputOf<C>, readonly [string, AskOf<C>]>({
    queryKey: [call.name + call.at, input],
    queryFn: ({ signal }) => send(call, input, { signal }).catch(unlessOver),
  })

/** Asks now and keeps nothing; errors go to the caller. */
export const ask = send

type CallOptions<C extends Call> = Pick<UseMutationOptions<OutputOf<C>, Error, AskOf<C>>, 'onSuccess' | 'onSettled'> & {
  /** True when the page shows this refusal itself (a field, a sentence in place); otherwise it becomes a toast. */
  handles?: (error: ApiError) => boolean
  /** True when the page says itself that the network was lost. */
  saysLost?: boolean
  /** Only the server says what is wrong: spec §5 has hints that the client does not enforce. */
  unchecked?: boolean
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
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, at) => isSame(value, other[at]))
  if (!isRecord(one) || !isRecord(other)) return Object.is(one, other)
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every((name) => isSame(one[name], other[name]))
}

/**
 * Single flight (spec §4): while one press is under way, the same press again sends nothing and hears the first one's answer. Other input of the
 * same call waits its turn (the mutation's `scope`): two switches turned one after the other are both meant, in their order.
 */
class Flights<I, O> {
  readonly #underWay = new Set<{ readonly input: I; readonly answer: Promise<O> }>()
  once(input: I, start: () => Promise<O>): Promise<O> {
    for (const flight of this.#underWay) if (isSame(flight.input, input)) return flight.answer
    const flight = { input, answer: start() }
    this.#underWay.add(flight)
    const land = () => void this.#underWay.delete(flight)
    flight.answer.then(land, land)
    return flight.answer
  }
}

type More<C extends Call> = MutateOptions<OutputOf<C>, Error, AskOf<C>>
/**
 * Doing something: `const withdraw = useCall(withdrawBatchPaySheet, { onSuccess: close })`, `withdraw.mutate({ batch_id })`. One at a time: a
 * press that repeats what is under way sends nothing.
 */
export function useCall<C extends Call>(call: C, options: CallOptions<C> = {}) {
  const { handles, saysLost = false, unchecked, parallel, key, onProgress, signal, ...rest } = options
  const made = useMutation<OutputOf<C>, Error, AskOf<C>>({
    mutationFn: async (input) => {
      if (call.takes === 'json' && !unchecked) await check(call, input)
      return send(call, input, { key, onProgress, signal } satisfies AskOptions)
    },
    ...(parallel ? {} : { scope: { id: call.at } }),
    ...(handles || saysLost ? { meta: { ...(handles && { handles }), saysLost } } : {}),
    ...rest,
  })
  const { mutateAsync: begin } = made
  const [flights] = useState(() => new Flights<AskOf<C>, OutputOf<C>>())
  const mutateAsync = useCallback(
    (input: AskOf<C>, more?: More<C>) => (parallel ? begin(input, more) : flights.once(input, () => begin(input, more))),
    [flights, begin, parallel],
  )
  // As the library's own `mutate`: whoever does not wait for the answer hears of a refusal by the cache.
  const mutate = useCallback(
    (input: AskOf<C>, more?: More<C>) => void mutateAsync(input, more).catch(() => undefined),
    [mutateAsync],
  )
  return { ...made, mutate, mutateAsync }
}

/**
 * The shape of what a call takes. A built page does not carry it from the start (`build/contract.ts`). Null when it did not come: then
 * only the server says what is wrong, if it can be reached.
 */
async function shapeOf(shape: ZodMiniType | (() => Promise<ZodMiniType>)): Promise<ZodMiniType | null> {
  return typeof shape === 'function' ? shape().catch(() => null) : shape
}

/** Refuses what the contract refuses, before the server has to: the first wrong field, in the order of the contract's fields. */
export async function check<C extends Call>(call: C, input: unknown): Promise<void> {
  const shape = await shapeOf(call.input)
  let error = shape?.safeParse(input).error
  const field = error?.issues[0]?.path[0]
  // An untouched field of a form is missing; the sentence for it is the one for empty text.
  const sent = isRecord(input) ? input : {}
  if (typeof field === 'string' && sent[field] === undefined) error = shape?.safeParse({ ...sent, [field]: '' }).error
  const issue = error?.issues[0]
  if (!issue) {
    if (field === undefined) return
    throw new ApiError(refusals.invalid.code, refusals.invalid.message, { field: String(field) })
  }
  // Sentences of our own are Chinese; the schema library's are not meant for users.
  const said = /[一-龥]/.test(issue.message) ? issue.message : refusals.invalid.message
  throw new ApiError(refusals.invalid.code, said, { field: issue.path.map(String).join('.') })
}

/** Downloads with a navigation: the bytes never pass through the page. */
export function downloadFrom(call: Call, input: Record<string, string>) {
  const link = document.createElement('a')
  link.href = `${call.path}?${new URLSearchParams(input)}`
  link.download = ''
  document.body.append(link)
  link.click()
  link.remove()
}
