/**
 * Concurrency limits: how many calls of a class are processed at once, and how many wait. The database has sixteen
 * connections and the process one thread; users of expensive calls, and anonymous clients, must not keep an employee
 * from their payslip. A call over the limit is refused at once, before it has cost anything, with the time after which
 * to retry (docs/decisions/20261122-use-concurrency-limits-for-overload.md).
 */
import type { Call } from '../../contract/call.ts'
import { burst_ms, type ConcurrencyLimits, concurrencyLimits, minQueued, smoothingFactor } from './config.ts'

export type ConcurrencyClass = keyof typeof concurrencyLimits
export function getConcurrencyClass({ access, rateLimit }: Pick<Call, 'access' | 'rateLimit'>): ConcurrencyClass {
  if (access === 'public') return 'public'
  if (access === 'employee' || access === 'signed_in' || access === 'half_signed_in') return 'employee'
  return rateLimit === 'costly' ? 'costly' : 'desk'
}

/**
 * Returns the limit in which a call stands before it is authenticated: that of its class only for a caller who has
 * proved an account. Null: it takes its slot later. Uploads have their own limit.
 */
export function getFirstLimit(
  call: Pick<Call, 'access' | 'rateLimit' | 'requestType'>,
  isProven: boolean,
): ConcurrencyClass | null {
  if (call.requestType === 'file') return null
  if (!isProven) return 'public'
  const name = getConcurrencyClass(call)
  return name === 'costly' ? null : name
}

/** A call refused before it was started: it can safely be retried. */
export class OverloadedError extends Error {
  readonly statusCode = 503
  readonly retry_after_s: number
  constructor(retry_after_s: number) {
    // The source is known, and an overload throws thousands of errors per second: capturing stack traces took a
    // twentieth of the total time.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super('服务繁忙，请稍后再试')
    Error.stackTraceLimit = stackTraceLimit
    this.retry_after_s = retry_after_s
  }
}

type Waiting = { readonly owner: string; readonly go: () => void }

export class ConcurrencyLimiter {
  readonly #rules: ConcurrencyLimits
  readonly #running = new Map<string, number>()
  #count = 0
  readonly #waiting: Waiting[] = []
  /** The time since which the queue has been non-empty. */
  #stands_since: number | null = null

  /** Moving average of the duration of a call. */
  #took_ms = 0
  readonly #now: () => number

  constructor(own: ConcurrencyLimits, now: () => number = () => performance.now()) {
    this.#rules = own
    this.#now = now
  }

  /** Waits for a slot; the returned function releases it. Throws `OverloadedError`. */
  async acquire(owner: string): Promise<() => void> {
    const { queueTimeoutMs, retryAfterSeconds } = this.#rules
    if (this.getRetryAfter(owner) !== null) throw new OverloadedError(retryAfterSeconds)
    if (this.#waiting.length > 0 || !this.#fits(owner)) {
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => {
          this.#waiting.splice(this.#waiting.indexOf(one), 1)
          if (this.#waiting.length === 0) this.#stands_since = null
          reject(new OverloadedError(retryAfterSeconds))
        }, queueTimeoutMs)
        const one: Waiting = {
          owner,
          go: () => {
            clearTimeout(late)
            resolve()
          },
        }
        this.#waiting.push(one)
        this.#stands_since ??= this.#now()
        // The earlier calls may all belong to one owner who is at their limit.
        this.#call()
      })
    } else this.#begin(owner)
    let ended = false
    const began = this.#now()
    return () => {
      if (ended) return
      ended = true
      this.#took_ms += (this.#now() - began - this.#took_ms) * smoothingFactor
      const left = (this.#running.get(owner) ?? 1) - 1
      if (left > 0) this.#running.set(owner, left)
      else this.#running.delete(owner)
      this.#count -= 1
      this.#call()
    }
  }

  /** Returns the seconds after which to retry; null if the call may run or wait. `owner` null: an unknown owner. */
  getRetryAfter(owner: string | null): number | null {
    const { maxQueued, maxQueuedPerOwner, retryAfterSeconds } = this.#rules
    if (this.#waiting.length === 0 && (owner === null ? this.#count < this.#rules.maxRunning : this.#fits(owner))) return null
    const own = owner === null ? 0 : this.#waiting.filter((one) => one.owner === owner).length
    return this.#waiting.length >= maxQueued || own >= maxQueuedPerOwner || this.#isLong() ? retryAfterSeconds : null
  }

  /** Whether the expected wait is so long that a refusal is better. */
  #isLong(): boolean {
    const { maxRunning, maxExpectedWaitMs, maxSustainedWaitMs } = this.#rules
    const preload = this.#waiting.length
    const stands = this.#stands_since !== null && this.#now() - this.#stands_since > burst_ms
    return preload >= minQueued && (preload * this.#took_ms) / maxRunning > (stands ? maxSustainedWaitMs : maxExpectedWaitMs)
  }

  getUsage(): { readonly running: number; readonly waiting: number } {
    return { running: this.#count, waiting: this.#waiting.length }
  }

  #fits(owner: string): boolean {
    return this.#count < this.#rules.maxRunning && (this.#running.get(owner) ?? 0) < this.#rules.maxRunningPerOwner
  }

  #begin(owner: string): void {
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1)
    this.#count += 1
  }

  /** Starts the next call: of the owner with the fewest running calls, then the earliest. */
  #call(): void {
    for (;;) {
      let next: Waiting | null = null
      for (const one of this.#waiting) {
        if (!this.#fits(one.owner)) continue
        if (!next || (this.#running.get(one.owner) ?? 0) < (this.#running.get(next.owner) ?? 0)) next = one
      }
      if (!next) break
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      this.#begin(next.owner)
      next.go()
    }
    if (this.#waiting.length === 0) this.#stands_since = null
  }
}

export class ConcurrencyLimiters {
  readonly #limiters: Readonly<Record<ConcurrencyClass, ConcurrencyLimiter>> | null
  /** Without limits (tests make thousands of calls at once) every call runs at once. */
  constructor(on: boolean) {
    const { employee, desk, costly, public: open } = concurrencyLimits
    this.#limiters = on
      ? {
          employee: new ConcurrencyLimiter(employee),
          desk: new ConcurrencyLimiter(desk),
          costly: new ConcurrencyLimiter(costly),
          public: new ConcurrencyLimiter(open),
        }
      : null
  }
  async acquire(name: ConcurrencyClass, owner: string): Promise<() => void> {
    return (await this.#limiters?.[name].acquire(owner)) ?? (() => undefined)
  }
  /** Returns how full each limit is. */
  getUsage = (): { readonly limit: string; readonly running: number; readonly waiting: number }[] =>
    Object.entries(this.#limiters ?? {}).map(([limit, limiter]) => ({ limit, ...limiter.getUsage() }))

  /** Checks a limit without taking a slot. */
  getRetryAfter = (name: ConcurrencyClass, owner: string | null): number | null =>
    this.#limiters?.[name].getRetryAfter(owner) ?? null
}
