/** People held, each time in the order of their ids: whoever holds many waits for others and never in a circle with them. */
import { sql } from 'kysely'
import type { HandlerContext } from '../../../http/handler.ts'

type CompanyTx = Pick<HandlerContext, 'db' | 'company_id'>
const selectMembers = ({ db, company_id }: CompanyTx, ids: readonly string[]) =>
  db
    .selectFrom('member')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .orderBy('id')

/** For rows that are about to name them, or to be taken from them, in whatever order: each takes such a hold by itself. */
export async function lockMembersForReference(tx: CompanyTx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await selectMembers(tx, ids).forKeyShare().execute()
}

/** Before they are changed in several statements. */
export async function lockMembersForUpdate(tx: CompanyTx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await selectMembers(tx, ids).forUpdate().execute()
}
