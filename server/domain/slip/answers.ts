/** What employees do to their slips, or let pass, compare and set: false when the slip is not in the state any more in which it was shown. */
import { sql } from 'kysely'
import { readable } from '../../contract/states.ts'
import type { Ctx } from '../../runtime/handle.ts'

type Here = Pick<Ctx, 'db' | 'company_id' | 'now'>

/** For queries on `salary`: when the person was given what the slip now says. */
export const given_at = sql<Date>`greatest(salary.sent_at, salary.corrected_at)`

/** The first look; also at a slip that has confirmed itself unseen. */
export async function markViewed({ db, company_id, now }: Here, salary_id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('salary')
    .set({ status: sql`case when status = 'sent' then 'viewed' else status end`, viewed_at: now })
    .where('company_id', '=', company_id)
    .where('id', '=', salary_id)
    .where('status', 'in', readable)
    .where('viewed_at', 'is', null)
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

/**
 * Of a batch that asks for confirmation, whatever was given from `since` until `overdue` and has neither been confirmed nor asked about: it counts as
 * confirmed, and is marked as not confirmed by the person. The time of the first look stays as it is. Answers how many.
 */
export async function markOverdue(
  { db, company_id, now }: Here,
  batch_id: string,
  since: Date | null,
  overdue: Date,
): Promise<number> {
  const { numAffectedRows } = await sql`
    update salary set status = 'confirmed', confirmed_at = ${now}, confirmed_version = version, confirmed_auto = true
    where company_id = ${company_id} and batch_id = ${batch_id} and status in ('sent', 'viewed') and ${given_at} <= ${overdue} ${since ? sql`and ${given_at} >= ${since}` : sql``}
      and exists (select from batch where batch.company_id = ${company_id} and batch.id = ${batch_id} and (batch.rules ->> 'confirm')::boolean)
      and not exists (select from feedback where feedback.company_id = ${company_id} and feedback.salary_id = salary.id)`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
