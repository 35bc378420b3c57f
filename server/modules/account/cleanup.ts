/** Every night: what is over and no longer asked for. */
import type { Database } from '../../database/database.ts'
import { deleteOldAttempts } from '../../http/limits/rate-limits.ts'
import { deleteSystemMessages } from '../../outbox/index.ts'

const dayMs = 86_400_000

/** Doing it twice is harmless: the second time finds nothing. */
export async function deleteExpiredAuthData(database: Database, now: Date): Promise<void> {
  const daysAgo = (days: number): Date => new Date(now.getTime() - days * dayMs)
  await database.withoutCompany(
    async (tx) => {
      // A month, so that whoever comes back still hears why he was signed out. Ended or not, none lives longer than a day.
      await tx.deleteFrom('session').where('expires_at', '<', daysAgo(30)).execute()
      await tx.deleteFrom('device').where('last_active_at', '<', daysAgo(180)).execute()
      for (const table of ['challenge', 'grant_token', 'binding_token', 'login_state'] as const)
        await tx.deleteFrom(table).where('expires_at', '<', daysAgo(1)).execute()
      // The longest window of a limit is a day.
      await deleteOldAttempts(tx, daysAgo(2))
    },
    { timeout_ms: 60_000 },
  )
  await deleteSystemMessages(database, daysAgo(1))
}
