/** Keeps the page that is open while the next one cannot be loaded, and opens the next one once the network is back. */
import type { AnyRouter } from '@tanstack/react-router'
import { setNotice } from '../components/overlay/notice.ts'
import { isLoadError, isReachable, loadsCompletely, reloadOrExplain } from '../components/state/load-error.ts'

type PageOptions = { component?: { preload?: () => Promise<void> }; loader?: (context: unknown) => unknown }
const retryDelayMs = 3_000

/** Waits until the browser reports a network, which some chat clients never do, or until the delay is over. */
const waitForChance = () =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, retryDelayMs)
    addEventListener('online', () => resolve(), { once: true })
  })

/** Loads the code of pages that the user is likely to open next. Without a network they load when they are opened. */
export type PreloadPages = (ids: readonly string[]) => Promise<void>

/**
 * A page's own loader reports an error by showing it in place of the page. Here the navigation waits instead: the
 * router shows the page before it, and the user can go back to it. Returns the loaders for idle time.
 */
export function keepPageWhileUnreachable(router: AnyRouter): PreloadPages {
  let waiting: AbortController | null = null
  const stopWaiting = () => {
    if (!waiting) return
    waiting.abort()
    waiting = null
    setNotice(null)
  }
  async function openWhenReachable(): Promise<void> {
    if (waiting) return
    waiting = new AbortController()
    const { signal } = waiting
    while (!signal.aborted) {
      // A new version of the app has no files of the old one; then the server answers at once.
      const reachable = await isReachable()
      if (signal.aborted) return
      if (reachable) return location.reload()
      setNotice({ text: '网络已断开，正在重连…', retry: () => void reloadOrExplain() })
      await waitForChance()
    }
  }
  router.subscribe('onResolved', stopWaiting)

  /** Leaves the navigation waiting, unless there is no page before it that could stay. */
  async function waitForNetwork(): Promise<void> {
    if (!router.state.resolvedLocation) return
    void openWhenReachable()
    await new Promise(() => undefined)
  }

  const loaders = new Map<string, () => Promise<void>>()
  for (const [id, { options }] of Object.entries(router.routesById as Record<string, { options: PageOptions }>)) {
    const { component, loader } = options
    const load = component?.preload
    if (!component || !load) continue
    loaders.set(id, load)
    component.preload = async () => {
      if (!(await loadsCompletely(load))) await waitForNetwork()
    }
    // A page's loader is in the same file as the page.
    if (loader)
      options.loader = async (context) => {
        try {
          return await loader(context)
        } catch (error) {
          if (isLoadError(error)) await waitForNetwork()
          throw error
        }
      }
  }
  return async (ids) => {
    for (const id of ids) await loaders.get(id)?.()
  }
}
