/**
 * Files are opened on few seats, and each company has at most one: the next seat goes to the company that has cost least lately, so that
 * whoever sends what is costly waits for himself and nobody else
 * (docs/decisions/20261122-use-per-company-limits-for-reading-files.md).
 */
import { UnreadableSheetError, unreadableMessages } from '../read/unreadable-error.ts'

export interface ReaderLimits {
  /** As many files are opened at once. */
  seats: number
  /** One more for a company that has cost little, where all seats are held for longer than `patience_ms`: short work is not kept by long work. */
  spare: number
  patience_ms: number
  /** Held lately, and still counted as little. */
  little_ms: number
  /** After so long, half of what was held is forgotten. */
  half_life_ms: number
  /** Waiting: of one company, and of all. */
  queue_of_one: number
  queue: number
}

const defaultLimits: ReaderLimits = {
  seats: 2,
  spare: 1,
  patience_ms: 1_000,
  little_ms: 5_000,
  half_life_ms: 60_000,
  queue_of_one: 4,
  queue: 64,
}

export interface SlotRequest {
  /** The company; nobody shares a seat with one that is not named. */
  owner?: string | undefined
  signal?: AbortSignal | undefined
  /** Hears how many are before, now and whenever it changes. */
  waits?: ((before: number) => void) | undefined
}
type QueuedRequest = { owner: string; waits: ((before: number) => void) | undefined; go: () => void; told: number }

export class ReaderSlots {
  readonly #rules: ReaderLimits
  readonly #now: () => number
  /** By owner: since when he sits. */
  readonly #held = new Map<string, number>()
  readonly #spent = new Map<string, { ms: number; at: number }>()
  readonly #waiting: QueuedRequest[] = []
  #looking: NodeJS.Timeout | undefined

  constructor(rules: Partial<ReaderLimits> = {}, now = () => performance.now()) {
    this.#rules = { ...defaultLimits, ...rules }
    this.#now = now
  }

  /** Waits for a seat; the returned function gives it back, once. Throws `busy`, or the signal's reason. */
  async take({ owner = crypto.randomUUID(), signal, waits }: SlotRequest = {}): Promise<() => void> {
    signal?.throwIfAborted()
    const own = this.#waiting.filter((one) => one.owner === owner).length
    if (own >= this.#rules.queue_of_one || this.#waiting.length >= this.#rules.queue)
      throw new UnreadableSheetError(unreadableMessages.busy)
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(one), 1)
        reject(signal?.reason as Error)
        this.look()
      }
      const go = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const one: QueuedRequest = { owner, waits, go, told: -1 }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.push(one)
      this.look()
    })
    let given = false
    return () => {
      if (given) return
      given = true
      this.#charge(owner)
      this.look()
    }
  }

  /** Gives what is free to whoever is next, and tells the others. */
  look(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      this.#held.set(next.owner, this.#now())
      next.go()
    }
    for (const [before, one] of this.#inOrder().entries()) {
      if (one.told !== before) one.waits?.(before)
      one.told = before
    }
    clearTimeout(this.#looking)
    // A seat that is held for long opens the spare one without anybody's doing.
    if (this.#waiting.length > 0) this.#looking = setTimeout(() => this.look(), this.#rules.patience_ms / 2).unref()
  }

  #next(): QueuedRequest | undefined {
    const { seats, spare, patience_ms, little_ms } = this.#rules
    const able = this.#inOrder().filter(({ owner }) => !this.#held.has(owner))
    const [first] = able
    if (!first || this.#held.size < seats) return first
    if (this.#held.size >= seats + spare) return undefined
    const isLong = [...this.#held.values()].every((since) => this.#now() - since >= patience_ms)
    return isLong && this.#spentBy(first.owner) < little_ms ? first : undefined
  }

  /** Who has cost least comes first, of equals who came first. */
  #inOrder(): QueuedRequest[] {
    const cost = new Map(this.#waiting.map(({ owner }) => [owner, this.#spentBy(owner) + this.#sitting(owner)]))
    return this.#waiting.toSorted((a, b) => (cost.get(a.owner) ?? 0) - (cost.get(b.owner) ?? 0))
  }

  #sitting(owner: string): number {
    const since = this.#held.get(owner)
    return since === undefined ? 0 : this.#now() - since
  }

  #spentBy(owner: string): number {
    const spent = this.#spent.get(owner)
    return spent ? spent.ms * 0.5 ** ((this.#now() - spent.at) / this.#rules.half_life_ms) : 0
  }

  #charge(owner: string): void {
    const ms = this.#spentBy(owner) + this.#sitting(owner)
    this.#held.delete(owner)
    this.#spent.set(owner, { ms, at: this.#now() })
    if (this.#spent.size > 1_000) for (const one of this.#spent.keys()) if (this.#spentBy(one) < 1) this.#spent.delete(one)
  }
}

export const readerSlots = new ReaderSlots()
