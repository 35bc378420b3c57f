/**
 * Attempts, counted in the database: shared by all servers, and persistent across restarts. Several limits on one action
 * are counted together or not at all. A request refused by one limit uses up none of the others, so no one can exhaust
 * another user's limit with requests that are refused.
 */
import { sql } from 'kysely'
import type { Database, Tx } from '../../database/database.ts'
import { AppError, fail } from '../errors.ts'
import type { AttemptLimit } from './config.ts'

type BudgetMessage = {
  readonly error?: 'locked' | 'too_often'
  readonly formatMessage?: (wait_s: number) => string
  /** The resource that runs short, for callers with an alternative. */
  readonly resource?: string
}
/** At most `max` attempts are allowed within any window of that length. */
type Window = BudgetMessage & { readonly key: string; readonly max: number; readonly window_s: number }
/** A bucket has `capacity` tokens when full, and regains one after each `refillSeconds`. */
type Bucket = BudgetMessage & { readonly key: string; readonly capacity: number; readonly refillSeconds: number }
export type AttemptBudget = Window | Bucket
/** The budget to wait for. */
export type BudgetExceeded = { readonly budget: AttemptBudget; readonly retryAfterSeconds: number }

/** The stored times of a key: attempts within its window, oldest first; for a bucket when it will be full again. */
export type AttemptTimes = readonly Date[]

/** Returns the seconds until another attempt is allowed; 0: now. */
export function getWaitSeconds(budget: AttemptBudget, viewed: AttemptTimes, now: Date): number {
  const wait = (until_ms: number): number => Math.max(0, Math.ceil((until_ms - now.getTime()) / 1000))
  if ('capacity' in budget) return wait(fullAt(viewed, now) - (budget.capacity - 1) * budget.refillSeconds * 1000)
  const inside = viewed.filter((at) => at.getTime() > now.getTime() - budget.window_s * 1000)
  const last = inside[inside.length - budget.max]
  return last ? Math.max(1, wait(last.getTime() + budget.window_s * 1000)) : 0
}

const fullAt = (viewed: AttemptTimes, now: Date): number => Math.max(now.getTime(), viewed.at(-1)?.getTime() ?? 0)

/** Returns the time to store for a key after another attempt was consumed. */
export const getNextStoredTime = (budget: AttemptBudget, viewed: AttemptTimes, now: Date): Date =>
  'capacity' in budget ? new Date(fullAt(viewed, now) + budget.refillSeconds * 1000) : now

/** Selects the first choice within all its budgets; else the budget to wait for, of the choice available soonest. */
export function selectBudget(
  choices: readonly (readonly AttemptBudget[])[],
  viewedOf: (key: string) => AttemptTimes,
  now: Date,
): { selected: number } | BudgetExceeded {
  let soonest: BudgetExceeded | null = null
  for (const [at, budgets] of choices.entries()) {
    let longest: BudgetExceeded | null = null
    for (const short of budgets) {
      const wait_s = getWaitSeconds(short, viewedOf(short.key), now)
      if (wait_s > (longest?.retryAfterSeconds ?? 0)) longest = { budget: short, retryAfterSeconds: wait_s }
    }
    if (!longest) return { selected: at }
    if (!soonest || longest.retryAfterSeconds < soonest.retryAfterSeconds) soonest = longest
  }
  if (!soonest) throw new TypeError('a budget needs at least one choice')
  return soonest
}

/** Consumes one attempt of the first available choice, from all its budgets; else throws `locked` with `retry_after`. */
export async function consumeBudget(
  database: Database,
  choices: readonly (readonly AttemptBudget[])[],
  now: Date,
): Promise<void> {
  const short = await tryConsumeBudget(database, choices, now)
  if (short) throw toBudgetError(short)
}

export function toBudgetError({ budget, retryAfterSeconds }: BudgetExceeded): AppError {
  const { error = 'locked', formatMessage = (wait) => `尝试次数过多，请在 ${Math.ceil(wait / 60)} 分钟后再试` } = budget
  return fail(error, formatMessage(retryAfterSeconds), { retry_after: retryAfterSeconds })
}

/**
 * Consumes one attempt like `consumeBudget`, but returns the exceeded budget and the time to wait instead of throwing,
 * or null if it was consumed.
 */
export async function tryConsumeBudget(
  database: Database,
  choices: readonly (readonly AttemptBudget[])[],
  now: Date,
): Promise<BudgetExceeded | null> {
  const all = [...new Map(choices.flat().map((budget) => [budget.key, budget])).values()].sort((a, b) => (a.key < b.key ? -1 : 1))
  // Waits for the lock within the process as far as possible, where waiting holds no connection.
  const take = all.reduceRight<() => Promise<ReturnType<typeof selectBudget>>>(
    (rest, { key }) =>
      () =>
        runSerially(key, rest),
    () => takeNow(database, choices, all, now),
  )
  const accepted = await take()
  return 'selected' in accepted ? null : accepted
}

const takeNow = (database: Database, choices: readonly (readonly AttemptBudget[])[], all: readonly AttemptBudget[], now: Date) =>
  database.withoutCompany(async (tx) => {
    const keys = all.map(({ key }) => key)
    // Locks are taken in the same order everywhere, so that there is no deadlock.
    await sql`select pg_advisory_xact_lock(hash) from (
      select distinct hashtextextended(key, 0) as hash from unnest(${keys}::text[]) key order by hash) one`.execute(tx)
    const since = all.map((budget) => new Date('capacity' in budget ? 0 : now.getTime() - budget.window_s * 1000))
    const { rows } = await sql<{ key: string; at: Date; count: number }>`
      select attempt.key, attempt.at, attempt.count from unnest(${keys}::text[], ${since}::timestamptz[]) one (key, since)
      join attempt on attempt.key = one.key and attempt.at > one.since order by attempt.at`.execute(tx)
    const viewed = new Map(keys.map((key): [string, Date[]] => [key, []]))
    for (const { key, at, count } of rows) for (let one = 0; one < Number(count); one += 1) viewed.get(key)?.push(at)
    const viewedOf = (key: string): AttemptTimes => viewed.get(key) ?? []
    const result = selectBudget(choices, viewedOf, now)
    if (!('selected' in result)) return result
    const accepted = choices[result.selected] ?? []
    const buckets = accepted.flatMap((budget) => ('capacity' in budget ? [budget.key] : []))
    if (buckets.length > 0) await tx.deleteFrom('attempt').where('key', 'in', buckets).execute()
    await tx
      .insertInto('attempt')
      .values(accepted.map((budget) => ({ key: budget.key, at: getNextStoredTime(budget, viewedOf(budget.key), now), count: 1 })))
      .onConflict((conflict) => conflict.columns(['key', 'at']).doUpdateSet((eb) => ({ count: eb('attempt.count', '+', 1) })))
      .execute()
    return result
  })

/** `error`: default `locked`; `too_often` where waiting is sufficient. */
export type CountedAttempt = AttemptLimit & {
  readonly now: Date
  readonly error?: 'locked' | 'too_often'
  readonly message?: string
}

/**
 * Counts one attempt of `key` (for example `login|13800000000`), and throws `locked` with `retry_after` when there were
 * `max` already within the last `window_s` seconds. Refused attempts do not count: repeated requests do not extend the
 * wait, and no one can lock out another user for longer than the window. Serialized, so that parallel attempts are
 * counted correctly; in a transaction of its own, so that the refusal does not roll it back.
 */
export async function countAttempt(database: Database, key: string, { now, message, ...limit }: CountedAttempt): Promise<void> {
  await consumeBudget(database, [[{ ...limit, key, ...(message && { formatMessage: () => message }) }]], now)
}

/**
 * Takes back the attempts of these keys that were counted at that time: they were no guesses, so that a limit by address
 * counts failures. Counted first and taken back later, because parallel guesses must not pass before the first one fails.
 */
export async function refundAttempts(database: Database, keys: readonly string[], at: Date): Promise<void> {
  await database.withoutCompany(async (tx) => {
    await tx
      .updateTable('attempt')
      .set((eb) => ({ count: eb('count', '-', 1) }))
      .where('key', 'in', [...keys].sort())
      .where('at', '=', at)
      .execute()
    await tx.deleteFrom('attempt').where('key', 'in', keys).where('at', '=', at).where('count', '<=', 0).execute()
  })
}

/** Counts an attempt of `key` like `countAttempt`, and takes it back when the work succeeds. */
export async function countFailure<T>(
  database: Database,
  key: string,
  limit: CountedAttempt,
  work: () => Promise<T>,
): Promise<T> {
  await countAttempt(database, key, limit)
  const result = await work()
  await refundAttempts(database, [key], limit.now)
  return result
}

/**
 * Waiting for the lock of a key holds a connection: at most one request of this process does so, the others wait here
 * without one.
 */
const serialQueues = new Map<string, Promise<unknown>>()
async function runSerially<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = serialQueues.get(key)
  const current = before ? before.then(work, work) : work()
  serialQueues.set(key, current)
  try {
    return await current
  } finally {
    if (serialQueues.get(key) === current) serialQueues.delete(key)
  }
}

/**
 * Whether this is the first time within the window, for messages that are sent once, however often the event occurs.
 */
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
