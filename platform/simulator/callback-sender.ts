/**
 * Sends change events to applications: encrypted and signed like the platform's, retried if not accepted, and in no
 * reliable order.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Provider } from '../types.ts'
import type { CallbackMessage, CallbackRecipient, WorldChange } from './callbacks.ts'
import type { RegisteredApp, RegisteredSuite } from './registered-apps.ts'
import type { Reply, SimulatedVendor, SimulatorState } from './state.ts'

/** The result of a callback: number of attempts and the last response. */
export type CallbackDelivery = {
  readonly isAccepted: boolean
  readonly attempts: number
  readonly status: number
  readonly message: CallbackMessage
}

/** The platforms wait no longer than this for a response. */
const responseTimeoutMs = 5000

export class CallbackSender {
  readonly #state: SimulatorState
  readonly #vendors: ReadonlyMap<string, SimulatedVendor>
  readonly #inFlight = new Set<Promise<unknown>>()
  /** Factor for the waiting time between attempts; 0: retries at once. */
  delayScale = 1
  constructor(state: SimulatorState, vendors: ReadonlyMap<string, SimulatedVendor>) {
    this.#state = state
    this.#vendors = vendors
  }
  #getVendor(provider: Provider): SimulatedVendor {
    const vendor = this.#vendors.get(provider)
    if (!vendor) throw new Error(`${provider} has no simulator`)
    return vendor
  }

  getRecipient(app: RegisteredApp): CallbackRecipient | null {
    const suite = app.suite ? (this.#state.findSuite(app.provider, app.suite.id) ?? null) : null
    const target = app.callback ?? suite?.callback
    return target ? { target, receiver: this.#getVendor(app.provider).getReceiver(app), corp_id: app.corp_id, app, suite } : null
  }
  #getSuiteRecipient(suite: RegisteredSuite): CallbackRecipient | null {
    return suite.callback ? { target: suite.callback, receiver: suite.id, corp_id: null, app: null, suite } : null
  }

  /** Returns null if there is no callback URL or the platform does not report such a change. */
  async sendChange(to: RegisteredApp | RegisteredSuite, change: WorldChange): Promise<CallbackDelivery | null> {
    const notified = 'corp_id' in to ? this.getRecipient(to) : this.#getSuiteRecipient(to)
    const pushed = notified && this.#getVendor(to.provider).createEvent(notified, change)
    return pushed ? this.deliver(to.provider, notified, pushed) : null
  }
  /** Returns the message without sending it, for tests that deliver it in another order, twice or not at all. */
  createMessage(to: RegisteredApp, change: WorldChange): CallbackMessage | null {
    const notified = this.getRecipient(to)
    return notified && this.#getVendor(to.provider).createEvent(notified, change)
  }
  /** Delivers a message unchanged, once or with retries: for replays. */
  async deliver(provider: Provider, notified: CallbackRecipient, pushed: CallbackMessage): Promise<CallbackDelivery> {
    const vendor = this.#getVendor(provider)
    let last: Reply = { status: 0, body: '' }
    for (const [at, wait_ms] of [0, ...vendor.retryDelaysMs].entries()) {
      if (wait_ms > 0) await sleep(wait_ms * this.delayScale)
      last = await postCallback(pushed)
      if (vendor.isValidResponse(notified, last, null))
        return { isAccepted: true, attempts: at + 1, status: last.status, message: pushed }
    }
    if (notified.app) this.#state.failedCallbacks.push({ app: notified.app, plain: pushed.plaintext })
    return { isAccepted: false, attempts: vendor.retryDelaysMs.length + 1, status: last.status, message: pushed }
  }
  /**
   * Sends a change once, with a timeout for the response, and returns the response. Null: there is no callback URL, or
   * the platform does not report such a change.
   */
  async sendOnce(to: RegisteredApp, change: WorldChange, patience: number): Promise<Reply | null> {
    const pushed = this.createMessage(to, change)
    return pushed && postCallback(pushed, patience)
  }
  /** Returns whether the callback URL passes the platform's check before it is saved. */
  async checkUrl(app: RegisteredApp): Promise<boolean> {
    const notified = this.getRecipient(app)
    if (!notified) return false
    const word = randomBytes(9).toString('hex')
    const vendor = this.#getVendor(app.provider)
    return vendor.isValidResponse(notified, await postCallback(vendor.createUrlCheck(notified, word)), word)
  }

  /** Sends the change to every application of the company that has a callback URL and may see it. */
  sendToAll(provider: Provider, corp_id: string, change: WorldChange): void {
    for (const app of this.#state.apps)
      if (app.provider === provider && app.corp_id === corp_id && this.getRecipient(app)) {
        const telling: Promise<unknown> = this.sendChange(app, change).finally(() => this.#inFlight.delete(telling))
        this.#inFlight.add(telling)
      }
  }
  /** Resolves when no delivery is in progress. */
  async waitForDeliveries(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight)
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
