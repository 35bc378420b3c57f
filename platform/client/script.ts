const loadTimeoutMs = 8_000

/**
 * Loads a vendor's script into the page. False when it does not come: old programs, a network that is closed to its host. `sendOrigin`: a script that is made for
 * whoever asks is told our origin, which our pages otherwise tell nobody.
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
