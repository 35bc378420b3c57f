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
  readonly stopped?: boolean
  /** WeCom: calls come from an address that is not trusted. */
  readonly distrusted?: boolean
  /** WeCom: `old` applications still read phones; `contacts` is the secret of the directory assistant. */
  readonly kind?: 'new' | 'old' | 'contacts'
  /** WeCom's store: each member agrees for himself, instead of an administrator for all. */
  readonly by_member?: boolean
  /** Of the store: the administrator who installed it. */
  readonly installer?: string
  /** DingTalk's store: installed and not activated yet, with the code that does it. */
  readonly awaits?: string
  readonly callback?: CallbackTarget
}
/** An application of the store, and what its tickets are. */
export type RegisteredSuite = Suite & {
  readonly provider: Provider
  readonly callback?: CallbackTarget
}

type IssuedCode = {
  app: RegisteredApp
  person: SimulatedUser
  way: AuthCodeSource
  redirect: string
  until: number
  used: boolean
  scope: string
  challenge: string
}
type TokenEntry = { app: RegisteredApp; until: number; born: number; person?: SimulatedUser }

/** What a platform does wrong. `lose` does the work and cuts the line before the answer. */
export type Fault = {
  readonly does: 'refuse' | 'slow' | 'lose' | 'cut' | 'broken' | 'unreadable' | 'too_many'
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
  readonly refuse: (path: string, code: string | number) => Reply
  /** There is no such call, or not by this method. */
  readonly unknown?: (method: string, path: string) => Reply
  /** What it says to a body that is hardly JSON, where it takes it all the same. */
  readonly warned?: (reply: Reply) => Reply
  readonly tooMany: (path: string) => Reply
  readonly receiver: (app: RegisteredApp) => string
  /** Null: this platform says nothing of it. */
  readonly event: (told: CallbackRecipient, change: WorldChange) => CallbackMessage | null
  readonly check: (told: CallbackRecipient, word: string) => CallbackMessage
  /** Whether the answer counts; `word` is what the check of an address has to bring back. */
  readonly isAnswer: (told: CallbackRecipient, answer: Reply, word: string | null) => boolean
  /** When it is tried again, milliseconds after the try before. */
  readonly retries: readonly number[]
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
  ahead_ms = 0
  /** Asks for a new ticket at once (Lark). */
  resend: (suite: RegisteredSuite) => void = () => undefined
  readonly apps: RegisteredApp[] = []
  readonly suites: RegisteredSuite[] = []
  readonly faults: (Fault & { left: number })[] = []
  /** Callbacks that nobody answered, until they are asked for (DingTalk). */
  readonly failed: { readonly app: RegisteredApp; readonly plain: string }[] = []
  /** Buttons that were pressed, by the token with which their card may be written anew (Lark). */
  readonly presses = new Map<
    string,
    { readonly message: SimulatedMessage; readonly until: number; left: number; answered: boolean }
  >()
  /** How long a task of messages takes before its result can be read (DingTalk). */
  task_ms = 0
  readonly limits: SlidingWindowLimiter
  readonly inbox: SimulatedInbox
  readonly #companies = new Map<string, SimulatedCompany>()
  readonly #codes = new Map<string, IssuedCode>()
  readonly #tokens = new Map<string, TokenEntry>()
  readonly #given = new Map<string, { about: string; until: number }>()
  constructor(now: () => number) {
    this.now = () => now() + this.ahead_ms
    this.limits = new SlidingWindowLimiter(this.now)
    this.inbox = new SimulatedInbox(this.now)
  }

  company(provider: Provider, corp_id: string): SimulatedCompany {
    const key = `${provider} ${corp_id}`
    const known = this.#companies.get(key) ?? new SimulatedCompany(provider, corp_id)
    this.#companies.set(key, known)
    return known
  }
  companyOf(app: RegisteredApp): SimulatedCompany {
    return this.company(app.provider, app.corp_id)
  }
  companies(): SimulatedCompany[] {
    return [...this.#companies.values()]
  }
  app(provider: Provider, wanted: Partial<ChatApp>): RegisteredApp | undefined {
    const asked = Object.entries(wanted)
    return this.apps.find((one) => one.provider === provider && asked.every(([name, value]) => Reflect.get(one, name) === value))
  }
  suite(provider: Provider, id: unknown, secret?: unknown): RegisteredSuite | undefined {
    return this.suites.find(
      (one) => one.provider === provider && one.id === id && (secret === undefined || one.secret === secret),
    )
  }
  installed(suite: RegisteredSuite, corp_id: unknown): RegisteredApp | undefined {
    return this.apps.find((one) => one.provider === suite.provider && one.suite?.id === suite.id && one.corp_id === corp_id)
  }

  issue(app: RegisteredApp, person: SimulatedUser, way: AuthCodeSource, redirect = ''): string {
    const code = randomBytes(18).toString('hex')
    const life = way === 'client' && app.provider === 'lark' ? clientCodeLifetimeMs : codeLifetimeMs
    this.#codes.set(code, { app, person, way, redirect, until: this.now() + life, used: false, scope: '', challenge: '' })
    return code
  }
  /** What more somebody agreed to when he gave this code (WeCom, Lark). */
  agree(code: string, scope: string, challenge = ''): string {
    const found = this.#codes.get(code)
    if (found) Object.assign(found, { scope, challenge })
    return code
  }
  /** What proves that whoever redeems it asked for it (Lark, PKCE); '' where nothing was given. */
  challengeOf(code: unknown): string {
    return (typeof code === 'string' && this.#codes.get(code)?.challenge) || ''
  }
  agreedTo(code: unknown): string {
    return (typeof code === 'string' && this.#codes.get(code)?.scope) || ''
  }
  /** Redeems a code, once and for its own application; otherwise why not. */
  redeem(
    code: unknown,
    app: RegisteredApp,
    way: AuthCodeSource | 'any',
    redirect?: string,
  ): SimulatedUser | 'unknown' | 'used' | 'expired' | 'foreign' | 'redirect' {
    const found = typeof code === 'string' ? this.#codes.get(code) : undefined
    if (!found || (way !== 'any' && found.way !== way)) return 'unknown'
    if (found.app !== app) return 'foreign'
    if (found.used) return 'used'
    if (found.until <= this.now()) return 'expired'
    if (redirect !== undefined && redirect !== found.redirect) return 'redirect'
    found.used = true
    return found.person
  }
  /** For whom a code was given, without spending it: a store application's code names no company. */
  issuedFor(code: unknown): RegisteredApp | undefined {
    return typeof code === 'string' ? this.#codes.get(code)?.app : undefined
  }

  /** Codes of installations, tokens of suites, tickets of consent: something that is about somebody for so long. */
  give(kind: string, about: string, life_ms: number): string {
    const name = `${kind.replaceAll(' ', '_')}-${randomBytes(18).toString('hex')}`
    this.#given.set(name, { about, until: this.now() + life_ms })
    return name
  }
  /** About whom it is; null when it is none, is over or is spent. */
  about(kind: string, name: unknown, spend = false): string | null {
    const found = typeof name === 'string' && name.startsWith(`${kind.replaceAll(' ', '_')}-`) ? this.#given.get(name) : undefined
    if (!found || found.until <= this.now()) return null
    if (spend && typeof name === 'string') this.#given.delete(name)
    return found.about
  }

  /** Whether there was such a thing, which is over. */
  wasGiven(name: unknown): boolean {
    const found = typeof name === 'string' ? this.#given.get(name) : undefined
    return found !== undefined && found.until <= this.now()
  }

  /** A token of an application (or of a person, for `kind` `user`). The same one again while it has more than `fresh_s` to live. */
  token(app: RegisteredApp, kind: string, fresh_s: number, person?: SimulatedUser): { token: string; expires_s: number } {
    const now = this.now()
    const known = [...this.#tokens].find(
      ([name, one]) => !person && name.startsWith(`${kind}-`) && one.app === app && one.until - now > fresh_s * 1000,
    )
    if (known) return { token: known[0], expires_s: Math.floor((known[1].until - now) / 1000) }
    const token = `${kind}-${randomBytes(18).toString('hex')}`
    this.#tokens.set(token, { app, until: now + tokenLifetimeSeconds * 1000, born: now, ...(person ? { person } : {}) })
    return { token, expires_s: tokenLifetimeSeconds }
  }
  /** Another one each time (DingTalk, store). */
  freshToken(app: RegisteredApp, kind: string): { token: string; expires_s: number } {
    const token = `${kind}-${randomBytes(18).toString('hex')}`
    this.#tokens.set(token, { app, until: this.now() + tokenLifetimeSeconds * 1000, born: this.now() })
    return { token, expires_s: tokenLifetimeSeconds }
  }
  /** Renews what `token` would give again (DingTalk), though not beyond so long after it was made: so long it lives now. */
  renew(token: string, most_ms = Number.POSITIVE_INFINITY): number {
    const known = this.#tokens.get(token)
    if (!known) return 0
    known.until = Math.min(this.now() + tokenLifetimeSeconds * 1000, known.born + most_ms)
    return Math.floor((known.until - this.now()) / 1000)
  }
  /** Whose token it is; null when it is none or is over. */
  holder(token: string | null | undefined, kind: string): TokenEntry | null {
    const found = token?.startsWith(`${kind}-`) ? this.#tokens.get(token) : undefined
    return found && found.until > this.now() ? found : null
  }
  /** Whether there was such a token, which is over. */
  isOver(token: string | null | undefined): boolean {
    const found = token ? this.#tokens.get(token) : undefined
    return found !== undefined && found.until <= this.now()
  }
  /** All tokens of a platform die before their time. */
  expireTokens(provider: Provider): void {
    for (const [token, { app }] of this.#tokens) if (app.provider === provider) this.#tokens.delete(token)
    for (const name of this.#given.keys()) if (name.startsWith(`${provider}_`)) this.#given.delete(name)
  }
}
