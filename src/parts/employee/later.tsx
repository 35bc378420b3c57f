import { type ComponentType, useEffect, useState } from 'react'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'

const lost = new Error('网络错误，没有打开。这一页还在，网络恢复后再试。')
const again_ms = 15_000

/**
 * A piece that comes when it is wanted. Without a network it says so in its place and tries again; an import that nobody catches would take
 * the whole page along. `quiet`: the page is whole without it, which waits and tries again by itself.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>, { quiet = false } = {}): ComponentType<P> {
  let here: ComponentType<P> | null = null
  return function Later(props: P) {
    const [state, setState] = useState<'waits' | 'here' | 'lost'>(here ? 'here' : 'waits')
    const again = () => setState('waits')
    // A file is fetched.
    useEffect(() => {
      if (state === 'waits')
        void load()
          .then((found) => {
            here = found
            return 'here' as const
          })
          .catch(() => 'lost' as const)
          .then(setState)
      if (state !== 'lost' || !quiet) return
      const timer = setTimeout(again, again_ms)
      return () => clearTimeout(timer)
    }, [state])
    const Part = here
    if (state === 'here' && Part) return <Part {...props} />
    if (quiet) return null
    return state === 'lost' ? <ErrorState error={lost} retry={again} /> : <Skeleton />
  }
}

/**
 * What a button opens, fetched as soon as the page is quiet (`ahead`) or at the latest when it is pressed (`wanted`: how often); every further
 * press tries again after `failed`.
 */
export function useFetched<T>(load: () => Promise<T>, { wanted, ahead }: { wanted: number; ahead: boolean }) {
  const [{ part, failed }, setState] = useState<{ part: T | null; failed: boolean }>({ part: null, failed: false })
  // A file is fetched; what did not come ahead is nobody's trouble yet.
  useEffect(() => {
    if (part !== null || (wanted === 0 && !ahead)) return
    const fetchIt = () =>
      void load().then(
        (found) => setState({ part: found, failed: false }),
        () => setState({ part: null, failed: true }),
      )
    if (wanted > 0) return fetchIt()
    const timer = setTimeout(fetchIt, 300)
    return () => clearTimeout(timer)
  }, [part, load, wanted, ahead])
  return { part, failed: failed && wanted > 0 }
}
