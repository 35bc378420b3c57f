import { type ComponentType, useEffect, useState } from 'react'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'

const networkLostError = new Error('网络错误，没有打开。这一页还在，网络恢复后再试。')
const retryDelayMs = 15_000

/**
 * Loads a component lazily. If the network fails, it shows an error in its place with a retry button; an uncaught
 * import error would break the whole page. `isQuiet`: the page is complete without the component, which waits and
 * retries by itself.
 */
export function lazyWithRetry<P extends object>(
  load: () => Promise<ComponentType<P>>,
  { quiet: isQuiet = false } = {},
): ComponentType<P> {
  let loaded: ComponentType<P> | null = null
  return function Later(props: P) {
    const [state, setState] = useState<'waits' | 'here' | 'lost'>(loaded ? 'here' : 'waits')
    const retry = () => setState('waits')
    // Loads a file.
    useEffect(() => {
      if (state === 'waits')
        void load()
          .then((component) => {
            loaded = component
            return 'here' as const
          })
          .catch(() => 'lost' as const)
          .then(setState)
      if (state !== 'lost' || !isQuiet) return
      const timer = setTimeout(retry, retryDelayMs)
      return () => clearTimeout(timer)
    }, [state])
    const Loaded = loaded
    if (state === 'here' && Loaded) return <Loaded {...props} />
    if (isQuiet) return null
    return state === 'lost' ? <ErrorState error={networkLostError} retry={retry} /> : <Skeleton />
  }
}

/**
 * Loads the module behind a button as soon as the page is idle (`prefetch`), or at the latest when the button is
 * pressed (`requestCount` counts the presses); after `failed`, every further press retries.
 */
export function usePrefetchedModule<T>(
  load: () => Promise<T>,
  { requested: requestCount, isEarly: prefetch }: { requested: number; isEarly: boolean },
) {
  const [{ part: module, failed }, setState] = useState<{ part: T | null; failed: boolean }>({ part: null, failed: false })
  // Loads a file; a failed prefetch is not reported.
  useEffect(() => {
    if (module !== null || (requestCount === 0 && !prefetch)) return
    const fetchModule = () =>
      void load().then(
        (loaded) => setState({ part: loaded, failed: false }),
        () => setState({ part: null, failed: true }),
      )
    if (requestCount > 0) return fetchModule()
    const timer = setTimeout(fetchModule, 300)
    return () => clearTimeout(timer)
  }, [module, load, requestCount, prefetch])
  return { part: module, failed: failed && requestCount > 0 }
}
