import { type ComponentType, useEffect, useState } from 'react'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'

const networkLostError = new Error('网络错误，没有打开。这一页还在，网络恢复后再试。')
const retryDelayMs = 15_000

/**
 * A piece that comes when it is wanted. Without a network it says so in its place and tries again; an import that nobody catches would take
 * the whole page along. `isQuiet`: the page is whole without it, which waits and tries again by itself.
 */
export function lazyWithRetry<P extends object>(
  load: () => Promise<ComponentType<P>>,
  { quiet: isQuiet = false } = {},
): ComponentType<P> {
  let loaded: ComponentType<P> | null = null
  return function Later(props: P) {
    const [state, setState] = useState<'waits' | 'here' | 'lost'>(loaded ? 'here' : 'waits')
    const retry = () => setState('waits')
    // A file is fetched.
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
 * What a button opens, fetched as soon as the page is quiet (`prefetch`) or at the latest when it is pressed (`requestCount`: how often); every further
 * press tries again after `failed`.
 */
export function usePrefetchedModule<T>(
  load: () => Promise<T>,
  { requested: requestCount, isEarly: prefetch }: { requested: number; isEarly: boolean },
) {
  const [{ part: module, failed }, setState] = useState<{ part: T | null; failed: boolean }>({ part: null, failed: false })
  // A file is fetched; what did not come ahead is nobody's trouble yet.
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
