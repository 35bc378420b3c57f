/**
 * Errors of parts of the app that could not be loaded: the network is down, or a new version has replaced the file.
 * Vite reports them before it throws.
 */
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

/**
 * Reloads the document once the server answers, because some browsers remember for the life of a document that a file
 * failed. Returns false if the server does not answer.
 */
export async function reloadIfReachable(): Promise<boolean> {
  const isReachable = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
  if (isReachable) location.reload()
  return isReachable
}
