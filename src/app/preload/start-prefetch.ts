/** Inlined into the /m pages and run before any other script; the content security policy allows it by its hash. */
import { getFirstCalls } from './first-calls.ts'
import { parsePayslipPreview, renderPreview } from './payslip-preview.ts'

declare global {
  interface Window {
    /** Called by the page with the addresses of its scripts in the order of their imports (`build/mobile-pages.ts`). */
    startInSteps?: (files: readonly string[]) => Promise<void>
  }
}

/**
 * A page cached before the last release refers to files that no longer exist: it is reloaded once. Later failures,
 * without a network for example, do not reload: an open payslip stays.
 */
let isReloaded = (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming | undefined)?.type === 'reload'
function reloadOnce(): void {
  if (!isReloaded) location.reload()
  isReloaded = true
}
addEventListener(
  'error',
  ({ target }) => {
    const isFile = target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && target.rel === 'modulepreload')
    if (isFile && document.readyState !== 'complete') reloadOnce()
  },
  true,
)

/** Resolves once the preview is on the screen or there is nothing to show. Undefined until the response arrives. */
let previewPainted: Promise<unknown> | undefined
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
/** A page in the background paints no frames. */
const waitForPaint = (): Promise<void> =>
  Promise.race([new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve))), wait(200)])
const maxPreviewMs = 1_000

const canPreload = (): boolean => document.createElement('link').relList.supports('modulepreload')
const importFile = (file: string): Promise<unknown> => import(/* @vite-ignore */ file)
function preloadFile(href: string): void {
  document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', crossOrigin: '', href }))
}
const waitForDocument = (): Promise<void> =>
  new Promise((resolve) => addEventListener('DOMContentLoaded', () => resolve(), { once: true }))

/**
 * Loads the scripts of the app all at once, but after the first call: a browser that finds them in the page itself
 * requests them first, and the call waits for one of its six connections. It then runs them one after the other. On a
 * slow phone they take as long as the response when a page is opened again: run as one task, they would keep the
 * browser from showing the net pay.
 */
window.startInSteps = async (files) => {
  try {
    const isPreloading = canPreload()
    if (isPreloading) files.forEach(preloadFile)
    await waitForDocument()
    if (!isPreloading) await Promise.all(files.map(importFile))
    for (const file of files) {
      await wait(0)
      await previewPainted
      await importFile(file)
    }
  } catch {
    reloadOnce()
  }
}

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
  const showPreview = async (response: Response): Promise<void> => {
    // A clone, because the app reads the response itself.
    const preview = parsePayslipPreview(await response.clone().json())
    if (!preview || !renderPreview(preview)) return
    window.sight = preview
    await waitForPaint()
  }
  const handleResponse = (response: Response): void => {
    // The app reports any error.
    previewPainted = Promise.race([showPreview(response).catch(() => undefined), wait(maxPreviewMs)])
  }
  window.asked[0]?.response.then(handleResponse, () => undefined)
}
try {
  startPrefetch()
} catch {
  // Storage may be forbidden: the app reports that.
}
