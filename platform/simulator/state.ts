/** What the simulated platforms know: applications, companies, codes, tokens; and what they were told to do wrong. */
import { randomBytes } from 'node:crypto'
import type { AuthCodeSource, ChatApp, Provider, Suite } from '../types.ts'
import type { CallbackMessage, CallbackRecipient, CallbackTarget, WorldChange } from './callbacks.ts'
import { SimulatedCompany, type SimulatedRange, type SimulatedUser } from './company.ts'
import { SimulatedInbox, type SimulatedMessage } from './inbox.ts'
import { SlidingWindowLimiter } from './limits.ts'

export type RegisteredApp = ChatApp & {
  /** Where its sign-in page may lead back to. */
  readonly origin: string
  /** As the platform's console writes them; all where left out. */
  readonly permissions?: readonly string[]
  /** Everything where left out. */
  readonly range?: SimulatedRange
  /** Stopped by the company. */
  readonly isStopped?: boolean
  /** WeCom: calls come from an address that is not trusted. */
  readonly isUntrustedAddress?: boolean
  /** WeCom: `old` applications still read phones; `contacts` is the secret of the directory assistant. */
  readonly kind?: 'new' | 'old' | 'contacts'
  /** WeCom's store: each member agrees for himself, instead of an administrator for all. */
  readonly isMemberAuthorized?: boolean
  /** Of the store: the administrator who installed it. */
  readonly installer?: string
  /** DingTalk's store: installed and not activated yet, with the code that does it. */
  readonly activationCode?: string
  readonly callback?: CallbackTarget
}
/** An application of the store, and what its tickets are. */
export type RegisteredSuite = Suite & {
  readonly provider: Provider
  readonly callback?: CallbackTarget
}

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

/** What a platform does wrong. `lose` does the work and cuts the line before the answer. */
export type Failure = {
  readonly kind: 'refuse' | 'slow' | 'lose' | 'cut' | 'broken' | 'unreadable' | 'too_many'
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

export type Reply = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  /** A file, in the place of `body`. */
  readonly bytes?: Uint8Array
}
export type SimulatedRequest = {
  readonly method: string
  readonly path: string
  /** As the platform writes it, with names where something of one's own stands: what limits are counted by. */
  readonly pattern: string
  /** What stood in the path where its pattern has a name. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly json: Readonly<Record<string, unknown>>
  /** The body as it came. */
  readonly bytes: Uint8Array
  /** Where this platform was asked: what its answers name as its address. */
  readonly url: string
}
export type SimulatedCall = (asked: SimulatedRequest) => Reply
export type SimulatedCalls = Readonly<Record<string, SimulatedCall>>
export type SimulatedVendor = {
  readonly provider: Provider
  /** By method and path, as the platform writes them; a part of the path that begins with a colon is anything. */
  readonly calls: SimulatedCalls
  readonly replyError: (path: string, code: string | number) => Reply
  /** There is no such call, or not by this method. */
  readonly replyUnknownCall?: (method: string, path: string) => Reply
  /** What it says to a body that is hardly JSON, where it takes it all the same. */
  readonly withJsonWarning?: (reply: Reply) => Reply
  readonly replyRateLimited: (path: string) => Reply
  readonly getReceiver: (app: RegisteredApp) => string
  /** Null: this platform says nothing of it. */
  readonly createEvent: (told: CallbackRecipient, change: WorldChange) => CallbackMessage | null
  readonly createUrlCheck: (told: CallbackRecipient, word: string) => CallbackMessage
  /** Whether the answer counts; `word` is what the check of an address has to bring back. */
  readonly isValidResponse: (told: CallbackRecipient, answer: Reply, word: string | null) => boolean
  /** When it is tried again, milliseconds after the try before. */
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

/** A text that is an object; an empty one where it is none. */
export function parseObjectOrEmpty(json: string | undefined): Record<string, unknown> {
  try {
    return objectOrEmpty(JSON.parse(json || '{}'))
  } catch {
    return {}
  }
}

const codeLifetimeMs = 300_000
/** Codes of Lark's client script live shorter. */
const clientCodeLifetimeMs = 180_000
const tokenLifetimeSeconds = 7200

export class SimulatorState {
  readonly now: () => number
  /** So far the clock was put forward. */
  clockOffsetMs = 0
  /** Asks for a new ticket at once (Lark). */
  resendTicket: (suite: RegisteredSuite) => void = () => undefined
  readonly apps: RegisteredApp[] = []
  readonly suites: RegisteredSuite[] = []
  readonly faults: (Failure & { remaining: number })[] = []
  /** Callbacks that nobody answered, until they are asked for (DingTalk). */
  readonly failedCallbacks: { readonly app: RegisteredApp; readonly plain: string }[] = []
  /** Buttons that were pressed, by the token with which their card may be written anew (Lark). */
  readonly buttonPresses = new Map<
    string,
    { readonly message: SimulatedMessage; readonly expiresAt: number; updatesLeft: number; isAnswered: boolean }
  >()
  /** How long a task of messages takes before its result can be read (DingTalk). */
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
    const life = channel === 'client' && app.provider === 'lark' ? clientCodeLifetimeMs : codeLifetimeMs
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
  /** What more somebody agreed to when he gave this code (WeCom, Lark). */
  recordConsent(code: string, scope: string, challenge = ''): string {
    const match = this.#codes.get(code)
    if (match) Object.assign(match, { scope, challenge })
    return code
  }
  /** What proves that whoever redeems it asked for it (Lark, PKCE); '' where nothing was given. */
  getCodeChallenge(code: unknown): string {
    return (typeof code === 'string' && this.#codes.get(code)?.challenge) || ''
  }
  getGrantedScope(code: unknown): string {
    return (typeof code === 'string' && this.#codes.get(code)?.scope) || ''
  }
  /** Redeems a code, once and for its own application; otherwise why not. */
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
  /** For whom a code was given, without spending it: a store application's code names no company. */
  findAppByCode(code: unknown): RegisteredApp | undefined {
    return typeof code === 'string' ? this.#codes.get(code)?.app : undefined
  }

  /** Codes of installations, tokens of suites, tickets of consent: something that is about somebody for so long. */
  createTicket(kind: string, about: string, life_ms: number): string {
    const name = `${kind.replaceAll(' ', '_')}-${randomBytes(18).toString('hex')}`
    this.#tickets.set(name, { subject: about, expiresAt: this.now() + life_ms })
    return name
  }
  /** About whom it is; null when it is none, is over or is spent. */
  getTicketSubject(kind: string, name: unknown, spend = false): string | null {
    const match =
      typeof name === 'string' && name.startsWith(`${kind.replaceAll(' ', '_')}-`) ? this.#tickets.get(name) : undefined
    if (!match || match.expiresAt <= this.now()) return null
    if (spend && typeof name === 'string') this.#tickets.delete(name)
    return match.subject
  }

  /** Whether there was such a thing, which is over. */
  isTicketExpired(name: unknown): boolean {
    const match = typeof name === 'string' ? this.#tickets.get(name) : undefined
    return match !== undefined && match.expiresAt <= this.now()
  }

  /** A token of an application (or of a person, for `kind` `user`). The same one again while it has more than `fresh_s` to live. */
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
  /** Another one each time (DingTalk, store). */
  createToken(app: RegisteredApp, kind: string): { token: string; expiresInSeconds: number } {
    const token = `${kind}-${randomBytes(18).toString('hex')}`
    this.#tokens.set(token, { app, expiresAt: this.now() + tokenLifetimeSeconds * 1000, createdAt: this.now() })
    return { token, expiresInSeconds: tokenLifetimeSeconds }
  }
  /** Renews what `token` would give again (DingTalk), though not beyond so long after it was made: so long it lives now. */
  renewToken(token: string, most_ms = Number.POSITIVE_INFINITY): number {
    const existing = this.#tokens.get(token)
    if (!existing) return 0
    existing.expiresAt = Math.min(this.now() + tokenLifetimeSeconds * 1000, existing.createdAt + most_ms)
    return Math.floor((existing.expiresAt - this.now()) / 1000)
  }
  /** Whose token it is; null when it is none or is over. */
  findTokenEntry(token: string | null | undefined, kind: string): TokenEntry | null {
    const match = token?.startsWith(`${kind}-`) ? this.#tokens.get(token) : undefined
    return match && match.expiresAt > this.now() ? match : null
  }
  /** Whether there was such a token, which is over. */
  isTokenExpired(token: string | null | undefined): boolean {
    const match = token ? this.#tokens.get(token) : undefined
    return match !== undefined && match.expiresAt <= this.now()
  }
  /** All tokens of a platform die before their time. */
  expireTokens(provider: Provider): void {
    for (const [token, { app }] of this.#tokens) if (app.provider === provider) this.#tokens.delete(token)
    for (const name of this.#tickets.keys()) if (name.startsWith(`${provider}_`)) this.#tickets.delete(name)
  }
}
