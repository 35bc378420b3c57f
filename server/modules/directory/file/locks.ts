/** Locks members, always in the order of their ids: transactions that lock many may wait, but never deadlock. */
import { sql } from 'kysely'
import type { CompanyTx } from '../../../database/company-tx.ts'

const selectMembers = ({ db, company_id }: CompanyTx, ids: readonly string[]) =>
  db
    .selectFrom('member')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .orderBy('id')

/** For rows that will reference the members or be removed from them, in any order: each takes the same lock by itself. */
export async function lockMembersForReference(tx: CompanyTx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await selectMembers(tx, ids).forKeyShare().execute()
}

/** Locks members before they are changed in several statements. */
export async function lockMembersForUpdate(tx: CompanyTx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await selectMembers(tx, ids).forUpdate().execute()
}
