/**
 * Lanes: how many calls of a kind are worked on at once, and how many wait. The database has sixteen connections and the process one thread;
 * whoever asks for much, or is nobody yet, must not keep an employee from his slip. What finds a full lane is refused at once, before it
 * has cost anything, with the time after which it is worth asking again
 * (docs/decisions/20261122-use-concurrency-limits-for-overload.md).
 */
import type { Call } from '../../contract/call.ts'

/** `costly` reads whole batches, `public` is asked by nobody in particular. */
export type ConcurrencyClass = 'employee' | 'desk' | 'costly' | 'public'
export type ConcurrencyLimits = {
  /** Worked on at once; of one owner. */
  readonly maxRunning: number
  readonly maxRunningPerOwner: number
  /** Waiting; of one owner. */
  readonly maxQueued: number
  readonly maxQueuedPerOwner: number
  /** Nobody begins to wait who would wait longer than this, by how long the last ones took; a few always may. */
  readonly maxExpectedWaitMs: number
  /** The same where somebody has been waiting all the time for longer than a burst lasts: more come than can be served. */
  readonly maxSustainedWaitMs: number
  /** After so long without a turn it is refused. */
  readonly queueTimeoutMs: number
  readonly retryAfterSeconds: number
}

/** Together not many more than the connections of the pool, jobs and uploads beside them. */
const limitsByClass: Readonly<Record<ConcurrencyClass, ConcurrencyLimits>> = {
  employee: {
    maxRunning: 6,
    maxRunningPerOwner: 6,
    maxQueued: 60,
    maxQueuedPerOwner: 60,
    maxExpectedWaitMs: 2_000,
    maxSustainedWaitMs: 80,
    queueTimeoutMs: 2_000,
    retryAfterSeconds: 1,
  },
  desk: {
    maxRunning: 5,
    maxRunningPerOwner: 4,
    maxQueued: 40,
    maxQueuedPerOwner: 30,
    maxExpectedWaitMs: 2_000,
    maxSustainedWaitMs: 400,
    queueTimeoutMs: 2_000,
    retryAfterSeconds: 2,
  },
  costly: {
    maxRunning: 2,
    maxRunningPerOwner: 1,
    maxQueued: 24,
    maxQueuedPerOwner: 8,
    maxExpectedWaitMs: 30_000,
    maxSustainedWaitMs: 30_000,
    queueTimeoutMs: 30_000,
    retryAfterSeconds: 5,
  },
  public: {
    maxRunning: 4,
    maxRunningPerOwner: 4,
    maxQueued: 40,
    maxQueuedPerOwner: 30,
    maxExpectedWaitMs: 2_000,
    maxSustainedWaitMs: 150,
    queueTimeoutMs: 2_000,
    retryAfterSeconds: 3,
  },
}

/** As many as a page asks at once may always wait, however slow the machine. */
const minQueued = 12
/** So long may a queue stand before it is more than a burst. */
const burst_ms = 1_000
/** What one call says of how long the next will take. */
const smoothingFactor = 0.1

export function getConcurrencyClass({ access, rateLimit }: Pick<Call, 'access' | 'rateLimit'>): ConcurrencyClass {
  if (access === 'public') return 'public'
  if (access === 'employee' || access === 'signed_in' || access === 'half_signed_in') return 'employee'
  return rateLimit === 'costly' ? 'costly' : 'desk'
}

/** Refused without having been begun: the same request later is as good as new. */
export class OverloadedError extends Error {
  readonly statusCode = 503
  readonly retry_after_s: number
  constructor(retry_after_s: number) {
    // Where it comes from is known, and of an overload there are thousands a second: looking for the place was a twentieth of all the work.
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
  /** Since when somebody has been waiting all the time. */
  #stands_since: number | null = null

  /** How long one took, lately. */
  #took_ms = 0
  readonly #now: () => number

  constructor(own: ConcurrencyLimits, now: () => number = () => performance.now()) {
    this.#rules = own
    this.#now = now
  }

  /** Waits for a turn, of which the returned function is the end. Throws `OverloadedError`. */
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
        // Who was before may all be of one owner who has what he may have.
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

  /** Seconds after which whoever would come now should come again; null where he may enter or wait. `owner` null: whoever he is. */
  getRetryAfter(owner: string | null): number | null {
    const { maxQueued, maxQueuedPerOwner, retryAfterSeconds } = this.#rules
    if (this.#waiting.length === 0 && (owner === null ? this.#count < this.#rules.maxRunning : this.#fits(owner))) return null
    const own = owner === null ? 0 : this.#waiting.filter((one) => one.owner === owner).length
    return this.#waiting.length >= maxQueued || own >= maxQueuedPerOwner || this.#isLong() ? retryAfterSeconds : null
  }

  /** Whoever came now would hear sooner that he should come again. */
  #isLong(): boolean {
    const { maxRunning, maxExpectedWaitMs, maxSustainedWaitMs } = this.#rules
    const preload = this.#waiting.length
    const stands = this.#stands_since !== null && this.#now() - this.#stands_since > burst_ms
    return preload >= minQueued && (preload * this.#took_ms) / maxRunning > (stands ? maxSustainedWaitMs : maxExpectedWaitMs)
  }

  #fits(owner: string): boolean {
    return this.#count < this.#rules.maxRunning && (this.#running.get(owner) ?? 0) < this.#rules.maxRunningPerOwner
  }

  #begin(owner: string): void {
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1)
    this.#count += 1
  }

  /** The next is of whoever is worked for least, of equals who came first. */
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
  readonly #lanes: Readonly<Record<ConcurrencyClass, ConcurrencyLimiter>> | null
  /** Without lanes (tests walk thousands of calls at once) everybody goes at once. */
  constructor(on: boolean) {
    const { employee, desk, costly, public: open } = limitsByClass
    this.#lanes = on
      ? {
          employee: new ConcurrencyLimiter(employee),
          desk: new ConcurrencyLimiter(desk),
          costly: new ConcurrencyLimiter(costly),
          public: new ConcurrencyLimiter(open),
        }
      : null
  }
  async acquire(name: ConcurrencyClass, owner: string): Promise<() => void> {
    return (await this.#lanes?.[name].acquire(owner)) ?? (() => undefined)
  }
  /** What `Lane.full` says, without entering. */
  getRetryAfter = (name: ConcurrencyClass, owner: string | null): number | null =>
    this.#lanes?.[name].getRetryAfter(owner) ?? null
}
