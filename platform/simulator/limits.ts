/** Sliding-window counters: a maximum count per period. */
export type RateLimit = { readonly count: number; readonly per_ms: number }

export class SlidingWindowLimiter {
  readonly #now: () => number
  readonly #timestamps = new Map<string, number[]>()
  /** If disabled, no limit applies. */
  isEnabled = true
  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts a use if all limits allow it; otherwise returns the milliseconds until they do. */
  tryTake(key: string, limits: readonly RateLimit[]): number | null {
    if (!this.isEnabled) return null
    const now = this.#now()
    const longest = Math.max(...limits.map(({ per_ms }) => per_ms))
    const viewed = this.#timestamps.get(key) ?? []
    const from = viewed.findIndex((at) => at > now - longest)
    if (from !== 0) viewed.splice(0, from < 0 ? viewed.length : from)
    for (const { count, per_ms } of limits) {
      const oldest = viewed.at(-count)
      if (viewed.length >= count && oldest !== undefined && oldest > now - per_ms) return oldest + per_ms - now
    }
    viewed.push(now)
    this.#timestamps.set(key, viewed)
    return null
  }
}
