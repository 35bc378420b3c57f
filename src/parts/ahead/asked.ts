/**
 * What a page of /m asks first, asked while its scripts are still on their way: a script in the page itself begins it (`begin.ts`), and the
 * app takes the answer in place of asking (`taken`). Small: it stands in every page of /m.
 */
export type FirstCall = { readonly path: string; readonly body: string }
type BegunCall = FirstCall & { readonly token: string; readonly at: number; readonly answer: Promise<Response> }
declare global {
  interface Window {
    asked?: BegunCall[]
  }
}

/** The paths and the very bodies of the app's own calls; tests/client/ahead.test.ts holds them against the contract. */
export function callsOf(pathname: string, search: string): readonly FirstCall[] {
  const slip_id = /^\/m\/slip\/([\w-]+)\/?$/i.exec(pathname)?.[1]
  if (slip_id) return [{ path: '/Api/Mobile/getSlip', body: JSON.stringify({ slip_id }) }]
  if (!/^\/m\/slips\/?$/i.test(pathname) || search) return []
  return [
    { path: '/Api/Mobile/getSlipList', body: JSON.stringify({ page: 1, pagesize: 24 }) },
    { path: '/Api/Mobile/getMe', body: '{}' },
  ]
}

/** Longer ago it says nothing about now. */
const fresh_ms = 30_000

/** The answer that is on its way, once, for whoever asks the same with the same session. */
export function taken(address: string, body: unknown, token: string | null): Promise<Response> | null {
  const begun = window.asked ?? []
  const one = begun.find((some) => some.path === address && some.body === body && some.token === token)
  if (!one) return null
  window.asked = begun.filter((some) => some !== one)
  return performance.now() - one.at < fresh_ms ? one.answer : null
}
