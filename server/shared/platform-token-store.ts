/** Tokens of applications on chat platforms, stored in the database: one server requests a token, the others reuse it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Secrets } from '../crypto/secrets.ts'
import type { Database } from '../database/database.ts'
import { newId } from './ids.ts'

type StoredToken = { readonly token: string; readonly until_ms: number }

/** Longer than two requests to a platform: a token may be requested with another one. */
const lockTimeoutMs = 15_000
const pollIntervalMs = 50

const getTokenPosition = (key: string) => ({ table: 'platform_token', row: key, column: 'sealed' })

/** Creates the token store for `createPlatforms`. */
export function createTokenStore(database: Database, secrets: Secrets) {
  const getSealed = (key: string): Promise<Buffer | null> =>
    database.withoutCompany(async (tx) => {
      const row = await tx.selectFrom('platform_token').select('sealed').where('key', '=', key).executeTakeFirst()
      return row?.sealed ?? null
    })
  const opened = (key: string, sealed: Buffer): StoredToken => {
    const [until, ...token] = secrets.open(getTokenPosition(key), sealed).toString('utf8').split(' ')
    return { token: token.join(' '), until_ms: Number(until) }
  }
  /** Uses the database's clock, because the servers' clocks differ. */
  const take = (key: string, current: string): Promise<boolean> =>
    database.withoutCompany(async (tx) => {
      const { rows } = await sql`
        insert into platform_token (key, asking, requested_until) values (${key}, ${current}, clock_timestamp() + ${lockTimeoutMs} * interval '1 ms')
        on conflict (key) do update set asking = excluded.asking, requested_until = excluded.requested_until
          where platform_token.requested_until < clock_timestamp()
        returning key`.execute(tx)
      return rows.length > 0
    })
  return {
    async read(key: string): Promise<StoredToken | null> {
      const sealed = await getSealed(key)
      return sealed && opened(key, sealed)
    },
    async write(key: string, { token, until_ms }: StoredToken): Promise<void> {
      const sealed = secrets.seal(getTokenPosition(key), Buffer.from(`${until_ms} ${token}`))
      await database.withoutCompany((tx) =>
        tx
          .insertInto('platform_token')
          .values({ key, sealed })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ sealed }))
          .execute(),
      )
    },
    async forget(key: string, token: string): Promise<void> {
      const sealed = await getSealed(key)
      if (!sealed || opened(key, sealed).token !== token) return
      await database.withoutCompany((tx) =>
        tx.updateTable('platform_token').set({ sealed: null }).where('key', '=', key).where('sealed', '=', sealed).execute(),
      )
    },
    /** A server that does not get the lock in time requests a token anyway: a second token is better than none. */
    async withLock<T>(key: string, work: () => Promise<T>): Promise<T> {
      const current = newId()
      const until = performance.now() + lockTimeoutMs
      while (!(await take(key, current)) && performance.now() < until) await sleep(pollIntervalMs)
      try {
        return await work()
      } finally {
        await database.withoutCompany((tx) =>
          tx
            .updateTable('platform_token')
            .set({ requested_until: new Date(0) })
            .where('key', '=', key)
            .where('asking', '=', current)
            .execute(),
        )
      }
    },
  }
}
