const loadTimeoutMs = 8_000

/**
 * Loads a vendor's script into the page. Returns false if it cannot be loaded, for example in old apps or in a network
 * that blocks its host. `sendOrigin`: scripts that the vendor generates per origin receive our origin, which our pages
 * otherwise do not send.
 */
export function loadScript(document: Document, source: string, { tells: sendOrigin = false } = {}): Promise<boolean> {
  return new Promise((resolve) => {
    const script = document.createElement('script')
    const timer = setTimeout(() => resolve(false), loadTimeoutMs)
    const settle = (loaded: boolean) => () => {
      clearTimeout(timer)
      resolve(loaded)
    }
    script.addEventListener('load', settle(true))
    script.addEventListener('error', settle(false))
    if (sendOrigin) script.referrerPolicy = 'origin'
    script.src = source
    document.head.append(script)
  })
}
