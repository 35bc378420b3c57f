/**
 * What a page of /m asks first, asked while its scripts are still on their way: a script in the page itself begins it (`begin.ts`), and the
 * app takes the answer in place of asking (`takePrefetched`). Small: it stands in every page of /m.
 */
export type FirstCall = { readonly path: string; readonly body: string }
type PrefetchedCall = FirstCall & { readonly token: string; readonly startedAt: number; readonly response: Promise<Response> }
declare global {
  interface Window {
    asked?: PrefetchedCall[]
  }
}

/** The paths and the very bodies of the app's own calls; tests/client/ahead.test.ts holds them against the contract. */
export function getFirstCalls(pathname: string, search: string): readonly FirstCall[] {
  const slip_id = /^\/m\/slip\/([\w-]+)\/?$/i.exec(pathname)?.[1]
  if (slip_id) return [{ path: '/Api/Mobile/getSlip', body: JSON.stringify({ slip_id }) }]
  if (!/^\/m\/slips\/?$/i.test(pathname) || search) return []
  return [
    { path: '/Api/Mobile/getSlipList', body: JSON.stringify({ page: 1, pagesize: 24 }) },
    { path: '/Api/Mobile/getMe', body: '{}' },
  ]
}

/** Longer ago it says nothing about now. */
const maxAgeMs = 30_000

/** The answer that is on its way, once, for whoever asks the same with the same session. */
export function takePrefetched(address: string, body: unknown, token: string | null): Promise<Response> | null {
  const calls = window.asked ?? []
  const match = calls.find((call) => call.path === address && call.body === body && call.token === token)
  if (!match) return null
  window.asked = calls.filter((call) => call !== match)
  return performance.now() - match.startedAt < maxAgeMs ? match.response : null
}
