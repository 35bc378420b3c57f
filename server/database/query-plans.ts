/** Management of cached query plans. */
import { sql } from 'kysely'
import type { Tx } from './database.ts'

/**
 * The plan of foreign key checks is cached at their first use on a connection, perhaps with a table of one row; later
 * it scans the whole company for each member. After many rows were written, plans are discarded so that they are
 * rebuilt for the current table sizes.
 */
export async function discardQueryPlans(db: Tx): Promise<void> {
  await sql`discard plans`.execute(db)
}
