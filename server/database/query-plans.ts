/** How the database goes about what it is asked. */
import { sql } from 'kysely'
import type { Tx } from './database.ts'

/**
 * How it looks up whether somebody is there was planned when this connection first asked, perhaps of a table of one row; then it goes through the whole
 * company for each of its people. After many rows were written it is planned anew, by how large tables are now.
 */
export async function discardQueryPlans(db: Tx): Promise<void> {
  await sql`discard plans`.execute(db)
}
