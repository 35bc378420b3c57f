/**
 * Errors of parts of the app that could not be loaded: the network is down, or a new version has replaced the file.
 * Vite reports them before it throws.
 */
import { toast } from '../overlay/toast.ts'

const loadErrorName = 'LoadError'

/**
 * Gives these errors a message for users. Without it, TanStack Router recognizes the browser's own message and reloads
 * the document, which leaves an offline user with the browser's error page.
 */
export function registerLoadErrors(): void {
  addEventListener('vite:preloadError', ({ payload }) => {
    payload.name = loadErrorName
    payload.message = '网络断开，没有打开。请检查网络后重试。'
  })
}

export const isLoadError = (error: unknown): boolean => error instanceof Error && error.name === loadErrorName

/** Loads parts of the app and returns whether all of them arrived; `load` itself need not report an error. */
export async function loadsCompletely(load: () => unknown): Promise<boolean> {
  let complete = true
  const noteFailure = () => {
    complete = false
  }
  addEventListener('vite:preloadError', noteFailure)
  try {
    await load()
  } finally {
    removeEventListener('vite:preloadError', noteFailure)
  }
  return complete
}

/** Returns whether the server answers. A proxy answers 5xx while the server behind it is away. */
export const isReachable = (): Promise<boolean> =>
  fetch(location.href, { method: 'HEAD', cache: 'no-store', headers: { accept: 'text/html' } }).then(
    ({ status }) => status < 500,
    () => false,
  )

/** Returns whether the server answers, and tells the user if it does not. */
export async function isReachableOrExplain(): Promise<boolean> {
  const reachable = await isReachable()
  if (!reachable) toast.error('网络还没有恢复，请稍后再试。')
  return reachable
}

/**
 * Reloads the document once the server answers, because some browsers remember for the life of a document that a file
 * failed.
 */
export async function reloadOrExplain(): Promise<void> {
  if (await isReachableOrExplain()) location.reload()
}
