/** Tells applications what changed: enciphered and signed as the platform does, again when nobody takes it, and never in an order that can be relied on. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Provider } from '../types.ts'
import type { CallbackMessage, CallbackRecipient, WorldChange } from './callbacks.ts'
import type { RegisteredApp, RegisteredSuite, Reply, SimulatedVendor, SimulatorState } from './state.ts'

/** How telling went: with how many tries, and what was answered last. */
export type CallbackDelivery = {
  readonly accepted: boolean
  readonly tries: number
  readonly status: number
  readonly pushed: CallbackMessage
}

/** The platforms wait no longer than this. */
const responseTimeoutMs = 5000

export class CallbackSender {
  readonly #state: SimulatorState
  readonly #vendors: Readonly<Record<Provider, SimulatedVendor>>
  readonly #under_way = new Set<Promise<unknown>>()
  /** What a second of waiting between tries is worth; 0: it is tried at once. */
  scale = 1
  constructor(state: SimulatorState, vendors: Readonly<Record<Provider, SimulatedVendor>>) {
    this.#state = state
    this.#vendors = vendors
  }

  told(app: RegisteredApp): CallbackRecipient | null {
    const suite = app.suite ? (this.#state.suite(app.provider, app.suite.id) ?? null) : null
    const target = app.callback ?? suite?.callback
    return target ? { target, receiver: this.#vendors[app.provider].receiver(app), corp_id: app.corp_id, app, suite } : null
  }
  #toldSuite(suite: RegisteredSuite): CallbackRecipient | null {
    return suite.callback ? { target: suite.callback, receiver: suite.id, corp_id: null, app: null, suite } : null
  }

  /** Null: it has no address, or the platform says nothing of such a change. */
  async tell(to: RegisteredApp | RegisteredSuite, change: WorldChange): Promise<CallbackDelivery | null> {
    const told = 'corp_id' in to ? this.told(to) : this.#toldSuite(to)
    const pushed = told && this.#vendors[to.provider].event(told, change)
    return pushed ? this.deliver(to.provider, told, pushed) : null
  }
  /** What would be said, for whoever brings it in another order, twice or not at all. */
  written(to: RegisteredApp, change: WorldChange): CallbackMessage | null {
    const told = this.told(to)
    return told && this.#vendors[to.provider].event(told, change)
  }
  /** As it stands, once more or again and again: for replays. */
  async deliver(provider: Provider, told: CallbackRecipient, pushed: CallbackMessage): Promise<CallbackDelivery> {
    const vendor = this.#vendors[provider]
    let last: Reply = { status: 0, body: '' }
    for (const [at, wait_ms] of [0, ...vendor.retries].entries()) {
      if (wait_ms > 0) await sleep(wait_ms * this.scale)
      last = await postCallback(pushed)
      if (vendor.isAnswer(told, last, null)) return { accepted: true, tries: at + 1, status: last.status, pushed }
    }
    if (told.app) this.#state.failed.push({ app: told.app, plain: pushed.plain })
    return { accepted: false, tries: vendor.retries.length + 1, status: last.status, pushed }
  }
  /** Told once, with so long to answer: what was answered. Null: it has no address, or the platform says nothing of such a change. */
  async ask(to: RegisteredApp, change: WorldChange, patience: number): Promise<Reply | null> {
    const pushed = this.written(to, change)
    return pushed && postCallback(pushed, patience)
  }
  /** Whether the address answers as the platform wants it before it is saved. */
  async check(app: RegisteredApp): Promise<boolean> {
    const told = this.told(app)
    if (!told) return false
    const word = randomBytes(9).toString('hex')
    const vendor = this.#vendors[app.provider]
    return vendor.isAnswer(told, await postCallback(vendor.check(told, word)), word)
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

async function postCallback({ method, url, headers = {}, body }: CallbackMessage, timeoutMs = responseTimeoutMs): Promise<Reply> {
  try {
    const requestBody = body === undefined ? {} : { body }
    const response = await fetch(url, {
      method,
      headers,
      ...requestBody,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, body: await response.text() }
  } catch {
    return { status: 0, body: '' }
  }
}
