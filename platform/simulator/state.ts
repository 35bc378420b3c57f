/** State of the simulated platforms: applications, companies, codes, tokens, and injected failures. */
import { randomBytes } from 'node:crypto'
import type { AuthCodeSource, ChatApp, Provider } from '../types.ts'
import type { CallbackMessage, CallbackRecipient, WorldChange } from './callbacks.ts'
import { SimulatedCompany, type SimulatedUser } from './company.ts'
import { SimulatedInbox, type SimulatedMessage } from './inbox.ts'
import { SlidingWindowLimiter } from './limits.ts'
import { codeLifetimeMs } from './profile.ts'
import { getProfile } from './profiles.ts'
import type { RegisteredApp, RegisteredSuite } from './registered-apps.ts'

type IssuedCode = {
  app: RegisteredApp
  user: SimulatedUser
  source: AuthCodeSource
  redirect: string
  expiresAt: number
  isUsed: boolean
  scope: string
  challenge: string
}
type TokenEntry = { app: RegisteredApp; expiresAt: number; createdAt: number; user?: SimulatedUser }

/** An injected failure. `lose` executes the call and cuts the connection before the response. */
export type Failure = {
  readonly kind: 'refuse' | 'slow' | 'lose' | 'cut' | 'broken' | 'unreadable' | 'too_many'
  readonly provider: Provider
  /** Affects calls whose path ends with this; all if undefined. */
  readonly path?: string
  /** Error code for `refuse`. */
  readonly code?: string | number
  /** Delay for `slow`. */
  readonly ms?: number
  /** Number of times; once if undefined. */
  readonly times?: number
}

export type Reply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  /** A file, instead of `body`. */
  readonly bytes?: Uint8Array
}
export type SimulatedRequest = {
  readonly method: string
  readonly path: string
  /** The path as the platform documents it, with names for variable segments; the key for rate limits. */
  readonly pattern: string
  /** Values of the variable path segments by name. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly json: Readonly<Record<string, unknown>>
  /** The raw body. */
  readonly bytes: Uint8Array
  /** The URL under which this platform was called, used in its responses. */
  readonly url: string
}
export type SimulatedCall = (request: SimulatedRequest) => Reply
export type SimulatedCalls = Readonly<Record<string, SimulatedCall>>
export type SimulatedVendor = {
  readonly provider: Provider
  /** Calls by method and path as the platform documents them; a path segment that begins with a colon matches anything. */
  readonly calls: SimulatedCalls
  readonly replyError: (path: string, code: string | number) => Reply
  /** Responds to an unknown call or a wrong method. */
  readonly replyUnknownCall?: (method: string, path: string) => Reply
  /** Adds the warning about a malformed JSON body that the platform nevertheless accepts. */
  readonly withJsonWarning?: (reply: Reply) => Reply
  readonly replyRateLimited: (path: string) => Reply
  readonly getReceiver: (app: RegisteredApp) => string
  /** Null: this platform does not report the change. */
  readonly createEvent: (recipient: CallbackRecipient, change: WorldChange) => CallbackMessage | null
  readonly createUrlCheck: (recipient: CallbackRecipient, word: string) => CallbackMessage
  /** Returns whether the response is valid; `word` is what the URL check must return. */
  readonly isValidResponse: (recipient: CallbackRecipient, answer: Reply, word: string | null) => boolean
  /** Creates the ticket of a store application in the platform's format; random digits if undefined. */
  readonly createTicket?: (suite: RegisteredSuite) => string
  /** Delays between attempts in milliseconds. */
  readonly retryDelaysMs: readonly number[]
}

export const createJsonReply = (status: number, value: unknown, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  body: JSON.stringify(value),
})
export const textOrEmpty = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
export const listOrEmpty = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const objectOrEmpty = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}

/** Parses a JSON object; returns an empty one if the text is not an object. */
export function parseObjectOrEmpty(json: string | undefined): Record<string, unknown> {
  try {
    return objectOrEmpty(JSON.parse(json || '{}'))
  } catch {
    return {}
  }
}

const tokenLifetimeSeconds = 7200

export class SimulatorState {
  readonly now: () => number
  /** By how much the clock was advanced. */
  clockOffsetMs = 0
  /** Requests a new ticket immediately (Lark). */
  resendTicket: (suite: RegisteredSuite) => void = () => undefined
  readonly apps: RegisteredApp[] = []
  readonly suites: RegisteredSuite[] = []
  readonly faults: (Failure & { remaining: number })[] = []
  /** Callbacks that were not answered, until they are requested (DingTalk). */
  readonly failedCallbacks: { readonly app: RegisteredApp; readonly plain: string }[] = []
  /** Pressed buttons by the token with which their card may be updated (Lark). */
  readonly buttonPresses = new Map<
    string,
    { readonly message: SimulatedMessage; readonly expiresAt: number; updatesLeft: number; isAnswered: boolean }
  >()
  /** Time before the result of a message task can be read (DingTalk). */
  taskDurationMs = 0
  readonly limits: SlidingWindowLimiter
  readonly inbox: SimulatedInbox
  readonly #companies = new Map<string, SimulatedCompany>()
  readonly #codes = new Map<string, IssuedCode>()
  readonly #tokens = new Map<string, TokenEntry>()
  readonly #tickets = new Map<string, { subject: string; expiresAt: number }>()
  constructor(now: () => number) {
    this.now = () => now() + this.clockOffsetMs
    this.limits = new SlidingWindowLimiter(this.now)
    this.inbox = new SimulatedInbox(this.now)
  }

  findOrCreateCompany(provider: Provider, corp_id: string): SimulatedCompany {
    const key = `${provider} ${corp_id}`
    const existing = this.#companies.get(key) ?? new SimulatedCompany(provider, corp_id)
    this.#companies.set(key, existing)
    return existing
  }
  getCompany(app: RegisteredApp): SimulatedCompany {
    return this.findOrCreateCompany(app.provider, app.corp_id)
  }
  listCompanies(): SimulatedCompany[] {
    return [...this.#companies.values()]
  }
  findApp(provider: Provider, expected: Partial<ChatApp>): RegisteredApp | undefined {
    const requests = Object.entries(expected)
    return this.apps.find(
      (one) => one.provider === provider && requests.every(([name, value]) => Reflect.get(one, name) === value),
    )
  }
  findSuite(provider: Provider, id: unknown, secret?: unknown): RegisteredSuite | undefined {
    return this.suites.find(
      (one) => one.provider === provider && one.id === id && (secret === undefined || one.secret === secret),
    )
  }
  findInstallation(suite: RegisteredSuite, corp_id: unknown): RegisteredApp | undefined {
    return this.apps.find((one) => one.provider === suite.provider && one.suite?.id === suite.id && one.corp_id === corp_id)
  }

  issueCode(app: RegisteredApp, person: SimulatedUser, channel: AuthCodeSource, redirect = ''): string {
    const code = randomBytes(18).toString('hex')
    const life = channel === 'client' ? getProfile(app.provider).clientCodeLifetimeMs : codeLifetimeMs
    this.#codes.set(code, {
      app,
      user: person,
      source: channel,
      redirect,
      expiresAt: this.now() + life,
      isUsed: false,
      scope: '',
      challenge: '',
    })
    return code
  }
  /** Records additional consent given with this code (WeCom, Lark). */
  recordConsent(code: string, scope: string, challenge = ''): string {
    const match = this.#codes.get(code)
    if (match) Object.assign(match, { scope, challenge })
    return code
  }
  /** Returns the challenge that binds the code to its requester (Lark, PKCE); '' if none was given. */
  getCodeChallenge(code: unknown): string {
    return (typeof code === 'string' && this.#codes.get(code)?.challenge) || ''
  }
  getGrantedScope(code: unknown): string {
    return (typeof code === 'string' && this.#codes.get(code)?.scope) || ''
  }
  /** Redeems a code once, for its own application; otherwise returns the reason. */
  redeemCode(
    code: unknown,
    app: RegisteredApp,
    channel: AuthCodeSource | 'any',
    redirect?: string,
  ): SimulatedUser | 'unknown' | 'used' | 'expired' | 'foreign' | 'redirect' {
    const match = typeof code === 'string' ? this.#codes.get(code) : undefined
    if (!match || (channel !== 'any' && match.source !== channel)) return 'unknown'
    if (match.app !== app) return 'foreign'
    if (match.isUsed) return 'used'
    if (match.expiresAt <= this.now()) return 'expired'
    if (redirect !== undefined && redirect !== match.redirect) return 'redirect'
    match.isUsed = true
    return match.user
  }
  /** Finds the application a code was issued for, without redeeming it: a store application's code names no company. */
  findAppByCode(code: unknown): RegisteredApp | undefined {
    return typeof code === 'string' ? this.#codes.get(code)?.app : undefined
  }

  /** Creates a ticket about a subject with a lifetime: installation codes, suite tokens, consent tickets. */
  createTicket(kind: string, about: string, life_ms: number): string {
    const name = `${kind.replaceAll(' ', '_')}-${randomBytes(18).toString('hex')}`
    this.#tickets.set(name, { subject: about, expiresAt: this.now() + life_ms })
    return name
  }
  /** Returns the subject of a ticket; null if it is unknown, expired or used. */
  getTicketSubject(kind: string, name: unknown, spend = false): string | null {
    const match =
      typeof name === 'string' && name.startsWith(`${kind.replaceAll(' ', '_')}-`) ? this.#tickets.get(name) : undefined
    if (!match || match.expiresAt <= this.now()) return null
    if (spend && typeof name === 'string') this.#tickets.delete(name)
    return match.subject
  }

  /** Returns whether the ticket existed and has expired. */
  isTicketExpired(name: unknown): boolean {
    const match = typeof name === 'string' ? this.#tickets.get(name) : undefined
    return match !== undefined && match.expiresAt <= this.now()
  }

  /**
   * Returns a token of an application (or of a user, for `kind` `user`). The same one is returned while it is valid for
   * more than `fresh_s`.
   */
  getToken(
    app: RegisteredApp,
    kind: string,
    fresh_s: number,
    person?: SimulatedUser,
  ): { token: string; expiresInSeconds: number } {
    const now = this.now()
    const existing = [...this.#tokens].find(
      ([name, one]) => !person && name.startsWith(`${kind}-`) && one.app === app && one.expiresAt - now > fresh_s * 1000,
    )
    if (existing) return { token: existing[0], expiresInSeconds: Math.floor((existing[1].expiresAt - now) / 1000) }
    const token = `${kind}-${randomBytes(18).toString('hex')}`
    this.#tokens.set(token, {
      app,
      expiresAt: now + tokenLifetimeSeconds * 1000,
      createdAt: now,
      ...(person ? { user: person } : {}),
    })
    return { token, expiresInSeconds: tokenLifetimeSeconds }
  }
  /** Creates a different token each time (DingTalk, store). */
  createToken(app: RegisteredApp, kind: string): { token: string; expiresInSeconds: number } {
    const token = `${kind}-${randomBytes(18).toString('hex')}`
    this.#tokens.set(token, { app, expiresAt: this.now() + tokenLifetimeSeconds * 1000, createdAt: this.now() })
    return { token, expiresInSeconds: tokenLifetimeSeconds }
  }
  /**
   * Extends the lifetime of a token that `getToken` would return again (DingTalk), up to `most_ms` after its creation;
   * returns the remaining lifetime.
   */
  renewToken(token: string, most_ms = Number.POSITIVE_INFINITY): number {
    const existing = this.#tokens.get(token)
    if (!existing) return 0
    existing.expiresAt = Math.min(this.now() + tokenLifetimeSeconds * 1000, existing.createdAt + most_ms)
    return Math.floor((existing.expiresAt - this.now()) / 1000)
  }
  /** Returns the entry of a token; null if it is unknown or expired. */
  findTokenEntry(token: string | null | undefined, kind: string): TokenEntry | null {
    const match = token?.startsWith(`${kind}-`) ? this.#tokens.get(token) : undefined
    return match && match.expiresAt > this.now() ? match : null
  }
  /** Returns whether the token existed and has expired. */
  isTokenExpired(token: string | null | undefined): boolean {
    const match = token ? this.#tokens.get(token) : undefined
    return match !== undefined && match.expiresAt <= this.now()
  }
  /** Expires all tokens of a platform early. */
  expireTokens(provider: Provider): void {
    for (const [token, { app }] of this.#tokens) if (app.provider === provider) this.#tokens.delete(token)
    for (const name of this.#tickets.keys()) if (name.startsWith(`${provider}_`)) this.#tickets.delete(name)
  }
}
