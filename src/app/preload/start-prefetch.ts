/** Inlined into the /m pages and run before any other script; the content security policy allows it by its hash. */
import { getFirstCalls } from './first-calls.ts'
import { parsePayslipPreview, renderPreview } from './payslip-preview.ts'

/**
 * A page cached before the last release refers to files that no longer exist: it is reloaded once. Later failures,
 * without a network for example, do not reload: an open payslip stays.
 */
addEventListener(
  'error',
  ({ target }) => {
    const entry = performance.getEntriesByType('navigation')[0]
    const isFile = target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && target.rel === 'modulepreload')
    if (
      isFile &&
      document.readyState !== 'complete' &&
      !(entry instanceof PerformanceNavigationTiming && entry.type === 'reload')
    )
      location.reload()
  },
  true,
)

function startPrefetch(): void {
  const { pathname, search } = location
  const calls = getFirstCalls(pathname, search)
  const token = localStorage.getItem('user-token')
  if (calls.length === 0) return
  // The redirect is the same as in the app.
  if (!token) return location.replace(`/m/login?page=${encodeURIComponent(pathname + search)}`)
  const xsrf = /(?:^|; )XSRF-TOKEN=([^;]*)/.exec(document.cookie)?.[1]
  const headers = {
    'content-type': 'application/json',
    'user-token': token,
    ...(xsrf ? { 'X-XSRF-TOKEN': decodeURIComponent(xsrf) } : {}),
  }
  window.asked = calls.map(({ path, body }) => {
    const response = fetch(path, { method: 'POST', credentials: 'include', headers, body })
    // Errors are reported where the response is used.
    response.catch(() => undefined)
    return { path, body, token, startedAt: performance.now(), response }
  })
  if (calls.length > 1) return
  // A clone, because the app reads the response itself.
  const showPreview = async (): Promise<void> => {
    const preview = parsePayslipPreview(await (await window.asked?.[0]?.response)?.clone().json())
    if (preview && renderPreview(preview)) window.sight = preview
  }
  // The app reports any error.
  showPreview().catch(() => undefined)
}
try {
  startPrefetch()
} catch {
  // Storage may be forbidden: the app reports that.
}
