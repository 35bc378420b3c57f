/** What employees do to their slips, compare and set: false when the slip is not in the state any more in which it was shown. */
import { sql } from 'kysely'
import type { Ctx } from '../../runtime/handle.ts'

type Here = Pick<Ctx, 'db' | 'company_id' | 'now'>

/** The first look. */
export async function markViewed({ db, company_id, now }: Here, salary_id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('salary')
    .set({ status: 'viewed', viewed_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .where('status', '=', 'sent')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Confirms exactly the version that was shown; the handwriting, if any, is sealed. */
export async function markConfirmed(
  { db, company_id, now, vault }: Here & Pick<Ctx, 'vault'>,
  salary_id: string,
  version: number,
  signature: string | null,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('salary')
    .set({
      status: 'confirmed',
      confirmed_at: now,
      confirmed_version: version,
      viewed_at: sql`coalesce(viewed_at, ${now})`,
      signature: signature ? vault.seal({ table: 'salary', row: salary_id, column: 'signature', version }, signature) : null,
    })
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .where('version', '=', version)
    .where('status', 'in', ['sent', 'viewed'])
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
