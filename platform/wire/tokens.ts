/**
 * Caches tokens and tickets of applications until shortly before they expire. However many requests run on however many
 * nodes, the platform is asked once.
 */
import { createHash } from 'node:crypto'
import { type CachedToken, type ChatApp, PlatformError, type Provider, type Suite, type TokenStore } from '../types.ts'

export type IssuedToken = { readonly token: string; readonly expiresInSeconds: number }

const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url')
/** A token belongs to the credentials it was issued for: a new secret needs a new token. */
export const getTokenKey = (app: ChatApp, kind: string): string =>
  [app.provider, app.corp_id, app.app_id, app.agent_id, hashSecret(`${app.secret} ${app.suite?.secret ?? ''}`), kind].join('|')
export const getSuiteTokenKey = (provider: Provider, suite: Suite): string =>
  [provider, 'suite', suite.id, hashSecret(suite.secret)].join('|')
/** Returns the cache key of a vendor token, which is valid for all of the vendor's store applications. */
export const getDeveloperTokenKey = (provider: Provider, { corp_id, secret }: NonNullable<Suite['developer']>): string =>
  [provider, 'maker', corp_id, hashSecret(secret)].join('|')

const createMemoryStore = (): TokenStore => {
  const tokens = new Map<string, CachedToken>()
  return {
    read: async (key) => tokens.get(key) ?? null,
    write: async (key, token) => void tokens.set(key, token),
    forget: async (key, token) => {
      if (tokens.get(key)?.token === token) tokens.delete(key)
    },
    withLock: async (_key, work) => work(),
  }
}

/** If no token could be obtained, the actual call was never sent. */
function rethrowAsUnreachable(error: unknown): never {
  if (error instanceof PlatformError && /^(network|timeout|5\d\d)$/.test(error.code))
    throw new PlatformError(error.provider, 'temporary', 'unreachable', error.message)
  throw error
}

export class TokenCache {
  readonly #cached = new Map<string, CachedToken>()
  readonly #pending = new Map<string, Promise<string>>()
  readonly #now: () => number
  readonly #store: TokenStore
  constructor(now: () => number = Date.now, store: TokenStore = createMemoryStore()) {
    this.#now = now
    this.#store = store
  }

  /** `dead`: a token that the platform no longer accepts, which may still be cached or stored. */
  async get(key: string, fetchNew: () => Promise<IssuedToken>, dead: string | null = null): Promise<string> {
    const near = this.#cached.get(key)
    if (near && near.token !== dead && near.until_ms > this.#now()) return near.token
    const requested = this.#pending.get(key)
    if (requested) return requested
    const asking = this.#store.withLock(key, () => this.#getShared(key, fetchNew, dead)).finally(() => this.#pending.delete(key))
    this.#pending.set(key, asking)
    return asking
  }
  async #getShared(key: string, fetchNew: () => Promise<IssuedToken>, dead: string | null): Promise<string> {
    const shared = await this.#store.read(key)
    if (shared && shared.token !== dead && shared.until_ms > this.#now()) {
      this.#cached.set(key, shared)
      return shared.token
    }
    const { token, expiresInSeconds } = await fetchNew().catch(rethrowAsUnreachable)
    // Expires five minutes early, or a tenth of a short lifetime, because the platforms' clocks may differ from ours.
    const early_s = Math.min(300, expiresInSeconds / 10)
    const stored = { token, until_ms: this.#now() + (expiresInSeconds - early_s) * 1000 }
    await this.#store.write(key, stored)
    this.#cached.set(key, stored)
    return token
  }

  /** Runs work with a token; if the platform rejects the token, repeats it once with a new one. */
  async withToken<T>(key: string, fetchNew: () => Promise<IssuedToken>, work: (token: string) => Promise<T>): Promise<T> {
    const token = await this.get(key, fetchNew)
    try {
      return await work(token)
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'token_invalid') throw error
      // Another caller may have fetched a new token meanwhile, so only the rejected one is deleted.
      if (this.#cached.get(key)?.token === token) this.#cached.delete(key)
      await this.#store.forget(key, token)
      return work(await this.get(key, fetchNew, token))
    }
  }
}
