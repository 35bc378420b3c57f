/** Every night: what is over and no longer asked for. */
import type { Database } from '../../runtime/db.ts'
import { forgetOwnMessages } from '../../runtime/post/index.ts'
import { forgetTries } from '../../runtime/request/limits.ts'

const day_ms = 86_400_000

/** Doing it twice is harmless: the second time finds nothing. */
export async function sweepAccounts(database: Database, now: Date): Promise<void> {
  const before = (days: number): Date => new Date(now.getTime() - days * day_ms)
  await database.outside(
    async (tx) => {
      // A month, so that whoever comes back still hears why he was signed out. Ended or not, none lives longer than a day.
      await tx.deleteFrom('session').where('expires_at', '<', before(30)).execute()
      await tx.deleteFrom('device').where('seen_at', '<', before(180)).execute()
      for (const table of ['challenge', 'grant_token', 'bind_token', 'login_state'] as const)
        await tx.deleteFrom(table).where('expires_at', '<', before(1)).execute()
      // The longest window of a limit is a day.
      await forgetTries(tx, before(2))
    },
    { timeout_ms: 60_000 },
  )
  await forgetOwnMessages(database, before(1))
}
