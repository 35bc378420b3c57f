/**
 * Simulators of the three platforms: their paths, tokens, directories, messages, limits and errors. Real SDKs and a
 * real browser talk to them; failures are injected by `fault`. One server hosts all three, each under its own prefix
 * (`/lark/open-apis/…`), or a single one.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthCodeSource, Provider } from '../types.ts'
import { CallbackSender } from './callback-sender.ts'
import type { SimulatedCompany, SimulatedDepartment, SimulatedUser } from './company.ts'
import { createDingtalkVendor } from './dingtalk/index.ts'
import type { SimulatedMessage } from './inbox.ts'
import { createPressToken, getCallbackValue, recordPressReply } from './lark/cards.ts'
import { createLarkVendor } from './lark/index.ts'
import { renderInboxPage } from './pages/inbox.ts'
import type { RegisteredApp, RegisteredSuite } from './registered-apps.ts'
import {
  type Failure,
  parseObjectOrEmpty,
  type Reply,
  type SimulatedCall,
  type SimulatedRequest,
  type SimulatedVendor,
  SimulatorState,
} from './state.ts'
import { pickUsers } from './wecom/hidden-names.ts'
import { createWecomVendor } from './wecom/index.ts'

export type { SimulatedDepartment, SimulatedUser } from './company.ts'
export type { RegisteredApp, RegisteredSuite } from './registered-apps.ts'
export type { Failure, Reply } from './state.ts'

/** A file of 20 MB plus the request overhead. */
const maxBodyBytes = 22_020_096
type SimulatedHttpRequest = {
  method: string
  address: string
  headers: SimulatedRequest['headers']
  body?: string | Buffer
  at?: string
}

/** Executes a named change that a test or a user makes from outside of the process. */
export type SimulatorControl = (simulator: Simulator, name: string, params: Record<string, unknown>) => Promise<Reply>

export class Simulator {
  readonly state: SimulatorState
  readonly callbackSender: CallbackSender
  /** By provider. */
  readonly #vendors: ReadonlyMap<string, SimulatedVendor>
  readonly #patterns = new Map<string, { name: string; sections: string[]; call: SimulatedCall }[]>()
  readonly #servers: Server[] = []
  #calls: string[] = []

  constructor(now: () => number = Date.now) {
    const state = new SimulatorState(now)
    this.state = state
    const vendors = [createLarkVendor(state), createWecomVendor(state), createDingtalkVendor(state)]
    this.#vendors = new Map(vendors.map((vendor) => [vendor.provider, vendor]))
    this.callbackSender = new CallbackSender(state, this.#vendors)
    state.resendTicket = (suite) => void this.issueTicket(suite)
    for (const { provider, calls } of vendors)
      this.#patterns.set(
        provider,
        Object.entries(calls).flatMap(([name, call]) => (name.includes('/:') ? [{ name, sections: name.split('/'), call }] : [])),
      )
  }

  /** The calls received, without queries and bodies: `GET /wecom/cgi-bin/gettoken`. */
  get calls(): string[] {
    return this.#calls
  }
  addApp(app: RegisteredApp): RegisteredApp {
    this.state.apps.push(app)
    return app
  }
  changeApp(app: RegisteredApp, change: Partial<RegisteredApp>): void {
    Object.assign(app, change)
    if ('range' in change) this.callbackSender.sendToAll(app.provider, app.corp_id, { kind: 'range' })
  }
  addSuite(suite: RegisteredSuite): RegisteredSuite {
    this.state.suites.push(suite)
    return suite
  }
  /** Issues a new ticket and pushes it if the suite has a callback URL. */
  async issueTicket(suite: RegisteredSuite): Promise<string> {
    const ticket = this.#vendors.get(suite.provider)?.createTicket?.(suite) ?? randomBytes(16).toString('hex')
    Object.assign(suite, { ticket })
    await this.callbackSender.sendChange(suite, { kind: 'ticket', ticket })
    return ticket
  }
  company(provider: Provider, corp_id: string): SimulatedCompany {
    return this.state.findOrCreateCompany(provider, corp_id)
  }
  addUser(person: SimulatedUser): SimulatedUser {
    const company = this.state.findOrCreateCompany(person.provider, person.corp_id)
    const did = company.findUser(person.user_id) ? 'changed' : 'added'
    company.saveUser(person)
    this.callbackSender.sendToAll(person.provider, person.corp_id, { kind: 'person', action: did, id: person.user_id })
    return person
  }
  removeUser({ provider, corp_id, user_id }: SimulatedUser): void {
    this.state.findOrCreateCompany(provider, corp_id).removeUser(user_id, this.state.now())
    this.callbackSender.sendToAll(provider, corp_id, { kind: 'person', action: 'removed', id: user_id })
  }
  saveDepartment(department: SimulatedDepartment): SimulatedDepartment {
    const { provider, corp_id, id } = department
    const company = this.state.findOrCreateCompany(provider, corp_id)
    const did = company.departments.has(id) ? 'changed' : 'added'
    company.saveDepartment(department)
    this.callbackSender.sendToAll(provider, corp_id, { kind: 'department', action: did, id })
    return department
  }
  removeDepartment({ provider, corp_id, id }: SimulatedDepartment): void {
    this.state.findOrCreateCompany(provider, corp_id).removeDepartment(id)
    this.callbackSender.sendToAll(provider, corp_id, { kind: 'department', action: 'removed', id })
  }
  /** Issues a code as this user's client or the sign-in page would. */
  issueCode(app: RegisteredApp, person: SimulatedUser, channel: AuthCodeSource, redirect?: string): string {
    return this.state.issueCode(app, person, channel, redirect)
  }
  /** WeCom: returns what the client's picker gives a page of this application when these users are selected. */
  pickUsers(app: RegisteredApp, operator: SimulatedUser, people: readonly SimulatedUser[]): ReturnType<typeof pickUsers> {
    return pickUsers(this.state, app, operator, people)
  }
  /**
   * Lark: simulates a press of a card's callback button; returns whether the application responded in time, and the
   * token it received.
   */
  async pressButton(message: SimulatedMessage, patience_ms = 3000): Promise<{ answered: boolean; token: string }> {
    const value = getCallbackValue(message.raw)
    if (value === null) throw new Error('the card has no button that calls back')
    const token = createPressToken(this.state, message)
    const change = { kind: 'press', message_id: message.id, by: message.to, token, value } as const
    const reply = await this.callbackSender.sendOnce(message.app, change, patience_ms)
    return { answered: reply !== null && recordPressReply(this.state, token, reply), token }
  }
  addError(error: Failure): void {
    this.state.faults.push({ ...error, remaining: error.times ?? 1 })
  }
  expireTokens(provider: Provider): void {
    this.state.expireTokens(provider)
  }
  /** Returns all messages that were sent, oldest first. */
  messages(): readonly SimulatedMessage[] {
    return this.state.inbox.all()
  }

  #findCall(
    provider: string,
    method: string,
    path: string,
  ): { call: SimulatedCall; pattern: string; params: Record<string, string> } | null {
    const vendor = this.#vendors.get(provider)
    const exact = vendor?.calls[`${method} ${path}`]
    if (exact) return { call: exact, pattern: `${method} ${path}`, params: {} }
    const sections = `${method} ${path}`.split('/')
    for (const one of this.#patterns.get(provider) ?? []) {
      if (
        one.sections.length !== sections.length ||
        !one.sections.every((part, at) => part.startsWith(':') || part === sections[at])
      )
        continue
      const named = one.sections.flatMap((part, at) =>
        part.startsWith(':') ? [[part.slice(1), decodePart(sections[at] ?? '')]] : [],
      )
      return { call: one.call, pattern: one.name, params: Object.fromEntries(named) }
    }
    return null
  }

  /** Returns null if the connection was cut. `address` is path and query, starting with the platform's name. */
  async handle({ method, address, headers, body = '', at }: SimulatedHttpRequest): Promise<Reply | null> {
    const url = new URL(address, 'http://simulator.invalid')
    const [, provider = '', ...rest] = url.pathname.split('/')
    const path = `/${rest.join('/')}`
    const vendor = this.#vendors.get(provider)
    if (vendor && method === 'GET' && path.startsWith('/_/'))
      return renderInboxPage(this.state, path, url.searchParams, vendor.provider)
    this.#calls.push(`${method} ${url.pathname}`)
    const match = this.#findCall(provider, method, path)
    if (!vendor || !match) return vendor?.replyUnknownCall?.(method, path) ?? { status: 404, body: '' }
    const error = this.state.faults.find((one) => one.remaining > 0 && one.provider === provider && path.endsWith(one.path ?? ''))
    if (error) error.remaining -= 1
    const wrong = error && injectError(error, vendor, path)
    if (wrong !== undefined) return wrong
    if (error?.kind === 'slow') await sleep(error.ms ?? 0)
    const { call, pattern, params } = match
    const bytes = Buffer.from(body)
    const { json, loose } = parseBody(headers, bytes.toString('utf8'))
    const reply = call({
      method,
      path,
      pattern,
      params,
      query: url.searchParams,
      headers,
      json,
      bytes,
      url: at ?? `http://${headers.host ?? 'simulator.invalid'}/${provider}`,
    })
    if (error?.kind === 'lose') return null
    return loose && vendor.withJsonWarning ? vendor.withJsonWarning(reply) : reply
  }

  /**
   * Starts a server and returns its URL. `only`: a single platform without its name in the paths; `control`: enables
   * external control.
   */
  async listen({
    port = 0,
    host = '127.0.0.1',
    only,
    control,
  }: {
    port?: number
    host?: string
    only?: Provider
    control?: SimulatorControl
  } = {}): Promise<string> {
    const server = createServer((request, response) => {
      void readBody(request)
        .then(async (body) => {
          const { method = 'GET', url = '/' } = request
          const headers = Object.fromEntries(
            Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
          )
          const address = only ? `/${only}${url}` : url
          if (control && method === 'POST' && url.startsWith('/_/control/'))
            return control(this, url.slice(11), parseObjectOrEmpty(body.toString('utf8')))
          return this.handle({ method, address, headers, body, ...(only ? { at: `http://${headers.host ?? host}` } : {}) })
        })
        .then(
          (reply) =>
            reply ? response.writeHead(reply.status, reply.headers).end(reply.bytes ?? reply.body) : request.socket.destroy(),
          () => request.socket.destroy(),
        )
    })
    // Clients limit the idle time of a connection by their own clock; if the server closed it at that moment, a call
    // would be lost.
    server.keepAliveTimeout = 75_000
    this.#servers.push(server)
    await new Promise<void>((done, fail) => server.once('error', fail).listen(port, host, done))
    const bound = server.address()
    return `http://${host}:${typeof bound === 'object' && bound ? bound.port : 0}`
  }
  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections()
      await new Promise<void>((done) => server.close(() => done()))
    }
  }
}

/** Returns the response of an injected fault; undefined if the call is executed nevertheless. */
function injectError({ kind, code = 'refused' }: Failure, vendor: SimulatedVendor, path: string): Reply | null | undefined {
  switch (kind) {
    case 'refuse':
      return vendor.replyError(path, code)
    case 'too_many':
      return vendor.replyRateLimited(path)
    case 'cut':
      return null
    case 'broken':
      return { status: 502, body: '<html>Bad Gateway</html>' }
    case 'unreadable':
      return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"errcode":0,"errm' }
    default:
      return undefined
  }
}

const decodePart = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
/** Parses JSON, or a form whose nested values are JSON (DingTalk's older calls accept both). */
function parseBody(headers: SimulatedRequest['headers'], body = ''): { json: Record<string, unknown>; loose: boolean } {
  if (headers['content-type']?.startsWith('multipart/')) return { json: {}, loose: false }
  // With curl, JSON is often sent with the content type of a form.
  if (headers['content-type']?.includes('x-www-form-urlencoded') && !body.trimStart().startsWith('{')) {
    const values = [...new URLSearchParams(body)]
    return {
      json: Object.fromEntries(values.map(([name, value]) => [name, value.startsWith('{') ? parseObjectOrEmpty(value) : value])),
      loose: false,
    }
  }
  if (body === '' || isJson(body)) return { json: parseObjectOrEmpty(body), loose: false }
  return { json: parseObjectOrEmpty(body.replace(/^\uFEFF/, '').replace(/,(?=\s*[}\]])/g, '')), loose: true }
}
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > maxBodyBytes) throw new Error('too long')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}
