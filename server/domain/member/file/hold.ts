/** People held, each time in the order of their ids: whoever holds many waits for others and never in a circle with them. */
import { sql } from 'kysely'
import type { Ctx } from '../../../runtime/handle.ts'

type Where = Pick<Ctx, 'db' | 'company_id'>
const those = ({ db, company_id }: Where, ids: readonly string[]) =>
  db
    .selectFrom('member')
    .select('id')
    .where('company_id', '=', company_id)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .orderBy('id')

/** For rows that are about to name them, or to be taken from them, in whatever order: each takes such a hold by itself. */
export async function holdNamed(here: Where, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await those(here, ids).forKeyShare().execute()
}

/** Before they are changed in several statements. */
export async function holdPeople(here: Where, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await those(here, ids).forUpdate().execute()
}
