/**
 * Figures of pay runs that were opened a moment ago, for the next look: whoever turns from department to department asks for the same year each time. They
 * are good for the very key with which they were opened, which the vault keeps for ten minutes, and for the slips of which they were made (`stamp`).
 */
import type { Vault } from '../../crypto/secrets.ts'

type CacheEntry = { readonly vault: Vault; readonly stamp: string; readonly packed: Buffer }

/** A year of ten thousand people is seven million. */
const maxCacheBytes = 12_000_000

export class ComponentsCache {
  /** The one that was longest not asked for is the first. */
  readonly #all = new Map<string, CacheEntry>()
  readonly #most: number
  #bytes = 0
  constructor(most = maxCacheBytes) {
    this.#most = most
  }
  get bytes(): number {
    return this.#bytes
  }
  of(batch_id: string, vault: Vault, stamp: string): Buffer | null {
    const one = this.#all.get(batch_id)
    if (!one) return null
    this.#forget(batch_id, one)
    if (one.vault !== vault || one.stamp !== stamp) return null
    this.#put(batch_id, one)
    return one.packed
  }
  keep(batch_id: string, one: CacheEntry): void {
    const before = this.#all.get(batch_id)
    if (before) this.#forget(batch_id, before)
    if (one.packed.length > this.#most) return
    this.#put(batch_id, one)
    for (const [id, oldest] of this.#all) {
      if (this.#bytes <= this.#most) return
      this.#forget(id, oldest)
    }
  }
  #put(batch_id: string, one: CacheEntry): void {
    this.#all.set(batch_id, one)
    this.#bytes += one.packed.length
  }
  #forget(batch_id: string, one: CacheEntry): void {
    this.#all.delete(batch_id)
    this.#bytes -= one.packed.length
  }
}
