/**
 * Files are opened in a few slots, and each company uses at most one: the next slot goes to the company with the lowest
 * recent usage, so that expensive files delay only the company that uploads them
 * (docs/decisions/20261122-use-per-company-limits-for-reading-files.md).
 */
import { UnreadableSheetError, unreadableMessages } from '../read/unreadable-error.ts'

export interface ReaderLimits {
  /** Number of files opened at the same time. */
  slots: number
  /** Additional slots for a company with low usage, when all are taken for `spareAfterMs`: long jobs do not block short ones. */
  spareSlots: number
  spareAfterMs: number
  /** Recent usage up to this counts as low. */
  lowUsageMs: number
  /** Recorded usage halves after this time. */
  usageHalfLifeMs: number
  /** Queue limits: per company, and in total. */
  maxQueuedPerOwner: number
  maxQueued: number
}

const defaultLimits: ReaderLimits = {
  slots: 2,
  spareSlots: 1,
  spareAfterMs: 1_000,
  lowUsageMs: 5_000,
  usageHalfLifeMs: 60_000,
  maxQueuedPerOwner: 4,
  maxQueued: 64,
}

export interface SlotRequest {
  /** The company; a request without an owner counts as its own company. */
  owner?: string | undefined
  signal?: AbortSignal | undefined
  /** Called with the number of requests ahead, initially and at every change. */
  onQueuePosition?: ((before: number) => void) | undefined
}
type QueuedRequest = {
  owner: string
  onQueuePosition: ((before: number) => void) | undefined
  start: () => void
  reportedPosition: number
}

export class ReaderSlots {
  readonly #limits: ReaderLimits
  readonly #now: () => number
  /** Start time of the running request, by owner. */
  readonly #startedAtByOwner = new Map<string, number>()
  readonly #usageByOwner = new Map<string, { ms: number; at: number }>()
  readonly #queue: QueuedRequest[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(rules: Partial<ReaderLimits> = {}, now = () => performance.now()) {
    this.#limits = { ...defaultLimits, ...rules }
    this.#now = now
  }

  /** Waits for a slot; the returned function releases it once. Throws `busy`, or the signal's reason. */
  async acquire({ owner = crypto.randomUUID(), signal, onQueuePosition }: SlotRequest = {}): Promise<() => void> {
    signal?.throwIfAborted()
    const own = this.#queue.filter((one) => one.owner === owner).length
    if (own >= this.#limits.maxQueuedPerOwner || this.#queue.length >= this.#limits.maxQueued)
      throw new UnreadableSheetError(unreadableMessages.busy)
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(one), 1)
        reject(signal?.reason as Error)
        this.schedule()
      }
      const go = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const one: QueuedRequest = { owner, onQueuePosition, start: go, reportedPosition: -1 }
      signal?.addEventListener('abort', leave, { once: true })
      this.#queue.push(one)
      this.schedule()
    })
    let isProvided = false
    return () => {
      if (isProvided) return
      isProvided = true
      this.#release(owner)
      this.schedule()
    }
  }

  /** Assigns free slots to the next requests and reports the new positions to the others. */
  schedule(): void {
    for (let next = this.#selectNext(); next; next = this.#selectNext()) {
      this.#queue.splice(this.#queue.indexOf(next), 1)
      this.#startedAtByOwner.set(next.owner, this.#now())
      next.start()
    }
    for (const [before, one] of this.#sortQueue().entries()) {
      if (one.reportedPosition !== before) one.onQueuePosition?.(before)
      one.reportedPosition = before
    }
    clearTimeout(this.#timer)
    // A slot in use for long opens the spare one without any other event.
    if (this.#queue.length > 0) this.#timer = setTimeout(() => this.schedule(), this.#limits.spareAfterMs / 2).unref()
  }

  #selectNext(): QueuedRequest | undefined {
    const { slots, spareSlots, spareAfterMs, lowUsageMs } = this.#limits
    const able = this.#sortQueue().filter(({ owner }) => !this.#startedAtByOwner.has(owner))
    const [first] = able
    if (!first || this.#startedAtByOwner.size < slots) return first
    if (this.#startedAtByOwner.size >= slots + spareSlots) return undefined
    const isLong = [...this.#startedAtByOwner.values()].every((since) => this.#now() - since >= spareAfterMs)
    return isLong && this.#getUsageMs(first.owner) < lowUsageMs ? first : undefined
  }

  /** Sorts by lowest usage, then by arrival. */
  #sortQueue(): QueuedRequest[] {
    const cost = new Map(this.#queue.map(({ owner }) => [owner, this.#getUsageMs(owner) + this.#getRunningMs(owner)]))
    return this.#queue.toSorted((a, b) => (cost.get(a.owner) ?? 0) - (cost.get(b.owner) ?? 0))
  }

  #getRunningMs(owner: string): number {
    const since = this.#startedAtByOwner.get(owner)
    return since === undefined ? 0 : this.#now() - since
  }

  #getUsageMs(owner: string): number {
    const spent = this.#usageByOwner.get(owner)
    return spent ? spent.ms * 0.5 ** ((this.#now() - spent.at) / this.#limits.usageHalfLifeMs) : 0
  }

  #release(owner: string): void {
    const ms = this.#getUsageMs(owner) + this.#getRunningMs(owner)
    this.#startedAtByOwner.delete(owner)
    this.#usageByOwner.set(owner, { ms, at: this.#now() })
    if (this.#usageByOwner.size > 1_000)
      for (const one of this.#usageByOwner.keys()) if (this.#getUsageMs(one) < 1) this.#usageByOwner.delete(one)
  }
}

export const readerSlots = new ReaderSlots()
