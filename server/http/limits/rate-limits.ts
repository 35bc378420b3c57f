/**
 * Rate limits of two kinds: `TokenBuckets` in memory smooth the requests of one client (per node); `countAttempt`
 * counts guesses in the database, shared by all nodes and persistent across restarts, each in its own transaction so
 * that the refusal does not roll it back.
 */
import { isIPv6 } from 'node:net'
import { sql } from 'kysely'
import type { RateLimitClass } from '../../contract/call.ts'
import type { Database, Tx } from '../../database/database.ts'
import { AppError, fail } from '../errors.ts'

const perMinute: Record<RateLimitClass, number> = { normal: 600, costly: 120, guess: 60 }

/** Token buckets by key; a bucket is full after a minute. */
export class TokenBuckets {
  readonly #buckets = new Map<string, { tokens: number; at: number }>()
  readonly #scale: number
  /** `scale` widens every limit; tests that make thousands of calls from one address need it. */
  constructor(scale = 1) {
    this.#scale = scale
  }
  /** Takes one token; throws `too_often` with the seconds to wait if there is none. */
  consume(key: string, rate: RateLimitClass, now_ms: number): void {
    const size = perMinute[rate] * this.#scale
    const bucket = this.#buckets.get(key) ?? { tokens: size, at: now_ms }
    bucket.tokens = Math.min(size, bucket.tokens + ((now_ms - bucket.at) / 60_000) * size)
    bucket.at = now_ms
    if (this.#buckets.size > 50_000) this.#forget(now_ms)
    this.#buckets.set(key, bucket)
    if (bucket.tokens < 1) throw fail('too_often', undefined, { retry_after: Math.ceil((60 * (1 - bucket.tokens)) / size) })
    bucket.tokens -= 1
  }
  #forget(now_ms: number): void {
    for (const [key, bucket] of this.#buckets) if (now_ms - bucket.at > 60_000) this.#buckets.delete(key)
  }
}

export type AttemptLimit = {
  readonly max: number
  readonly window_s: number
  readonly now: Date
  /** Default `locked`; `too_often` where waiting is sufficient. */
  readonly error?: 'locked' | 'too_often'
  readonly message?: string
}

/**
 * Counts one attempt of `key` (for example `login|13800000000`), returns its number within the last `window_s` seconds,
 * and throws
 * `locked` with `retry_after` when there were `max` already. Refused attempts do not count: repeated requests do not
 * extend the wait, and no one can lock out another user for longer than the window. Serialized, so that parallel
 * attempts are counted correctly.
 */
export async function countAttempt(database: Database, key: string, limit: AttemptLimit): Promise<number> {
  const { max, window_s, now, error = 'locked' } = limit
  const since = new Date(now.getTime() - window_s * 1000)
  const { count, first } = await runSerially(key, () => countInWindow(database, key, { since, max, now }))
  if (count < max) return count + 1
  const over = (first ?? now).getTime() + window_s * 1000
  const retry_after = Math.max(1, Math.ceil((over - now.getTime()) / 1000))
  throw fail(error, limit.message ?? `尝试次数过多，请在 ${Math.ceil(retry_after / 60)} 分钟后再试`, { retry_after })
}

/** Waiting for the lock of a key holds a connection: at most one request of this process does; the others wait here. */
const serialQueues = new Map<string, Promise<unknown>>()
export async function runSerially<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = serialQueues.get(key)
  const current = before ? before.then(work, work) : work()
  serialQueues.set(key, current)
  try {
    return await current
  } finally {
    if (serialQueues.get(key) === current) serialQueues.delete(key)
  }
}

const countInWindow = (database: Database, key: string, { since, max, now }: { since: Date; max: number; now: Date }) =>
  database.withoutCompany(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(tx)
    const viewed = await tx
      .selectFrom('attempt')
      .select(({ fn }) => [fn.sum<string | null>('count').as('count'), fn.min('at').as('first')])
      .where('key', '=', key)
      .where('at', '>', since)
      .executeTakeFirstOrThrow()
    const before = { count: Number(viewed.count ?? 0), first: viewed.first }
    if (before.count < max)
      await tx
        .insertInto('attempt')
        .values({ key, at: now, count: 1 })
        .onConflict((conflict) => conflict.columns(['key', 'at']).doUpdateSet((eb) => ({ count: eb('attempt.count', '+', 1) })))
        .execute()
    return before
  })

/** Whether it is the first time within the window: for messages that are sent once, however often the event occurs. */
export async function isFirstInWindow(database: Database, key: string, window_s: number, now: Date): Promise<boolean> {
  try {
    await countAttempt(database, key, { max: 1, window_s, now })
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** Clears the attempts of `key` after the user has proved their identity. */
export async function clearAttempts(database: Database, key: string): Promise<void> {
  await database.withoutCompany((tx) => tx.deleteFrom('attempt').where('key', '=', key).execute())
}

/** Deletes attempts that no limit considers any more. */
export async function deleteOldAttempts(tx: Tx, before: Date): Promise<void> {
  await tx.deleteFrom('attempt').where('at', '<', before).execute()
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
