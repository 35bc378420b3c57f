/** Tokens and tickets of applications, kept until shortly before they end. However many ask at once, the platform is asked once. */
import { createHash } from 'node:crypto'
import { type App, PlatformError } from '../types.ts'

export type Fresh = { readonly token: string; readonly expires_s: number }

/** A token belongs to the credentials it was given for: with a new secret it is another one. */
const keyOf = (app: App, kind: string): string => {
  const secret = createHash('sha256').update(app.secret).digest('base64url')
  return [app.provider, app.corp_id, app.app_id, secret, kind].join('|')
}

export class Tokens {
  readonly #kept = new Map<string, { token: string; until_ms: number }>()
  readonly #asked = new Map<string, Promise<string>>()
  readonly #now: () => number
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  async get(app: App, kind: string, fetchNew: () => Promise<Fresh>): Promise<string> {
    const key = keyOf(app, kind)
    const kept = this.#kept.get(key)
    if (kept && kept.until_ms > this.#now()) return kept.token
    const asked = this.#asked.get(key)
    if (asked) return asked
    const asking = fetchNew()
      .then(({ token, expires_s }) => {
        // Five minutes early, or a tenth of a short life: the platforms' clocks are not ours.
        const early_s = Math.min(300, expires_s / 10)
        this.#kept.set(key, { token, until_ms: this.#now() + (expires_s - early_s) * 1000 })
        return token
      })
      .finally(() => this.#asked.delete(key))
    this.#asked.set(key, asking)
    return asking
  }

  /** Works with a token; when the platform says that it is none any more, once again with a new one. */
  async with<T>(app: App, kind: string, fetchNew: () => Promise<Fresh>, work: (token: string) => Promise<T>): Promise<T> {
    const token = await this.get(app, kind, fetchNew)
    try {
      return await work(token)
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'token_invalid') throw error
      const key = keyOf(app, kind)
      // Somebody else may have fetched a new one meanwhile: only the dead one is thrown away.
      if (this.#kept.get(key)?.token === token) this.#kept.delete(key)
      return work(await this.get(app, kind, fetchNew))
    }
  }
}
