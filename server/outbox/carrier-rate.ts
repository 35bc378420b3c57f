/** Rate limits of carriers, stored in the database for all servers. A carrier's request to slow down applies to all. */
import { sql } from 'kysely'
import type { Database, Tx } from '../database/database.ts'
import type { Clock } from '../shared/clock.ts'
import type { ChannelSender } from './channel-senders.ts'
import { maxPauseMs } from './rules/outcome.ts'
import { grantRate } from './rules/rate.ts'

export type RateAllowance = { readonly count: number; readonly wait_ms: number }
export type CarrierRateLimiter = {
  /** Returns how many of `want` messages of this company may be sent through this carrier now. */
  acquire(line: ChannelSender, requester: string, want: number): Promise<RateAllowance>
  /** The same for one message, without waiting: as far as this server knows. Only for carriers without a documented limit. */
  peek(line: ChannelSender): RateAllowance
  /** Pauses the carrier at its request. */
  pause(line: ChannelSender, ms: number): Promise<void>
}

/** How long a company that was told to wait still counts among those sharing the carrier. */
const askerActiveMs = 2_000
/**
 * How often a carrier without a documented rate limit is checked, to learn whether it asked another server to pause.
 */
const cacheMs = 500

/** The rest of a pause; none if it would be longer than any pause, because the clock was set back since. */
function getPauseMs(paused_until: number, now_ms: number): number {
  const pauseMs = paused_until - now_ms
  return pauseMs > 0 && pauseMs <= maxPauseMs ? pauseMs : 0
}

export function createCarrierRateLimiter(database: Database, clock: Clock): CarrierRateLimiter {
  const heard = new Map<string, { readonly at: number; readonly paused_until: number }>()

  async function getRest(key: string): Promise<number> {
    const existing = heard.get(key)
    if (existing && performance.now() - existing.at < cacheMs) return existing.paused_until
    const paused_until = await database.withoutCompany(async (tx) => (await readRateRow(tx, key)).paused_until)
    heard.set(key, { at: performance.now(), paused_until })
    return paused_until
  }

  const getUntil = (paused_until: number, want: number): RateAllowance => {
    const wait_ms = getPauseMs(paused_until, clock.now().getTime())
    return { count: wait_ms > 0 ? 0 : want, wait_ms }
  }

  return {
    peek: ({ key }) => getUntil(heard.get(key)?.paused_until ?? 0, 1),
    async acquire(channel, requester, want) {
      const { rateLimit } = channel.description
      if (!rateLimit) return getUntil(await getRest(channel.key), want)
      return database.withoutCompany(async (tx) => {
        const now = clock.now()
        const now_ms = now.getTime()
        // The holder of the row lock decides alone; the others wait briefly for it.
        const row = await readRateRow(tx, channel.key, true)
        const pauseMs = getPauseMs(row.paused_until, now_ms)
        if (pauseMs > 0) return { count: 0, wait_ms: pauseMs }
        const { rows } = await sql<{ own_ms: number | null; others: number }>`
          select max(due_ms) filter (where requester = ${requester}) as own_ms,
            (count(*) filter (where requester not in ('', ${requester}) and requested_until > ${now}))::int as others
          from channel_rate where channel = ${channel.key}`.execute(tx)
        const { own_ms, others } = rows[0] ?? { own_ms: null, others: 0 }
        const requested = {
          pace: rateLimit,
          want,
          now_ms,
          line_due_ms: row.due_ms,
          asker_due_ms: own_ms ?? 0,
          askers: others + 1,
        }
        const { count, wait_ms, line_due_ms, asker_due_ms } = grantRate(requested)
        await sql`
          insert into channel_rate (channel, requester, due_ms, requested_until)
          values (${channel.key}, ${''}, ${line_due_ms}, '-infinity'),
            (${channel.key}, ${requester}, ${asker_due_ms}, ${new Date(now_ms + wait_ms + askerActiveMs)})
          on conflict (channel, requester) do update set due_ms = excluded.due_ms, requested_until = excluded.requested_until`.execute(
          tx,
        )
        return { count, wait_ms }
      })
    },
    async pause({ key }, ms) {
      const until = new Date(clock.now().getTime() + ms)
      heard.set(key, { at: performance.now(), paused_until: until.getTime() })
      await database.withoutCompany((tx) =>
        sql`insert into channel_rate (channel, requester, paused_until) values (${key}, ${''}, ${until})
          on conflict (channel, requester) do update set paused_until = greatest(channel_rate.paused_until, excluded.paused_until)`.execute(
          tx,
        ),
      )
    },
  }
}

/** Reads the row of the carrier itself; with `lock`, creates it if missing and locks it until the transaction ends. */
async function readRateRow(tx: Tx, key: string, lock = false): Promise<{ due_ms: number; paused_until: number }> {
  const read = async () => {
    const { rows } = await sql<{ due_ms: number; paused_until: Date | null }>`
      select due_ms, case when paused_until > '-infinity' then paused_until end as paused_until
      from channel_rate where channel = ${key} and requester = ${''} ${lock ? sql`for update` : sql``}`.execute(tx)
    return rows[0] && { due_ms: rows[0].due_ms, paused_until: rows[0].paused_until?.getTime() ?? 0 }
  }
  const match = await read()
  if (match || !lock) return match ?? { due_ms: 0, paused_until: 0 }
  await sql`insert into channel_rate (channel, requester) values (${key}, ${''}) on conflict do nothing`.execute(tx)
  return (await read()) ?? { due_ms: 0, paused_until: 0 }
}
