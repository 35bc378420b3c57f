/**
 * Token buckets in memory, which smooth the requests of one client (per node). Unlike the fixed windows of
 * `@fastify/rate-limit` they allow no double burst at the border of two windows, and the key may be known only inside
 * the transaction that authenticates.
 */
import { isIPv6 } from 'node:net'
import { fail } from '../errors.ts'
import { maxTokenBuckets, rateLimits } from './config.ts'

type Bucket = { tokens: number; at: number }
type Rate = keyof typeof rateLimits

/** A bucket is full after a minute. */
export class TokenBuckets {
  /** In the order of their last use. */
  readonly #buckets = new Map<string, Bucket>()
  readonly #scale: number
  readonly #now: () => number
  /**
   * `scale` widens every limit; tests that make thousands of calls from one address need it. The clock is monotonic:
   * when the wall clock goes back, nobody is refused.
   */
  constructor(scale = 1, now: () => number = () => performance.now()) {
    this.#scale = scale
    this.#now = now
  }

  /** Takes one token of this key; throws `too_often` with the seconds to wait if there is none. */
  consume(rate: Rate, key: string): void {
    this.assertAvailable(rate, key)
    this.take(rate, key)
  }

  /** Throws like `consume`, and takes no token. */
  assertAvailable(rate: Rate, key: string): void {
    if (this.isAvailable(rate, key)) return
    const { size, bucket } = this.#refill(rate, key)
    throw fail('too_often', undefined, { retry_after: Math.ceil((60 * (1 - bucket.tokens)) / size) })
  }

  isAvailable(rate: Rate, key: string): boolean {
    return this.#refill(rate, key).bucket.tokens >= 1
  }

  /** Takes one token, if there is one. */
  take(rate: Rate, key: string): void {
    const { bucket } = this.#refill(rate, key)
    if (bucket.tokens >= 1) bucket.tokens -= 1
  }

  /** Gives one token back. */
  giveBack(rate: Rate, key: string): void {
    const { size, bucket } = this.#refill(rate, key)
    bucket.tokens = Math.min(size, bucket.tokens + 1)
  }

  /** Returns the state of this key for the headers of a response: `reset_s` until all tokens are back. */
  getState(rate: Rate, key: string): { readonly limit: number; readonly remaining: number; readonly reset_s: number } {
    const { size, bucket } = this.#refill(rate, key)
    return { limit: size, remaining: Math.floor(bucket.tokens), reset_s: Math.ceil((60 * (size - bucket.tokens)) / size) }
  }

  #refill(rate: Rate, key: string): { readonly size: number; readonly bucket: Bucket } {
    const size = rateLimits[rate] * this.#scale
    const name = `${rate}|${key}`
    const now = this.#now()
    const bucket = this.#buckets.get(name) ?? { tokens: size, at: now }
    bucket.tokens = Math.min(size, bucket.tokens + (Math.max(0, now - bucket.at) / 60_000) * size)
    bucket.at = now
    this.#buckets.delete(name)
    this.#buckets.set(name, bucket)
    const [oldest] = this.#buckets.size > maxTokenBuckets ? this.#buckets.keys() : []
    if (oldest !== undefined) this.#buckets.delete(oldest)
    return { size, bucket }
  }
}

/** Returns the address that counts as one client: an IPv4 address, or the /64 that a provider assigns to one customer. */
export function toPeerAddress(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped) return mapped
  if (!isIPv6(address)) return address
  const [left = '', right = ''] = (address.split('%')[0] ?? '').split('::')
  const groups = (half: string) => half.split(':').filter(Boolean)
  const [head, tail] = [groups(left), groups(right)]
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  return `${[...head, ...zeros, ...tail]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/** Returns the network of an address: an IPv4 /24, or the IPv6 /48 that a provider assigns to one customer's site. */
export function toNetworkAddress(address: string): string {
  const peer = toPeerAddress(address)
  if (peer.includes(':')) return `${peer.split(':').slice(0, 3).join(':')}::/48`
  return peer.replace(/\.\d+$/, '.0/24')
}
