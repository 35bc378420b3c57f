/** Nightly deletion of expired sign-in data. */
import type { Database } from '../../database/database.ts'
import { deleteOldAttempts } from '../../http/limits/attempts.ts'
import { deleteSystemMessages } from '../../outbox/index.ts'

const dayMs = 86_400_000

/** Idempotent: a second execution finds nothing to delete. */
export async function deleteExpiredAuthData(database: Database, now: Date): Promise<void> {
  const daysAgo = (days: number): Date => new Date(now.getTime() - days * dayMs)
  await database.withoutCompany(
    async (tx) => {
      // Ended sessions are stored for a month so that a returning user still learns why they were signed out. No
      // session lives longer than a day.
      await tx.deleteFrom('session').where('expires_at', '<', daysAgo(30)).execute()
      await tx.deleteFrom('device').where('last_active_at', '<', daysAgo(180)).execute()
      for (const table of ['challenge', 'grant_token', 'binding_token', 'login_state'] as const)
        await tx.deleteFrom(table).where('expires_at', '<', daysAgo(1)).execute()
      // The longest window of a rate limit is one day.
      await deleteOldAttempts(tx, daysAgo(2))
    },
    { timeout_ms: 60_000 },
  )
  await deleteSystemMessages(database, daysAgo(1))
}
