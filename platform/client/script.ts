const patience_ms = 8_000

/**
 * Loads a vendor's script into the page. False when it does not come: old programs, a network that is closed to its host. `tells`: a script that is made for
 * whoever asks is told our origin, which our pages otherwise tell nobody.
 */
export function loadScript(document: Document, source: string, { tells = false } = {}): Promise<boolean> {
  return new Promise((done) => {
    const script = document.createElement('script')
    const late = setTimeout(() => done(false), patience_ms)
    const finish = (came: boolean) => () => {
      clearTimeout(late)
      done(came)
    }
    script.addEventListener('load', finish(true))
    script.addEventListener('error', finish(false))
    if (tells) script.referrerPolicy = 'origin'
    script.src = source
    document.head.append(script)
  })
}
