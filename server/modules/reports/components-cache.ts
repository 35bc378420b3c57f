/**
 * Cache of recently decrypted component tables: a user who switches between departments requests the same year each
 * time. An entry is valid only for the key it was decrypted with, which the vault caches for ten minutes, and for the
 * payslips it was computed from (`stamp`).
 */
import type { Vault } from '../../crypto/secrets.ts'

type CacheEntry = { readonly vault: Vault; readonly stamp: string; readonly packed: Buffer }

/** A year of ten thousand employees takes seven million bytes. */
const maxCacheBytes = 12_000_000

export class ComponentsCache {
  /** The least recently used entry comes first. */
  readonly #entries = new Map<string, CacheEntry>()
  readonly #maxBytes: number
  #bytes = 0
  constructor(most = maxCacheBytes) {
    this.#maxBytes = most
  }
  get bytes(): number {
    return this.#bytes
  }
  get(batch_id: string, vault: Vault, stamp: string): Buffer | null {
    const one = this.#entries.get(batch_id)
    if (!one) return null
    this.#remove(batch_id, one)
    if (one.vault !== vault || one.stamp !== stamp) return null
    this.#insert(batch_id, one)
    return one.packed
  }
  set(batch_id: string, one: CacheEntry): void {
    const before = this.#entries.get(batch_id)
    if (before) this.#remove(batch_id, before)
    if (one.packed.length > this.#maxBytes) return
    this.#insert(batch_id, one)
    for (const [id, oldest] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return
      this.#remove(id, oldest)
    }
  }
  #insert(batch_id: string, one: CacheEntry): void {
    this.#entries.set(batch_id, one)
    this.#bytes += one.packed.length
  }
  #remove(batch_id: string, one: CacheEntry): void {
    this.#entries.delete(batch_id)
    this.#bytes -= one.packed.length
  }
}
