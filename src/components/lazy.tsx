/** Components whose code loads when they are first rendered. A part that cannot be loaded never affects the rest. */
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { ErrorBoundary } from 'react-error-boundary'
import { CaughtError, useForgetData } from './state/caught-error.tsx'
import { isLoadError, isReachableOrExplain } from './state/load-error.ts'
import { Skeleton } from './state/skeleton.tsx'
import './ui.css'

type FailedProps = {
  error: unknown
  /** The user asks for it: reloads the document if the part fails again although the server answers. */
  retry: () => void
  /** Tries again without a word. */
  retryQuietly: () => void
  isOpen: boolean
  onClose: (() => void) | undefined
}
type LazyOptions = {
  /** Shown while the code loads. */
  pending?: ReactNode
  /** Shown when loading or rendering failed. */
  Failed?: ComponentType<FailedProps>
}
type Load<P extends object> = () => Promise<ComponentType<P>>

/** The properties that all dialogs have in common. */
const getDialogProps = (props: { open?: boolean; onClose?: () => void }) => ({
  isOpen: props.open ?? true,
  onClose: props.onClose,
})

/** Shows a skeleton while its code loads, and in case of an error a message with a retry button in its place. */
export function lazyComponent<P extends object>(
  load: Load<P>,
  { pending = <Skeleton />, Failed = CaughtError }: LazyOptions = {},
): ComponentType<P> {
  // Some browsers remember for the life of a document that a file failed.
  let isRetried = false
  const createLazy = () =>
    lazy(async () => {
      const Part = await load()
      isRetried = false
      return { default: Part }
    })
  // React remembers a failed attempt for as long as the lazy component lives.
  let latest = createLazy()
  return function LazyComponent(props: P) {
    const forgetData = useForgetData()
    const [Loaded, setLoaded] = useState(() => latest)
    const retryQuietly = () => {
      forgetData()
      latest = createLazy()
      setLoaded(() => latest)
    }
    const retry = async (error: unknown) => {
      if (isLoadError(error)) {
        if (!(await isReachableOrExplain())) return
        if (isRetried) return location.reload()
        isRetried = true
      }
      retryQuietly()
    }
    return (
      <ErrorBoundary
        resetKeys={[Loaded]}
        // oxlint-disable-next-line react/no-unstable-nested-components -- a function that renders, not a component
        fallbackRender={({ error }) => (
          <Failed error={error} retry={() => void retry(error)} retryQuietly={retryQuietly} {...getDialogProps(props)} />
        )}
      >
        <Suspense fallback={pending}>
          <Loaded {...props} />
        </Suspense>
      </ErrorBoundary>
    )
  }
}

/** A dialog or drawer: nothing is shown while its code loads; an error is shown above the page, which stays usable. */
export const lazyDialog = <P extends object>(load: Load<P>): ComponentType<P> =>
  lazyComponent(load, { pending: null, Failed: DialogError })

/**
 * Stands at the foot of the screen, near the finger. The next press elsewhere removes it, so that pressing the same
 * button again opens the dialog once the network is back.
 */
function DialogError({ error, retry, retryQuietly, isOpen, onClose }: FailedProps) {
  const [isClosed, setClosed] = useState(false)
  const messageRef = useRef<HTMLDivElement>(null)
  const leave = useEffectEvent((event: Event) => {
    if (!onClose || messageRef.current?.contains(event.target as Node)) return
    retryQuietly()
    onClose()
  })
  const isVisible = isOpen && !isClosed
  // The press is seen before the button's own handler opens the dialog again.
  useEffect(() => {
    if (!isVisible) return
    document.addEventListener('click', leave, true)
    return () => document.removeEventListener('click', leave, true)
  }, [isVisible])
  if (!isVisible) return null
  return (
    <div ref={messageRef} className="ui-layer-error">
      <CaughtError error={error} retry={retry} />
      <button type="button" className="ui-link" onClick={onClose ?? (() => setClosed(true))}>
        关闭
      </button>
    </div>
  )
}

/** Something that a page is complete without: it shows nothing until it is loaded and retries by itself. */
export const lazyExtra = <P extends object>(load: Load<P>): ComponentType<P> =>
  lazyComponent(load, { pending: null, Failed: RetryLater })

const retryDelayMs = 15_000
function RetryLater({ retryQuietly }: FailedProps) {
  const retryNow = useEffectEvent(retryQuietly)
  useEffect(() => {
    const timer = setTimeout(retryNow, retryDelayMs)
    return () => clearTimeout(timer)
  }, [])
  return null
}
