/** What the simulated platforms know: applications, people, codes, tokens; and what they were told to do wrong. */
import { randomBytes } from 'node:crypto'
import type { App, Provider, Way } from '../types.ts'

export type Registered = App & {
  /** Where its sign-in page may lead back to. */
  readonly origin: string
}
export type Person = {
  readonly provider: Provider
  readonly corp_id: string
  readonly user_id: string
  readonly union_id?: string
  readonly name: string
  readonly mobile?: string
  /** Shown on the sign-in page, so that whoever tries the demo knows whom to choose. */
  readonly about?: string
}
type Code = { app: Registered; person: Person; way: Way; redirect: string; until: number; used: boolean }
type Token = { app: Registered; until: number; person?: Person }

/** What a platform does wrong. `lose` does the work and cuts the line before the answer. */
export type Fault = {
  readonly does: 'refuse' | 'slow' | 'lose' | 'too_many'
  readonly provider: Provider
  /** The calls whose path ends so; all when left out. */
  readonly path?: string
  /** For `refuse`. */
  readonly code?: string | number
  /** For `slow`. */
  readonly ms?: number
  /** How often; once when left out. */
  readonly times?: number
}

export type Reply = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string }
export type Asked = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly json: Readonly<Record<string, unknown>>
}
export type Vendor = {
  /** By method and path, as the platform writes them. */
  readonly calls: Readonly<Record<string, (asked: Asked) => Reply>>
  readonly refuse: (path: string, code: string | number) => Reply
  readonly tooMany: (path: string) => Reply
}

export const jsonReply = (status: number, value: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(value),
})

const code_life_ms = 300_000
/** Codes of Lark's client script live shorter. */
const short_life_ms = 180_000
const token_life_s = 7200

export class State {
  readonly now: () => number
  readonly apps: Registered[] = []
  readonly people: Person[] = []
  readonly faults: (Fault & { left: number })[] = []
  readonly #codes = new Map<string, Code>()
  readonly #tokens = new Map<string, Token>()
  constructor(now: () => number) {
    this.now = now
  }

  app(provider: Provider, wanted: Partial<App>): Registered | undefined {
    return this.apps.find(
      (one) =>
        one.provider === provider && Object.entries(wanted).every(([name, value]) => one[name as keyof Registered] === value),
    )
  }

  issue(app: Registered, person: Person, way: Way, redirect = ''): string {
    const code = randomBytes(18).toString('hex')
    const life = way === 'client' && app.provider === 'lark' ? short_life_ms : code_life_ms
    this.#codes.set(code, { app, person, way, redirect, until: this.now() + life, used: false })
    return code
  }

  /** Redeems a code, once and for its own application; otherwise why not. */
  redeem(
    code: unknown,
    app: Registered,
    way: Way,
    redirect?: string,
  ): Person | 'unknown' | 'used' | 'expired' | 'foreign' | 'redirect' {
    const found = typeof code === 'string' ? this.#codes.get(code) : undefined
    if (!found || found.way !== way) return 'unknown'
    if (found.app !== app) return 'foreign'
    if (found.used) return 'used'
    if (found.until <= this.now()) return 'expired'
    if (redirect !== undefined && redirect !== found.redirect) return 'redirect'
    found.used = true
    return found.person
  }

  /** A token of an application (or of a person, for `kind` `user`). The same one again while it has more than `fresh_s` to live. */
  token(app: Registered, kind: string, fresh_s: number, person?: Person): { token: string; expires_s: number } {
    const now = this.now()
    const known = [...this.#tokens].find(
      ([name, one]) => !person && name.startsWith(`${kind}-`) && one.app === app && one.until - now > fresh_s * 1000,
    )
    if (known) return { token: known[0], expires_s: Math.floor((known[1].until - now) / 1000) }
    const token = `${kind}-${randomBytes(18).toString('hex')}`
    this.#tokens.set(token, { app, until: now + token_life_s * 1000, ...(person ? { person } : {}) })
    return { token, expires_s: token_life_s }
  }
  /** Whose token it is; null when it is none or is over. */
  holder(token: string | null | undefined, kind: string): Token | null {
    const found = token?.startsWith(`${kind}-`) ? this.#tokens.get(token) : undefined
    return found && found.until > this.now() ? found : null
  }
  /** All tokens of a platform die before their time. */
  expireTokens(provider: Provider): void {
    for (const [token, { app }] of this.#tokens) if (app.provider === provider) this.#tokens.delete(token)
  }
}
