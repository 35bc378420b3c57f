/**
 * Programs that stand in for the three platforms: their paths, tokens, codes that are good once, refusals. Real SDKs and a real browser
 * talk to them; what they do wrong is asked of `fault`. One server holds all three, each under its own name (`/lark/open-apis/…`).
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Provider, Way } from '../types.ts'
import { dingtalkVendor } from './dingtalk.ts'
import { larkVendor } from './lark.ts'
import { type Asked, type Fault, type Person, type Registered, type Reply, State, type Vendor } from './state.ts'
import { wecomVendor } from './wecom.ts'

export type { Fault, Person, Registered, Reply } from './state.ts'

const longest_body = 65_536

export class Simulator {
  readonly #state: State
  readonly #vendors: Readonly<Record<Provider, Vendor>>
  #server: Server | null = null
  /** What was asked, without queries and bodies: `GET /wecom/cgi-bin/gettoken`. */
  readonly calls: string[] = []

  constructor(now: () => number = Date.now) {
    this.#state = new State(now)
    this.#vendors = {
      lark: larkVendor(this.#state),
      wecom: wecomVendor(this.#state),
      dingtalk: dingtalkVendor(this.#state),
    }
  }

  addApp(app: Registered): Registered {
    this.#state.apps.push(app)
    return app
  }
  addPerson(person: Person): Person {
    this.#state.people.push(person)
    return person
  }
  /** A code as this person's client or the sign-in page would give it. */
  issue(app: Registered, person: Person, way: Way, redirect?: string): string {
    return this.#state.issue(app, person, way, redirect)
  }
  fault(fault: Fault): void {
    this.#state.faults.push({ ...fault, left: fault.times ?? 1 })
  }
  expireTokens(provider: Provider): void {
    this.#state.expireTokens(provider)
  }

  /** Null: the line was cut. `address` is path and query, beginning with the platform's name. */
  async answer(asked: { method: string; address: string; headers: Asked['headers']; body?: string }): Promise<Reply | null> {
    const url = new URL(asked.address, 'http://simulator.invalid')
    const [, provider = '', ...rest] = url.pathname.split('/')
    const path = `/${rest.join('/')}`
    const vendor = this.#vendors[provider as Provider]
    const call = vendor?.calls[`${asked.method} ${path}`]
    this.calls.push(`${asked.method} ${url.pathname}`)
    if (!vendor || !call) return { status: 404, body: '' }
    const fault = this.#state.faults.find((one) => one.left > 0 && one.provider === provider && path.endsWith(one.path ?? ''))
    if (fault) fault.left -= 1
    if (fault?.does === 'refuse') return vendor.refuse(path, fault.code ?? 'refused')
    if (fault?.does === 'too_many') return vendor.tooMany(path)
    if (fault?.does === 'slow') await sleep(fault.ms ?? 0)
    const reply = call({ method: asked.method, path, query: url.searchParams, headers: asked.headers, json: parsed(asked.body) })
    return fault?.does === 'lose' ? null : reply
  }

  /** On an address of its own; answers it. */
  async listen(): Promise<string> {
    const server = createServer((request, response) => {
      void bodyOf(request)
        .then((body) =>
          this.answer({
            method: request.method ?? 'GET',
            address: request.url ?? '/',
            headers: request.headers as Asked['headers'],
            body,
          }),
        )
        .then(
          (reply) => (reply ? response.writeHead(reply.status, reply.headers).end(reply.body) : request.socket.destroy()),
          () => request.socket.destroy(),
        )
    })
    this.#server = server
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const bound = server.address()
    return `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`
  }
  async close(): Promise<void> {
    const server = this.#server
    server?.closeAllConnections()
    await new Promise<void>((done) => (server ? server.close(() => done()) : done()))
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const part of request) {
    body += String(part)
    if (body.length > longest_body) throw new Error('too long')
  }
  return body
}

function parsed(body = ''): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body || '{}')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
