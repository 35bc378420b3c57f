/** Tells applications what changed: enciphered and signed as the platform does, again when nobody takes it, and never in an order that can be relied on. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Provider } from '../types.ts'
import type { Registered, RegisteredSuite, Reply, State, Vendor } from './state.ts'
import type { Audience, Pushed, WorldChange } from './told.ts'

/** How telling went: with how many tries, and what was answered last. */
export type CallbackDelivery = {
  readonly accepted: boolean
  readonly tries: number
  readonly status: number
  readonly pushed: Pushed
}

/** The platforms wait no longer than this. */
const patience_ms = 5000

export class Teller {
  readonly #state: State
  readonly #vendors: Readonly<Record<Provider, Vendor>>
  readonly #under_way = new Set<Promise<unknown>>()
  /** What a second of waiting between tries is worth; 0: it is tried at once. */
  scale = 1
  constructor(state: State, vendors: Readonly<Record<Provider, Vendor>>) {
    this.#state = state
    this.#vendors = vendors
  }

  told(app: Registered): Audience | null {
    const suite = app.suite ? (this.#state.suite(app.provider, app.suite.id) ?? null) : null
    const target = app.callback ?? suite?.callback
    return target ? { target, receiver: this.#vendors[app.provider].receiver(app), corp_id: app.corp_id, app, suite } : null
  }
  #toldSuite(suite: RegisteredSuite): Audience | null {
    return suite.callback ? { target: suite.callback, receiver: suite.id, corp_id: null, app: null, suite } : null
  }

  /** Null: it has no address, or the platform says nothing of such a change. */
  async tell(to: Registered | RegisteredSuite, change: WorldChange): Promise<CallbackDelivery | null> {
    const told = 'corp_id' in to ? this.told(to) : this.#toldSuite(to)
    const pushed = told && this.#vendors[to.provider].event(told, change)
    return pushed ? this.deliver(to.provider, told, pushed) : null
  }
  /** What would be said, for whoever brings it in another order, twice or not at all. */
  written(to: Registered, change: WorldChange): Pushed | null {
    const told = this.told(to)
    return told && this.#vendors[to.provider].event(told, change)
  }
  /** As it stands, once more or again and again: for replays. */
  async deliver(provider: Provider, told: Audience, pushed: Pushed): Promise<CallbackDelivery> {
    const vendor = this.#vendors[provider]
    let last: Reply = { status: 0, body: '' }
    for (const [at, wait_ms] of [0, ...vendor.retries].entries()) {
      if (wait_ms > 0) await sleep(wait_ms * this.scale)
      last = await send(pushed)
      if (vendor.isAnswer(told, last, null)) return { accepted: true, tries: at + 1, status: last.status, pushed }
    }
    if (told.app) this.#state.failed.push({ app: told.app, plain: pushed.plain })
    return { accepted: false, tries: vendor.retries.length + 1, status: last.status, pushed }
  }
  /** Told once, with so long to answer: what was answered. Null: it has no address, or the platform says nothing of such a change. */
  async ask(to: Registered, change: WorldChange, patience: number): Promise<Reply | null> {
    const pushed = this.written(to, change)
    return pushed && send(pushed, patience)
  }
  /** Whether the address answers as the platform wants it before it is saved. */
  async check(app: Registered): Promise<boolean> {
    const told = this.told(app)
    if (!told) return false
    const word = randomBytes(9).toString('hex')
    const vendor = this.#vendors[app.provider]
    return vendor.isAnswer(told, await send(vendor.check(told, word)), word)
  }

  /** Every application of that company that has an address and sees it. */
  spread(provider: Provider, corp_id: string, change: WorldChange): void {
    for (const app of this.#state.apps)
      if (app.provider === provider && app.corp_id === corp_id && this.told(app)) {
        const telling: Promise<unknown> = this.tell(app, change).finally(() => this.#under_way.delete(telling))
        this.#under_way.add(telling)
      }
  }
  /** Until nobody is being told any more. */
  async settled(): Promise<void> {
    while (this.#under_way.size > 0) await Promise.all(this.#under_way)
  }
}

async function send({ method, url, headers = {}, body }: Pushed, patience = patience_ms): Promise<Reply> {
  try {
    const given = body === undefined ? {} : { body }
    const response = await fetch(url, { method, headers, ...given, redirect: 'manual', signal: AbortSignal.timeout(patience) })
    return { status: response.status, body: await response.text() }
  } catch {
    return { status: 0, body: '' }
  }
}
