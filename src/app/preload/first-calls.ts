/**
 * The first calls of a /m page, sent while its scripts are still loading: an inline script in the page starts them
 * (`start-prefetch.ts`), and the app uses the responses instead of sending the calls again (`takePrefetched`). Small,
 * because it is inlined into every /m page.
 */
export type FirstCall = { readonly path: string; readonly body: string }
type PrefetchedCall = FirstCall & { readonly token: string; readonly startedAt: number; readonly response: Promise<Response> }
declare global {
  interface Window {
    asked?: PrefetchedCall[]
  }
}

/** Returns the paths and exact bodies of the app's own calls; tests/client/ahead.test.ts checks them against the contract. */
export function getFirstCalls(pathname: string, search: string): readonly FirstCall[] {
  const slip_id = /^\/m\/slip\/([\w-]+)\/?$/i.exec(pathname)?.[1]
  if (slip_id) return [{ path: '/Api/Mobile/getSlip', body: JSON.stringify({ slip_id }) }]
  if (!/^\/m\/slips\/?$/i.test(pathname) || search) return []
  return [
    { path: '/Api/Mobile/getSlipList', body: JSON.stringify({ page: 1, pagesize: 24 }) },
    { path: '/Api/Mobile/getMe', body: '{}' },
  ]
}

/** Older responses may be outdated. */
const maxAgeMs = 30_000

/** Returns the prefetched response once, for the same call in the same session; null if there is none. */
export function takePrefetched(address: string, body: unknown, token: string | null): Promise<Response> | null {
  const calls = window.asked ?? []
  const match = calls.find((call) => call.path === address && call.body === body && call.token === token)
  if (!match) return null
  window.asked = calls.filter((call) => call !== match)
  return performance.now() - match.startedAt < maxAgeMs ? match.response : null
}
