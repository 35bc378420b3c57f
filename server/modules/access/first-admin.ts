/** The first administrator of a company, and the notices an administrator has read. Writes admin. */
import { sql } from 'kysely'
import type { CompanyTimeTx } from '../../database/company-tx.ts'
import { newId } from '../../shared/ids.ts'

/** Makes the founder of a company its system administrator, in a transaction of that company, which has none yet. */
export async function createFirstAdmin(
  { db, company_id, now }: CompanyTimeTx,
  person: { member_id: string; account_id: string },
): Promise<void> {
  await db
    .insertInto('admin')
    .values({ company_id, id: newId(), ...person, power: ['4'], scope_all: true, created_at: now })
    .execute()
}

/** Records when this administrator first dismissed the trial notice. */
export async function dismissTrialNotice({ db, company_id, now }: CompanyTimeTx, admin_id: string): Promise<void> {
  await db
    .updateTable('admin')
    .set({ trial_closed_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', admin_id)
    .where('trial_closed_at', 'is', null)
    .execute()
}

export async function markHintDismissed(
  { db, company_id }: Pick<CompanyTimeTx, 'db' | 'company_id'>,
  admin_id: string,
  hint: string,
): Promise<void> {
  await db
    .updateTable('admin')
    .set({ dismissed_hints: sql`array_append(array_remove(dismissed_hints, ${hint}), ${hint})` })
    .where('company_id', '=', company_id)
    .where('id', '=', admin_id)
    .execute()
}
