/**
 * Limits. Two kinds: `Buckets` in memory smooth what one peer may ask (each node by itself); `countTry` counts guesses in the
 * database, shared by all nodes and alive after a restart, each in a transaction of its own so that the refusal does not undo it.
 */
import type { Rate } from '../contract/call.ts'
import type { Database } from './db.ts'
import { refuse } from './handle.ts'

const perMinute: Record<Rate, number> = { normal: 600, costly: 120, guess: 60 }

/** Token buckets by key; a bucket is full after a minute. */
export class Buckets {
  readonly #buckets = new Map<string, { tokens: number; at: number }>()
  readonly #scale: number
  /** `scale` widens every limit; tests that walk thousands of calls from one address need it. */
  constructor(scale = 1) {
    this.#scale = scale
  }
  /** Takes one token; throws `too_often` with the seconds to wait when there is none. */
  take(key: string, rate: Rate, now_ms: number): void {
    const size = perMinute[rate] * this.#scale
    const bucket = this.#buckets.get(key) ?? { tokens: size, at: now_ms }
    bucket.tokens = Math.min(size, bucket.tokens + ((now_ms - bucket.at) / 60_000) * size)
    bucket.at = now_ms
    if (this.#buckets.size > 50_000) this.#forget(now_ms)
    this.#buckets.set(key, bucket)
    if (bucket.tokens < 1) throw refuse('too_often', undefined, { retry_after: Math.ceil((60 * (1 - bucket.tokens)) / size) })
    bucket.tokens -= 1
  }
  #forget(now_ms: number): void {
    for (const [key, bucket] of this.#buckets) if (now_ms - bucket.at > 60_000) this.#buckets.delete(key)
  }
}

/**
 * Counts one try of `key` (for example `login|13800000000`) and throws `locked` with `retry_after` when there were more than `max`
 * in the present window of `window_s` seconds.
 */
export async function countTry(
  database: Database,
  key: string,
  limit: { max: number; window_s: number; now: Date },
): Promise<void> {
  const size = limit.window_s * 1000
  const window_start = new Date(Math.floor(limit.now.getTime() / size) * size)
  const row = await database.outside((tx) =>
    tx
      .insertInto('attempt')
      .values({ key, window_start, count: 1 })
      .onConflict((conflict) =>
        conflict.columns(['key', 'window_start']).doUpdateSet((eb) => ({ count: eb('attempt.count', '+', 1) })),
      )
      .returning('count')
      .executeTakeFirstOrThrow(),
  )
  if (row.count > limit.max) {
    const retry_after = Math.max(1, Math.ceil((window_start.getTime() + size - limit.now.getTime()) / 1000))
    throw refuse('locked', `尝试次数过多，请在 ${Math.ceil(retry_after / 60)} 分钟后再试`, { retry_after })
  }
}

/** Forgives the tries of `key`: somebody proved that he is who he says. */
export async function forgiveTries(database: Database, key: string): Promise<void> {
  await database.outside((tx) => tx.deleteFrom('attempt').where('key', '=', key).execute())
}
